/* The 24 loops of the Livermore Fortran Kernels, each one pass. McMahon, UCRL-53745 (1986), with
 * the numbers and names of that report; arrays start at 0. */
#include "kernels/livermore.h"

#include <math.h>
#include <stdbool.h>

/* Hydrodynamics fragment. */
static void loop1(struct livermore *d, int n)
{
    const double q = d->q, r = d->r, t = d->t;
    for (int k = 0; k < n; k++)
        d->x[k] = q + d->y[k] * (r * d->z[k + 10] + t * d->z[k + 11]);
}

/* Incomplete Cholesky conjugate gradient: levels of half the length, each made from the one before
 * and stored behind it. */
static void loop2(struct livermore *d, int n)
{
    int first, next = 0;
    for (int length = n; length > 0; length /= 2) {
        first = next;
        next += length;
        int i = next;
        for (int k = first + 1; k < next; k += 2) {
            i++;
            d->x[i] = d->x[k] - d->v[k] * d->x[k - 1] - d->v[k + 1] * d->x[k + 1];
        }
    }
}

/* Inner product. */
static void loop3(struct livermore *d, int n)
{
    double q = 0;
    for (int k = 0; k < n; k++)
        q += d->z[k] * d->x[k];
    d->q = q;
}

/* Banded linear equations: three of them. */
static void loop4(struct livermore *d, int n)
{
    for (int k = 6; k < 1001; k += (1001 - 7) / 2) {
        double sum = d->x[k - 1];
        int i = k - 6;
        for (int j = 4; j < n; j += 5)
            sum -= d->x[i++] * d->y[j];
        d->x[k - 1] = d->y[4] * sum;
    }
}

/* Tridiagonal elimination, below the diagonal. */
static void loop5(struct livermore *d, int n)
{
    for (int i = 1; i < n; i++)
        d->x[i] = d->z[i] * (d->y[i] - d->x[i - 1]);
}

/* General linear recurrence. */
static void loop6(struct livermore *d, int n)
{
    for (int i = 1; i < n; i++) {
        d->w[i] = 0.01;
        for (int k = 0; k < i; k++)
            d->w[i] += d->b[k][i] * d->w[i - k - 1];
    }
}

/* Equation of state fragment. */
static void loop7(struct livermore *d, int n)
{
    const double q = d->q, r = d->r, t = d->t, *u = d->u;
    for (int k = 0; k < n; k++)
        d->x[k] = u[k] + r * (d->z[k] + r * d->y[k]) +
                  t * (u[k + 3] + r * (u[k + 2] + r * u[k + 1]) +
                       t * (u[k + 6] + q * (u[k + 5] + q * u[k + 4])));
}

/* Alternating direction implicit integration. */
static void loop8(struct livermore *d, int n)
{
    const double sig = d->sig;
    for (int kx = 1; kx < 3; kx++) {
        for (int ky = 1; ky < n; ky++) {
            d->du1[ky] = d->u1[0][ky + 1][kx] - d->u1[0][ky - 1][kx];
            d->du2[ky] = d->u2[0][ky + 1][kx] - d->u2[0][ky - 1][kx];
            d->du3[ky] = d->u3[0][ky + 1][kx] - d->u3[0][ky - 1][kx];
            d->u1[1][ky][kx] =
                d->u1[0][ky][kx] + d->a11 * d->du1[ky] + d->a12 * d->du2[ky] +
                d->a13 * d->du3[ky] +
                sig * (d->u1[0][ky][kx + 1] - 2.0 * d->u1[0][ky][kx] + d->u1[0][ky][kx - 1]);
            d->u2[1][ky][kx] =
                d->u2[0][ky][kx] + d->a21 * d->du1[ky] + d->a22 * d->du2[ky] +
                d->a23 * d->du3[ky] +
                sig * (d->u2[0][ky][kx + 1] - 2.0 * d->u2[0][ky][kx] + d->u2[0][ky][kx - 1]);
            d->u3[1][ky][kx] =
                d->u3[0][ky][kx] + d->a31 * d->du1[ky] + d->a32 * d->du2[ky] +
                d->a33 * d->du3[ky] +
                sig * (d->u3[0][ky][kx + 1] - 2.0 * d->u3[0][ky][kx] + d->u3[0][ky][kx - 1]);
        }
    }
}

