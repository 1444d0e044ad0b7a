#include "report/publish.h"

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

/* An instant, not a day, a month or a year. */
static bool is_archived(const struct selection *selection, const struct run *run, const char **time)
{
    for (size_t c = 0; c < selection->n_cells; c++) {
        const struct cell *cell = &selection->cells[c];
        if (cell->machine != run->machine)
            continue;
        for (size_t i = 0; i < cell->n_records; i++)
            if (strcmp(cell->records[i]->run, run->id) == 0) {
                *time = cell->records[i]->time;
                return !strchr(*time, 'T');
            }
    }
    *time = "";
    return true;
}

static void run_check(const struct selection *selection, const struct run *run,
                      struct buffer *holes, size_t *n_holes)
{
    const struct machine *machine = &selection->machines.machines[run->machine];
    const char *time;
    bool may_be_unknown = is_archived(selection, run, &time);
    for (size_t r = 0; r < sizeof required / sizeof required[0]; r++) {
        const char *reason = "not recorded";
        /* State is what an archived run has none of. */
        bool is_there = may_be_unknown && required[r].when[0];
        for (size_t f = 0; f < machine->n_facts && !is_there; f++) {
            const struct record *fact = machine->facts[f];
            if (strcmp(fact->run, run->id) != 0 || strcmp(fact->test, required[r].when) != 0 ||
                !is_named(required[r].facts, fact->metric))
                continue;
            is_there = fact->status == STATUS_OK || may_be_unknown;
            if (!is_there)
                reason = fact->text;
        }
        if (is_there)
            continue;
        ++*n_holes;
        buffer_add_format(holes, "%s, run %s: %s: %s\n", machine->name, run->id, required[r].what,
                          reason);
    }
}

int publish_check(const struct selection *selection, struct buffer *holes, struct err *err)
{
    const struct machines *machines = &selection->machines;
    size_t n_holes = 0;
    for (size_t r = 0; r < machines->n_runs; r++)
        if (!machines->runs[r].retracted && machines->runs[r].n_samples > 0)
            run_check(selection, &machines->runs[r], holes, &n_holes);
    if (holes->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return n_holes > 0 ? err_set(err, ERR_DATA, "not published: %zu %s", n_holes,
                                 n_holes == 1 ? "hole" : "holes")
                       : 0;
}
