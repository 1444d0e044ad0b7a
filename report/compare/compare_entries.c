#include "report/compare/compare_entries.h"

#include <stdlib.h>
#include <string.h>

#include "report/compare/builds.h"
#include "report/grid.h"
#include "report/order.h"
#include "schema/params.h"
#include "schema/command.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

int compare_entries_order(const struct compare_entries *entries, const struct compare_entry *a,
                          const struct compare_entry *b)
{
    const struct record *x = a->cell->key, *y = b->cell->key;
    unsigned by = entries->comparison->by;
    int order;
    if ((order = natural_compare(x->kernel, y->kernel)) != 0 ||
        (order = compare_counts(x->revision, y->revision)) != 0 ||
        (order = compare_metrics(x->metric, y->metric)) != 0 ||
        (order = natural_compare(x->test, y->test)) != 0 ||
        (order = natural_compare(a->params, b->params)) != 0 ||
        (order = strcmp(x->x_unit, y->x_unit)) != 0 || (order = compare_numbers(x->x, y->x)) != 0 ||
        (order = compare_counts(x->threads, y->threads)) != 0)
        return order;
    if (!(by & BY_MACHINE) && (order = compare_counts(a->machine, b->machine)) != 0)
        return order;
    return by & BY_VARIANT ? 0 : natural_compare(x->variant, y->variant);
}

static int compare_by_key(const void *a, const void *b, void *entries)
{
    const struct compare_entry *x = a, *y = b;
    int order = compare_entries_order(entries, x, y);
    if (order == 0)
        order = (int)x->side - (int)y->side;
    return order ? order : compare_counts(x->cell->machine, y->cell->machine);
}

static int params_set(struct compare_entry *entry, bool with_emulated, struct arena *arena,
                      struct err *err)
{
    struct buffer text = {0};
    entry->params = entry->cell->key->params;
    if (!with_emulated || !cell_is_emulated(entry->cell))
        return 0;
    params_without(entry->params, "emulated", &text);
    entry->params = text.failed ? NULL : arena_copy(arena, buffer_text(&text), text.size);
    buffer_free(&text);
    return entry->params ? 0 : out_of_memory(err);
}

static int entry_fill(struct compare_entries *entries, const struct cell *cell, enum side s,
                      struct arena *arena, struct err *err)
{
    const struct compare_side *side = &entries->comparison->sides[s];
    const struct machines *machines = &side->selection->machines;
    struct compare_entry *entry = &entries->list[entries->n];
    *entry = (struct compare_entry){.cell = cell, .side = s, .failure_text = ""};
    entry->values = arena_take(arena, cell->n_records, sizeof *entry->values);
    entry->starts = arena_take(arena, cell->n_records + 1, sizeof *entry->starts);
    if (!entry->values || !entry->starts)
        return out_of_memory(err);
    size_t n = 0;
    const char *run = NULL;
    bool is_here = false;
    TRY(params_set(entry, entries->comparison->options.with_emulated, arena, err));
    entry->code = cell_code(side->selection, cell);
    entry->is_emulated = cell_is_emulated(cell);
    for (size_t i = 0; i < cell->n_records; i++) {
        const struct record *record = cell->records[i];
        if (!side_has_record(side, record))
            continue;
        is_here = true;
        entry->is_emulated = entry->is_emulated ||
                             entries->is_emulated[s][machines_run(machines, record) - machines->runs];
        if (record->status != STATUS_OK) {
            if (entry->n_failed++ == 0) {
                entry->failure = record->status;
                entry->failure_text = record->text;
            }
        } else if (record->rep == 0) {
            entry->n_warmups++;
        } else if (strcmp(record->unit, cell->unit) == 0) {
            if (!run || strcmp(run, record->run) != 0)
                entry->starts[entry->n_runs++] = n;
            run = record->run;
            entry->values[n++] = record->value;
        }
    }
    entry->starts[entry->n_runs] = n;
    entries->n += is_here;
    return 0;
}

/* ---- one number for one machine ---- */

/* The machines of a side that have cells on it: compared are configurations where both sides have the
 * same, else the machines that they are of. */
struct presence {
    const struct compare_side *sides;
    bool *is_here[SIDES]; /* machines */
    bool is_one_archive;
};

static bool is_one_configuration(const struct presence *presence, size_t base, size_t new)
{
    const struct machine *x = &presence->sides[SIDE_BASE].selection->machines.machines[base];
    const struct machine *y = &presence->sides[SIDE_NEW].selection->machines.machines[new];
    if (!presence->is_here[SIDE_BASE][base] || !presence->is_here[SIDE_NEW][new])
        return false;
    return presence->is_one_archive ? base == new
                                    : sides_share_machine(presence->sides, base, new) &&
                                          strcmp(x->config, y->config) == 0;
}

/* Numbers of configurations that both sides have are those of the base; behind them are those of whole
 * machines: of the base, then of the new side. */
