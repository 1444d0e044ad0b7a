#include "report/machine.h"

#include <stdlib.h>
#include <string.h>

#include "report/machine_names.h"
#include "report/order.h"
#include "report/scale.h"
#include "schema/params.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

void *arena_take(struct arena *arena, size_t n, size_t size)
{
    if (n > SIZE_MAX / size)
        return NULL;
    return arena_alloc(arena, n > 0 ? n * size : 1);
}

int warnings_add(struct warnings *warnings, struct arena *arena, const char *text, struct err *err)
{
    if (warnings->n == warnings->capacity) {
        size_t capacity = warnings->capacity ? warnings->capacity * 2 : 16;
        const char **texts = arena_take(arena, capacity, sizeof *texts);
        if (!texts)
            return out_of_memory(err);
        for (size_t i = 0; i < warnings->n; i++)
            texts[i] = warnings->texts[i];
        warnings->texts = texts;
        warnings->capacity = capacity;
    }
    const char *copy = arena_copy(arena, text, strlen(text));
    if (!copy)
        return out_of_memory(err);
    warnings->texts[warnings->n++] = copy;
    return 0;
}

/* ---- runs ---- */

static int compare_run_keys(const struct run *run, const char *id, const char *label)
{
    int order = strcmp(run->id, id);
    return order ? order : strcmp(run->label, label);
}

static int compare_runs(const void *a, const void *b)
{
    const struct run *y = b;
    return compare_run_keys(a, y->id, y->label);
}

