/* Words in the order of their bytes, rotations: what every primitive of crypto is made of. */
#ifndef KERNELS_CRYPTO_BYTES_H
#define KERNELS_CRYPTO_BYTES_H

#include <stdint.h>

static inline uint32_t load_little32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint32_t load_big32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline uint64_t load_big64(const uint8_t *p)
{
    return (uint64_t)load_big32(p) << 32 | load_big32(p + 4);
}

static inline unsigned load_big16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static inline void store_little32(uint8_t *p, uint32_t word)
{
    p[0] = (uint8_t)word;
    p[1] = (uint8_t)(word >> 8);
    p[2] = (uint8_t)(word >> 16);
    p[3] = (uint8_t)(word >> 24);
}

static inline void store_big32(uint8_t *p, uint32_t word)
{
    p[0] = (uint8_t)(word >> 24);
    p[1] = (uint8_t)(word >> 16);
    p[2] = (uint8_t)(word >> 8);
    p[3] = (uint8_t)word;
}

static inline void store_big64(uint8_t *p, uint64_t word)
{
    store_big32(p, (uint32_t)(word >> 32));
    store_big32(p + 4, (uint32_t)word);
}

static inline void store_big16(uint8_t *p, unsigned word)
{
    p[0] = (uint8_t)(word >> 8);
    p[1] = (uint8_t)word;
}

/* n: 0 to 31 */
static inline uint32_t rotate_left32(uint32_t word, unsigned n)
{
    return word << n | word >> (-n & 31);
}

/* n: 1 to 63 */
static inline uint64_t rotate_right64(uint64_t word, unsigned n)
{
    return word >> n | word << (64 - n);
}

#endif
