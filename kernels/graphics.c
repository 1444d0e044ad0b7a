/* Frames per second: scenes in three dimensions by OpenGL ES 2, off screen, and in two dimensions by
 * loops of this program on a surface in memory.
 *
 * x is the number of pixels, of a resolution in the table below. Frames are drawn in rounds of a fixed
 * number; each is complete (glFinish) before the next begins, since a renderer may leave out what a
 * later frame would cover. Reading frames back is not part of the time. */
#include "kernels/kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "kernels/graphics_flat.h"
#include "kernels/graphics_scenes.h"
#include "kernels/picture_png.h"

/* Codes of the tests: a scene_kind, with FLAT a flat_kind; VSYNC: waits for a monitor. */
enum { KIND = 15, FLAT = 16, VSYNC = 32 };
enum { FRAMES = SCENE_FRAMES, SHOWN = FRAMES / 3, COLOURS_MAX = 1024 };
_Static_assert((int)SCENE_FRAMES == (int)FLAT_FRAMES, "a round is a round");
static const long refresh_ns = 16666667; /* 60 Hz */

static const struct resolution {
    uint32_t width, height;
    enum kernel_suite from;
} resolutions[] = {{320, 240, SUITE_COUNT},      {640, 480, SUITE_QUICK},
                   {800, 600, SUITE_QUICK},      {1024, 768, SUITE_QUICK},
                   {1280, 720, SUITE_COUNT},     {1280, 1024, SUITE_QUICK},
                   {1920, 1080, SUITE_FULL},     {2560, 1440, SUITE_COUNT},
                   {3840, 2160, SUITE_FULL}};
enum { N_RESOLUTIONS = sizeof resolutions / sizeof resolutions[0] };

/* In job->state. */
struct drawing {
    uint32_t width, height;
    uint32_t *pixels; /* [width * height], of the job's memory */
    struct flat *flat; /* owned; NULL: the rest is there */
    struct gl *gl;
    struct scene *scene;
    int timer;        /* -1: none */
    uint64_t n_drawn; /* frames, by run */
};

static const struct resolution *resolution_of(const struct kernel_job *job)
{
    for (size_t i = 0; i < N_RESOLUTIONS; i++)
        if ((uint64_t)resolutions[i].width * resolutions[i].height == job->x)
            return &resolutions[i];
    return NULL;
}

static bool is_flat(const struct kernel_job *job)
{
    return job->test->code & FLAT;
}

static enum kernel_outcome graphics_needs(struct kernel_job *job)
{
    char reason[GL_REASON_SIZE];
    if (!resolution_of(job)) {
        char list[160] = "";
        for (size_t i = 0, n = 0; i < N_RESOLUTIONS && n < sizeof list; i++)
            n += (size_t)snprintf(list + n, sizeof list - n, " %ux%u,", resolutions[i].width,
                                  resolutions[i].height);
        return kernel_reason(job, KERNEL_UNAVAILABLE,
                             "no resolution has %" PRIu64 " pixels; those known are%.*s", job->x,
                             (int)strlen(list) - 1, list);
    }
    if (!is_flat(job) && !gl_is_there(reason))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%s", reason);
    return KERNEL_OK;
}

static size_t graphics_memory(const struct kernel_job *job)
{
    return (size_t)job->x * sizeof(uint32_t);
}

static enum kernel_outcome flat_setup(struct kernel_job *job, struct drawing *drawing)
{
    drawing->flat = calloc(1, sizeof *drawing->flat);
    if (!drawing->flat)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    drawing->flat->kind = (enum flat_kind)(job->test->code & KIND);
    drawing->flat->width = drawing->width;
    drawing->flat->height = drawing->height;
    drawing->flat->seed = job->seed;
    drawing->flat->pixels = drawing->pixels;
    flat_init(drawing->flat);
    return KERNEL_OK;
}

/* The first frame is drawn here: it makes the renderer compile its shaders. */
static enum kernel_outcome scene_setup(struct kernel_job *job, struct drawing *drawing)
{
    char reason[GL_REASON_SIZE] = "";
    drawing->gl = gl_open(reason);
    if (!drawing->gl ||
        !gl_frame(drawing->gl, (int)drawing->width, (int)drawing->height, reason))
        return kernel_reason(job, KERNEL_UNAVAILABLE, "%s", reason);
    drawing->scene = scene_new(drawing->gl, (enum scene_kind)(job->test->code & KIND), job->seed, reason);
    if (!drawing->scene)
        return kernel_reason(job, KERNEL_FAILED, "%s: %s", gl_renderer(drawing->gl), reason);
    scene_draw(drawing->scene, 0);
    return KERNEL_OK;
}

