/* Linpack 100: solves a dense system of 100 equations. An iteration of run restores the matrix,
 * factors it and solves the system; restoring, a copy of 80 KB within the cache, belongs to the
 * time. (The original generates the matrix anew, measures that apart and subtracts it.) */
#include "kernels/kernel.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100, LDA_MAX = 201 };

#define REAL double
#define FABS fabs
#define NAME(x) x##_double
#include "kernels/linpack_solve.h"
#undef REAL
#undef FABS
#undef NAME
#define REAL float
#define FABS fabsf
#define NAME(x) x##_float
#include "kernels/linpack_solve.h"
#undef REAL
#undef FABS
#undef NAME

/* In job->state. The solution comes first: tests look at it. */
struct linpack {
    double x[N]; /* of the first pass */
    int pivot[N];
    uint64_t passes;
    uint64_t n_different; /* solutions that are not that of the first pass */
    int lda;
    bool is_double;
};

static size_t linpack_memory(const struct kernel_job *job)
{
    return strcmp(kernel_setting(job, "type"), "double") == 0 ? sizeof(struct system_double)
                                                              : sizeof(struct system_float);
}

static enum kernel_outcome linpack_setup(struct kernel_job *job)
{
    struct linpack *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->is_double = strcmp(kernel_setting(job, "type"), "double") == 0;
    state->lda = (int)kernel_setting_number(job, "lda");
    if (state->is_double) {
        struct system_double *s = job->memory;
        generate_double(s->a, state->lda, N, s->b);
    } else {
        struct system_float *s = job->memory;
        generate_float(s->a, state->lda, N, s->b);
    }
    return KERNEL_OK;
}

static void linpack_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static double solution_get(const struct linpack *state, const void *memory, int i)
{
    return state->is_double ? ((const struct system_double *)memory)->x[i]
                            : (double)((const struct system_float *)memory)->x[i];
}

/* The greatest |a x - b| over n * max a * max |x| * epsilon, with matrix and right-hand side as
 * they should be, whatever is in the memory; in the program's order: the columns are added to -b.
 * Infinite when a number is not finite. */
static double scaled_residual(const struct linpack *state)
{
    double sums[N] = {0}, max = 0, max_a = 0, max_x = 0;
    for (int round = 0; round < 2; round++) {
        int value = 1325;
        for (int j = 0; j < N; j++) {
            const double x = round == 0 ? -1 : state->x[j]; /* the row sums are b */
            if (!isfinite(x))
                return INFINITY;
            max_x = round == 0 ? 0 : fmax(max_x, fabs(x));
            for (int i = 0; i < N; i++) {
                value = 3125 * value % 65536;
                const double a = (value - 32768) / 16384.0;
                max_a = fmax(max_a, a); /* not |a|: the program's norm */
                sums[i] += x * a;
            }
        }
    }
    for (int i = 0; i < N; i++)
        max = fmax(max, fabs(sums[i]));
    return max / (N * max_a * max_x * (state->is_double ? DBL_EPSILON : (double)FLT_EPSILON));
}

static enum kernel_outcome linpack_run(struct kernel_job *job, uint64_t iterations)
{
    struct linpack *state = job->state;
    for (uint64_t pass = 0; pass < iterations; pass++) {
        KERNEL_BARRIER();
        if (state->is_double)
            pass_double(job->memory, state->lda, state->pivot);
        else
            pass_float(job->memory, state->lda, state->pivot);
        KERNEL_BARRIER();
        bool is_different = false;
        for (int i = 0; i < N; i++) {
            double x = solution_get(state, job->memory, i);
            if (state->passes == 0)
                state->x[i] = x;
            is_different = is_different || !(x == state->x[i]);
        }
        state->passes++;
        state->n_different += is_different;
    }
    kernel_report(job, "residual", scaled_residual(state)); /* some 30 us of a whole call */
    return KERNEL_OK;
}

/* The program prints the residual over n * max a * max |x| * epsilon: 1.7 with SSE2, 1.9 with x87
 * or fused arithmetic, 1.6 in single precision (Longbottom's logs). Above 16 the solution is wrong:
 * what HPL demands of its scaled residual (netlib.org/benchmark/hpl). A solution that is wrong in
 * one element by 1e-11 has some hundreds. */
static const double residual_limit = 16;

static enum kernel_outcome linpack_check(struct kernel_job *job)
{
    const struct linpack *state = job->state;
    if (state->passes == 0 || state->passes != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64,
                             state->passes, job->n_iterations);
    const double scaled = scaled_residual(state);
    if (!(scaled <= residual_limit))
        return kernel_reason(job, KERNEL_WRONG,
                             "normalised residual %.3g, right is about 2; x[0] %.17g, x[99] %.17g",
                             scaled, state->x[0], state->x[N - 1]);
    if (!(state->is_double ? is_factored_double(job->memory, state->lda, DBL_EPSILON)
                           : is_factored_float(job->memory, state->lda, FLT_EPSILON)))
        return kernel_reason(job, KERNEL_WRONG,
                             "the factors are not those of elimination with partial pivoting");
    if (state->n_different > 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " solutions differ from that of the first pass",
                             state->n_different);
    return KERNEL_OK;
}

static void linpack_work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->flops = 2.0 * N * N * N / 3 + 2.0 * N * N;
}

static const struct kernel_metric metrics[] = {
    {"flops", QUANTITY_FLOP_RATE}, {"residual", QUANTITY_ERROR}, {0}};

static const struct kernel_setting type_setting = {
    .key = "type",
    .help = "type of the matrix",
    .type = SETTING_WORD,
    .values = {"double", "double,float", "double,float"},
    .allowed = "double,float"};
static const struct kernel_setting lda_setting = {
    .key = "lda",
    .help = "leading dimension: elements from one column to the next",
    .type = SETTING_WORD,
    .values = {"201", "201,200", "201,200"},
    .allowed = "201,200"};
static const struct kernel_setting *const settings[] = {&type_setting, &lda_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "n100", .summary = "factors and solves 100 equations", .metrics = metrics,
     .settings = settings, .run = linpack_run},
    {0}};

const struct kernel kernel_linpack = {
    .name = "linpack",
    .summary = "Linpack 100 with unrolled daxpy; counts 2/3 n^3 + 2 n^2 operations. The time holds "
               "the copy that restores the matrix, one or two per cent. The published speed is the "
               "lower of the two leading dimensions'",
    .source = "Dongarra, Bunch, Moler and Stewart, LINPACK Users' Guide (1979); linpack.c of Toy "
              "and Dongarra (1988), Longbottom (1996, 2010)",
    .revision = 1,
    .tests = tests,
    .work = linpack_work,
    .memory = linpack_memory,
    .setup = linpack_setup,
    .check = linpack_check,
    .teardown = linpack_teardown,
};
