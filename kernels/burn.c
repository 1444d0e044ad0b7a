/* Memory in units of 64 bytes, half of each filled with one pattern and half with another, as in the
 * historical programs. write_read swaps the two on every pass, so that every bit changes, writes all
 * and compares all; read writes once and compares all on every pass. They summed what they read and
 * compared the sum; here every word is compared with what it must be.
 *
 * Words are those of the integer registers, and each is moved by an instruction of its own: an empty
 * assembly statement behind it keeps compilers from making vectors or a fill of the library. */
#include "kernels/burn.h"

#include "kernels/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t word;

enum { UNIT_BYTES = 64, UNIT_WORDS = UNIT_BYTES / sizeof(word), HALF_WORDS = UNIT_WORDS / 2 };

enum burn_code { WRITE_READ, READ };

/* In job->state. */
struct burn {
    size_t n_units;
    word first, second; /* what the units hold now */
    uint64_t done;
    word *fault; /* NULL: no bit is flipped */
};

/* "a55a": 0xa5 in every byte of the first half, 0x5a in the second. */
static word pattern_word(const struct kernel_job *job, unsigned half)
{
    unsigned long pair = strtoul(kernel_setting(job, "pattern"), NULL, 16);
    return (word)-1 / 0xff * (word)(half == 0 ? pair >> 8 : pair & 0xff);
}

#define PUT(at, value)                                                                             \
    p[at] = value;                                                                                 \
    KERNEL_BARRIER();
#define PUT_4(at, value)                                                                           \
    PUT(at, value)                                                                                 \
    PUT((at) + 1, value)                                                                           \
    PUT((at) + 2, value)                                                                           \
    PUT((at) + 3, value)
/* Four registers, so that the latency of OR does not limit what is measured. */
#define GET(difference, at, value)                                                                 \
    difference |= p[at] ^ value;                                                                   \
    KERNEL_KEEP(difference);
#define GET_4(at, value)                                                                           \
    GET(a, at, value)                                                                              \
    GET(b, (at) + 1, value)                                                                        \
    GET(c, (at) + 2, value)                                                                        \
    GET(d, (at) + 3, value)

static __attribute__((noinline)) void units_write(word *p, size_t n, word first, word second)
{
    for (; n > 0; n--, p += UNIT_WORDS) {
        PUT_4(0, first)
#if UINTPTR_MAX > UINT32_MAX
        PUT_4(4, second)
#else
        PUT_4(4, first)
        PUT_4(8, second)
        PUT_4(12, second)
#endif
    }
}

/* True when every word is right. */
static __attribute__((noinline)) bool units_compare(const word *p, size_t n, word first,
                                                    word second)
{
    word a = 0, b = 0, c = 0, d = 0;
    KERNEL_BARRIER();
    for (; n > 0; n--, p += UNIT_WORDS) {
        GET_4(0, first)
#if UINTPTR_MAX > UINT32_MAX
        GET_4(4, second)
#else
        GET_4(4, first)
        GET_4(8, second)
        GET_4(12, second)
#endif
    }
    return (a | b | c | d) == 0;
}

/* Looks at the words one by one. */
static enum kernel_outcome words_compare(struct kernel_job *job)
{
    const struct burn *burn = job->state;
    const word *words = job->memory;
    uint64_t n_wrong = 0;
    size_t first_wrong = 0;
    word expected = 0, found = 0;
    for (size_t i = 0; i < burn->n_units * UNIT_WORDS; i++) {
        word right = i % UNIT_WORDS < HALF_WORDS ? burn->first : burn->second;
        if (words[i] == right)
            continue;
        if (n_wrong++ == 0) {
            first_wrong = i;
            expected = right;
            found = words[i];
        }
    }
    if (n_wrong == 0)
        return KERNEL_OK;
    return kernel_reason(job, KERNEL_WRONG,
                         "byte %zu of the array, address 0x%" PRIxPTR ": expected %0*" PRIxPTR
                         ", found %0*" PRIxPTR "; %" PRIu64 " words were wrong, in pass %" PRIu64,
                         first_wrong * sizeof(word), (uintptr_t)&words[first_wrong],
                         (int)(2 * sizeof(word)), expected, (int)(2 * sizeof(word)), found, n_wrong,
                         burn->done + 1);
}

static void fault_make(struct burn *burn)
{
    if (burn->fault)
        *burn->fault ^= 1;
    burn->fault = NULL;
}

/* A difference that is gone when it is looked for was one all the same. */
static enum kernel_outcome units_verify(struct kernel_job *job)
{
    const struct burn *burn = job->state;
    if (units_compare(job->memory, burn->n_units, burn->first, burn->second))
        return KERNEL_OK;
    enum kernel_outcome outcome = words_compare(job);
    return outcome != KERNEL_OK
               ? outcome
               : kernel_reason(job, KERNEL_WRONG,
                               "a word was wrong in pass %" PRIu64 ", and right when read again",
                               burn->done + 1);
}

static enum kernel_outcome write_read_run(struct kernel_job *job, uint64_t iterations)
{
    struct burn *burn = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++, burn->done++) {
        word first = burn->first;
        burn->first = burn->second;
        burn->second = first;
        units_write(job->memory, burn->n_units, burn->first, burn->second);
        fault_make(burn);
        outcome = units_verify(job);
    }
    return outcome;
}

