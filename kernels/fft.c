/* The fast Fourier transform in its plain form of radix 2. The source is kept, so every iteration
 * of run does the same. Making the tables of twiddles and of reversed indices is not timed, as in
 * the original; using them is. */
#include "kernels/kernel.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TONE = 16, PROBES = 4, PART = 1024 };

static const uint64_t points_max = UINT64_C(1) << 28;
static const double turn = 6.28318530717958647692;

/* Values from -1 to 1, of 24 bits: exact in either type. */
static double random_at(uint64_t seed, uint64_t index)
{
    uint64_t state = seed + index * UINT64_C(0xd1342543de82ef95);
    return (double)(kernel_random(&state) >> 40) * 0x1p-23 - 1;
}

/* NaN is greatest. */
static double greater(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

#define REAL double
#define NAME(x) x##_double
#include "kernels/fft_transform.h"
#undef REAL
#undef NAME
#define REAL float
#define NAME(x) x##_float
#include "kernels/fft_transform.h"
#undef REAL
#undef NAME

/* In job->state. */
struct fft {
    bool is_double;
    size_t n;
    struct arrays_double of_double;
    struct arrays_float of_float;
    uint64_t transforms;
};

static bool is_double(const struct kernel_job *job)
{
    return strcmp(kernel_setting(job, "type"), "double") == 0;
}

static enum kernel_outcome fft_needs(struct kernel_job *job)
{
    if (job->x < TONE || job->x > points_max || (job->x & (job->x - 1)) != 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " points are not a power of two from %d to %" PRIu64,
                             job->x, TONE, points_max);
    if (job->x > SIZE_MAX / (3 * sizeof(struct complex_double) + sizeof(uint32_t)))
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " points are more than this program can address", job->x);
    return KERNEL_OK;
}

static size_t fft_memory(const struct kernel_job *job)
{
    size_t point = is_double(job) ? sizeof(struct complex_double) : sizeof(struct complex_float);
    return (size_t)job->x * (3 * point + sizeof(uint32_t));
}

static enum kernel_outcome fft_setup(struct kernel_job *job)
{
    struct fft *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    state->is_double = is_double(job);
    state->n = (size_t)job->x;
    if (state->is_double) {
        state->of_double = arrays_of_double(job->memory, state->n);
        tone_double(state->of_double.source, state->n);
        tables_double(&state->of_double, state->n);
    } else {
        state->of_float = arrays_of_float(job->memory, state->n);
        tone_float(state->of_float.source, state->n);
        tables_float(&state->of_float, state->n);
    }
    return KERNEL_OK;
}

static void fft_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome fft_run(struct kernel_job *job, uint64_t iterations)
{
    struct fft *state = job->state;
    for (uint64_t i = 0; i < iterations; i++) {
        KERNEL_BARRIER();
        if (state->is_double)
            transform_double(&state->of_double, state->n);
        else
            transform_float(&state->of_float, state->n);
        KERNEL_BARRIER();
    }
    state->transforms += iterations;
    return KERNEL_OK;
}

/* The tone has its bin to itself, and random values have the bins of the definition. The root mean
 * square of the rounding errors is bounded by epsilon * log2 n times a small constant (Gentleman
 * and Sande, AFIPS Fall Joint Computer Conference 1966, p. 563). The worst bins of x87, SSE2 and
 * fused arithmetic, float and double, 16 to 2^20 points, are wrong by less than half the
 * limit, that of 2^20 points mostly by the direct sum. */
static enum kernel_outcome fft_check(struct kernel_job *job)
{
    struct fft *state = job->state;
    if (state->transforms == 0 || state->transforms != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " transforms of %" PRIu64,
                             state->transforms, job->n_iterations);
    const double epsilon = state->is_double ? DBL_EPSILON : (double)FLT_EPSILON;
    const double limit = 4 * epsilon * log2((double)state->n);
    double error = state->is_double ? tone_error_double(state->of_double.result, state->n)
                                    : tone_error_float(state->of_float.result, state->n);
    if (!(error <= limit))
        return kernel_reason(job, KERNEL_WRONG,
                             "the tone is wrong by %.3g, its limit is %.3g", error, limit);
    if (state->is_double) {
        error = random_error_double(&state->of_double, state->n, job->seed);
        tone_double(state->of_double.source, state->n);
    } else {
        error = random_error_float(&state->of_float, state->n, job->seed);
        tone_float(state->of_float.source, state->n);
    }
    if (!(error <= limit))
        return kernel_reason(job, KERNEL_WRONG,
                             "random values are wrong by %.3g of their mean, the limit is %.3g",
                             error, limit);
    return KERNEL_OK;
}

static void fft_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->flops = 5 * (double)job->x * log2((double)job->x);
}

static size_t fft_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                        size_t capacity)
{
    (void)host;
    size_t n = 0;
    for (uint64_t points = 1024; points <= 1024 * 1024 && n < capacity;
         points *= suite == SUITE_QUICK ? 32 : 2)
        out[n++] = points;
    return n;
}

static const struct kernel_metric metrics[] = {
    {"time", QUANTITY_TIME}, {"flops", QUANTITY_FLOP_RATE}, {0}};

static const struct kernel_setting type_setting = {
    .key = "type",
    .help = "type of the numbers",
    .type = SETTING_WORD,
    .values = {"double", "double,float", "double,float"},
    .allowed = "double,float"};
static const struct kernel_setting *const settings[] = {&type_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "forward", .summary = "one transform of complex numbers", .from = SUITE_STANDARD,
     .metrics = metrics, .settings = settings, .run = fft_run},
    {0}};

const struct kernel kernel_fft = {
    .name = "fft",
    .summary = "Plain fast Fourier transform of radix 2, not in place, divided by n; counts "
               "5 n log2 n operations. Not what a tuned library reaches",
    .source = "Longbottom, FFT1 of FFTGraf (2000)",
    .revision = 1,
    .tests = tests,
    .x_unit = "1",
    .sizes = fft_sizes,
    .work = fft_work,
    .needs = fft_needs,
    .memory = fft_memory,
    .setup = fft_setup,
    .check = fft_check,
    .teardown = fft_teardown,
};
