/* Pictures as PNG files (ISO/IEC 15948) without compression: blocks that are stored (RFC 1951,
 * 3.2.4). */
#ifndef KERNELS_PICTURE_PNG_H
#define KERNELS_PICTURE_PNG_H

#include "kernels/kernel.h"

/* pixels: [width * height] as 0xffRRGGBB, the uppermost row first. Reasons do not name the path. */
enum kernel_outcome png_write(struct kernel_job *job, const char *path, const uint32_t *pixels,
                              uint32_t width, uint32_t height);

#endif
