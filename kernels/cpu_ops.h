/* The operations of the kernel cpu_ops: what all processors call them, and what one must bring to
 * have them measured. */
#ifndef KERNELS_CPU_OPS_H
#define KERNELS_CPU_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/kernel.h"

/* X(id, name, smallest suite, summary). Latency: each operation waits for the result of the one
 * before. Throughput: chains that do not wait for each other, of integers eight, of vectors twelve or
 * sixteen, so that latency times rate is not what limits them; four where a processor has no such
 * number of registers to spare. */
#define CPU_OPS(X)                                                                                 \
    X(ADD_LATENCY, "add_latency", SUITE_QUICK, "add a register, dependent")                        \
    X(ADD_THROUGHPUT, "add_throughput", SUITE_QUICK, "add a register, independent")                \
    X(ADD_IMMEDIATE, "add_immediate_latency", SUITE_STANDARD,                                      \
      "add a constant, dependent; some processors fold two into one")                              \
    X(CARRY_LATENCY, "carry_latency", SUITE_STANDARD, "add with carry, dependent")                 \
    X(LOGIC_LATENCY, "logic_latency", SUITE_STANDARD, "exclusive or, dependent")                   \
    X(LOGIC_THROUGHPUT, "logic_throughput", SUITE_STANDARD, "exclusive or, independent")           \
    X(SHIFT_LATENCY, "shift_latency", SUITE_STANDARD, "shift left by a constant, dependent")       \
    X(SHIFT_THROUGHPUT, "shift_throughput", SUITE_STANDARD,                                        \
      "shift left by a constant, independent")                                                     \
    X(ROTATE_LATENCY, "rotate_latency", SUITE_STANDARD, "rotate by a constant, dependent")         \
    X(ROTATE_THROUGHPUT, "rotate_throughput", SUITE_STANDARD,                                      \
      "rotate by a constant, independent")                                                         \
    X(ADDRESS_LATENCY, "address_latency", SUITE_STANDARD,                                          \
      "address of base and index (lea), dependent")                                                \
    X(ADDRESS_THROUGHPUT, "address_throughput", SUITE_STANDARD,                                    \
      "address of base and index (lea), independent")                                              \
    X(ADDRESS_SCALED, "address_scaled_latency", SUITE_STANDARD,                                    \
      "address of base, scaled index and, on x86-64, offset, dependent")                           \
    X(MULTIPLY_LATENCY, "multiply_latency", SUITE_QUICK, "multiply words, dependent")              \
    X(MULTIPLY_THROUGHPUT, "multiply_throughput", SUITE_STANDARD, "multiply words, independent")   \
    X(MULTIPLY_WIDE, "multiply_wide_latency", SUITE_STANDARD,                                      \
      "multiply words to a double word, dependent through the low word")                           \
    X(DIVIDE32_LATENCY, "divide32_latency", SUITE_STANDARD,                                        \
      "divide by 32 bits, dependent; 64 bits by 32 on x86-64")                                     \
    X(DIVIDE32_THROUGHPUT, "divide32_throughput", SUITE_STANDARD,                                  \
      "divide 32 bits by 32, independent")                                                         \
    X(DIVIDE64_LATENCY, "divide64_latency", SUITE_QUICK,                                           \
      "divide by 64 bits, dependent; 128 bits by 64 on x86-64")                                    \
    X(DIVIDE64_THROUGHPUT, "divide64_throughput", SUITE_STANDARD,                                  \
      "divide 64 bits by 64, independent")                                                         \
    X(MOVE_LATENCY, "move_latency", SUITE_STANDARD,                                                \
      "copy between two registers and back; many processors rename instead")                       \
    X(ZERO_THROUGHPUT, "zero_throughput", SUITE_STANDARD,                                          \
      "set a register to zero; many processors rename instead")                                    \
    X(NOP_THROUGHPUT, "nop_throughput", SUITE_STANDARD, "no operation")                            \
    X(CODE_LARGE, "code_large_throughput", SUITE_STANDARD,                                         \
      "add a register, independent, in 65536 instructions in a row: more than the first cache of " \
      "code holds")                                                                                \
    X(LOAD_LATENCY, "load_latency", SUITE_QUICK, "load the address of the next load")              \
    X(LOAD_THROUGHPUT, "load_throughput", SUITE_STANDARD, "load a word, independent")              \
    X(LOAD_UNALIGNED, "load_unaligned", SUITE_STANDARD,                                            \
      "load an unaligned word within a cache line, independent")                                   \
    X(LOAD_LINE, "load_line_crossing", SUITE_STANDARD,                                             \
      "load a word that lies in two cache lines, independent")                                     \
    X(LOAD_PAGE, "load_page_crossing", SUITE_STANDARD,                                             \
      "load a word that lies in two pages of 4096 bytes, independent")                             \
    X(STORE, "store_throughput", SUITE_STANDARD, "store a word")                                   \
    X(STORE_LINE, "store_line_crossing", SUITE_STANDARD, "store a word into two cache lines")      \
    X(STORE_FORWARD, "store_forward", SUITE_STANDARD,                                              \
      "store a word and load it back, dependent; some processors rename the memory instead")       \
    X(STORE_FORWARD_INDEXED, "store_forward_indexed", SUITE_STANDARD,                              \
      "store a word and load it back with an index, dependent: what forwarding costs where that "  \
      "hides from renaming that the place is the same")                                            \
    X(MEMORY_ADD, "memory_add", SUITE_STANDARD,                                                    \
      "add to a word in memory, dependent; some processors rename the memory instead")             \
    X(ATOMIC_ADD, "atomic_add", SUITE_STANDARD, "add atomically to a word in memory")              \
    X(PUSH_POP, "push_pop", SUITE_STANDARD, "push a register and pop it: one operation is both")   \
    X(BRANCH_NOT_TAKEN, "branch_not_taken", SUITE_STANDARD, "conditional branch, never taken")     \
    X(BRANCH_TAKEN, "branch_taken", SUITE_STANDARD,                                                \
      "jump to the next 32 bytes of code: many more in one line than compilers make are not "      \
      "predicted")                                                                                 \
    X(BRANCH_PREDICTED, "branch_predicted", SUITE_STANDARD,                                        \
      "load a byte and branch by it: always the same way")                                         \
    X(BRANCH_RANDOM, "branch_random", SUITE_QUICK,                                                 \
      "load a byte and branch by it: by chance. Twice what this is above branch_predicted is what "\
      "a wrong prediction costs")                                                                  \
    X(CALL_RETURN, "call_return", SUITE_STANDARD,                                                  \
      "call a function that adds, and return; on x86 a call in 32 bytes of code, whose rest is "   \
      "instructions that do nothing")                                                              \
    X(CALL_INDIRECT, "call_indirect", SUITE_STANDARD,                                              \
      "call a function that adds through a pointer, and return; apart as in call_return")          \
    X(INT64_ADD_LATENCY, "int64_add_latency", SUITE_STANDARD,                                      \
      "add two 32-bit integers in a register of 64 bits (MMX, NEON), dependent")                   \
    X(INT64_ADD_THROUGHPUT, "int64_add_throughput", SUITE_STANDARD,                                \
      "add two 32-bit integers in a register of 64 bits (MMX, NEON), independent")                 \
    X(INT128_ADD_LATENCY, "int128_add_latency", SUITE_STANDARD,                                    \
      "add four 32-bit integers (SSE2, NEON), dependent")                                          \
    X(INT128_ADD_THROUGHPUT, "int128_add_throughput", SUITE_STANDARD,                              \
      "add four 32-bit integers (SSE2, NEON), independent")                                        \
    X(INT128_MULTIPLY_LATENCY, "int128_multiply_latency", SUITE_STANDARD,                          \
      "multiply eight 16-bit integers (SSE2, NEON), dependent")                                    \
    X(INT128_MULTIPLY_THROUGHPUT, "int128_multiply_throughput", SUITE_STANDARD,                    \
      "multiply eight 16-bit integers (SSE2, NEON), independent")                                  \
    X(INT256_ADD_LATENCY, "int256_add_latency", SUITE_STANDARD,                                    \
      "add eight 32-bit integers (AVX2), dependent")                                               \
    X(INT256_ADD_THROUGHPUT, "int256_add_throughput", SUITE_STANDARD,                              \
      "add eight 32-bit integers (AVX2), independent")                                             \
    X(FLOAT_ADD_LATENCY, "float_add_latency", SUITE_STANDARD, "add floats, dependent")             \
    X(FLOAT128_ADD_THROUGHPUT, "float128_add_throughput", SUITE_STANDARD,                          \
      "add four floats (SSE, NEON), independent")                                                  \
    X(DOUBLE_ADD_LATENCY, "double_add_latency", SUITE_QUICK, "add doubles, dependent")             \
    X(DOUBLE_ADD_THROUGHPUT, "double_add_throughput", SUITE_STANDARD, "add doubles, independent")  \
    X(DOUBLE_MULTIPLY_LATENCY, "double_multiply_latency", SUITE_STANDARD,                          \
      "multiply doubles, dependent")                                                               \
    X(DOUBLE_MULTIPLY_THROUGHPUT, "double_multiply_throughput", SUITE_STANDARD,                    \
      "multiply doubles, independent")                                                             \
    X(DOUBLE_DIVIDE_LATENCY, "double_divide_latency", SUITE_STANDARD, "divide doubles, dependent") \
    X(DOUBLE_DIVIDE_THROUGHPUT, "double_divide_throughput", SUITE_STANDARD,                        \
      "divide doubles, independent")                                                               \
    X(DOUBLE_SQRT_LATENCY, "double_sqrt_latency", SUITE_STANDARD,                                  \
      "square root and multiplication, dependent: one operation is both; without the second, the " \
      "roots would become 1")                                                                      \
    X(DOUBLE_SQRT_THROUGHPUT, "double_sqrt_throughput", SUITE_STANDARD,                            \
      "square root of a double, independent")                                                      \
    X(DOUBLE_FMA_LATENCY, "double_fma_latency", SUITE_STANDARD,                                    \
      "multiply and add doubles, fused, dependent")                                                \
    X(DOUBLE_FMA_THROUGHPUT, "double_fma_throughput", SUITE_STANDARD,                              \
      "multiply and add doubles, fused, independent")                                              \
    X(DOUBLE128_ADD_LATENCY, "double128_add_latency", SUITE_STANDARD,                              \
      "add two doubles (SSE2, NEON), dependent")                                                   \
    X(DOUBLE128_ADD_THROUGHPUT, "double128_add_throughput", SUITE_STANDARD,                        \
      "add two doubles (SSE2, NEON), independent")                                                 \
    X(DOUBLE128_MULTIPLY, "double128_multiply_throughput", SUITE_STANDARD,                         \
      "multiply two doubles (SSE2, NEON), independent")                                            \
    X(DOUBLE128_DIVIDE, "double128_divide_throughput", SUITE_STANDARD,                             \
      "divide two doubles (SSE2, NEON), independent")                                              \
    X(DOUBLE256_ADD_LATENCY, "double256_add_latency", SUITE_STANDARD,                              \
      "add four doubles (AVX), dependent")                                                         \
    X(DOUBLE256_ADD_THROUGHPUT, "double256_add_throughput", SUITE_STANDARD,                        \
      "add four doubles (AVX), independent")                                                       \
    X(DOUBLE256_MULTIPLY, "double256_multiply_throughput", SUITE_STANDARD,                         \
      "multiply four doubles (AVX), independent")                                                  \
    X(DOUBLE256_FMA, "double256_fma_throughput", SUITE_STANDARD,                                   \
      "multiply and add four doubles, fused (FMA3), independent")                                  \
    X(CONVERT_INTEGER, "convert_integer", SUITE_STANDARD,                                          \
      "convert an integer to a double and back, dependent: one operation is both")                 \
    X(CONVERT_FLOAT, "convert_float", SUITE_STANDARD,                                              \
      "convert a double to a float and back, dependent: one operation is both")                    \
    X(FENCE, "fence", SUITE_STANDARD, "order all loads and stores")                                \
    X(TIMESTAMP, "timestamp", SUITE_QUICK, "read the time-stamp counter")                          \
    X(CPUID, "cpuid", SUITE_STANDARD,                                                              \
      "ask the processor what it is, which hypervisors answer in its place")

