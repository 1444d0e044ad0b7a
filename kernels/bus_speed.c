/* Reading an array with loads of a fixed width: first one word out of 32, then more and more of
 * them, then all, then wider loads. Words are ANDed into registers as they are loaded; vectors only
 * fill a register each until the next turn of the loop, and what the registers hold is ANDed at the end:
 * three loads and three ANDs of 256 bits in a cycle are more than a processor does that can do three
 * loads.
 *
 * A word that must be loaded holds one pattern, every other word of the memory, a guard behind the
 * array included, its complement: a load of a wrong word makes the result zero. An AND of equal
 * words does not show a load that was left out, nor what a register held before; check finds these by
 * clearing bits and leaving the loop early. */
#include "kernels/kernel.h"

#include "kernels/sweep.h"
#include "kernels/vector.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PATTERN UINT64_C(0x5555555555555555)

enum {
    SCALAR_TURN = 64,      /* words that a turn of the unrolled loop reads */
    VECTOR_TURN = 8,       /* vectors, as many as there are registers */
    MAX_INCREMENT = 32,    /* words */
    GUARD_BYTES = SCALAR_TURN * MAX_INCREMENT * sizeof(uint64_t),
    ALL_PROBED = 4096,     /* words: in larger arrays a sample of the loads is probed */
    SOME_PROBED = 4,       /* turns of that sample */
    FIRST_VECTOR_CODE = 64 /* codes of tests: a word increment below it, else a vector's bits */
};

/* Reads n_loads times, `passes` times over, and returns the AND of it all (lanes of a vector
 * included). */
typedef uint64_t load_fn(const void *array, size_t n_loads, uint64_t passes);

/* ---- scalar loads. KERNEL_KEEP after each makes the compiler do them one by one: clang would
 * vectorise even with the Makefile's flags. Four registers, so that the latency of AND does not
 * limit what is measured. */

#define LOAD(accumulator, at)                                                                      \
    accumulator &= p[at];                                                                          \
    KERNEL_KEEP(accumulator);
#define LOAD_4(at, increment)                                                                      \
    LOAD(a, (at) * (increment))                                                                    \
    LOAD(b, ((at) + 1) * (increment))                                                              \
    LOAD(c, ((at) + 2) * (increment))                                                              \
    LOAD(d, ((at) + 3) * (increment))
#define LOAD_16(at, increment)                                                                     \
    LOAD_4(at, increment)                                                                          \
    LOAD_4((at) + 4, increment)                                                                    \
    LOAD_4((at) + 8, increment)                                                                    \
    LOAD_4((at) + 12, increment)

#define SCALAR(word, increment)                                                                    \
    static __attribute__((noinline)) uint64_t load_##word##_##increment(                           \
        const void *array, size_t n_loads, uint64_t passes)                                        \
    {                                                                                              \
        word a = (word)~(word)0, b = a, c = a, d = a;                                              \
        for (; passes > 0; passes--) {                                                             \
            const word *p = array;                                                                 \
            size_t left = n_loads;                                                                 \
            KERNEL_BARRIER();                                                                      \
            for (; left >= SCALAR_TURN;                                                            \
                 left -= SCALAR_TURN, p += SCALAR_TURN * (increment)) {                            \
                LOAD_16(0, increment)                                                              \
                LOAD_16(16, increment)                                                             \
                LOAD_16(32, increment)                                                             \
                LOAD_16(48, increment)                                                             \
            }                                                                                      \
            for (; left >= 4; left -= 4, p += 4 * (increment)) {                                   \
                LOAD_4(0, increment)                                                               \
            }                                                                                      \
            for (; left > 0; left--, p += (increment)) {                                           \
                LOAD(a, 0)                                                                         \
            }                                                                                      \
        }                                                                                          \
        return a & b & c & d;                                                                      \
    }