static enum kernel_outcome graphics_setup(struct kernel_job *job)
{
    struct drawing *drawing = calloc(1, sizeof *drawing);
    if (!drawing)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = drawing;
    drawing->timer = -1;
    drawing->width = resolution_of(job)->width;
    drawing->height = resolution_of(job)->height;
    drawing->pixels = job->memory;
    enum kernel_outcome outcome =
        is_flat(job) ? flat_setup(job, drawing) : scene_setup(job, drawing);
    if (outcome != KERNEL_OK || !(job->test->code & VSYNC))
        return outcome;
    drawing->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    return drawing->timer < 0 ? kernel_reason(job, KERNEL_FAILED, "no timer: %s", strerror(errno))
                              : KERNEL_OK;
}

static void graphics_teardown(struct kernel_job *job)
{
    struct drawing *drawing = job->state;
    if (!drawing)
        return;
    if (drawing->timer >= 0)
        close(drawing->timer);
    scene_free(drawing->scene);
    gl_close(drawing->gl);
    free(drawing->flat);
    free(drawing);
    job->state = NULL;
}

static void frame_draw(struct drawing *drawing, unsigned frame)
{
    if (drawing->flat)
        flat_draw(drawing->flat, frame);
    else
        scene_draw(drawing->scene, frame);
}

/* The first tick is one interval from now. */
static bool timer_start(const struct drawing *drawing)
{
    const struct itimerspec every = {.it_interval = {.tv_nsec = refresh_ns},
                                     .it_value = {.tv_nsec = refresh_ns}};
    return timerfd_settime(drawing->timer, 0, &every, NULL) == 0;
}

/* Until the next tick: one that passed while the frame was drawn shows nothing new, as on a monitor. */
static bool timer_wait(const struct drawing *drawing)
{
    uint64_t n_ticks;
    struct pollfd passed = {.fd = drawing->timer, .events = POLLIN};
    if (poll(&passed, 1, 0) > 0 && read(drawing->timer, &n_ticks, sizeof n_ticks) < 0)
        return false;
    ssize_t n;
    do
        n = read(drawing->timer, &n_ticks, sizeof n_ticks);
    while (n < 0 && errno == EINTR);
    return n == sizeof n_ticks;
}

static enum kernel_outcome graphics_run(struct kernel_job *job, uint64_t iterations)
{
    struct drawing *drawing = job->state;
    if (drawing->timer >= 0 && !timer_start(drawing))
        return kernel_reason(job, KERNEL_FAILED, "the timer: %s", strerror(errno));
    for (uint64_t i = 0; i < iterations; i++) {
        for (unsigned frame = 0; frame < FRAMES; frame++) {
            frame_draw(drawing, frame);
            KERNEL_BARRIER();
            drawing->n_drawn++;
            if (drawing->timer >= 0 && !timer_wait(drawing))
                return kernel_reason(job, KERNEL_FAILED, "the timer: %s", strerror(errno));
        }
    }
    return KERNEL_OK;
}

/* ---- the checks */

/* Into drawing->pixels, where a flat one is already. */
static void frame_read(struct drawing *drawing)
{
    if (!drawing->flat)
        gl_frame_read(drawing->gl, drawing->pixels);
}