static size_t machine_number(const struct presence *presence, enum side s, size_t machine)
{
    const struct machines *base = &presence->sides[SIDE_BASE].selection->machines;
    const struct machines *new = &presence->sides[SIDE_NEW].selection->machines;
    const struct machines *other = s == SIDE_BASE ? new : base;
    for (size_t m = 0; m < other->n; m++)
        if (s == SIDE_BASE ? is_one_configuration(presence, machine, m)
                           : is_one_configuration(presence, m, machine))
            return s == SIDE_BASE ? machine : m;
    if (s == SIDE_BASE || presence->is_one_archive)
        return base->n + base->machines[machine].first;
    for (size_t m = 0; m < base->n; m++)
        if (sides_share_machine(presence->sides, m, machine))
            return base->n + base->machines[m].first;
    return 2 * base->n + new->machines[machine].first;
}

bool compare_entries_share_configuration(const struct compare_entries *entries,
                                         const struct compare_entry *a,
                                         const struct compare_entry *b)
{
    /* As machine_number numbers them. */
    return a->machine == b->machine &&
           a->machine < entries->comparison->sides[SIDE_BASE].selection->machines.n;
}

static int numbers_set(struct compare_entries *entries, struct arena *arena, struct err *err)
{
    const struct compare_side *sides = entries->comparison->sides;
    struct presence presence = {
        .sides = sides,
        .is_one_archive = sides[SIDE_BASE].selection == sides[SIDE_NEW].selection};
    for (int s = 0; s < SIDES; s++) {
        size_t n = sides[s].selection->machines.n;
        presence.is_here[s] = arena_take(arena, n, sizeof(bool));
        if (!presence.is_here[s])
            return out_of_memory(err);
        memset(presence.is_here[s], 0, n * sizeof(bool));
    }
    for (size_t i = 0; i < entries->n; i++)
        presence.is_here[entries->list[i].side][entries->list[i].cell->machine] = true;
    for (int s = 0; s < SIDES; s++) {
        size_t n = sides[s].selection->machines.n;
        size_t *numbers = arena_take(arena, n, sizeof *numbers);
        if (!numbers)
            return out_of_memory(err);
        for (size_t m = 0; m < n; m++)
            numbers[m] = presence.is_here[s][m] ? machine_number(&presence, (enum side)s, m) : 0;
        for (size_t i = 0; i < entries->n; i++)
            if (entries->list[i].side == (enum side)s)
                entries->list[i].machine = numbers[entries->list[i].cell->machine];
    }
    return 0;
}

/* Adds the values of one entry behind those of another. */
static int entry_join(struct compare_entry *to, const struct compare_entry *from, struct arena *arena,
                      struct err *err)
{
    size_t n = to->starts[to->n_runs], n_more = from->starts[from->n_runs];
    double *values = arena_take(arena, n + n_more, sizeof *values);
    size_t *starts = arena_take(arena, to->n_runs + from->n_runs + 1, sizeof *starts);
    if (!values || !starts)
        return out_of_memory(err);
    for (size_t i = 0; i < n + n_more; i++)
        values[i] = i < n ? to->values[i] : from->values[i - n];
    for (size_t i = 0; i <= to->n_runs + from->n_runs; i++)
        starts[i] = i < to->n_runs ? to->starts[i] : n + from->starts[i - to->n_runs];
    to->values = values;
    to->starts = starts;
    to->n_runs += from->n_runs;
    to->n_warmups += from->n_warmups;
    if (to->n_failed == 0) {
        to->failure = from->failure;
        to->failure_text = from->failure_text;
    }
    to->n_failed += from->n_failed;
    to->is_emulated = to->is_emulated || from->is_emulated;
    return 0;
}

/* Cells of one side that may not be told apart, of two configurations of one machine that the other side
 * has neither of, become one. Units differ only where one has no value. */
static int entries_join(struct compare_entries *entries, struct arena *arena, struct err *err)
{
    size_t n = 0;
    for (size_t i = 0; i < entries->n; i++) {
        struct compare_entry *last = n > 0 ? &entries->list[n - 1] : NULL;
        if (last && last->side == entries->list[i].side &&
            strcmp(last->cell->unit, entries->list[i].cell->unit) == 0 &&
            compare_entries_order(entries, last, &entries->list[i]) == 0) {
            TRY(entry_join(last, &entries->list[i], arena, err));
            entries->n_joined++;
        } else {
            entries->list[n++] = entries->list[i];
        }
    }
    entries->n = n;
    return 0;
}

/* Entries of one place are of one kernel, test, metric and x, and differ in how it was measured. */
static int compare_places(const struct compare_entry *a, const struct compare_entry *b)
{
    static const enum field_type types[] = {FIELD_KERNEL, FIELD_TEST, FIELD_METRIC, FIELD_X_UNIT,
                                            FIELD_X};
    int order = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0] && order == 0; i++)
        order = field_compare(&(struct field){types[i], NULL}, a->cell, b->cell);
    return order;
}

