/* The checks of the kernel image: by pixel, from rows that are made again. */
#include "kernels/image_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 64 }; /* that are made again at a time */
static const uint64_t MIB = 1024 * 1024;

static enum kernel_outcome pixel_wrong(struct kernel_job *job, const char *what, size_t x, size_t y)
{
    return kernel_reason(job, KERNEL_WRONG, "%s: pixel %zu of row %zu is not what it must be", what, x,
                         y);
}

/* The two rows that a row of an enlarged image is made of, with their neighbours at the edges. */
static enum kernel_outcome enlarge_check(struct kernel_job *job, unsigned char *rows)
{
    static const unsigned weights[] = {1, 2, 1};
    const struct picture *p = job->state;
    const unsigned step = p->to.pixel_bytes;
    for (size_t y = 0; y < p->to.height; y++) {
        unsigned n_rows = y % 2 == 1 ? 2 : 1;
        for (unsigned r = 0; r < n_rows; r++) {
            size_t source = y / 2 + r < p->from.height ? y / 2 + r : p->from.height - 1;
            image_make_row(&p->from, job->seed, source, rows + r * p->from.stride);
        }
        const unsigned char *found = p->to.bytes + y * p->to.stride;
        for (size_t i = 0; i < p->to.width * step; i++) {
            unsigned sum = 0;
            for (unsigned r = 0; r < n_rows; r++) {
                for (unsigned k = 0; k < 3; k++) {
                    size_t x = i / step + k; /* one to the right of where it is */
                    x = x == 0 ? 0 : x > p->to.width ? p->to.width - 1 : x - 1;
                    sum += weights[k] * rows[r * p->from.stride + x * step + i % step];
                }
            }
            if (found[i] != sum / (4 * n_rows))
                return pixel_wrong(job, "enlarged", i / step, y);
        }
    }
    return KERNEL_OK;
}

static enum kernel_outcome save_check(struct kernel_job *job, unsigned char *row)
{
    struct picture *p = job->state;
    memset(p->from.bytes, 0, image_bytes(&p->from));
    if (access(p->path, F_OK) < 0)
        return kernel_reason(job, KERNEL_WRONG, "there is no file");
    enum kernel_outcome outcome = bmp_read(job, &p->from, p->path);
    for (size_t y = 0; y < p->from.height && outcome == KERNEL_OK; y++) {
        const unsigned char *found = p->from.bytes + y * p->from.stride;
        image_make_row(&p->from, job->seed, y, row);
        for (size_t i = 0; i < p->from.stride; i++)
            if (found[i] != row[i])
                return pixel_wrong(job, "saved", i / p->from.pixel_bytes, y);
    }
    return outcome;
}

static enum kernel_outcome load_check(struct kernel_job *job, unsigned char *row)
{
    const struct picture *p = job->state;
    for (size_t y = 0; y < p->from.height; y++) {
        const unsigned char *found = p->to.bytes + (p->to.height - 1 - y) * p->to.stride;
        image_make_row(&p->from, job->seed, y, row);
        for (size_t x = 0; x < p->from.width; x++) {
            const unsigned char *right = row + x * p->from.pixel_bytes;
            uint32_t pixel;
            memcpy(&pixel, found + x * 4, sizeof pixel);
            if (pixel != (255u << 24 | (uint32_t)right[2] << 16 | (uint32_t)right[1] << 8 | right[0]))
                return pixel_wrong(job, "loaded", x, y);
        }
    }
    return KERNEL_OK;
}

static enum kernel_outcome scroll_check(struct kernel_job *job, unsigned char *row)
{
    const struct picture *p = job->state;
    if (p->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "showed %" PRIu64 " screens of %" PRIu64, p->done,
                             job->n_iterations);
    struct image_place place = image_scroll(&p->from, &p->to, p->done - 1);
    for (size_t y = 0; y < p->to.height && p->done > 0; y++) {
        const unsigned char *found = p->to.bytes + y * p->to.stride;
        image_make_row(&p->from, job->seed, place.y + y, row);
        for (size_t x = 0; x < p->to.width; x++)
            if (memcmp(found + x * p->to.pixel_bytes, row + (place.x + x) * p->from.pixel_bytes, 3))
                return pixel_wrong(job, "scrolled", x, y);
    }
    return KERNEL_OK;
}

