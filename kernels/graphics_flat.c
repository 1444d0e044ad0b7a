#include "kernels/graphics_flat.h"

#include <string.h>

#include "kernels/graphics_texture.h"
#include "kernels/kernel.h"

enum { BACKGROUND = 0x101830 };
static const uint32_t OVER = 0xff000000u; /* what every pixel has that is one */

/* ---- letters: 5 x 7 dots each, drawn twice as large */

static const struct {
    char letter;
    unsigned char rows[7]; /* the leftmost dot is 16 */
} letters[] = {
    {'A', {14, 17, 17, 31, 17, 17, 17}}, {'B', {30, 17, 17, 30, 17, 17, 30}},
    {'C', {14, 17, 16, 16, 16, 17, 14}}, {'D', {30, 17, 17, 17, 17, 17, 30}},
    {'E', {31, 16, 16, 30, 16, 16, 31}}, {'F', {31, 16, 16, 30, 16, 16, 16}},
    {'G', {14, 17, 16, 23, 17, 17, 15}}, {'H', {17, 17, 17, 31, 17, 17, 17}},
    {'I', {14, 4, 4, 4, 4, 4, 14}},      {'J', {7, 2, 2, 2, 2, 18, 12}},
    {'K', {17, 18, 20, 24, 20, 18, 17}}, {'L', {16, 16, 16, 16, 16, 16, 31}},
    {'M', {17, 27, 21, 21, 17, 17, 17}}, {'N', {17, 25, 21, 19, 17, 17, 17}},
    {'O', {14, 17, 17, 17, 17, 17, 14}}, {'P', {30, 17, 17, 30, 16, 16, 16}},
    {'Q', {14, 17, 17, 17, 21, 18, 13}}, {'R', {30, 17, 17, 30, 20, 18, 17}},
    {'S', {15, 16, 16, 14, 1, 1, 30}},   {'T', {31, 4, 4, 4, 4, 4, 4}},
    {'U', {17, 17, 17, 17, 17, 17, 14}}, {'V', {17, 17, 17, 17, 17, 10, 4}},
    {'W', {17, 17, 17, 21, 21, 27, 17}}, {'X', {17, 17, 10, 4, 10, 17, 17}},
    {'Y', {17, 17, 10, 4, 4, 4, 4}},     {'Z', {31, 1, 2, 4, 8, 16, 31}},
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},
    {'2', {14, 17, 1, 6, 8, 16, 31}},    {'3', {30, 1, 1, 14, 1, 1, 30}},
    {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},
    {'8', {14, 17, 17, 14, 17, 17, 14}}, {'9', {14, 17, 17, 15, 1, 2, 12}}};
static const char words[] = "PACK MY BOX WITH FIVE DOZEN LIQUOR JUGS 0123456789 ";

static const unsigned char *letter_rows(char letter)
{
    static const unsigned char blank[7];
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++)
        if (letters[i].letter == letter)
            return letters[i].rows;
    return blank;
}

/* The letter in a column of a line; the text moves by a letter with each frame. */
static char letter_at(const struct flat *flat, unsigned frame, size_t line, size_t column)
{
    return words[(column + line * 7 + frame + (size_t)(flat->seed % 1024)) % (sizeof words - 1)];
}

static uint32_t line_colour(const struct flat *flat, size_t line)
{
    uint64_t state = flat->seed ^ 0x7e78 ^ (uint64_t)line;
    return OVER | 0x606060u | (uint32_t)(kernel_random(&state) >> 40);
}

static void text_draw(const struct flat *flat, unsigned frame)
{
    for (size_t i = 0; i < flat->width * flat->height; i++)
        flat->pixels[i] = OVER | BACKGROUND;
    for (size_t line = 0; (line + 1) * FLAT_LINE <= flat->height; line++) {
        uint32_t colour = line_colour(flat, line);
        for (size_t column = 0; (column + 1) * FLAT_LETTER <= flat->width; column++) {
            const unsigned char *rows = letter_rows(letter_at(flat, frame, line, column));
            uint32_t *out = flat->pixels + line * FLAT_LINE * flat->width + column * FLAT_LETTER;
            for (size_t y = 0; y < 14; y++, out += flat->width)
                for (size_t x = 0; x < 10; x++)
                    if (rows[y / 2] & 16 >> x / 2)
                        out[x] = colour;
        }
    }
}

