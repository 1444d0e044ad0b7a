/* Which processor it is and what it can do. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/fingerprint/arm.h"
#include "collect/fingerprint/processor.h"
#include "schema/sha256.h"

#define CPUINFO "/proc/cpuinfo"

/* The extensions that kernels or their compilers may use, by their names in /proc/cpuinfo; the
 * rest is in the hash. x86, ARM and POWER together: none means two things. */
static const char *const features_of_interest[] = {
    "3dnow",       "aes",        "altivec", "amx_bf16", "amx_int8", "amx_tile",  "asimd",
    "asimddp",     "asimdhp",    "atomics", "avx",      "avx2",     "avx512_bf16", "avx512_fp16",
    "avx512_vnni", "avx512bw",   "avx512cd", "avx512dq", "avx512f", "avx512vbmi", "avx512vl",
    "avx_vnni",    "bf16",       "bmi1",    "bmi2",     "clwb",     "constant_tsc", "crc32",
    "dfp",         "erms",       "f16c",    "fma",      "fma4",     "fp",        "fphp",
    "fsrm",        "gfni",       "hypervisor", "i8mm",  "lm",       "lse",       "mmx",
    "neon",        "nonstop_tsc", "pclmulqdq", "pmull", "pni",      "popcnt",    "rdrand",
    "rdtscp",      "sha1",       "sha2",    "sha3",     "sha512",   "sha_ni",    "sme",
    "sse",         "sse2",       "sse4_1",  "sse4_2",   "sse4a",    "ssse3",     "sve",
    "sve2",        "svebf16",    "vaes",    "vfpv3",    "vfpv4",    "vpclmulqdq", "vsx",
    "vx",          "xop",        "xsave"};

/* A field of /proc/cpuinfo under the first of several names. */
static bool cpuinfo_value(const char *cpuinfo, const char *const keys[], struct buffer *out)
{
    for (size_t i = 0; keys[i]; i++)
        if (probe_line_value(cpuinfo, keys[i], out) && out->size > 0)
            return true;
    return false;
}

/* A second source counts where the first is silent or says otherwise. */
static void add_second(struct facts *facts, const char *name, const char *text, const char *source)
{
    const struct fact *first = facts_find(facts, name);
    size_t n = facts->n;
    facts_add_text(facts, name, text, source);
    if (first && facts->n == n + 1) {
        first = facts_find(facts, name); /* the array may have moved */
        if (strcmp(facts->facts[n].text, first->text) == 0)
            facts->n = n;
    }
}

static void add_second_number(struct facts *facts, const char *name, double value,
                              const char *source)
{
    const struct fact *first = facts_find(facts, name);
    if (!first || first->value != value)
        facts_add_number(facts, name, value, "1", source);
}

static void add_cpuinfo_text(struct facts *facts, const char *cpuinfo, const char *name,
                             const char *const keys[])
{
    struct buffer text = {0};
    if (cpuinfo_value(cpuinfo, keys, &text))
        facts_add_text(facts, name, buffer_text(&text), CPUINFO);
    buffer_free(&text);
}

static void add_cpuinfo_number(struct facts *facts, const char *cpuinfo, const char *name,
                               const char *key)
{
    struct buffer text = {0};
    uint64_t value;
    if (probe_line_value(cpuinfo, key, &text) && probe_count(buffer_text(&text), &value) &&
        strspn(buffer_text(&text), "0123456789") == text.size)
        facts_add_number(facts, name, (double)value, "1", CPUINFO);
    buffer_free(&text);
}

static void add_from_cpuid(const struct probe_root *root, struct facts *facts)
{
    struct cpuid regs;
    if (!processor_cpuid(root, 0, 0, &regs))
        return;
    char vendor[13];
    cpuid_vendor(&regs, false, vendor);
    add_second(facts, "cpu.vendor", vendor, "CPUID leaf 0");
    if (processor_cpuid(root, 1, 0, &regs)) {
        struct cpuid_signature is = cpuid_signature(regs.eax);
        add_second_number(facts, "cpu.family", is.family, "CPUID leaf 1");
        add_second_number(facts, "cpu.model_number", is.model, "CPUID leaf 1");
        add_second_number(facts, "cpu.stepping", is.stepping, "CPUID leaf 1");
    }
    char brand[49] = "";
    for (uint32_t leaf = 0; leaf < 3; leaf++) {
        if (!processor_cpuid(root, 0x80000002 + leaf, 0, &regs))
            return;
        memcpy(brand + (size_t)leaf * 16, &regs, 16);
    }
    add_second(facts, "cpu.model", brand, "CPUID leaf 0x80000002");
}