enum cpu_op {
#define CPU_OP_ID(id, name, from, summary) OP_##id,
    CPU_OPS(CPU_OP_ID)
#undef CPU_OP_ID
        OP_COUNT
};

/* What the steps of an operation make of a value x, with the operands a and b. */
enum cpu_rule {
    RULE_NONE,     /* x stays */
    RULE_COUNT,    /* x counts the steps */
    RULE_ADD,      /* x + a */
    RULE_ADD_5,    /* x + 5 */
    RULE_CARRY,    /* x + a + the carry of the step before */
    RULE_XOR,      /* x ^ a */
    RULE_SHIFT,    /* x << 1 */
    RULE_ROTATE,   /* x rotated left by 7 */
    RULE_SCALED,   /* x + 4 a + 3 */
    RULE_SCALED_4, /* x + 4 a */
    RULE_MULTIPLY, /* x * a */
    RULE_DIVIDE,   /* x / a */
    RULE_DIVIDE_WIDE, /* of chain 0 with chain 1 as the upper half, by a: quotient and remainder */
    RULE_QUOTIENT, /* of chain 1 by a, in chain 0 */
    RULE_REDIVIDE, /* the quotient of chain 1 by x */
    RULE_SQRT,     /* square root of a */
    RULE_SQRT_MULTIPLY, /* square root of x, times a */
    RULE_FMA,      /* x * a + b with one rounding */
    RULE_CHASE,    /* the word at the address x */
    RULE_LOAD,     /* the word at offset + stride * chain of the memory */
    RULE_STORE,    /* x, which is in that word too */
    RULE_BITS      /* x + how many bytes of the table are not zero */
};

