/* What the Livermore loops start from and what they come to: the initial values and checksums of
 * McMahon's program, as in Longbottom's version 4.0. */
#include "kernels/livermore.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- initial values */

struct array {
    size_t offset, n; /* bytes, elements */
};

#define ARRAY(name) {offsetof(struct livermore, name), sizeof(((struct livermore *)0)->name) / 8}
#define PART_OF(name, n) {offsetof(struct livermore, name), n}

/* In the order of the common blocks; the sequence of values starts anew at each. */
static const struct array space1[] = {
    ARRAY(u),    ARRAY(v),    ARRAY(w),          PART_OF(x, 1001), ARRAY(y),   PART_OF(z, 1001),
    ARRAY(g),    ARRAY(du1),  ARRAY(du2),        ARRAY(du3),       ARRAY(grd), ARRAY(dex),
    ARRAY(xi),   ARRAY(ex),   ARRAY(ex1),        ARRAY(dex1),      ARRAY(vx),  ARRAY(xx),
    ARRAY(rx),   PART_OF(rh, 2048), ARRAY(vsp),  ARRAY(vstp),      ARRAY(vxne), ARRAY(vxnd),
    ARRAY(ve3),  ARRAY(vlr),  ARRAY(vlin),       ARRAY(b5),        ARRAY(plan), ARRAY(d),
    ARRAY(sa),   ARRAY(sb),   {0, 0}};
static const struct array space2[] = {
    ARRAY(p),  ARRAY(px), ARRAY(cx), ARRAY(vy), ARRAY(vh), ARRAY(vf), ARRAY(vg), ARRAY(vs),
    ARRAY(za), ARRAY(zp), ARRAY(zq), ARRAY(zr), ARRAY(zm), ARRAY(zb), ARRAY(zu), ARRAY(zv),
    ARRAY(zz), ARRAY(b),  ARRAY(c),  ARRAY(h),  ARRAY(u1), ARRAY(u2), ARRAY(u3), {0, 0}};
static const struct array scalars[] = {PART_OF(a11, 39), {0, 0}};

/* SIGNEL. Every operation is rounded to double, so that x87 and fused arithmetic start from the
 * same values: loops 12 and 13 would show the difference. */
static void fill_block(struct livermore *data, const struct array *block)
{
    double fuzz = 0.0012345;
    volatile double buzz = 1.0 + fuzz, product;
    const volatile double fizz = 1.1 * fuzz;
    for (; block->n > 0; block++) {
        double *to = (double *)(void *)((char *)data + block->offset);
        for (size_t i = 0; i < block->n; i++) {
            product = 1.0 - fuzz;
            product = product * buzz;
            buzz = product + fuzz;
            fuzz = -fuzz;
            product = buzz - fizz;
            product = product * 0.1;
            to[i] = product;
        }
    }
}

/* IQRANF: places from 1 to 1001, from the generator of Lewis, Goodman and Miller (IBM Systems
 * Journal 8 (1969) 136). */
static void fill_places(int *ix, int part)
{
    static const uint64_t seeds[] = {256, 12491249, 1499352848};
    const uint64_t modulus = 2147483647;
    uint64_t random = seeds[part];
    for (int i = 0; i < 1001; i++) {
        random = random * 16807 % modulus;
        ix[i] = 1 + (int)(random * 1000 / modulus);
    }
}

static void fill_search(struct livermore *data, int n)
{
    data->d[0] = 1.01980486428764;
    for (int i = 1; i < 300; i++) {
        volatile double step = 1e-4 / data->d[i - 1];
        data->d[i] = data->d[i - 1] + step;
    }
    int at = 0;
    for (int repeat = 0; repeat < 4; repeat++) {
        for (int k = 1; k <= n && at < 300; k++, at++) {
            volatile double ratio = (k + 1.0) / k;
            data->plan[at] = data->d[n - 1] * ratio;
            data->zone[at] = k + k;
        }
    }
    data->zone[n + n] = n;
}