/* FNV-1a over words (Fowler, Noll, Vo; RFC 9923 has it over bytes). */
static uint64_t frame_hash(const struct drawing *drawing)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < (size_t)drawing->width * drawing->height; i++)
        hash = (hash ^ drawing->pixels[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Different colours, or `most` if there are more; most <= COLOURS_MAX / 2. */
static unsigned colours_count(const struct drawing *drawing, unsigned most)
{
    uint32_t seen[COLOURS_MAX] = {0}; /* no pixel is 0 */
    unsigned n = 0;
    for (size_t i = 0; i < (size_t)drawing->width * drawing->height && n < most; i++) {
        uint32_t pixel = drawing->pixels[i], at = pixel * 2654435761u >> 22;
        while (seen[at] != 0 && seen[at] != pixel)
            at = (at + 1) % COLOURS_MAX;
        n += seen[at] == 0;
        seen[at] = pixel;
    }
    return n;
}

/* What every frame of a scene must be. */
static enum kernel_outcome scene_check(struct kernel_job *job)
{
    const struct drawing *drawing = job->state;
    enum scene_kind kind = (enum scene_kind)(job->test->code & KIND);
    const struct scene_facts *facts = &scene_facts[kind];
    size_t n = (size_t)drawing->width * drawing->height, n_covered = 0;
    unsigned error = drawing->gl->GetError();
    if (error)
        return kernel_reason(job, KERNEL_FAILED, "OpenGL reports error 0x%04x", error);
    if (scene_triangles(drawing->scene) != facts->n_triangles ||
        scene_lines(drawing->scene) != facts->n_lines)
        return kernel_reason(job, KERNEL_WRONG,
                             "%u triangles and %u lines were drawn, not %u and %u",
                             scene_triangles(drawing->scene), scene_lines(drawing->scene),
                             facts->n_triangles, facts->n_lines);
    for (size_t i = 0; i < n; i++)
        n_covered += drawing->pixels[i] != scene_background[kind];
    double covered = (double)n_covered / (double)n;
    unsigned n_colours = colours_count(drawing, facts->n_colours);
    if (covered < facts->covered_least || covered > facts->covered_most ||
        n_colours < facts->n_colours)
        return kernel_reason(job, KERNEL_WRONG,
                             "the frame is not the scene: %.1f %% of it are drawn on, in %u colours",
                             covered * 100, n_colours);
    return KERNEL_OK;
}

static enum kernel_outcome flat_check(struct kernel_job *job)
{
    const struct drawing *drawing = job->state;
    uint32_t *right = calloc(drawing->width, sizeof *right);
    enum kernel_outcome outcome =
        right ? KERNEL_OK : kernel_reason(job, KERNEL_FAILED, "out of memory");
    for (size_t y = 0; y < drawing->height && outcome == KERNEL_OK; y++) {
        const uint32_t *found = drawing->pixels + y * drawing->width;
        flat_row(drawing->flat, FRAMES - 1, y, right);
        for (size_t x = 0; x < drawing->width && outcome == KERNEL_OK; x++)
            if (found[x] != right[x])
                outcome = kernel_reason(job, KERNEL_WRONG,
                                        "pixel %zu of row %zu: expected %08" PRIx32
                                        ", found %08" PRIx32,
                                        x, y, right[x], found[x]);
    }
    free(right);
    return outcome;
}

/* Drawn again, a frame is the same, and another one is not. */
static enum kernel_outcome stability_check(struct kernel_job *job, uint64_t last)
{
    struct drawing *drawing = job->state;
    frame_draw(drawing, 0);
    frame_read(drawing);
    uint64_t first = frame_hash(drawing);
    if (first == last)
        return kernel_reason(job, KERNEL_WRONG, "the first and the last frame are the same");
    frame_draw(drawing, FRAMES - 1);
    frame_read(drawing);
    uint64_t again = frame_hash(drawing);
    if (again != last)
        return kernel_reason(job, KERNEL_WRONG,
                             "the last frame has hash %016" PRIx64 ", drawn again %016" PRIx64, last,
                             again);
    return KERNEL_OK;
}

/* For a person, where --set=save asks for it. */
static enum kernel_outcome frame_keep(struct kernel_job *job)
{
    struct drawing *drawing = job->state;
    char *path;
    if (!job->save[0])
        return KERNEL_OK;
    if (asprintf(&path, "%s/graphics.%s.%ux%u.png", job->save, job->test->name,
                 (unsigned)drawing->width, (unsigned)drawing->height) < 0)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    frame_draw(drawing, SHOWN);
    frame_read(drawing);
    enum kernel_outcome outcome =
        png_write(job, path, drawing->pixels, drawing->width, drawing->height);
    free(path);
    return outcome;
}

static enum kernel_outcome graphics_check(struct kernel_job *job)
{
    struct drawing *drawing = job->state;
    if (drawing->n_drawn != job->n_iterations * FRAMES || drawing->n_drawn == 0)
        return kernel_reason(job, KERNEL_WRONG, "drew %" PRIu64 " frames of %" PRIu64,
                             drawing->n_drawn, job->n_iterations * FRAMES);
    frame_read(drawing);
    uint64_t last = frame_hash(drawing);
    enum kernel_outcome outcome = is_flat(job) ? flat_check(job) : scene_check(job);
    if (outcome == KERNEL_OK)
        outcome = stability_check(job, last);
    return outcome == KERNEL_OK ? frame_keep(job) : outcome;
}

static void graphics_facts(kernel_tell_fn *tell, void *context)
{
    char reason[GL_REASON_SIZE] = "", why[GL_REASON_SIZE + 16];
    struct gl *gl = gl_is_there(reason) ? gl_open(reason) : NULL;
    snprintf(why, sizeof why, "absent: %s", reason);
    const char *renderer = gl ? gl_renderer(gl) : NULL;
    tell(context, "renderer", renderer, why);
    tell(context, "driver", gl ? gl_version(gl) : NULL, why);
    tell(context, "vendor", gl ? gl_vendor(gl) : NULL, why);
    tell(context, "kind", !renderer ? NULL : gl_is_software(renderer) ? "software" : "hardware", why);
    gl_close(gl);
}

static void graphics_work(const struct kernel_job *job, struct kernel_work *work)
{
    (void)job;
    work->steps = FRAMES;
}

static size_t graphics_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                             size_t capacity)
{
    (void)host;
    size_t n = 0;
    for (size_t i = 0; i < N_RESOLUTIONS && n < capacity; i++)
        if (resolutions[i].from <= suite)
            out[n++] = (uint64_t)resolutions[i].width * resolutions[i].height;
    return n;
}

/* One in the quick suite: a context takes a third of a second. */
static size_t wire_egg_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                             size_t capacity)
{
    return graphics_sizes(host, suite, out, suite == SUITE_QUICK && capacity > 1 ? 1 : capacity);
}