/* Integration of predictors. */
static void loop9(struct livermore *d, int n)
{
    for (int i = 0; i < n; i++) {
        double *px = d->px[i];
        px[0] = d->dm28 * px[12] + d->dm27 * px[11] + d->dm26 * px[10] + d->dm25 * px[9] +
                d->dm24 * px[8] + d->dm23 * px[7] + d->dm22 * px[6] + d->c0 * (px[4] + px[5]) +
                px[2];
    }
}

/* Difference predictors. */
static void loop10(struct livermore *d, int n)
{
    for (int i = 0; i < n; i++) {
        double *px = d->px[i];
        double ar = d->cx[i][4];
        double br = ar - px[4];
        px[4] = ar;
        double cr = br - px[5];
        px[5] = br;
        ar = cr - px[6];
        px[6] = cr;
        br = ar - px[7];
        px[7] = ar;
        cr = br - px[8];
        px[8] = br;
        ar = cr - px[9];
        px[9] = cr;
        br = ar - px[10];
        px[10] = ar;
        cr = br - px[11];
        px[11] = br;
        px[13] = cr - px[12];
        px[12] = cr;
    }
}

/* First sum. */
static void loop11(struct livermore *d, int n)
{
    d->x[0] = d->y[0];
    for (int k = 1; k < n; k++)
        d->x[k] = d->x[k - 1] + d->y[k];
}

/* First difference. */
static void loop12(struct livermore *d, int n)
{
    for (int k = 0; k < n; k++)
        d->x[k] = d->y[k + 1] - d->y[k];
}

/* Particles in cells, in two dimensions. */
static void loop13(struct livermore *d, int n)
{
    for (int i = 0; i < n; i++) {
        double *p = d->p[i];
        int column = (int)p[0] & 63, row = (int)p[1] & 63;
        p[2] += d->b[row][column];
        p[3] += d->c[row][column];
        p[0] += p[2];
        p[1] += p[3];
        column = ((int)p[0] & 63) - 1;
        row = ((int)p[1] & 63) - 1;
        p[0] += d->y[column + 32];
        p[1] += d->z[row + 32];
        column += d->e[column + 32];
        row += d->f[row + 32];
        d->h[row][column] += 1.0;
    }
}

/* Particles in cells, in one dimension. */
static void loop14(struct livermore *d, int n)
{
    const double flx = d->flx;
    for (int k = 0; k < n; k++) {
        d->vx[k] = 0.0;
        d->xx[k] = 0.0;
        d->ix[k] = (int)d->grd[k];
        d->xi[k] = (double)d->ix[k];
        d->ex1[k] = d->ex[d->ix[k] - 1];
        d->dex1[k] = d->dex[d->ix[k] - 1];
    }
    for (int k = 0; k < n; k++) {
        d->vx[k] = d->vx[k] + d->ex1[k] + (d->xx[k] - d->xi[k]) * d->dex1[k];
        d->xx[k] = d->xx[k] + d->vx[k] + flx;
        d->ir[k] = (int)d->xx[k];
        d->rx[k] = d->xx[k] - d->ir[k];
        d->ir[k] = (d->ir[k] & 2047) + 1;
        d->xx[k] = d->rx[k] + d->ir[k];
    }
    for (int k = 0; k < n; k++) {
        d->rh[d->ir[k] - 1] += 1.0 - d->rx[k];
        d->rh[d->ir[k]] += d->rx[k];
    }
}

