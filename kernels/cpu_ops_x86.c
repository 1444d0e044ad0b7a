/* The operations of cpu_ops in the assembly code of x86-64. Registers: r8 to r15 are the chains (or
 * xmm, ymm 0 to 11, or mm0 to mm3), rax and register 12 or mm7 operand a, register 13 operand b,
 * rdi the values, rsi the memory, rcx the loops. */
#include "kernels/cpu_ops.h"

#if defined __x86_64__

#define EACH_INTEGER(before, after)                                                                \
    before "%%r8" after before "%%r9" after before "%%r10" after before "%%r11" after before       \
           "%%r12" after before "%%r13" after before "%%r14" after before "%%r15" after
#define EACH_VECTOR(before, kind, after)                                                           \
    before "%%" kind "0" after before "%%" kind "1" after before "%%" kind "2" after before        \
           "%%" kind "3" after before "%%" kind "4" after before "%%" kind "5" after before        \
           "%%" kind "6" after before "%%" kind "7" after before "%%" kind "8" after before        \
           "%%" kind "9" after before "%%" kind "10" after before "%%" kind "11" after
/* Of AVX, whose result is an operand of its own. */
#define EACH_YMM(op)                                                                               \
    op "%%ymm0,%%ymm0\n" op "%%ymm1,%%ymm1\n" op "%%ymm2,%%ymm2\n" op "%%ymm3,%%ymm3\n" op         \
       "%%ymm4,%%ymm4\n" op "%%ymm5,%%ymm5\n" op "%%ymm6,%%ymm6\n" op "%%ymm7,%%ymm7\n" op         \
       "%%ymm8,%%ymm8\n" op "%%ymm9,%%ymm9\n" op "%%ymm10,%%ymm10\n" op "%%ymm11,%%ymm11\n"
#define EACH_ADDRESS(address)                                                                      \
    "lea (%%r8," address "),%%r8\n lea (%%r9," address "),%%r9\n"                                  \
    "lea (%%r10," address "),%%r10\n lea (%%r11," address "),%%r11\n"                              \
    "lea (%%r12," address "),%%r12\n lea (%%r13," address "),%%r13\n"                              \
    "lea (%%r14," address "),%%r14\n lea (%%r15," address "),%%r15\n"
#define EACH_LOAD(offset, stride)                                                                  \
    "mov " offset "+0*" stride "(%%rsi),%%r8\n mov " offset "+1*" stride "(%%rsi),%%r9\n"          \
    "mov " offset "+2*" stride "(%%rsi),%%r10\n mov " offset "+3*" stride "(%%rsi),%%r11\n"        \
    "mov " offset "+4*" stride "(%%rsi),%%r12\n mov " offset "+5*" stride "(%%rsi),%%r13\n"        \
    "mov " offset "+6*" stride "(%%rsi),%%r14\n mov " offset "+7*" stride "(%%rsi),%%r15\n"
#define EACH_STORE(offset, stride)                                                                 \
    "mov %%r8," offset "+0*" stride "(%%rsi)\n mov %%r9," offset "+1*" stride "(%%rsi)\n"          \
    "mov %%r10," offset "+2*" stride "(%%rsi)\n mov %%r11," offset "+3*" stride "(%%rsi)\n"        \
    "mov %%r12," offset "+4*" stride "(%%rsi)\n mov %%r13," offset "+5*" stride "(%%rsi)\n"        \
    "mov %%r14," offset "+6*" stride "(%%rsi)\n mov %%r15," offset "+7*" stride "(%%rsi)\n"

#define REPEAT(n, body) ".rept " #n "\n" body ".endr\n"
#define LOOP(body) ".p2align 6\n1:\n" body "dec %%rcx\njnz 1b\n"
#define FOR_REGISTERS(op, kind)                                                                    \
    op("0", kind "0") op("32", kind "1") op("64", kind "2") op("96", kind "3") op("128", kind "4") \
        op("160", kind "5") op("192", kind "6") op("224", kind "7") op("256", kind "8")            \
            op("288", kind "9") op("320", kind "10") op("352", kind "11")

