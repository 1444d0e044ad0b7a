#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/configuration.h"
#include "report/scale.h"
#include "schema/params.h"

/* More machines in all kernels than this and the graphs are on the pages of the kernels alone: nobody
 * looks at thousands, and drawing them is what takes the time. */
enum { GRAPHS_MAX = 400 };

static void fact_set(struct value *item, const struct record *fact, struct buffer *text)
{
    buffer_clear(text);
    fact_text(fact, text);
    value_text(item, "value", buffer_text(text));
    value_flag(item, "is_unknown", fact->status != STATUS_OK);
    buffer_clear(text);
    params_get(fact->params, "source", text);
    value_text(item, "source", buffer_text(text));
}

/* Facts of identity: each value that a run gave, the runs that gave it where they differ. */
static void identity_set(struct value *map, const struct machine *machine, struct buffer *text)
{
    struct value *facts = value_list(map, "facts");
    struct value *unknowns = value_list(map, "unknowns");
    const struct record *before = NULL;
    for (size_t i = 0; i < machine->n_facts; i++) {
        const struct record *fact = machine->facts[i];
        if (fact->test[0])
            continue;
        bool is_same_name = before && strcmp(before->metric, fact->metric) == 0;
        if (is_same_name && facts_agree(before, fact))
            continue;
        before = fact;
        size_t n_values;
        machine_fact(machine, fact->metric, "", &n_values);
        struct value *item = value_append(fact->status == STATUS_OK ? facts : unknowns);
        value_text(item, "name", fact->metric);
        value_text(item, "run", n_values > 1 ? fact->run : "");
        fact_set(item, fact, text);
    }
    value_flag(map, "has_facts", facts->first != NULL);
}

/* The fact of the same name and run at another time, of the same source where several say, or NULL. */
static const struct record *state_find(const struct machine *machine, const struct record *fact,
                                       const char *when)
{
    size_t n;
    const struct record *const *others =
        facts_of_run((const struct record *const *)machine->facts, machine->n_facts, fact->metric,
                     when, fact->run, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(others[i]->params, fact->params) == 0)
            return others[i];
    return n > 0 ? others[0] : NULL;
}

static void state_add(struct value *list, const struct record *before, const struct record *after,
                      struct buffer *text)
{
    const struct record *any = before ? before : after;
    struct value *item = value_append(list);
    value_text(item, "name", any->metric);
    value_text(item, "run", any->run);
    const struct record *const sides[] = {before, after};
    static const char *const names[] = {"before", "after"};
    for (size_t s = 0; s < 2; s++) {
        buffer_clear(text);
        if (sides[s])
            fact_text(sides[s], text);
        value_text(item, names[s], sides[s] ? buffer_text(text) : "-");
    }
    value_flag(item, "has_changed", before && after && !facts_agree(before, after));
    buffer_clear(text);
    params_get(any->params, "source", text);
    value_text(item, "source", buffer_text(text));
}

/* Facts of state that stay as they are in a run that was left alone; all others, such as load and
 * temperature, move by themselves. */
static const char *const steady[] = {
    "clock.source", "clock.synchronised", "cpu.boost", "cpu.cache_preference",
    "cpu.clock.driver_mode", "cpu.clock.limit", "cpu.count.allowed", "cpu.count.online",
    "cpu.energy_preference", "cpu.governor", "heat.throttled.core", "heat.throttled.firmware",
    "heat.throttled.package", "limit.cpu.throttled", "power.profile", "power.source",
    "system.preemption.now", "system.taint"};

static const char measured[] = ".clock.measured";
/* A clock that was measured lower or higher by more than this part is another clock. */
static const double clock_tolerance = 0.05;

static bool is_disturbed(const struct record *before, const struct record *after)
{
    /* cpu.clock.measured, cpu.kind1.clock.measured ... */
    size_t size = strlen(before->metric);
    if (size >= sizeof measured - 1 &&
        strcmp(before->metric + size - (sizeof measured - 1), measured) == 0 && RECORD_HAS(before, value) &&
        RECORD_HAS(after, value))
        return after->value < before->value * (1 - clock_tolerance) ||
               after->value > before->value * (1 + clock_tolerance);
    bool is_steady = strncmp(before->metric, "power.limit.", 12) == 0; /* one for each zone */
    for (size_t i = 0; i < sizeof steady / sizeof steady[0]; i++)
        is_steady = is_steady || strcmp(before->metric, steady[i]) == 0;
    return is_steady && !facts_agree(before, after);
}

/* Time that the hypervisor gave to others above this part of what the processors had. */
static const double steal_tolerance = 0.01;

/* By how much a counter of seconds rose in the run of a fact; negative where nobody says. */
static double rise_of(const struct machine *machine, const struct record *fact, const char *name)
{
    struct record key = *fact;
    key.metric = name;
    const struct record *before = state_find(machine, &key, "before");
    const struct record *after = state_find(machine, &key, "after");
    return before && after && RECORD_HAS(before, value) && RECORD_HAS(after, value)
               ? after->value - before->value
               : -1;
}