#define SCALARS(word)                                                                              \
    SCALAR(word, 1)                                                                                \
    SCALAR(word, 2)                                                                                \
    SCALAR(word, 4)                                                                                \
    SCALAR(word, 8)                                                                                \
    SCALAR(word, 16)                                                                               \
    SCALAR(word, 32)                                                                               \
    static load_fn *word##_load(int increment)                                                     \
    {                                                                                              \
        return increment == 1    ? load_##word##_1                                                 \
               : increment == 2  ? load_##word##_2                                                 \
               : increment == 4  ? load_##word##_4                                                 \
               : increment == 8  ? load_##word##_8                                                 \
               : increment == 16 ? load_##word##_16                                                \
                                 : load_##word##_32;                                               \
    }

SCALARS(uint32_t)
#if UINTPTR_MAX > UINT32_MAX
SCALARS(uint64_t)
#endif

/* ---- vector loads, in the vector types of gcc and clang. The load itself is an instruction of
 * assembly, which no compiler joins, moves into another one or leaves out. */

/* clang-format off */
#if defined(__aarch64__)
#define LOAD_128(name, at) __asm__ volatile("ldr %q0, %1" : "+w"(name) : "m"(p[at]));
#elif defined(__AVX__)
#define LOAD_128(name, at) __asm__ volatile("vmovdqa %1, %0" : "+x"(name) : "m"(p[at]));
#else
#define LOAD_128(name, at) __asm__ volatile("movdqa %1, %0" : "+x"(name) : "m"(p[at]));
#endif
#define LOAD_256(name, at) __asm__ volatile("vmovdqa %1, %0" : "+x"(name) : "m"(p[at]));
#define LOAD_512(name, at) __asm__ volatile("vmovdqa64 %1, %0" : "+x"(name) : "m"(p[at]));
/* clang-format on */

#define VECTOR(bits, attributes)                                                                   \
    typedef uint64_t vector_##bits __attribute__((vector_size((bits) / 8), may_alias));            \
    static __attribute__((noinline)) attributes uint64_t load_##bits(                              \
        const void *array, size_t n_loads, uint64_t passes)                                        \
    {                                                                                              \
        vector_##bits a = ~(vector_##bits){0}, b = a, c = a, d = a, e = a, f = a, g = a, h = a;    \
        for (; passes > 0; passes--) {                                                             \
            const vector_##bits *p = array;                                                        \
            size_t left = n_loads;                                                                 \
            KERNEL_BARRIER();                                                                      \
            for (; left >= VECTOR_TURN; left -= VECTOR_TURN, p += VECTOR_TURN) {                   \
                LOAD_##bits(a, 0)                                                                  \
                LOAD_##bits(b, 1)                                                                  \
                LOAD_##bits(c, 2)                                                                  \
                LOAD_##bits(d, 3)                                                                  \
                LOAD_##bits(e, 4)                                                                  \
                LOAD_##bits(f, 5)                                                                  \
                LOAD_##bits(g, 6)                                                                  \
                LOAD_##bits(h, 7)                                                                  \
            }                                                                                      \
            if (left & 4) {                                                                        \
                LOAD_##bits(a, 0)                                                                  \
                LOAD_##bits(b, 1)                                                                  \
                LOAD_##bits(c, 2)                                                                  \
                LOAD_##bits(d, 3)                                                                  \
                p += 4;                                                                            \
            }                                                                                      \
            if (left & 2) {                                                                        \
                LOAD_##bits(e, 0)                                                                  \
                LOAD_##bits(f, 1)                                                                  \
                p += 2;                                                                            \
            }                                                                                      \
            if (left & 1) {                                                                        \
                LOAD_##bits(g, 0)                                                                  \
            }                                                                                      \
        }                                                                                          \
        a &= b & c & d & e & f & g & h;                                                            \
        uint64_t all = a[0];                                                                       \
        for (size_t i = 1; i < sizeof a / sizeof all; i++)                                         \
            all &= a[i];                                                                           \
        return all;                                                                                \
    }

#ifdef VECTOR_128
VECTOR(128, VECTOR_128)
#endif
#ifdef VECTOR_256
VECTOR(256, VECTOR_256)
#endif
#ifdef VECTOR_512
VECTOR(512, VECTOR_512)
#endif

