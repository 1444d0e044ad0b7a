/* What an x86 processor says of itself (Intel SDM volume 2A, CPUID; AMD APM volume 3, appendix E).
 * The decoders are apart from the instruction, so that they can be tested anywhere. */
#ifndef COLLECT_FINGERPRINT_CPUID_H
#define COLLECT_FINGERPRINT_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

/* False, *out all 0, where there is no such instruction or leaf. Hypervisor leaves, from
 * 0x40000000, are not checked against a highest leaf. */
bool cpuid_read(uint32_t leaf, uint32_t subleaf, struct cpuid *out);

/* 12 characters of leaf 0 or 0x40000000, cut at a NUL. */
void cpuid_vendor(const struct cpuid *regs, bool is_hypervisor, char out[static 13]);

struct cpuid_signature {
    unsigned family, model, stepping;
};
struct cpuid_signature cpuid_signature(uint32_t leaf_1_eax);
/* The other way round; the type of the processor, bits 12 and 13, is 0 as in all that are sold. */
uint32_t cpuid_signature_code(const struct cpuid_signature *signature);

enum cache_kind { CACHE_NONE, CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED };

/* One cache as somebody claims it to be; 0 in ways, sets or line where nothing was said. */
struct cache_claim {
    enum cache_kind kind;
    unsigned level;
    uint64_t size_bytes;
    bool has_ways;
    uint64_t ways, sets, line_bytes;
};

/* A subleaf of leaf 4 (Intel) or 0x8000001D (AMD): the same layout. kind is CACHE_NONE behind the
 * last one. */
struct cache_claim cpuid_cache(const struct cpuid *regs);
/* L2 and L3 of AMD's leaf 0x80000006. Of an L3 it gives the sum over the processor, and the
 * associativity code 9, "see leaf 0x8000001D", says that the sum is not the size of one. */
struct cache_claim cpuid_amd_l2(const struct cpuid *leaf_80000006);
struct cache_claim cpuid_amd_l3(const struct cpuid *leaf_80000006);

/* NULL when the claim can be true, else what is wrong with it. */
const char *cache_implausible(const struct cache_claim *claim);

#endif