/* The share of the time of all processors that was stolen during the run of the fact load.steal. */
static double steal_share(const struct machine *machine, const struct record *fact)
{
    struct record key = *fact;
    key.metric = "cpu.count.online";
    const struct record *cpus = state_find(machine, &key, "before");
    double steal = rise_of(machine, fact, "load.steal"), time = rise_of(machine, fact, "load.uptime");
    return steal > 0 && time > 0 && cpus && RECORD_HAS(cpus, value) && cpus->value > 0
               ? steal / (time * cpus->value)
               : 0;
}

/* True when the wall clock was set during the run: more than what it is slewed by, 500 parts in a million
 * at most (adjtimex(2)), and what two clocks read one after the other may differ. */
static bool is_clock_set(const struct machine *machine, const struct record *before,
                         const struct record *after)
{
    double time = rise_of(machine, before, "load.uptime");
    return RECORD_HAS(before, value) && RECORD_HAS(after, value) &&
           fabs(after->value - before->value) > 0.1 + 5e-4 * fmax(time, 0);
}

/* The fact after the run, of one before it that should have stayed and did not; else NULL. */
static const struct record *disturbance_of(const struct machine *machine, const struct record *fact)
{
    const struct record *after =
        strcmp(fact->test, "before") == 0 ? state_find(machine, fact, "after") : NULL;
    if (!after)
        return NULL;
    bool is_disturbing;
    if (strcmp(fact->metric, "load.steal") == 0)
        is_disturbing = steal_share(machine, fact) > steal_tolerance;
    else if (strcmp(fact->metric, "clock.boot_time") == 0)
        is_disturbing = is_clock_set(machine, fact, after);
    else
        is_disturbing = is_disturbed(fact, after);
    return is_disturbing ? after : NULL;
}

void page_disturbed_facts(const struct machine *machine, struct buffer *out)
{
    const char *last = "";
    for (size_t i = 0; i < machine->n_facts; i++) {
        const struct record *fact = machine->facts[i];
        if (!disturbance_of(machine, fact) || strcmp(last, fact->metric) == 0)
            continue;
        buffer_add_format(out, "%s%s", *last ? ", " : "", fact->metric);
        last = fact->metric;
    }
}

static void disturbance_add(struct value *list, const struct machine *machine,
                            const struct record *before, const struct record *after,
                            struct buffer *text)
{
    struct value *item = value_append(list);
    buffer_clear(text);
    buffer_add_format(text, "%s changed from ", before->metric);
    fact_text(before, text);
    buffer_add_text(text, " to ");
    fact_text(after, text);
    if (strcmp(before->metric, "load.steal") == 0) {
        char share[SCALE_TEXT_SIZE];
        scale_number(steal_share(machine, before) * 100, 2, share);
        buffer_add_format(text, ", %s %% of the time of all processors", share);
    }
    value_text(item, "text", buffer_text(text));
    value_text(item, "run", before->run);
}

static void state_set(struct value *map, const struct machine *machine, struct buffer *text)
{
    struct value *states = value_list(map, "states");
    struct value *disturbances = value_list(map, "disturbances");
    for (size_t i = 0; i < machine->n_facts; i++) {
        const struct record *fact = machine->facts[i];
        const struct record *after = strcmp(fact->test, "before") == 0
                                         ? state_find(machine, fact, "after")
                                         : NULL;
        const struct record *disturbed = disturbance_of(machine, fact);
        if (disturbed)
            disturbance_add(disturbances, machine, fact, disturbed, text);
        if (strcmp(fact->test, "before") == 0)
            state_add(states, fact, after, text);
        else if (strcmp(fact->test, "after") == 0 && !state_find(machine, fact, "before"))
            state_add(states, NULL, fact, text);
    }
    value_flag(map, "has_states", states->first != NULL);
    value_flag(map, "has_disturbances", disturbances->first != NULL);
    value_flag(map, "has_runs", machine->n_runs > 1);
}

