#include "collect/fingerprint/smbios.h"

#include <stdio.h>
#include <string.h>

enum { HEADER = 4, TYPE_MEMORY_DEVICE = 17, TYPE_END = 127 };

/* Table 78, Memory Device: Type. */
static const char *type_name(unsigned type)
{
    static const char *const names[] = {
        [0x03] = "DRAM",   [0x04] = "EDRAM",  [0x05] = "VRAM",   [0x06] = "SRAM",
        [0x07] = "RAM",    [0x0f] = "SDRAM",  [0x10] = "SGRAM",  [0x11] = "RDRAM",
        [0x12] = "DDR",    [0x13] = "DDR2",   [0x14] = "DDR2 FB-DIMM", [0x18] = "DDR3",
        [0x19] = "FBD2",   [0x1a] = "DDR4",   [0x1b] = "LPDDR",  [0x1c] = "LPDDR2",
        [0x1d] = "LPDDR3", [0x1e] = "LPDDR4", [0x1f] = "non-volatile", [0x20] = "HBM",
        [0x21] = "HBM2",   [0x22] = "DDR5",   [0x23] = "LPDDR5", [0x24] = "HBM3"};
    return type < sizeof names / sizeof names[0] ? names[type] : NULL;
}

static unsigned word_at(const unsigned char *structure, size_t length, size_t at)
{
    return at + 2 <= length ? (unsigned)(structure[at] | structure[at + 1] << 8) : 0;
}

static unsigned long double_word_at(const unsigned char *structure, size_t length, size_t at)
{
    return word_at(structure, length, at) | (unsigned long)word_at(structure, length, at + 2) << 16;
}

/* String number n, from 1, of those behind a structure; "" for 0 and for one that is not there. */
static void string_copy(const unsigned char *strings, size_t size, unsigned n, char out[static 64])
{
    size_t at = 0;
    out[0] = '\0';
    for (unsigned i = 1; i <= n && at < size && strings[at]; i++) {
        size_t length = strnlen((const char *)strings + at, size - at);
        if (i == n) {
            size_t kept = length < 63 ? length : 63;
            memcpy(out, strings + at, kept);
            out[kept] = '\0';
        }
        at += length + 1;
    }
}

/* Size, 0x0c: in MiB, or with bit 15 in KiB; 0x7fff means that 0x1c has it, in MiB. */
static void decode_size(const unsigned char *structure, size_t length, struct smbios_dimm *out)
{
    unsigned size = word_at(structure, length, 0x0c);
    out->is_size_known = size != 0xffff;
    if (size == 0x7fff)
        out->size_bytes = (uint64_t)(double_word_at(structure, length, 0x1c) & 0x7fffffff) << 20;
    else if (out->is_size_known)
        out->size_bytes = (uint64_t)(size & 0x7fff) << (size & 0x8000 ? 10 : 20);
}

static void decode(const unsigned char *structure, size_t length, const unsigned char *strings,
                   size_t strings_size, struct smbios_dimm *out)
{
    memset(out, 0, sizeof *out);
    decode_size(structure, length, out);
    unsigned type = length > 0x12 ? structure[0x12] : 2;
    out->is_memory = type < 0x08 || type > 0x0c; /* ROM, flash, EEPROM, FEPROM, EPROM */
    out->type = type_name(type);
    snprintf(out->type_text, sizeof out->type_text, "type 0x%02x", type);
    out->rated = word_at(structure, length, 0x15);
    out->configured = word_at(structure, length, 0x20);
    out->rated = out->rated == 0xffff ? 0 : out->rated;
    out->configured = out->configured == 0xffff ? 0 : out->configured;
    string_copy(strings, strings_size, length > 0x17 ? structure[0x17] : 0, out->maker);
    string_copy(strings, strings_size, length > 0x1a ? structure[0x1a] : 0, out->part);
}

bool smbios_next_dimm(const unsigned char *table, size_t size, size_t *offset,
                      struct smbios_dimm *out)
{
    while (*offset + HEADER <= size) {
        const unsigned char *structure = table + *offset;
        size_t left = size - *offset, length = structure[1];
        if (length < HEADER || length > left || structure[0] == TYPE_END)
            return false;
        /* Strings, each ended by a 0, and one more 0; two where there are none. */
        size_t end = length;
        while (end + 1 < left && (structure[end] || structure[end + 1]))
            end++;
        if (end + 1 >= left && structure[0] != TYPE_MEMORY_DEVICE)
            return false;
        *offset += end + 2 < left ? end + 2 : left;
        if (structure[0] == TYPE_MEMORY_DEVICE) {
            decode(structure, length, structure + length, end - length + 1 <= left - length
                                                              ? end - length + 1 : left - length, out);
            return true;
        }
    }
    return false;
}
