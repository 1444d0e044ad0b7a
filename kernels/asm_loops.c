/* Four ways in which compilers and people wrote s = s + x[m] * y[m] for SSE2, instruction by
 * instruction as published: Intel's early 64-bit processors were slow with movlpd into a register
 * that was in use. An iteration of run is one pass over arrays that the smallest cache holds. */
#include "kernels/kernel.h"

#include <inttypes.h>
#include <stdlib.h>

enum { N = 512 };

/* The memory of a job. Gaps keep arrays and sum apart modulo 4 KiB, where a load behind a store
 * looks like one of what was stored. */
struct arrays {
    double x[N], gap[32], y[N], gap2[32];
    double sum;
};

/* s: where the sum is left. */
typedef void loop_fn(const double *x, const double *y, double *s);

#if defined(__x86_64__)

/* Of a 32-bit compilation: loads with movsd, and keeps the sum in memory between its rounds. */
static __attribute__((noinline)) void movsd_save(const double *x, const double *y, double *s)
{
    uint64_t offset = 0;
    int64_t left = N;
    *s = 0;
    __asm__ volatile(".p2align 4\n"
                     "1:\n\t"
                     "movsd (%[x],%[offset]), %%xmm0\n\t"
                     "mulsd (%[y],%[offset]), %%xmm0\n\t"
                     "addsd (%[s]), %%xmm0\n\t"
                     "movsd 8(%[x],%[offset]), %%xmm1\n\t"
                     "mulsd 8(%[y],%[offset]), %%xmm1\n\t"
                     "addsd %%xmm1, %%xmm0\n\t"
                     "movsd 16(%[x],%[offset]), %%xmm1\n\t"
                     "mulsd 16(%[y],%[offset]), %%xmm1\n\t"
                     "addsd %%xmm1, %%xmm0\n\t"
                     "movsd 24(%[x],%[offset]), %%xmm1\n\t"
                     "mulsd 24(%[y],%[offset]), %%xmm1\n\t"
                     "add $32, %[offset]\n\t"
                     "sub $4, %[left]\n\t"
                     "addsd %%xmm1, %%xmm0\n\t"
                     "movsd %%xmm0, (%[s])\n\t"
                     "jg 1b\n"
                     : [offset] "+&r"(offset), [left] "+&r"(left)
                     : [x] "r"(x), [y] "r"(y), [s] "r"(s)
                     : "xmm0", "xmm1", "cc", "memory");
}

/* The same loop with either load instruction: the 64-bit compilation had movlpd. */
#define TWO_REGISTERS(name, load)                                                                  \
    static __attribute__((noinline)) void name(const double *x, const double *y, double *s)        \
    {                                                                                              \
        int64_t i = 0, n = N;                                                                      \
        __asm__ volatile("xorpd %%xmm2, %%xmm2\n\t"                                                \
                         ".p2align 4\n"                                                            \
                         "1:\n\t"                                                                  \
                         load " (%[x],%[i],8), %%xmm1\n\t"                                         \
                         load " 8(%[y],%[i],8), %%xmm0\n\t"                                        \
                         "add $4, %[i]\n\t"                                                        \
                         "cmp %[n], %[i]\n\t"                                                      \
                         "mulsd -24(%[x],%[i],8), %%xmm0\n\t"                                      \
                         "mulsd -32(%[y],%[i],8), %%xmm1\n\t"                                      \
                         "addsd %%xmm2, %%xmm1\n\t"                                                \
                         "movsd %%xmm1, %%xmm2\n\t"                                                \
                         "addsd %%xmm0, %%xmm2\n\t"                                                \
                         load " -16(%[y],%[i],8), %%xmm0\n\t"                                      \
                         "mulsd -16(%[x],%[i],8), %%xmm0\n\t"                                      \
                         "addsd %%xmm0, %%xmm2\n\t"                                                \
                         load " -8(%[y],%[i],8), %%xmm0\n\t"                                       \
                         "mulsd -8(%[x],%[i],8), %%xmm0\n\t"                                       \
                         "addsd %%xmm0, %%xmm2\n\t"                                                \
                         "jl 1b\n\t"                                                               \
                         "movsd %%xmm2, (%[s])\n"                                                  \
                         : [i] "+&r"(i)                                                            \
                         : [n] "r"(n), [x] "r"(x), [y] "r"(y), [s] "r"(s)                          \
                         : "xmm0", "xmm1", "xmm2", "cc", "memory");                                \
    }

TWO_REGISTERS(movlpd, "movlpd")
TWO_REGISTERS(movsd, "movsd")

