#include "collect/fingerprint/fingerprint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/number.h"
#include "schema/sha256.h"

/* Not of the configuration: what tells two like machines apart, two compilations alike, or what another
 * user of the same machine may read, as root may the memory modules. */
static bool is_configuration(const struct fact *fact)
{
    static const char *const others[] = {"build.program_sha256", "machine.id", "memory.slots",
                                         "virtual.signs"};
    static const char modules[] = "memory.dimms";
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(fact->name, others[i]) == 0)
            return false;
    return fact->is_known && !fact->is_private && fact->class == FACT_IDENTITY &&
           strncmp(fact->name, modules, sizeof modules - 1) != 0;
}

/* Address randomisation moves page tables, and with them the size of memory by some pages from boot to
 * boot: it counts in steps of 16 MiB. */
static double configuration_value(const struct fact *fact)
{
    const double step = 16777216;
    size_t size = strlen(fact->name);
    bool is_memory = strncmp(fact->name, "memory.", 7) == 0 && size > 6 &&
                     strcmp(fact->name + size - 6, ".total") == 0;
    return is_memory ? round(fact->value / step) * step : fact->value;
}

/* By name; facts of one name stay in the order found, which is that of the array. */
static int compare_facts(const void *a, const void *b)
{
    const struct fact *one = *(const struct fact *const *)a, *two = *(const struct fact *const *)b;
    int order = strcmp(one->name, two->name);
    return order != 0 ? order : (one > two) - (one < two);
}

/* With its length before it, so that "a" and "bc" are not "ab" and "c". */
static void hash_text(struct sha256 *hash, const char *text)
{
    char size[NUMBER_TEXT_SIZE];
    snprintf(size, sizeof size, "%zu:", strlen(text));
    sha256_add(hash, size, strlen(size));
    sha256_add(hash, text, strlen(text));
}

void fingerprint_add_hash(struct facts *facts)
{
    const struct fact **sorted = calloc(facts->n + 1, sizeof *sorted);
    if (!sorted) {
        facts->failed = true;
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < facts->n; i++)
        if (is_configuration(&facts->facts[i]))
            sorted[n++] = &facts->facts[i];
    qsort(sorted, n, sizeof *sorted, compare_facts);
    struct sha256 hash;
    sha256_init(&hash);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(sorted[i]->name, sorted[i - 1]->name) == 0)
            continue;
        char value[NUMBER_TEXT_SIZE] = "";
        if (sorted[i]->has_value)
            number_format(value, configuration_value(sorted[i]));
        hash_text(&hash, sorted[i]->name);
        hash_text(&hash, value);
        hash_text(&hash, sorted[i]->unit);
        hash_text(&hash, sorted[i]->text);
    }
    free(sorted);
    char digest[SHA256_HEX_SIZE];
    sha256_finish(&hash, digest);
    if (n == 0)
        facts_add_unknown(facts, "config.hash", "SHA-256", "absent: no fact of identity is known");
    else
        facts_add_text(facts, "config.hash", digest, "SHA-256");
}

int fingerprint_identity(const struct probe_root *root, struct facts *facts, struct err *err)
{
    facts->class = FACT_IDENTITY;
    for (size_t i = 0; probe_registry[i]; i++)
        if (probe_registry[i]->identity)
            probe_registry[i]->identity(root, facts);
    fingerprint_add_hash(facts);
    return facts->failed ? err_set(err, ERR_SYSTEM, "fingerprint: out of memory") : 0;
}

int fingerprint_state(const struct probe_root *root, struct facts *facts, struct err *err)
{
    facts->class = FACT_STATE;
    for (size_t i = 0; probe_registry[i]; i++)
        if (probe_registry[i]->state)
            probe_registry[i]->state(root, facts);
    return facts->failed ? err_set(err, ERR_SYSTEM, "fingerprint: out of memory") : 0;
}

/* The smaller of two where 0 means that it is not known. */
static uint64_t least_known(uint64_t a, uint64_t b)
{
    if (a == 0 || b == 0)
        return a > b ? a : b;
    return a < b ? a : b;
}

void fingerprint_host(const struct facts *identity, const struct facts *state,
                      struct kernel_host *host)
{
    uint64_t limit = facts_number(identity, "limit.memory");
    uint64_t used = facts_number(state, "limit.memory.used");
    uint64_t swap_limit = facts_number(identity, "limit.swap");
    const struct fact *swap = facts_find(identity, "limit.swap");
    uint64_t cpus = facts_number(identity, "cpu.count.allowed");
    if (cpus == 0)
        cpus = facts_number(identity, "cpu.count.online");
    *host = (struct kernel_host){
        .l1d_bytes = facts_number(identity, "cache.l1d"),
        .l2_bytes = facts_number(identity, "cache.l2"),
        .l3_bytes = facts_number(identity, "cache.l3"),
        .memory_bytes = least_known(facts_number(identity, "memory.total"), limit),
        .available_bytes = facts_number(state, "memory.available"),
        .swap_bytes = facts_number(state, "swap.free"),
        .n_cpus = cpus == 0 ? 1 : (unsigned)cpus,
        .disk_free_bytes = facts_number(state, "disk.free"),
    };
    /* A limit that is used up leaves next to nothing, which is not "not known". */
    if (limit > 0)
        host->available_bytes =
            least_known(host->available_bytes, limit > used ? limit - used : 1);
    host->available_bytes = least_known(host->available_bytes,
                                        facts_number(identity, "limit.address_space"));
    if (swap && swap->has_value && swap_limit < host->swap_bytes)
        host->swap_bytes = swap_limit;
}

/* Words of a model that say nothing of which one it is. */
static bool is_filler(const char *word, size_t size)
{
    static const char *const fillers[] = {"r", "tm", "cpu", "processor", "with", "core", "at"};
    for (size_t i = 0; i < sizeof fillers / sizeof fillers[0]; i++)
        if (strlen(fillers[i]) == size && memcmp(word, fillers[i], size) == 0)
            return true;
    return false;
}

/* Appends a model in lower case, its words joined by "-": "AMD EPYC 7B13 64-Core Processor" is
 * amd-epyc-7b13-64. */
static void label_model(const char *model, struct buffer *out)
{
    enum { MODEL_MAX = 24 };
    char word[MODEL_MAX + 1];
    size_t size = 0;
    for (const char *p = model;; p++) {
        char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c == '.' && size > 0)) {
            if (size < MODEL_MAX)
                word[size++] = c;
            continue;
        }
        if (size > 0 && !is_filler(word, size)) {
            if (out->size + 1 + size > MODEL_MAX)
                return;
            if (out->size > 0)
                buffer_add_char(out, '-');
            buffer_add(out, word, size);
        }
        size = 0;
        if (c == '\0' || c == '@' || c == ',')
            return;
    }
}

void fingerprint_label(const struct facts *identity, char *out, size_t size)
{
    static const char *const names[] = {"cpu.model", "machine.product", "cpu.vendor",
                                        "system.arch"};
    struct buffer label = {0};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && label.size == 0; i++) {
        const struct fact *fact = facts_find(identity, names[i]);
        if (fact)
            label_model(fact->text, &label);
    }
    if (label.size == 0)
        buffer_add_text(&label, "machine");
    const struct fact *id = facts_find(identity, "machine.id");
    if (!id)
        id = facts_find(identity, "config.hash");
    snprintf(out, size, "%s%s%.6s", buffer_text(&label), id ? "-" : "", id ? id->text : "");
    buffer_free(&label);
}