static load_fn *vector_load(int bits, const char **missing)
{
    *missing = vector_missing(bits);
    if (*missing)
        return NULL;
#ifdef VECTOR_512
    if (bits == 512)
        return load_512;
#endif
#ifdef VECTOR_256
    if (bits == 256)
        return load_256;
#endif
#ifdef VECTOR_128
    return load_128;
#else
    return NULL;
#endif
}

/* ---- what a test reads */

struct layout {
    size_t word;      /* bytes of a word; vectors are looked at as words of 8 */
    size_t increment; /* words; a power of two */
    size_t n_read;    /* words that are loaded: 0, increment, 2 * increment, ... */
    size_t load_bytes;
    size_t n_loads;
    size_t turn; /* loads of one turn of the loop */
};

static struct layout layout_of(const struct kernel_job *job)
{
    struct layout layout;
    if (job->test->code < FIRST_VECTOR_CODE) {
        layout.word = layout.load_bytes =
            strcmp(kernel_setting(job, "word"), "32") == 0 ? sizeof(uint32_t) : sizeof(uint64_t);
        layout.increment = (size_t)job->test->code;
        layout.turn = SCALAR_TURN;
        size_t n_words = (size_t)job->x / layout.word;
        layout.n_loads = layout.n_read =
            n_words / layout.increment + (n_words % layout.increment != 0);
    } else {
        layout.word = sizeof(uint64_t);
        layout.increment = 1;
        layout.turn = VECTOR_TURN;
        layout.load_bytes = (size_t)job->test->code / 8;
        layout.n_loads = (size_t)job->x / layout.load_bytes;
        layout.n_read = layout.n_loads * (layout.load_bytes / layout.word);
    }
    return layout;
}

/* NULL where this machine cannot; *missing says what it lacks. */
static load_fn *load_of(const struct kernel_job *job, const char **missing)
{
    if (job->test->code >= FIRST_VECTOR_CODE)
        return vector_load(job->test->code, missing);
    if (strcmp(kernel_setting(job, "word"), "32") == 0)
        return uint32_t_load(job->test->code);
#if UINTPTR_MAX > UINT32_MAX
    return uint64_t_load(job->test->code);
#else
    *missing = "this 32-bit program has no integer registers of 64 bits";
    return NULL;
#endif
}

static uint64_t word_get(const void *memory, size_t word, size_t index)
{
    return word == sizeof(uint32_t) ? ((const uint32_t *)memory)[index]
                                    : ((const uint64_t *)memory)[index];
}

static void word_set(void *memory, size_t word, size_t index, uint64_t value)
{
    if (word == sizeof(uint32_t))
        ((uint32_t *)memory)[index] = (uint32_t)value;
    else
        ((uint64_t *)memory)[index] = value;
}

static uint64_t word_mask(const struct layout *layout)
{
    return layout->word == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX;
}

static uint64_t word_right(const struct layout *layout, size_t index)
{
    bool is_read = (index & (layout->increment - 1)) == 0 &&
                   index < layout->n_read * layout->increment;
    return (is_read ? PATTERN : ~PATTERN) & word_mask(layout);
}

/* ---- the kernel */

struct bus_speed {
    load_fn *load;
    struct layout layout;
    uint64_t all; /* AND of all that was loaded so far */
};