/* movlpd, but a register for each of the four products. */
static __attribute__((noinline)) void movlpd4(const double *x, const double *y, double *s)
{
    uint64_t offset = 0;
    int64_t left = N;
    __asm__ volatile("xorpd %%xmm4, %%xmm4\n\t"
                     ".p2align 4\n"
                     "1:\n\t"
                     "movlpd (%[x],%[offset]), %%xmm0\n\t"
                     "movlpd 8(%[x],%[offset]), %%xmm1\n\t"
                     "movlpd 16(%[x],%[offset]), %%xmm2\n\t"
                     "movlpd 24(%[x],%[offset]), %%xmm3\n\t"
                     "mulsd (%[y],%[offset]), %%xmm0\n\t"
                     "mulsd 8(%[y],%[offset]), %%xmm1\n\t"
                     "mulsd 16(%[y],%[offset]), %%xmm2\n\t"
                     "mulsd 24(%[y],%[offset]), %%xmm3\n\t"
                     "addsd %%xmm0, %%xmm4\n\t"
                     "addsd %%xmm1, %%xmm4\n\t"
                     "add $32, %[offset]\n\t"
                     "sub $4, %[left]\n\t"
                     "addsd %%xmm2, %%xmm4\n\t"
                     "addsd %%xmm3, %%xmm4\n\t"
                     "jg 1b\n\t"
                     "movsd %%xmm4, (%[s])\n"
                     : [offset] "+&r"(offset), [left] "+&r"(left)
                     : [x] "r"(x), [y] "r"(y), [s] "r"(s)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "cc", "memory");
}

static loop_fn *const loops[] = {movsd_save, movlpd, movsd, movlpd4};

static enum kernel_outcome asm_loops_needs(struct kernel_job *job)
{
    (void)job;
    return KERNEL_OK;
}

#else

static loop_fn *const loops[] = {NULL, NULL, NULL, NULL};

static enum kernel_outcome asm_loops_needs(struct kernel_job *job)
{
    return kernel_reason(job, KERNEL_UNAVAILABLE,
                         "the loops are instructions of 64-bit x86 programs");
}

#endif

/* In job->state. */
struct asm_loops {
    uint64_t passes;
    uint64_t n_wrong;
    double wrong; /* the last wrong sum */
};

static size_t asm_loops_memory(const struct kernel_job *job)
{
    (void)job;
    return sizeof(struct arrays);
}

/* Every x and y is another whole number, so that the sum is exact in any order and shows a wrong
 * operand. */
static enum kernel_outcome asm_loops_setup(struct kernel_job *job)
{
    job->state = calloc(1, sizeof(struct asm_loops));
    if (!job->state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    struct arrays *arrays = job->memory;
    for (int i = 0; i < N; i++) {
        arrays->x[i] = i + 1;
        arrays->y[i] = 2 * i + 3;
    }
    return KERNEL_OK;
}

static void asm_loops_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

/* Of (i + 1) (2 i + 3) for i from 0 to N - 1, that is of 2 k^2 + k for k from 1 to N. */
static double right_sum(void)
{
    const double n = N;
    return n * (n + 1) * (2 * n + 1) / 3 + n * (n + 1) / 2;
}

static enum kernel_outcome asm_loops_run(struct kernel_job *job, uint64_t iterations)
{
    struct asm_loops *state = job->state;
    struct arrays *arrays = job->memory;
    loop_fn *loop = loops[job->test->code];
    const double right = right_sum();
    for (uint64_t i = 0; i < iterations; i++) {
        loop(arrays->x, arrays->y, &arrays->sum);
        if (arrays->sum != right) {
            state->n_wrong++;
            state->wrong = arrays->sum;
        }
    }
    state->passes += iterations;
    return KERNEL_OK;
}

static enum kernel_outcome asm_loops_check(struct kernel_job *job)
{
    const struct asm_loops *state = job->state;
    if (state->passes == 0 || state->passes != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64,
                             state->passes, job->n_iterations);
    if (state->n_wrong > 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " sums are wrong, the last is %.17g, not %.17g",
                             state->n_wrong, state->wrong, right_sum());
    return KERNEL_OK;
}

static void asm_loops_work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->flops = 2.0 * N;
    work->bytes_read = 2.0 * N * sizeof(double);
}

static const struct kernel_metric flops_metric[] = {{"flops", QUANTITY_FLOP_RATE}, {0}};

static const struct kernel_test tests[] = {
    {.name = "movsd_save", .summary = "movsd; the sum goes through memory every four products",
     .metrics = flops_metric, .code = 0, .run = asm_loops_run},
    {.name = "movlpd", .summary = "movlpd into two registers", .metrics = flops_metric, .code = 1,
     .run = asm_loops_run},
    {.name = "movsd", .summary = "movsd into two registers", .metrics = flops_metric, .code = 2,
     .run = asm_loops_run},
    {.name = "movlpd4", .summary = "movlpd into four registers", .metrics = flops_metric, .code = 3,
     .run = asm_loops_run},
    {0}};

const struct kernel kernel_asm_loops = {
    .name = "asm_loops",
    .summary = "Sum of products of two arrays of 512 doubles by four published loops in assembly; "
               "all are bound by the latency of addition where loads are not the trouble",
    .source = "Longbottom, 64-bit benchmarks, assembly code experiments (2006)",
    .needs_text = "a 64-bit x86 program",
    .revision = 1,
    .tests = tests,
    .work = asm_loops_work,
    .needs = asm_loops_needs,
    .memory = asm_loops_memory,
    .setup = asm_loops_setup,
    .check = asm_loops_check,
    .teardown = asm_loops_teardown,
};
