/* IntBurn64 and the reliability test of BusSpd2K: six patterns written and read, six read; and their
 * paging test, which writes and reads one pattern once or more often and says how long that took:
 *     Write/Read     66.0 Seconds   819.2 MB x 1 passes x 2 (M = 1,000,000)
 *          25 MB/sec  Pattern AAAAAAAAAAAAAAAA 	 Result OK         1 passes
 * MB is 10^6 bytes, KB 1024. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/longbottom.h"

static bool is_title(const char *line)
{
    return strstr(line, "Reliability Test V") != NULL;
}

/* Where the log is, between its lines. */
struct place {
    const char *test; /* NULL before a heading */
    const char *variant;
    double kbytes;       /* 0: not said so far */
    const char *seconds; /* of the paging test's next result; NULL: it is no paging test */
};

/* IntBurn64: "Test 1000 KB at 1 seconds per test, Start at TIME"; BusSpd2K: "Test 1000 KB, 1 seconds per
 * test, TIME". False for another line. */
static bool read_size(struct import *import, size_t line, struct place *place, int *result,
                      struct err *err)
{
    const char *text = import->lines[line], *time = import_after(text, "seconds per test, ");
    double seconds;
    if (!time || (sscanf(text, " Test %lf KB at %lf seconds", &place->kbytes, &seconds) != 2 &&
                  sscanf(text, " Test %lf KB, %lf seconds", &place->kbytes, &seconds) != 2))
        return false;
    if (import_begins(time, "Start at "))
        time += strlen("Start at ");
    *result = 0;
    if (!(place->kbytes > 0 && place->kbytes < 1e12) || !(seconds > 0))
        *result = import_error(import, line, err, "no size and no time of a test");
    else if (!import_run_time(import, time, "log"))
        *result = import_error(import, line, err, "'%s' is no time", time);
    else
        import_fact_number(import, "run.min_time", seconds, "s", "log, seconds per test");
    return true;
}

/* NULL for another line; "" where the figure is not there. */
static const char *paging_seconds(struct import *import, const char *line)
{
    const char *words[2], *behind = import_after(line, "Write/Read");
    behind = behind ? behind : line;
    if (!strstr(behind, " MB x ") || !strstr(behind, " passes x 2 (M = 1,000,000)"))
        return NULL;
    size_t n = import_words(import, behind, words, 2);
    return n >= 2 && strcmp(words[1], "Seconds") == 0 ? words[0] : "";
}

/* figure: MB/sec; reason: NULL, or why there is none. */
static void add_result(struct import *import, const struct place *place, const char *pattern,
                       const char *figure, unsigned long passes, enum record_status status,
                       const char *reason)
{
    bool is_paging = place->seconds != NULL;
    struct record sample = is_paging ? import_sample(import, "paging", "write_read", "rate")
                                     : import_sample(import, "int_burn", place->test, "rate");
    sample.variant = place->variant;
    sample.params = is_paging ? import_params(import, "access", "sequential", "limit", "none", "pattern",
                                              "published", NULL)
                              : import_params(import, "pattern", pattern, NULL);
    RECORD_SET(&sample, x, place->kbytes * 1024);
    sample.x_unit = "B";
    if (passes > 0)
        RECORD_SET(&sample, iterations, passes);
    if (reason)
        import_add_status(import, &sample, status, reason);
    else if (is_paging)
        import_add_timed(import, &sample, figure, 1e6, "B/s", place->seconds);
    else
        import_add_text(import, &sample, figure, 1e6, "B/s");
    if (!is_paging || reason || passes != 1)
        return;
    sample.metric = "time"; /* of writing and reading once */
    import_add_text(import, &sample, place->seconds, 1, "s");
}

static bool is_result(const char *line)
{
    const char *unit = import_after(line, " MB/sec ");
    return unit && import_begins(unit, "Pattern ");
}

/* "1  52 MB/sec  Pattern 0000000000000000  Result OK  1 passes", without a number for the paging test. */
static int read_result(struct import *import, size_t line, const struct place *place, struct err *err)
{
    const char *text = import->lines[line], *words[5], *ok = strstr(text, "Result OK");
    size_t n = import_words(import, text, words, 5), at = place->seconds ? 0 : 1;
    unsigned long passes = 0;
    if (place->kbytes == 0 || (!place->test && !place->seconds))
        return import_error(import, line, err, "a result before what was tested, or its size");
    if (n < at + 4 || strcmp(words[at + 1], "MB/sec") != 0)
        return import_error(import, line, err, "not a figure before MB/sec");
    if (ok)
        sscanf(ok, "Result OK %9lu passes", &passes);
    const char *pattern = words[at + 3];
    add_result(import, place,
               import_text(import, "%.*s", (int)strspn(pattern, "0123456789ABCDEFabcdef"), pattern),
               words[at], passes, STATUS_WRONG, ok ? NULL : text);
    return 0;
}

static int read_section(struct import *import, const struct section *section, size_t *n_results,
                        struct err *err)
{
    bool is_64 = strstr(import->lines[section->title], "64 Bit Integer") != NULL, is_paging = false;
    struct place place = {.variant = is_64 ? "IntBurn64-m64" : "BusSpd2K-m32"};
    for (size_t i = section->title + 1; i < section->end; i++) {
        const char *line = import->lines[i], *words[2], *seconds = paging_seconds(import, line);
        size_t n = import_words(import, line, words, 2);
        int result;
        if (read_size(import, i, &place, &result, err)) {
            TRY(result);
        } else if (seconds) {
            place.seconds = seconds;
        } else if (n == 1 && strcmp(words[0], "Write/Read") == 0) {
            place.test = "write_read";
        } else if (n == 1 && strcmp(words[0], "Read") == 0) {
            place.test = "read";
        } else if (place.kbytes > 0 && import_begins(line, "Cannot allocate memory")) {
            place.test = "write_read";
            place.seconds = is_paging ? "" : NULL;
            add_result(import, &place, NULL, NULL, 0, STATUS_UNAVAILABLE, "Cannot allocate memory");
            ++*n_results;
        } else if (is_result(line)) {
            TRY(read_result(import, i, &place, err));
            place.seconds = NULL;
            ++*n_results;
        } else if (import_begins(line, "Batch Command")) {
            is_paging = strstr(line, "PAGING") != NULL;
        } else if (!strstr(line, "Reliability Test Ended")) {
            continue;
        }
        import_use(import, i, i + 1);
    }
    return 0;
}

static const struct longbottom format = {"Reliability Test", is_title, false, "int_burn", "write_read",
                                         "rate", read_section};

static bool intburn_recognises(const struct import *import)
{
    return longbottom_has(&format, import);
}

static int intburn_read(struct import *import, struct err *err)
{
    return longbottom_read(&format, import, err);
}

const struct importer importer_intburn = {"intburn", "logs of IntBurn64 and of BusSpd2K's reliability test",
                                          intburn_recognises, intburn_read};
