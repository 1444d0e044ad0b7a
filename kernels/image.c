/* Images growing from half a mebibyte: enlarged with a blur, saved, loaded, scrolled, rotated.
 *
 * x is the size of an image; width and height are multiples of 4 nearly as 4 to 3, so that it has
 * about as many bytes. Which weights BMPSpeed blurs with, and how it enlarges, its documents do not
 * say: here the number of rows is doubled, so that each size is made from the one before, and a pixel
 * is added to its neighbours and divided. What is displayed is written into memory.
 *
 * Everything comes from the seed, and is compared with what is made from it once more. */
#include "kernels/image_edit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/disk_file.h"
#include "kernels/process_memory.h"

enum { ENLARGE, SAVE, LOAD, SCROLL, ROTATE }; /* codes of the tests */
enum { ROWS = 64 };                            /* that are made again at a time */
static const uint64_t MIB = 1024 * 1024;

/* In job->state; `to` comes first: tests flip a byte there. */
struct picture {
    struct image to;   /* what run makes; its bytes are owned, mapped, like those of from */
    struct image from;
    size_t to_room, from_room; /* bytes mapped */
    uint64_t done;             /* rotations, screens */
    bool is_stretched;
    char *path; /* of the file; owned */
    bool can_look;
    struct process_memory before;
};

static unsigned pixel_bytes_of(const struct kernel_job *job)
{
    return strcmp(kernel_setting(job, "bpp"), "32") == 0 ? 4 : 3;
}

static struct image whole_of(const struct kernel_job *job)
{
    return image_fit(job->x, pixel_bytes_of(job));
}

/* The screen, or as much of it as the image fills. */
static struct image window_of(const struct kernel_job *job, const struct image *whole)
{
    const char *resolution = kernel_setting(job, "resolution");
    char *end = NULL;
    size_t width = strtoul(resolution, &end, 10), height = strtoul(end + 1, NULL, 10);
    bool is_stretched = strcmp(kernel_setting(job, "display"), "stretch") == 0;
    return image_shape(width < whole->width ? width : whole->width,
                       height < whole->height ? height : whole->height,
                       is_stretched ? 4 : whole->pixel_bytes);
}

/* What is made and what it is made from. */
static void shapes_of(const struct kernel_job *job, struct image *from, struct image *to)
{
    const struct image whole = whole_of(job);
    *from = *to = whole;
    switch (job->test->code) {
    case ENLARGE:
        from->height /= 2;
        break;
    case SAVE:
        *to = image_shape(0, 0, whole.pixel_bytes);
        break;
    case LOAD:
        *to = image_shape(whole.width, whole.height, 4);
        break;
    case SCROLL:
        *to = window_of(job, &whole);
        break;
    default:
        *to = image_shape(whole.height, whole.width, whole.pixel_bytes);
    }
}

static enum kernel_outcome image_needs(struct kernel_job *job)
{
    struct image from, to;
    if (job->x > SIZE_MAX / 4)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "%" PRIu64 " MiB are more than this program can address", job->x / MIB);
    if (whole_of(job).width == 0)
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%" PRIu64 " B are less than 4 x 4 pixels",
                             job->x);
    shapes_of(job, &from, &to);
    uint64_t bytes = (uint64_t)image_bytes(&from) + image_bytes(&to);
    uint64_t available = job->host->available_bytes - job->host->available_bytes / 16;
    if (available > 0 && bytes > available)
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "an image of %" PRIu64 " MiB takes %" PRIu64 " MiB of memory in this "
                             "test, %" PRIu64 " MiB may be used",
                             job->x / MIB, bytes / MIB, available / MIB);
    bool has_file = job->test->code == SAVE || job->test->code == LOAD;
    return has_file ? disk_room(job, image_bytes(&from) + BMP_HEADER_BYTES) : KERNEL_OK;
}

/* Touched, so that the first call does not fault. */
static bool room_map(struct image *image, size_t *room)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *room = image_bytes(image);
    if (*room == 0)
        return true;
    void *map = mmap(NULL, *room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    image->bytes = map;
    for (size_t at = 0; at < *room; at += page)
        ((volatile unsigned char *)image->bytes)[at] = 0;
    return true;
}

static enum kernel_outcome image_setup(struct kernel_job *job)
{
    struct picture *p = calloc(1, sizeof *p);
    if (!p)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = p;
    p->can_look = process_memory_look(&p->before);
    shapes_of(job, &p->from, &p->to);
    if (!room_map(&p->from, &p->from_room) || !room_map(&p->to, &p->to_room))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "cannot allocate %" PRIu64 " MiB",
                             ((uint64_t)image_bytes(&p->from) + image_bytes(&p->to)) / MIB);
    image_make(&p->from, job->seed);
    if (job->test->code == SCROLL)
        p->is_stretched = strcmp(kernel_setting(job, "display"), "stretch") == 0;
    if (job->test->code != SAVE && job->test->code != LOAD)
        return KERNEL_OK;
    if (asprintf(&p->path, "%s/image.bmp", job->folder) < 0)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    if (job->test->code == SAVE)
        return KERNEL_OK;
    enum kernel_outcome outcome = bmp_write(job, &p->from, p->path, true);
    memset(p->from.bytes, 0, image_bytes(&p->from));
    return outcome;
}

