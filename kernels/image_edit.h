/* What is done to images: making one from a seed, enlarging, rotating, showing a part. */
#ifndef KERNELS_IMAGE_EDIT_H
#define KERNELS_IMAGE_EDIT_H

#include "kernels/image_bmp.h"

/* The shape of an image of at most so many bytes, nearly 4 to 3, width and height multiples of 4: so
 * no row has padding, rotated or not. Smaller than 4 x 4: width and height 0. */
struct image image_fit(uint64_t bytes, unsigned pixel_bytes);

/* One row, y counted from the lowest, of an image like the map of islands: the same for the same seed
 * whatever the height. */
void image_make_row(const struct image *image, uint64_t seed, size_t y, unsigned char *out);
void image_make(const struct image *image, uint64_t seed);

/* Twice as many rows, blurred with weights 1, 2, 1 to the sides: in the even rows a row of `from`,
 * in the odd ones the mean of it and the next. Beyond an edge is what is at it. Means are rounded
 * down. to->height is twice from->height. */
void image_enlarge(const struct image *from, const struct image *to);
/* By 90 degrees against the clock. to->width is from->height and the other way round. */
void image_rotate(const struct image *from, const struct image *to);

/* The lower left corner of the part that step k of scrolling shows: up by 16 rows each time, then
 * 64 pixels further right. */
struct image_place {
    size_t x, y;
};
struct image_place image_scroll(const struct image *image, const struct image *window, uint64_t k);
/* Rows as they are. Both have pixels of the same size. */
void image_blit(const struct image *from, struct image_place place, const struct image *window);
/* Pixel by pixel through a scale of 1 in 16.16 fixed point, into pixels of 4 bytes. */
void image_stretch(const struct image *from, struct image_place place, const struct image *window);

#endif