/* The features in EDX of CPUID leaf 1 by bit, in the words of /proc/cpuinfo (Intel SDM volume 2A,
 * table 3-11; Linux, arch/x86/include/asm/cpufeatures.h). Bits 10 and 20 are reserved. */
static const char *const edx_features[32] = {
    "fpu", "vme",  "de",  "pse", "tsc",  "msr", "pae",   "mce", "cx8",  "apic", NULL,
    "sep", "mtrr", "pge", "mca", "cmov", "pat", "pse36", "pn",  "clflush", NULL, "dts",
    "acpi", "mmx", "fxsr", "sse", "sse2", "ss", "ht",    "tm",  "ia64", "pbe"};

static bool has_word(const char *text, const char *word)
{
    size_t size = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += size)
        if ((p == text || p[-1] == ' ') && (p[size] == ' ' || p[size] == '\0'))
            return true;
    return false;
}

/* The codes that CPUID leaf 1 gives in EDX and EAX; put together from what Linux made of them where
 * the processor cannot be asked. Linux leaves out what it or the user switched off. */
static void add_codes(const struct probe_root *root, struct facts *facts, const char *cpuinfo)
{
    struct cpuid regs;
    struct buffer flags = {0};
    char code[16];
    if (processor_cpuid(root, 1, 0, &regs)) {
        snprintf(code, sizeof code, "%08X", regs.edx);
        facts_add_text(facts, "cpu.features_code", code, "CPUID leaf 1 EDX");
        snprintf(code, sizeof code, "%08X", regs.eax);
        facts_add_text(facts, "cpu.model_code", code, "CPUID leaf 1 EAX");
        return;
    }
    if (probe_line_value(cpuinfo, "flags", &flags)) {
        uint32_t edx = 0;
        for (unsigned bit = 0; bit < 32; bit++)
            if (edx_features[bit] && has_word(buffer_text(&flags), edx_features[bit]))
                edx |= UINT32_C(1) << bit;
        snprintf(code, sizeof code, "%08X", edx);
        facts_add_text(facts, "cpu.features_code", code, CPUINFO " flags");
    } else {
        facts_add_unknown(facts, "cpu.features_code", CPUINFO, "absent: no flags in " CPUINFO);
    }
    if (facts_find(facts, "cpu.family") && facts_find(facts, "cpu.model_number") &&
        facts_find(facts, "cpu.stepping")) {
        struct cpuid_signature is = {(unsigned)facts_number(facts, "cpu.family"),
                                     (unsigned)facts_number(facts, "cpu.model_number"),
                                     (unsigned)facts_number(facts, "cpu.stepping")};
        snprintf(code, sizeof code, "%08X", cpuid_signature_code(&is));
        facts_add_text(facts, "cpu.model_code", code, CPUINFO " cpu family, model, stepping");
    } else {
        facts_add_unknown(facts, "cpu.model_code", CPUINFO, "absent: no numbers in " CPUINFO);
    }
    buffer_free(&flags);
}

/* Type and family of the main ID register; of each kind of core where there are several. */
static void add_arm(const struct probe_root *root, struct facts *facts, const char *cpuinfo)
{
    static const char path[] = PROBE_CPUS "/cpu0/regs/identification/midr_el1";
    struct buffer text = {0};
    uint32_t *midrs = calloc(PROBE_CPUS_MAX, sizeof *midrs);
    if (!midrs) {
        facts->failed = true;
        return;
    }
    arm_add_model(facts, cpuinfo);
    const char *source = CPUINFO;
    arm_midrs(cpuinfo, midrs);
    if (probe_read(root, &text, path) == 0) {
        midrs[0] = (uint32_t)strtoull(buffer_text(&text), NULL, 16);
        source = path;
    }
    if (midrs[0] != 0) {
        char code[16];
        snprintf(code, sizeof code, "%08X", midrs[0]);
        facts_add_text(facts, "cpu.midr", code, source);
        snprintf(code, sizeof code, "r%up%u", midrs[0] >> 20 & 15, midrs[0] & 15);
        facts_add_text(facts, "cpu.revision", code, source);
    }
    probe_add_missing(facts, "cpu.midr", CPUINFO, "absent: no CPU part in " CPUINFO);
    probe_add_missing(facts, "cpu.revision", CPUINFO, "absent: no CPU part in " CPUINFO);
    buffer_free(&text);
    free(midrs);
}