static int compare_in_places(const void *a, const void *b)
{
    const struct compare_entry *x = *(const struct compare_entry *const *)a;
    const struct compare_entry *y = *(const struct compare_entry *const *)b;
    int order = compare_places(x, y);
    return order ? order : (x > y) - (x < y);
}

static int places_sort(struct compare_entries *entries, struct arena *arena, struct err *err)
{
    entries->by_place = arena_take(arena, entries->n, sizeof *entries->by_place);
    if (!entries->by_place)
        return out_of_memory(err);
    for (size_t i = 0; i < entries->n; i++)
        entries->by_place[i] = &entries->list[i];
    if (entries->n > 1)
        qsort(entries->by_place, entries->n, sizeof *entries->by_place, compare_in_places);
    return 0;
}

int compare_entries_make(struct compare_entries *entries, struct arena *arena, struct err *err)
{
    const struct comparison *comparison = entries->comparison;
    const struct compare_options *options = &comparison->options;
    size_t n = comparison->sides[SIDE_BASE].selection->n_cells +
               comparison->sides[SIDE_NEW].selection->n_cells;
    entries->list = arena_take(arena, n, sizeof *entries->list);
    if (!entries->list)
        return out_of_memory(err);
    for (int s = 0; s < SIDES; s++) {
        const struct selection *selection = comparison->sides[s].selection;
        for (size_t c = 0; c < selection->n_cells; c++) {
            const struct cell *cell = &selection->cells[c];
            if (!side_has_cell(&comparison->sides[s], cell) ||
                !argument_list_has(options->kernel, cell->key->kernel) ||
                !argument_list_has(options->test, cell->key->test) ||
                !argument_list_has(options->metric, cell->key->metric))
                continue;
            TRY(entry_fill(entries, cell, (enum side)s, arena, err));
        }
    }
    TRY(numbers_set(entries, arena, err));
    if (entries->n > 1)
        qsort_r(entries->list, entries->n, sizeof *entries->list, compare_by_key, entries);
    TRY(entries_join(entries, arena, err));
    TRY(places_sort(entries, arena, err));
    return entries->n > 0 ? 0
                               : err_set(err, ERR_UNCLEAR, "no sample is of this kernel, test and metric");
}

/* How many parts of the key of two entries of one place differ; *what names the last of them. */
static size_t count_differences(const struct compare_entries *entries, const struct compare_entry *a,
                                const struct compare_entry *b, struct field *what)
{
    unsigned by = entries->comparison->by;
    static const enum field_type types[] = {FIELD_REVISION, FIELD_THREADS, FIELD_VARIANT};
    size_t n = 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct field field = {types[i], NULL};
        if (types[i] == FIELD_VARIANT && (by & BY_VARIANT))
            continue;
        if (field_compare(&field, a->cell, b->cell) != 0) {
            n++;
            *what = field;
        }
    }
    if (strcmp(a->params, b->params) != 0) {
        n++;
        *what = (struct field){FIELD_PARAM, NULL};
    }
    if (!(by & BY_MACHINE) && a->machine != b->machine) {
        n++;
        *what = (struct field){FIELD_MACHINE, NULL};
    }
    return n;
}

void compare_entries_alone(const struct compare_entries *entries, size_t index, struct buffer *out)
{
    const struct compare_entry *entry = &entries->list[index];
    const struct compare_entry *near = NULL;
    struct field what = {FIELD_KERNEL, NULL};
    size_t least = SIZE_MAX, first = 0, end = entries->n;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (compare_places(entries->by_place[middle], entry) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    for (size_t i = first; i < entries->n && least > 1; i++) {
        const struct compare_entry *other = entries->by_place[i];
        struct field field = {FIELD_KERNEL, NULL};
        if (compare_places(other, entry) != 0)
            break;
        if (other->side == entry->side)
            continue;
        size_t n = count_differences(entries, entry, other, &field);
        if (n < least) {
            least = n;
            near = other;
            what = field;
        }
    }
    buffer_add_format(out, "only on the %s side", entry->side == SIDE_BASE ? "base" : "new");
    if (near && least == 1) {
        const struct selection *of[SIDES] = {entries->comparison->sides[SIDE_BASE].selection,
                                             entries->comparison->sides[SIDE_NEW].selection};
        bool is_params = what.type == FIELD_PARAM;
        const char *title = is_params ? "params" : field_title(&what);
        buffer_add_format(out, "; the other has %s ", title);
        if (is_params)
            buffer_add_text(out, near->cell->key->params[0] ? near->cell->key->params : "(none)");
        else
            field_text(&what, of[near->side], near->cell, NULL, out);
        buffer_add_text(out, " instead of ");
        if (is_params)
            buffer_add_text(out, entry->cell->key->params[0] ? entry->cell->key->params : "(none)");
        else
            field_text(&what, of[entry->side], entry->cell, NULL, out);
    }
}
