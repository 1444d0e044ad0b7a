#include "collect/fingerprint/cpuid.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

bool cpuid_read(uint32_t leaf, uint32_t subleaf, struct cpuid *out)
{
    *out = (struct cpuid){0, 0, 0, 0};
    bool is_hypervisor = leaf >> 28 == 4;
    unsigned highest = (unsigned)__get_cpuid_max(leaf & 0x80000000u, NULL);
    if (highest == 0 || (!is_hypervisor && highest < leaf))
        return false;
    __cpuid_count(leaf, subleaf, out->eax, out->ebx, out->ecx, out->edx);
    return true;
}
#else
bool cpuid_read(uint32_t leaf, uint32_t subleaf, struct cpuid *out)
{
    (void)leaf;
    (void)subleaf;
    *out = (struct cpuid){0, 0, 0, 0};
    return false;
}
#endif

void cpuid_vendor(const struct cpuid *regs, bool is_hypervisor, char out[static 13])
{
    memcpy(out, &regs->ebx, 4);
    memcpy(out + 4, is_hypervisor ? &regs->ecx : &regs->edx, 4);
    memcpy(out + 8, is_hypervisor ? &regs->edx : &regs->ecx, 4);
    out[12] = '\0';
}

struct cpuid_signature cpuid_signature(uint32_t eax)
{
    unsigned family = eax >> 8 & 15, model = eax >> 4 & 15;
    unsigned extended_model = eax >> 16 & 15, extended_family = eax >> 20 & 255;
    if (family == 15 || family == 6)
        model |= extended_model << 4;
    if (family == 15)
        family += extended_family;
    return (struct cpuid_signature){family, model, eax & 15};
}

uint32_t cpuid_signature_code(const struct cpuid_signature *signature)
{
    uint32_t family = signature->family > 15 ? 15 : signature->family;
    return (signature->family - family) << 20 | (signature->model >> 4 & 15) << 16 | family << 8 |
           (signature->model & 15) << 4 | (signature->stepping & 15);
}

struct cache_claim cpuid_cache(const struct cpuid *regs)
{
    unsigned type = regs->eax & 31;
    if (type < CACHE_DATA || type > CACHE_UNIFIED)
        return (struct cache_claim){.kind = CACHE_NONE};
    struct cache_claim claim = {.kind = (enum cache_kind)type,
                                .level = regs->eax >> 5 & 7,
                                .has_ways = true,
                                .ways = (regs->ebx >> 22) + 1,
                                .sets = (uint64_t)regs->ecx + 1,
                                .line_bytes = (regs->ebx & 0xfff) + 1};
    uint64_t partitions = (regs->ebx >> 12 & 0x3ff) + 1;
    /* At most 2^10 * 2^10 * 2^12 * 2^32 = 2^64: can only overflow in nonsense. */
    if (__builtin_mul_overflow(claim.ways * partitions * claim.line_bytes, claim.sets,
                               &claim.size_bytes))
        claim.size_bytes = UINT64_MAX;
    return claim;
}

struct cache_claim cpuid_amd_l2(const struct cpuid *regs)
{
    uint64_t size = regs->ecx >> 16;
    if (size == 0 || (regs->ecx >> 12 & 15) == 0)
        return (struct cache_claim){.kind = CACHE_NONE};
    return (struct cache_claim){.kind = CACHE_UNIFIED, .level = 2, .size_bytes = size * 1024};
}

struct cache_claim cpuid_amd_l3(const struct cpuid *regs)
{
    uint64_t size = regs->edx >> 18;
    unsigned associativity = regs->edx >> 12 & 15;
    if (size == 0 || associativity == 0)
        return (struct cache_claim){.kind = CACHE_NONE};
    return (struct cache_claim){.kind = CACHE_UNIFIED,
                                .level = 3,
                                .size_bytes = size * 512 * 1024,
                                .has_ways = associativity == 9};
}

const char *cache_implausible(const struct cache_claim *claim)
{
    /* The largest of today is about 1 GiB: AMD EPYC with stacked L3, all instances together. */
    const uint64_t most = UINT64_C(4) << 30;
    if (claim->size_bytes == 0)
        return "no size at all";
    if (claim->size_bytes > most)
        return "larger than 4 GiB";
    if (claim->has_ways && claim->ways == 0)
        return "no associativity";
    if (claim->ways == 0 || claim->sets == 0 || claim->line_bytes == 0)
        return NULL;
    uint64_t way;
    if (__builtin_mul_overflow(claim->sets, claim->line_bytes, &way) ||
        way > claim->size_bytes / claim->ways || claim->size_bytes % way != 0)
        return "not the product of its ways, sets and lines";
    return NULL;
}
