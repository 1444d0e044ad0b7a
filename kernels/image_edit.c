#include "kernels/image_edit.h"

#include <string.h>

enum { COARSE = 64, FINE = 16 }; /* pixels between the random heights of a map */

static uint64_t root_of(uint64_t square)
{
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return root;
}

struct image image_fit(uint64_t bytes, unsigned pixel_bytes)
{
    uint64_t pixels = bytes / pixel_bytes;
    uint64_t width = root_of(pixels / 3 * 4) / 4 * 4;
    uint64_t height = width > 0 ? pixels / width / 4 * 4 : 0;
    return image_shape((size_t)(height > 0 ? width : 0), (size_t)height, pixel_bytes);
}

/* A height at a point of the lattice, 0 to 255. */
static int lattice(uint64_t seed, size_t column, size_t row)
{
    uint64_t state = seed ^ (uint64_t)column << 32 ^ (uint64_t)row;
    return (int)(kernel_random(&state) >> 56);
}

/* Heights between four points of a lattice, times cell^2. Called with rising x, the points change
 * only every `cell` pixels. */
struct slope {
    int cell, left, right;
};

static void slope_enter(struct slope *slope, uint64_t seed, size_t x, size_t y)
{
    size_t cell = (size_t)slope->cell, column = x / cell, row = y / cell;
    int up = (int)(y % cell), down = slope->cell - up;
    slope->left = lattice(seed, column, row) * down + lattice(seed, column, row + 1) * up;
    slope->right = lattice(seed, column + 1, row) * down + lattice(seed, column + 1, row + 1) * up;
}

static int slope_at(const struct slope *slope, size_t x)
{
    int along = (int)(x % (size_t)slope->cell);
    return slope->left * (slope->cell - along) + slope->right * along;
}

/* Deep sea, shore, meadow, wood, rock, snow. */
static void colour_of(int height, unsigned char out[static 3])
{
    static const struct {
        int height;
        unsigned char blue, green, red;
    } stops[] = {{0, 96, 32, 8},     {90, 190, 130, 40}, {108, 150, 215, 235}, {120, 70, 190, 90},
                 {150, 40, 110, 30}, {190, 110, 120, 130}, {210, 250, 245, 240}, {256, 255, 255, 255}};
    int i = 0;
    while (height >= stops[i + 1].height)
        i++;
    int span = stops[i + 1].height - stops[i].height, at = height - stops[i].height;
    out[0] = (unsigned char)((stops[i].blue * (span - at) + stops[i + 1].blue * at) / span);
    out[1] = (unsigned char)((stops[i].green * (span - at) + stops[i + 1].green * at) / span);
    out[2] = (unsigned char)((stops[i].red * (span - at) + stops[i + 1].red * at) / span);
}

static void row_colour(const struct image *image, uint64_t seed, size_t y,
                       unsigned char colours[static 256][3], unsigned char *out)
{
    struct slope coarse = {.cell = COARSE}, fine = {.cell = FINE};
    for (size_t x = 0; x < image->width; x++, out += image->pixel_bytes) {
        if (x % COARSE == 0)
            slope_enter(&coarse, seed, x, y);
        if (x % FINE == 0)
            slope_enter(&fine, ~seed, x, y);
        int height = (slope_at(&coarse, x) / (COARSE * COARSE) * 3 +
                      slope_at(&fine, x) / (FINE * FINE)) / 4;
        memcpy(out, colours[height], 3);
        if (image->pixel_bytes == 4)
            out[3] = 255; /* opaque, for programs that take it so */
    }
}

void image_make_row(const struct image *image, uint64_t seed, size_t y, unsigned char *out)
{
    unsigned char colours[256][3];
    for (int i = 0; i < 256; i++)
        colour_of(i, colours[i]);
    row_colour(image, seed, y, colours, out);
}

void image_make(const struct image *image, uint64_t seed)
{
    unsigned char colours[256][3];
    for (int i = 0; i < 256; i++)
        colour_of(i, colours[i]);
    for (size_t y = 0; y < image->height; y++)
        row_colour(image, seed, y, colours, image->bytes + y * image->stride);
}

/* ---- enlarging */

