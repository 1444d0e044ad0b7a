#include "report/compare/builds.h"

#include <stdio.h>
#include <string.h>

#include "schema/buffer.h"
#include "schema/params.h"

static bool param_is(const char *params, const char *key, const char *wanted)
{
    struct buffer value = {0};
    bool is = params_get(params, key, &value) && strcmp(buffer_text(&value), wanted) == 0;
    buffer_free(&value);
    return is;
}

/* variant: NULL: of facts that name none. */
static const char *fact_find(const struct record *const *facts, size_t n, const char *run,
                             const char *variant, const char *name)
{
    const struct record *const *found = facts_of_run(facts, n, name, "", run, &n);
    for (size_t i = 0; i < n; i++)
        if (found[i]->status == STATUS_OK &&
            (!variant || param_is(found[i]->params, "variant", variant)))
            return found[i]->text;
    return NULL;
}

const char *build_fact(const struct machine *machine, const char *run, const char *variant,
                       const char *name)
{
    const struct record *const *facts = (const struct record *const *)machine->facts;
    const char *own = fact_find(facts, machine->n_facts, run, NULL, "build.variant");
    const char *text = fact_find((const struct record *const *)machine->build_facts,
                                 machine->n_build_facts, run, variant, name);
    return text || !own || strcmp(own, variant) != 0
               ? text
               : fact_find(facts, machine->n_facts, run, NULL, name);
}

const char *cell_code(const struct selection *selection, const struct cell *cell)
{
    const struct machine *machine = &selection->machines.machines[cell->machine];
    const char *code = NULL, *last = "";
    char name[128];
    int size = snprintf(name, sizeof name, "build.kernel_code.%s", cell->key->kernel);
    if (size < 0 || (size_t)size >= sizeof name)
        return NULL;
    for (size_t i = 0; i < cell->n_records; i++) {
        const char *run = cell->records[i]->run;
        if (strcmp(run, last) == 0)
            continue;
        const char *here = build_fact(machine, run, cell->key->variant, name);
        if (!here || (code && strcmp(code, here) != 0))
            return NULL;
        code = here;
        last = run;
    }
    return code;
}

bool cell_is_emulated(const struct cell *cell)
{
    struct buffer value = {0};
    bool is = params_get(cell->key->params, "emulated", &value) &&
              strcmp(buffer_text(&value), "no") != 0;
    buffer_free(&value);
    return is;
}