static void image_teardown(struct kernel_job *job)
{
    struct picture *p = job->state;
    if (!p)
        return;
    if (p->from.bytes)
        munmap(p->from.bytes, p->from_room);
    if (p->to.bytes)
        munmap(p->to.bytes, p->to_room);
    if (p->path)
        unlink(p->path);
    free(p->path);
    free(p);
    job->state = NULL;
}

/* ---- the five tests */

static void memory_report(struct kernel_job *job, const struct process_memory *start)
{
    const struct picture *p = job->state;
    struct process_memory now;
    if (!p->can_look || !process_memory_look(&now))
        return;
    kernel_report(job, "memory", (double)now.resident_bytes);
    kernel_report(job, "memory_virtual", (double)now.virtual_bytes);
    kernel_report(job, "available_before", (double)p->before.available_bytes);
    kernel_report(job, "available_after", (double)now.available_bytes);
    kernel_report(job, "faults_major", (double)(now.faults_major - start->faults_major));
    kernel_report(job, "faults_minor", (double)(now.faults_minor - start->faults_minor));
}

/* What is rotated next is what was made last. */
static void rotate_again(struct picture *p)
{
    if (p->done > 0) {
        struct image made = p->to;
        size_t room = p->to_room;
        p->to = p->from;
        p->to_room = p->from_room;
        p->from = made;
        p->from_room = room;
    }
    struct image shape = image_shape(p->from.height, p->from.width, p->from.pixel_bytes);
    shape.bytes = p->to.bytes;
    p->to = shape;
    image_rotate(&p->from, &p->to);
    p->done++;
}

static void scroll_on(struct picture *p)
{
    struct image_place place = image_scroll(&p->from, &p->to, p->done++);
    if (p->is_stretched)
        image_stretch(&p->from, place, &p->to);
    else
        image_blit(&p->from, place, &p->to);
}

static enum kernel_outcome one_do(struct kernel_job *job)
{
    struct picture *p = job->state;
    switch (job->test->code) {
    case ENLARGE:
        image_enlarge(&p->from, &p->to);
        return KERNEL_OK;
    case SAVE:
        return bmp_write(job, &p->from, p->path, strcmp(kernel_setting(job, "sync"), "yes") == 0);
    case LOAD: {
        enum kernel_outcome outcome = bmp_read(job, &p->from, p->path);
        if (outcome != KERNEL_OK)
            return outcome;
        /* The lowest row of the file is the last of the screen. */
        uint32_t *screen = (uint32_t *)(void *)p->to.bytes;
        bmp_format(&p->from, screen);
        return KERNEL_OK;
    }
    case SCROLL:
        scroll_on(p);
        return KERNEL_OK;
    default:
        rotate_again(p);
        return KERNEL_OK;
    }
}

static enum kernel_outcome image_run(struct kernel_job *job, uint64_t iterations)
{
    struct picture *p = job->state;
    struct process_memory start = {0};
    p->can_look = p->can_look && process_memory_look(&start);
    for (uint64_t i = 0; i < iterations; i++) {
        enum kernel_outcome outcome = one_do(job);
        if (outcome != KERNEL_OK)
            return outcome;
        KERNEL_BARRIER();
    }
    memory_report(job, &start);
    return KERNEL_OK;
}

/* ---- the checks: by pixel, from rows that are made again */

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
    const struct image whole = whole_of(job);
    if (p->done != job->n_iterations)
        return kernel_reason(job, KERNEL_WRONG, "rotated %" PRIu64 " times of %" PRIu64, p->done,
                             job->n_iterations);
    enum kernel_outcome outcome = turned_check(job, &whole, row);
    if (outcome != KERNEL_OK || image_bytes(&whole) > 64 * MIB)
        return outcome;
    do
        rotate_again(p);
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

