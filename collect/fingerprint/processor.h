/* Of what make the processor is, and what it says of itself where it has an instruction for that. */
#ifndef COLLECT_FINGERPRINT_PROCESSOR_H
#define COLLECT_FINGERPRINT_PROCESSOR_H

#include "collect/fingerprint/cpuid.h"
#include "collect/fingerprint/probe.h"

enum processor_arch { ARCH_OTHER, ARCH_X86, ARCH_ARM, ARCH_RISCV, ARCH_POWER, ARCH_S390 };

/* By the fields that a /proc/cpuinfo has. */
enum processor_arch processor_arch(const char *cpuinfo);

/* As cpuid_read: of this processor, or of a captured tree by its file /cpuid, which has lines such as
 * "0x00000004 0x03: eax=0x00004163 ebx=0x03c0003f ecx=0x00007fff edx=0x00000001" (cpuid -1 -r). */
bool processor_cpuid(const struct probe_root *root, uint32_t leaf, uint32_t subleaf,
                     struct cpuid *out);

/* "z15" of 8561; NULL for a number that is not known. */
const char *processor_s390_name(uint64_t machine);
/* "SiFive" of 0x489; NULL as above. */
const char *processor_riscv_vendor(uint64_t vendor);

#endif
