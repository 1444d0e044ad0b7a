#include "report/compare/compare_machines.h"

#include <string.h>

#include "report/configuration.h"

enum { SHOWN_OF_MACHINES = 6 }; /* facts that two machines differ in; of one machine all are shown */

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static int note(struct comparison *comparison, struct buffer *text, struct err *err)
{
    if (text->failed)
        return out_of_memory(err);
    TRY(warnings_add(&comparison->notes, &comparison->arena, buffer_text(text), err));
    buffer_clear(text);
    return 0;
}

/* True when an earlier cell is of the same two machines. */
static bool is_noted(const struct comparison *comparison, size_t i)
{
    const struct compared *is = &comparison->cells[i];
    for (size_t k = i; k-- > 0;) {
        const struct compared *other = &comparison->cells[k];
        if (other->cells[SIDE_BASE]->machine == is->cells[SIDE_BASE]->machine &&
            other->cells[SIDE_NEW]->machine == is->cells[SIDE_NEW]->machine)
            return true;
    }
    return false;
}

/* What the runs of a machine that are on the side say of it. */
static int side_machine(const struct compare_side *side, size_t m, struct arena *arena,
                        struct machine *out, struct err *err)
{
    *out = side->selection->machines.machines[m];
    const struct record **facts = arena_take(arena, out->n_facts, sizeof *facts);
    if (!facts)
        return out_of_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < out->n_facts; i++)
        if (side_has_record(side, out->facts[i]))
            facts[n++] = out->facts[i];
    out->facts = facts;
    out->n_facts = n;
    return 0;
}

static int note_differences(struct comparison *comparison, const struct compared *compared,
                            struct buffer *text, struct err *err)
{
    const struct compare_side *sides = comparison->sides;
    size_t base = compared->cells[SIDE_BASE]->machine, new = compared->cells[SIDE_NEW]->machine, n;
    struct machine is[SIDES];
    struct difference *list;
    TRY(side_machine(&sides[SIDE_BASE], base, &comparison->arena, &is[SIDE_BASE], err));
    TRY(side_machine(&sides[SIDE_NEW], new, &comparison->arena, &is[SIDE_NEW], err));
    TRY(configuration_differences(&is[SIDE_BASE], &is[SIDE_NEW], &comparison->arena, &list, &n, err));
    if (n == 0)
        return 0;
    bool is_one = sides_share_machine(sides, base, new);
    if (strcmp(is[SIDE_BASE].name, is[SIDE_NEW].name) == 0)
        buffer_add_format(text, "the sides of %s differ in ", is[SIDE_BASE].name);
    else
        buffer_add_format(text, "%s (base) and %s (new) differ in ", is[SIDE_BASE].name,
                          is[SIDE_NEW].name);
    differences_text(list, n, is_one ? n : SHOWN_OF_MACHINES, text);
    return note(comparison, text, err);
}

int compare_machines_note(struct comparison *comparison, const struct compare_entries *entries,
                          struct err *err)
{
    struct buffer text = {0};
    int result = 0;
    /* Halves are of the same runs. */
    for (size_t i = 0; i < comparison->n && result >= 0 && !(comparison->by & BY_HALF); i++)
        if (!is_noted(comparison, i))
            result = note_differences(comparison, &comparison->cells[i], &text, err);
    if (result >= 0 && entries->n_joined > 0) {
        buffer_add_format(&text,
                          "%zu %s taken together with what another configuration of the machine has "
                          "of the same: the other side has neither",
                          entries->n_joined, entries->n_joined == 1 ? "cell was" : "cells were");
        result = note(comparison, &text, err);
    }
    buffer_free(&text);
    return result;
}
