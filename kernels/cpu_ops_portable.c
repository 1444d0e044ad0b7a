/* The operations of cpu_ops in C, for processors without assembly code here. What a compiler
 * would fold, a barrier keeps apart; sums and products of reals it may not fold. */
#include "kernels/cpu_ops.h"

#if !defined __x86_64__ && !defined __aarch64__

#include <math.h>
#include <string.h>

#define TIMES_4(code) code code code code
#define TIMES_16(code) TIMES_4(TIMES_4(code))
#define TIMES_64(code) TIMES_4(TIMES_16(code))
#define TIMES_256(code) TIMES_4(TIMES_64(code))

enum { CHAINS = 4 };

/* Of machine words: one chain, or four. */
#define WORDS(name, step, repeat)                                                                  \
    static void name(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)       \
    {                                                                                              \
        uintptr_t x[CHAINS], a;                                                                    \
        (void)memory;                                                                              \
        for (size_t c = 0; c < CHAINS; c++)                                                        \
            memcpy(&x[c], registers->chain[c], sizeof x[c]);                                       \
        memcpy(&a, registers->a, sizeof a);                                                        \
        KERNEL_KEEP(a);                                                                            \
        uintptr_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];                                      \
        for (; loops > 0; loops--) {                                                               \
            repeat(step)                                                                           \
        }                                                                                          \
        memcpy(registers->chain[0], &x0, sizeof x0);                                               \
        memcpy(registers->chain[1], &x1, sizeof x1);                                               \
        memcpy(registers->chain[2], &x2, sizeof x2);                                               \
        memcpy(registers->chain[3], &x3, sizeof x3);                                               \
    }

#define ADD(x)                                                                                     \
    x += a;                                                                                        \
    KERNEL_KEEP(x);
#define ADD_5(x)                                                                                   \
    x += 5;                                                                                        \
    KERNEL_KEEP(x);
#define XOR(x)                                                                                     \
    x ^= a;                                                                                        \
    KERNEL_KEEP(x);
#define SHIFT(x)                                                                                   \
    x <<= 1;                                                                                       \
    KERNEL_KEEP(x);
#define ROTATE(x)                                                                                  \
    x = x << 7 | x >> (sizeof x * 8 - 7);                                                          \
    KERNEL_KEEP(x);
#define MULTIPLY(x)                                                                                \
    x *= a;                                                                                        \
    KERNEL_KEEP(x);
#define QUOTIENT(x)                                                                                \
    x = x1 / a;                                                                                    \
    KERNEL_KEEP(x);                                                                                \
    KERNEL_KEEP(x1);
#define REDIVIDE(x)                                                                                \
    x = x1 / x;                                                                                    \
    KERNEL_KEEP(x);
#define FOUR(step) step(x0) step(x1) step(x2) step(x3)

WORDS(add_latency, ADD(x0), TIMES_256)
WORDS(add_throughput, FOUR(ADD), TIMES_64)
WORDS(add_immediate, ADD_5(x0), TIMES_256)
WORDS(logic_latency, XOR(x0), TIMES_256)
WORDS(logic_throughput, FOUR(XOR), TIMES_64)
WORDS(shift_latency, SHIFT(x0), TIMES_256)
WORDS(shift_throughput, FOUR(SHIFT), TIMES_64)
WORDS(rotate_latency, ROTATE(x0), TIMES_256)
WORDS(rotate_throughput, FOUR(ROTATE), TIMES_64)
WORDS(multiply_latency, MULTIPLY(x0), TIMES_256)
WORDS(multiply_throughput, FOUR(MULTIPLY), TIMES_64)
WORDS(divide_latency, REDIVIDE(x0), TIMES_256)
WORDS(divide_throughput, QUOTIENT(x0), TIMES_256)

/* Of words in memory, which is as volatile as an instruction wants it. */
#define MEMORY(name, step)                                                                         \
    static void name(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)       \
    {                                                                                              \
        volatile uintptr_t *at = (volatile uintptr_t *)(void *)memory;                             \
        (void)at;                                                                                  \
        uintptr_t x;                                                                               \
        memcpy(&x, registers->chain[0], sizeof x);                                                 \
        for (; loops > 0; loops--) {                                                               \
            TIMES_256(step)                                                                        \
        }                                                                                          \
        memcpy(registers->chain[0], &x, sizeof x);                                                 \
    }