static void add_riscv(struct facts *facts, const char *cpuinfo)
{
    struct buffer text = {0};
    if (probe_line_value(cpuinfo, "mvendorid", &text)) {
        uint64_t id = strtoull(buffer_text(&text), NULL, 16);
        const char *name = processor_riscv_vendor(id);
        facts_add_text(facts, "cpu.vendor", name ? name : buffer_text(&text), CPUINFO " mvendorid");
    }
    add_cpuinfo_text(facts, cpuinfo, "cpu.marchid", (const char *const[]){"marchid", NULL});
    add_cpuinfo_text(facts, cpuinfo, "cpu.revision", (const char *const[]){"mimpid", NULL});
    add_cpuinfo_text(facts, cpuinfo, "cpu.address_sizes", (const char *const[]){"mmu", NULL});
    probe_add_missing(facts, "cpu.revision", CPUINFO, "absent: no mimpid in " CPUINFO);
    buffer_free(&text);
}

/* "processor 0: version = FF,  identification = 0133E8,  machine = 2964": the identification is the
 * serial number of the machine, which is not read. */
static void add_s390(struct facts *facts, const char *cpuinfo)
{
    const char *at = strstr(cpuinfo, "machine = ");
    uint64_t machine;
    if (at && probe_count(at + 10, &machine)) {
        const char *name = processor_s390_name(machine);
        char text[64];
        snprintf(text, sizeof text, "IBM Z machine %u%s%s%s", (unsigned)machine, name ? " (" : "",
                 name ? name : "", name ? ")" : "");
        facts_add_text(facts, "cpu.model", text, CPUINFO " machine");
    }
}

/* What hypervisors show in its place: all ones, or what KVM gives a processor of Intel's or of AMD's when
 * it is not told another (Linux, arch/x86/kvm/vmx/vmx.c and svm/svm.c). */
static bool is_microcode_hidden(const char *cpuinfo, const char *microcode)
{
    static const char *const shown[] = {"0x1", "0x1000065"};
    struct buffer flags = {0};
    bool is_hidden = strcmp(microcode, "0xffffffff") == 0;
    probe_line_value(cpuinfo, "flags", &flags);
    for (size_t i = 0; i < 2 && has_word(buffer_text(&flags), "hypervisor"); i++)
        is_hidden = is_hidden || strcmp(microcode, shown[i]) == 0;
    buffer_free(&flags);
    return is_hidden;
}

