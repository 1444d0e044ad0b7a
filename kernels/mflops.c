/* Floating-point rates: 2, 8 or 32 operations on each word of an array, and the highest rate that
 * the core can reach. Words are float. Multiplications and additions of the arrays are not fused,
 * so that a word has the operations that are counted. */
#include "kernels/mflops.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#define SCALAR_LOOP _Pragma("clang loop vectorize(disable) interleave(disable) unroll(disable)")
#else
#define SCALAR_LOOP /* gcc has -fno-tree-vectorize and, in C11, no contraction */
#endif

enum {
    PEAK_OPS = 0,      /* code of the test peak; of others the operations on a word */
    PEAK_ROUNDS = 32768,
    WORDS_STEP = 64,   /* arrays are multiples of it: whole vectors */
    N_TERMS = 11,
    PASSES_FOLLOWED = 1000
};

/* ---- passes over an array: x = (x + a0) b0 - (x + a1) b1 + (x + a2) b2 ..., 1, 3 or 11 terms */

struct terms {
    float add[N_TERMS], multiply[N_TERMS];
};

typedef void pass_fn(float *words, size_t n, const struct terms *terms);

/* What is added and multiplied is chosen so that x, which starts near 1, stays there: a pass brings
 * it nearer to a fixed point by at least a twentieth, so rounding errors do not grow. Each constant
 * differs from the others, so that none can stand for another. */
static const struct terms terms2 = {{0.0526f}, {0.95f}};
static const struct terms terms8 = {{0.021f, 0.013f, 0.0472f}, {0.9f, 0.8f, 0.85f}};
static const struct terms terms32 = {
    {0.050f, 0.020f, 0.051f, 0.021f, 0.052f, 0.022f, 0.053f, 0.023f, 0.054f, 0.024f, 0.055f},
    {0.500f, 0.420f, 0.505f, 0.425f, 0.495f, 0.415f, 0.510f, 0.430f, 0.490f, 0.410f, 0.502f}};

#define TERM(i) (x + a##i) * b##i
#define TERMS_1 TERM(0)
#define TERMS_3 TERM(0) - TERM(1) + TERM(2)
#define TERMS_11                                                                                   \
    TERM(0) - TERM(1) + TERM(2) - TERM(3) + TERM(4) - TERM(5) + TERM(6) - TERM(7) + TERM(8) -      \
        TERM(9) + TERM(10)
#define CONSTANT(i, all)                                                                           \
    const vector a##i = all(terms->add[i]), b##i = all(terms->multiply[i]);
#define CONSTANTS_1(all) CONSTANT(0, all)
#define CONSTANTS_3(all) CONSTANT(0, all) CONSTANT(1, all) CONSTANT(2, all)
#define CONSTANTS_11(all)                                                                          \
    CONSTANTS_3(all) CONSTANT(3, all) CONSTANT(4, all) CONSTANT(5, all) CONSTANT(6, all)           \
    CONSTANT(7, all) CONSTANT(8, all) CONSTANT(9, all) CONSTANT(10, all)

/* all(value) has that value in each lane of the type. */
#define PASS(attributes, name, type, all, loop, n_terms)                                           \
    static attributes __attribute__((noinline)) void name##_##n_terms(float *words, size_t n,      \
                                                                      const struct terms *terms)   \
    {                                                                                              \
        typedef type vector;                                                                       \
        vector *p = (vector *)(void *)words;                                                       \
        CONSTANTS_##n_terms(all)                                                                   \
        loop for (size_t i = 0; i < n * sizeof *words / sizeof *p; i++)                            \
        {                                                                                          \
            const vector x = p[i];                                                                 \
            p[i] = TERMS_##n_terms;                                                                \
        }                                                                                          \
    }
#define PASSES(attributes, name, type, all, loop)                                                  \
    PASS(attributes, name, type, all, loop, 1)                                                     \
    PASS(attributes, name, type, all, loop, 3)                                                     \
    PASS(attributes, name, type, all, loop, 11)
#define PASS_OF(name, ops) ((ops) == 2 ? name##_1 : (ops) == 8 ? name##_3 : name##_11)

#define ALL_1(v) v
#define ALL_4(v) {v, v, v, v}
#define ALL_8(v) {v, v, v, v, v, v, v, v}
#define ALL_16(v) {v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v}

