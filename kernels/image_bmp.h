/* Windows bitmaps (BMP): images in memory as they are in the file, their lowest row first, the
 * pixels blue, green, red and, at 32 bits, one byte that nothing uses. Layout: Microsoft, Bitmap
 * Storage; BITMAPFILEHEADER, BITMAPINFOHEADER. */
#ifndef KERNELS_IMAGE_BMP_H
#define KERNELS_IMAGE_BMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

enum { BMP_HEADER_BYTES = 54 };

struct image {
    size_t width, height, stride; /* pixels; bytes from a row to the next, a multiple of 4 */
    unsigned pixel_bytes;         /* 3 or 4 */
    unsigned char *bytes;         /* [stride * height], borrowed */
};

static inline size_t image_bytes(const struct image *image)
{
    return image->stride * image->height;
}

/* An image without bytes. */
struct image image_shape(size_t width, size_t height, unsigned pixel_bytes);

/* The header of the file; false when the file would have more than 4 GiB. */
bool bmp_header(const struct image *image, unsigned char out[static BMP_HEADER_BYTES]);
/* Fills in all but bytes from a header; false when it is none, or one of another kind of bitmap. */
bool bmp_parse(const unsigned char header[static BMP_HEADER_BYTES], uint64_t file_bytes,
               struct image *image);

/* Writes a file anew; with is_synced until the device has it. Reasons do not name the path. */
enum kernel_outcome bmp_write(struct kernel_job *job, const struct image *image, const char *path,
                              bool is_synced);
/* Reads a file whole into image->bytes, which has room for as many bytes as image says the pixels
 * take; KERNEL_WRONG when the file is not of that shape. */
enum kernel_outcome bmp_read(struct kernel_job *job, const struct image *image, const char *path);

/* As 0xffRRGGBB, the uppermost row first: [width * height]. */
void bmp_format(const struct image *image, uint32_t *out);

#endif