static struct run *run_find(const struct machines *machines, const struct record *record)
{
    size_t low = 0, high = machines->n_runs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_run_keys(&machines->runs[middle], record->run, record->machine);
        if (order == 0)
            return &machines->runs[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct run *machines_run(const struct machines *machines, const struct record *record)
{
    return run_find(machines, record);
}

static bool is_fact(const struct record *record, const char *name)
{
    return record->kind == KIND_FACT && strcmp(record->metric, name) == 0;
}

/* A retraction withdraws the whole run, under whatever labels. */
static void run_retract(struct machines *machines, const struct record *record)
{
    for (size_t r = 0; r < machines->n_runs; r++)
        if (strcmp(machines->runs[r].id, record->run) == 0)
            machines->runs[r].retracted = record->text[0] ? record->text : "no reason given";
}

static int runs_make(struct machines *machines, const struct archive *archive, struct arena *arena,
                     struct err *err)
{
    size_t count = archive_count(archive), n = 0;
    struct run *runs = arena_take(arena, count, sizeof *runs);
    if (!runs)
        return out_of_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct record *record = archive_record(archive, i);
        if (n == 0 || compare_run_keys(&runs[n - 1], record->run, record->machine) != 0)
            runs[n++] = (struct run){
                .id = record->run, .label = record->machine, .machine_id = "", .config = ""};
    }
    qsort(runs, n, sizeof *runs, compare_runs);
    for (size_t i = 0; i < n; i++)
        if (machines->n_runs == 0 || compare_runs(&runs[machines->n_runs - 1], &runs[i]) != 0)
            runs[machines->n_runs++] = runs[i];
    machines->runs = runs;

    for (size_t i = 0; i < count; i++) {
        const struct record *record = archive_record(archive, i);
        struct run *run = run_find(machines, record);
        if (record->kind == KIND_SAMPLE)
            run->n_samples++;
        else if (is_fact(record, "machine.id") && record->status == STATUS_OK)
            run->machine_id = record->text;
        else if (is_fact(record, "config.hash") && record->status == STATUS_OK)
            run->config = record->text;
        else if (is_fact(record, "retracted"))
            run_retract(machines, record);
    }
    return 0;
}

/* ---- machines ---- */

static int compare_identities(const void *a, const void *b)
{
    const struct machine *x = a, *y = b;
    int order = strcmp(x->label, y->label);
    if (order == 0)
        order = strcmp(x->id, y->id);
    return order ? order : strcmp(x->config, y->config);
}

static int compare_machines(const void *a, const void *b)
{
    const struct machine *x = a, *y = b;
    /* A machine without samples has no time and goes last. */
    if ((x->first_time[0] == '\0') != (y->first_time[0] == '\0'))
        return x->first_time[0] == '\0' ? 1 : -1;
    int order = strcmp(x->first_time, y->first_time);
    if (order == 0)
        order = natural_compare(x->label, y->label);
    return order ? order : compare_identities(x, y);
}

/* Tells each run that counts its machine. */
static void runs_link(struct machines *machines)
{
    for (size_t r = 0; r < machines->n_runs; r++) {
        struct run *run = &machines->runs[r];
        struct machine is = {
            .label = run->label, .id = run->machine_id, .config = run->config};
        for (size_t m = 0; m < machines->n && !run->retracted; m++)
            if (compare_identities(&machines->machines[m], &is) == 0)
                run->machine = m;
    }
}

void time_widen(const char **first, const char **last, const char *time)
{
    if ((*first)[0] == '\0' || strcmp(time, *first) < 0)
        *first = time;
    if ((*last)[0] == '\0' || strcmp(time, *last) > 0)
        *last = time;
}

static int machines_list(struct machines *machines, struct arena *arena, struct err *err)
{
    size_t n = 0;
    machines->machines = arena_take(arena, machines->n_runs, sizeof *machines->machines);
    if (!machines->machines)
        return out_of_memory(err);
    for (size_t r = 0; r < machines->n_runs; r++) {
        const struct run *run = &machines->runs[r];
        if (!run->retracted)
            machines->machines[n++] = (struct machine){.label = run->label,
                                                       .id = run->machine_id,
                                                       .config = run->config,
                                                       .whole = run->label,
                                                       .name = run->label,
                                                       .first_time = "",
                                                       .last_time = ""};
    }
    qsort(machines->machines, n, sizeof *machines->machines, compare_identities);
    for (size_t i = 0; i < n; i++)
        if (machines->n == 0 || compare_identities(&machines->machines[machines->n - 1],
                                                   &machines->machines[i]) != 0)
            machines->machines[machines->n++] = machines->machines[i];
    return 0;
}

static void machines_sort(struct machines *machines, const struct archive *archive)
{
    runs_link(machines);
    for (size_t i = 0; i < archive_count(archive); i++) {
        const struct record *record = archive_record(archive, i);
        const struct run *run = run_find(machines, record);
        if (run->retracted || record->kind != KIND_SAMPLE)
            continue;
        struct machine *machine = &machines->machines[run->machine];
        time_widen(&machine->first_time, &machine->last_time, record->time);
        time_widen(&machines->first_time, &machines->last_time, record->time);
        machine->n_samples++;
        machines->n_samples++;
    }
    if (machines->n > 1)
        qsort(machines->machines, machines->n, sizeof *machines->machines, compare_machines);
    runs_link(machines);
    for (size_t r = 0; r < machines->n_runs; r++)
        if (!machines->runs[r].retracted)
            machines->machines[machines->runs[r].machine].n_runs++;
}

/* Finds the configurations of each machine. */
static void configurations_link(struct machines *machines)
{
    for (size_t m = 0; m < machines->n; m++) {
        struct machine *machine = &machines->machines[m];
        machine->first = m;
        for (size_t o = machines->n; o-- > 0;)
            if (strcmp(machines->machines[o].label, machine->label) == 0 &&
                strcmp(machines->machines[o].id, machine->id) == 0) {
                machine->first = o;
                machine->n_configurations++;
            }
    }
}

/* ---- facts ---- */

bool facts_agree(const struct record *a, const struct record *b)
{
    return a->status == b->status && RECORD_HAS(a, value) == RECORD_HAS(b, value) &&
           (!RECORD_HAS(a, value) || compare_numbers(a->value, b->value) == 0) &&
           strcmp(a->unit, b->unit) == 0 && strcmp(a->text, b->text) == 0;
}

void fact_text(const struct record *fact, struct buffer *out)
{
    if (fact->status != STATUS_OK) {
        buffer_add_format(out, "unknown: %s", fact->text);
    } else if (RECORD_HAS(fact, value)) {
        char text[SCALE_TEXT_SIZE];
        /* One digit more than results have: facts are compared with what is printed on a box. */
        scale_format(fact->value, fact->unit, 4, text);
        buffer_add_text(out, text);
        if (fact->text[0])
            buffer_add_format(out, " (%s)", fact->text);
    } else {
        buffer_add_text(out, fact->text);
    }
}

static int compare_facts(const void *a, const void *b)
{
    const struct record *x = *(const struct record *const *)a;
    const struct record *y = *(const struct record *const *)b;
    int order = strcmp(x->metric, y->metric);
    if (order == 0)
        order = strcmp(x->test, y->test);
    if (order == 0)
        order = strcmp(x->run, y->run);
    if (order == 0)
        order = strcmp(x->params, y->params);
    return order ? order : strcmp(x->text, y->text);
}

static int compare_fact_keys(const struct record *fact, const char *name, const char *when,
                             const char *run)
{
    int order = strcmp(fact->metric, name);
    if (order == 0)
        order = strcmp(fact->test, when);
    return order ? order : strcmp(fact->run, run);
}

/* The index of the first fact that is not before this name, time and run ("": before all runs). */
static size_t facts_lower(const struct record *const *facts, size_t n, const char *name,
                          const char *when, const char *run)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_fact_keys(facts[middle], name, when, run) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct record *const *facts_of_run(const struct record *const *facts, size_t n,
                                         const char *name, const char *when, const char *run,
                                         size_t *n_found)
{
    size_t first = facts_lower(facts, n, name, when, run), end = first;
    while (end < n && compare_fact_keys(facts[end], name, when, run) == 0)
        end++;
    *n_found = end - first;
    return facts + first;
}

const struct record *machine_fact(const struct machine *machine, const char *name, const char *when,
                                  size_t *n)
{
    const struct record *last = NULL;
    size_t n_values = 0;
    const struct record *const *facts = (const struct record *const *)machine->facts;
    for (size_t i = facts_lower(facts, machine->n_facts, name, when, ""), end; i < machine->n_facts;
         i = end) {
        const struct record *best = facts[i];
        if (strcmp(best->metric, name) != 0 || strcmp(best->test, when) != 0)
            break;
        /* Facts of one run are neighbours. */
        for (end = i + 1; end < machine->n_facts &&
                          compare_fact_keys(facts[end], name, when, facts[i]->run) == 0; end++)
            if (best->status != STATUS_OK)
                best = facts[end];
        n_values += !last || !facts_agree(last, best);
        last = best;
    }
    if (n)
        *n = n_values;
    return last;
}

bool fact_is_disputed(const struct machine *machine, const struct record *fact)
{
    size_t n;
    const struct record *const *others =
        facts_of_run((const struct record *const *)machine->facts, machine->n_facts, fact->metric,
                     fact->test, fact->run, &n);
    for (size_t i = 0; i < n; i++)
        if (others[i]->status == STATUS_OK && fact->status == STATUS_OK &&
            !facts_agree(fact, others[i]))
            return true;
    return false;
}

static bool is_of_build(const struct record *fact)
{
    struct buffer variant = {0};
    bool is = params_get(fact->params, "variant", &variant);
    buffer_free(&variant);
    return is;
}

static void facts_sort(const struct record **facts, size_t n)
{
    if (n > 1)
        qsort(facts, n, sizeof *facts, compare_facts);
}

static int facts_make(struct machines *machines, const struct archive *archive, struct arena *arena,
                      struct err *err)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < archive_count(archive); i++) {
            const struct record *record = archive_record(archive, i);
            const struct run *run =
                record->kind == KIND_FACT ? run_find(machines, record) : NULL;
            if (!run || run->retracted)
                continue;
            struct machine *machine = &machines->machines[run->machine];
            bool is_build = is_of_build(record);
            size_t *n = is_build ? &machine->n_build_facts : &machine->n_facts;
            if (pass == 1)
                (is_build ? machine->build_facts : machine->facts)[*n] = record;
            ++*n;
        }
        for (size_t m = 0; m < machines->n && pass == 0; m++) {
            struct machine *machine = &machines->machines[m];
            machine->facts = arena_take(arena, machine->n_facts, sizeof *machine->facts);
            machine->build_facts =
                arena_take(arena, machine->n_build_facts, sizeof *machine->build_facts);
            if (!machine->facts || !machine->build_facts)
                return out_of_memory(err);
            machine->n_facts = machine->n_build_facts = 0;
        }
    }
    for (size_t m = 0; m < machines->n; m++) {
        facts_sort(machines->machines[m].facts, machines->machines[m].n_facts);
        facts_sort(machines->machines[m].build_facts, machines->machines[m].n_build_facts);
    }
    return 0;
}

