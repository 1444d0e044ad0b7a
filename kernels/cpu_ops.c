/* Latency and throughput of the processor's operations. A pass starts from the same registers every
 * time, so every pass has the same result; what that must be is computed apart, step by step. */
#include "kernels/cpu_ops.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In job->state. `seen` comes first: tests put wrong values there. */
struct cpu_ops {
    struct cpu_registers seen; /* after the first pass */
    struct cpu_registers start, now;
    uint64_t passes;
    uint64_t n_different; /* passes whose result is not that of the first */
};

static const struct cpu_code *code_of(const struct kernel_job *job)
{
    return &cpu_codes[job->test->code];
}

static unsigned code_chains(const struct cpu_code *code)
{
    return code->chains ? code->chains : 1;
}

static uint64_t code_steps(const struct cpu_code *code)
{
    return (uint64_t)code->loops * (code->steps ? code->steps : CPU_STEPS);
}

static enum kernel_outcome ops_run(struct kernel_job *job, uint64_t iterations)
{
    struct cpu_ops *ops = job->state;
    const struct cpu_code *code = code_of(job);
    for (uint64_t i = 0; i < iterations; i++, ops->passes++) {
        ops->now = ops->start;
        code->run(&ops->now, job->memory, code->loops);
        KERNEL_BARRIER();
        if (ops->passes == 0)
            ops->seen = ops->now;
        else
            ops->n_different += memcmp(&ops->now, &ops->seen, sizeof ops->now) != 0;
        kernel_tick(job);
    }
    return KERNEL_OK;
}

/* ---- lanes: numbers within a register */

static size_t lane_bytes(enum cpu_lane lane)
{
    static const size_t bytes[] = {
        [LANE_U16] = 2, [LANE_U32] = 4, [LANE_U64] = 8, [LANE_F32] = 4, [LANE_F64] = 8};
    return bytes[lane];
}

static uint64_t integer_get(const unsigned char *lane, enum cpu_lane type)
{
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    memcpy(&u16, lane, sizeof u16);
    memcpy(&u32, lane, sizeof u32);
    memcpy(&u64, lane, sizeof u64);
    return type == LANE_U16 ? u16 : type == LANE_U32 ? u32 : u64;
}

static void integer_put(unsigned char *lane, enum cpu_lane type, uint64_t value)
{
    uint16_t u16 = (uint16_t)value;
    uint32_t u32 = (uint32_t)value;
    if (type == LANE_U16)
        memcpy(lane, &u16, sizeof u16);
    else if (type == LANE_U32)
        memcpy(lane, &u32, sizeof u32);
    else
        memcpy(lane, &value, sizeof value);
}

static double real_get(const unsigned char *lane, enum cpu_lane type)
{
    float f32;
    double f64;
    memcpy(&f32, lane, sizeof f32);
    memcpy(&f64, lane, sizeof f64);
    return type == LANE_F32 ? (double)f32 : f64;
}

static void real_put(unsigned char *lane, enum cpu_lane type, double value)
{
    float f32 = (float)value;
    if (type == LANE_F32)
        memcpy(lane, &f32, sizeof f32);
    else
        memcpy(lane, &value, sizeof value);
}

/* ---- where a pass starts */

static bool is_real(enum cpu_lane lane)
{
    return lane == LANE_F32 || lane == LANE_F64;
}

/* Operands that let a long chain neither grow nor shrink much, and have no short digits that would
 * make a division fast. Where the compiler may compute with more digits than a double has, those
 * whose results are exact. */
static void reals_set(struct cpu_registers *start, const struct cpu_code *code)
{
    bool is_exact = FLT_EVAL_METHOD != 0;
    double a = code->rule == RULE_FMA      ? 0.9990001
               : code->rule == RULE_ADD    ? 0.0010001
               : code->rule == RULE_SQRT   ? 2.3456789
               : code->rule == RULE_SQRT_MULTIPLY ? 1.2345678
                                           : 1.0000001;
    double b = 0.1250001;
    if (is_exact) {
        a = code->rule == RULE_ADD ? 1 : code->rule == RULE_SQRT ? 2.25 : -1;
        b = 1;
    }
    for (size_t at = 0; at < CPU_CHAIN_BYTES; at += lane_bytes(code->lane)) {
        for (size_t c = 0; c < CPU_CHAINS; c++)
            real_put(&start->chain[c][at], code->lane,
                     1 + (double)c / 8 + (double)at / 512);
        real_put(&start->a[at], code->lane, a);
        real_put(&start->b[at], code->lane, b);
    }
}

