/* Programs of the kernel classic that work on arrays: sieves, matrices, sorting. */
#include "kernels/classic.h"

#include <string.h>

/* ---- sieves */

enum { FLAGS = 8190, SIEVE_TIMES = 1000, ERATOSTHENES_TIMES = 10 };

/* Gilbreath's sieve of the odd numbers 3 to 16381 (Byte 6:9 (1981) 180). */
static __attribute__((noinline)) int32_t sieve_pass(unsigned char *flags, uint32_t size)
{
    int32_t count = 0;
    memset(flags, 1, size);
    for (uint32_t i = 0; i < size; i++) {
        if (!flags[i])
            continue;
        uint32_t prime = 2 * i + 3;
        for (uint32_t k = i + prime; k < size; k += prime)
            flags[k] = 0;
        count++;
    }
    return count;
}

static void sieve_times(struct classic *state, void *memory, int times)
{
    state->answer = 0;
    for (int i = 0; i < times; i++) {
        uint32_t size = FLAGS;
        KERNEL_KEEP(size);
        state->answer += sieve_pass(memory, size);
        KERNEL_BARRIER();
    }
}

void classic_sieve(struct classic *state, void *memory)
{
    sieve_times(state, memory, SIEVE_TIMES);
}

void classic_eratosthenes(struct classic *state, void *memory)
{
    sieve_times(state, memory, ERATOSTHENES_TIMES);
}

/* A segment at a time, odd numbers alone, by the primes up to the root of the last number. Document
 * 004 counts 50181 primes in "1e9 -- 1.001e9", but there are 48155; the 50181st is 1e9 + 1041799.
 * So this goes on to 1e9 + 1041800, and tells both counts. */
enum {
    SUPER_ROOT = 31640, /* > sqrt(SUPER_END) */
    SUPER_SEGMENT = 16384, /* flags, each an odd number */
    SUPER_MIDDLE = 1001000000,
    SUPER_END = 1001041800
};
static const uint32_t super_start = 1000000000;

struct super {
    unsigned char small[SUPER_ROOT / 2]; /* of 3, 5, 7 ... */
    unsigned char flags[SUPER_SEGMENT];
    uint32_t primes[3500], next[3500]; /* next: index of the multiple to strike out */
};
_Static_assert(sizeof(struct super) <= CLASSIC_MEMORY, "the memory holds the sieve");

static uint32_t super_primes(struct super *super, uint32_t start)
{
    uint32_t n = 0, size = SUPER_ROOT / 2 - 1;
    memset(super->small, 1, sizeof super->small);
    for (uint32_t i = 0; i < size; i++) {
        if (!super->small[i])
            continue;
        uint32_t prime = 2 * i + 3;
        for (uint32_t k = i + prime; k < size; k += prime)
            super->small[k] = 0;
        /* The first odd multiple from start + 1 on, which is odd. */
        uint32_t first = start + 1 + (prime - (start + 1) % prime) % prime;
        first += first % 2 == 0 ? prime : 0;
        super->primes[n] = prime;
        super->next[n++] = (first - start - 1) / 2;
    }
    return n;
}

static __attribute__((noinline)) void super_segment(struct super *super, uint32_t n)
{
    memset(super->flags, 1, sizeof super->flags);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = super->next[i], prime = super->primes[i];
        for (; k < SUPER_SEGMENT; k += prime)
            super->flags[k] = 0;
        super->next[i] = k - SUPER_SEGMENT;
    }
}

void classic_supersieve(struct classic *state, void *memory)
{
    struct super *super = memory;
    uint32_t start = super_start;
    KERNEL_KEEP(start);
    uint32_t n = super_primes(super, start);
    state->answer = state->second = 0;
    for (; start < SUPER_END; start += 2 * SUPER_SEGMENT) {
        super_segment(super, n);
        for (uint32_t k = 0; k < SUPER_SEGMENT; k++) {
            state->answer += super->flags[k] && start + 1 + 2 * k < SUPER_END;
            state->second += super->flags[k] && start + 1 + 2 * k < SUPER_MIDDLE;
        }
    }
}

/* ---- the generator of the Stanford integer benchmarks (Hennessy and Nye), which the suite of Ertl
 * and Maierhofer takes too */

static uint32_t stanford_random(uint32_t *seed)
{
    *seed = (*seed * 1309 + 13849) & 65535;
    return *seed;
}

enum { STANFORD_SEED = 74755 };

/* ---- matrices */

enum { ROWS = 200, CELLS = ROWS * ROWS };

