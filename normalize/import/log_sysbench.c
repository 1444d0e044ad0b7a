/* sysbench 1.x. Its own units stand beside the figures: MiB/sec, ms, s, per sec. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool sysbench_recognises(const struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++)
        if (strncmp(import->lines[i], "sysbench ", 9) == 0 &&
            import_find(import, i, "General statistics:") + import_find(import, i, "Throughput:") <
                2 * import->n_lines)
            return true;
    return false;
}

/* What stands behind the colon, without a unit at its end; NULL when it is another line. */
static const char *figure_of(struct import *import, const char *line, const char *name,
                             const char *unit)
{
    const char *colon = strchr(line, ':');
    if (!import_begins(line, name) || !colon || strspn(line, " \t") + strlen(name) != (size_t)(colon - line))
        return NULL;
    const char *figure = colon + 1 + strspn(colon + 1, " ");
    size_t length = strlen(figure), tail = strlen(unit);
    while (length > 0 && figure[length - 1] == ' ')
        length--;
    if (tail > 0 && (length < tail || strncmp(figure + length - tail, unit, tail) != 0))
        return NULL;
    return import_text(import, "%.*s", (int)(length - tail), figure);
}

/* "257521 (143.01 per sec.)" and "1024.00 MiB transferred (5465.93 MiB/sec)" */
static const char *in_brackets(struct import *import, const char *line, const char *unit)
{
    const char *open = strchr(line, '('), *end = open ? strstr(open, unit) : NULL;
    return end ? import_text(import, "%.*s", (int)(end - open - 1), open + 1) : NULL;
}

struct job {
    const char *test;
    const char *params_key, *params_value;
    unsigned long threads;
};

static struct record sample_of(struct import *import, const struct job *job, const char *metric,
                               const char *statistic, const char *of)
{
    struct record sample = import_sample(import, "sysbench", job->test, metric);
    sample.params = import_params(import, job->params_key ? job->params_key : "", job->params_value,
                                  "of", of, "statistic", statistic, NULL);
    RECORD_SET(&sample, threads, job->threads);
    return sample;
}

static int find_job(struct import *import, size_t first, size_t end, struct job *job, struct err *err)
{
    static const struct {
        const char *line, *test;
    } tests[] = {{"CPU speed:", "cpu"},        {"SQL statistics:", "sql"},
                 {"File operations:", "fileio"}, {"Prime numbers limit", "cpu"},
                 {"Running memory speed test", "memory"}};
    *job = (struct job){.test = "other", .threads = 0};
    for (size_t i = first; i < end; i++) {
        const char *line = import->lines[i], *figure;
        for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
            if (import_begins(line, tests[k].line))
                job->test = tests[k].test;
        if ((figure = figure_of(import, line, "Number of threads", "")) != NULL)
            job->threads = strtoul(figure, NULL, 10);
        if ((figure = figure_of(import, line, "Prime numbers limit", "")) != NULL) {
            job->params_key = "limit";
            job->params_value = figure;
        }
    }
    if (job->threads == 0)
        return import_error(import, first, err, "it does not say how many threads");
    return 0;
}

static int read_run(struct import *import, size_t first, size_t end, struct err *err)
{
    static const struct {
        const char *name, *unit, *metric, *statistic, *base;
        double factor;
    } figures[] = {{"events per second", "", "rate", NULL, "1/s", 1},
                   {"events/s (eps)", "", "rate", NULL, "1/s", 1},
                   {"total time", "s", "elapsed", NULL, "s", 1},
                   {"time elapsed", "s", "elapsed", NULL, "s", 1}};
    static const struct {
        const char *name, *metric, *statistic;
    } latencies[] = {{"min", "time", "min"}, {"avg", "time", "mean"}, {"max", "time", "max"},
                     {"95th percentile", "time_p95", NULL}, {"99th percentile", "time_p99", NULL}};
    struct job job;
    bool is_ms = false;
    TRY(import_run_begin_lines(import, first, end, err));
    TRY(find_job(import, first, end, &job, err));
    import_fact(import, "run.program", import->lines[first], "first line");
    for (size_t i = first; i < end; i++) {
        const char *line = import->lines[i], *figure = NULL;
        bool is_used = i == first || import_begins(line, "Number of threads") ||
                       import_begins(line, "Prime numbers");
        if (import_begins(line, "Latency (ms):"))
            is_ms = true;
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
            if ((figure = figure_of(import, line, figures[k].name, figures[k].unit)) != NULL) {
                struct record sample =
                    sample_of(import, &job, figures[k].metric, figures[k].statistic, NULL);
                import_add_text(import, &sample, figure, figures[k].factor, figures[k].base);
                is_used = true;
            }
        for (size_t k = 0; is_ms && k < sizeof latencies / sizeof latencies[0]; k++)
            if ((figure = figure_of(import, line, latencies[k].name, "")) != NULL) {
                struct record sample =
                    sample_of(import, &job, latencies[k].metric, latencies[k].statistic, NULL);
                import_add_text(import, &sample, figure, 1e-3, "s");
                is_used = true;
            }
        bool is_count = import_begins(line, "transactions:") || import_begins(line, "queries:");
        if (is_count && (figure = in_brackets(import, line, " per sec.")) != NULL) {
            struct record sample = sample_of(import, &job, "rate", NULL,
                                             import_begins(line, "queries") ? "queries" : "transactions");
            import_add_text(import, &sample, figure, 1, "1/s");
            is_used = true;
        }
        if (strstr(line, "MiB transferred") && (figure = in_brackets(import, line, " MiB/sec")) != NULL) {
            struct record sample = sample_of(import, &job, "rate", NULL, "transfer");
            import_add_text(import, &sample, figure, 1048576, "B/s");
            is_used = true;
        }
        if (is_used)
            import_use(import, i, i + 1);
    }
    return import_run_end(import, first, err);
}

static int sysbench_read(struct import *import, struct err *err)
{
    size_t first = import_find(import, 0, "sysbench ");
    if (first == import->n_lines)
        return import_error(import, 0, err, "no line starts a run of sysbench");
    while (first < import->n_lines) {
        size_t end = import_find(import, first + 1, "sysbench ");
        TRY(read_run(import, first, end, err));
        first = end;
    }
    return 0;
}

const struct importer importer_sysbench = {"sysbench", "sysbench 1.x", sysbench_recognises,
                                           sysbench_read};