PASSES(, scalar, float, ALL_1, SCALAR_LOOP)
#if defined(__x86_64__) || defined(__i386__)
typedef float vector128 __attribute__((vector_size(16), may_alias));
typedef float vector256 __attribute__((vector_size(32), may_alias));
typedef float vector512 __attribute__((vector_size(64), may_alias));
PASSES(__attribute__((target("sse2"))), sse2, vector128, ALL_4, )
PASSES(__attribute__((target("avx"))), avx, vector256, ALL_8, )
PASSES(__attribute__((target("avx512f"))), avx512, vector512, ALL_16, )

static pass_fn *vector_pass(int ops)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? PASS_OF(avx512, ops)
           : __builtin_cpu_supports("avx")   ? PASS_OF(avx, ops)
           : __builtin_cpu_supports("sse2")  ? PASS_OF(sse2, ops)
                                             : NULL;
}
#elif defined(__aarch64__)
typedef float vector128 __attribute__((vector_size(16), may_alias));
PASSES(, neon, vector128, ALL_4, )

static pass_fn *vector_pass(int ops)
{
    return PASS_OF(neon, ops);
}
#else
static pass_fn *vector_pass(int ops)
{
    (void)ops;
    return NULL;
}
#endif

/* ---- the kernel */

/* In job->state. The constants come first: tests change them. */
struct mflops {
    struct terms terms;
    pass_fn *pass; /* NULL: the peak */
    size_t n_words;
    struct mflops_peak peak;
    bool is_double; /* the peak's type */
    uint64_t passes;
    uint64_t n_wrong; /* results of the peak */
};

/* The memory of a job for the peak. */
struct peak_memory {
    union {
        double of_double[2];
        float of_float[2];
    } operands;
    union {
        double of_double[MFLOPS_RESULTS_MAX];
        float of_float[MFLOPS_RESULTS_MAX];
    } results;
};

/* x * b + a */
static void operands_set(struct peak_memory *memory, bool is_double, float b, float a)
{
    if (is_double) {
        memory->operands.of_double[0] = (double)b;
        memory->operands.of_double[1] = (double)a;
    } else {
        memory->operands.of_float[0] = b;
        memory->operands.of_float[1] = a;
    }
}

static double result_get(const struct peak_memory *memory, bool is_double, int i)
{
    return is_double ? memory->results.of_double[i] : (double)memory->results.of_float[i];
}

static bool is_vector(const struct kernel_job *job)
{
    return strcmp(kernel_setting(job, "code"), "vector") == 0;
}

static bool is_double(const struct kernel_job *job)
{
    return job->test->code == PEAK_OPS && strcmp(kernel_setting(job, "type"), "double") == 0;
}

static size_t words_of(const struct kernel_job *job)
{
    return (size_t)(job->x / sizeof(float) / WORDS_STEP * WORDS_STEP);
}

static enum kernel_outcome mflops_needs(struct kernel_job *job)
{
    const bool has_vectors = vector_pass(2) && mflops_peak(true, true).run;
    if (is_vector(job) && !has_vectors)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "no vector instructions are known for this processor");
    if (job->test->code == PEAK_OPS)
        return mflops_peak(is_double(job), is_vector(job)).run
                   ? KERNEL_OK
                   : kernel_reason(job, KERNEL_UNAVAILABLE, "the processor has no SSE2");
    if (job->x < WORDS_STEP * sizeof(float) || job->x > SIZE_MAX)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "an array of %" PRIu64 " B is too small or too large", job->x);
    return KERNEL_OK;
}

static size_t mflops_memory(const struct kernel_job *job)
{
    return job->test->code == PEAK_OPS ? sizeof(struct peak_memory)
                                       : words_of(job) * sizeof(float);
}