static enum kernel_outcome bus_speed_needs(struct kernel_job *job)
{
    const char *missing = NULL;
    if (!load_of(job, &missing))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%s", missing);
    if (job->x > SIZE_MAX - GUARD_BYTES)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are more than this program can address", job->x);
    if (layout_of(job).n_loads == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the array of %" PRIu64 " B is smaller than one load", job->x);
    return KERNEL_OK;
}

static size_t bus_speed_memory(const struct kernel_job *job)
{
    return (size_t)job->x + GUARD_BYTES;
}

static enum kernel_outcome bus_speed_setup(struct kernel_job *job)
{
    struct bus_speed *state = malloc(sizeof *state);
    if (!state)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = state;
    const char *missing;
    state->load = load_of(job, &missing);
    state->layout = layout_of(job);
    state->all = word_mask(&state->layout);
    size_t n = job->memory_bytes / state->layout.word;
    for (size_t i = 0; i < n; i++)
        word_set(job->memory, state->layout.word, i, word_right(&state->layout, i));
    return KERNEL_OK;
}

static void bus_speed_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

static enum kernel_outcome bus_speed_run(struct kernel_job *job, uint64_t iterations)
{
    struct bus_speed *state = job->state;
    state->all &= state->load(job->memory, state->layout.n_loads, iterations);
    return KERNEL_OK;
}

/* Clears one bit, each another, in n of the words that are loaded, the first of them the first-th,
 * and sees that the result of the first n_loads loads lacks just these bits.
 * n: at most half the bits of a word. */
static enum kernel_outcome probe(struct kernel_job *job, size_t first, size_t n, size_t n_loads)
{
    const struct bus_speed *state = job->state;
    const struct layout *layout = &state->layout;
    const uint64_t pattern = PATTERN & word_mask(layout);
    uint64_t cleared = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t bit = UINT64_C(1) << 2 * i;
        word_set(job->memory, layout->word, (first + i) * layout->increment, pattern & ~bit);
        cleared |= bit;
    }
    uint64_t all = state->load(job->memory, n_loads, 1);
    for (size_t i = 0; i < n; i++)
        word_set(job->memory, layout->word, (first + i) * layout->increment, pattern);
    if (all == (pattern & ~cleared))
        return KERNEL_OK;
    size_t missed = 0;
    while (missed + 1 < n && !(all & UINT64_C(1) << 2 * missed))
        missed++;
    return kernel_reason(job, KERNEL_WRONG,
                         "word %zu of the array was not loaded: %" PRIx64 " instead of %" PRIx64,
                         (first + missed) * layout->increment, all, pattern & ~cleared);
}

/* Every word of a turn of the loop, or of the loads that are left over after the last one. */
static enum kernel_outcome probe_turn(struct kernel_job *job, size_t first_load)
{
    const struct bus_speed *state = job->state;
    const struct layout *layout = &state->layout;
    size_t end_load = first_load + layout->turn;
    end_load = end_load < layout->n_loads ? end_load : layout->n_loads;
    size_t words = layout->load_bytes / layout->word, most = layout->word * 4;
    enum kernel_outcome outcome = KERNEL_OK;
    for (size_t i = first_load * words; i < end_load * words && outcome == KERNEL_OK; i += most)
        outcome = probe(job, i, end_load * words - i < most ? end_load * words - i : most, end_load);
    return outcome;
}

/* Every turn over a small array; of a large one the first, some chosen by the seed, and the last. The
 * loop is left after the turn: its loads are those that would go on, and what they loaded last is what
 * the registers hold. */
static enum kernel_outcome probe_loads(struct kernel_job *job)
{
    const struct bus_speed *state = job->state;
    const struct layout *layout = &state->layout;
    size_t n_turns = layout->n_loads / layout->turn + (layout->n_loads % layout->turn != 0);
    bool has_all = layout->n_read <= ALL_PROBED;
    uint64_t random = job->seed;
    enum kernel_outcome outcome = KERNEL_OK;
    for (size_t i = 0; i < (has_all ? n_turns : SOME_PROBED) && outcome == KERNEL_OK; i++) {
        size_t turn = has_all ? i : (size_t)(kernel_random(&random) % n_turns);
        outcome = probe_turn(job, turn * layout->turn);
    }
    return outcome == KERNEL_OK ? probe_turn(job, (n_turns - 1) * layout->turn) : outcome;
}

