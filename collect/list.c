#include "collect/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/fingerprint.h"
#include "collect/measure.h"
#include "kernels/kernel.h"
#include "schema/buffer.h"
#include "schema/quote.h"

enum { SIZES_MAX = 64 };

const struct option_spec list_options[] = {
    {"format", 'f', "text|csv|json", "the form of the list (default text)"}, {0}};

static const char *const suite_names[] = {"quick", "standard", "full", "only when named"};

/* A size as people say it, exact: 64K, 1M, 1000. */
static void add_size(struct buffer *out, uint64_t size)
{
    static const char prefixes[] = "KMGT";
    int p = -1;
    while (p < 3 && size >= 1024 && size % 1024 == 0) {
        size /= 1024;
        p++;
    }
    buffer_add_format(out, "%" PRIu64, size);
    if (p >= 0)
        buffer_add_char(out, prefixes[p]);
}

/* test: NULL for what most tests of the kernel have. */
static void add_sizes(struct buffer *out, const struct kernel *kernel,
                      const struct kernel_test *test, const struct kernel_host *host,
                      enum kernel_suite suite)
{
    uint64_t sizes[SIZES_MAX];
    size_t n = (test && test->sizes ? test->sizes : kernel->sizes)(host, suite, sizes, SIZES_MAX);
    for (size_t i = 0; i < n; i++) {
        buffer_add_text(out, i > 0 ? " " : "");
        add_size(out, sizes[i]);
    }
}

static void add_metrics(struct buffer *out, const struct kernel_test *test)
{
    for (const struct kernel_metric *metric = test->metrics; metric->name; metric++)
        buffer_add_format(out, "%s%s (%s)", metric == test->metrics ? "" : ", ", metric->name,
                          measure_unit(metric->quantity));
}

/* The settings of the tests of a kernel, each once. */
static size_t kernel_settings(const struct kernel *kernel, const struct kernel_setting **out,
                              size_t capacity)
{
    size_t n = 0;
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        for (const struct kernel_setting *const *s = test->settings; s && *s; s++) {
            bool is_new = n < capacity;
            for (size_t i = 0; i < n; i++)
                is_new = is_new && out[i] != *s;
            if (is_new)
                out[n++] = *s;
        }
    }
    return n;
}

static const char *setting_values(const struct kernel_setting *setting,
                                  const struct kernel_host *host, enum kernel_suite suite)
{
    return setting->automatic ? setting->automatic(host, suite) : setting->values[suite];
}

static void list_text(struct buffer *out, const struct kernel *kernel,
                      const struct kernel_host *host)
{
    buffer_add_format(out, "%s, revision %u: %s\n", kernel->name, kernel->revision,
                      kernel->summary);
    buffer_add_format(out, "    source    %s\n", kernel->source);
    if (kernel->needs_text)
        buffer_add_format(out, "    needs     %s\n", kernel->needs_text);
    if (kernel->x_unit) {
        for (int suite = SUITE_QUICK; suite < SUITE_COUNT; suite++) {
            buffer_add_format(out, "    x, %-8s (%s)  ", suite_names[suite], kernel->x_unit);
            add_sizes(out, kernel, NULL, host, (enum kernel_suite)suite);
            buffer_add_char(out, '\n');
        }
    }
    const struct kernel_setting *settings[16];
    size_t n = kernel_settings(kernel, settings, 16);
    for (size_t i = 0; i < n; i++)
        buffer_add_format(out, "    --set=%s=  %s; quick %s, standard %s, full %s\n",
                          settings[i]->key, settings[i]->help,
                          setting_values(settings[i], host, SUITE_QUICK),
                          setting_values(settings[i], host, SUITE_STANDARD),
                          setting_values(settings[i], host, SUITE_FULL));
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        buffer_add_format(out, "    %-14s %s\n%19s", test->name, test->summary, "");
        add_metrics(out, test);
        buffer_add_format(out, "; %s%s\n", test->from < SUITE_NEVER ? "from " : "",
                          suite_names[test->from]);
        if (!test->sizes)
            continue;
        unsigned suite = test->from < SUITE_NEVER ? test->from : SUITE_QUICK;
        buffer_add_format(out, "%19sx, %s: ", "", suite_names[suite]);
        add_sizes(out, kernel, test, host, (enum kernel_suite)suite);
        buffer_add_char(out, '\n');
    }
    buffer_add_char(out, '\n');
}

/* What a program wants of a test: one name and text per column. */
struct column_text {
    const char *name;
    struct buffer text;
};

enum { LIST_COLUMNS = 10 };

