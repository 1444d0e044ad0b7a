/* Programs of the kernel classic that measure calls and code. */
#include "kernels/classic.h"

/* Opaque values on both sides of each call: it is neither merged with the next, nor made a jump,
 * nor moved. */
static __attribute__((noinline)) uint32_t fib(uint32_t n)
{
    KERNEL_KEEP(n);
    if (n < 2)
        return 1;
    uint32_t one = fib(n - 1);
    KERNEL_KEEP(one);
    uint32_t two = fib(n - 2);
    KERNEL_KEEP(two);
    return one + two;
}

void classic_fibonacci(struct classic *state, void *memory)
{
    (void)memory;
    uint32_t n = 34;
    KERNEL_KEEP(n);
    state->answer = fib(n);
}

/* 25 functions, each of which calls the one before twice; the first is called 2^25 times, about
 * 33.5 million: the "32 million nest/unnest pairs". */
static __attribute__((noinline)) uint32_t nest0(void)
{
    uint32_t one = 1;
    KERNEL_KEEP(one);
    return one;
}

#define NEST(level, below)                                                                         \
    static __attribute__((noinline)) uint32_t nest##level(void)                                    \
    {                                                                                              \
        uint32_t first = nest##below();                                                            \
        KERNEL_KEEP(first);                                                                        \
        uint32_t second = nest##below();                                                           \
        KERNEL_KEEP(second);                                                                       \
        return first + second;                                                                     \
    }
NEST(1, 0)
NEST(2, 1)
NEST(3, 2)
NEST(4, 3)
NEST(5, 4)
NEST(6, 5)
NEST(7, 6)
NEST(8, 7)
NEST(9, 8)
NEST(10, 9)
NEST(11, 10)
NEST(12, 11)
NEST(13, 12)
NEST(14, 13)
NEST(15, 14)
NEST(16, 15)
NEST(17, 16)
NEST(18, 17)
NEST(19, 18)
NEST(20, 19)
NEST(21, 20)
NEST(22, 21)
NEST(23, 22)
NEST(24, 23)
NEST(25, 24)

void classic_nest(struct classic *state, void *memory)
{
    (void)memory;
    state->answer = nest25();
}

/* 300,000 pairs in a row, a thousand times: the published 3.645 s at 166 MHz are two cycles for
 * each of 300 million pairs. x counts the times. */
enum { PAIRS_TIMES = 1000 };

/* The stack below a function may be in use (System V ABI for x86-64, 3.2.2: the red zone). */
#if defined __x86_64__
#define STACK_DOWN "lea -128(%%rsp), %%rsp\n"
#define STACK_UP "lea 128(%%rsp), %%rsp\n"
#define PUSH_POP "push %0\n pop %0\n"
#elif defined __i386__
#define STACK_DOWN ""
#define STACK_UP ""
#define PUSH_POP "push %0\n pop %0\n"
#elif defined __aarch64__
#define STACK_DOWN ""
#define STACK_UP ""
#define PUSH_POP "str %0, [sp, #-16]!\n ldr %0, [sp], #16\n"
#endif

#if defined PUSH_POP

const bool classic_has_unrolled = true;

static __attribute__((noinline)) uintptr_t push_pop_pairs(uintptr_t x)
{
    __asm__ volatile(STACK_DOWN ".rept 300000\n" PUSH_POP ".endr\n" STACK_UP
                     : "+r"(x)
                     :
                     : "memory");
    return x + 1;
}

static __attribute__((noinline)) uintptr_t nop_pairs(uintptr_t x)
{
    __asm__ volatile(".rept 300000\n nop\n nop\n .endr" : "+r"(x));
    return x + 1;
}

#else

const bool classic_has_unrolled = false;

static uintptr_t push_pop_pairs(uintptr_t x)
{
    return x;
}

static uintptr_t nop_pairs(uintptr_t x)
{
    return x;
}

#endif

void classic_push_pop(struct classic *state, void *memory)
{
    (void)memory;
    uintptr_t x = 0;
    for (int i = 0; i < PAIRS_TIMES; i++)
        x = push_pop_pairs(x);
    state->answer = (int64_t)x;
}

void classic_nop(struct classic *state, void *memory)
{
    (void)memory;
    uintptr_t x = 0;
    for (int i = 0; i < PAIRS_TIMES; i++)
        x = nop_pairs(x);
    state->answer = (int64_t)x;
}
