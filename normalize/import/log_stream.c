/* STREAM 5.x. MB/s is 10^6 B/s of the best time (McCalpin, stream.c, "bytes" and the printing of
 * results); array sizes are elements times bytes per element. */
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool stream_recognises(const struct import *import)
{
    return import_find(import, 0, "STREAM version") < import->n_lines &&
           import_find(import, 0, "Function    Best Rate MB/s") < import->n_lines;
}

static double number_after(const struct import *import, size_t first, size_t end, const char *part)
{
    double number = 0;
    for (size_t i = first; i < end; i++) {
        const char *text = import_after(import->lines[i], part);
        if (text && sscanf(text, "%lf", &number) == 1)
            break;
    }
    return number;
}

static void add_kernel(struct import *import, const struct record *base, const char *const *words,
                       const char *wrong)
{
    static const char *const statistics[] = {"mean", "min", "max"};
    for (size_t i = 0; i < 4; i++) {
        struct record sample = *base;
        sample.metric = i == 0 ? "rate" : "time";
        sample.params =
            import_params(import, "statistic", i == 0 ? "best" : statistics[i - 1], NULL);
        if (wrong)
            import_add_status(import, &sample, STATUS_WRONG, wrong);
        else
            import_add_text(import, &sample, words[i + 1], i == 0 ? 1e6 : 1, i == 0 ? "B/s" : "s");
    }
}

static int read_run(struct import *import, size_t first, size_t end, struct err *err)
{
    static const char *const tests[] = {"Copy:", "Scale:", "Add:", "Triad:"};
    const char *words[6];
    double bytes = number_after(import, first, end, "This system uses ");
    double elements = number_after(import, first, end, "Array size = ");
    double threads = number_after(import, first, end, "Number of Threads counted = ");
    bool is_valid = import_find(import, first, "Solution Validates") < end;
    const char *wrong = is_valid ? NULL : "the log does not say that the solution validates";
    TRY(import_run_begin_lines(import, first, end, err));
    import_fact(import, "run.program", import->lines[first], "first line");
    for (size_t i = first; i < end; i++) {
        const char *line = import->lines[i];
        size_t n = import_words(import, line, words, 6);
        size_t test = 0;
        while (n > 0 && test < 4 && strcmp(words[0], tests[test]) != 0)
            test++;
        if (n > 0 && test < 4) {
            if (n != 5)
                return import_error(import, i, err, "not a rate and three times");
            struct record base =
                import_sample(import, "stream", import_name(import, words[0]), "rate");
            if (bytes > 0 && elements > 0) {
                RECORD_SET(&base, x, bytes * elements);
                base.x_unit = "B";
            }
            if (threads >= 1 && threads < 1e6)
                RECORD_SET(&base, threads, (uint64_t)threads);
            add_kernel(import, &base, words, wrong);
        }
        if ((n > 0 && test < 4) || i == first || import_begins(line, "----") ||
            import_begins(line, "Function ") || import_begins(line, "Solution Validates") ||
            import_begins(line, "This system uses") || import_begins(line, "Array size =") ||
            import_begins(line, "Number of Threads"))
            import_use(import, i, i + 1);
    }
    return import_run_end(import, first, err);
}

static int stream_read(struct import *import, struct err *err)
{
    size_t first = import_find(import, 0, "STREAM version");
    if (first == import->n_lines)
        return import_error(import, 0, err, "no line starts a run of STREAM");
    while (first < import->n_lines) {
        size_t end = import_find(import, first + 1, "STREAM version");
        TRY(read_run(import, first, end, err));
        first = end;
    }
    return 0;
}

const struct importer importer_stream = {"stream", "STREAM 5", stream_recognises, stream_read};
