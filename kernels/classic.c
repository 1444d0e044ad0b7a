/* The programs that a Forth system was timed with in 1996, written anew in C. Their sizes are those
 * that were published or follow from the published figures; the listings were not. Where a program
 * is named and no more (float, fpmath), its work is defined here. */
#include "kernels/classic.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void classic_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome classic_setup(struct kernel_job *job)
{
    job->state = calloc(1, sizeof(struct classic));
    return job->state ? KERNEL_OK : kernel_reason(job, KERNEL_FAILED, "out of memory");
}

static size_t classic_memory(const struct kernel_job *job)
{
    (void)job;
    return CLASSIC_MEMORY;
}

/* ---- the answers */

enum { FIBONACCI, SIEVE, MATRIX, BUBBLE, NEST, LOOP1M, SUPERSIEVE, SAVAGE, FLOAT, FPMATH, NOP,
       PUSH_POP, DO_LOOP, MUL, DIV, ADD, M_MUL, M_DIV, M_ADD, DIVMOD, STAR_SLASH, ERATOSTHENES,
       QSORT };

/* By a formula where there is one, else published or found apart. */
struct program {
    classic_program *run;
    double steps; /* that the published time is divided by; 0: it is that of all the work */
    int64_t answer; /* 0: classic_arithmetic_answer */
    int64_t second;
    double real; /* 0: none */
    uint32_t sorted; /* elements that must be */
};

/* 34 is of fib(0) = fib(1) = 1 (Ertl). 1899 primes: Gilbreath, Byte 6:9. H(100000) by Euler's
 * formula: ln n + gamma + 1 / 2n - 1 / 12 n^2. */
static const struct program programs[] = {
    [FIBONACCI] = {.run = classic_fibonacci, .answer = 9227465},
    [SIEVE] = {.run = classic_sieve, .answer = 1899000},
    [MATRIX] = {.run = classic_matrix, .answer = 3513474368},
    [BUBBLE] = {.run = classic_bubble, .answer = 6000, .sorted = 6000},
    [NEST] = {.run = classic_nest, .answer = 1 << 25},
    [LOOP1M] = {.run = classic_loop1m, .answer = 1000000},
    [SUPERSIEVE] = {.run = classic_supersieve, .answer = 50181, .second = 48155},
    [SAVAGE] = {.run = classic_savage, .answer = 2499, .real = 2500},
    [FLOAT] = {.run = classic_float, .answer = 100000,
               .real = 5000050000.0 - 12.090146129863428 / 4},
    [FPMATH] = {.run = classic_fpmath, .answer = 9000, .real = 1620000},
    [NOP] = {.run = classic_nop, .answer = 1000},
    [PUSH_POP] = {.run = classic_push_pop, .answer = 1000},
    [DO_LOOP] = {.run = classic_do_loop, .steps = CLASSIC_OPERATIONS},
    [MUL] = {.run = classic_mul, .steps = CLASSIC_OPERATIONS},
    [DIV] = {.run = classic_div, .steps = CLASSIC_OPERATIONS},
    [ADD] = {.run = classic_add, .steps = CLASSIC_OPERATIONS},
    [M_MUL] = {.run = classic_m_mul, .steps = CLASSIC_OPERATIONS},
    [M_DIV] = {.run = classic_m_div, .steps = CLASSIC_OPERATIONS},
    [M_ADD] = {.run = classic_m_add, .steps = CLASSIC_OPERATIONS},
    [DIVMOD] = {.run = classic_divmod, .steps = CLASSIC_OPERATIONS},
    [STAR_SLASH] = {.run = classic_star_slash, .steps = CLASSIC_OPERATIONS},
    [ERATOSTHENES] = {.run = classic_eratosthenes, .steps = 81900, .answer = 18990},
    [QSORT] = {.run = classic_qsort, .steps = 10000, .answer = 10000, .sorted = 10000},
};

static const struct program *program_of(const struct kernel_job *job)
{
    return &programs[job->test->code];
}

static enum kernel_outcome classic_run(struct kernel_job *job, uint64_t iterations)
{
    struct classic *state = job->state;
    classic_program *run = program_of(job)->run;
    for (uint64_t i = 0; i < iterations; i++, state->passes++) {
        struct classic before = *state;
        run(state, job->memory);
        KERNEL_BARRIER();
        state->n_different +=
            before.passes > 0 && !(state->answer == before.answer &&
                                   state->second == before.second && state->real == before.real);
    }
    return KERNEL_OK;
}

static enum kernel_outcome classic_needs(struct kernel_job *job)
{
    bool is_unrolled =
        program_of(job)->run == classic_nop || program_of(job)->run == classic_push_pop;
    if (is_unrolled && !classic_has_unrolled)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "no assembly code for this kind of processor");
    return KERNEL_OK;
}

/* In double precision the real answers are off by some 5e-13; one round less of any changes its
 * answer by 2e-5 and more, all relative. */
static const double tolerance = 1e-11;

static enum kernel_outcome classic_check(struct kernel_job *job)
{
    const struct classic *state = job->state;
    const struct program *program = program_of(job);
    if (state->passes == 0 || state->passes != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, state->passes,
                             job->n_iterations);
    int64_t answer = program->answer ? program->answer : classic_arithmetic_answer(program->run);
    if (state->answer != answer || state->second != program->second)
        return kernel_reason(job, KERNEL_WRONG,
                             "the answers are %" PRId64 " and %" PRId64 ", right are %" PRId64
                             " and %" PRId64,
                             state->answer, state->second, answer, program->second);
    if (!(fabs(state->real - program->real) <= tolerance * fabs(program->real)))
        return kernel_reason(job, KERNEL_WRONG, "the answer is %.17g, right is %.17g", state->real,
                             program->real);
    if (program->run == classic_matrix && !classic_matrix_is_product(job->memory))
        return kernel_reason(job, KERNEL_WRONG, "the matrix is not the product");
    if (program->sorted > 0 && !classic_is_sorted(job->memory, program->sorted))
        return kernel_reason(job, KERNEL_WRONG, "the elements are not sorted, or not the same");
    if (state->n_different > 0)
        return kernel_reason(job, KERNEL_WRONG, "%" PRIu64 " answers differ from the one before",
                             state->n_different);
    return KERNEL_OK;
}