int machines_warn(const struct machines *machines, struct arena *arena, struct warnings *warnings,
                  struct err *err)
{
    struct buffer text = {0};
    int result = 0;
    for (size_t m = 0; m < machines->n && result >= 0; m++) {
        const struct machine *machine = &machines->machines[m];
        size_t n_names = 0;
        buffer_clear(&text);
        buffer_add_format(&text, "%s: its runs differ in", machine->name);
        for (size_t i = 0; i < machine->n_facts; i++) {
            const struct record *fact = machine->facts[i];
            bool is_new = i == 0 || strcmp(fact->metric, machine->facts[i - 1]->metric) != 0;
            size_t n_values = 0;
            /* Facts of the run itself, such as its seed, differ by nature. */
            if (!is_new || fact->test[0] || strncmp(fact->metric, "run.", 4) == 0)
                continue;
            machine_fact(machine, fact->metric, "", &n_values);
            if (n_values > 1)
                buffer_add_format(&text, "%s %s", n_names++ ? "," : "", fact->metric);
        }
        if (text.failed)
            result = out_of_memory(err);
        else if (n_names > 0)
            result = warnings_add(warnings, arena, buffer_text(&text), err);
    }
    buffer_free(&text);
    return result;
}

int machines_make(struct machines *machines, const struct archive *archive, struct arena *arena,
                  struct warnings *warnings, struct err *err)
{
    *machines = (struct machines){.first_time = "", .last_time = ""};
    TRY(runs_make(machines, archive, arena, err));
    TRY(machines_list(machines, arena, err));
    machines_sort(machines, archive);
    configurations_link(machines);
    TRY(facts_make(machines, archive, arena, err));
    return machines_name(machines, arena, warnings, err);
}
