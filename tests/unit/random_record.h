/* Random valid records for property tests: every text may hold quotes, commas, line ends, edge
 * blanks and UTF-8; numbers are random bit patterns. */
#ifndef TESTS_UNIT_RANDOM_RECORD_H
#define TESTS_UNIT_RANDOM_RECORD_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/record.h"
#include "schema/unit.h"
#include "tests/unit/random.h"

struct random_texts {
    char texts[8][48];
    int n_used;
};

static inline const char *random_text(struct random_texts *texts, uint64_t *seed, bool may_be_empty)
{
    static const char *const pieces[] = {"\"", "\"\"", ",",  "\n", "\r\n", "\r", " ", "\t",
                                         "a",  "Z9",   ";=", "ä",  "€",    "😀",  "'", "\\"};
    char *text = texts->texts[texts->n_used++];
    text[0] = '\0';
    uint32_t n = random_below(seed, 10) + !may_be_empty;
    for (uint32_t i = 0; i < n; i++)
        strcat(text, pieces[random_below(seed, sizeof pieces / sizeof pieces[0])]);
    return text;
}

static inline double random_double(uint64_t *seed)
{
    for (;;) {
        uint64_t bits = random_next(seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            return value;
    }
}

/* The record borrows texts. */
static inline struct record random_record(struct random_texts *texts, uint64_t *seed)
{
    texts->n_used = 0;
    bool is_fact = random_below(seed, 4) == 0;
    struct record record = record_new(is_fact ? KIND_FACT : KIND_SAMPLE);
    record.run = random_text(texts, seed, false);
    record.machine = random_text(texts, seed, false);
    record.time = random_below(seed, 2) ? "2024-02-29T12:34:56.789Z" : "2007";
    record.params = random_below(seed, 2) ? "a=1;b=x y%3B" : "";
    bool is_ok = random_below(seed, 3) > 0;
    if (is_fact) {
        record.metric = "cpu.model_name";
        record.test = random_below(seed, 2) ? "before" : "";
        record.status = is_ok ? STATUS_OK : STATUS_UNKNOWN;
        record.text = random_text(texts, seed, false);
        if (is_ok && random_below(seed, 2)) {
            RECORD_SET(&record, value, random_double(seed));
            record.unit = "Hz";
        }
        return record;
    }
    record.kernel = "bus_speed";
    RECORD_SET(&record, revision, random_next(seed));
    record.test = random_text(texts, seed, false);
    record.variant = random_text(texts, seed, false);
    RECORD_SET(&record, threads, random_next(seed) | 1);
    if (random_below(seed, 2)) {
        RECORD_SET(&record, x, random_double(seed));
        record.x_unit = "B";
    }
    record.metric = "rate";
    RECORD_SET(&record, rep, random_next(seed) >> random_below(seed, 64));
    if (random_below(seed, 2))
        RECORD_SET(&record, iterations, random_next(seed));
    if (random_below(seed, 2))
        RECORD_SET(&record, elapsed_ns, 0);
    if (is_ok) {
        RECORD_SET(&record, value, random_double(seed));
        record.unit = "B/s";
        record.text = random_text(texts, seed, true);
    } else {
        record.status = STATUS_UNAVAILABLE;
        record.text = random_text(texts, seed, false);
    }
    return record;
}

/* Every column; doubles by their bits, but -0, which is written as 0. */
static inline bool record_equals(const struct record *a, const struct record *b)
{
#define EQUALS_TEXT(name) strcmp(a->name, b->name) == 0
#define EQUALS_COUNT(name) a->name == b->name
#define EQUALS_NUMBER(name) (a->name == b->name)
#define EQUALS_KIND(name) a->name == b->name
#define EQUALS_STATUS(name) a->name == b->name
#define EQUALS(name, type, ...) &&EQUALS_##type(name)
    return a->present == b->present SCHEMA_COLUMNS(EQUALS);
#undef EQUALS
}

#endif