/* A pixel of the original is where so many quarter turns take it: (x, y), (h - 1 - y, x),
 * (w - 1 - x, h - 1 - y), (y, w - 1 - x). */
static enum kernel_outcome pixel_turned_check(struct kernel_job *job, const struct image *whole,
                                              size_t x, size_t y, const unsigned char *right)
{
    const struct picture *p = job->state;
    const size_t at[] = {x, y, whole->width - 1 - x, whole->height - 1 - y};
    size_t turns = p->done % 4, column = at[(4 - turns) % 4], line = at[(5 - turns) % 4];
    const unsigned char *found =
        p->to.bytes + line * p->to.stride + column * p->to.pixel_bytes;
    return memcmp(found, right, whole->pixel_bytes) == 0 ? KERNEL_OK
                                                         : pixel_wrong(job, "rotated", column, line);
}

/* By columns of ROWS pixels, which are part of a row of what was rotated: else the check of a large
 * image takes far longer than the test. */
static enum kernel_outcome turned_check(struct kernel_job *job, const struct image *whole,
                                        unsigned char *rows)
{
    for (size_t first = 0; first < whole->height; first += ROWS) {
        size_t n = whole->height - first < ROWS ? whole->height - first : ROWS;
        for (size_t r = 0; r < n; r++)
            image_make_row(whole, job->seed, first + r, rows + r * whole->stride);
        for (size_t x = 0; x < whole->width; x++) {
            for (size_t r = 0; r < n; r++) {
                enum kernel_outcome outcome =
                    pixel_turned_check(job, whole, x, first + r,
                                       rows + r * whole->stride + x * whole->pixel_bytes);
                if (outcome != KERNEL_OK)
                    return outcome;
            }
        }
    }
    return KERNEL_OK;
}

/* Where it takes little time, turned until it is the original again. */
static enum kernel_outcome rotate_check(struct kernel_job *job, unsigned char *row)
{
    struct picture *p = job->state;
    const struct image whole = image_whole(job);
    if (p->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "rotated %" PRIu64 " times of %" PRIu64, p->done,
                             job->n_iterations);
    enum kernel_outcome outcome = turned_check(job, &whole, row);
    if (outcome != KERNEL_OK || image_bytes(&whole) > 64 * MIB)
        return outcome;
    do
        image_turn(p);
    while (p->done % 4 != 0);
    return turned_check(job, &whole, row);
}

/* For a person, where --set=save asks for it. */
static enum kernel_outcome picture_keep(struct kernel_job *job)
{
    const struct picture *p = job->state;
    const struct image *image = job->test->code == ENLARGE || job->test->code == ROTATE ? &p->to
                                                                                        : &p->from;
    char *path;
    if (!job->save[0] || job->test->code == SCROLL || job->test->code == LOAD)
        return KERNEL_OK;
    if (asprintf(&path, "%s/image.%s.%" PRIu64 ".%ubpp.bmp", job->save, job->test->name, job->x,
                 image->pixel_bytes * 8) < 0)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    enum kernel_outcome outcome = bmp_write(job, image, path, false);
    free(path);
    return outcome;
}

enum kernel_outcome image_check(struct kernel_job *job)
{
    static enum kernel_outcome (*const checks[])(struct kernel_job *job, unsigned char *rows) = {
        [ENLARGE] = enlarge_check, [SAVE] = save_check,     [LOAD] = load_check,
        [SCROLL] = scroll_check,   [ROTATE] = rotate_check};
    const struct picture *p = job->state;
    struct image whole = image_whole(job);
    unsigned char *rows = calloc(ROWS, whole.stride);
    if (!rows || !p)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    enum kernel_outcome outcome = KERNEL_OK;
    if (job->test->code == ROTATE)
        outcome = picture_keep(job); /* before it is turned back */
    if (outcome == KERNEL_OK)
        outcome = checks[job->test->code](job, rows);
    if (outcome == KERNEL_OK && job->test->code != ROTATE)
        outcome = picture_keep(job);
    free(rows);
    return outcome;
}
