/* The operations of cpu_ops in the assembly code of AArch64. Registers: x8 to x15 are the chains
 * (or v0 to v7 and v18 to v25: some processors have four units with a latency of four), x16 and v16
 * operand a, v17 operand b; %0 the values, %1 the memory, %2 the loops. */
#include "kernels/cpu_ops.h"

#if defined __aarch64__

#define LIST_8(one)                                                                                \
    one("8") one("9") one("10") one("11") one("12") one("13") one("14") one("15")
#define LIST_16(one)                                                                               \
    one("0") one("1") one("2") one("3") one("4") one("5") one("6") one("7") one("18") one("19")    \
        one("20") one("21") one("22") one("23") one("24") one("25")
#define FOR_VECTORS(op)                                                                            \
    op("0", "0") op("1", "32") op("2", "64") op("3", "96") op("4", "128") op("5", "160")           \
        op("6", "192") op("7", "224") op("18", "256") op("19", "288") op("20", "320")              \
            op("21", "352") op("22", "384") op("23", "416") op("24", "448") op("25", "480")

#define REPEAT(n, body) ".rept " #n "\n" body ".endr\n"
#define LOOP(body) ".p2align 6\n1:\n" body "sub %2, %2, #1\n cbnz %2, 1b\n"
#define INTEGERS_IN                                                                                \
    "ldr x8, [%0]\n ldr x9, [%0, #32]\n ldr x10, [%0, #64]\n ldr x11, [%0, #96]\n"                 \
    "ldr x12, [%0, #128]\n ldr x13, [%0, #160]\n ldr x14, [%0, #192]\n ldr x15, [%0, #224]\n"      \
    "ldr x16, [%0, #512]\n"
#define INTEGERS_OUT                                                                               \
    "str x8, [%0]\n str x9, [%0, #32]\n str x10, [%0, #64]\n str x11, [%0, #96]\n"                 \
    "str x12, [%0, #128]\n str x13, [%0, #160]\n str x14, [%0, #192]\n str x15, [%0, #224]\n"
#define VECTOR_IN(v, offset) "ldr q" v ", [%0, #" offset "]\n"
#define VECTOR_OUT(v, offset) "str q" v ", [%0, #" offset "]\n"
#define VECTORS_IN FOR_VECTORS(VECTOR_IN) "ldr q16, [%0, #512]\n ldr q17, [%0, #544]\n"
#define VECTORS_OUT FOR_VECTORS(VECTOR_OUT)

