/* hyperfine --export-json: seconds. */
#include <math.h>
#include <string.h>

#include "normalize/import/json.h"

static bool hyperfine_recognises(const struct import *import)
{
    return json_has(import, "\"results\"", "\"command\"", "\"stddev\"", NULL);
}

/* The parameters of a scan, as one text: n=0.01, m=2. */
static const char *parameters_of(struct import *import, const struct node *result)
{
    struct node parameters = node_member(result, "parameters");
    const char *all = NULL, *key;
    json_t *value;
    json_object_foreach(parameters.value, key, value)
    {
        if (json_is_string(value))
            all = import_text(import, "%s%s%s=%s", all ? all : "", all ? ", " : "", key,
                              json_string_value(value));
    }
    return all;
}

static int read_result(struct import *import, const struct node *result, struct err *err)
{
    static const char *const clocks[][2] = {{"user", "user_time"}, {"system", "system_time"}};
    struct node command, times = node_member(result, "times");
    struct node codes = node_member(result, "exit_codes"),
                memory = node_member(result, "memory_usage_byte");
    TRY(node_need(import, result, "command", JSON_STRING, &command, err));
    const char *name = import_redact(import, node_text(&command));
    const char *parameters = parameters_of(import, result);
    if (!*name)
        return node_error(import, &command, err, "the command is empty");
    for (size_t i = 0; i < node_count(&times); i++) {
        struct node time = node_element(&times, i), code = node_element(&codes, i);
        struct node bytes = node_element(&memory, i);
        struct record sample = import_sample(import, "hyperfine", name, "time");
        sample.params = import_params(import, "parameters", parameters, NULL);
        if (json_is_null(code.value))
            import_add_status(import, &sample, STATUS_FAILED, "the command was ended by a signal");
        else if (node_number(&code, 0) != 0)
            import_add_status(import, &sample, STATUS_FAILED,
                              import_text(import, "the command ended with %g", node_number(&code, 0)));
        else
            node_add(import, &sample, &time, 1, "s");
        if (bytes.value) {
            sample.metric = "memory";
            node_add(import, &sample, &bytes, 1, "B");
        }
    }
    struct node mean = node_member(result, "mean");
    struct record sample = import_sample(import, "hyperfine", name, "time");
    if (node_count(&times) == 0) {
        sample.params =
            import_params(import, "parameters", parameters, "statistic", "mean", NULL);
        node_add(import, &sample, &mean, 1, "s");
    }
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        struct node clock = node_member(result, clocks[i][0]);
        if (!json_is_number(clock.value) || node_number(&clock, 0) == 0)
            continue; /* 0: less than the system's tick */
        sample.metric = clocks[i][1];
        sample.params = import_params(import, "parameters", parameters, "statistic", "mean", NULL);
        node_add(import, &sample, &clock, 1, "s");
    }
    return 0;
}

static int read_document(struct import *import, const struct node *root, const char *bytes,
                         size_t size, struct err *err)
{
    struct node results;
    TRY(node_need(import, root, "results", JSON_ARRAY, &results, err));
    TRY(import_run_begin(import, bytes, size, err));
    for (size_t i = 0; i < node_count(&results); i++) {
        struct node result = node_element(&results, i);
        TRY(read_result(import, &result, err));
    }
    return import_run_end(import, node_line(import, root), err);
}

static int hyperfine_read(struct import *import, struct err *err)
{
    return json_documents(import, read_document, err);
}

const struct importer importer_hyperfine = {"hyperfine", "hyperfine --export-json",
                                            hyperfine_recognises, hyperfine_read};