static enum kernel_outcome read_run(struct kernel_job *job, uint64_t iterations)
{
    struct burn *burn = job->state;
    enum kernel_outcome outcome = KERNEL_OK;
    fault_make(burn);
    for (uint64_t i = 0; i < iterations && outcome == KERNEL_OK; i++, burn->done++)
        outcome = units_verify(job);
    return outcome;
}

static size_t bytes_of(const struct kernel_job *job)
{
    return (size_t)job->x / UNIT_BYTES * UNIT_BYTES;
}

enum kernel_outcome burn_needs(struct kernel_job *job)
{
    if (job->x > SIZE_MAX)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " B are more than this program can address", job->x);
    if (job->x < UNIT_BYTES)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "the array of %" PRIu64 " B is smaller than %d B", job->x, UNIT_BYTES);
    return KERNEL_OK;
}

size_t burn_memory(const struct kernel_job *job)
{
    return bytes_of(job);
}

enum kernel_outcome burn_setup(struct kernel_job *job)
{
    struct burn *burn = calloc(1, sizeof *burn);
    if (!burn)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = burn;
    burn->n_units = bytes_of(job) / UNIT_BYTES;
    burn->first = pattern_word(job, 0);
    burn->second = pattern_word(job, 1);
    units_write(job->memory, burn->n_units, burn->first, burn->second);
    uint64_t random = job->seed;
    if (strcmp(kernel_setting(job, "fault"), "yes") == 0)
        burn->fault = (word *)job->memory + kernel_random(&random) % (burn->n_units * UNIT_WORDS);
    return units_verify(job);
}

void burn_teardown(struct kernel_job *job)
{
    free(job->state);
    job->state = NULL;
}

enum kernel_outcome burn_check(struct kernel_job *job)
{
    const struct burn *burn = job->state;
    if (burn->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "did %" PRIu64 " passes of %" PRIu64, burn->done,
                             job->n_iterations);
    word first = pattern_word(job, 0), second = pattern_word(job, 1);
    bool is_swapped = job->test->code == WRITE_READ && burn->done % 2 == 1;
    if (burn->first != (is_swapped ? second : first) ||
        burn->second != (is_swapped ? first : second))
        return kernel_reason(job, KERNEL_WRONG, "the patterns were not swapped on every pass");
    return words_compare(job);
}

void burn_work(const struct kernel_job *job, struct kernel_work *work)
{
    work->bytes_read = (double)bytes_of(job);
    work->bytes_written = job->test->code == WRITE_READ ? work->bytes_read : 0;
}

#define PATTERN_HELP "bytes of the two halves of 64-byte units, hexadecimal"
#define PATTERN_ALLOWED "00ff,ff00,a55a,55aa,33cc,f00f,0000,ffff"
#define PATTERN(name, explained, more)                                                             \
    static const struct kernel_setting name = {.key = "pattern",                                   \
                                               .help = explained,                                  \
                                               .type = SETTING_WORD,                               \
                                               .values = {"a55a", more, more},                     \
                                               .allowed = PATTERN_ALLOWED};
PATTERN(write_pattern, PATTERN_HELP ", swapped on every pass", "00ff,ff00,a55a,55aa,33cc,f00f")
PATTERN(read_pattern, PATTERN_HELP, "0000,ffff,a55a,55aa,33cc,f00f")
/* What several processes do to each other does not depend on the bits. */
PATTERN(task_write_pattern, PATTERN_HELP ", swapped on every pass", "a55a")
PATTERN(task_read_pattern, PATTERN_HELP, "a55a")
static const struct kernel_setting fault_setting = {
    .key = "fault",
    .help = "yes flips a bit of the memory, to show that it is found",
    .type = SETTING_WORD,
    .values = {"no", "no", "no"},
    .allowed = "no,yes"};
static const struct kernel_setting *const write_settings[] = {&fault_setting, &sweep_pages,
                                                              &write_pattern, NULL};
static const struct kernel_setting *const read_settings[] = {&fault_setting, &sweep_pages,
                                                             &read_pattern, NULL};
static const struct kernel_setting *const task_write_settings[] = {&fault_setting, &sweep_pages,
                                                                   &task_write_pattern, NULL};
static const struct kernel_setting *const task_read_settings[] = {&fault_setting, &sweep_pages,
                                                                  &task_read_pattern, NULL};
static const struct kernel_metric rate_metric[] = {{"rate", QUANTITY_BYTE_RATE}, {0}};

#define TESTS(of_write, of_read)                                                                   \
    {{.name = "write_read", .summary = "writes all with the patterns swapped, reads and compares all", \
      .from = SUITE_STANDARD, .metrics = rate_metric, .settings = of_write, .code = WRITE_READ,    \
      .run = write_read_run},                                                                      \
     {.name = "read", .summary = "reads and compares all", .from = SUITE_STANDARD,                 \
      .metrics = rate_metric, .settings = of_read, .code = READ, .run = read_run},                 \
     {0}}
const struct kernel_test burn_tests[] = TESTS(write_settings, read_settings);
const struct kernel_test burn_task_tests[] = TESTS(task_write_settings, task_read_settings);