MEMORY(load_latency, x = *(volatile uintptr_t *)x;)
MEMORY(load_throughput, x = at[0];)
MEMORY(store, at[0] = x;)
MEMORY(store_forward, at[0] = x; x = at[0];)

static void memory_add(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)
{
    volatile uintptr_t *at = (volatile uintptr_t *)(void *)memory;
    uintptr_t a;
    memcpy(&a, registers->a, sizeof a);
    memcpy(memory, registers->chain[0], sizeof a);
    for (; loops > 0; loops--) {
        TIMES_256(at[0] += a;)
    }
    memcpy(registers->chain[0], memory, sizeof a);
}

static void branch_table(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)
{
    const unsigned char *p = memory + CPU_DATA_BYTES;
    uintptr_t n;
    memcpy(&n, registers->chain[0], sizeof n);
    for (; loops > 0; loops--) {
        TIMES_256(if (*p++ != 0) {
            n++;
            KERNEL_KEEP(n);
        })
    }
    memcpy(registers->chain[0], &n, sizeof n);
}

static __attribute__((noinline)) uintptr_t add_called(uintptr_t x, uintptr_t a)
{
    KERNEL_KEEP(a);
    return x + a;
}

WORDS(call_return, x0 = add_called(x0, a);, TIMES_256)

static void call_indirect(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)
{
    uintptr_t (*function)(uintptr_t, uintptr_t) = add_called;
    uintptr_t x, a;
    (void)memory;
    memcpy(&x, registers->chain[0], sizeof x);
    memcpy(&a, registers->a, sizeof a);
    KERNEL_KEEP(function);
    for (; loops > 0; loops--) {
        TIMES_256(x = function(x, a);)
    }
    memcpy(registers->chain[0], &x, sizeof x);
}

#define REALS(name, type, step, repeat)                                                            \
    static void name(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)       \
    {                                                                                              \
        type x0, x1, x2, x3, a, b;                                                                 \
        (void)memory;                                                                              \
        memcpy(&x0, registers->chain[0], sizeof x0);                                               \
        memcpy(&x1, registers->chain[1], sizeof x1);                                               \
        memcpy(&x2, registers->chain[2], sizeof x2);                                               \
        memcpy(&x3, registers->chain[3], sizeof x3);                                               \
        memcpy(&a, registers->a, sizeof a);                                                        \
        memcpy(&b, registers->b, sizeof b);                                                        \
        for (; loops > 0; loops--) {                                                               \
            repeat(step)                                                                           \
        }                                                                                          \
        (void)b;                                                                                   \
        memcpy(registers->chain[0], &x0, sizeof x0);                                               \
        memcpy(registers->chain[1], &x1, sizeof x1);                                               \
        memcpy(registers->chain[2], &x2, sizeof x2);                                               \
        memcpy(registers->chain[3], &x3, sizeof x3);                                               \
    }

#define FADD(x) x += a;
#define FMULTIPLY(x) x *= a;
#define FDIVIDE(x) x /= a;

REALS(float_add_latency, float, FADD(x0), TIMES_256)
REALS(double_add_latency, double, FADD(x0), TIMES_256)
REALS(double_add_throughput, double, FOUR(FADD), TIMES_64)
REALS(double_multiply_latency, double, FMULTIPLY(x0), TIMES_256)
REALS(double_multiply_throughput, double, FOUR(FMULTIPLY), TIMES_64)
REALS(double_divide_latency, double, FDIVIDE(x0), TIMES_256)
REALS(double_divide_throughput, double, FOUR(FDIVIDE), TIMES_64)

/* Loops, by about how many cycles an operation takes. */
enum { FAST = 1024, SLOW = 128 };

#if UINTPTR_MAX > UINT32_MAX
#define WORD .lane = LANE_U64, .bytes = 8
#else
#define WORD .lane = LANE_U32, .bytes = 4
#endif
#define REAL .lane = LANE_F64, .bytes = 8

