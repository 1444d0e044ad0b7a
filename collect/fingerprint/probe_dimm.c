/* The memory modules: from the firmware's table, which root may read, else from the kernel's error
 * counters, which know no speeds. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/distinct.h"
#include "collect/fingerprint/probe.h"
#include "collect/fingerprint/smbios.h"

#define TABLE "/sys/firmware/dmi/tables/DMI"
#define EDAC "/sys/devices/system/edac/mc"

static const char *const names[] = {"memory.dimms", "memory.slots", "memory.dimms.size",
                                    "memory.dimms.type", "memory.dimms.part",
                                    "memory.dimms.rate", "memory.dimms.rate_configured"};
enum { NAMES = sizeof names / sizeof names[0] };

/* What all the modules are. */
struct modules {
    size_t n, n_slots;
    uint64_t bytes;
    bool is_size_known;
    struct distinct types, parts, rated, configured;
};

static void modules_free(struct modules *modules)
{
    distinct_free(&modules->types);
    distinct_free(&modules->parts);
    distinct_free(&modules->rated);
    distinct_free(&modules->configured);
}

/* A value where it is one and the same, else all of them as a text. */
static void add_rates(struct facts *facts, const char *name, const struct distinct *rates,
                      const char *source)
{
    struct buffer text = {0};
    uint64_t million;
    if (rates->n == 1 && probe_count(buffer_text(&rates->values), &million)) {
        facts_add_number(facts, name, (double)million * 1e6, "1/s", source);
    } else if (rates->n > 1) {
        distinct_join(rates, &text);
        buffer_add_text(&text, " million per second");
        facts_add_text(facts, name, buffer_text(&text), source);
    } else {
        facts_add_unknown(facts, name, source, "absent: %s does not say", source);
    }
    buffer_free(&text);
}

static void add_distinct(struct facts *facts, const char *name, const struct distinct *values,
                         const char *source)
{
    struct buffer text = {0};
    distinct_join(values, &text);
    if (values->n > 0)
        facts_add_text(facts, name, buffer_text(&text), source);
    else
        facts_add_unknown(facts, name, source, "absent: %s does not say", source);
    buffer_free(&text);
}

static void add_modules(struct facts *facts, const struct modules *modules, const char *source)
{
    facts_add_number(facts, names[0], (double)modules->n, "1", source);
    facts_add_number(facts, names[1], (double)modules->n_slots, "1", source);
    if (modules->is_size_known)
        facts_add_number(facts, names[2], (double)modules->bytes, "B", source);
    else
        facts_add_unknown(facts, names[2], source, "absent: %s does not say", source);
    add_distinct(facts, names[3], &modules->types, source);
    add_distinct(facts, names[4], &modules->parts, source);
    add_rates(facts, names[5], &modules->rated, source);
    add_rates(facts, names[6], &modules->configured, source);
}

static void add_rate(struct distinct *rates, unsigned rate)
{
    char text[16];
    snprintf(text, sizeof text, "%u", rate);
    if (rate > 0)
        distinct_add(rates, text);
}

static void module_count(struct modules *modules, const struct smbios_dimm *dimm)
{
    char part[160];
    modules->n_slots++;
    if (dimm->is_size_known && dimm->size_bytes == 0)
        return;
    modules->n++;
    modules->bytes += dimm->size_bytes;
    modules->is_size_known = modules->is_size_known && dimm->is_size_known;
    distinct_add(&modules->types, dimm->type ? dimm->type : dimm->type_text);
    add_rate(&modules->rated, dimm->rated);
    add_rate(&modules->configured, dimm->configured);
    if (dimm->part[0] && !probe_is_placeholder(dimm->part)) {
        bool has_maker = dimm->maker[0] && !probe_is_placeholder(dimm->maker);
        snprintf(part, sizeof part, "%s%s%.*s", has_maker ? dimm->maker : "", has_maker ? " " : "",
                 (int)strcspn(dimm->part, "\n"), dimm->part);
        size_t size = strlen(part);
        while (size > 0 && part[size - 1] == ' ')
            part[--size] = '\0';
        distinct_add(&modules->parts, part);
    }
}

static void add_from_table(struct facts *facts, const struct buffer *table)
{
    struct modules modules = {.is_size_known = true};
    struct smbios_dimm dimm;
    size_t offset = 0;
    while (smbios_next_dimm((const unsigned char *)table->bytes, table->size, &offset, &dimm))
        if (dimm.is_memory)
            module_count(&modules, &dimm);
    if (modules.n > 0)
        add_modules(facts, &modules, TABLE " type 17");
    modules_free(&modules);
}

/* mcN/dimmN/{size,dimm_mem_type}, or rankN for controllers that count ranks; sizes in MiB (Linux,
 * Documentation/ABI/testing/sysfs-devices-edac). */
static void add_from_counters(const struct probe_root *root, struct facts *facts)
{
    struct modules modules = {.is_size_known = true};
    struct buffer controllers = {0}, places = {0}, text = {0};
    char *rest = NULL;
    probe_list(root, &controllers, EDAC);
    for (char *mc = controllers.size > 0 ? strtok_r(controllers.bytes, "\n", &rest) : NULL; mc;
         mc = strtok_r(NULL, "\n", &rest)) {
        char *more = NULL;
        if (strncmp(mc, "mc", 2) != 0 || probe_list(root, &places, EDAC "/%s", mc) != 0 ||
            places.size == 0)
            continue;
        for (char *place = strtok_r(places.bytes, "\n", &more); place;
             place = strtok_r(NULL, "\n", &more)) {
            uint64_t mib;
            if ((strncmp(place, "dimm", 4) != 0 && strncmp(place, "rank", 4) != 0) ||
                probe_read(root, &text, EDAC "/%s/%s/size", mc, place) != 0 ||
                !probe_count(buffer_text(&text), &mib))
                continue;
            modules.n_slots++;
            modules.n += mib > 0;
            modules.bytes += mib << 20;
            if (mib > 0 &&
                probe_read(root, &text, EDAC "/%s/%s/dimm_mem_type", mc, place) == 0)
                distinct_add(&modules.types, buffer_text(&text));
        }
    }
    if (modules.n > 0)
        add_modules(facts, &modules, EDAC);
    modules_free(&modules);
    buffer_free(&controllers);
    buffer_free(&places);
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct buffer table = {0};
    int error = probe_read(root, &table, TABLE);
    if (error == 0)
        add_from_table(facts, &table);
    if (!facts_find(facts, names[0]))
        add_from_counters(root, facts);
    char why[128];
    snprintf(why, sizeof why, error == 0 ? "absent: " TABLE " lists no memory" : "%s: " TABLE,
             probe_reason(error));
    for (size_t i = 0; i < NAMES; i++)
        probe_add_missing(facts, names[i], TABLE, why);
    buffer_free(&table);
}

const struct probe probe_dimm = {.name = "dimm", .identity = identity};