static enum kernel_outcome mflops_setup(struct kernel_job *job)
{
    struct mflops *state = calloc(1, sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    const int ops = job->test->code;
    if (ops == PEAK_OPS) {
        struct peak_memory *memory = job->memory;
        state->is_double = is_double(job);
        state->peak = mflops_peak(state->is_double, is_vector(job));
        operands_set(memory, state->is_double, 1, 1);
        return KERNEL_OK;
    }
    state->terms = ops == 2 ? terms2 : ops == 8 ? terms8 : terms32;
    state->pass = is_vector(job) ? vector_pass(ops) : PASS_OF(scalar, ops);
    state->n_words = words_of(job);
    for (size_t i = 0; i < state->n_words; i++)
        ((float *)job->memory)[i] = 0.999999f;
    return KERNEL_OK;
}

static void mflops_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome array_run(struct kernel_job *job, uint64_t iterations)
{
    struct mflops *state = job->state;
    for (uint64_t i = 0; i < iterations; i++) {
        state->pass(job->memory, state->n_words, &state->terms);
        KERNEL_BARRIER();
    }
    state->passes += iterations;
    return KERNEL_OK;
}

/* x * 1 + 1, so that the result counts the rounds, exactly. Comparing takes a thousandth of the
 * time. */
static enum kernel_outcome peak_run(struct kernel_job *job, uint64_t iterations)
{
    struct mflops *state = job->state;
    struct peak_memory *memory = job->memory;
    for (uint64_t pass = 0; pass < iterations; pass++) {
        KERNEL_BARRIER();
        state->peak.run(&memory->operands, &memory->results, PEAK_ROUNDS);
        KERNEL_BARRIER();
        for (int i = 0; i < state->peak.n_results; i++)
            state->n_wrong += !(result_get(memory, state->is_double, i) == PEAK_ROUNDS);
    }
    state->passes += iterations;
    return KERNEL_OK;
}

/* The definition, in double. */
static double word_after(double x, int ops)
{
    const struct terms *terms = ops == 2 ? &terms2 : ops == 8 ? &terms8 : &terms32;
    double sum = 0;
    for (int i = 0; i < (ops == 2 ? 1 : ops == 8 ? 3 : N_TERMS); i++)
        sum += (i % 2 ? -1 : 1) * (x + (double)terms->add[i]) * (double)terms->multiply[i];
    return sum;
}

/* A pass of 32 operations on numbers below 1.1 rounds by at most 32 * 2^-24 = 2e-6; errors of
 * passes before add up to less than twenty times as much. A wrong constant is at least 5e-4. */
static const double pass_tolerance = 2e-6, sum_tolerance = 4e-5;

/* Words start equal, so they must end equal, and where the definition leads; from the fixed point
 * any number of passes leads nowhere else. Then a pass over different words, each checked. */
static enum kernel_outcome array_check(struct kernel_job *job)
{
    struct mflops *state = job->state;
    const int ops = job->test->code;
    float *words = job->memory;
    double right = (double)0.999999f;
    for (uint64_t i = 0; i < state->passes && i < PASSES_FOLLOWED; i++)
        right = word_after(right, ops);
    for (size_t i = 0; i < state->n_words; i++)
        if (words[i] != words[0] || !(fabs((double)words[i] - right) <= sum_tolerance))
            return kernel_reason(job, KERNEL_WRONG,
                                 "word %zu is %.9g, word 0 %.9g, right is %.9g", i,
                                 (double)words[i], (double)words[0], right);
    const float end = words[0];
    uint64_t random = job->seed;
    for (size_t i = 0; i < state->n_words; i++)
        words[i] = (float)(kernel_random(&random) >> 40) * 0x1p-24f;
    state->pass(words, state->n_words, &state->terms);
    random = job->seed;
    for (size_t i = 0; i < state->n_words; i++) {
        const double before = (double)(kernel_random(&random) >> 40) * 0x1p-24;
        right = word_after(before, ops);
        if (!(fabs((double)words[i] - right) <= pass_tolerance))
            return kernel_reason(job, KERNEL_WRONG, "word %zu came from %.9g to %.9g, not %.9g", i,
                                 before, (double)words[i], right);
    }
    for (size_t i = 0; i < state->n_words; i++)
        words[i] = end;
    return KERNEL_OK;
}

/* Then x * 2 + 3, as additions alone would count rounds too: 3 (2^n - 1) after n, exact in float. */
static enum kernel_outcome peak_check(struct kernel_job *job)
{
    enum { ROUNDS = 10, RIGHT = 3 * ((1 << ROUNDS) - 1) };
    const struct mflops *state = job->state;
    struct peak_memory *memory = job->memory;
    if (state->n_wrong > 0)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " results do not count %d rounds",
                             state->n_wrong, PEAK_ROUNDS);
    operands_set(memory, state->is_double, 2, 3);
    state->peak.run(&memory->operands, &memory->results, ROUNDS);
    operands_set(memory, state->is_double, 1, 1);
    for (int i = 0; i < state->peak.n_results; i++) {
        double result = result_get(memory, state->is_double, i);
        if (result != RIGHT)
            return kernel_reason(job, KERNEL_WRONG, "%d rounds of x * 2 + 3 give %.17g, not %d",
                                 ROUNDS, result, RIGHT);
    }
    return KERNEL_OK;
}

