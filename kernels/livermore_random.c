/* The Livermore loops on random numbers. The published initial values are nearly the same in every
 * second element, and some results are in no published sum; so most of loop 16, and many operands
 * of loops 8, 10, 15, 17, 18 and 20, could be wrong unseen. Here every element is another one, and
 * all that changes counts. */
#include "kernels/livermore.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernels/kernel.h"

enum { SEED = 24, SEARCHES = 200, SEARCH_N = 15, SEARCH_GROUPS = 10 };

/* From 0.5 to 1.5, exact. */
static double random_number(uint64_t *state)
{
    return 0.5 + (double)(kernel_random(state) >> 12) * 0x1p-52;
}

/* All numbers are doubles up to the first of the integers. */
static size_t n_numbers(void)
{
    return offsetof(struct livermore, e) / sizeof(double);
}

/* Places for loop 13: wherever the particle is, it moves to one from 0 to 63. */
static void fill_moves(int *moves, uint64_t *random)
{
    for (int i = 0; i < 96; i++)
        moves[i] = (int)(kernel_random(random) & 63) - (i - 32);
}

/* Random numbers; indices within their arrays, and of each decision both ways. */
static void fill(struct livermore *data, int loop)
{
    uint64_t random = SEED;
    double *numbers = (double *)data;
    memset(data, 0, sizeof *data);
    for (size_t i = 0; i < n_numbers(); i++)
        numbers[i] = random_number(&random);
    if (loop == 13) {
        for (int i = 0; i < 512; i++) {
            data->p[i][0] = 64 * (data->p[i][0] - 0.5);
            data->p[i][1] = 64 * (data->p[i][1] - 0.5);
        }
        fill_moves(data->e, &random);
        fill_moves(data->f, &random);
    } else if (loop == 14) {
        for (int i = 0; i < 1001; i++)
            data->grd[i] = (double)(1 + kernel_random(&random) % 1000);
    } else if (loop == 17) {
        for (int i = 0; i < 101; i++)
            data->vlin[i] /= 8;
    } else if (loop == 20) {
        data->s /= 4;
        data->t *= 2;
        for (int i = 0; i < 1001; i++)
            data->g[i] *= 4;
        data->y[5] = data->g[5] = 0;
    } else if (loop == 24) {
        data->x[20] = data->x[15]; /* two least, of which the first counts */
    }
}

/* Loop 16 on many searches: its counts, its last zone and its group of each. */
static double searches_hash(struct livermore *data)
{
    uint64_t random = SEED;
    uint32_t hash = 0;
    memset(data, 0, sizeof *data);
    for (int search = 0; search < SEARCHES; search++) {
        for (int i = 0; i < 300; i++)
            data->plan[i] = random_number(&random);
        for (int i = 0; i < 300; i++)
            data->d[i] = random_number(&random);
        data->r = random_number(&random);
        data->s = random_number(&random);
        data->t = random_number(&random);
        data->zone[0] = SEARCH_GROUPS;
        for (int i = 1; i <= 2 * SEARCH_N * SEARCH_GROUPS; i++)
            data->zone[i] = i % 2 == 0 ? (int)(1 + kernel_random(&random) % 40)
                                       : (int)(kernel_random(&random) % 16) - 8;
        data->n_tests = data->n_distances = 0;
        livermore_passes[15](data, SEARCH_N);
        hash = hash * 31 + (uint32_t)(data->n_tests + 1000 * data->n_distances +
                                      100000 * data->m + 1000000 * data->j5);
    }
    return hash;
}

const double livermore_random_results[LIVERMORE_LOOPS] = {
    65.60290945439554, -18.553445234243707, 17.46685398943933, -23.847541715939297,
    -13.313051048493676, 61.52016363777993, 191.36712957998384, -38.12985253660729,
    121.12893703211938, -705.9608919844719, 334.30677318607763, -25.433249582351777,
    73.24610561373288, 44468.35675434758, -152.30204169793862, 2054401285,
    67.76620381708966, -127.7559351250038, 21.95209505793253, 311.09977004973047,
    12857.304135780865, -1.9694257916378821, 63.01894973980216, 15.0,
};

double livermore_random_result(struct livermore data[2], int loop, int n)
{
    uint64_t random = SEED + 1;
    if (loop == 16)
        return searches_hash(data);
    fill(&data[0], loop);
    memcpy(&data[1], &data[0], sizeof data[1]);
    livermore_passes[loop - 1](data, n);
    const double *now = (const double *)&data[0], *before = (const double *)&data[1];
    double total = data->at;
    for (size_t i = 0; i < n_numbers(); i++)
        total += (now[i] - before[i]) * random_number(&random);
    return total;
}