static void add_model(const struct probe_root *root, struct facts *facts, const char *cpuinfo)
{
    enum processor_arch arch = processor_arch(cpuinfo);
    add_cpuinfo_text(facts, cpuinfo, "cpu.vendor", (const char *const[]){"vendor_id", NULL});
    add_cpuinfo_text(facts, cpuinfo, "cpu.model",
                     (const char *const[]){"model name", "cpu model", "cpu", "uarch", "isa", NULL});
    if (arch == ARCH_X86 || arch == ARCH_OTHER) {
        add_cpuinfo_number(facts, cpuinfo, "cpu.family", "cpu family");
        add_cpuinfo_number(facts, cpuinfo, "cpu.model_number", "model");
        add_cpuinfo_number(facts, cpuinfo, "cpu.stepping", "stepping");
        add_from_cpuid(root, facts);
    }
    if (arch == ARCH_ARM)
        add_arm(root, facts, cpuinfo);
    if (arch == ARCH_RISCV)
        add_riscv(facts, cpuinfo);
    if (arch == ARCH_POWER)
        add_cpuinfo_text(facts, cpuinfo, "cpu.revision", (const char *const[]){"revision", NULL});
    if (arch == ARCH_S390)
        add_s390(facts, cpuinfo);
    if (arch == ARCH_POWER)
        probe_add_missing(facts, "cpu.vendor", CPUINFO, "not applicable: POWER does not name one");
    probe_add_missing(facts, "cpu.vendor", CPUINFO, "absent: no vendor_id or CPU implementer");
    probe_add_missing(facts, "cpu.model", CPUINFO, "absent: no model in " CPUINFO);
    static const char *const x86[] = {"cpu.family", "cpu.model_number", "cpu.stepping",
                                      "cpu.features_code", "cpu.model_code"};
    bool is_other = arch != ARCH_X86 && arch != ARCH_OTHER;
    if (!is_other)
        add_codes(root, facts, cpuinfo);
    for (size_t i = 0; i < sizeof x86 / sizeof x86[0]; i++)
        probe_add_missing(facts, x86[i], CPUINFO,
                          is_other ? "not applicable: a number of x86 processors"
                                   : "absent: no such number in " CPUINFO);

    struct buffer microcode = {0};
    const char *source = PROBE_CPUS "/cpu0/microcode/version";
    if (probe_read(root, &microcode, "%s", source) != 0) {
        source = CPUINFO;
        probe_line_value(cpuinfo, "microcode", &microcode);
    }
    if (is_microcode_hidden(cpuinfo, buffer_text(&microcode)))
        facts_add_unknown(facts, "cpu.microcode", source, "placeholder: %.10s of a hypervisor",
                          buffer_text(&microcode));
    else if (microcode.size > 0)
        facts_add_text(facts, "cpu.microcode", buffer_text(&microcode), source);
    probe_add_missing(facts, "cpu.microcode", source,
                      is_other ? "not applicable: microcode of x86 processors"
                               : "absent: no revision is shown");
    buffer_free(&microcode);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_features(struct facts *facts, const char *cpuinfo)
{
    static const char *const keys[] = {"flags", "Features", "features", "isa", NULL};
    enum { WORDS_MAX = 1024 };
    struct buffer text = {0}, chosen = {0};
    const char **words = calloc(WORDS_MAX, sizeof *words);
    if (!words || !cpuinfo_value(cpuinfo, keys, &text)) {
        facts->failed = facts->failed || !words;
        facts_add_unknown(facts, "cpu.features", CPUINFO, "absent: no flags in " CPUINFO);
        facts_add_unknown(facts, "cpu.features.hash", CPUINFO, "absent: no flags in " CPUINFO);
    } else {
        size_t n = 0;
        char *rest = NULL;
        /* RISC-V names all in one word, "rv64imafdc_zicsr": short enough to stay whole. */
        if (strncmp(buffer_text(&text), "rv", 2) == 0)
            buffer_add_text(&chosen, buffer_text(&text));
        for (char *word = strtok_r(text.bytes, " ", &rest); word && n < WORDS_MAX;
             word = strtok_r(NULL, " ", &rest))
            words[n++] = word;
        qsort(words, n, sizeof *words, compare_words);
        struct sha256 hash;
        sha256_init(&hash);
        size_t of_interest = sizeof features_of_interest / sizeof features_of_interest[0];
        for (size_t i = 0; i < n; i++) {
            sha256_add(&hash, words[i], strlen(words[i]) + 1);
            if (bsearch(&words[i], features_of_interest, of_interest, sizeof *words,
                        compare_words)) {
                if (chosen.size > 0)
                    buffer_add_char(&chosen, ' ');
                buffer_add_text(&chosen, words[i]);
            }
        }
        char digest[SHA256_HEX_SIZE];
        sha256_finish(&hash, digest);
        digest[16] = '\0';
        facts_add_text(facts, "cpu.features", chosen.size > 0 ? buffer_text(&chosen) : "none listed",
                       CPUINFO);
        facts_add_text(facts, "cpu.features.hash", digest, CPUINFO);
    }
    free(words);
    buffer_free(&text);
    buffer_free(&chosen);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct buffer cpuinfo = {0}, text = {0};
    probe_read(root, &cpuinfo, CPUINFO);
    add_model(root, facts, buffer_text(&cpuinfo));
    add_features(facts, buffer_text(&cpuinfo));
    if (probe_line_value(buffer_text(&cpuinfo), "address sizes", &text))
        facts_add_text(facts, "cpu.address_sizes", buffer_text(&text), CPUINFO " address sizes");
    probe_add_missing(facts, "cpu.address_sizes", CPUINFO, "absent: no such line in " CPUINFO);
    buffer_free(&cpuinfo);
    buffer_free(&text);
}

const struct probe probe_cpu = {.name = "cpu", .identity = identity};