enum { RING = 16, RING_STRIDE = 320 };

/* A ring of addresses in lines of their own, for RULE_CHASE. */
static void ring_make(unsigned char *memory)
{
    for (size_t i = 0; i < RING; i++) {
        unsigned char *next = memory + (i + 1) % RING * RING_STRIDE;
        memcpy(memory + i * RING_STRIDE, &next, sizeof next);
    }
}

static void integers_set(struct kernel_job *job, struct cpu_registers *start,
                         const struct cpu_code *code)
{
    uint64_t seed = job->seed;
    kernel_fill_random(start, sizeof *start, kernel_random(&seed));
    uint64_t a = kernel_random(&seed) | 1;
    if (code->rule == RULE_DIVIDE_WIDE || code->rule == RULE_QUOTIENT) {
        /* The upper half is below the divisor: the quotient fits. */
        a |= code->lane == LANE_U32 ? UINT64_C(0x80000000) : UINT64_C(1) << 63;
        integer_put(start->chain[1], code->lane,
                    integer_get(start->chain[1], code->lane) >> 1);
        if (code->rule == RULE_QUOTIENT)
            a >>= code->lane == LANE_U32 ? 13 : 27;
    }
    if (code->rule == RULE_REDIVIDE) {
        /* Divisor and quotient change places, and both have half the bits. */
        integer_put(start->chain[1], code->lane, UINT64_MAX);
        integer_put(start->chain[0], code->lane,
                    code->lane == LANE_U32 ? 50021 : UINT64_C(3000000019));
    }
    for (size_t at = 0; at < CPU_CHAIN_BYTES; at += lane_bytes(code->lane))
        integer_put(&start->a[at], code->lane, a);
    if (code->rule == RULE_CHASE)
        memcpy(start->chain[0], &job->memory, sizeof job->memory);
}

static void memory_set(struct kernel_job *job, const struct cpu_code *code)
{
    unsigned char *data = job->memory, *table = data + CPU_DATA_BYTES;
    uint64_t seed = job->seed + 1;
    kernel_fill_random(data, CPU_DATA_BYTES, seed);
    if (code->rule == RULE_CHASE)
        ring_make(data);
    for (size_t i = 0; i < CPU_TABLE_BYTES; i++)
        table[i] = job->test->code != OP_BRANCH_RANDOM || kernel_random(&seed) >> 63;
}

static enum kernel_outcome ops_needs(struct kernel_job *job)
{
    const struct cpu_code *code = code_of(job);
    if (!code->run)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "this kind of processor has no such operation"
                                                      " here");
    if (code->has && !code->has())
        return kernel_reason(job, KERNEL_UNAVAILABLE, "the processor has no %s", code->wants);
    return KERNEL_OK;
}

static size_t ops_memory(const struct kernel_job *job)
{
    (void)job;
    return CPU_DATA_BYTES + CPU_TABLE_BYTES;
}

static enum kernel_outcome ops_setup(struct kernel_job *job)
{
    struct cpu_ops *ops = NULL;
    if (posix_memalign((void **)&ops, _Alignof(struct cpu_ops), sizeof *ops) != 0)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    memset(ops, 0, sizeof *ops);
    job->state = ops;
    const struct cpu_code *code = code_of(job);
    if (is_real(code->lane))
        reals_set(&ops->start, code);
    else
        integers_set(job, &ops->start, code);
    memory_set(job, code);
    return KERNEL_OK;
}

static void ops_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

/* ---- what a pass must end with */

/* Each result is rounded to the lane's type by being stored. */
static void real_steps(unsigned char *lane, const struct cpu_registers *start,
                       const struct cpu_code *code, uint64_t steps)
{
    double a = real_get(start->a, code->lane), b = real_get(start->b, code->lane);
    for (; steps > 0; steps--) {
        double x = real_get(lane, code->lane);
        switch (code->rule) {
        case RULE_ADD:
            x += a;
            break;
        case RULE_MULTIPLY:
            x *= a;
            break;
        case RULE_DIVIDE:
            x /= a;
            break;
        case RULE_SQRT:
            x = sqrt(a);
            break;
        case RULE_SQRT_MULTIPLY: {
            volatile double root = sqrt(x);
            x = root * a;
            break;
        }
        case RULE_FMA:
            x = fma(x, a, b);
            break;
        default:
            return;
        }
        real_put(lane, code->lane, x);
    }
}

