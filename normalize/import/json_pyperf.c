/* pyperf (and perf before it), files of version 1.0: values in metadata.unit, seconds when it is not
 * there (pyperf documentation, "Metadata"). */
#include <string.h>

#include "normalize/import/json.h"

static bool pyperf_recognises(const struct import *import)
{
    return json_has(import, "\"benchmarks\"", "\"runs\"", "\"warmups\"", "\"metadata\"", NULL);
}

/* Of a run, else of its benchmark, else of the file. */
static struct node metadata(const struct node *holders, size_t n, const char *key)
{
    struct node found = {0};
    for (size_t i = 0; i < n && !found.value; i++)
        found = node_member(&holders[i], key);
    return found;
}

static void read_facts(struct import *import, const struct node *holders, size_t n)
{
    static const struct {
        const char *key, *fact;
    } texts[] = {{"cpu_model_name", "cpu.model"},   {"platform", "system.os"},
                 {"python_version", "run.python"},  {"python_compiler", "build.compiler"},
                 {"python_cflags", "build.flags"},  {"aslr", "system.address_randomization"},
                 {"cpu_config", "cpu.clock.driver"}, {"cpu_affinity", "cpu.affinity"},
                 {"perf_version", "run.program"},   {"timer", "clock.source"}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct node value = metadata(holders, n, texts[i].key);
        if (node_text(&value))
            import_fact(import, texts[i].fact, node_text(&value),
                        import_text(import, "metadata %s", texts[i].key));
    }
    struct node model = metadata(holders, n, "cpu_model_name"), count = metadata(holders, n, "cpu_count");
    if (node_text(&model))
        import_run_machine(import, node_text(&model));
    if (node_number(&count, 0) > 0)
        import_fact_number(import, "cpu.count.online", node_number(&count, 0), "1",
                           "metadata cpu_count");
}

/* pyperf multiplies loops of the timer by loops inside of the code. */
static void set_iterations(struct record *sample, double loops, double inner)
{
    if (loops >= 1 && inner >= 1 && loops * inner < 9e15)
        RECORD_SET(sample, iterations, (uint64_t)(loops * inner));
    else
        sample->present &= ~COLUMN_BIT(iterations);
}

static int read_run(struct import *import, const struct node *run, struct record *sample,
                    const struct node holders[static 3], const char *unit, bool *has_warmup,
                    struct err *err)
{
    struct node warmups = node_member(run, "warmups"), values = node_member(run, "values");
    struct node loops = metadata(holders, 3, "loops"), inner = metadata(holders, 3, "inner_loops");
    if (!values.value && !warmups.value)
        return node_error(import, run, err, "a run without \"values\" and \"warmups\"");
    /* A record has room for one warm-up; those of other runs, and of calibration with other loops, are
     * not kept. */
    if (!*has_warmup && node_count(&warmups) > 0 && node_count(&values) > 0) {
        struct node pair = node_element(&warmups, 0), number = node_element(&pair, 0);
        struct node value = node_element(&pair, 1);
        struct record warmup = *sample;
        RECORD_SET(&warmup, rep, 0);
        set_iterations(&warmup, node_number(&number, 0), node_number(&inner, 1));
        node_add(import, &warmup, &value, 1, unit);
        *has_warmup = true;
    }
    set_iterations(sample, node_number(&loops, 0), node_number(&inner, 1));
    for (size_t i = 0; i < node_count(&values); i++) {
        struct node value = node_element(&values, i);
        node_add(import, sample, &value, 1, unit);
    }
    return 0;
}

static int read_benchmark(struct import *import, const struct node *root, const struct node *node,
                          struct err *err)
{
    struct node runs;
    struct node holders[3] = {{0}, node_member(node, "metadata"), node_member(root, "metadata")};
    struct node name = metadata(holders + 1, 2, "name"), unit = metadata(holders + 1, 2, "unit");
    const char *word = node_text(&unit) ? node_text(&unit) : "second";
    bool is_bytes = strcmp(word, "byte") == 0;
    bool has_warmup = false;
    if (!is_bytes && strcmp(word, "second") != 0)
        return node_error(import, &unit, err, "the unit '%.40s' is not second or byte", word);
    TRY(node_need(import, node, "runs", JSON_ARRAY, &runs, err));
    if (!node_text(&name) || !*node_text(&name))
        return node_error(import, node, err, "the benchmark has no name");
    read_facts(import, holders + 1, 2);
    struct record sample = import_sample(import, "pyperf", import_redact(import, node_text(&name)),
                                         is_bytes ? "memory" : "time");
    for (size_t i = 0; i < node_count(&runs); i++) {
        struct node run = node_element(&runs, i);
        holders[0] = node_member(&run, "metadata");
        struct node date = node_member(&holders[0], "date");
        if (i == 0 && node_text(&date))
            import_run_time(import, node_text(&date), "metadata date");
        TRY(read_run(import, &run, &sample, holders, is_bytes ? "B" : "s", &has_warmup, err));
    }
    return 0;
}

static int read_document(struct import *import, const struct node *root, const char *bytes,
                         size_t size, struct err *err)
{
    struct node benchmarks, version = node_member(root, "version");
    TRY(node_need(import, root, "benchmarks", JSON_ARRAY, &benchmarks, err));
    if (!node_text(&version) || strcmp(node_text(&version), "1.0") != 0)
        return node_error(import, version.value ? &version : root, err,
                          "the version of the file is not \"1.0\"");
    TRY(import_run_begin(import, bytes, size, err));
    for (size_t i = 0; i < node_count(&benchmarks); i++) {
        struct node benchmark = node_element(&benchmarks, i);
        TRY(read_benchmark(import, root, &benchmark, err));
    }
    return import_run_end(import, node_line(import, root), err);
}

static int pyperf_read(struct import *import, struct err *err)
{
    return json_documents(import, read_document, err);
}

const struct importer importer_pyperf = {"pyperf", "pyperf files of version 1.0, and perf's",
                                         pyperf_recognises, pyperf_read};
