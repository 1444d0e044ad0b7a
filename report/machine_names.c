#include "report/machine_names.h"

#include <string.h>

#include "report/configuration.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- machines ---- */

/* Two machines of one label are told apart by the start of their ids. */
static int machine_name(struct machines *machines, size_t m, struct arena *arena,
                        struct buffer *text, struct warnings *warnings, struct err *err)
{
    struct machine *machine = &machines->machines[m];
    size_t n_same = 1, id_size = 6;
    bool is_first = true;
    for (size_t o = 0; o < machines->n; o++) {
        const struct machine *other = &machines->machines[o];
        if (strcmp(other->label, machine->label) != 0 || other->first == machine->first)
            continue;
        n_same += other->first == o;
        is_first = is_first && o > m;
        size_t common = 0;
        while (machine->id[common] && machine->id[common] == other->id[common])
            common++;
        if (common >= id_size)
            id_size = common + 1;
    }
    if (n_same == 1)
        return 0;
    buffer_clear(text);
    if (machine->id[0])
        buffer_add_format(text, "%s [%.*s]", machine->label, (int)id_size, machine->id);
    else
        buffer_add_format(text, "%s [id unknown]", machine->label);
    machine->whole = text->failed ? NULL : arena_copy(arena, buffer_text(text), text->size);
    machine->name = machine->whole;
    if (!machine->name)
        return out_of_memory(err);
    if (!is_first || machine->first != m)
        return 0;
    buffer_clear(text);
    buffer_add_format(text, "%s: %zu machines have this label and are shown apart",
                      machine->label, n_same);
    return text->failed ? out_of_memory(err)
                        : warnings_add(warnings, arena, buffer_text(text), err);
}

/* A short name must not be the start of another machine's name: "Athlon 64" of "Athlon 64, Vista" is
 * none while there is "Athlon 64, XP". */
static int machine_shorten(struct machines *machines, size_t m, struct arena *arena,
                           struct err *err)
{
    struct machine *machine = &machines->machines[m];
    size_t size = strcspn(machine->name, ",");
    machine->short_name = machine->name;
    if (size == 0 || machine->name[size] == '\0')
        return 0;
    for (size_t o = 0; o < machines->n; o++)
        if (o != m && strncmp(machines->machines[o].name, machine->name, size) == 0)
            return 0;
    machine->short_name = arena_copy(arena, machine->name, size);
    return machine->short_name ? 0 : out_of_memory(err);
}

/* ---- configurations ---- */

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
    if (!fact || fact->status != STATUS_OK || n_values > 1)
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

static int configurations_name(struct machines *machines, struct arena *arena,
                               struct warnings *warnings, struct err *err)
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

int machines_name(struct machines *machines, struct arena *arena, struct warnings *warnings,
                  struct err *err)
{
    struct buffer text = {0};
    int result = 0;
    for (size_t m = 0; m < machines->n && result >= 0; m++)
        result = machine_name(machines, m, arena, &text, warnings, err);
    buffer_free(&text);
    TRY(result);
    TRY(configurations_name(machines, arena, warnings, err));
    for (size_t m = 0; m < machines->n; m++)
        TRY(machine_shorten(machines, m, arena, err));
    return 0;
}
