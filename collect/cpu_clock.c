#include "collect/cpu_clock.h"

#include <stdint.h>
#include <stdlib.h>

#include "collect/clock.h"

enum {
    CHAIN = 256,
    SPAN_CHAINS = 1400, /* about 0.1 ms: shorter than a time slice, and 2000 looks at the clock */
    SPANS = 40
};

#define ADD()                                                                                      \
    sum += operand;                                                                                \
    __asm__ volatile("" : "+r"(sum))
#define ADD_4()                                                                                    \
    ADD();                                                                                         \
    ADD();                                                                                         \
    ADD();                                                                                         \
    ADD()

/* Chains of dependent additions of a register, which no processor folds into less than a cycle each;
 * those of a constant some do (Fog, Microarchitecture, on Alder Lake). */
static uint64_t chain_run(uint64_t chains)
{
    uintptr_t sum = 1, operand = 3;
    for (; chains > 0; chains--) {
#if defined __x86_64__ || defined __i386__
        __asm__ volatile(".rept %c2\n\tadd %1, %0\n\t.endr"
                         : "+r"(sum)
                         : "r"(operand), "i"(CHAIN)
                         : "cc");
#elif defined __aarch64__
        __asm__ volatile(".rept %c2\n\tadd %0, %0, %1\n\t.endr"
                         : "+r"(sum)
                         : "r"(operand), "i"(CHAIN));
#else
        for (int i = 0; i < CHAIN; i += 8) {
            ADD_4();
            ADD_4();
        }
#endif
    }
    return sum;
}

static int compare_ns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

double cpu_clock_measure(void)
{
    uint64_t spans[SPANS];
    volatile uint64_t sum;
    for (int span = 0; span < SPANS; span++) {
        uint64_t start = clock_now_ns();
        sum = chain_run(SPAN_CHAINS);
        spans[span] = clock_now_ns() - start;
    }
    (void)sum;
    qsort(spans, SPANS, sizeof spans[0], compare_ns);
    uint64_t median = spans[SPANS / 2];
    return median > 0 ? (double)CHAIN * SPAN_CHAINS * 1e9 / (double)median : 0;
}