#define ASSEMBLY(name, code)                                                                       \
    static void name(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)       \
    {                                                                                              \
        __asm__ volatile(code                                                                      \
                         : "+r"(registers), "+r"(memory), "+r"(loops)                              \
                         :                                                                         \
                         : "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",     \
                           "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17",    \
                           "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "cc",           \
                           "memory");                                                              \
    }
/* prepare and finish surround the loops. */
#define INTEGERS_WITH(name, prepare, body, finish)                                                 \
    ASSEMBLY(name, INTEGERS_IN prepare LOOP(body) finish INTEGERS_OUT)
#define INTEGERS(name, body) INTEGERS_WITH(name, "", body, "")
#define ONE_INTEGER(name, op) INTEGERS(name, REPEAT(256, op))
#define EIGHT_INTEGERS(name, one) INTEGERS(name, REPEAT(32, LIST_8(one)))
#define VECTORS(name, body) ASSEMBLY(name, VECTORS_IN LOOP(body) VECTORS_OUT)
#define ONE_VECTOR(name, op) VECTORS(name, REPEAT(256, op))
#define MANY_VECTORS(name, one) VECTORS(name, REPEAT(16, LIST_16(one)))
/* What leaves no trace is counted in x8, once a loop. */
#define COUNTED(name, body, n) INTEGERS(name, body "add x8, x8, #" #n "\n")

#define ADD(r) "add x" r ", x" r ", x16\n"
#define XOR(r) "eor x" r ", x" r ", x16\n"
#define SHIFT(r) "lsl x" r ", x" r ", #1\n"
#define ROTATE(r) "ror x" r ", x" r ", #57\n"
#define MULTIPLY(r) "mul x" r ", x" r ", x16\n"
#define PADD(r) "add v" r ".4s, v" r ".4s, v16.4s\n"
#define PADD_SHORT(r) "add v" r ".2s, v" r ".2s, v16.2s\n"
#define PMULTIPLY(r) "mul v" r ".8h, v" r ".8h, v16.8h\n"
#define FADD_4S(r) "fadd v" r ".4s, v" r ".4s, v16.4s\n"
#define FADD(r) "fadd d" r ", d" r ", d16\n"
#define FMULTIPLY(r) "fmul d" r ", d" r ", d16\n"
#define FDIVIDE(r) "fdiv d" r ", d" r ", d16\n"
#define FSQRT(r) "fsqrt d" r ", d16\n"
#define FADD_2D(r) "fadd v" r ".2d, v" r ".2d, v16.2d\n"
#define FMULTIPLY_2D(r) "fmul v" r ".2d, v" r ".2d, v16.2d\n"
#define FDIVIDE_2D(r) "fdiv v" r ".2d, v" r ".2d, v16.2d\n"
#define FUSED(r) "fmadd d" r ", d" r ", d16, d17\n"

ONE_INTEGER(add_latency, ADD("8"))
EIGHT_INTEGERS(add_throughput, ADD)
ONE_INTEGER(add_immediate, "add x8, x8, #5\n")
INTEGERS_WITH(carry_latency, "cmn xzr, xzr\n", REPEAT(256, "adcs x8, x8, x16\n"), "")
ONE_INTEGER(logic_latency, XOR("8"))
EIGHT_INTEGERS(logic_throughput, XOR)
ONE_INTEGER(shift_latency, SHIFT("8"))
EIGHT_INTEGERS(shift_throughput, SHIFT)
ONE_INTEGER(rotate_latency, ROTATE("8"))
EIGHT_INTEGERS(rotate_throughput, ROTATE)
ONE_INTEGER(address_scaled, "add x8, x8, x16, lsl #2\n")
ONE_INTEGER(multiply_latency, MULTIPLY("8"))
EIGHT_INTEGERS(multiply_throughput, MULTIPLY)
INTEGERS(multiply_wide, REPEAT(256, "umulh x17, x8, x16\n mul x8, x8, x16\n"))
ONE_INTEGER(divide32_latency, "udiv w8, w9, w8\n")
ONE_INTEGER(divide32_throughput, "udiv w8, w9, w16\n")
ONE_INTEGER(divide64_latency, "udiv x8, x9, x8\n")
ONE_INTEGER(divide64_throughput, "udiv x8, x9, x16\n")
COUNTED(move_latency, REPEAT(128, "mov x9, x8\n mov x8, x9\n"), 256)
COUNTED(zero_throughput, REPEAT(256, "mov x17, #0\n"), 256)
COUNTED(nop_throughput, REPEAT(256, "nop\n"), 256)
INTEGERS(code_large, REPEAT(8192, LIST_8(ADD)))
ONE_INTEGER(load_latency, "ldr x8, [x8]\n")

#define AT(step) "add x17, %1, " step "\n"
INTEGERS(load_throughput,
         REPEAT(32, "ldr x8, [%1]\n ldr x9, [%1, #8]\n ldr x10, [%1, #16]\n ldr x11, [%1, #24]\n"
                    "ldr x12, [%1, #32]\n ldr x13, [%1, #40]\n ldr x14, [%1, #48]\n"
                    "ldr x15, [%1, #56]\n"))
#define LOAD_SAME(r) "ldr x" r ", [x17]\n"
#define STORE_SAME(r) "str x" r ", [x17]\n"
INTEGERS_WITH(load_unaligned, AT("#3"), REPEAT(32, LIST_8(LOAD_SAME)), "")
INTEGERS_WITH(load_line, AT("#60"), REPEAT(32, LIST_8(LOAD_SAME)), "")
INTEGERS_WITH(load_page, AT("#4092"), REPEAT(32, LIST_8(LOAD_SAME)), "")
INTEGERS(store, REPEAT(32, "str x8, [%1]\n str x9, [%1, #8]\n str x10, [%1, #16]\n"
                           "str x11, [%1, #24]\n str x12, [%1, #32]\n str x13, [%1, #40]\n"
                           "str x14, [%1, #48]\n str x15, [%1, #56]\n"))
INTEGERS_WITH(store_line, AT("#60"), REPEAT(256, STORE_SAME("8")), "")
ONE_INTEGER(store_forward, "str x8, [%1]\n ldr x8, [%1]\n")
INTEGERS_WITH(store_forward_indexed, "mov x17, #0\n",
              REPEAT(256, "str x8, [%1]\n ldr x8, [%1, x17]\n"), "")
INTEGERS_WITH(memory_add, "str x8, [%1]\n",
              REPEAT(256, "ldr x17, [%1]\n add x17, x17, x16\n str x17, [%1]\n"), "ldr x8, [%1]\n")
INTEGERS_WITH(atomic_add, "str x8, [%1]\n",
              REPEAT(256, "2: ldaxr x17, [%1]\n add x17, x17, x16\n stlxr w9, x17, [%1]\n"
                          "cbnz w9, 2b\n"),
              "ldr x8, [%1]\n")
ONE_INTEGER(push_pop, "str x8, [sp, #-16]!\n ldr x8, [sp], #16\n")
INTEGERS(branch_not_taken, REPEAT(256, "cbz %1, 3f\n") "add x8, x8, #256\n 3:\n")
COUNTED(branch_taken, REPEAT(64, ".p2align 5\n b 2f\n .p2align 5\n 2:\n"), 64)
INTEGERS_WITH(branch_table, "add x17, %1, #16, lsl #12\n",
              REPEAT(256, "ldrb w9, [x17], #1\n cbz w9, 2f\n add x8, x8, #1\n 2:\n"), "")
/* What lies between two calls runs too: one nop, so that they are not side by side, and not the seven that
 * would make 32 bytes, which take many processors two cycles. */
INTEGERS_WITH(call_return, "b 3f\n .p2align 4\n 2: add x8, x8, x16\n ret\n 3:\n",
              REPEAT(64, ".p2align 3\n bl 2b\n"), "")
INTEGERS_WITH(call_indirect, "adr x17, 2f\n b 3f\n .p2align 4\n 2: add x8, x8, x16\n ret\n 3:\n",
              REPEAT(64, ".p2align 3\n blr x17\n"), "")

ONE_VECTOR(int64_add_latency, PADD_SHORT("0"))
MANY_VECTORS(int64_add_throughput, PADD_SHORT)
ONE_VECTOR(int128_add_latency, PADD("0"))
MANY_VECTORS(int128_add_throughput, PADD)
ONE_VECTOR(int128_multiply_latency, PMULTIPLY("0"))
MANY_VECTORS(int128_multiply_throughput, PMULTIPLY)
ONE_VECTOR(float_add_latency, "fadd s0, s0, s16\n")
MANY_VECTORS(float128_add_throughput, FADD_4S)
ONE_VECTOR(double_add_latency, FADD("0"))
MANY_VECTORS(double_add_throughput, FADD)
ONE_VECTOR(double_multiply_latency, FMULTIPLY("0"))
MANY_VECTORS(double_multiply_throughput, FMULTIPLY)
ONE_VECTOR(double_divide_latency, FDIVIDE("0"))
MANY_VECTORS(double_divide_throughput, FDIVIDE)
ONE_VECTOR(double_sqrt_latency, "fsqrt d0, d0\n fmul d0, d0, d16\n")
MANY_VECTORS(double_sqrt_throughput, FSQRT)
ONE_VECTOR(double_fma_latency, FUSED("0"))
MANY_VECTORS(double_fma_throughput, FUSED)
ONE_VECTOR(double128_add_latency, FADD_2D("0"))
MANY_VECTORS(double128_add_throughput, FADD_2D)
MANY_VECTORS(double128_multiply, FMULTIPLY_2D)
MANY_VECTORS(double128_divide, FDIVIDE_2D)
INTEGERS_WITH(convert_integer, "and x8, x8, #0xffffff\n mov x9, x8\n",
              REPEAT(256, "scvtf d0, x8\n fcvtzs x8, d0\n"),
              "eor x8, x8, x9\n ldr x9, [%0]\n eor x8, x8, x9\n")
ONE_VECTOR(convert_float, "fcvt s0, d0\n fcvt d0, s0\n")
COUNTED(fence, REPEAT(256, "dmb ish\n"), 256)
COUNTED(timestamp, REPEAT(256, "mrs x17, cntvct_el0\n"), 256)

/* Loops, by about how many cycles an operation takes. */
enum { FAST = 4096, LATENT = 1024, SLOW = 128 };

#define INTEGER .lane = LANE_U64, .bytes = 8
#define INTEGER_32 .lane = LANE_U32, .bytes = 4
#define REAL .lane = LANE_F64, .bytes = 8
#define REALS_128 .lane = LANE_F64, .bytes = 16

const struct cpu_code cpu_codes[OP_COUNT] = {
    [OP_ADD_LATENCY] = {add_latency, LATENT, .rule = RULE_ADD, INTEGER},
    [OP_ADD_THROUGHPUT] = {add_throughput, FAST, .rule = RULE_ADD, INTEGER, .chains = 8},
    [OP_ADD_IMMEDIATE] = {add_immediate, LATENT, .rule = RULE_ADD_5, INTEGER},
    [OP_CARRY_LATENCY] = {carry_latency, LATENT, .rule = RULE_CARRY, INTEGER},
    [OP_LOGIC_LATENCY] = {logic_latency, LATENT, .rule = RULE_XOR, INTEGER},
    [OP_LOGIC_THROUGHPUT] = {logic_throughput, FAST, .rule = RULE_XOR, INTEGER, .chains = 8},
    [OP_SHIFT_LATENCY] = {shift_latency, LATENT, .rule = RULE_SHIFT, INTEGER},
    [OP_SHIFT_THROUGHPUT] = {shift_throughput, FAST, .rule = RULE_SHIFT, INTEGER, .chains = 8},
    [OP_ROTATE_LATENCY] = {rotate_latency, LATENT, .rule = RULE_ROTATE, INTEGER},
    [OP_ROTATE_THROUGHPUT] = {rotate_throughput, FAST, .rule = RULE_ROTATE, INTEGER, .chains = 8},
    [OP_ADDRESS_SCALED] = {address_scaled, LATENT, .rule = RULE_SCALED_4, INTEGER},
    [OP_MULTIPLY_LATENCY] = {multiply_latency, LATENT / 2, .rule = RULE_MULTIPLY, INTEGER},
    [OP_MULTIPLY_THROUGHPUT] = {multiply_throughput, LATENT, .rule = RULE_MULTIPLY, INTEGER,
                                .chains = 8},
    [OP_MULTIPLY_WIDE] = {multiply_wide, LATENT / 2, .rule = RULE_MULTIPLY, INTEGER},
    [OP_DIVIDE32_LATENCY] = {divide32_latency, SLOW, .rule = RULE_REDIVIDE, INTEGER_32},
    [OP_DIVIDE32_THROUGHPUT] = {divide32_throughput, SLOW, .rule = RULE_QUOTIENT, INTEGER_32},
    [OP_DIVIDE64_LATENCY] = {divide64_latency, SLOW, .rule = RULE_REDIVIDE, INTEGER},
    [OP_DIVIDE64_THROUGHPUT] = {divide64_throughput, SLOW, .rule = RULE_QUOTIENT, INTEGER},
    [OP_MOVE_LATENCY] = {move_latency, FAST, .rule = RULE_COUNT, INTEGER},
    [OP_ZERO_THROUGHPUT] = {zero_throughput, FAST, .rule = RULE_COUNT, INTEGER},
    [OP_NOP_THROUGHPUT] = {nop_throughput, FAST, .rule = RULE_COUNT, INTEGER},
    [OP_CODE_LARGE] = {code_large, 16, .steps = 65536, .rule = RULE_ADD, INTEGER, .chains = 8},
    [OP_LOAD_LATENCY] = {load_latency, LATENT / 2, .rule = RULE_CHASE, INTEGER},
    [OP_LOAD_THROUGHPUT] = {load_throughput, FAST, .rule = RULE_LOAD, INTEGER, .chains = 8,
                            .stride = 8},
    [OP_LOAD_UNALIGNED] = {load_unaligned, FAST, .rule = RULE_LOAD, INTEGER, .chains = 8,
                           .offset = 3},
    [OP_LOAD_LINE] = {load_line, LATENT, .rule = RULE_LOAD, INTEGER, .chains = 8, .offset = 60},
    [OP_LOAD_PAGE] = {load_page, LATENT, .rule = RULE_LOAD, INTEGER, .chains = 8, .offset = 4092},
    [OP_STORE] = {store, LATENT, .rule = RULE_STORE, INTEGER, .chains = 8, .stride = 8},
    [OP_STORE_LINE] = {store_line, LATENT / 2, .rule = RULE_STORE, INTEGER, .offset = 60},
    [OP_STORE_FORWARD] = {store_forward, LATENT / 2, .rule = RULE_STORE, INTEGER},
    [OP_STORE_FORWARD_INDEXED] = {store_forward_indexed, LATENT / 2, .rule = RULE_STORE, INTEGER},
    [OP_MEMORY_ADD] = {memory_add, LATENT / 2, .rule = RULE_ADD, INTEGER},
    [OP_ATOMIC_ADD] = {atomic_add, SLOW, .rule = RULE_ADD, INTEGER},
    [OP_PUSH_POP] = {push_pop, LATENT / 2, .rule = RULE_NONE, INTEGER},
    [OP_BRANCH_NOT_TAKEN] = {branch_not_taken, FAST, .rule = RULE_COUNT, INTEGER},
    [OP_BRANCH_TAKEN] = {branch_taken, FAST, .steps = 64, .rule = RULE_COUNT, INTEGER},
    [OP_BRANCH_PREDICTED] = {branch_table, CPU_TABLE_BYTES / CPU_STEPS, .rule = RULE_BITS, INTEGER},
    [OP_BRANCH_RANDOM] = {branch_table, CPU_TABLE_BYTES / CPU_STEPS, .rule = RULE_BITS, INTEGER},
    [OP_CALL_RETURN] = {call_return, LATENT, .steps = 64, .rule = RULE_ADD, INTEGER},
    [OP_CALL_INDIRECT] = {call_indirect, LATENT, .steps = 64, .rule = RULE_ADD, INTEGER},
    [OP_INT64_ADD_LATENCY] = {int64_add_latency, LATENT / 2, .rule = RULE_ADD, .lane = LANE_U32,
                              .bytes = 8},
    [OP_INT64_ADD_THROUGHPUT] = {int64_add_throughput, LATENT, .rule = RULE_ADD, .lane = LANE_U32,
                                 .bytes = 8, .chains = 16},
    [OP_INT128_ADD_LATENCY] = {int128_add_latency, LATENT / 2, .rule = RULE_ADD, .lane = LANE_U32,
                               .bytes = 16},
    [OP_INT128_ADD_THROUGHPUT] = {int128_add_throughput, LATENT, .rule = RULE_ADD,
                                  .lane = LANE_U32, .bytes = 16, .chains = 16},
    [OP_INT128_MULTIPLY_LATENCY] = {int128_multiply_latency, LATENT / 2, .rule = RULE_MULTIPLY,
                                    .lane = LANE_U16, .bytes = 16},
    [OP_INT128_MULTIPLY_THROUGHPUT] = {int128_multiply_throughput, LATENT, .rule = RULE_MULTIPLY,
                                       .lane = LANE_U16, .bytes = 16, .chains = 16},
    [OP_FLOAT_ADD_LATENCY] = {float_add_latency, LATENT / 2, .rule = RULE_ADD, .lane = LANE_F32,
                              .bytes = 4},
    [OP_FLOAT128_ADD_THROUGHPUT] = {float128_add_throughput, LATENT, .rule = RULE_ADD,
                                    .lane = LANE_F32, .bytes = 16, .chains = 16},
    [OP_DOUBLE_ADD_LATENCY] = {double_add_latency, LATENT / 2, .rule = RULE_ADD, REAL},
    [OP_DOUBLE_ADD_THROUGHPUT] = {double_add_throughput, LATENT, .rule = RULE_ADD, REAL,
                                  .chains = 16},
    [OP_DOUBLE_MULTIPLY_LATENCY] = {double_multiply_latency, LATENT / 2, .rule = RULE_MULTIPLY,
                                    REAL},
    [OP_DOUBLE_MULTIPLY_THROUGHPUT] = {double_multiply_throughput, LATENT, .rule = RULE_MULTIPLY,
                                       REAL, .chains = 16},
    [OP_DOUBLE_DIVIDE_LATENCY] = {double_divide_latency, SLOW, .rule = RULE_DIVIDE, REAL},
    [OP_DOUBLE_DIVIDE_THROUGHPUT] = {double_divide_throughput, SLOW, .rule = RULE_DIVIDE, REAL,
                                     .chains = 16},
    [OP_DOUBLE_SQRT_LATENCY] = {double_sqrt_latency, SLOW, .rule = RULE_SQRT_MULTIPLY, REAL},
    [OP_DOUBLE_SQRT_THROUGHPUT] = {double_sqrt_throughput, SLOW, .rule = RULE_SQRT, REAL,
                                   .chains = 16},
    [OP_DOUBLE_FMA_LATENCY] = {double_fma_latency, LATENT / 2, .rule = RULE_FMA, REAL},
    [OP_DOUBLE_FMA_THROUGHPUT] = {double_fma_throughput, LATENT, .rule = RULE_FMA, REAL,
                                  .chains = 16},
    [OP_DOUBLE128_ADD_LATENCY] = {double128_add_latency, LATENT / 2, .rule = RULE_ADD, REALS_128},
    [OP_DOUBLE128_ADD_THROUGHPUT] = {double128_add_throughput, LATENT, .rule = RULE_ADD, REALS_128,
                                     .chains = 16},
    [OP_DOUBLE128_MULTIPLY] = {double128_multiply, LATENT, .rule = RULE_MULTIPLY, REALS_128,
                               .chains = 16},
    [OP_DOUBLE128_DIVIDE] = {double128_divide, SLOW, .rule = RULE_DIVIDE, REALS_128, .chains = 16},
    [OP_CONVERT_INTEGER] = {convert_integer, SLOW, .rule = RULE_NONE, INTEGER},
    [OP_CONVERT_FLOAT] = {convert_float, SLOW, .rule = RULE_NONE, REAL},
    [OP_FENCE] = {fence, 16, .rule = RULE_COUNT, INTEGER},
    [OP_TIMESTAMP] = {timestamp, 16, .rule = RULE_COUNT, INTEGER},
};

#endif
