#include "report/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "report/configuration.h"

/* Machines side by side; where there are many, below one another. */

/* The facts that decide most, in the order of the table. Those that no machine has are left out, all
 * others are on the pages of the machines. */
static const struct {
    const char *fact;
    const char *title;
    const char *when; /* "" of identity */
} key_facts[] = {
    {"cpu.model", "processor", ""},
    {"cpu.clock", "clock", ""},
    {"cpu.clock.now", "clock at the start", "before"},
    {"cpu.clock.measured", "clock, measured", "before"},
    {"cpu.clock.max", "highest clock", ""},
    {"cpu.sockets", "sockets", ""},
    {"cpu.cores", "cores", ""},
    {"cpu.count.online", "logical processors", ""},
    {"cache.l1d", "L1 data cache", ""},
    {"cache.l2", "L2 cache", ""},
    {"cache.l3", "L3 cache", ""},
    {"memory.total", "memory", ""},
    {"memory.swap", "swap", ""},
    {"limit.memory", "limit of memory", ""},
    {"limit.cpu", "limit of processors", ""},
    {"disk.model", "disk under test", ""},
    {"disk.rate", "rate of the disk", ""},
    {"disk.filesystem", "file system", ""},
    {"system.os", "system", ""},
    {"system.kernel", "kernel of the system", ""},
    {"system.arch", "architecture", ""},
    {"system.process_bits", "word size", ""},
    {"system.libc", "C library", ""},
    {"virtual.machine", "virtual machine", ""},
    {"virtual.container", "container", ""},
    {"build.compiler", "compiler", ""},
    {"build.kernel_flags", "flags", ""},
};

enum { N_KEY_FACTS = sizeof key_facts / sizeof key_facts[0] };

/* What the machines say of one fact. */
struct row {
    bool is_there, differs;
    size_t n_known;
};

static struct row row_look(const struct machines *machines, const char *name, const char *when)
{
    struct row row = {.n_known = 0};
    const struct record *first_known = NULL;
    for (size_t m = 0; m < machines->n; m++) {
        const struct record *fact = machine_fact(&machines->machines[m], name, when, NULL);
        row.is_there = row.is_there || fact;
        if (!fact || fact->status != STATUS_OK)
            continue;
        row.n_known++;
        row.differs = row.differs || (first_known && !facts_agree(first_known, fact));
        if (!first_known)
            first_known = fact;
    }
    return row;
}

/* What one machine says of one fact. */
static void cell_set(struct value *cells, const struct machine *machine, const char *name,
                     const char *when, struct buffer *text)
{
    size_t n_values = 0;
    const struct record *fact = machine_fact(machine, name, when, &n_values);
    bool is_known = fact && fact->status == STATUS_OK;
    struct value *cell = value_append(cells);
    buffer_clear(text);
    if (fact)
        fact_text(fact, text);
    else
        buffer_add_text(text, "unknown: not recorded");
    value_text(cell, "text", buffer_text(text));
    value_text(cell, "number", "");
    if (is_known && RECORD_HAS(fact, value))
        value_format(cell, "number", "%.17g", fact->value);
    value_flag(cell, "is_unknown", !is_known);
    value_flag(cell, "has_varied", n_values > 1);
    value_flag(cell, "is_disputed", fact && fact_is_disputed(machine, fact));
}

/* The head of a row, or of a column, of a fact. */
static struct value *head_set(struct value *heads, const char *name, const char *title, bool differs)
{
    struct value *head = value_append(heads);
    value_text(head, "title", title);
    value_text(head, "name", name);
    value_flag(head, "differs", differs);
    return head;
}

static void row_set(struct value *rows, const struct machines *machines, const char *name,
                    const char *when, const char *title, bool differs, struct buffer *text)
{
    struct value *cells = value_list(head_set(rows, name, title, differs), "cells");
    for (size_t m = 0; m < machines->n; m++)
        cell_set(cells, &machines->machines[m], name, when, text);
}

