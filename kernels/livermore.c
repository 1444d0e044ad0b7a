/* The Livermore Fortran Kernels. An iteration of run is what Longbottom's program repeats: restore
 * the values that the loop changes, then as many passes as there, after which its checksum has the
 * published value. Every iteration makes the sum; restoring and summing, below one per cent, and
 * the call of each pass belong to the time. (The original subtracts an empty call per pass.) */
#include "kernels/livermore.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

enum { N_PARTS = 3 };

static const struct part {
    const char *span; /* the setting */
    int multiplier;   /* of passes */
    int n[LIVERMORE_LOOPS], passes[LIVERMORE_LOOPS];
    /* What loop 16 looks at in a pass: zones, and of these how many by their distance. */
    int n_tests16, n_distances16;
    double checksum[LIVERMORE_LOOPS];
} parts[N_PARTS] = {
    {"long", 200,
     {1001, 101, 1001, 1001, 1001, 64, 995, 100, 101, 101, 1001, 1000,
      64, 1001, 101, 75, 101, 100, 101, 1000, 101, 101, 100, 1001},
     {7, 67, 9, 14, 10, 3, 4, 10, 36, 34, 11, 12, 36, 2, 1, 25, 35, 2, 39, 1, 1, 11, 8, 5},
     75, 38,
     {5.114652693224671e+04, 1.539721811668385e+03, 1.000742883066363e+01, 0,
      4.548871642387267e+03, 4.375116344729986e+03, 6.104251075174761e+04, 1.501268005625798e+05,
      1.189443609974981e+05, 7.310369784325296e+04, 3.342910972650109e+07, 2.907141294167248e-05,
      1.202533961842803e+11, 3.165553044000334e+09, 3.943816690352042e+04, 5.650760000000000e+05,
      1.114641772902486e+03, 1.015727037502300e+05, 5.421816960147207e+02, 3.040644339351239e+07,
      1.597308280710199e+08, 2.938604376566697e+02, 3.549900501563623e+04, 500}},
    {"medium", 400,
     {101, 101, 101, 101, 101, 32, 101, 100, 101, 101, 101, 100,
      32, 101, 101, 40, 101, 100, 101, 100, 50, 101, 100, 101},
     {40, 40, 53, 70, 55, 7, 22, 6, 21, 19, 64, 68, 41, 10, 1, 27, 20, 1, 23, 8, 1, 7, 5, 31},
     40, 20,
     {5.253344778937972e+02, 1.539721811668385e+03, 1.009741436578952e+00, 0,
      4.589031939600982e+01, 8.631675645333210e+01, 6.345586315784055e+02, 1.501268005625798e+05,
      1.189443609974981e+05, 7.310369784325296e+04, 3.433560407475758e+04, 7.127569130821465e-06,
      9.816387810944345e+10, 3.039983465145393e+07, 3.943816690352042e+04, 6.480410000000000e+05,
      1.114641772902486e+03, 1.015727037502300e+05, 5.421816960147207e+02, 3.126205178815431e+04,
      7.824524877232093e+07, 2.938604376566697e+02, 3.549900501563623e+04, 50}},
    {"short", 1600,
     {27, 15, 27, 27, 27, 8, 21, 14, 15, 15, 27, 26, 8, 27, 15, 15, 15, 14, 15, 26, 20, 15, 14, 27},
     {28, 46, 37, 38, 40, 21, 20, 9, 26, 25, 46, 48, 31, 8, 1, 14, 26, 2, 28, 7, 1, 8, 7, 23},
     15, 8,
     {3.855104502494961e+01, 3.953296986903059e+01, 2.699309089320672e-01, 0,
      3.182615248447483e+00, 1.120309393467088e+00, 2.845720217644024e+01, 2.960543667875003e+03,
      2.623968460874250e+03, 1.651291227698265e+03, 6.551161335845770e+02, 1.943435981130448e-06,
      3.847124199949426e+10, 2.923540598672011e+06, 1.108997288134785e+03, 5.152160000000000e+05,
      2.947368618589360e+01, 9.700646212337040e+02, 1.268230698051003e+01, 5.987713249475302e+02,
      5.009945671204667e+07, 6.109968728263972e+00, 4.850340602749970e+02, 13}},
};

/* In job->state. */
struct state {
    double seen; /* the checksum of the first iteration */
    uint64_t iterations;
    uint64_t n_different; /* checksums that are not that of the first iteration */
    int part, n, passes;
};

