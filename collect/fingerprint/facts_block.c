#include "collect/fingerprint/facts_block.h"

#include <stdio.h>
#include <string.h>

/* Words of cpu.features, by their names for people; the first of x86, the others of ARM. */
static const struct {
    const char *word, *name;
} x86_features[] = {{"mmx", "MMX"},     {"sse", "SSE"},       {"sse2", "SSE2"},   {"pni", "SSE3"},
                    {"sse4_2", "SSE4.2"}, {"avx", "AVX"},     {"avx2", "AVX2"},   {"fma", "FMA"},
                    {"avx512f", "AVX-512"}, {"aes", "AES"},   {"3dnow", "3DNow"}},
  arm_features[] = {{"asimd", "NEON"},  {"aes", "AES"},       {"crc32", "CRC32"}, {"atomics", "LSE"},
                    {"asimddp", "dot product"}, {"sve", "SVE"}, {"sve2", "SVE2"}};

static const char *text_of(const struct facts *facts, const char *name)
{
    const struct fact *fact = facts_find(facts, name);
    return fact && !fact->has_value ? fact->text : NULL;
}

/* Appends to a line that begins at start, behind a comma where something is there. */
static void join(struct buffer *out, size_t start)
{
    if (out->size > start)
        buffer_add_text(out, ", ");
}

static void end_line(struct buffer *out, size_t start)
{
    if (out->size > start)
        buffer_add_char(out, '\n');
}

static bool has_word(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *p = words; *p; p += strspn(p, " ")) {
        size_t length = strcspn(p, " ");
        if (length == size && memcmp(p, word, size) == 0)
            return true;
        p += length;
    }
    return false;
}

static void add_processor(const struct facts *identity, const struct facts *state,
                          struct buffer *out)
{
    size_t start = out->size;
    static const struct {
        const char *name, *title;
    } codes[] = {{"cpu.features_code", "Features Code"}, {"cpu.model_code", "Model Code"},
                 {"cpu.midr", "Main ID"}, {"cpu.revision", "Revision"}};
    const char *vendor = text_of(identity, "cpu.vendor");
    if (vendor)
        buffer_add_format(out, "CPU %s", vendor);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (text_of(identity, codes[i].name)) {
            join(out, start);
            buffer_add_format(out, "%s %s", codes[i].title, text_of(identity, codes[i].name));
        }
    end_line(out, start);
    start = out->size;
    const char *model = text_of(identity, "cpu.model");
    uint64_t hertz = facts_number(state, "cpu.clock.measured");
    if (model)
        buffer_add_text(out, model);
    if (hertz > 0) {
        join(out, start);
        buffer_add_format(out, "Measured %.0f MHz", (double)hertz / 1e6);
    }
    end_line(out, start);
}

static void add_features(const struct facts *identity, struct buffer *out)
{
    const char *words = text_of(identity, "cpu.features");
    bool is_x86 = facts_find(identity, "cpu.features_code") != NULL;
    bool is_arm = facts_find(identity, "cpu.midr") != NULL;
    size_t start = out->size;
    if (!words)
        return;
    size_t n = is_x86   ? sizeof x86_features / sizeof x86_features[0]
               : is_arm ? sizeof arm_features / sizeof arm_features[0]
                        : 0;
    for (size_t i = 0; i < n; i++) {
        const char *word = is_x86 ? x86_features[i].word : arm_features[i].word;
        join(out, start);
        buffer_add_format(out, "%s %s", has_word(words, word) ? "Has" : "No",
                          is_x86 ? x86_features[i].name : arm_features[i].name);
    }
    end_line(out, start);
}

static void add_count(const struct facts *identity, const char *name, const char *one,
                      struct buffer *out, size_t start)
{
    uint64_t n = facts_number(identity, name);
    if (n == 0)
        return;
    join(out, start);
    buffer_add_format(out, "%llu %s%s", (unsigned long long)n, one, n == 1 ? "" : "s");
}

static void add_system(const struct facts *identity, struct buffer *out)
{
    size_t start = out->size;
    const char *arch = text_of(identity, "system.arch");
    if (arch)
        buffer_add_format(out, "%s processor architecture", arch);
    add_count(identity, "cpu.count.online", "CPU", out, start);
    add_count(identity, "cpu.cores", "core", out, start);
    add_count(identity, "cpu.sockets", "socket", out, start);
    if (facts_number(identity, "system.process_bits") > 0) {
        join(out, start);
        buffer_add_format(out, "%u bit program",
                          (unsigned)facts_number(identity, "system.process_bits"));
    }
    end_line(out, start);
    start = out->size;
    static const char *const names[] = {"machine.product", "system.os", "system.kernel"};
    for (size_t i = 0; i < 3; i++)
        if (text_of(identity, names[i])) {
            join(out, start);
            buffer_add_text(out, text_of(identity, names[i]));
        }
    static const char *const kinds[] = {"virtual.machine", "virtual.container"};
    static const char *const titles[] = {"virtual machine", "container"};
    for (size_t i = 0; i < 2; i++) {
        const char *kind = text_of(identity, kinds[i]);
        if (!kind || strncmp(kind, "no sign", 7) == 0)
            continue;
        join(out, start);
        buffer_add_format(out, "%s (%s)", titles[i], kind);
    }
    end_line(out, start);
}

static void add_megabytes(const char *title, const struct facts *facts, const char *name,
                          struct buffer *out, size_t start)
{
    const struct fact *fact = facts_find(facts, name);
    if (!fact || !fact->has_value)
        return;
    join(out, start);
    buffer_add_format(out, "%s %.0f MiB", title, fact->value / 1048576);
}

void facts_block(const struct facts *identity, const struct facts *state, struct buffer *out)
{
    size_t before = out->size;
    add_processor(identity, state, out);
    add_features(identity, out);
    add_system(identity, out);
    size_t start = out->size;
    add_megabytes("Memory", identity, "memory.total", out, start);
    add_megabytes("Free", state, "memory.available", out, start);
    add_megabytes("Limit", identity, "limit.memory", out, start);
    add_megabytes("Swap", identity, "memory.swap", out, start);
    end_line(out, start);
    start = out->size;
    add_megabytes("User Virtual Space", identity, "system.address_space", out, start);
    end_line(out, start);
    if (out->size == before)
        buffer_add_text(out, "A machine of which nothing is known\n");
}