const struct cpu_code cpu_codes[OP_COUNT] = {
    [OP_ADD_LATENCY] = {add_latency, FAST, .rule = RULE_ADD, WORD},
    [OP_ADD_THROUGHPUT] = {add_throughput, FAST, .rule = RULE_ADD, WORD, .chains = CHAINS},
    [OP_ADD_IMMEDIATE] = {add_immediate, FAST, .rule = RULE_ADD_5, WORD},
    [OP_LOGIC_LATENCY] = {logic_latency, FAST, .rule = RULE_XOR, WORD},
    [OP_LOGIC_THROUGHPUT] = {logic_throughput, FAST, .rule = RULE_XOR, WORD, .chains = CHAINS},
    [OP_SHIFT_LATENCY] = {shift_latency, FAST, .rule = RULE_SHIFT, WORD},
    [OP_SHIFT_THROUGHPUT] = {shift_throughput, FAST, .rule = RULE_SHIFT, WORD, .chains = CHAINS},
    [OP_ROTATE_LATENCY] = {rotate_latency, FAST, .rule = RULE_ROTATE, WORD},
    [OP_ROTATE_THROUGHPUT] = {rotate_throughput, FAST, .rule = RULE_ROTATE, WORD,
                              .chains = CHAINS},
    [OP_MULTIPLY_LATENCY] = {multiply_latency, FAST, .rule = RULE_MULTIPLY, WORD},
    [OP_MULTIPLY_THROUGHPUT] = {multiply_throughput, FAST, .rule = RULE_MULTIPLY, WORD,
                                .chains = CHAINS},
#if UINTPTR_MAX > UINT32_MAX
    [OP_DIVIDE64_LATENCY] = {divide_latency, SLOW, .rule = RULE_REDIVIDE, WORD},
    [OP_DIVIDE64_THROUGHPUT] = {divide_throughput, SLOW, .rule = RULE_QUOTIENT, WORD},
#else
    [OP_DIVIDE32_LATENCY] = {divide_latency, SLOW, .rule = RULE_REDIVIDE, WORD},
    [OP_DIVIDE32_THROUGHPUT] = {divide_throughput, SLOW, .rule = RULE_QUOTIENT, WORD},
#endif
    [OP_LOAD_LATENCY] = {load_latency, FAST, .rule = RULE_CHASE, WORD},
    [OP_LOAD_THROUGHPUT] = {load_throughput, FAST, .rule = RULE_LOAD, WORD},
    [OP_STORE] = {store, FAST, .rule = RULE_STORE, WORD},
    [OP_STORE_FORWARD] = {store_forward, FAST, .rule = RULE_STORE, WORD},
    [OP_MEMORY_ADD] = {memory_add, FAST, .rule = RULE_ADD, WORD},
    [OP_BRANCH_PREDICTED] = {branch_table, CPU_TABLE_BYTES / CPU_STEPS, .rule = RULE_BITS, WORD},
    [OP_BRANCH_RANDOM] = {branch_table, CPU_TABLE_BYTES / CPU_STEPS, .rule = RULE_BITS, WORD},
    [OP_CALL_RETURN] = {call_return, FAST, .rule = RULE_ADD, WORD},
    [OP_CALL_INDIRECT] = {call_indirect, FAST, .rule = RULE_ADD, WORD},
    [OP_FLOAT_ADD_LATENCY] = {float_add_latency, FAST, .rule = RULE_ADD, .lane = LANE_F32,
                              .bytes = 4},
    [OP_DOUBLE_ADD_LATENCY] = {double_add_latency, FAST, .rule = RULE_ADD, REAL},
    [OP_DOUBLE_ADD_THROUGHPUT] = {double_add_throughput, FAST, .rule = RULE_ADD, REAL,
                                  .chains = CHAINS},
    [OP_DOUBLE_MULTIPLY_LATENCY] = {double_multiply_latency, FAST, .rule = RULE_MULTIPLY, REAL},
    [OP_DOUBLE_MULTIPLY_THROUGHPUT] = {double_multiply_throughput, FAST, .rule = RULE_MULTIPLY,
                                       REAL, .chains = CHAINS},
    [OP_DOUBLE_DIVIDE_LATENCY] = {double_divide_latency, SLOW, .rule = RULE_DIVIDE, REAL},
    [OP_DOUBLE_DIVIDE_THROUGHPUT] = {double_divide_throughput, SLOW, .rule = RULE_DIVIDE, REAL,
                                     .chains = CHAINS},
};

#endif
