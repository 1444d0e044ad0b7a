#include "report/configuration.h"

#include <string.h>

#include "schema/text.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- what differs ---- */

static bool is_of_configuration(const struct record *fact)
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

/* ---- names ---- */

/* What tells configurations apart most plainly, where it does; else the hash. */
static const char *const telling[] = {
    "limit.memory",   "limit.cpu",       "limit.address_space", "cpu.count.allowed",
    "cpu.count.online", "memory.total",  "memory.swap",         "system.kernel",
    "system.os",      "disk.device",     "disk.filesystem",     "disk.model",
    "cpu.model",      "cpu.microcode",   "build.compiler",      "build.variant",
    "build.version",  "virtual.container"};

/* Appends the value of a fact in a form for names; false when it has none. A comma would end a short
 * name. */
static bool name_value(const struct machine *machine, const char *name, struct buffer *out)
{
    enum { LONGEST = 40 };
    size_t n_values = 0;
    const struct record *fact = machine_fact(machine, name, "", &n_values);
    if (!is_known(fact) || n_values > 1)
        return false;
    fact_text(fact, out);
    return out->size <= LONGEST && !strchr(buffer_text(out), ',');
}

/* True when every configuration of the machine has another value of the fact. */
static bool tells_apart(const struct machines *machines, size_t first, const char *name)
{
    struct buffer one = {0}, other = {0};
    bool tells = true;
    for (size_t a = first; a < machines->n && tells; a++) {
        if (machines->machines[a].first != first)
            continue;
        buffer_clear(&one);
        tells = name_value(&machines->machines[a], name, &one);
        for (size_t b = a + 1; b < machines->n && tells; b++) {
            buffer_clear(&other);
            if (machines->machines[b].first == first)
                tells = name_value(&machines->machines[b], name, &other) &&
                        strcmp(buffer_text(&one), buffer_text(&other)) != 0;
        }
    }
    buffer_free(&one);
    buffer_free(&other);
    return tells;
}

/* As many digits of the hash as none of the others has. */
static size_t hash_size(const struct machines *machines, size_t m)
{
    const struct machine *machine = &machines->machines[m];
    size_t size = 6;
    for (size_t o = 0; o < machines->n; o++) {
        size_t common = 0;
        if (o == m || machines->machines[o].first != machine->first)
            continue;
        while (machine->config[common] &&
               machine->config[common] == machines->machines[o].config[common])
            common++;
        size = common >= size ? common + 1 : size;
    }
    return size;
}

static int configuration_name(struct machines *machines, size_t m, const char *fact,
                              struct arena *arena, struct err *err)
{
    struct machine *machine = &machines->machines[m];
    struct buffer text = {0}, value = {0};
    if (fact && name_value(machine, fact, &value))
        buffer_add_format(&text, "%s [%s %s]", machine->whole, fact, buffer_text(&value));
    else if (machine->config[0])
        buffer_add_format(&text, "%s [configuration %.*s]", machine->whole,
                          (int)hash_size(machines, m), machine->config);
    else
        buffer_add_format(&text, "%s [configuration unknown]", machine->whole);
    machine->name = text.failed ? NULL : arena_copy(arena, buffer_text(&text), text.size);
    buffer_free(&text);
    buffer_free(&value);
    return machine->name ? 0 : out_of_memory(err);
}

/* Each against the first: what differs. */
static int configurations_warn(const struct machines *machines, size_t first, struct arena *arena,
                               struct warnings *warnings, struct err *err)
{
    enum { SHOWN = 12 };
    struct buffer text = {0};
    int result = 0;
    for (size_t m = first + 1; m < machines->n && result >= 0; m++) {
        struct difference *list;
        size_t n;
        if (machines->machines[m].first != first)
            continue;
        result = configuration_differences(&machines->machines[first], &machines->machines[m],
                                           arena, &list, &n, err);
        if (result < 0)
            break;
        buffer_clear(&text);
        buffer_add_format(&text, "%s and %s are one machine in two configurations and are shown apart; ",
                          machines->machines[first].name, machines->machines[m].name);
        buffer_add_text(&text, n > 0 ? "they differ in " : "the records do not say what differs");
        differences_text(list, n, SHOWN, &text);
        result = text.failed ? out_of_memory(err)
                             : warnings_add(warnings, arena, buffer_text(&text), err);
    }
    buffer_free(&text);
    return result;
}

int configurations_name(struct machines *machines, struct arena *arena, struct warnings *warnings,
                        struct err *err)
{
    for (size_t first = 0; first < machines->n; first++) {
        const char *fact = NULL;
        if (machines->machines[first].first != first ||
            machines->machines[first].n_configurations < 2)
            continue;
        for (size_t i = 0; i < sizeof telling / sizeof telling[0] && !fact; i++)
            if (tells_apart(machines, first, telling[i]))
                fact = telling[i];
        for (size_t m = first; m < machines->n; m++)
            if (machines->machines[m].first == first)
                TRY(configuration_name(machines, m, fact, arena, err));
        TRY(configurations_warn(machines, first, arena, warnings, err));
    }
    return 0;
}
