/* IntBurn64 and the reliability test of BusSpd2K: six patterns written and read, six read. MB is 10^6
 * bytes, KB 1024. And their paging test: "2 Seconds 819 MB x 1 passes x 2 (M = 1,000,000)". */
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool is_start(const char *line)
{
    return strstr(line, "Reliability Test Ver") || strstr(line, "Reliability Test V");
}

static size_t next_start(const struct import *import, size_t line)
{
    while (line < import->n_lines && !is_start(import->lines[line]))
        line++;
    return line;
}

static bool intburn_recognises(const struct import *import)
{
    return next_start(import, 0) < import->n_lines;
}

static void add_result(struct import *import, const char *line, const char *test, const char *variant,
                       double kbytes, const char *figure, const char *pattern)
{
    struct record sample = import_sample(import, "int_burn", test, "rate");
    const char *result = strstr(line, "Result OK");
    unsigned long passes;
    sample.variant = variant;
    sample.params = import_params(import, "pattern", pattern, NULL);
    RECORD_SET(&sample, x, kbytes * 1024);
    sample.x_unit = "B";
    if (result && sscanf(result, "Result OK %9lu passes", &passes) == 1 && passes > 0)
        RECORD_SET(&sample, iterations, passes);
    if (result)
        import_add_text(import, &sample, figure, 1e6, "B/s");
    else
        import_add_status(import, &sample, STATUS_WRONG, line);
}

static int read_run(struct import *import, size_t first, size_t end, struct err *err)
{
    const char *test = NULL, *words[4];
    double kbytes = 0, seconds;
    bool is_64 = strstr(import->lines[first], "64 Bit Integer") != NULL;
    const char *variant = is_64 ? "IntBurn64-m64" : "BusSpd2K-m32";
    TRY(import_run_begin_lines(import, first, end, err));
    import_fact(import, "run.program", import->lines[first], "log, title");
    import_use(import, first, first + 1);
    for (size_t i = first; i < end; i++) {
        const char *line = import->lines[i], *start = import_after(line, "Start at ");
        const char *pattern = import_after(line, "Pattern ");
        size_t n = import_words(import, line, words, 4);
        if (start && sscanf(line, " Test %lf KB at %lf seconds per test", &kbytes, &seconds) == 2) {
            if (!(kbytes > 0 && kbytes < 1e12) || !(seconds > 0))
                return import_error(import, i, err, "no size and no time of a test");
            if (!import_run_time(import, start, "log"))
                return import_error(import, i, err, "'%s' is no time", start);
            import_fact_number(import, "run.min_time", seconds, "s", "log, seconds per test");
        } else if (n == 1 && strcmp(words[0], "Write/Read") == 0) {
            test = "write_read";
        } else if (n == 1 && strcmp(words[0], "Read") == 0) {
            test = "read";
        } else if (test && pattern && n > 3 && strcmp(words[2], "MB/sec") == 0) {
            if (kbytes == 0)
                return import_error(import, i, err, "a result before the size of the test");
            add_result(import, line, test, variant, kbytes, words[1],
                       import_text(import, "%.*s", (int)strspn(pattern, "0123456789ABCDEFabcdef"),
                                   pattern));
        } else if (!strstr(line, "Reliability Test Ended") && !strstr(line, "Batch Command")) {
            continue;
        }
        import_use(import, i, i + 1);
    }
    return import_run_end(import, first, err);
}

static int intburn_read(struct import *import, struct err *err)
{
    size_t first = next_start(import, 0);
    if (first == import->n_lines)
        return import_error(import, 0, err, "no line starts a reliability test");
    while (first < import->n_lines) {
        size_t end = next_start(import, first + 1);
        TRY(read_run(import, first, end, err));
        first = end;
    }
    return 0;
}

const struct importer importer_intburn = {"intburn", "logs of IntBurn64 and of BusSpd2K's reliability test",
                                          intburn_recognises, intburn_read};