static uint64_t integer_step(uint64_t x, uint64_t a, enum cpu_rule rule, unsigned bits,
                             unsigned *carry)
{
    switch (rule) {
    case RULE_COUNT:
        return x + 1;
    case RULE_ADD:
        return x + a;
    case RULE_ADD_5:
        return x + 5;
    case RULE_CARRY: {
        uint64_t sum = x + a, with = sum + *carry;
        *carry = (sum < x) | (with < sum);
        return with;
    }
    case RULE_XOR:
        return x ^ a;
    case RULE_SHIFT:
        return x << 1;
    case RULE_ROTATE:
        return x << 7 | x >> (bits - 7);
    case RULE_SCALED:
        return x + 4 * a + 3;
    case RULE_SCALED_4:
        return x + 4 * a;
    case RULE_MULTIPLY:
        return x * a;
    default:
        return x;
    }
}

static void integer_steps(unsigned char *lane, const struct cpu_registers *start,
                          const struct cpu_code *code, uint64_t steps)
{
    uint64_t a = integer_get(start->a, code->lane);
    unsigned bits = (unsigned)lane_bytes(code->lane) * 8, carry = 0;
    for (; steps > 0; steps--)
        integer_put(lane, code->lane,
                    integer_step(integer_get(lane, code->lane), a, code->rule, bits, &carry));
}

/* The double-word division by shifts and subtractions (Knuth, TAOCP 2, 4.3.1, exercise 16 in base
 * 2): upper < divisor. */
static uint64_t divide_wide(uint64_t *upper, uint64_t lower, uint64_t divisor, unsigned bits)
{
    uint64_t quotient = 0, rest = *upper;
    for (unsigned bit = bits; bit-- > 0;) {
        bool is_over = rest >> (bits - 1);
        rest = (rest << 1) | (lower >> bit & 1);
        rest &= bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        bool fits = is_over || rest >= divisor;
        rest -= fits ? divisor : 0;
        rest &= bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        quotient = quotient << 1 | fits;
    }
    *upper = rest;
    return quotient;
}

static void division_steps(struct cpu_registers *end, const struct cpu_code *code, uint64_t steps)
{
    uint64_t x = integer_get(end->chain[0], code->lane);
    uint64_t upper = integer_get(end->chain[1], code->lane);
    uint64_t a = integer_get(end->a, code->lane);
    for (uint64_t i = 0; code->rule == RULE_DIVIDE_WIDE && i < steps; i++)
        x = divide_wide(&upper, x, a, (unsigned)lane_bytes(code->lane) * 8);
    for (uint64_t i = 0; code->rule == RULE_REDIVIDE && i < steps; i++)
        x = upper / x;
    if (code->rule == RULE_QUOTIENT)
        x = upper / a;
    integer_put(end->chain[0], code->lane, x);
    integer_put(end->chain[1], code->lane, upper);
}

static void chase_steps(struct cpu_registers *end, const struct kernel_job *job, uint64_t steps)
{
    unsigned char *at = (unsigned char *)job->memory + steps % RING * RING_STRIDE;
    memcpy(end->chain[0], &at, sizeof at);
}

static void table_steps(struct cpu_registers *end, const struct kernel_job *job,
                        const struct cpu_code *code, uint64_t steps)
{
    const unsigned char *table = (const unsigned char *)job->memory + CPU_DATA_BYTES;
    uint64_t n = integer_get(end->chain[0], code->lane);
    for (uint64_t i = 0; i < steps; i++)
        n += table[i] != 0;
    integer_put(end->chain[0], code->lane, n);
}