void livermore_fill(struct livermore *data, int part, int loop, int n, int n16)
{
    memset(data, 0, sizeof *data);
    fill_block(data, space1);
    fill_block(data, space2);
    fill_block(data, scalars);
    memcpy(data->x + 1001, data->y, 193 * sizeof *data->x);
    memcpy(data->z + 1001, data->g, 11 * sizeof *data->z);
    for (int column = 0; column < 4; column++)
        for (int i = 0; i < 512; i++)
            data->p[i][column] = 1.0 + 0.5 * (512 * column + i);
    for (int i = 0; i < 96; i++)
        data->e[i] = data->f[i] = 1;
    fill_places(data->ix, part);
    for (int i = 0; i < 1001; i++) {
        data->dex[i] *= -100.0;
        data->grd[i] = data->ix[i];
    }
    data->flx = 0.001;
    fill_search(data, n16);
    data->expmax = 20.0;
    if (loop == 16) {
        data->r = data->d[n - 1];
        data->s = data->d[n - 2];
        data->t = data->d[n - 3];
    } else if (loop == 22) {
        data->u[n - 1] = 0.99 * data->expmax * data->v[n - 1];
    } else if (loop == 24) {
        data->x[n / 2] = -1e10;
    }
}

#define RESTORE(name) memcpy(&data->name, &start->name, sizeof data->name)

void livermore_restore(struct livermore *data, const struct livermore *start, int loop)
{
    switch (loop) {
    case 2:
    case 4:
    case 5:
        RESTORE(x);
        break;
    case 6:
        RESTORE(w);
        break;
    case 10:
    case 21:
        RESTORE(px);
        break;
    case 13:
        RESTORE(p);
        RESTORE(h);
        break;
    case 14:
        RESTORE(rh);
        break;
    case 16:
        data->n_tests = data->n_distances = 0;
        break;
    case 17:
        RESTORE(vxne);
        break;
    case 18:
        RESTORE(zr);
        RESTORE(zu);
        RESTORE(zv);
        RESTORE(zz);
        break;
    case 19:
        RESTORE(stb5);
        break;
    case 20:
        RESTORE(xx[0]);
        break;
    case 23:
        RESTORE(za);
        break;
    default:
        break; /* a pass reads nothing that a pass changes */
    }
}

/* ---- results */

static double sum(const double *values, int n)
{
    double total = 0;
    for (int i = 0; i < n; i++)
        total += values[i] * (double)(i + 1);
    return total;
}

/* Of rows that follow one another in memory: as far as there are values, rows * length. */
static double sum_rows(const double *rows, int n, int capacity)
{
    return sum(rows, n < capacity ? n : capacity);
}

static double sum13(const struct livermore *data, int n)
{
    return sum_rows(data->p[0], 8 * n, 512 * 4) + sum_rows(data->h[0], 8 * n / 64 * 64, 64 * 64);
}

double livermore_checksum(const struct livermore *data, int loop, int n)
{
    switch (loop) {
    case 1:
    case 7:
        return sum(data->x, n);
    case 2:
        return sum(data->x, 2 * n);
    case 3:
        return data->q;
    case 4:
        return data->x[5] + 2 * data->x[502] + 3 * data->x[999];
    case 5:
    case 11:
        return sum(data->x + 1, n - 1);
    case 6:
        return sum(data->w, n);
    case 8:
        return sum_rows(data->u1[0][0], 10 * n, 1010) + sum_rows(data->u2[0][0], 10 * n, 1010) +
               sum_rows(data->u3[0][0], 10 * n, 1010);
    case 9:
    case 10:
        return sum_rows(data->px[0], 15 * n, 2525);
    case 12:
        return sum(data->x, n - 1);
    case 13:
        return sum13(data, n);
    case 14:
        return sum(data->xx, n) + sum(data->vx, n) + sum(data->rh, 67);
    case 15:
        return sum_rows(data->vs[0], 7 * n, 707) + sum_rows(data->vy[0], 7 * n, 707);
    case 16:
        return data->n_distances + data->n_tests + data->j5 + data->m;
    case 17:
        return data->xnm + sum(data->vxne, n) + sum(data->vxnd, n);
    case 18:
        return sum_rows(data->zz[0], 7 * n, 707) + sum_rows(data->zr[0], 7 * n, 707);
    case 19:
        return data->stb5 + sum(data->b5, n);
    case 20:
        return sum(data->xx + 1, n);
    case 21:
        return sum_rows(data->px[0], 25 * n, 2525);
    case 22:
        return sum(data->w, n);
    case 23:
        return sum_rows(data->za[0], 7 * n, 707);
    default:
        return data->at;
    }
}