static void classic_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->steps = program_of(job)->steps > 0 ? program_of(job)->steps : 1;
}

static const struct kernel_metric whole[] = {{"time", QUANTITY_TIME}, {0}};
static const struct kernel_metric each[] = {{"time", QUANTITY_STEP_TIME}, {0}};

static const struct kernel_test tests[] = {
    {.name = "fibonacci", .summary = "the 34th Fibonacci number, 9227465, by 18454929 calls",
     .metrics = whole, .from = SUITE_QUICK, .code = FIBONACCI, .run = classic_run},
    {.name = "sieve", .summary = "1899 primes in 8190 flags, a thousand times",
     .metrics = whole, .from = SUITE_QUICK, .code = SIEVE, .run = classic_run},
    {.name = "matrix", .summary = "the product of two matrices of 200 x 200 integers of 32 bits",
     .metrics = whole, .from = SUITE_QUICK, .code = MATRIX, .run = classic_run},
    {.name = "bubble", .summary = "bubble sort of 6000 integers",
     .metrics = whole, .from = SUITE_QUICK, .code = BUBBLE, .run = classic_run},
    {.name = "nest", .summary = "32 million (2^25) calls and returns, 25 deep, without a loop",
     .metrics = whole, .from = SUITE_STANDARD, .code = NEST, .run = classic_run},
    {.name = "loop1m", .summary = "a loop of one million rounds, empty",
     .metrics = whole, .from = SUITE_STANDARD, .code = LOOP1M, .run = classic_run},
    {.name = "supersieve",
     .summary = "the 50181 primes from 1e9 to 1e9 + 1041800; the published table says up to "
                "1.001e9, where 48155 are",
     .metrics = whole, .from = SUITE_STANDARD, .code = SUPERSIEVE, .run = classic_run},
    {.name = "savage", .summary = "2499 rounds of tan(atan(exp(log(sqrt(a a))))) + 1",
     .metrics = whole, .from = SUITE_STANDARD, .code = SAVAGE, .run = classic_run},
    {.name = "float",
     .summary = "add, subtract, multiply, divide, square root, 100000 rounds (work defined "
                "here)",
     .metrics = whole, .from = SUITE_STANDARD, .code = FLOAT, .run = classic_run},
    {.name = "fpmath",
     .summary = "sine, cosine, arc tangent, exponential, logarithm, 9000 rounds (work defined "
                "here)",
     .metrics = whole, .from = SUITE_STANDARD, .code = FPMATH, .run = classic_run},
    {.name = "nop", .summary = "300,000 pairs of no operation in a row, a thousand times",
     .metrics = whole, .from = SUITE_STANDARD, .code = NOP, .run = classic_run},
    {.name = "push_pop", .summary = "300,000 pairs of push and pop in a row, a thousand times",
     .metrics = whole, .from = SUITE_STANDARD, .code = PUSH_POP, .run = classic_run},
    {.name = "do_loop", .summary = "a round of an empty loop",
     .metrics = each, .from = SUITE_STANDARD, .code = DO_LOOP, .run = classic_run},
    {.name = "mul", .summary = "a product and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = MUL, .run = classic_run},
    {.name = "div", .summary = "a quotient and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = DIV, .run = classic_run},
    {.name = "add", .summary = "a sum and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = ADD, .run = classic_run},
    {.name = "m_mul", .summary = "a product of double length and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = M_MUL, .run = classic_run},
    {.name = "m_div", .summary = "a quotient of a number of double length and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = M_DIV, .run = classic_run},
    {.name = "m_add", .summary = "a sum of double length and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = M_ADD, .run = classic_run},
    {.name = "divmod", .summary = "a quotient with its rest and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = DIVMOD, .run = classic_run},
    {.name = "star_slash",
     .summary = "a product of double length, divided, and a round of the loop",
     .metrics = each, .from = SUITE_STANDARD, .code = STAR_SLASH, .run = classic_run},
    {.name = "eratosthenes", .summary = "a flag of the sieve of 8190, ten times",
     .metrics = each, .from = SUITE_STANDARD, .code = ERATOSTHENES, .run = classic_run},
    {.name = "qsort", .summary = "an element of 10000, by Hoare's quicksort",
     .metrics = each, .from = SUITE_STANDARD, .code = QSORT, .run = classic_run},
    {0}};

const struct kernel kernel_classic = {
    .name = "classic",
    .summary = "Classic small programs with known answers, in C: times of the whole work, or of an "
               "operation where the published ones are that",
    .source = "Windows NT versus Linux (iForth 1.07, 1996): suites of Ertl and Maierhofer, of "
              "FORTH Inc., and a mixed bag",
    .needs_text = "nop and push_pop: x86 or AArch64",
    .revision = 1,
    .tests = tests,
    .threads = {"1", "1", "1,all"},
    .work = classic_work,
    .needs = classic_needs,
    .memory = classic_memory,
    .setup = classic_setup,
    .check = classic_check,
    .teardown = classic_teardown,
};