#define INTEGERS_IN                                                                                \
    "mov (%%rdi),%%r8\n mov 32(%%rdi),%%r9\n mov 64(%%rdi),%%r10\n mov 96(%%rdi),%%r11\n"          \
    "mov 128(%%rdi),%%r12\n mov 160(%%rdi),%%r13\n mov 192(%%rdi),%%r14\n"                         \
    "mov 224(%%rdi),%%r15\n mov 512(%%rdi),%%rax\n"
#define INTEGERS_OUT                                                                               \
    "mov %%r8,(%%rdi)\n mov %%r9,32(%%rdi)\n mov %%r10,64(%%rdi)\n mov %%r11,96(%%rdi)\n"          \
    "mov %%r12,128(%%rdi)\n mov %%r13,160(%%rdi)\n mov %%r14,192(%%rdi)\n mov %%r15,224(%%rdi)\n"
#define XMM_IN_ONE(offset, name) "movups " offset "(%%rdi),%%" name "\n"
#define XMM_OUT_ONE(offset, name) "movups %%" name "," offset "(%%rdi)\n"
#define YMM_IN_ONE(offset, name) "vmovups " offset "(%%rdi),%%" name "\n"
#define YMM_OUT_ONE(offset, name) "vmovups %%" name "," offset "(%%rdi)\n"

#define ASSEMBLY(name, code)                                                                       \
    static void name(struct cpu_registers *registers, unsigned char *memory, uint64_t loops)       \
    {                                                                                              \
        __asm__ volatile(code                                                                      \
                         : "+c"(loops)                                                             \
                         : "D"(registers), "S"(memory)                                             \
                         : "rax", "rbx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14",     \
                           "r15", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",  \
                           "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "mm0", "mm1",       \
                           "mm2", "mm3", "mm7", "cc", "memory");                                   \
    }
/* prepare and finish surround the loops. */
#define INTEGERS_WITH(name, prepare, body, finish)                                                 \
    ASSEMBLY(name, INTEGERS_IN prepare LOOP(body) finish INTEGERS_OUT)
#define INTEGERS(name, body) INTEGERS_WITH(name, "", body, "")
#define ONE_INTEGER(name, op) INTEGERS(name, REPEAT(256, op))
#define EIGHT_INTEGERS(name, ops) INTEGERS(name, REPEAT(32, ops))
#define VECTORS(name, body)                                                                        \
    ASSEMBLY(name, FOR_REGISTERS(XMM_IN_ONE, "xmm") XMM_IN_ONE("512", "xmm12")                     \
                       XMM_IN_ONE("544", "xmm13") LOOP(body) FOR_REGISTERS(XMM_OUT_ONE, "xmm"))
#define ONE_VECTOR(name, op) VECTORS(name, REPEAT(256, op))
#define TWELVE_VECTORS(name, op) VECTORS(name, REPEAT(21, EACH_VECTOR(op, "xmm", "\n")))
#define LONG_VECTORS(name, body)                                                                   \
    ASSEMBLY(name, FOR_REGISTERS(YMM_IN_ONE, "ymm") YMM_IN_ONE("512", "ymm12")                     \
                       YMM_IN_ONE("544", "ymm13") LOOP(body) FOR_REGISTERS(YMM_OUT_ONE, "ymm")     \
                       "vzeroupper\n")
#define ONE_LONG_VECTOR(name, op) LONG_VECTORS(name, REPEAT(256, op "%%ymm0,%%ymm0\n"))
#define TWELVE_LONG_VECTORS(name, op) LONG_VECTORS(name, REPEAT(21, EACH_YMM(op)))
#define SHORT_VECTORS(name, body)                                                                  \
    ASSEMBLY(name, "movq (%%rdi),%%mm0\n movq 32(%%rdi),%%mm1\n movq 64(%%rdi),%%mm2\n"            \
                   "movq 96(%%rdi),%%mm3\n movq 512(%%rdi),%%mm7\n" LOOP(body)                     \
                   "movq %%mm0,(%%rdi)\n movq %%mm1,32(%%rdi)\n movq %%mm2,64(%%rdi)\n"            \
                   "movq %%mm3,96(%%rdi)\n emms\n")