static enum kernel_outcome image_check(struct kernel_job *job)
{
    static enum kernel_outcome (*const checks[])(struct kernel_job *job, unsigned char *rows) = {
        [ENLARGE] = enlarge_check, [SAVE] = save_check,     [LOAD] = load_check,
        [SCROLL] = scroll_check,   [ROTATE] = rotate_check};
    const struct picture *p = job->state;
    struct image whole = whole_of(job);
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

/* What is displayed, or made, counts once, as the historical program counts. */
static void image_work(const struct kernel_job *job, struct kernel_work *work)
{
    struct image from, to;
    shapes_of(job, &from, &to);
    work->bytes_written = (double)image_bytes(job->test->code == SAVE ? &from : &to);
}

static size_t image_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                          size_t capacity)
{
    (void)host; /* sizes that do not fit in its memory say so, in a row each */
    static const uint64_t last[SUITE_COUNT] = {4, 64, 512};
    size_t n = 0;
    for (uint64_t size = suite == SUITE_QUICK ? 4 * MIB : MIB / 2;
         size <= last[suite] * MIB && n < capacity; size *= 2)
        out[n++] = size;
    return n;
}

#define MEMORY_METRICS                                                                             \
    {"memory", QUANTITY_BYTES}, {"memory_virtual", QUANTITY_BYTES},                                \
        {"available_before", QUANTITY_BYTES}, {"available_after", QUANTITY_BYTES},                 \
        {"faults_major", QUANTITY_COUNT}, {"faults_minor", QUANTITY_COUNT},                        \
    {                                                                                              \
        0                                                                                          \
    }
static const struct kernel_metric time_metrics[] = {{"time", QUANTITY_TIME}, MEMORY_METRICS};
static const struct kernel_metric scroll_metrics[] = {
    {"rate", QUANTITY_BYTE_RATE}, {"time", QUANTITY_TIME}, MEMORY_METRICS};

static const struct kernel_setting bpp_setting = {
    .key = "bpp",
    .help = "bits of a pixel: 24 as in the file of a photograph, 32 as a screen has them, a third more",
    .type = SETTING_WORD,
    .values = {"24", "24,32", "24,32"},
    .allowed = "24,32"};
static const struct kernel_setting resolution_setting = {
    .key = "resolution",
    .help = "of the screen; an image that is smaller fills a part of it",
    .type = SETTING_WORD,
    .values = {"640x480", "640x480,1024x768,1920x1080",
               "640x480,800x600,1024x768,1280x1024,1920x1080"},
    .allowed = "640x480,800x600,1024x768,1280x1024,1920x1080"};
static const struct kernel_setting display_setting = {
    .key = "display",
    .help = "bitblt: rows are copied as they are; stretch: each pixel goes through a scale, of 1, and "
            "is given the format of the screen",
    .type = SETTING_WORD,
    .values = {"bitblt", "bitblt,stretch", "bitblt,stretch"},
    .allowed = "bitblt,stretch"};
static const struct kernel_setting sync_setting = {
    .key = "sync",
    .help = "yes: until the device has the file; no: until the system has it",
    .type = SETTING_WORD,
    .values = {"no", "no,yes", "no,yes"},
    .allowed = "no,yes"};
static const struct kernel_setting *const settings[] = {&bpp_setting, NULL};
static const struct kernel_setting *const save_settings[] = {&bpp_setting, &sync_setting, NULL};
static const struct kernel_setting *const scroll_settings[] = {&bpp_setting, &resolution_setting,
                                                               &display_setting, NULL};

static const struct kernel_test tests[] = {
    {.name = "enlarge", .summary = "makes the image from one of half as many rows, blurring both ways",
     .metrics = time_metrics, .settings = settings, .code = ENLARGE, .run = image_run},
    {.name = "save", .summary = "writes it to disk as BMP", .metrics = time_metrics,
     .settings = save_settings, .code = SAVE, .run = image_run},
    {.name = "load", .summary = "reads the BMP, as a rule from the page cache, and gives its pixels the "
                                "format of a screen",
     .metrics = time_metrics, .settings = settings, .code = LOAD, .run = image_run},
    {.name = "scroll", .summary = "copies the part that a screen shows, 16 rows on each time: bytes of "
                                  "the screen per time, and time of a screen",
     .metrics = scroll_metrics, .settings = scroll_settings, .code = SCROLL, .run = image_run},
    {.name = "rotate", .summary = "makes another copy, turned by 90 degrees", .metrics = time_metrics,
     .settings = settings, .code = ROTATE, .run = image_run},
    {0}};

const struct kernel kernel_image = {
    .name = "image",
    .summary = "Editing, saving and showing images by their size, with the memory that takes: in use, "
               "available before and after, page faults of the sample",
    .source = "Longbottom, BMPSpeed Benchmark (paging pages, 2007)",
    .needs_text = "memory for up to 7/3 of the largest image; save and load: disk space for one",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD | KERNEL_WANTS_FOLDER,
    .tests = tests,
    .x_unit = "B",
    .sizes = image_sizes,
    .work = image_work,
    .needs = image_needs,
    .setup = image_setup,
    .check = image_check,
    .teardown = image_teardown,
};
