#include "collect/fingerprint/arm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/fingerprint/probe.h"

/* Numbers from Linux, arch/arm64/include/asm/cputype.h, and the cores' reference manuals. */
static const struct {
    unsigned implementer;
    const char *name;
} implementers[] = {{0x41, "ARM"},     {0x42, "Broadcom"}, {0x43, "Cavium"}, {0x46, "Fujitsu"},
                    {0x48, "HiSilicon"}, {0x4e, "NVIDIA"}, {0x51, "Qualcomm"}, {0x61, "Apple"},
                    {0x6d, "Microsoft"}, {0xc0, "Ampere"}};

static const struct {
    unsigned implementer, part;
    const char *name;
} parts[] = {
    {0x41, 0xb76, "ARM1176"},       {0x41, 0xc05, "Cortex-A5"},    {0x41, 0xc07, "Cortex-A7"},
    {0x41, 0xc08, "Cortex-A8"},     {0x41, 0xc09, "Cortex-A9"},    {0x41, 0xc0f, "Cortex-A15"},
    {0x41, 0xd03, "Cortex-A53"},    {0x41, 0xd04, "Cortex-A35"},   {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd07, "Cortex-A57"},    {0x41, 0xd08, "Cortex-A72"},   {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},    {0x41, 0xd0b, "Cortex-A76"},   {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},    {0x41, 0xd40, "Neoverse-V1"},  {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd44, "Cortex-X1"},     {0x41, 0xd46, "Cortex-A510"},  {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},     {0x41, 0xd49, "Neoverse-N2"},  {0x41, 0xd4b, "Cortex-A78C"},
    {0x41, 0xd4d, "Cortex-A715"},   {0x41, 0xd4e, "Cortex-X3"},    {0x41, 0xd4f, "Neoverse-V2"},
    {0x41, 0xd80, "Cortex-A520"},   {0x41, 0xd81, "Cortex-A720"},  {0x41, 0xd82, "Cortex-X4"},
    {0x43, 0x0a1, "ThunderX"},      {0x43, 0x0af, "ThunderX2"},    {0x46, 0x001, "A64FX"},
    {0x48, 0xd01, "TaiShan-v110"},  {0x4e, 0x004, "Carmel"},       {0x61, 0x022, "M1 Icestorm"},
    {0x61, 0x023, "M1 Firestorm"},  {0x6d, 0xd49, "Cobalt 100"},   {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1a"},
};

enum { KINDS_MAX = 16 };
struct kinds {
    struct {
        unsigned implementer, part;
        size_t n;
    } kind[KINDS_MAX];
    size_t n;
};

static const char *implementer_name(unsigned implementer)
{
    for (size_t i = 0; i < sizeof implementers / sizeof implementers[0]; i++)
        if (implementers[i].implementer == implementer)
            return implementers[i].name;
    return NULL;
}

static void kinds_add(struct kinds *kinds, unsigned implementer, unsigned part)
{
    size_t i = 0;
    while (i < kinds->n &&
           (kinds->kind[i].implementer != implementer || kinds->kind[i].part != part))
        i++;
    if (i == KINDS_MAX)
        return;
    if (i == kinds->n) {
        kinds->n++;
        kinds->kind[i].implementer = implementer;
        kinds->kind[i].part = part;
        kinds->kind[i].n = 0;
    }
    kinds->kind[i].n++;
}

static void kind_name(unsigned implementer, unsigned part, struct buffer *out)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].implementer == implementer && parts[i].part == part) {
            buffer_add_text(out, parts[i].name);
            return;
        }
    const char *name = implementer_name(implementer);
    if (name)
        buffer_add_format(out, "%s part 0x%03x", name, part);
    else
        buffer_add_format(out, "implementer 0x%02x part 0x%03x", implementer, part);
}

void arm_core_name(uint32_t midr, char *out, size_t size)
{
    struct buffer name = {0};
    kind_name(midr >> 24, midr >> 4 & 0xfff, &name);
    snprintf(out, size, "%s", buffer_text(&name));
    buffer_free(&name);
}

static bool hexadecimal_line(const char *text, const char *key, struct buffer *value, unsigned *out)
{
    char *end;
    if (!probe_line_value(text, key, value) || value->size == 0)
        return false;
    unsigned long number = strtoul(buffer_text(value), &end, 16);
    *out = (unsigned)number;
    return *end == '\0' && number <= 0xffff;
}

void arm_midrs(const char *cpuinfo, uint32_t *out)
{
    struct buffer block = {0}, text = {0};
    for (const char *p = cpuinfo; p && *p;) {
        const char *end = strstr(p, "\n\n");
        buffer_clear(&block);
        buffer_add(&block, p, end ? (size_t)(end - p) : strlen(p));
        unsigned implementer, variant, part;
        uint64_t cpu, revision;
        /* CPU revision is decimal; the architecture field is 15 in all that have these lines. */
        if (probe_line_value(buffer_text(&block), "processor", &text) &&
            probe_count(buffer_text(&text), &cpu) && cpu < PROBE_CPUS_MAX &&
            hexadecimal_line(buffer_text(&block), "CPU implementer", &text, &implementer) &&
            hexadecimal_line(buffer_text(&block), "CPU variant", &text, &variant) &&
            hexadecimal_line(buffer_text(&block), "CPU part", &text, &part) &&
            probe_line_value(buffer_text(&block), "CPU revision", &text) &&
            probe_count(buffer_text(&text), &revision))
            out[cpu] = (implementer & 0xff) << 24 | (variant & 15) << 20 | 15u << 16 |
                       (part & 0xfff) << 4 | (uint32_t)(revision & 15);
        p = end ? end + 2 : NULL;
    }
    buffer_free(&block);
    buffer_free(&text);
}

void arm_add_model(struct facts *facts, const char *cpuinfo)
{
    struct kinds kinds = {.n = 0};
    struct buffer block = {0}, text = {0};
    for (const char *p = cpuinfo; p && *p;) {
        const char *end = strstr(p, "\n\n");
        buffer_clear(&block);
        buffer_add(&block, p, end ? (size_t)(end - p) : strlen(p));
        unsigned implementer, part;
        if (hexadecimal_line(buffer_text(&block), "CPU implementer", &text, &implementer) &&
            hexadecimal_line(buffer_text(&block), "CPU part", &text, &part))
            kinds_add(&kinds, implementer, part);
        p = end ? end + 2 : NULL;
    }
    if (kinds.n > 0 && !facts_find(facts, "cpu.vendor")) {
        const char *name = implementer_name(kinds.kind[0].implementer);
        buffer_clear(&text);
        buffer_add_format(&text, "implementer 0x%02x", kinds.kind[0].implementer);
        facts_add_text(facts, "cpu.vendor", name ? name : buffer_text(&text),
                       "/proc/cpuinfo CPU implementer");
    }
    /* 32-bit kernels give a model name, "ARMv7 Processor rev 4 (v7l)", that fits many. */
    const struct fact *model = facts_find(facts, "cpu.model");
    if (kinds.n > 0 && (!model || strncmp(model->text, "ARMv", 4) == 0)) {
        buffer_clear(&text);
        for (size_t i = 0; i < kinds.n; i++) {
            if (i > 0)
                buffer_add_text(&text, ", ");
            kind_name(kinds.kind[i].implementer, kinds.kind[i].part, &text);
            if (kinds.n > 1)
                buffer_add_format(&text, " x%zu", kinds.kind[i].n);
        }
        facts_add_text(facts, "cpu.model", buffer_text(&text), "/proc/cpuinfo CPU part");
    }
    buffer_free(&block);
    buffer_free(&text);
}