static uint32_t text_pixel(const struct flat *flat, unsigned frame, size_t x, size_t y)
{
    size_t line = y / FLAT_LINE, column = x / FLAT_LETTER;
    size_t dot = x % FLAT_LETTER / 2, row = y % FLAT_LINE / 2;
    bool is_whole = line < flat->height / FLAT_LINE && column < flat->width / FLAT_LETTER;
    bool is_inked = is_whole && dot < 5 && row < 7 &&
                    (letter_rows(letter_at(flat, frame, line, column))[row] >> (4 - dot) & 1);
    return is_inked ? line_colour(flat, line) : OVER | BACKGROUND;
}

/* ---- rectangles */

struct rectangle {
    size_t left, top, width, height;
    uint32_t colour;
};

static struct rectangle rectangle_of(const struct flat *flat, unsigned frame, size_t index)
{
    uint64_t state = flat->seed + ((uint64_t)frame << 32) + index;
    struct rectangle r;
    r.width = 1 + (size_t)(kernel_random(&state) % (flat->width / 4));
    r.height = 1 + (size_t)(kernel_random(&state) % (flat->height / 4));
    r.left = (size_t)(kernel_random(&state) % (flat->width - r.width + 1));
    r.top = (size_t)(kernel_random(&state) % (flat->height - r.height + 1));
    r.colour = OVER | (uint32_t)kernel_random(&state) >> 8;
    return r;
}

static void rectangle_fill(const struct flat *flat, const struct rectangle *r)
{
    uint32_t *row = flat->pixels + r->top * flat->width + r->left;
    for (size_t y = 0; y < r->height; y++, row += flat->width)
        for (size_t x = 0; x < r->width; x++)
            row[x] = r->colour;
}

static void fills_draw(const struct flat *flat, unsigned frame)
{
    const struct rectangle all = {0, 0, flat->width, flat->height, OVER | BACKGROUND};
    rectangle_fill(flat, &all);
    for (size_t i = 0; i < FLAT_RECTANGLES; i++) {
        struct rectangle r = rectangle_of(flat, frame, i);
        rectangle_fill(flat, &r);
    }
}

/* The last rectangle that has the pixel. */
static void fills_row(const struct flat *flat, unsigned frame, size_t y, uint32_t *out)
{
    struct rectangle in_row[FLAT_RECTANGLES];
    size_t n = 0;
    for (size_t i = FLAT_RECTANGLES; i-- > 0;) {
        struct rectangle r = rectangle_of(flat, frame, i);
        if (y >= r.top && y < r.top + r.height)
            in_row[n++] = r;
    }
    for (size_t x = 0; x < flat->width; x++) {
        size_t i = 0;
        while (i < n && (x < in_row[i].left || x >= in_row[i].left + in_row[i].width))
            i++;
        out[x] = i < n ? in_row[i].colour : OVER | BACKGROUND;
    }
}

/* ---- tiles and sprites */

struct place {
    size_t x, y;
};

/* Each goes its own way, right and down, and comes in again on the other side. */
static struct place sprite_place(const struct flat *flat, unsigned frame, size_t index)
{
    uint64_t state = flat->seed ^ (uint64_t)index << 8;
    uint64_t columns = flat->width - FLAT_TILE + 1, rows = flat->height - FLAT_TILE + 1;
    uint64_t x = kernel_random(&state), y = kernel_random(&state);
    return (struct place){.x = (size_t)((x % columns + frame * (1 + x % 7)) % columns),
                          .y = (size_t)((y % rows + frame * (1 + y % 5)) % rows)};
}