/* The other configurations of this machine, and in which facts each differs from this one. */
static int configurations_set(struct page *page, size_t m, struct buffer *text, struct err *err)
{
    const struct machines *machines = &page->site->selection.machines;
    const struct machine *machine = &machines->machines[m];
    struct value *list = value_list(page->map, "configurations");
    for (size_t o = 0; o < machines->n; o++) {
        struct difference *differences;
        size_t n;
        if (o == m || machines->machines[o].first != machine->first)
            continue;
        struct value *item = value_append(list);
        value_text(item, "name", machines->machines[o].name);
        value_format(item, "href", "%s.html", page->site->machine_slugs[o]);
        TRY(configuration_differences(machine, &machines->machines[o], &page->tree.arena,
                                      &differences, &n, err));
        value_flag(item, "has_differences", n > 0);
        struct value *rows = value_list(item, "differences");
        for (size_t i = 0; i < n; i++) {
            const struct record *const sides[] = {differences[i].a, differences[i].b};
            static const char *const names[] = {"here", "there"};
            struct value *row = value_append(rows);
            value_text(row, "name", differences[i].name);
            for (size_t s = 0; s < 2; s++) {
                buffer_clear(text);
                if (sides[s])
                    fact_text(sides[s], text);
                value_text(row, names[s], sides[s] ? buffer_text(text) : "unknown: not recorded");
            }
        }
    }
    value_flag(page->map, "has_configurations", list->first != NULL);
    return 0;
}

/* How many machines each kernel has, summed up. */
static int count_pairs(const struct page *page, size_t *n_pairs, struct err *err)
{
    const struct site *site = page->site;
    size_t n_machines = site->selection.machines.n;
    bool *has_cells = malloc(n_machines + 1);
    if (!has_cells)
        return err_set(err, ERR_SYSTEM, "out of memory");
    *n_pairs = 0;
    for (size_t k = 0; k < site->n_kernels; k++) {
        memset(has_cells, 0, n_machines);
        for (size_t i = 0; i < site->kernels[k].n_cells; i++) {
            size_t m = site->kernels[k].cells[i].machine;
            *n_pairs += !has_cells[m];
            has_cells[m] = true;
        }
    }
    free(has_cells);
    return 0;
}

/* One section for each kernel that ran here: its graphs where something was swept, its tables. */
static int kernels_set(struct page *page, size_t m, struct buffer *text, struct err *err)
{
    struct site *site = page->site;
    struct value *list = value_list(page->map, "kernels");
    size_t n_pairs = 0;
    TRY(count_pairs(page, &n_pairs, err));
    bool has_graphs = n_pairs <= GRAPHS_MAX;
    value_flag(page->map, "lacks_graphs", !has_graphs);
    for (size_t k = 0; k < site->n_kernels; k++) {
        const struct site_kernel *kernel = &site->kernels[k];
        struct arena *arena = &page->tree.arena;
        const struct cell **cells = arena_take(arena, kernel->n_cells, sizeof *cells);
        const struct cell **swept = arena_take(arena, kernel->n_cells, sizeof *swept);
        size_t n = 0, n_swept = 0;
        if (!cells || !swept)
            return err_set(err, ERR_SYSTEM, "out of memory");
        for (size_t i = 0; i < kernel->n_cells; i++) {
            const struct cell *cell = &kernel->cells[i];
            if (cell->machine != m)
                continue;
            cells[n++] = cell;
            if (RECORD_HAS(cell->key, x))
                swept[n_swept++] = cell;
        }
        if (n == 0)
            continue;
        struct value *item = value_append(list);
        value_text(item, "kernel", kernel->name);
        value_format(item, "href", "../kernels/%s.html", kernel->slug);
        value_format(item, "samples", "../samples/%s/%s.html", kernel->slug,
                     site->machine_slugs[m]);
        buffer_clear(text);
        buffer_add_format(text, "machine-%s.%s", site->machine_slugs[m], kernel->slug);
        TRY(page_figures(page, item, swept, has_graphs ? n_swept : 0,
                         &site->selection.machines.machines[m], buffer_text(text), err));
        TRY(page_tables(page, item, cells, n, "params", "variant,threads", err));
    }
    return 0;
}

int page_machine(struct site *site, size_t m, struct err *err)
{
    const struct machine *machine = &site->selection.machines.machines[m];
    struct page page;
    struct buffer text = {0}, path = {0};
    page_begin(&page, site, "../", machine->name);
    struct value *map = page.map;
    page.is_of_machine = true;
    value_text(map, "machine", machine->name);
    value_text(map, "slug", site->machine_slugs[m]);
    value_count(map, "n_runs", machine->n_runs, "run");
    value_count(map, "n_samples", machine->n_samples, "sample");
    value_text(map, "machine_first", machine->first_time);
    value_text(map, "machine_last", machine->last_time);
    value_flag(map, "machine_has_range", strcmp(machine->first_time, machine->last_time) != 0);
    identity_set(map, machine, &text);
    state_set(map, machine, &text);
    int result = configurations_set(&page, m, &text, err);
    if (result >= 0)
        result = kernels_set(&page, m, &text, err);
    buffer_add_format(&path, "machines/%s.html", site->machine_slugs[m]);
    if (result >= 0 && (text.failed || path.failed))
        result = err_set(err, ERR_SYSTEM, "out of memory");
    if (result >= 0)
        result = page_end(&page, "machine", buffer_text(&path), err);
    else
        page_free(&page);
    buffer_free(&text);
    buffer_free(&path);
    return result;
}
