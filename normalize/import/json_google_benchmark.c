/* Google Benchmark --benchmark_format=json: times with their time_unit beside them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "normalize/import/json.h"
#include "schema/unit.h"

static bool google_benchmark_recognises(const struct import *import)
{
    return json_has(import, "\"benchmarks\"", "\"real_time\"", "\"time_unit\"", NULL);
}

static void read_context(struct import *import, const struct node *root)
{
    static const struct {
        const char *key, *fact, *unit;
        double factor;
    } numbers[] = {{"num_cpus", "cpu.count.online", "1", 1}, {"mhz_per_cpu", "cpu.clock", "Hz", 1e6}};
    struct node context = node_member(root, "context"), date = node_member(&context, "date");
    struct node type = node_member(&context, "library_build_type");
    struct node scaling = node_member(&context, "cpu_scaling_enabled");
    struct node version = node_member(&context, "library_version");
    if (node_text(&date))
        import_run_time(import, node_text(&date), "context date");
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct node number = node_member(&context, numbers[i].key);
        if (node_number(&number, 0) > 0)
            import_fact_number(import, numbers[i].fact,
                               import_scale(node_number(&number, 0), numbers[i].factor),
                               numbers[i].unit, import_text(import, "context %s", numbers[i].key));
    }
    if (json_is_boolean(scaling.value))
        import_fact(import, "cpu.clock.scaling", json_is_true(scaling.value) ? "yes" : "no",
                    "context cpu_scaling_enabled");
    if (node_text(&type))
        import_fact(import, "run.library", node_text(&type), "context library_build_type");
    if (node_text(&version))
        import_fact(import, "run.program", node_text(&version), "context library_version");
}

/* Its caches: {"type": "Data", "level": 1, "size": 32768, "num_sharing": 2}, sizes in bytes. */
static void read_caches(struct import *import, const struct node *root)
{
    struct node context = node_member(root, "context"), caches = node_member(&context, "caches");
    for (size_t i = 0; i < node_count(&caches); i++) {
        struct node cache = node_element(&caches, i), type = node_member(&cache, "type");
        struct node level = node_member(&cache, "level"), size = node_member(&cache, "size");
        double n = node_number(&level, 0);
        if (!node_text(&type) || n < 1 || n > 9 || node_number(&size, 0) <= 0)
            continue;
        const char *suffix = n > 1                                      ? ""
                             : strcmp(node_text(&type), "Instruction") == 0 ? "i"
                                                                        : "d";
        import_fact_number(import, import_text(import, "cache.l%d%s", (int)n, suffix),
                           node_number(&size, 0), "B", "context caches");
    }
}

static bool is_aggregate(const struct node *entry)
{
    struct node type = node_member(entry, "run_type");
    return node_text(&type) && strcmp(node_text(&type), "aggregate") == 0;
}

/* An aggregate is kept only where the repetitions it was made from are not there. */
static bool has_iterations(const struct node *entries, const char *name)
{
    for (size_t i = 0; i < node_count(entries); i++) {
        struct node entry = node_element(entries, i), run = node_member(&entry, "run_name");
        if (!is_aggregate(&entry) && node_text(&run) && strcmp(node_text(&run), name) == 0)
            return true;
    }
    return false;
}

static bool is_kept(const struct node *entries, const struct node *entry)
{
    static const char *const kept[] = {"mean", "median", "min", "max"};
    struct node run = node_member(entry, "run_name"), what = node_member(entry, "aggregate_name");
    if (!is_aggregate(entry))
        return true;
    if (node_text(&run) && has_iterations(entries, node_text(&run)))
        return false;
    for (size_t i = 0; node_text(&what) && i < sizeof kept / sizeof kept[0]; i++)
        if (strcmp(kept[i], node_text(&what)) == 0)
            return true;
    return !node_text(&what);
}

static int read_entry(struct import *import, const struct node *entries, const struct node *entry,
                      struct err *err)
{
    struct node name, run = node_member(entry, "run_name"), unit = node_member(entry, "time_unit");
    struct node label = node_member(entry, "label"), threads = node_member(entry, "threads");
    struct node count = node_member(entry, "iterations"), what = node_member(entry, "aggregate_name");
    struct node failed = node_member(entry, "error_occurred"),
                message = node_member(entry, "error_message");
    TRY(node_need(import, entry, "name", JSON_STRING, &name, err));
    if (!is_kept(entries, entry))
        return 0;
    const char *test = import_redact(import, node_text(&run) ? node_text(&run) : node_text(&name));
    const char *statistic = !is_aggregate(entry) ? NULL
                            : node_text(&what)   ? node_text(&what)
                                                 : "aggregate";
    struct record sample = import_sample(import, "google_benchmark", test, "time");
    double n = node_number(&count, -1), n_threads = node_number(&threads, 1);
    if (n >= 1 && n < 9e15)
        RECORD_SET(&sample, iterations, (uint64_t)n);
    RECORD_SET(&sample, threads, n_threads >= 1 && n_threads < 1e6 ? (uint64_t)n_threads : 1);
    sample.params = import_params(import, "label", node_text(&label), "statistic", statistic, NULL);
    if (json_is_true(failed.value)) {
        import_add_status(import, &sample, STATUS_FAILED,
                          node_text(&message) && *node_text(&message) ? node_text(&message)
                                                                      : "error_occurred");
        return 0;
    }
    const struct unit_spelling *spelling =
        node_text(&unit) ? unit_find_spelling(node_text(&unit)) : NULL;
    if (!spelling || strcmp(spelling->base, "s") != 0)
        return node_error(import, unit.value ? &unit : entry, err, "no known \"time_unit\"");
    struct node real = node_member(entry, "real_time"), cpu = node_member(entry, "cpu_time");
    struct node bytes = node_member(entry, "bytes_per_second"),
                items = node_member(entry, "items_per_second");
    node_add(import, &sample, &real, spelling->factor, "s");
    sample.params = import_params(import, "clock", "cpu", "label", node_text(&label), "statistic",
                                  statistic, NULL);
    if (cpu.value)
        node_add(import, &sample, &cpu, spelling->factor, "s");
    sample.params = import_params(import, "label", node_text(&label), "statistic", statistic, NULL);
    sample.metric = "rate";
    if (bytes.value)
        node_add(import, &sample, &bytes, 1, "B/s");
    sample.metric = "op_rate";
    if (items.value)
        node_add(import, &sample, &items, 1, "op/s");
    return 0;
}

static int read_document(struct import *import, const struct node *root, const char *bytes,
                         size_t size, struct err *err)
{
    struct node entries;
    TRY(node_need(import, root, "benchmarks", JSON_ARRAY, &entries, err));
    TRY(import_run_begin(import, bytes, size, err));
    read_context(import, root);
    read_caches(import, root);
    for (size_t i = 0; i < node_count(&entries); i++) {
        struct node entry = node_element(&entries, i);
        TRY(read_entry(import, &entries, &entry, err));
    }
    return import_run_end(import, node_line(import, root), err);
}

static int google_benchmark_read(struct import *import, struct err *err)
{
    return json_documents(import, read_document, err);
}

const struct importer importer_google_benchmark = {
    "google_benchmark", "Google Benchmark --benchmark_format=json", google_benchmark_recognises,
    google_benchmark_read};