/* What leaves no trace is counted in r8, once a loop. */
#define COUNTED(name, body, n) INTEGERS(name, body "add $" #n ",%%r8\n")
/* The stack below a function may be in use (System V ABI, 3.2.2: the red zone). */
#define STACK_DOWN "lea -128(%%rsp),%%rsp\n"
#define STACK_UP "lea 128(%%rsp),%%rsp\n"

ONE_INTEGER(add_latency, "add %%rax,%%r8\n")
EIGHT_INTEGERS(add_throughput, EACH_INTEGER("add %%rax,", "\n"))
ONE_INTEGER(add_immediate, "add $5,%%r8\n")
INTEGERS_WITH(carry_latency, "clc\n", REPEAT(256, "adc %%rax,%%r8\n"), "")
ONE_INTEGER(logic_latency, "xor %%rax,%%r8\n")
EIGHT_INTEGERS(logic_throughput, EACH_INTEGER("xor %%rax,", "\n"))
ONE_INTEGER(shift_latency, "shl $1,%%r8\n")
EIGHT_INTEGERS(shift_throughput, EACH_INTEGER("shl $1,", "\n"))
ONE_INTEGER(rotate_latency, "rol $7,%%r8\n")
EIGHT_INTEGERS(rotate_throughput, EACH_INTEGER("rol $7,", "\n"))
ONE_INTEGER(address_latency, "lea (%%r8,%%rax),%%r8\n")
EIGHT_INTEGERS(address_throughput, EACH_ADDRESS("%%rax"))
ONE_INTEGER(address_scaled, "lea 3(%%r8,%%rax,4),%%r8\n")
ONE_INTEGER(multiply_latency, "imul %%rax,%%r8\n")
EIGHT_INTEGERS(multiply_throughput, EACH_INTEGER("imul %%rax,", "\n"))
INTEGERS_WITH(multiply_wide, "xchg %%rax,%%r8\n", REPEAT(256, "mul %%r8\n"), "mov %%rax,%%r8\n")
INTEGERS_WITH(divide32_latency, "xchg %%rax,%%r8\n mov %%r9,%%rdx\n", REPEAT(256, "div %%r8d\n"),
              "mov %%rax,%%r8\n mov %%rdx,%%r9\n")
INTEGERS_WITH(divide32_throughput, "mov %%rax,%%r10\n",
              REPEAT(256, "mov %%r9d,%%eax\n xor %%edx,%%edx\n div %%r10d\n"), "mov %%rax,%%r8\n")
INTEGERS_WITH(divide64_latency, "xchg %%rax,%%r8\n mov %%r9,%%rdx\n", REPEAT(256, "div %%r8\n"),
              "mov %%rax,%%r8\n mov %%rdx,%%r9\n")
INTEGERS_WITH(divide64_throughput, "mov %%rax,%%r10\n",
              REPEAT(256, "mov %%r9,%%rax\n xor %%edx,%%edx\n div %%r10\n"), "mov %%rax,%%r8\n")
COUNTED(move_latency, REPEAT(128, "mov %%r8,%%r9\n mov %%r9,%%r8\n"), 256)
COUNTED(zero_throughput, REPEAT(256, "xor %%edx,%%edx\n"), 256)
COUNTED(nop_throughput, REPEAT(256, "nop\n"), 256)
INTEGERS(code_large, REPEAT(8192, EACH_INTEGER("add %%rax,", "\n")))

