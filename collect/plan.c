#include "collect/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "schema/number.h"

enum { LIST_MAX = 64, SETTINGS_MAX = 8 };

/* One dimension of the cells: a setting with its values. */
struct axis {
    const char *key;
    const char *values[LIST_MAX];
    size_t n;
};

struct builder {
    struct plan *plan;
    const struct plan_request *request;
    const struct kernel_host *host;
    size_t capacity;
    bool setting_used[LIST_MAX]; /* of request->settings */
    struct err *err;
};

unsigned plan_repeat(enum kernel_suite suite)
{
    /* Not below five: of three a side, no rank test can tell a difference at the level of 5 %. */
    static const unsigned repeats[SUITE_COUNT] = {5, 5, 10};
    return repeats[suite];
}

double plan_min_seconds(enum kernel_suite suite)
{
    static const double seconds[SUITE_COUNT] = {0.05, 0.05, 0.2};
    return seconds[suite];
}

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* Calls with each piece of a comma-separated list, copied into the arena. */
static int list_split(struct builder *b, const char *list, const char *what, const char **out,
                      size_t *n)
{
    *n = 0;
    for (const char *p = list;; p++) {
        size_t size = strcspn(p, ",");
        if (size == 0)
            return err_set(b->err, ERR_USAGE, "%s: an empty value in '%s'", what, list);
        if (*n == LIST_MAX)
            return err_set(b->err, ERR_USAGE, "%s: more than %d values", what, LIST_MAX);
        out[*n] = arena_copy(&b->plan->arena, p, size);
        if (!out[(*n)++])
            return out_of_memory(b->err);
        p += size;
        if (*p == '\0')
            return 0;
    }
}

static bool list_has(const char *list, const char *word)
{
    size_t size = strlen(word);
    for (const char *p = list; *p;) {
        size_t piece = strcspn(p, ",");
        if (piece == size && memcmp(p, word, size) == 0)
            return true;
        p += piece + (p[piece] == ',');
    }
    return false;
}

/* A value in the one form that goes into params: 64K and 65536 are the same cell. */
static int setting_normalise(struct builder *b, const struct kernel_setting *setting,
                             const char **value)
{
    if (setting->allowed && list_has(setting->allowed, *value))
        return 0;
    uint64_t number;
    bool is_number = setting->type == SETTING_BYTES
                         ? number_parse_size(*value, &number)
                         : setting->type == SETTING_COUNT &&
                               number_parse_count(*value, strlen(*value), &number);
    if (setting->type != SETTING_WORD && is_number) {
        char text[NUMBER_TEXT_SIZE];
        size_t size = number_format(text, (double)number);
        *value = arena_copy(&b->plan->arena, text, size);
        return *value ? 0 : out_of_memory(b->err);
    }
    if (setting->type == SETTING_WORD && !setting->allowed)
        return 0;
    static const char *const wanted[] = {"", "a number of bytes (64K, 1M)", "a whole number"};
    return err_set(b->err, ERR_USAGE, "--set=%s: '%s' is not %s%s%s", setting->key, *value,
                   setting->allowed ? setting->allowed : "",
                   setting->allowed && setting->type != SETTING_WORD ? ", or " : "",
                   wanted[setting->type]);
}

static int axis_make(struct builder *b, const struct kernel_setting *setting, struct axis *axis)
{
    const char *list = setting->automatic
                           ? setting->automatic(b->host, b->request->suite)
                           : setting->values[b->request->suite];
    size_t key_size = strlen(setting->key);
    for (size_t i = 0; i < b->request->n_settings; i++) {
        const char *given = b->request->settings[i];
        if (strncmp(given, setting->key, key_size) == 0 && given[key_size] == '=') {
            list = given + key_size + 1;
            b->setting_used[i] = true;
        }
    }
    axis->key = setting->key;
    TRY(list_split(b, list, setting->key, axis->values, &axis->n));
    for (size_t i = 0; i < axis->n; i++)
        TRY(setting_normalise(b, setting, &axis->values[i]));
    return 0;
}

