/* Images growing from half a mebibyte: enlarged with a blur, saved, loaded, scrolled, rotated.
 *
 * x is the size of an image at 24 bits a pixel; at 32 it has as many pixels, and a third more bytes.
 * Width and height are multiples of 4 nearly as 4 to 3, so that it has about as many bytes. Which
 * weights BMPSpeed blurs with, and how it enlarges, its documents do not say: here the number of rows
 * is doubled, so that each size is made from the one before, and a pixel is added to its neighbours and
 * divided. What is displayed is written into memory.
 *
 * Everything comes from the seed, and is compared with what is made from it once more. */
#include "kernels/image_picture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/disk_file.h"

static const uint64_t MIB = 1024 * 1024;

static unsigned pixel_bytes_of(const struct kernel_job *job)
{
    return strcmp(kernel_setting(job, "bpp"), "32") == 0 ? 4 : 3;
}

struct image image_whole(const struct kernel_job *job)
{
    const struct image image = image_fit(job->x, 3);
    return image_shape(image.width, image.height, pixel_bytes_of(job));
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
    const struct image whole = image_whole(job);
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
    if (image_whole(job).width == 0)
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

void image_turn(struct picture *p)
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
        image_turn(p);
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
         size <= last[suite] * MIB && n < capacity; size *= suite == SUITE_FULL ? 2 : 4)
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
    .help = "bits of a pixel: 24, as x counts them, or 32 as a screen has them: as many pixels, a third "
            "more memory",
    .type = SETTING_WORD,
    .values = {"24", "24,32", "24,32"},
    .allowed = "24,32"};
static const struct kernel_setting resolution_setting = {
    .key = "resolution",
    .help = "of the screen; an image that is smaller fills a part of it",
    .type = SETTING_WORD,
    .values = {"640x480", "640x480,1920x1080",
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
    .summary = "Editing, saving and showing images by their size at 24 bits a pixel, with the memory "
               "that takes: in use, available before and after, page faults of the sample",
    .source = "Longbottom, BMPSpeed Benchmark (paging pages, 2007)",
    .needs_text = "memory for up to 8/3 of the largest image; save and load: disk space for one",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD | KERNEL_WANTS_FOLDER,
    .tests = tests,
    .x_unit = "B",
    .sizes = image_sizes,
    .cost = {.seconds = {0.03, 0.3, 1}},
    .work = image_work,
    .needs = image_needs,
    .setup = image_setup,
    .check = image_check,
    .teardown = image_teardown,
};