static bool is_key_fact(const char *name)
{
    for (size_t f = 0; f < N_KEY_FACTS; f++)
        if (strcmp(key_facts[f].fact, name) == 0)
            return true;
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every further fact of the configuration that two machines know and do not agree in. */
static int differences_set(struct value *map, const struct machines *machines, struct arena *arena,
                           struct buffer *text, struct err *err)
{
    size_t n = 0, n_all = 0;
    for (size_t m = 0; m < machines->n; m++)
        n_all += machines->machines[m].n_facts;
    const char **names = arena_take(arena, n_all, sizeof *names);
    if (n_all > 0 && !names)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t m = 0; m < machines->n; m++)
        for (size_t i = 0; i < machines->machines[m].n_facts; i++) {
            const struct record *fact = machines->machines[m].facts[i];
            if (is_of_configuration(fact) && !is_key_fact(fact->metric))
                names[n++] = fact->metric;
        }
    if (n > 1)
        qsort(names, n, sizeof *names, compare_names);
    struct value *rows = value_list(map, "differences");
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(names[i], names[i - 1]) == 0)
            continue;
        struct row row = row_look(machines, names[i], "");
        if (row.differs && row.n_known > 1)
            row_set(rows, machines, names[i], "", names[i], true, text);
    }
    value_flag(map, "has_differences", rows->first != NULL);
    return 0;
}

/* looked: [N_KEY_FACTS]. is_turned: heads alone, for the columns. */
static void facts_set(struct value *map, const struct machines *machines, const struct row *looked,
                      bool is_turned, struct buffer *text)
{
    struct value *rows = value_list(map, "facts");
    for (size_t f = 0; f < N_KEY_FACTS; f++) {
        if (looked[f].is_there && is_turned)
            head_set(rows, key_facts[f].fact, key_facts[f].title, looked[f].differs);
        else if (looked[f].is_there)
            row_set(rows, machines, key_facts[f].fact, key_facts[f].when, key_facts[f].title,
                    looked[f].differs, text);
    }
}

static void machines_set(const struct site *site, struct value *map, const struct row *looked,
                         bool has_cells, struct buffer *text)
{
    const struct machines *machines = &site->selection.machines;
    struct value *list = value_list(map, "machines");
    for (size_t m = 0; m < machines->n; m++) {
        const struct machine *machine = &machines->machines[m];
        struct value *item = value_append(list);
        value_text(item, "name", machine->name);
        value_format(item, "href", "machines/%s.html", site->machine_slugs[m]);
        value_text(item, "first", machine->first_time);
        value_text(item, "last", machine->last_time);
        value_flag(item, "has_span", strcmp(machine->first_time, machine->last_time) != 0);
        value_format(item, "n_runs", "%zu", machine->n_runs);
        value_format(item, "n_samples", "%zu", machine->n_samples);
        struct value *cells = value_list(item, "cells");
        for (size_t f = 0; has_cells && f < N_KEY_FACTS; f++)
            if (looked[f].is_there)
                cell_set(cells, machine, key_facts[f].fact, key_facts[f].when, text);
    }
    size_t n_whole = 0;
    for (size_t m = 0; m < machines->n; m++)
        n_whole += machines->machines[m].first == m;
    if (n_whole == machines->n)
        value_count(map, "n_machines", n_whole, "machine");
    else
        value_format(map, "n_machines", "%zu %s in %zu configurations", n_whole,
                     n_whole == 1 ? "machine" : "machines", machines->n);
}

int page_facts(struct page *page, struct buffer *text, struct err *err)
{
    const struct machines *machines = &page->site->selection.machines;
    bool is_turned = machines->n > PAGE_SIDES_ACROSS;
    struct row looked[N_KEY_FACTS];
    for (size_t f = 0; f < N_KEY_FACTS; f++)
        looked[f] = row_look(machines, key_facts[f].fact, key_facts[f].when);
    value_flag(page->map, "is_turned", is_turned);
    machines_set(page->site, page->map, looked, is_turned, text);
    facts_set(page->map, machines, looked, is_turned, text);
    return differences_set(page->map, machines, &page->tree.arena, text, err);
}