static int cell_add(struct builder *b, const struct plan_cell *cell)
{
    struct plan *plan = b->plan;
    if (plan->n_cells == b->capacity) {
        size_t capacity = b->capacity ? b->capacity * 2 : 64;
        if (capacity > SIZE_MAX / sizeof *plan->cells)
            return out_of_memory(b->err);
        struct plan_cell *cells = realloc(plan->cells, capacity * sizeof *cells);
        if (!cells)
            return out_of_memory(b->err);
        plan->cells = cells;
        b->capacity = capacity;
    }
    plan->cells[plan->n_cells++] = *cell;
    return 0;
}

static int threads_list(struct builder *b, const struct kernel *kernel,
                        const struct kernel_test *test, unsigned *out, size_t *n)
{
    const char *list = test->threads ? test->threads : kernel->threads[b->request->suite];
    if (b->request->threads)
        list = b->request->threads;
    if (!list || (kernel->flags & KERNEL_ONE_THREAD))
        list = "1";
    const char *words[LIST_MAX];
    size_t n_words;
    TRY(list_split(b, list, "--threads", words, &n_words));
    *n = 0;
    for (size_t i = 0; i < n_words; i++) {
        uint64_t count = b->host->n_cpus;
        if (strcmp(words[i], "all") != 0 &&
            (!number_parse_count(words[i], strlen(words[i]), &count) || count < 1 || count > 4096))
            return err_set(b->err, ERR_USAGE, "--threads: '%s' is not 1 to 4096 or all", words[i]);
        bool is_new = true;
        for (size_t k = 0; k < *n; k++)
            is_new = is_new && out[k] != count;
        if (is_new)
            out[(*n)++] = (unsigned)count;
    }
    return 0;
}

static int sizes_list(struct builder *b, const struct kernel *kernel,
                      const struct kernel_test *test, const struct kernel_host *host, uint64_t *out,
                      size_t *n)
{
    if (!b->request->x) {
        *n = (test->sizes ? test->sizes : kernel->sizes)(host, b->request->suite, out, LIST_MAX);
        return 0;
    }
    const char *words[LIST_MAX];
    TRY(list_split(b, b->request->x, "--x", words, n));
    for (size_t i = 0; i < *n; i++) {
        if (!number_parse_size(words[i], &out[i]) || out[i] == 0)
            return err_set(b->err, ERR_USAGE, "--x: '%s' is no size (4096, 64K, 1M)", words[i]);
    }
    return 0;
}

uint64_t plan_limit(const struct kernel_value *settings)
{
    uint64_t limit = 0;
    for (; settings->key; settings++)
        if (strcmp(settings->key, "limit") == 0)
            number_parse_count(settings->value, strlen(settings->value), &limit);
    return limit;
}

struct kernel_host plan_host(const struct kernel_host *host, const struct kernel_value *settings)
{
    struct kernel_host limited = *host;
    uint64_t limit = plan_limit(settings);
    if (limit > 0 && (host->memory_bytes == 0 || limit < host->memory_bytes))
        limited.memory_bytes = limit;
    if (limit > 0 && (host->available_bytes == 0 || limit < host->available_bytes))
        limited.available_bytes = limit;
    return limited;
}

/* The cell once for each variant. */
static int variants_add(struct builder *b, struct plan_cell cell)
{
    if (b->request->n_variants == 0)
        return cell_add(b, &cell);
    for (size_t v = 0; v < b->request->n_variants; v++) {
        cell.variant = &b->request->variants[v];
        TRY(cell_add(b, &cell));
    }
    return 0;
}

