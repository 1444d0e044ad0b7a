#include "kernels/graphics_texture.h"

#include <math.h>
#include <stddef.h>

#include "kernels/kernel.h"

static const float TURN = 6.2831853f / TEXTURE_SIZE;

static uint32_t shade(unsigned red, unsigned green, unsigned blue, float light)
{
    light = light < 0 ? 0 : light > 1 ? 1 : light;
    return 0xff000000u | (uint32_t)((float)red * light) << 16 | (uint32_t)((float)green * light) << 8 |
           (uint32_t)((float)blue * light);
}

/* 0 to 1, by place. */
static float grain(uint64_t seed, unsigned x, unsigned y)
{
    uint64_t state = seed + ((uint64_t)y << 32 | x);
    return (float)(kernel_random(&state) >> 40) / 16777216.0f;
}

/* Sines of whole numbers of periods, so that edges meet. */
static float swirl(unsigned x, unsigned y)
{
    float u = (float)x * TURN, v = (float)y * TURN;
    return sinf(u + 2 * v) + 0.5f * sinf(3 * u - 2 * v + 1) + 0.25f * sinf(5 * u + 7 * v + 2) +
           0.125f * sinf(11 * v - 9 * u);
}

static uint32_t brick(uint64_t seed, unsigned x, unsigned y)
{
    unsigned row = y / 32, along = (x + row % 2 * 32) % TEXTURE_SIZE;
    if (y % 32 < 3 || along % 64 < 3)
        return shade(190, 185, 175, 0.75f + 0.25f * grain(seed, x, y));
    float tone = 0.7f + 0.2f * grain(seed ^ 1, along / 64, row) + 0.1f * grain(seed, x, y);
    return shade(190, 75, 50, tone);
}

static uint32_t texel(enum texture texture, uint64_t seed, unsigned x, unsigned y)
{
    float wave;
    switch (texture) {
    case TEXTURE_BRICK:
        return brick(seed, x, y);
    case TEXTURE_CHECKER:
        return (x / 32 + y / 32) % 2 ? shade(245, 245, 240, 1) : shade(200, 30, 40, 1);
    case TEXTURE_WOOD:
        wave = sinf(9 * (float)y * TURN + 1.5f * swirl(x, y) + 4 * sinf((float)x * TURN));
        return shade(205, 145, 85, 0.72f + 0.2f * wave + 0.08f * grain(seed, x / 8, y));
    default:
        wave = fabsf(sinf(2 * (float)(x + y) * TURN + 2.5f * swirl(x, y)));
        return shade(225, 235, 245, 0.25f + 0.75f * sqrtf(wave));
    }
}

void texture_make(enum texture texture, uint64_t seed,
                  uint32_t out[static TEXTURE_SIZE * TEXTURE_SIZE])
{
    for (unsigned y = 0; y < TEXTURE_SIZE; y++)
        for (unsigned x = 0; x < TEXTURE_SIZE; x++)
            out[(size_t)y * TEXTURE_SIZE + x] = texel(texture, seed, x, y);
}