/* A whole row of tiles is a row of copies, the first of them without its left part. */
static void tiles_draw(const struct flat *flat, unsigned frame)
{
    size_t shift = frame * 2 % FLAT_TILE;
    for (size_t y = 0; y < flat->height; y++) {
        const uint32_t *tile = flat->tile + (y + shift) % FLAT_TILE * FLAT_TILE;
        uint32_t *out = flat->pixels + y * flat->width;
        size_t from = shift;
        for (size_t x = 0; x < flat->width;) {
            size_t n = FLAT_TILE - from < flat->width - x ? FLAT_TILE - from : flat->width - x;
            memcpy(out + x, tile + from, n * sizeof *out);
            x += n;
            from = 0;
        }
    }
}

static void blits_draw(const struct flat *flat, unsigned frame)
{
    tiles_draw(flat, frame);
    for (size_t i = 0; i < FLAT_SPRITES; i++) {
        struct place place = sprite_place(flat, frame, i);
        const uint32_t *from = flat->sprite;
        uint32_t *out = flat->pixels + place.y * flat->width + place.x;
        for (size_t y = 0; y < FLAT_TILE; y++, out += flat->width, from += FLAT_TILE)
            for (size_t x = 0; x < FLAT_TILE; x++)
                if (from[x] != 0)
                    out[x] = from[x];
    }
}

/* The last sprite that has the pixel, or the tile. */
static void blits_row(const struct flat *flat, unsigned frame, size_t y, uint32_t *out)
{
    struct place in_row[FLAT_SPRITES];
    size_t n = 0;
    for (size_t i = FLAT_SPRITES; i-- > 0;) {
        struct place place = sprite_place(flat, frame, i);
        if (y >= place.y && y < place.y + FLAT_TILE)
            in_row[n++] = place;
    }
    for (size_t x = 0; x < flat->width; x++) {
        uint32_t pixel = 0;
        for (size_t i = 0; i < n && !pixel; i++)
            if (x >= in_row[i].x && x < in_row[i].x + FLAT_TILE)
                pixel = flat->sprite[(y - in_row[i].y) * FLAT_TILE + x - in_row[i].x];
        out[x] = pixel ? pixel
                       : flat->tile[(y + 2 * frame) % FLAT_TILE * FLAT_TILE +
                                    (x + 2 * frame) % FLAT_TILE];
    }
}

static void sprite_make(uint32_t out[static FLAT_TILE * FLAT_TILE])
{
    const int middle = FLAT_TILE / 2, radius = middle - 2;
    for (int y = 0; y < FLAT_TILE; y++) {
        for (int x = 0; x < FLAT_TILE; x++) {
            int dx = x - middle, dy = y - middle, hx = dx + radius / 3, hy = dy + radius / 3;
            int light = 255 - (hx * hx + hy * hy) * 170 / (radius * radius);
            light = light < 60 ? 60 : light;
            bool is_inside = dx * dx + dy * dy <= radius * radius;
            bool is_band = (x / 8) % 2 == 0;
            uint32_t red = (uint32_t)light, blue = (uint32_t)(is_band ? light / 4 : light);
            out[y * FLAT_TILE + x] =
                is_inside ? OVER | red << 16 | (uint32_t)(light * 3 / 4) << 8 | blue : 0;
        }
    }
}

static void tile_make(uint64_t seed, uint32_t out[static FLAT_TILE * FLAT_TILE])
{
    for (uint32_t y = 0; y < FLAT_TILE; y++) {
        for (uint32_t x = 0; x < FLAT_TILE; x++) {
            uint32_t edge = x % 32 == 0 || y % 32 == 0 ? 0 : 40;
            uint32_t tone = 50 + edge + (uint32_t)(kernel_random(&seed) >> 60);
            out[y * FLAT_TILE + x] = OVER | tone / 2 << 16 | tone << 8 | (tone + 30);
        }
    }
}

/* ---- scaling */