/* Casual Fortran. */
static void loop15(struct livermore *d, int n)
{
    const int rows = 7;
    const double ar = 0.053, br = 0.073;
    for (int j = 1; j < rows; j++) {
        for (int k = 1; k < n; k++) {
            if (j + 1 >= rows) {
                d->vy[j][k] = 0.0;
                continue;
            }
            double r, s, t = d->vh[j + 1][k] > d->vh[j][k] ? ar : br;
            if (d->vf[j][k] < d->vf[j][k - 1]) {
                r = d->vh[j][k - 1] > d->vh[j + 1][k - 1] ? d->vh[j][k - 1] : d->vh[j + 1][k - 1];
                s = d->vf[j][k - 1];
            } else {
                r = d->vh[j][k] > d->vh[j + 1][k] ? d->vh[j][k] : d->vh[j + 1][k];
                s = d->vf[j][k];
            }
            d->vy[j][k] = sqrt(d->vg[j][k] * d->vg[j][k] + r * r) * t / s;
            if (k + 1 >= n) {
                d->vs[j][k] = 0.0;
                continue;
            }
            if (d->vf[j][k] < d->vf[j - 1][k]) {
                r = d->vg[j - 1][k] > d->vg[j - 1][k + 1] ? d->vg[j - 1][k] : d->vg[j - 1][k + 1];
                s = d->vf[j - 1][k];
                t = br;
            } else {
                r = d->vg[j][k] > d->vg[j][k + 1] ? d->vg[j][k] : d->vg[j][k + 1];
                s = d->vf[j][k];
                t = ar;
            }
            d->vs[j][k] = sqrt(d->vh[j][k] * d->vh[j][k] + r * r) * t / s;
        }
    }
}

/* One group of zones of loop 16; true when the search goes on in the next group. */
static bool search_group(struct livermore *d, int n)
{
    const int third = n / 3, two_thirds = third + third, *zone = d->zone;
    const double r = d->r, s = d->s, t = d->t;
    const int first = (n + n) * (d->m - 1) + 1;
    for (int k = 1; k <= n; k++) {
        const int at = first + k + k;
        const int j = d->j5 = zone[at - 1];
        double distance;
        d->n_tests++;
        if (j == n)
            return false;
        if (j < n) {
            distance = d->plan[j - 1] - (j + two_thirds < n ? t : j + third < n ? s : r);
        } else {
            const double x = t - d->d[j - 3], y = s - d->d[j - 4], z = r - d->d[j - 5];
            d->n_distances++;
            distance = d->d[j - 1] - (d->d[j - 2] * x * x + y * y + z * z);
        }
        if (distance == 0.0 || zone[at - 2] == 0)
            return false;
        if ((distance < 0.0) == (zone[at - 2] < 0))
            continue;
        d->m = d->m + 1 > zone[0] ? 1 : d->m + 1;
        return d->m != 1;
    }
    return false;
}

/* Monte Carlo search. */
static void loop16(struct livermore *d, int n)
{
    d->m = 1;
    while (search_group(d, n))
        ;
}

/* Implicit conditional computation. */
static void loop17(struct livermore *d, int n)
{
    const double scale = 5.0 / 3.0;
    double xnm = 1.0 / 3.0, e6 = 1.03 / 3.07;
    for (int i = n - 1; i > 0; i--) {
        const double e3 = xnm * d->vlr[i] + d->vlin[i];
        const double xnei = d->vxne[i];
        const double xnc = scale * e3;
        d->vxnd[i] = e6;
        if (xnm > xnc || xnei > xnc) {
            e6 = xnm * d->vsp[i] + d->vstp[i];
            d->vxne[i] = e6;
            d->ve3[i] = e6;
        } else {
            d->ve3[i] = e3;
            e6 = e3 + e3 - xnm;
            d->vxne[i] = e3 + e3 - xnei;
        }
        xnm = e6;
    }
    d->xnm = xnm;
}