static const struct kernel_metric metrics[] = {{"rate", QUANTITY_FRAME_RATE}, {0}};

static const struct kernel_test tests[] = {
    {.name = "shaded_egg", .summary = "an egg of 12,288 triangles, lit, tumbling",
     .from = SUITE_STANDARD, .metrics = metrics, .code = SCENE_SHADED_EGG, .run = graphics_run},
    {.name = "wire_egg", .summary = "an egg of 3,152 lines", .metrics = metrics,
     .code = SCENE_WIRE_EGG, .sizes = wire_egg_sizes, .run = graphics_run},
    {.name = "wire_egg_vsync", .summary = "the same, each frame waiting for the next 1/60 s",
     .from = SUITE_STANDARD, .metrics = metrics, .code = SCENE_WIRE_EGG | VSYNC,
     .run = graphics_run},
    {.name = "cubes_500", .summary = "500 cubes, each drawn and turning by itself",
     .from = SUITE_STANDARD, .metrics = metrics, .code = SCENE_CUBES_500, .run = graphics_run},
    {.name = "texture_tunnel", .summary = "through a tunnel of bricks, in fog", .from = SUITE_STANDARD,
     .metrics = metrics, .code = SCENE_TEXTURE_TUNNEL, .run = graphics_run},
    {.name = "colour_objects",
     .summary = "60 balls, cones, rings, cubes and eggs of 37,776 triangles", .from = SUITE_STANDARD,
     .metrics = metrics, .code = SCENE_COLOUR_OBJECTS, .run = graphics_run},
    {.name = "texture_objects", .summary = "the same with four textures of 256 x 256",
     .from = SUITE_STANDARD, .metrics = metrics, .code = SCENE_TEXTURE_OBJECTS, .run = graphics_run},
    {.name = "pixel_shader2", .summary = "bands, ridges and highlights computed for every pixel",
     .from = SUITE_STANDARD, .metrics = metrics, .code = SCENE_PIXEL_SHADER, .run = graphics_run},
    {.name = "vertex_shader2", .summary = "waves of 80,000 triangles, computed for every vertex",
     .from = SUITE_STANDARD, .metrics = metrics, .code = SCENE_VERTEX_SHADER, .run = graphics_run},
    {.name = "fills", .summary = "in memory: 200 rectangles of one colour each", .metrics = metrics,
     .code = FLAT | FLAT_FILLS, .run = graphics_run},
    {.name = "blits", .summary = "in memory: tiles, and 100 sprites that are not rectangles",
     .from = SUITE_STANDARD, .metrics = metrics, .code = FLAT | FLAT_BLITS, .run = graphics_run},
    {.name = "scaling", .summary = "in memory: a picture enlarged, each pixel mixed from four",
     .from = SUITE_STANDARD, .metrics = metrics, .code = FLAT | FLAT_SCALING, .run = graphics_run},
    {.name = "text", .summary = "in memory: lines of letters of 5 x 7 dots", .from = SUITE_STANDARD,
     .metrics = metrics, .code = FLAT | FLAT_TEXT, .run = graphics_run},
    {0}};

const struct kernel kernel_graphics = {
    .name = "graphics",
    .summary = "Frames per second off screen: the scenes of the DirectX 9 benchmark with OpenGL ES 2, "
               "by what the fact graphics.renderer names, and two-dimensional ones in memory. x is "
               "the number of pixels",
    .source = "Longbottom, DirectX 9 benchmark, DirectDraw and VideoWin (64-bit Vista report, 2007)",
    .needs_text = "scenes in three dimensions: libEGL.so.1 and libGLESv2.so.2 with a driver, found at "
                  "run time by a program that is not linked statically; no display",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD | KERNEL_UNPINNED,
    .tests = tests,
    .x_unit = "1",
    .sizes = graphics_sizes,
    .cost = {.seconds = {0, 0.2, 0.4}},
    .work = graphics_work,
    .needs = graphics_needs,
    .memory = graphics_memory,
    .setup = graphics_setup,
    .check = graphics_check,
    .teardown = graphics_teardown,
    .facts = graphics_facts,
};
