/* Pictures of surfaces, made by formula. */
#ifndef KERNELS_GRAPHICS_TEXTURE_H
#define KERNELS_GRAPHICS_TEXTURE_H

#include <stdint.h>

enum { TEXTURE_SIZE = 256 }; /* texels in a row, and rows */

enum texture { TEXTURE_BRICK, TEXTURE_CHECKER, TEXTURE_WOOD, TEXTURE_MARBLE, TEXTURE_COUNT };

/* As 0xffRRGGBB. They go on at the opposite edge. */
void texture_make(enum texture texture, uint64_t seed,
                  uint32_t out[static TEXTURE_SIZE * TEXTURE_SIZE]);

#endif