static enum kernel_outcome bus_speed_check(struct kernel_job *job)
{
    const struct bus_speed *state = job->state;
    const struct layout *layout = &state->layout;
    const uint64_t pattern = PATTERN & word_mask(layout);
    if (state->all != pattern)
        return kernel_reason(job, KERNEL_WRONG, "the AND of all loads is %" PRIx64 ", not %" PRIx64,
                             state->all, pattern);
    size_t n = job->memory_bytes / layout->word;
    for (size_t i = 0; i < n; i++) {
        uint64_t found = word_get(job->memory, layout->word, i);
        if (found != word_right(layout, i))
            return kernel_reason(job, KERNEL_WRONG,
                                 "word %zu of the array is %" PRIx64 ", not %" PRIx64, i, found,
                                 word_right(layout, i));
    }
    return probe_loads(job);
}

static void bus_speed_work(const struct kernel_job *job, struct kernel_work *work)
{
    struct layout layout = layout_of(job);
    work->bytes_read = (double)layout.n_loads * (double)layout.load_bytes;
}

static const struct kernel_metric rate_metric[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};
static const struct kernel_setting word_setting = {
    .key = "word",
    .help = "bits of the words that are loaded",
    .type = SETTING_WORD,
    .values = {"64", "32,64", "32,64"},
    .allowed = "32,64"};
static const struct kernel_setting *const scalar_settings[] = {&sweep_pages, &word_setting, NULL};
static const struct kernel_setting *const vector_settings[] = {&sweep_pages, NULL};

static const struct kernel_test tests[] = {
    {.name = "inc32", .summary = "loads one word out of 32", .metrics = rate_metric,
     .settings = scalar_settings, .code = 32, .sizes = sweep_levels,
     .run = bus_speed_run},
    {.name = "inc16", .summary = "loads one word out of 16", .from = SUITE_STANDARD,
     .metrics = rate_metric, .settings = scalar_settings, .code = 16, .sizes = sweep_levels,
     .run = bus_speed_run},
    {.name = "inc8", .summary = "loads one word out of 8", .from = SUITE_STANDARD,
     .metrics = rate_metric, .settings = scalar_settings, .code = 8, .sizes = sweep_levels,
     .run = bus_speed_run},
    {.name = "inc4", .summary = "loads one word out of 4", .from = SUITE_STANDARD,
     .metrics = rate_metric, .settings = scalar_settings, .code = 4, .sizes = sweep_levels,
     .run = bus_speed_run},
    {.name = "inc2", .summary = "loads one word out of 2", .from = SUITE_STANDARD,
     .metrics = rate_metric, .settings = scalar_settings, .code = 2, .sizes = sweep_levels,
     .run = bus_speed_run},
    {.name = "read_all", .summary = "loads every word", .metrics = rate_metric,
     .settings = scalar_settings, .code = 1, .run = bus_speed_run},
    {.name = "simd128", .summary = "loads all in vectors of 128 bits", .metrics = rate_metric,
     .settings = vector_settings, .code = 128, .run = bus_speed_run},
    {.name = "simd256", .summary = "loads all in vectors of 256 bits", .metrics = rate_metric,
     .settings = vector_settings, .code = 256, .run = bus_speed_run},
    {.name = "simd512", .summary = "loads all in vectors of 512 bits", .metrics = rate_metric,
     .settings = vector_settings, .code = 512, .run = bus_speed_run},
    {0}};

const struct kernel kernel_bus_speed = {
    .name = "bus_speed",
    .summary = "Reading speed of caches and memory; counts the bytes that are loaded, not those "
               "passed over. Words are ANDed into four registers (the historical programs into one "
               "or two, and read past the end of small arrays), 64 at a time unrolled; vectors are "
               "loaded into eight; each thread has an array of its own",
    .source = "Longbottom, BusSpd2K (2001), BusMP (2007), BusSpeed (2010)",
    .needs_text = "simd128: SSE2 or NEON; simd256: AVX2; simd512: AVX-512; pages=huge: transparent "
                  "huge pages",
    .revision = 1,
    .tests = tests,
    .x_unit = "B",
    .sizes = sweep_sizes,
    .threads = {"1", "1,all", "1,all"},
    .work = bus_speed_work,
    .needs = bus_speed_needs,
    .memory = bus_speed_memory,
    .pages = sweep_pages_of,
    .setup = bus_speed_setup,
    .check = bus_speed_check,
    .teardown = bus_speed_teardown,
};