/* Explicit hydrodynamics in two dimensions. */
static void loop18(struct livermore *d, int n)
{
    const double t = 0.0037, s = 0.0041;
    for (int k = 1; k < 6; k++) {
        for (int j = 1; j < n; j++) {
            d->za[k][j] = (d->zp[k + 1][j - 1] + d->zq[k + 1][j - 1] - d->zp[k][j - 1] -
                           d->zq[k][j - 1]) *
                          (d->zr[k][j] + d->zr[k][j - 1]) /
                          (d->zm[k][j - 1] + d->zm[k + 1][j - 1]);
            d->zb[k][j] = (d->zp[k][j - 1] + d->zq[k][j - 1] - d->zp[k][j] - d->zq[k][j]) *
                          (d->zr[k][j] + d->zr[k - 1][j]) / (d->zm[k][j] + d->zm[k][j - 1]);
        }
    }
    for (int k = 1; k < 6; k++) {
        for (int j = 1; j < n; j++) {
            d->zu[k][j] += s * (d->za[k][j] * (d->zz[k][j] - d->zz[k][j + 1]) -
                                d->za[k][j - 1] * (d->zz[k][j] - d->zz[k][j - 1]) -
                                d->zb[k][j] * (d->zz[k][j] - d->zz[k - 1][j]) +
                                d->zb[k + 1][j] * (d->zz[k][j] - d->zz[k + 1][j]));
            d->zv[k][j] += s * (d->za[k][j] * (d->zr[k][j] - d->zr[k][j + 1]) -
                                d->za[k][j - 1] * (d->zr[k][j] - d->zr[k][j - 1]) -
                                d->zb[k][j] * (d->zr[k][j] - d->zr[k - 1][j]) +
                                d->zb[k + 1][j] * (d->zr[k][j] - d->zr[k + 1][j]));
        }
    }
    for (int k = 1; k < 6; k++) {
        for (int j = 1; j < n; j++) {
            d->zr[k][j] = d->zr[k][j] + t * d->zu[k][j];
            d->zz[k][j] = d->zz[k][j] + t * d->zv[k][j];
        }
    }
}

/* General linear recurrence, forth and back. */
static void loop19(struct livermore *d, int n)
{
    double stb5 = d->stb5;
    for (int k = 0; k < n; k++) {
        d->b5[k] = d->sa[k] + stb5 * d->sb[k];
        stb5 = d->b5[k] - stb5;
    }
    for (int k = n - 1; k >= 0; k--) {
        d->b5[k] = d->sa[k] + stb5 * d->sb[k];
        stb5 = d->b5[k] - stb5;
    }
    d->stb5 = stb5;
}

/* Discrete ordinates transport. */
static void loop20(struct livermore *d, int n)
{
    const double dk = d->dk, s = d->s, t = d->t;
    for (int k = 0; k < n; k++) {
        const double di = d->y[k] - d->g[k] / (d->xx[k] + dk);
        double dn = 0.2;
        if (di != 0.0) {
            dn = d->z[k] / di;
            if (t < dn)
                dn = t;
            if (s > dn)
                dn = s;
        }
        d->x[k] = ((d->w[k] + d->v[k] * dn) * d->xx[k] + d->u[k]) / (d->vx[k] + d->v[k] * dn);
        d->xx[k + 1] = (d->x[k] - d->xx[k]) * dn + d->xx[k];
    }
}

/* Matrix times matrix. */
static void loop21(struct livermore *d, int n)
{
    for (int k = 0; k < 25; k++)
        for (int i = 0; i < 25; i++)
            for (int j = 0; j < n; j++)
                d->px[j][i] += d->vy[k][i] * d->cx[j][k];
}

/* Planckian distribution. */
static void loop22(struct livermore *d, int n)
{
    for (int k = 0; k < n; k++) {
        d->y[k] = d->u[k] / d->v[k];
        d->w[k] = d->x[k] / (exp(d->y[k]) - 1.0);
    }
}

/* Implicit hydrodynamics in two dimensions. */
static void loop23(struct livermore *d, int n)
{
    for (int j = 1; j < 6; j++) {
        for (int k = 1; k < n; k++) {
            const double qa = d->za[j + 1][k] * d->zr[j][k] + d->za[j - 1][k] * d->zb[j][k] +
                              d->za[j][k + 1] * d->zu[j][k] + d->za[j][k - 1] * d->zv[j][k] +
                              d->zz[j][k];
            d->za[j][k] += 0.175 * (qa - d->za[j][k]);
        }
    }
}

/* Place of the first minimum. */
static void loop24(struct livermore *d, int n)
{
    int at = 0;
    for (int k = 1; k < n; k++)
        if (d->x[k] < d->x[at])
            at = k;
    d->at = at;
}

livermore_pass_fn *const livermore_passes[LIVERMORE_LOOPS] = {
    loop1,  loop2,  loop3,  loop4,  loop5,  loop6,  loop7,  loop8,  loop9,  loop10, loop11, loop12,
    loop13, loop14, loop15, loop16, loop17, loop18, loop19, loop20, loop21, loop22, loop23, loop24};