static int part_of(const struct kernel_job *job)
{
    const char *span = kernel_setting(job, "span");
    int part = 0;
    while (part < N_PARTS - 1 && strcmp(parts[part].span, span) != 0)
        part++;
    return part;
}

/* The values to work on, then those to restore. */
static size_t livermore_memory(const struct kernel_job *job)
{
    (void)job;
    return 2 * sizeof(struct livermore);
}

static enum kernel_outcome livermore_setup(struct kernel_job *job)
{
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->part = part_of(job);
    const struct part *part = &parts[state->part];
    const int loop = job->test->code;
    state->n = part->n[loop - 1];
    state->passes = part->passes[loop - 1] * part->multiplier;
    struct livermore *data = job->memory;
    livermore_fill(&data[0], state->part, loop, state->n, part->n[15]);
    data[1] = data[0];
    return KERNEL_OK;
}

static void livermore_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome livermore_run(struct kernel_job *job, uint64_t iterations)
{
    struct state *state = job->state;
    struct livermore *data = job->memory;
    const int loop = job->test->code;
    livermore_pass_fn *pass = livermore_passes[loop - 1];
    for (uint64_t i = 0; i < iterations; i++) {
        livermore_restore(&data[0], &data[1], loop);
        for (int k = 0; k < state->passes; k++) {
            pass(data, state->n);
            KERNEL_BARRIER();
        }
        /* volatile: x87 returns more digits than a double keeps, and they would differ. */
        volatile double checksum = livermore_checksum(data, loop, state->n);
        if (state->iterations == 0)
            state->seen = checksum;
        state->n_different += !(checksum == state->seen);
        state->iterations++;
    }
    return KERNEL_OK;
}

/* Loop 4: the published sum is one of an array that the loop does not touch (0.5999... in all three
 * parts), so it shows nothing. A pass makes x' = y4 (x - c) from each of its three x, with c the
 * sum of x[i] y[j]; where x itself is among the x[i], c = c0 + x y_x. After some dozens of passes x
 * is the fixed point -y4 c0 / (1 - y4 (1 - y_x)). */
static bool checksum4(const struct state *state, double *checksum)
{
    struct livermore *data = malloc(sizeof *data);
    if (!data)
        return false;
    livermore_fill(data, state->part, 4, state->n, parts[state->part].n[15]);
    long double total = 0;
    for (int row = 0; row < 3; row++) {
        const int first = 497 * row, own = first + 5;
        long double c0 = 0, y_own = 0;
        for (int i = 0; 5 * i + 4 < state->n; i++) {
            if (first + i == own)
                y_own = data->y[5 * i + 4];
            else
                c0 += (long double)data->x[first + i] * data->y[5 * i + 4];
        }
        total += (row + 1) * -data->y[4] * c0 / (1 - data->y[4] * (1 - y_own));
    }
    free(data);
    *checksum = (double)total;
    return true;
}

/* Relative to the published sums, which are those of double arithmetic. x87 and fused arithmetic
 * differ, from the same initial values, by 3e-10 in loop 12, where the sum cancels, by 3e-11 in
 * loop 13, where rounding moves a particle, and by less than 1e-13 in the others. As every second
 * initial value is nearly the same, a wrong operand may be as near as 1e-9, in loop 12 1e-6, and
 * equal in loops that only decide by it: those are seen on random numbers. */
static double tolerance(int loop)
{
    return loop == 12 ? 1e-8 : loop == 13 ? 1e-9 : 1e-12;
}

/* Rounding, x87 and fused arithmetic change the random results by less than 1e-15, relatively; a
 * wrong operand changes their first digits. */
static const double random_tolerance = 1e-10;

static enum kernel_outcome random_check(struct kernel_job *job)
{
    const int loop = job->test->code;
    struct livermore *data = calloc(2, sizeof *data);
    if (!data)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    const double result = livermore_random_result(data, loop, parts[N_PARTS - 1].n[loop - 1]);
    const double right = livermore_random_results[loop - 1];
    free(data);
    if (!(fabs(result - right) <= random_tolerance * fabs(right)))
        return kernel_reason(job, KERNEL_WRONG, "on random numbers: %.15e, right is %.15e", result,
                             right);
    return KERNEL_OK;
}

