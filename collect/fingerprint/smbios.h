/* Memory devices in the table that the firmware leaves (DMTF DSP0134, System Management BIOS Reference
 * Specification 3.7, 7.18: type 17). Decoded apart from where it was read, so that it can be tested
 * anywhere. */
#ifndef COLLECT_FINGERPRINT_SMBIOS_H
#define COLLECT_FINGERPRINT_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct smbios_dimm {
    uint64_t size_bytes; /* 0: the slot is empty */
    bool is_size_known;
    bool is_memory;     /* false for the flash chips that some boards list */
    const char *type;   /* "DDR4"; "type 0x30" stands in type_text */
    char type_text[16];
    unsigned rated, configured; /* million transfers per second; 0 not known */
    char maker[64], part[64];   /* "" where there is none; serial numbers are not read */
};

/* Takes the next memory device at or behind *offset in the table [size] and moves *offset behind it.
 * False at the end, or where the table is cut short. */
bool smbios_next_dimm(const unsigned char *table, size_t size, size_t *offset,
                      struct smbios_dimm *out);

#endif