/* The cells of a test under one combination of its settings. */
static int cells_add(struct builder *b, const struct kernel *kernel,
                     const struct kernel_test *test, const struct kernel_value *settings)
{
    unsigned threads[LIST_MAX];
    uint64_t sizes[LIST_MAX] = {0};
    size_t n_threads, n_sizes = 1;
    struct kernel_host host = plan_host(b->host, settings);
    TRY(threads_list(b, kernel, test, threads, &n_threads));
    bool has_x = kernel->x_unit && !test->has_no_x;
    if (has_x)
        TRY(sizes_list(b, kernel, test, &host, sizes, &n_sizes));
    for (size_t t = 0; t < n_threads; t++) {
        for (size_t s = 0; s < n_sizes; s++) {
            struct plan_cell cell = {.kernel = kernel,
                                     .test = test,
                                     .has_x = has_x,
                                     .x = sizes[s],
                                     .threads = threads[t],
                                     .settings = settings};
            TRY(variants_add(b, cell));
        }
    }
    return 0;
}

/* Every combination of the settings, counted like an odometer. */
static int test_add(struct builder *b, const struct kernel *kernel, const struct kernel_test *test)
{
    struct axis axes[SETTINGS_MAX];
    size_t at[SETTINGS_MAX] = {0};
    size_t n_axes = 0;
    for (const struct kernel_setting *const *s = test->settings; s && *s; s++) {
        if (n_axes == SETTINGS_MAX)
            return err_set(b->err, ERR_SYSTEM, "%s.%s has too many settings", kernel->name,
                           test->name);
        TRY(axis_make(b, *s, &axes[n_axes++]));
    }
    for (;;) {
        struct kernel_value *settings =
            arena_alloc(&b->plan->arena, (n_axes + 1) * sizeof *settings);
        if (!settings)
            return out_of_memory(b->err);
        for (size_t i = 0; i < n_axes; i++)
            settings[i] = (struct kernel_value){axes[i].key, axes[i].values[at[i]]};
        settings[n_axes] = (struct kernel_value){NULL, NULL};
        TRY(cells_add(b, kernel, test, settings));
        size_t digit = 0;
        while (digit < n_axes && ++at[digit] == axes[digit].n)
            at[digit++] = 0;
        if (digit == n_axes)
            return 0;
    }
}

/* A name of a kernel selects all of its tests but those that run only when named themselves. */
static bool is_selected(const struct plan_request *request, const struct kernel *kernel,
                        const struct kernel_test *test)
{
    if (request->n_names == 0)
        return test->from <= (unsigned)request->suite;
    size_t size = strlen(kernel->name);
    for (size_t i = 0; i < request->n_names; i++) {
        const char *name = request->names[i];
        if (strncmp(name, kernel->name, size) != 0)
            continue;
        if (name[size] == '\0' && test->from != SUITE_NEVER)
            return true;
        if (name[size] == '.' && strcmp(name + size + 1, test->name) == 0)
            return true;
    }
    return false;
}

static int names_check(const struct plan_request *request, struct err *err)
{
    for (size_t i = 0; i < request->n_names; i++) {
        struct plan_request one = {.names = &request->names[i], .n_names = 1};
        bool is_known = false;
        for (const struct kernel *const *k = kernel_registry; *k; k++)
            for (const struct kernel_test *t = (*k)->tests; t->name; t++)
                is_known = is_known || is_selected(&one, *k, t);
        if (!is_known)
            return err_set(err, ERR_USAGE, "'%s' is no kernel or kernel.test (see collect list)",
                           request->names[i]);
    }
    return 0;
}

static int cells_make(struct builder *b)
{
    TRY(names_check(b->request, b->err));
    if (b->request->n_settings > LIST_MAX)
        return err_set(b->err, ERR_USAGE, "--set: given more than %d times", LIST_MAX);
    for (const struct kernel *const *k = kernel_registry; *k; k++)
        for (const struct kernel_test *t = (*k)->tests; t->name; t++)
            if (is_selected(b->request, *k, t))
                TRY(test_add(b, *k, t));
    for (size_t i = 0; i < b->request->n_settings; i++)
        if (!b->setting_used[i])
            return err_set(b->err, ERR_USAGE, "--set=%s: no selected test has this setting",
                           b->request->settings[i]);
    if (b->plan->n_cells == 0)
        return err_set(b->err, ERR_USAGE, "nothing to run");
    return 0;
}