/* From end, which is where a pass starts, to where it must end. */
static void expect(struct cpu_registers *end, const struct kernel_job *job)
{
    const struct cpu_code *code = code_of(job);
    const struct cpu_registers start = *end;
    unsigned chains = code_chains(code);
    uint64_t steps = code_steps(code) / chains;
    switch (code->rule) {
    case RULE_DIVIDE_WIDE:
    case RULE_QUOTIENT:
    case RULE_REDIVIDE:
        division_steps(end, code, steps);
        return;
    case RULE_CHASE:
        chase_steps(end, job, steps);
        return;
    case RULE_BITS:
        table_steps(end, job, code, steps);
        return;
    case RULE_LOAD:
        for (size_t c = 0; c < chains; c++)
            memcpy(end->chain[c],
                   (const unsigned char *)job->memory + code->offset + c * code->stride,
                   code->bytes);
        return;
    default:
        break;
    }
    for (size_t c = 0; c < chains; c++) {
        for (size_t at = 0; at < code->bytes; at += lane_bytes(code->lane)) {
            if (is_real(code->lane))
                real_steps(&end->chain[c][at], &start, code, steps);
            else
                integer_steps(&end->chain[c][at], &start, code, steps);
        }
    }
}

static bool is_stored(const struct kernel_job *job, const struct cpu_ops *ops)
{
    const struct cpu_code *code = code_of(job);
    const unsigned char *memory = job->memory;
    for (size_t c = 0; code->rule == RULE_STORE && c < code_chains(code); c++)
        if (memcmp(memory + code->offset + c * code->stride, ops->start.chain[c], code->bytes) != 0)
            return false;
    return true;
}

static enum kernel_outcome ops_check(struct kernel_job *job)
{
    struct cpu_ops *ops = job->state;
    const struct cpu_code *code = code_of(job);
    if (ops->passes == 0 || ops->passes != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, ops->passes,
                             job->n_iterations);
    struct cpu_registers right = ops->start;
    expect(&right, job);
    for (unsigned c = 0; c < code_chains(code); c++)
        if (memcmp(right.chain[c], ops->seen.chain[c], code->bytes) != 0)
            return kernel_reason(job, KERNEL_WRONG,
                                 "chain %u ends with %#" PRIx64 "..., right is %#" PRIx64 "...", c,
                                 integer_get(ops->seen.chain[c], code->lane),
                                 integer_get(right.chain[c], code->lane));
    if (!is_stored(job, ops))
        return kernel_reason(job, KERNEL_WRONG, "the memory does not hold what was stored");
    if (ops->n_different > 0)
        return kernel_reason(job, KERNEL_WRONG,
                             "%" PRIu64 " passes end with other results than the first",
                             ops->n_different);
    return KERNEL_OK;
}

static void ops_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->steps = (double)code_steps(code_of(job));
}

static const struct kernel_metric metrics[] = {{"time", QUANTITY_SHARE_TIME},
                                               {"rate", QUANTITY_SHARE_RATE},
                                               {"cycles", QUANTITY_CYCLES},
                                               {"ipc", QUANTITY_IPC},
                                               {"clock", QUANTITY_CLOCK},
                                               {0}};

static const struct kernel_setting mhz_setting = {
    .key = "mhz",
    .help = "clock of the processor in MHz; auto: measured before and after each sample",
    .type = SETTING_COUNT,
    .values = {"auto", "auto", "auto"},
    .allowed = "auto"};
static const struct kernel_setting *const settings[] = {&mhz_setting, NULL};

static const struct kernel_test tests[] = {
#define CPU_OP_TEST(id, label, suite, text)                                                        \
    {.name = label,                                                                                \
     .summary = text,                                                                              \
     .from = suite,                                                                                \
     .metrics = metrics,                                                                           \
     .settings = settings,                                                                         \
     .code = OP_##id,                                                                              \
     .run = ops_run},
    CPU_OPS(CPU_OP_TEST)
#undef CPU_OP_TEST
    {0}};

const struct kernel kernel_cpu_ops = {
    .name = "cpu_ops",
    .summary = "Latency and throughput of the processor's operations, in time and in cycles of the "
               "measured clock. By the median pass of some 0.1 ms; the overhead of the loop, two "
               "instructions in 256 operations, is part of it",
    .source = "Mihocka, CPU_TEST (2008); Longbottom, WhatCPU; measured as Fog, Instruction tables, "
              "describes",
    .revision = 2,
    .tests = tests,
    .cost = {.seconds = {0.05, 0.05, 0.05}},
    .work = ops_work,
    .needs = ops_needs,
    .memory = ops_memory,
    .setup = ops_setup,
    .check = ops_check,
    .teardown = ops_teardown,
};