static __attribute__((noinline)) void matrix_product(const int32_t *a, const int32_t *b,
                                                     int32_t *c, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        for (uint32_t j = 0; j < rows; j++) {
            int32_t sum = 0;
            for (uint32_t k = 0; k < rows; k++)
                sum += a[i * rows + k] * b[k * rows + j];
            c[i * rows + j] = sum;
        }
    }
}

void classic_matrix(struct classic *state, void *memory)
{
    int32_t *a = memory, *b = a + CELLS, *c = b + CELLS;
    uint32_t seed = STANFORD_SEED, rows = ROWS;
    for (int i = 0; i < 2 * CELLS; i++)
        a[i] = (int32_t)(stanford_random(&seed) % 120) - 60;
    KERNEL_KEEP(rows);
    KERNEL_BARRIER();
    matrix_product(a, b, c, rows);
    state->answer = 0;
    for (int i = 0; i < CELLS; i++)
        state->answer += (int64_t)c[i] * (i % 1009);
}

/* c x = a (b x) for every unit vector's sum with the others weighed (Freivalds, IFIP 1977): here
 * for 8 vectors of weights, in whole numbers. */
bool classic_matrix_is_product(void *memory)
{
    const int32_t *a = memory, *b = a + CELLS, *c = b + CELLS;
    for (int vector = 0; vector < 8; vector++) {
        int64_t bx[ROWS];
        for (int i = 0; i < ROWS; i++) {
            bx[i] = 0;
            for (int j = 0; j < ROWS; j++)
                bx[i] += b[i * ROWS + j] * (int64_t)(1 + j * (2 * vector + 1) % 211);
        }
        for (int i = 0; i < ROWS; i++) {
            int64_t abx = 0, cx = 0;
            for (int j = 0; j < ROWS; j++) {
                abx += a[i * ROWS + j] * bx[j];
                cx += c[i * ROWS + j] * (int64_t)(1 + j * (2 * vector + 1) % 211);
            }
            if (abx != cx)
                return false;
        }
    }
    return true;
}

/* ---- sorting */

enum { BUBBLE_ELEMENTS = 6000, QSORT_ELEMENTS = 10000 };

static void elements_make(uint32_t *elements, uint32_t n)
{
    uint32_t seed = STANFORD_SEED;
    for (uint32_t i = 0; i < n; i++)
        elements[i] = stanford_random(&seed);
}

/* Ascending, and the same elements: sums of their first and third powers, and of a mixed word of
 * each. */
bool classic_is_sorted(const void *memory, uint32_t n)
{
    const uint32_t *elements = memory;
    uint32_t seed = STANFORD_SEED;
    uint64_t sum = 0, cubes = 0, mixed = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t was = stanford_random(&seed), is = elements[i], was_seed = was, is_seed = is;
        if (i > 0 && elements[i - 1] > elements[i])
            return false;
        sum += was - is;
        cubes += was * was * was - is * is * is;
        mixed += kernel_random(&was_seed) - kernel_random(&is_seed);
    }
    return sum == 0 && cubes == 0 && mixed == 0;
}

static __attribute__((noinline)) void bubble(uint32_t *elements, uint32_t n)
{
    for (uint32_t last = n - 1; last > 0; last--) {
        for (uint32_t i = 0; i < last; i++) {
            if (elements[i] > elements[i + 1]) {
                uint32_t left = elements[i];
                elements[i] = elements[i + 1];
                elements[i + 1] = left;
            }
        }
    }
}

void classic_bubble(struct classic *state, void *memory)
{
    uint32_t n = BUBBLE_ELEMENTS;
    elements_make(memory, n);
    KERNEL_KEEP(n);
    bubble(memory, n);
    KERNEL_BARRIER();
    state->answer = n;
}

/* Hoare, Algorithm 64: Quicksort (CACM 4 (1961) 321), by the middle element. */
static __attribute__((noinline)) void quicksort(uint32_t *elements, int32_t first, int32_t last)
{
    int32_t i = first, k = last;
    uint32_t middle = elements[first + (last - first) / 2];
    while (i <= k) {
        while (elements[i] < middle)
            i++;
        while (middle < elements[k])
            k--;
        if (i <= k) {
            uint32_t left = elements[i];
            elements[i++] = elements[k];
            elements[k--] = left;
        }
    }
    if (first < k)
        quicksort(elements, first, k);
    if (i < last)
        quicksort(elements, i, last);
}

void classic_qsort(struct classic *state, void *memory)
{
    int32_t n = QSORT_ELEMENTS;
    elements_make(memory, (uint32_t)n);
    KERNEL_KEEP(n);
    quicksort(memory, 0, n - 1);
    KERNEL_BARRIER();
    state->answer = n;
}