enum cpu_lane { LANE_U16, LANE_U32, LANE_U64, LANE_F32, LANE_F64 };

enum {
    CPU_CHAINS = 16,
    CPU_CHAIN_BYTES = 32,
    CPU_STEPS = 256, /* of one loop, as a rule */
    CPU_DATA_BYTES = 65536, /* random, for loads and stores */
    CPU_TABLE_BYTES = 262144 /* behind it, to branch by */
};

/* Offsets of the assembly code: chain i at 32 i, a at 512, b at 544. */
struct cpu_registers {
    _Alignas(64) unsigned char chain[CPU_CHAINS][CPU_CHAIN_BYTES];
    unsigned char a[CPU_CHAIN_BYTES], b[CPU_CHAIN_BYTES]; /* every lane the same */
};

/* How a processor does an operation. */
struct cpu_code {
    /* Starts from the registers, leaves the results there; memory: data, table. */
    void (*run)(struct cpu_registers *registers, unsigned char *memory, uint64_t loops);
    uint32_t loops; /* of one pass: some 0.1 ms */
    uint32_t steps; /* of one loop, over all chains; 0: CPU_STEPS */
    enum cpu_rule rule;
    enum cpu_lane lane;
    unsigned bytes;  /* of a register that are used */
    unsigned chains; /* 0: 1 */
    unsigned offset, stride; /* of RULE_LOAD and RULE_STORE */
    bool (*has)(void);       /* NULL: all processors of the kind */
    const char *wants;       /* what, in words */
};

/* Of the processor that this is compiled for; without run: it has no such operation. */
extern const struct cpu_code cpu_codes[OP_COUNT];

#endif