static enum kernel_outcome mflops_check(struct kernel_job *job)
{
    const struct mflops *state = job->state;
    if (state->passes == 0 || state->passes != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64,
                             state->passes, job->n_iterations);
    return job->test->code == PEAK_OPS ? peak_check(job) : array_check(job);
}

static void mflops_work(const struct kernel_job *job, struct kernel_work *work)
{
    if (job->test->code == PEAK_OPS) {
        work->flops = 2.0 * PEAK_ROUNDS * mflops_peak(is_double(job), is_vector(job)).n_results;
        return;
    }
    const double words = (double)words_of(job);
    work->flops = words * job->test->code;
    work->bytes_read = work->bytes_written = words * sizeof(float);
}

/* The sizes of MP-MFLOPS, as far as a quarter of the memory holds them. */
static size_t mflops_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                           size_t capacity)
{
    static const uint64_t sizes[] = {12800, 128000, 409600, 4096000, 12800000, 40960000};
    const uint64_t limit = host->available_bytes / 4; /* 0: not known */
    size_t n = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0] && n < capacity; i++) {
        const bool is_quick = i == 0 || sizes[i] == 40960000;
        if ((suite != SUITE_QUICK || is_quick) && (limit == 0 || sizes[i] <= limit || n == 0))
            out[n++] = sizes[i];
    }
    return n;
}

static const struct kernel_metric flops_metric[] = {{"flops", QUANTITY_FLOP_RATE}, {0}};

static const struct kernel_setting code_setting = {
    .key = "code",
    .help = "scalar instructions, or the widest vectors that there are",
    .type = SETTING_WORD,
    .values = {"scalar,vector", "scalar,vector", "scalar,vector"},
    .allowed = "scalar,vector"};
static const struct kernel_setting type_setting = {
    .key = "type",
    .help = "type of the numbers",
    .type = SETTING_WORD,
    .values = {"double", "double,float", "double,float"},
    .allowed = "double,float"};
static const struct kernel_setting *const array_settings[] = {&code_setting, NULL};
static const struct kernel_setting *const peak_settings[] = {&code_setting, &type_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "ops2", .summary = "x = (x + a) b", .metrics = flops_metric,
     .settings = array_settings, .code = 2, .run = array_run},
    {.name = "ops8", .summary = "three such terms, added and subtracted", .from = SUITE_STANDARD,
     .metrics = flops_metric, .settings = array_settings, .code = 8, .run = array_run},
    {.name = "ops32", .summary = "eleven such terms", .metrics = flops_metric,
     .settings = array_settings, .code = 32, .run = array_run},
    {.name = "peak", .summary = "the highest rate, in registers, fused where the processor can",
     .metrics = flops_metric, .settings = peak_settings, .code = PEAK_OPS, .has_no_x = true,
     .run = peak_run},
    {0}};

const struct kernel kernel_mflops = {
    .name = "mflops",
    .summary = "Floating-point rate with 2, 8 or 32 operations on each word of an array of floats, "
               "and the highest of the core. Each thread has an array of its own (the historical "
               "programs divide one), the constants are others, multiplications and additions of "
               "the arrays are not fused",
    .source = "Longbottom, MP-MFLOPS (2010); peak: this program",
    .needs_text = "code=vector: SSE2, AVX, AVX-512 or NEON",
    .revision = 1,
    .tests = tests,
    .x_unit = "B",
    .sizes = mflops_sizes,
    .threads = {"1", "1,all", "1,all"},
    .work = mflops_work,
    .needs = mflops_needs,
    .memory = mflops_memory,
    .setup = mflops_setup,
    .check = mflops_check,
    .teardown = mflops_teardown,
};
