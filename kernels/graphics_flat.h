/* Scenes in two dimensions, of the kind that DirectDraw and VideoWin drew, on a surface in memory:
 * 32 bits a pixel, 0xffRRGGBB, the uppermost row first. */
#ifndef KERNELS_GRAPHICS_FLAT_H
#define KERNELS_GRAPHICS_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flat_kind {
    FLAT_FILLS,   /* rectangles, each of one colour */
    FLAT_BLITS,   /* a background of tiles, sprites over it that are not rectangles */
    FLAT_SCALING, /* a picture, nearer and further */
    FLAT_TEXT     /* lines of letters */
};
enum {
    FLAT_FRAMES = 12, /* of one round */
    FLAT_RECTANGLES = 200,
    FLAT_SPRITES = 100,
    FLAT_TILE = 64,     /* pixels in a row of a tile or a sprite, and rows */
    FLAT_PICTURE = 256, /* the same of the picture */
    FLAT_LINE = 16,     /* rows of a line of text */
    FLAT_LETTER = 12    /* pixels in a row of a letter */
};

struct flat {
    enum flat_kind kind;
    size_t width, height;
    uint64_t seed;
    uint32_t *pixels; /* [width * height], borrowed */
    uint32_t tile[FLAT_TILE * FLAT_TILE], sprite[FLAT_TILE * FLAT_TILE];
    uint32_t picture[FLAT_PICTURE * FLAT_PICTURE];
};

/* Makes what is copied; pixels, width, height, kind and seed are there. */
void flat_init(struct flat *flat);
void flat_draw(const struct flat *flat, unsigned frame);

/* What the pixels of a row of a frame must be, each found without drawing: out[width]. */
void flat_row(const struct flat *flat, unsigned frame, size_t y, uint32_t *out);

#endif