static void blur_row(const unsigned char *p, size_t size, unsigned step, unsigned char *out)
{
    for (size_t i = 0; i < step; i++) {
        size_t last = size - step + i;
        out[i] = (unsigned char)((3u * p[i] + p[i + step]) / 4);
        out[last] = (unsigned char)((3u * p[last] + p[last - step]) / 4);
    }
    for (size_t i = step; i < size - step; i++)
        out[i] = (unsigned char)((p[i - step] + 2u * p[i] + p[i + step]) / 4);
}

static void blur_between(const unsigned char *p, const unsigned char *q, size_t size, unsigned step,
                         unsigned char *out)
{
    for (size_t i = 0; i < step; i++) {
        size_t last = size - step + i;
        out[i] = (unsigned char)((3u * p[i] + p[i + step] + 3u * q[i] + q[i + step]) / 8);
        out[last] = (unsigned char)((3u * p[last] + p[last - step] + 3u * q[last] + q[last - step]) / 8);
    }
    for (size_t i = step; i < size - step; i++)
        out[i] = (unsigned char)((p[i - step] + 2u * p[i] + p[i + step] + q[i - step] + 2u * q[i] +
                                  q[i + step]) / 8);
}

__attribute__((noinline)) void image_enlarge(const struct image *from, const struct image *to)
{
    size_t size = from->width * from->pixel_bytes;
    for (size_t y = 0; y < from->height; y++) {
        const unsigned char *row = from->bytes + y * from->stride;
        const unsigned char *next = y + 1 < from->height ? row + from->stride : row;
        unsigned char *out = to->bytes + 2 * y * to->stride;
        blur_row(row, size, from->pixel_bytes, out);
        blur_between(row, next, size, from->pixel_bytes, out + to->stride);
    }
}

/* ---- rotating */

/* Counted from the lower left corner, (x, y) comes from (y, h - 1 - x). Rows are written in order,
 * columns read: the order of the historical program is not known, this one is the plain one. */
__attribute__((noinline)) void image_rotate(const struct image *from, const struct image *to)
{
    const unsigned step = from->pixel_bytes;
    for (size_t y = 0; y < to->height; y++) {
        unsigned char *out = to->bytes + y * to->stride;
        const unsigned char *p = from->bytes + (from->height - 1) * from->stride + y * step;
        if (step == 4) {
            for (size_t x = 0; x < to->width; x++, out += 4, p -= from->stride)
                memcpy(out, p, 4);
        } else {
            for (size_t x = 0; x < to->width; x++, out += 3, p -= from->stride)
                memcpy(out, p, 3);
        }
    }
}

/* ---- scrolling */

struct image_place image_scroll(const struct image *image, const struct image *window, uint64_t k)
{
    uint64_t rows = image->height - window->height + 1, columns = image->width - window->width + 1;
    uint64_t up = k % (UINT64_MAX / 16) * 16;
    return (struct image_place){.x = (size_t)(up / rows % columns * 64 % columns),
                                .y = (size_t)(up % rows)};
}

__attribute__((noinline)) void image_blit(const struct image *from, struct image_place place,
                                          const struct image *window)
{
    const unsigned char *p =
        from->bytes + place.y * from->stride + place.x * from->pixel_bytes;
    for (size_t y = 0; y < window->height; y++, p += from->stride)
        memcpy(window->bytes + y * window->stride, p, window->width * window->pixel_bytes);
}

__attribute__((noinline)) void image_stretch(const struct image *from, struct image_place place,
                                             const struct image *window)
{
    uint64_t one = 1 << 16;
    KERNEL_KEEP(one); /* a scale that the compiler does not know */
    uint64_t v = (uint64_t)place.y << 16;
    for (size_t y = 0; y < window->height; y++, v += one) {
        const unsigned char *row = from->bytes + (size_t)(v >> 16) * from->stride;
        unsigned char *out = window->bytes + y * window->stride;
        uint64_t u = (uint64_t)place.x << 16;
        for (size_t x = 0; x < window->width; x++, u += one, out += 4) {
            const unsigned char *p = row + (size_t)(u >> 16) * from->pixel_bytes;
            uint32_t pixel = 0xff000000u | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
            memcpy(out, &pixel, sizeof pixel);
        }
    }
}