/* Fisher and Yates, in the form of Durstenfeld (CACM 7 (1964) 420); then repetitions are numbered
 * in the order in which they run. */
static int jobs_make(struct plan *plan, uint64_t seed, struct err *err)
{
    if (plan->n_cells > SIZE_MAX / plan->repeat / sizeof *plan->jobs)
        return out_of_memory(err);
    plan->n_jobs = plan->n_cells * plan->repeat;
    plan->jobs = calloc(plan->n_jobs, sizeof *plan->jobs);
    unsigned *reps = calloc(plan->n_cells, sizeof *reps);
    if (!plan->jobs || !reps) {
        free(reps);
        return out_of_memory(err);
    }
    for (size_t i = 0; i < plan->n_jobs; i++)
        plan->jobs[i].cell = &plan->cells[i % plan->n_cells];
    for (size_t i = plan->n_jobs; i > 1; i--) {
        size_t other = (size_t)(kernel_random(&seed) % i);
        struct plan_job job = plan->jobs[i - 1];
        plan->jobs[i - 1] = plan->jobs[other];
        plan->jobs[other] = job;
    }
    for (size_t i = 0; i < plan->n_jobs; i++)
        plan->jobs[i].rep = ++reps[plan->jobs[i].cell - plan->cells];
    free(reps);
    return 0;
}

int plan_make(struct plan *plan, const struct plan_request *request,
              const struct kernel_host *host, struct err *err)
{
    *plan = (struct plan){.repeat = request->repeat ? request->repeat : plan_repeat(request->suite)};
    struct builder b = {.plan = plan, .request = request, .host = host, .err = err};
    TRY(cells_make(&b));
    return jobs_make(plan, request->seed, err);
}

double plan_budget(enum kernel_suite suite)
{
    static const double minutes[SUITE_COUNT] = {3, 45, 24 * 60};
    return minutes[suite] * 60;
}

static double job_seconds(const struct plan_cell *cell, const struct kernel_host *host,
                          enum kernel_suite suite, double min_seconds)
{
    /* A process, its threads and the clock; then calls of an eighth of the time at most, one or two
     * of one to 1.25 times it, and the sample. */
    static const double start = 0.01, calls = 2.7, ordinary_ns = 1.5;
    const struct kernel *kernel = cell->kernel;
    const struct kernel_job job = {.kernel = kernel,
                                   .test = cell->test,
                                   .host = host,
                                   .x = cell->x,
                                   .threads = cell->threads,
                                   .settings = cell->settings};
    double bytes = kernel->memory ? (double)kernel->memory(&job) : 0;
    if (!(kernel->flags & KERNEL_SHARED_MEMORY))
        bytes *= cell->threads;
    if (host->available_bytes > 0 && bytes > (double)host->available_bytes)
        return start; /* unavailable */
    /* Threads fill their memory at once; they are checked one after the other. */
    if (cell->threads > 1 && !(kernel->flags & KERNEL_SHARED_MEMORY))
        bytes *= (1 + 1.0 / cell->threads) / 2;
    double ns = kernel->cost.ns_per_byte > 0 ? kernel->cost.ns_per_byte : ordinary_ns;
    return start + kernel->cost.seconds[suite] + bytes * ns * 1e-9 +
           (kernel->flags & KERNEL_ONE_PASS ? 0 : calls * min_seconds);
}

double plan_seconds(const struct plan *plan, const struct kernel_host *host, enum kernel_suite suite,
                    double min_seconds)
{
    double seconds = 0;
    for (size_t i = 0; i < plan->n_cells; i++) {
        struct kernel_host limited = plan_host(host, plan->cells[i].settings);
        seconds += job_seconds(&plan->cells[i], &limited, suite, min_seconds);
    }
    return seconds * plan->repeat;
}

void plan_free(struct plan *plan)
{
    free(plan->cells);
    free(plan->jobs);
    arena_free(&plan->arena);
    *plan = (struct plan){0};
}
