#ifndef KERNELS_CRYPTO_CAST_H
#define KERNELS_CRYPTO_CAST_H

#include <stdint.h>

extern const uint32_t cast_boxes[8][256];

#endif