/* Texels from a pixel to the next, in 1/65536: from a quarter to one and an eighth, and back. */
static uint32_t scale_of(unsigned frame)
{
    unsigned half = FLAT_FRAMES / 2, way = frame % FLAT_FRAMES;
    way = way <= half ? way : FLAT_FRAMES - way;
    return 16384 + way * 57344 / half;
}

/* Two channels of a pixel at once: each product stays in its 16 bits. */
static uint32_t mix_pixels(uint32_t a, uint32_t b, uint32_t share)
{
    uint32_t even = ((a & 0xff00ffu) * (256 - share) + (b & 0xff00ffu) * share) >> 8 & 0xff00ffu;
    uint32_t odd = ((a >> 8 & 0xffu) * (256 - share) + (b >> 8 & 0xffu) * share) & 0xff00u;
    return OVER | even | odd;
}

static void scaling_draw(const struct flat *flat, unsigned frame)
{
    uint32_t scale = scale_of(frame), v = 0, *out = flat->pixels;
    for (size_t y = 0; y < flat->height; y++, v += scale) {
        const uint32_t *upper = flat->picture + (v >> 16) % FLAT_PICTURE * FLAT_PICTURE;
        const uint32_t *lower = flat->picture + ((v >> 16) + 1) % FLAT_PICTURE * FLAT_PICTURE;
        uint32_t down = v >> 8 & 255, u = 0;
        for (size_t x = 0; x < flat->width; x++, u += scale) {
            uint32_t left = (u >> 16) % FLAT_PICTURE, right = (left + 1) % FLAT_PICTURE;
            uint32_t along = u >> 8 & 255;
            uint32_t above = mix_pixels(upper[left], upper[right], along);
            uint32_t below = mix_pixels(lower[left], lower[right], along);
            *out++ = mix_pixels(above, below, down);
        }
    }
}

/* Channel by channel, from the four texels around. */
static uint32_t scaling_pixel(const struct flat *flat, unsigned frame, size_t x, size_t y)
{
    uint64_t u = (uint64_t)x * scale_of(frame), v = (uint64_t)y * scale_of(frame);
    unsigned along = (unsigned)(u / 256 % 256), down = (unsigned)(v / 256 % 256);
    uint32_t pixel = OVER;
    for (unsigned shift = 0; shift < 24; shift += 8) {
        unsigned rows[2];
        for (unsigned r = 0; r < 2; r++) {
            const uint32_t *row = flat->picture + (v / 65536 + r) % FLAT_PICTURE * FLAT_PICTURE;
            unsigned left = row[u / 65536 % FLAT_PICTURE] >> shift & 255;
            unsigned right = row[(u / 65536 + 1) % FLAT_PICTURE] >> shift & 255;
            rows[r] = (left * (256 - along) + right * along) / 256;
        }
        pixel |= (rows[0] * (256 - down) + rows[1] * down) / 256 << shift;
    }
    return pixel;
}

/* ---- all */

void flat_init(struct flat *flat)
{
    tile_make(flat->seed, flat->tile);
    sprite_make(flat->sprite);
    texture_make(TEXTURE_BRICK, flat->seed, flat->picture);
}

void flat_draw(const struct flat *flat, unsigned frame)
{
    static void (*const draw[])(const struct flat *flat, unsigned frame) = {
        [FLAT_FILLS] = fills_draw,
        [FLAT_BLITS] = blits_draw,
        [FLAT_SCALING] = scaling_draw,
        [FLAT_TEXT] = text_draw};
    draw[flat->kind](flat, frame);
}

void flat_row(const struct flat *flat, unsigned frame, size_t y, uint32_t *out)
{
    if (flat->kind == FLAT_FILLS)
        fills_row(flat, frame, y, out);
    else if (flat->kind == FLAT_BLITS)
        blits_row(flat, frame, y, out);
    else
        for (size_t x = 0; x < flat->width; x++)
            out[x] = flat->kind == FLAT_TEXT ? text_pixel(flat, frame, x, y)
                                             : scaling_pixel(flat, frame, x, y);
}
