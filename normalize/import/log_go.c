/* Go's benchmark format (golang.org/design/14313-benchmark-format). MB/s is 10^6 B/s there. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool is_result(const char *line)
{
    size_t length = strcspn(line, " \t");
    const char *rest = line + length + strspn(line + length, " \t");
    return strncmp(line, "Benchmark", 9) == 0 && length > 9 && !islower((unsigned char)line[9]) &&
           isdigit((unsigned char)*rest) && strstr(rest, "/op");
}

static bool go_recognises(const struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++)
        if (is_result(import->lines[i]))
            return true;
    return false;
}

static void add_figure(struct import *import, struct record sample, const char *figure,
                       const char *unit)
{
    static const struct {
        const char *unit, *metric, *base;
        double factor;
    } known[] = {{"ns/op", "time", "s", 1e-9},
                 {"MB/s", "rate", "B/s", 1e6},
                 {"B/s", "rate", "B/s", 1},
                 {"B/op", "allocated", "B", 1},
                 {"allocs/op", "allocations", "1", 1},
                 {"sec/op", "time", "s", 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].unit, unit) != 0)
            continue;
        sample.metric = known[i].metric;
        import_add_text(import, &sample, figure, known[i].factor, known[i].base);
        return;
    }
    /* A unit of the benchmark's own: what it measures is not known. */
    sample.metric = "time";
    sample.params = import_params(import, "unit", unit, NULL);
    import_add_status(import, &sample, STATUS_UNAVAILABLE,
                      import_text(import, "%s %s: the unit is not known", figure, unit));
}

static int read_result(struct import *import, size_t line, const char *package, struct err *err)
{
    enum { WORDS_MAX = 64 };
    const char *words[WORDS_MAX];
    size_t n = import_words(import, import->lines[line], words, WORDS_MAX);
    if (n > WORDS_MAX || n % 2 != 0)
        return import_error(import, line, err, "figures and units do not pair");
    double iterations;
    if (!import_number(words[1], &iterations) || iterations < 1 || iterations > 9e15)
        return import_error(import, line, err, "'%s' is no number of iterations", words[1]);
    const char *dash = strrchr(words[0], '-');
    unsigned long threads = 1;
    size_t length = strlen(words[0]);
    if (dash && dash[1] && strspn(dash + 1, "0123456789") == strlen(dash + 1) && strlen(dash + 1) < 6 &&
        dash[1] != '0') {
        threads = strtoul(dash + 1, NULL, 10); /* GOMAXPROCS */
        length = (size_t)(dash - words[0]);
    }
    struct record sample = import_sample(
        import, "go_benchmark",
        import_redact(import, import_text(import, "%.*s", (int)length - 9, words[0] + 9)), "time");
    RECORD_SET(&sample, threads, threads);
    RECORD_SET(&sample, iterations, (uint64_t)iterations);
    sample.params = import_params(import, "package", package, NULL);
    for (size_t i = 2; i < n; i += 2)
        add_figure(import, sample, words[i], words[i + 1]);
    return 0;
}

static int go_read(struct import *import, struct err *err)
{
    static const struct {
        const char *key, *fact;
    } keys[] = {{"goos: ", "system.os"}, {"goarch: ", "system.arch"}, {"cpu: ", "cpu.model"}};
    const char *package = NULL;
    TRY(import_run_begin(import, import->bytes, import->size, err));
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *line = import->lines[i];
        bool is_used = true;
        if (is_result(line)) {
            TRY(read_result(import, i, package, err));
        } else if (strncmp(line, "pkg: ", 5) == 0) {
            package = line + 5;
        } else {
            is_used = false;
            for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
                if (strncmp(line, keys[k].key, strlen(keys[k].key)) == 0) {
                    import_fact(import, keys[k].fact, line + strlen(keys[k].key), "benchmark output");
                    if (k == 2)
                        import_run_machine(import, line + strlen(keys[k].key));
                    is_used = true;
                }
        }
        if (is_used)
            import_use(import, i, i + 1);
    }
    return import_run_end(import, 0, err);
}

const struct importer importer_go = {"go", "go test -bench", go_recognises, go_read};
