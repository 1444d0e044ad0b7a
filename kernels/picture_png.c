#include "kernels/picture_png.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_MAX = 65535 };

/* What has gone into the file: CRC-32 of a chunk, Adler-32 of its bytes before they were packed. */
struct png {
    FILE *file;
    uint32_t crc;
    uint32_t adler_low, adler_high;
};

static void put_bytes(struct png *png, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        png->crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) /* PNG, annex D; no table: nobody waits for this */
            png->crc = png->crc >> 1 ^ (png->crc & 1 ? 0xedb88320u : 0);
    }
    fwrite(bytes, 1, size, png->file); /* an error is seen at the end */
}

static void put_number(struct png *png, uint32_t number)
{
    const unsigned char bytes[4] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16),
                                    (unsigned char)(number >> 8), (unsigned char)number};
    put_bytes(png, bytes, sizeof bytes);
}

static void chunk_begin(struct png *png, uint32_t size, const char *name)
{
    unsigned char type[4];
    memcpy(type, name, sizeof type);
    put_number(png, size);
    png->crc = 0xffffffffu; /* of the type and what follows */
    put_bytes(png, type, sizeof type);
}

static void chunk_end(struct png *png)
{
    put_number(png, ~png->crc);
}

/* RFC 1950, 8.2. */
static void adler_add(struct png *png, const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        png->adler_low = (png->adler_low + bytes[i]) % 65521;
        png->adler_high = (png->adler_high + png->adler_low) % 65521;
    }
}

/* A row is a block: its filter, none, then red, green, blue. */
static void row_put(struct png *png, const uint32_t *pixels, uint32_t width, bool is_last)
{
    unsigned char block[5 + BLOCK_MAX];
    size_t n = 5;
    block[n++] = 0;
    for (uint32_t x = 0; x < width; x++) {
        block[n++] = (unsigned char)(pixels[x] >> 16);
        block[n++] = (unsigned char)(pixels[x] >> 8);
        block[n++] = (unsigned char)pixels[x];
    }
    uint32_t size = (uint32_t)n - 5;
    block[0] = is_last;
    block[1] = (unsigned char)size;
    block[2] = (unsigned char)(size >> 8);
    block[3] = (unsigned char)~size;
    block[4] = (unsigned char)(~size >> 8);
    adler_add(png, block + 5, size);
    put_bytes(png, block, n);
}

static void picture_put(struct png *png, const uint32_t *pixels, uint32_t width, uint32_t height)
{
    static const unsigned char signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};
    static const unsigned char kind[5] = {8, 2, 0, 0, 0}; /* 8 bits each of red, green, blue */
    static const unsigned char packed[2] = {0x78, 0x01};
    put_bytes(png, signature, sizeof signature);
    chunk_begin(png, 13, "IHDR");
    put_number(png, width);
    put_number(png, height);
    put_bytes(png, kind, sizeof kind);
    chunk_end(png);
    chunk_begin(png, 2 + height * (5 + 1 + 3 * width) + 4, "IDAT");
    put_bytes(png, packed, sizeof packed);
    png->adler_low = 1;
    for (uint32_t y = 0; y < height; y++)
        row_put(png, pixels + (size_t)y * width, width, y == height - 1);
    put_number(png, png->adler_high << 16 | png->adler_low);
    chunk_end(png);
    chunk_begin(png, 0, "IEND");
    chunk_end(png);
}

enum kernel_outcome png_write(struct kernel_job *job, const char *path, const uint32_t *pixels,
                              uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0 || width > (BLOCK_MAX - 1) / 3 || height > 32767)
        return kernel_reason(job, KERNEL_FAILED, "no picture of %u x %u is saved", width, height);
    struct png png = {.file = fopen(path, "wb")};
    if (!png.file)
        return kernel_reason(job, KERNEL_FAILED, "a picture cannot be saved: %s", strerror(errno));
    picture_put(&png, pixels, width, height);
    bool is_written = !ferror(png.file);
    if (fclose(png.file) != 0 || !is_written)
        return kernel_reason(job, KERNEL_FAILED, "a picture cannot be saved: %s", strerror(errno));
    return KERNEL_OK;
}
