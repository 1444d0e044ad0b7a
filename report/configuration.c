#include "report/configuration.h"

#include <string.h>

#include "schema/text.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- what differs ---- */

bool is_of_configuration(const struct record *fact)
{
    static const char *const others[] = {"build.program_sha256", "config.hash", "machine.id"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(fact->metric, others[i]) == 0)
            return false;
    return fact->test[0] == '\0' && strncmp(fact->metric, "run.", 4) != 0;
}

static bool is_known(const struct record *fact)
{
    return fact && fact->status == STATUS_OK;
}

/* The index of the next fact of another name. */
static size_t next_name(const struct machine *machine, size_t i)
{
    const char *name = machine->facts[i]->metric;
    while (i < machine->n_facts && strcmp(machine->facts[i]->metric, name) == 0)
        i++;
    return i;
}

/* Of two sorted lists of facts the name that comes next in either; NULL at the end of both. */
static const char *name_step(const struct machine *a, const struct machine *b, size_t *i, size_t *k)
{
    const char *x = *i < a->n_facts ? a->facts[*i]->metric : NULL;
    const char *y = *k < b->n_facts ? b->facts[*k]->metric : NULL;
    int order = x && y ? strcmp(x, y) : x ? -1 : 1;
    if (x && order <= 0)
        *i = next_name(a, *i);
    if (y && order >= 0)
        *k = next_name(b, *k);
    return order <= 0 ? x : y;
}

int configuration_differences(const struct machine *a, const struct machine *b, struct arena *arena,
                              struct difference **list, size_t *n, struct err *err)
{
    *n = 0;
    *list = arena_take(arena, a->n_facts + b->n_facts, sizeof **list);
    if (!*list)
        return out_of_memory(err);
    for (int pass = 0; pass < 2; pass++) {
        const char *name;
        for (size_t i = 0, k = 0; (name = name_step(a, b, &i, &k)) != NULL;) {
            size_t n_x = 0, n_y = 0;
            const struct record *x = machine_fact(a, name, "", &n_x);
            const struct record *y = machine_fact(b, name, "", &n_y);
            bool is_in_both = is_known(x) && is_known(y);
            if (n_x > 1 || n_y > 1 || (!is_known(x) && !is_known(y)) || is_in_both != (pass == 0) ||
                !is_of_configuration(x ? x : y) || (x && y && facts_agree(x, y)))
                continue;
            (*list)[(*n)++] = (struct difference){name, x, y};
        }
    }
    return 0;
}

static void value_add(const struct record *fact, struct buffer *out)
{
    enum { SHOWN = 60 };
    struct buffer text = {0};
    if (!fact)
        buffer_add_text(out, "not recorded");
    else if (fact->status != STATUS_OK)
        buffer_add_text(out, "unknown");
    else
        fact_text(fact, &text);
    text_clean(buffer_text(&text), text.size, SHOWN, out);
    if (text.size > SHOWN)
        buffer_add_text(out, " ...");
    out->failed = out->failed || text.failed;
    buffer_free(&text);
}

void differences_text(const struct difference *list, size_t n, size_t most, struct buffer *out)
{
    for (size_t i = 0; i < n && i < most; i++) {
        buffer_add_format(out, "%s%s: ", i > 0 ? "; " : "", list[i].name);
        value_add(list[i].a, out);
        buffer_add_text(out, " against ");
        value_add(list[i].b, out);
    }
    if (n > most)
        buffer_add_format(out, "; and %zu more", n - most);
}
