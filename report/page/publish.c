#include "report/page/publish.h"

#include <stdlib.h>
#include <string.h>

/* The table of what is required: any of the facts, whose names end with a blank; `*` stands for any
 * end of a name. */
static const struct {
    const char *what;
    const char *facts;
    const char *when; /* "" of identity */
} required[] = {
    {"processor", "cpu.model ", ""},
    {"memory", "memory.total ", ""},
    {"system", "system.os ", ""},
    {"compiler", "build.compiler build.compiler.* ", ""},
    {"flags", "build.kernel_flags build.flags build.flags.* build.configure.* ", ""},
    {"conditions before", "load.* memory.available pressure.* run.conditions ", "before"},
    {"conditions after", "load.* memory.available pressure.* run.conditions ", "after"},
};

/* True when the name is one of the list. */
static bool is_named(const char *list, const char *name)
{
    for (const char *p = list; *p; p += strcspn(p, " ") + 1) {
        size_t size = strcspn(p, " ");
        bool is_start = p[size - 1] == '*';
        if (is_start ? strncmp(name, p, size - 1) == 0
                     : strlen(name) == size && memcmp(name, p, size) == 0)
            return true;
    }
    return false;
}

/* A run, as far as what is required of it goes. */
struct state {
    bool is_instant;    /* its samples say when they were taken, not a day, a month or a year alone */
    bool has_fact;
    const char *reason; /* why the fact is not known */
};

/* Which of the runs [machines.n_runs] tell an instant; those that do not are of an archive. */
static void instants_mark(const struct selection *selection, struct state *states)
{
    const struct machines *machines = &selection->machines;
    for (size_t c = 0; c < selection->n_cells; c++) {
        const struct cell *cell = &selection->cells[c];
        for (size_t i = 0; i < cell->n_records; i++)
            if (strchr(cell->records[i]->time, 'T'))
                states[machines_run(machines, cell->records[i]) - machines->runs].is_instant = true;
    }
}

/* Sets what the runs of a machine say of a requirement. */
static void facts_look(const struct machines *machines, size_t m, size_t r, struct state *states)
{
    const struct machine *machine = &machines->machines[m];
    for (size_t i = 0; i < machines->n_runs; i++) {
        /* State is what an archived run has none of. */
        states[i].has_fact = !states[i].is_instant && required[r].when[0];
        states[i].reason = "not recorded";
    }
    for (size_t f = 0; f < machine->n_facts; f++) {
        const struct record *fact = machine->facts[f];
        if (strcmp(fact->test, required[r].when) != 0 || !is_named(required[r].facts, fact->metric))
            continue;
        struct state *state = &states[machines_run(machines, fact) - machines->runs];
        state->has_fact = state->has_fact || fact->status == STATUS_OK || !state->is_instant;
        state->reason = fact->text;
    }
}

static bool is_used(const struct run *run)
{
    return !run->retracted && run->n_samples > 0;
}

/* One line for all runs of a machine, in a row, that lack the same for the same reason. */
static void hole_add(struct buffer *holes, const struct machine *machine, const struct run *first,
                     size_t n, size_t r, const char *reason)
{
    buffer_add_format(holes, "%s, run %s", machine->name, first->id);
    if (n > 1)
        buffer_add_format(holes, " and %zu more", n - 1);
    buffer_add_format(holes, ": %s: %s (%.*s)\n", required[r].what, reason,
                      (int)strlen(required[r].facts) - 1, required[r].facts);
}

static size_t machine_check(const struct machines *machines, size_t m, size_t r, struct state *states,
                            struct buffer *holes)
{
    const struct run *first = NULL;
    const char *why = "";
    size_t n_holes = 0, n = 0;
    facts_look(machines, m, r, states);
    for (size_t i = 0; i < machines->n_runs; i++) {
        const struct run *run = &machines->runs[i];
        if (!is_used(run) || run->machine != m)
            continue;
        const char *reason = states[i].has_fact ? NULL : states[i].reason;
        n_holes += reason != NULL;
        if (first && reason && strcmp(reason, why) == 0) {
            n++;
            continue;
        }
        if (first)
            hole_add(holes, &machines->machines[m], first, n, r, why);
        first = reason ? run : NULL;
        why = reason ? reason : "";
        n = 1;
    }
    if (first)
        hole_add(holes, &machines->machines[m], first, n, r, why);
    return n_holes;
}

int publish_check(const struct selection *selection, struct buffer *holes, struct err *err)
{
    const struct machines *machines = &selection->machines;
    size_t n_holes = 0;
    struct state *states = calloc(machines->n_runs + 1, sizeof *states);
    if (!states)
        return err_set(err, ERR_SYSTEM, "out of memory");
    instants_mark(selection, states);
    for (size_t m = 0; m < machines->n; m++)
        for (size_t r = 0; r < sizeof required / sizeof required[0]; r++)
            n_holes += machine_check(machines, m, r, states, holes);
    free(states);
    if (holes->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return n_holes > 0 ? err_set(err, ERR_DATA, "not published: %zu %s", n_holes,
                                 n_holes == 1 ? "hole" : "holes")
                       : 0;
}