static enum kernel_outcome livermore_check(struct kernel_job *job)
{
    const struct state *state = job->state;
    const int loop = job->test->code;
    if (state->iterations == 0 || state->iterations != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " iterations of %" PRIu64,
                             state->iterations, job->n_iterations);
    double right = parts[state->part].checksum[loop - 1];
    if (loop == 4 && !checksum4(state, &right))
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    if (!(fabs(state->seen - right) <= tolerance(loop) * fabs(right)))
        return kernel_reason(job, KERNEL_WRONG, "checksum %.15e, right is %.15e", state->seen,
                             right);
    if (state->n_different > 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " checksums differ from that of the first iteration",
                             state->n_different);
    return random_check(job);
}

/* Operations that McMahon counts for a step of the innermost loop, whatever they are made of. */
static const int flops_per_step[LIVERMORE_LOOPS] = {5, 4, 2, 2, 2, 2, 16, 36, 17, 9, 1, 1,
                                                    7, 11, 33, 10, 9, 44, 6, 26, 2, 17, 11, 1};

/* Steps of a pass as Longbottom's program counts them. */
static double steps_of(int loop, int n)
{
    switch (loop) {
    case 2:
        return n - 4;
    case 4:
        return ((n - 5) / 5 + 1) * 3;
    case 5:
    case 11:
    case 24:
        return n - 1;
    case 6:
        return n * ((n - 1) / 2);
    case 8:
        return 2 * (n - 1);
    case 15:
    case 18:
    case 23:
        return (n - 1) * 5;
    case 21:
        return n * 625;
    default:
        return n;
    }
}

static void livermore_work(const struct kernel_job *job, struct kernel_work *work)
{
    const struct part *part = &parts[part_of(job)];
    const int loop = job->test->code;
    const double passes = (double)part->passes[loop - 1] * part->multiplier;
    if (loop == 16)
        work->flops = passes * (2 * part->n_tests16 + 10 * part->n_distances16);
    else
        work->flops = passes * flops_per_step[loop - 1] * steps_of(loop, part->n[loop - 1]);
}

static const struct kernel_metric flops_metric[] = {{"flops", QUANTITY_FLOP_RATE}, {0}};

static const struct kernel_setting span_setting = {
    .key = "span",
    .help = "lengths of the loops: on average 471, 90 or 19",
    .type = SETTING_WORD,
    .values = {"long,medium,short", "long,medium,short", "long,medium,short"},
    .allowed = "long,medium,short"};
static const struct kernel_setting *const settings[] = {&span_setting, NULL};

#define LOOP(number, text)                                                                         \
    {                                                                                              \
        .name = "loop" #number, .summary = text, .from = SUITE_STANDARD, .metrics = flops_metric,  \
        .settings = settings, .code = number, .run = livermore_run                                 \
    }

static const struct kernel_test tests[] = {
    LOOP(1, "hydrodynamics fragment"),
    LOOP(2, "incomplete Cholesky conjugate gradient"),
    LOOP(3, "inner product"),
    LOOP(4, "banded linear equations"),
    LOOP(5, "tridiagonal elimination, below the diagonal"),
    LOOP(6, "general linear recurrence"),
    LOOP(7, "equation of state fragment"),
    LOOP(8, "alternating direction implicit integration"),
    LOOP(9, "integration of predictors"),
    LOOP(10, "difference predictors"),
    LOOP(11, "first sum"),
    LOOP(12, "first difference"),
    LOOP(13, "particles in cells, two dimensions"),
    LOOP(14, "particles in cells, one dimension"),
    LOOP(15, "casual Fortran"),
    LOOP(16, "Monte Carlo search"),
    LOOP(17, "implicit conditional computation"),
    LOOP(18, "explicit hydrodynamics, two dimensions"),
    LOOP(19, "general linear recurrence, forth and back"),
    LOOP(20, "discrete ordinates transport"),
    LOOP(21, "matrix times matrix"),
    LOOP(22, "Planckian distribution"),
    LOOP(23, "implicit hydrodynamics, two dimensions"),
    LOOP(24, "place of the first minimum"),
    {0}};

const struct kernel kernel_livermore = {
    .name = "livermore",
    .summary = "The 24 Livermore loops in double precision, checked by the published sums (loop 4 "
               "by its own) and on random numbers. Official is the geometric mean over the 72 "
               "results, weighted 1 for span=long, 2 for medium, 1 for short; maximum and minimum "
               "are not weighted",
    .source = "McMahon, The Livermore Fortran Kernels, UCRL-53745 (1986); spans, passes, counts "
              "and sums of Longbottom, lloops.c version 4.0",
    .revision = 1,
    .tests = tests,
    .work = livermore_work,
    .memory = livermore_memory,
    .setup = livermore_setup,
    .check = livermore_check,
    .teardown = livermore_teardown,
};