static void columns_fill(struct column_text columns[static LIST_COLUMNS],
                         const struct kernel *kernel, const struct kernel_test *test,
                         const struct kernel_host *host)
{
    static const char *const names[LIST_COLUMNS] = {"kernel", "revision", "test",    "summary",
                                                    "metrics", "suite",   "settings", "x_unit",
                                                    "x_quick", "source"};
    for (size_t i = 0; i < LIST_COLUMNS; i++) {
        columns[i].name = names[i];
        buffer_clear(&columns[i].text);
    }
    buffer_add_text(&columns[0].text, kernel->name);
    buffer_add_format(&columns[1].text, "%u", kernel->revision);
    buffer_add_text(&columns[2].text, test->name);
    buffer_add_text(&columns[3].text, test->summary);
    add_metrics(&columns[4].text, test);
    buffer_add_text(&columns[5].text, test->from < SUITE_NEVER ? suite_names[test->from] : "");
    for (const struct kernel_setting *const *s = test->settings; s && *s; s++)
        buffer_add_format(&columns[6].text, "%s%s", s == test->settings ? "" : " ", (*s)->key);
    buffer_add_text(&columns[7].text, kernel->x_unit ? kernel->x_unit : "");
    if (kernel->x_unit && !test->has_no_x)
        add_sizes(&columns[8].text, kernel, test, host, SUITE_QUICK);
    buffer_add_text(&columns[9].text, kernel->source);
}

static void list_machine(struct buffer *out, const struct kernel *kernel,
                         const struct kernel_host *host, bool is_json, bool *is_first)
{
    struct column_text columns[LIST_COLUMNS] = {{0}};
    for (const struct kernel_test *test = kernel->tests; test->name; test++) {
        columns_fill(columns, kernel, test, host);
        for (size_t i = 0; i < LIST_COLUMNS && *is_first && !is_json; i++)
            buffer_add_format(out, "%s%c", columns[i].name, i + 1 < LIST_COLUMNS ? ',' : '\n');
        if (is_json)
            buffer_add_text(out, *is_first ? "[\n  {" : ",\n  {");
        for (size_t i = 0; i < LIST_COLUMNS; i++) {
            if (is_json) {
                buffer_add_format(out, "%s\"%s\": ", i > 0 ? ", " : "", columns[i].name);
                quote_json(out, buffer_text(&columns[i].text));
            } else {
                quote_csv(out, buffer_text(&columns[i].text));
                buffer_add_char(out, i + 1 < LIST_COLUMNS ? ',' : '\n');
            }
        }
        if (is_json)
            buffer_add_char(out, '}');
        *is_first = false;
    }
    for (size_t i = 0; i < LIST_COLUMNS; i++)
        buffer_free(&columns[i].text);
}

static bool is_wanted(const struct arguments *arguments, const struct kernel *kernel)
{
    for (size_t i = 0; i < arguments->n_operands; i++)
        if (strcmp(arguments->operands[i], kernel->name) == 0)
            return true;
    return arguments->n_operands == 0;
}

static int operands_check(const struct arguments *arguments, struct err *err)
{
    for (size_t i = 0; i < arguments->n_operands; i++) {
        const struct kernel *const *k = kernel_registry;
        while (*k && strcmp((*k)->name, arguments->operands[i]) != 0)
            k++;
        if (!*k)
            return err_set(err, ERR_USAGE, "'%s' is no kernel", arguments->operands[i]);
    }
    return 0;
}

int list_verb(const struct arguments *arguments, struct err *err)
{
    enum { TEXT, CSV, JSON };
    int format = TEXT;
    TRY(argument_word(arguments, "format", "text|csv|json", &format, err));
    TRY(operands_check(arguments, err));
    struct probe_root root = {.path = "", .folder = "."};
    struct facts identity = {0}, state = {0};
    struct kernel_host host = {0};
    int result = fingerprint_identity(&root, &identity, err);
    if (result >= 0)
        result = fingerprint_state(&root, &state, err);
    if (result >= 0) {
        fingerprint_host(&identity, &state, &host);
        struct buffer out = {0};
        bool is_first = true;
        for (const struct kernel *const *k = kernel_registry; *k; k++) {
            if (!is_wanted(arguments, *k))
                continue;
            if (format == TEXT)
                list_text(&out, *k, &host);
            else
                list_machine(&out, *k, &host, format == JSON, &is_first);
        }
        if (format == JSON)
            buffer_add_text(&out, "\n]\n");
        if (out.failed || fputs(buffer_text(&out), stdout) < 0)
            result = err_set(err, ERR_SYSTEM, "standard output: cannot write");
        buffer_free(&out);
    }
    facts_free(&identity);
    facts_free(&state);
    return result;
}
