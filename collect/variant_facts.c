#include "collect/variant_facts.h"

#include <stdio.h>
#include <string.h>

#include "build.h"
#include "schema/params.h"

static int fact_write(const struct variant *variant, const char *name, const char *text,
                      const char *why, const struct run_identity *identity,
                      struct writer *writer, struct err *err)
{
    struct param pairs[] = {{"source", "the build"}, {"variant", variant->name}};
    struct buffer params = {0};
    params_format(pairs, 2, &params);
    struct record fact = record_new(KIND_FACT);
    fact.run = identity->run;
    fact.machine = identity->machine;
    fact.time = identity->time;
    fact.metric = name;
    fact.params = buffer_text(&params);
    fact.text = text[0] ? text : why;
    fact.status = text[0] ? STATUS_OK : STATUS_UNKNOWN;
    int result = params.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                               : writer_record(writer, &fact, err);
    buffer_free(&params);
    return result;
}

static int build_facts_write(const struct variant *variant, const struct run_identity *identity,
                             struct writer *writer, struct err *err)
{
    const struct {
        const char *name, *text;
    } facts[] = {{"build.compiler", variant->compiler},
                 {"build.kernel_flags", variant->kernel_flags},
                 {"build.harness_flags", variant->harness_flags},
                 {"build.program_sha256", variant->program_sha256}};
    const char *why = variant->why ? variant->why : "absent: the variant does not say";
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        TRY(fact_write(variant, facts[i].name, facts[i].text, why, identity, writer, err));
    return 0;
}

/* True when no cell before this one is of the same kernel. */
static bool is_first_of_kernel(const struct plan *plan, size_t cell)
{
    for (size_t i = 0; i < cell; i++)
        if (plan->cells[i].kernel == plan->cells[cell].kernel)
            return false;
    return true;
}

static int codes_write(const struct variant *variant, const struct plan *plan,
                       const struct run_identity *identity, struct writer *writer, struct err *err)
{
    const char *why = variant->why ? variant->why : "absent: the variant does not have the kernel";
    for (size_t i = 0; i < plan->n_cells; i++) {
        if (!is_first_of_kernel(plan, i))
            continue;
        const char *kernel = plan->cells[i].kernel->name;
        char name[128];
        snprintf(name, sizeof name, "build.kernel_code.%s", kernel);
        TRY(fact_write(variant, name, kernel_code_find(variant->codes, kernel), why, identity, writer,
                       err));
    }
    return 0;
}

int variant_facts_write(const struct variants *variants, const struct plan *plan,
                        const struct run_identity *identity, struct writer *writer,
                        struct err *err)
{
    static const struct variant own = {.name = BUILD_VARIANT, .codes = kernel_codes};
    for (size_t v = 0; v < variants->n; v++) {
        const struct variant *variant = &variants->variants[v];
        if (variant->path)
            TRY(build_facts_write(variant, identity, writer, err));
        TRY(codes_write(variant, plan, identity, writer, err));
    }
    return variants->n > 0 ? 0 : codes_write(&own, plan, identity, writer, err);
}