ONE_INTEGER(load_latency, "mov (%%r8),%%r8\n")
EIGHT_INTEGERS(load_throughput, EACH_LOAD("0", "8"))
EIGHT_INTEGERS(load_unaligned, EACH_LOAD("3", "6"))
EIGHT_INTEGERS(load_line, EACH_LOAD("60", "64"))
EIGHT_INTEGERS(load_page, EACH_LOAD("4092", "4096"))
EIGHT_INTEGERS(store, EACH_STORE("0", "8"))
EIGHT_INTEGERS(store_line, EACH_STORE("60", "64"))
ONE_INTEGER(store_forward, "mov %%r8,(%%rsi)\n mov (%%rsi),%%r8\n")
INTEGERS_WITH(store_forward_indexed, "xor %%edx,%%edx\n",
              REPEAT(256, "mov %%r8,(%%rsi)\n mov (%%rsi,%%rdx),%%r8\n"), "")
INTEGERS_WITH(memory_add, "mov %%r8,(%%rsi)\n", REPEAT(256, "add %%rax,(%%rsi)\n"),
              "mov (%%rsi),%%r8\n")
INTEGERS_WITH(atomic_add, "mov %%r8,(%%rsi)\n", REPEAT(256, "lock add %%rax,(%%rsi)\n"),
              "mov (%%rsi),%%r8\n")
INTEGERS_WITH(push_pop, STACK_DOWN, REPEAT(256, "push %%r8\n pop %%r8\n"), STACK_UP)

INTEGERS(branch_not_taken,
         "test %%rsi,%%rsi\n" REPEAT(256, "jz 3f\n") "add $256,%%r8\n 3:\n")
COUNTED(branch_taken, REPEAT(64, ".p2align 5\n jmp 2f\n .p2align 5\n 2:\n"), 64)
INTEGERS_WITH(branch_table, "lea 65536(%%rsi),%%rdx\n",
              REPEAT(256, "cmpb $0,(%%rdx)\n jz 2f\n add $1,%%r8\n 2: add $1,%%rdx\n"), "")
INTEGERS_WITH(call_return, STACK_DOWN "jmp 3f\n .p2align 6\n 2: add %%rax,%%r8\n ret\n 3:\n",
              REPEAT(64, ".p2align 5\n call 2b\n"), STACK_UP)
INTEGERS_WITH(call_indirect,
              STACK_DOWN "lea 2f(%%rip),%%rdx\n jmp 3f\n .p2align 6\n 2: add %%rax,%%r8\n ret\n"
                         "3:\n",
              REPEAT(64, ".p2align 5\n call *%%rdx\n"), STACK_UP)

SHORT_VECTORS(int64_add_latency, REPEAT(256, "paddd %%mm7,%%mm0\n"))
SHORT_VECTORS(int64_add_throughput, REPEAT(64, "paddd %%mm7,%%mm0\n paddd %%mm7,%%mm1\n"
                                               "paddd %%mm7,%%mm2\n paddd %%mm7,%%mm3\n"))
ONE_VECTOR(int128_add_latency, "paddd %%xmm12,%%xmm0\n")
TWELVE_VECTORS(int128_add_throughput, "paddd %%xmm12,")
ONE_VECTOR(int128_multiply_latency, "pmullw %%xmm12,%%xmm0\n")
TWELVE_VECTORS(int128_multiply_throughput, "pmullw %%xmm12,")
ONE_LONG_VECTOR(int256_add_latency, "vpaddd %%ymm12,")
TWELVE_LONG_VECTORS(int256_add_throughput, "vpaddd %%ymm12,")
ONE_VECTOR(float_add_latency, "addss %%xmm12,%%xmm0\n")
TWELVE_VECTORS(float128_add_throughput, "addps %%xmm12,")
ONE_VECTOR(double_add_latency, "addsd %%xmm12,%%xmm0\n")
TWELVE_VECTORS(double_add_throughput, "addsd %%xmm12,")
ONE_VECTOR(double_multiply_latency, "mulsd %%xmm12,%%xmm0\n")
TWELVE_VECTORS(double_multiply_throughput, "mulsd %%xmm12,")
ONE_VECTOR(double_divide_latency, "divsd %%xmm12,%%xmm0\n")
TWELVE_VECTORS(double_divide_throughput, "divsd %%xmm12,")
ONE_VECTOR(double_sqrt_latency, "sqrtsd %%xmm0,%%xmm0\n mulsd %%xmm12,%%xmm0\n")
TWELVE_VECTORS(double_sqrt_throughput, "sqrtsd %%xmm12,")
ONE_VECTOR(double_fma_latency, "vfmadd213sd %%xmm13,%%xmm12,%%xmm0\n")
TWELVE_VECTORS(double_fma_throughput, "vfmadd213sd %%xmm13,%%xmm12,")
ONE_VECTOR(double128_add_latency, "addpd %%xmm12,%%xmm0\n")
TWELVE_VECTORS(double128_add_throughput, "addpd %%xmm12,")
TWELVE_VECTORS(double128_multiply, "mulpd %%xmm12,")
TWELVE_VECTORS(double128_divide, "divpd %%xmm12,")
ONE_LONG_VECTOR(double256_add_latency, "vaddpd %%ymm12,")
TWELVE_LONG_VECTORS(double256_add_throughput, "vaddpd %%ymm12,")
TWELVE_LONG_VECTORS(double256_multiply, "vmulpd %%ymm12,")
LONG_VECTORS(double256_fma, REPEAT(21, EACH_VECTOR("vfmadd213pd %%ymm13,%%ymm12,", "ymm", "\n")))
INTEGERS_WITH(convert_integer, "and $0xffffff,%%r8\n mov %%r8,%%r9\n",
              REPEAT(256, "cvtsi2sd %%r8,%%xmm0\n cvttsd2si %%xmm0,%%r8\n"),
              "xor %%r9,%%r8\n xor (%%rdi),%%r8\n")
ONE_VECTOR(convert_float, "cvtsd2ss %%xmm0,%%xmm0\n cvtss2sd %%xmm0,%%xmm0\n")
COUNTED(fence, REPEAT(256, "mfence\n"), 256)
COUNTED(timestamp, REPEAT(256, "rdtsc\n"), 256)
COUNTED(cpuid, "mov %%rcx,%%r9\n" REPEAT(64, "xor %%eax,%%eax\n cpuid\n") "mov %%r9,%%rcx\n", 64)

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

static bool has_fma(void)
{
    return __builtin_cpu_supports("fma");
}

/* Loops, by about how many cycles an operation takes. */
enum { FAST = 4096, LATENT = 1024, SLOW = 128 };

#define INTEGER .lane = LANE_U64, .bytes = 8
#define REAL .lane = LANE_F64, .bytes = 8
#define REALS_128 .lane = LANE_F64, .bytes = 16
#define REALS_256 .lane = LANE_F64, .bytes = 32, .has = has_avx2, .wants = "AVX2"
#define TWELVE .steps = 252, .chains = 12
#define FUSED .has = has_fma, .wants = "FMA3"

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
    [OP_ADDRESS_LATENCY] = {address_latency, LATENT, .rule = RULE_ADD, INTEGER},
    [OP_ADDRESS_THROUGHPUT] = {address_throughput, FAST, .rule = RULE_ADD, INTEGER, .chains = 8},
    [OP_ADDRESS_SCALED] = {address_scaled, LATENT, .rule = RULE_SCALED, INTEGER},
    [OP_MULTIPLY_LATENCY] = {multiply_latency, LATENT, .rule = RULE_MULTIPLY, INTEGER},
    [OP_MULTIPLY_THROUGHPUT] = {multiply_throughput, LATENT, .rule = RULE_MULTIPLY, INTEGER,
                                .chains = 8},
    [OP_MULTIPLY_WIDE] = {multiply_wide, LATENT, .rule = RULE_MULTIPLY, INTEGER},
    [OP_DIVIDE32_LATENCY] = {divide32_latency, SLOW, .rule = RULE_DIVIDE_WIDE, .lane = LANE_U32,
                             .bytes = 4},
    [OP_DIVIDE32_THROUGHPUT] = {divide32_throughput, SLOW, .rule = RULE_QUOTIENT, .lane = LANE_U32,
                                .bytes = 4},
    [OP_DIVIDE64_LATENCY] = {divide64_latency, SLOW, .rule = RULE_DIVIDE_WIDE, INTEGER},
    [OP_DIVIDE64_THROUGHPUT] = {divide64_throughput, SLOW, .rule = RULE_QUOTIENT, INTEGER},
    [OP_MOVE_LATENCY] = {move_latency, FAST, .rule = RULE_COUNT, INTEGER},
    [OP_ZERO_THROUGHPUT] = {zero_throughput, FAST, .rule = RULE_COUNT, INTEGER},
    [OP_NOP_THROUGHPUT] = {nop_throughput, FAST, .rule = RULE_COUNT, INTEGER},
    [OP_CODE_LARGE] = {code_large, 16, .steps = 65536, .rule = RULE_ADD, INTEGER, .chains = 8},
    [OP_LOAD_LATENCY] = {load_latency, LATENT / 2, .rule = RULE_CHASE, INTEGER},
    [OP_LOAD_THROUGHPUT] = {load_throughput, FAST, .rule = RULE_LOAD, INTEGER, .chains = 8,
                            .offset = 0, .stride = 8},
    [OP_LOAD_UNALIGNED] = {load_unaligned, FAST, .rule = RULE_LOAD, INTEGER, .chains = 8,
                           .offset = 3, .stride = 6},
    [OP_LOAD_LINE] = {load_line, LATENT, .rule = RULE_LOAD, INTEGER, .chains = 8, .offset = 60,
                      .stride = 64},
    [OP_LOAD_PAGE] = {load_page, LATENT, .rule = RULE_LOAD, INTEGER, .chains = 8, .offset = 4092,
                      .stride = 4096},
    [OP_STORE] = {store, LATENT, .rule = RULE_STORE, INTEGER, .chains = 8, .stride = 8},
    [OP_STORE_LINE] = {store_line, LATENT / 2, .rule = RULE_STORE, INTEGER, .chains = 8,
                       .offset = 60, .stride = 64},
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
    [OP_INT64_ADD_LATENCY] = {int64_add_latency, LATENT, .rule = RULE_ADD, .lane = LANE_U32,
                              .bytes = 8},
    [OP_INT64_ADD_THROUGHPUT] = {int64_add_throughput, LATENT, .rule = RULE_ADD, .lane = LANE_U32,
                                 .bytes = 8, .chains = 4},
    [OP_INT128_ADD_LATENCY] = {int128_add_latency, LATENT, .rule = RULE_ADD, .lane = LANE_U32,
                               .bytes = 16},
    [OP_INT128_ADD_THROUGHPUT] = {int128_add_throughput, FAST, .rule = RULE_ADD, .lane = LANE_U32,
                                  .bytes = 16, TWELVE},
    [OP_INT128_MULTIPLY_LATENCY] = {int128_multiply_latency, LATENT / 2, .rule = RULE_MULTIPLY,
                                    .lane = LANE_U16, .bytes = 16},
    [OP_INT128_MULTIPLY_THROUGHPUT] = {int128_multiply_throughput, LATENT, .rule = RULE_MULTIPLY,
                                       .lane = LANE_U16, .bytes = 16, TWELVE},
    [OP_INT256_ADD_LATENCY] = {int256_add_latency, LATENT, .rule = RULE_ADD, .lane = LANE_U32,
                               .bytes = 32, .has = has_avx2, .wants = "AVX2"},
    [OP_INT256_ADD_THROUGHPUT] = {int256_add_throughput, FAST, .rule = RULE_ADD, .lane = LANE_U32,
                                  .bytes = 32, TWELVE, .has = has_avx2, .wants = "AVX2"},
    [OP_FLOAT_ADD_LATENCY] = {float_add_latency, LATENT / 2, .rule = RULE_ADD, .lane = LANE_F32,
                              .bytes = 4},
    [OP_FLOAT128_ADD_THROUGHPUT] = {float128_add_throughput, LATENT, .rule = RULE_ADD,
                                    .lane = LANE_F32, .bytes = 16, TWELVE},
    [OP_DOUBLE_ADD_LATENCY] = {double_add_latency, LATENT / 2, .rule = RULE_ADD, REAL},
    [OP_DOUBLE_ADD_THROUGHPUT] = {double_add_throughput, LATENT, .rule = RULE_ADD, REAL, TWELVE},
    [OP_DOUBLE_MULTIPLY_LATENCY] = {double_multiply_latency, LATENT / 2, .rule = RULE_MULTIPLY,
                                    REAL},
    [OP_DOUBLE_MULTIPLY_THROUGHPUT] = {double_multiply_throughput, LATENT, .rule = RULE_MULTIPLY,
                                       REAL, TWELVE},
    [OP_DOUBLE_DIVIDE_LATENCY] = {double_divide_latency, SLOW, .rule = RULE_DIVIDE, REAL},
    [OP_DOUBLE_DIVIDE_THROUGHPUT] = {double_divide_throughput, SLOW, .rule = RULE_DIVIDE, REAL,
                                     TWELVE},
    [OP_DOUBLE_SQRT_LATENCY] = {double_sqrt_latency, SLOW, .rule = RULE_SQRT_MULTIPLY, REAL},
    [OP_DOUBLE_SQRT_THROUGHPUT] = {double_sqrt_throughput, SLOW, .rule = RULE_SQRT, REAL, TWELVE},
    [OP_DOUBLE_FMA_LATENCY] = {double_fma_latency, LATENT / 2, .rule = RULE_FMA, REAL, FUSED},
    [OP_DOUBLE_FMA_THROUGHPUT] = {double_fma_throughput, LATENT, .rule = RULE_FMA, REAL, TWELVE,
                                  FUSED},
    [OP_DOUBLE128_ADD_LATENCY] = {double128_add_latency, LATENT / 2, .rule = RULE_ADD, REALS_128},
    [OP_DOUBLE128_ADD_THROUGHPUT] = {double128_add_throughput, LATENT, .rule = RULE_ADD, REALS_128,
                                     TWELVE},
    [OP_DOUBLE128_MULTIPLY] = {double128_multiply, LATENT, .rule = RULE_MULTIPLY, REALS_128,
                               TWELVE},
    [OP_DOUBLE128_DIVIDE] = {double128_divide, SLOW, .rule = RULE_DIVIDE, REALS_128, TWELVE},
    [OP_DOUBLE256_ADD_LATENCY] = {double256_add_latency, LATENT / 2, .rule = RULE_ADD, REALS_256},
    [OP_DOUBLE256_ADD_THROUGHPUT] = {double256_add_throughput, LATENT, .rule = RULE_ADD, REALS_256,
                                     TWELVE},
    [OP_DOUBLE256_MULTIPLY] = {double256_multiply, LATENT, .rule = RULE_MULTIPLY, REALS_256,
                               TWELVE},
    [OP_DOUBLE256_FMA] = {double256_fma, LATENT, .rule = RULE_FMA, .lane = LANE_F64, .bytes = 32,
                          TWELVE, FUSED},
    [OP_CONVERT_INTEGER] = {convert_integer, SLOW, .rule = RULE_NONE, INTEGER},
    [OP_CONVERT_FLOAT] = {convert_float, SLOW, .rule = RULE_NONE, REAL},
    [OP_FENCE] = {fence, 16, .rule = RULE_COUNT, INTEGER},
    [OP_TIMESTAMP] = {timestamp, 16, .rule = RULE_COUNT, INTEGER},
    [OP_CPUID] = {cpuid, 1, .steps = 64, .rule = RULE_COUNT, INTEGER},
};

#endif
