/* Pictures as files, surfaces and scenes. What needs a renderer is done in a child process, since
 * drivers leave memory behind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>
#include <zlib.h>

#include "kernels/graphics_flat.h"
#include "kernels/graphics_mesh.h"
#include "kernels/graphics_scenes.h"
#include "kernels/graphics_texture.h"
#include "kernels/picture_png.h"
#include "tests/unit/folder.h"

enum { WIDTH = 320, HEIGHT = 240, PIXELS = WIDTH * HEIGHT };
extern const struct kernel kernel_graphics;

/* ---- PNG */

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The content of the chunk at *at, which moves behind it; its checksum is right. */
static const unsigned char *chunk_next(const unsigned char **at, const char *name, uint32_t size)
{
    const unsigned char *chunk = *at;
    assert_int_equal(number_at(chunk), size);
    assert_memory_equal(chunk + 4, name, 4);
    assert_int_equal(number_at(chunk + 8 + size), crc32(0, chunk + 4, size + 4));
    *at = chunk + 12 + size;
    return chunk + 8;
}

static void a_picture_is_a_png_that_zlib_unpacks(void **state)
{
    (void)state;
    static const uint32_t pixels[] = {0xff010203, 0xfffefdfc, 0xff000000,
                                      0xffffffff, 0xff808182, 0xff7f7e7d};
    static const unsigned char right[] = {0, 1,   2,   3,   254, 253, 252, 0,   0,   0,
                                          0, 255, 255, 255, 128, 129, 130, 127, 126, 125};
    enum { PACKED = 2 + 2 * (5 + 10) + 4, SIZE = 8 + 12 + 13 + 12 + PACKED + 12 };
    struct folder folder;
    struct kernel_job job = {0};
    unsigned char bytes[SIZE + 1], unpacked[64];
    folder_make(&folder);
    assert_int_equal(png_write(&job, folder_file(&folder, "a.png"), pixels, 3, 2), KERNEL_OK);
    FILE *file = fopen(folder.file, "rb");
    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), SIZE);
    fclose(file);
    static const unsigned char signature[] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
    static const unsigned char header[] = {0, 0, 0, 3, 0, 0, 0, 2, 8, 2, 0, 0, 0};
    assert_memory_equal(bytes, signature, 8);
    const unsigned char *at = bytes + 8;
    assert_memory_equal(chunk_next(&at, "IHDR", 13), header, 13);
    const unsigned char *packed = chunk_next(&at, "IDAT", PACKED);
    uLongf size = sizeof unpacked;
    assert_int_equal(uncompress(unpacked, &size, packed, PACKED), Z_OK);
    assert_int_equal(size, sizeof right);
    assert_memory_equal(unpacked, right, sizeof right);
    chunk_next(&at, "IEND", 0);
    assert_ptr_equal(at, bytes + SIZE);
    folder_remove(&folder);
}

static void a_picture_that_cannot_be_saved_does_not_name_its_path(void **state)
{
    (void)state;
    static const uint32_t pixel = 0;
    struct kernel_job job = {0};
    assert_int_equal(png_write(&job, "/nowhere/a.png", &pixel, 1, 1), KERNEL_FAILED);
    assert_null(strstr(job.reason, "nowhere"));
    assert_int_equal(png_write(&job, "/nowhere/a.png", &pixel, 30000, 1), KERNEL_FAILED);
}

/* ---- surfaces in two dimensions */

static void every_pixel_of_a_flat_scene_is_what_it_must_be(void **state)
{
    (void)state;
    static uint32_t pixels[203 * 131];
    static struct flat flat;
    for (int kind = FLAT_FILLS; kind <= FLAT_TEXT; kind++) {
        flat = (struct flat){
            .kind = (enum flat_kind)kind, .width = 203, .height = 131, .seed = 11, .pixels = pixels};
        flat_init(&flat);
        for (unsigned frame = 0; frame < FLAT_FRAMES; frame += 3) {
            memset(pixels, 0, sizeof pixels);
            flat_draw(&flat, frame);
            for (size_t y = 0; y < 131; y++) {
                uint32_t right[203];
                flat_row(&flat, frame, y, right);
                if (memcmp(pixels + y * 203, right, sizeof right) != 0)
                    fail_msg("scene %d, frame %u, row %zu", kind, frame, y);
            }
        }
    }
}

/* Of the letter P of PACK, which begins the text of a seed that moves it by 0. */
static void letters_are_drawn_in_dots_of_four_pixels(void **state)
{
    (void)state;
    static const char *const right[] = {"####....", "#...#...", "#...#...", "####....",
                                        "#.......", "#.......", "#.......", "........"};
    static uint32_t pixels[64 * 16];
    static struct flat flat;
    flat = (struct flat){.kind = FLAT_TEXT, .width = 64, .height = 16, .pixels = pixels};
    flat_init(&flat);
    flat_draw(&flat, 0);
    for (size_t y = 0; y < 16; y++)
        for (size_t x = 0; x < 10; x++)
            assert_int_equal(pixels[y * 64 + x] != 0xff101830, right[y / 2][x / 2] == '#');
}

/* ---- bodies */

/* Of unit length, and outwards: away from the axis or the middle of the tube. */
static void normals_are_of_length_one_and_point_outwards(void **state)
{
    (void)state;
    mesh_surface *const surfaces[] = {mesh_egg, mesh_ball, mesh_cone, mesh_ring};
    for (size_t s = 0; s < 4; s++) {
        for (float u = 0.013f; u < 1; u += 0.05f) {
            for (float v = 0; v < 1; v += 0.07f) {
                struct vertex p, du, dv;
                surfaces[s](u, v, &p);
                surfaces[s](u + 0.001f, v, &du);
                surfaces[s](u, v + 0.001f, &dv);
                float length = 0, along_u = 0, along_v = 0, outwards = 0;
                float radius = hypotf(p.position[0], p.position[2]);
                for (size_t k = 0; k < 3; k++) {
                    float middle = s == 3 && k != 1 ? p.position[k] / radius * 0.7f : 0;
                    length += p.normal[k] * p.normal[k];
                    along_u += p.normal[k] * (du.position[k] - p.position[k]);
                    along_v += p.normal[k] * (dv.position[k] - p.position[k]);
                    outwards += p.normal[k] * (p.position[k] - middle);
                }
                assert_true(fabsf(length - 1) < 1e-4f);
                assert_true(fabsf(along_u) < 1e-4f && fabsf(along_v) < 1e-4f);
                assert_true(outwards > 0);
            }
        }
    }
}

static void meshes_have_as_many_triangles_and_lines_as_their_grids(void **state)
{
    (void)state;
    struct mesh mesh;
    assert_true(mesh_make(&mesh, mesh_ball, 3, 5));
    assert_int_equal(mesh.n_vertices, 4 * 6);
    assert_int_equal(mesh.n_indices, 3 * 5 * 2 * 3);
    for (size_t i = 0; i < mesh.n_indices; i++)
        assert_true(mesh.indices[i] < mesh.n_vertices);
    mesh_free(&mesh);
    assert_true(mesh_make_lines(&mesh, mesh_ball, 3, 5));
    assert_int_equal(mesh.n_indices, (4 * 5 + 3 * 6) * 2);
    mesh_free(&mesh);
    assert_true(mesh_make_cube(&mesh));
    assert_int_equal(mesh.n_indices, 36);
    for (size_t i = 0; i < 24; i++)
        for (size_t k = 0; k < 3; k++)
            assert_true(fabsf(mesh.vertices[i].position[k]) == 1);
    mesh_free(&mesh);
    assert_false(mesh_make(&mesh, mesh_ball, 256, 5));
}

static void matrix_apply(const struct matrix *m, const float in[4], float out[4])
{
    for (size_t row = 0; row < 4; row++) {
        out[row] = 0;
        for (size_t k = 0; k < 4; k++)
            out[row] += m->m[k * 4 + row] * in[k];
    }
}

static void matrices_move_turn_and_show(void **state)
{
    (void)state;
    struct matrix move = matrix_move(1, 2, 3), turn = matrix_turn(1.57079633f, 0, 0, 1);
    struct matrix both = matrix_multiply(&move, &turn); /* turned first */
    struct matrix view = matrix_perspective(1.57079633f, 2, 1, 10);
    const float x[4] = {1, 0, 0, 1}, near[4] = {2, 1, -1, 1}, far[4] = {0, 0, -10, 1};
    float out[4];
    matrix_apply(&both, x, out);
    assert_true(fabsf(out[0] - 1) < 1e-5f && fabsf(out[1] - 3) < 1e-5f && fabsf(out[2] - 3) < 1e-5f);
    matrix_apply(&view, near, out); /* the upper right corner */
    assert_true(fabsf(out[0] / out[3] - 1) < 1e-5f && fabsf(out[1] / out[3] - 1) < 1e-5f);
    assert_true(fabsf(out[2] / out[3] + 1) < 1e-5f);
    matrix_apply(&view, far, out);
    assert_true(fabsf(out[2] / out[3] - 1) < 1e-5f);
}

static void textures_are_opaque_and_differ(void **state)
{
    (void)state;
    static uint32_t texels[TEXTURE_COUNT][TEXTURE_SIZE * TEXTURE_SIZE];
    for (int t = 0; t < TEXTURE_COUNT; t++) {
        texture_make((enum texture)t, 4, texels[t]);
        for (size_t i = 0; i < TEXTURE_SIZE * TEXTURE_SIZE; i++)
            assert_int_equal(texels[t][i] >> 24, 255);
        assert_true(t == 0 || memcmp(texels[t], texels[t - 1], sizeof texels[t]) != 0);
    }
}

static void programs_that_draw_are_known_by_name(void **state)
{
    (void)state;
    assert_true(gl_is_software("llvmpipe (LLVM 15.0.6, 256 bits)"));
    assert_true(gl_is_software("ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device), SwiftShader)"));
    assert_false(gl_is_software("AMD Radeon RX 6800 XT (radeonsi, navi21, LLVM 15.0.6)"));
    assert_false(gl_is_software("V3D 4.2"));
}

/* ---- the kernel */

struct bench {
    struct kernel_job job;
    struct folder kept;
};

static void bench_init(struct bench *bench, const char *name)
{
    const struct kernel_test *test = kernel_graphics.tests;
    while (strcmp(test->name, name) != 0)
        test++;
    *bench = (struct bench){.job = {.kernel = &kernel_graphics,
                                    .test = test,
                                    .x = PIXELS,
                                    .threads = 1,
                                    .seed = 3,
                                    .save = ""}};
    bench->job.memory_bytes = kernel_graphics.memory(&bench->job);
    assert_int_equal(bench->job.memory_bytes, PIXELS * 4);
    bench->job.memory = calloc(PIXELS, 4);
    assert_non_null(bench->job.memory);
    folder_make(&bench->kept);
}

static void bench_run(struct bench *bench, uint64_t iterations)
{
    assert_int_equal(bench->job.test->run(&bench->job, iterations), KERNEL_OK);
    bench->job.n_runs++;
    bench->job.n_iterations += iterations;
}

static void bench_end(struct bench *bench)
{
    kernel_graphics.teardown(&bench->job);
    free(bench->job.memory);
    folder_remove(&bench->kept);
}

static void pixels_of_no_resolution_are_refused(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, "fills");
    assert_int_equal(kernel_graphics.needs(&bench.job), KERNEL_OK);
    bench.job.x = PIXELS + 1;
    assert_int_equal(kernel_graphics.needs(&bench.job), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "no resolution has 76801 pixels"));
    assert_non_null(strstr(bench.job.reason, "1280x1024"));
    bench_end(&bench);
}

static void a_wrong_pixel_of_a_flat_frame_is_seen(void **state)
{
    (void)state;
    static const char *const names[] = {"fills", "blits", "scaling", "text"};
    for (size_t i = 0; i < 4; i++) {
        struct bench bench;
        bench_init(&bench, names[i]);
        assert_int_equal(kernel_graphics.setup(&bench.job), KERNEL_OK);
        bench.job.n_iterations = 1;
        assert_int_equal(kernel_graphics.check(&bench.job), KERNEL_WRONG);
        bench.job.n_iterations = 0;
        bench_run(&bench, 1);
        assert_int_equal(kernel_graphics.check(&bench.job), KERNEL_OK);
        bench_run(&bench, 2);
        ((uint32_t *)bench.job.memory)[WIDTH * 77 + 5] ^= 1;
        assert_int_equal(kernel_graphics.check(&bench.job), KERNEL_WRONG);
        assert_non_null(strstr(bench.job.reason, "pixel 5 of row 77"));
        bench_end(&bench);
    }
}

static void a_frame_is_kept_where_the_user_wants_it(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, "text");
    bench.job.save = bench.kept.path;
    assert_int_equal(kernel_graphics.setup(&bench.job), KERNEL_OK);
    bench_run(&bench, 1);
    assert_int_equal(kernel_graphics.check(&bench.job), KERNEL_OK);
    assert_int_equal(access(folder_file(&bench.kept, "graphics.text.320x240.png"), R_OK), 0);
    bench_end(&bench);
}

/* ---- with a renderer */

static bool is_under_valgrind(void)
{
    char line[512];
    bool is_there = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !is_there && fgets(line, sizeof line, maps))
        is_there = strstr(line, "vgpreload") != NULL;
    if (maps)
        fclose(maps);
    return is_there;
}

/* Status that a child ends with. */
enum { WELL = 0, FAILED = 1, NO_RENDERER = 2 };

static void in_child(int (*work)(void))
{
    if (is_under_valgrind()) {
        print_message("skipped: a renderer's own compiler is too slow under valgrind\n");
        skip();
    }
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int status = work();
        fflush(stdout);
        _exit(status);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_RENDERER)
        skip();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), WELL);
}

static int fail_with(const char *what, const char *why)
{
    print_message("%s: %s\n", what, why);
    return FAILED;
}

static int kernel_draws_all(void)
{
    for (const struct kernel_test *test = kernel_graphics.tests; test->name; test++) {
        struct bench bench;
        bench_init(&bench, test->name);
        struct kernel_job *job = &bench.job;
        job->save = bench.kept.path;
        enum kernel_outcome outcome = kernel_graphics.needs(job);
        if (outcome == KERNEL_OK)
            outcome = kernel_graphics.setup(job);
        if (outcome == KERNEL_UNAVAILABLE) {
            print_message("skipped: %s\n", job->reason);
            return NO_RENDERER;
        }
        if (outcome == KERNEL_OK) {
            bench_run(&bench, 1);
            outcome = kernel_graphics.check(job);
        }
        if (outcome != KERNEL_OK || folder_count(&bench.kept) != 1)
            return fail_with(test->name, job->reason);
        job->n_iterations++;
        if (kernel_graphics.check(job) != KERNEL_WRONG)
            return fail_with(test->name, "accepts fewer frames than there must be");
        bench_end(&bench);
    }
    return WELL;
}

static void every_scene_is_drawn_and_checks(void **state)
{
    (void)state;
    in_child(kernel_draws_all);
}

/* Where the points of an egg are seen, found without the renderer. */
static void egg_silhouette(unsigned char out[static PIXELS])
{
    struct matrix tilt = matrix_turn(0.5f, 1, 0, 0), move = matrix_move(0, 0, -3.1f);
    struct matrix model = matrix_multiply(&move, &tilt);
    struct matrix view = matrix_perspective(0.785398163f, (float)WIDTH / HEIGHT, 0.2f, 60);
    struct matrix all = matrix_multiply(&view, &model);
    memset(out, 0, PIXELS);
    for (int i = 0; i <= 700; i++) {
        for (int k = 0; k < 1000; k++) {
            struct vertex vertex;
            float seen[4];
            mesh_egg((float)i / 700, (float)k / 1000, &vertex);
            const float place[4] = {vertex.position[0], vertex.position[1], vertex.position[2], 1};
            matrix_apply(&all, place, seen);
            int x = (int)((seen[0] / seen[3] + 1) * WIDTH / 2);
            int y = (int)((1 - seen[1] / seen[3]) * HEIGHT / 2);
            out[y * WIDTH + x] = 1;
        }
    }
}

static int egg_is_where_it_must_be(void)
{
    static uint32_t pixels[PIXELS];
    static unsigned char right[PIXELS];
    char reason[GL_REASON_SIZE];
    struct gl *gl = gl_open(reason);
    if (!gl || !gl_frame(gl, WIDTH, HEIGHT, reason)) {
        print_message("skipped: %s\n", reason);
        return NO_RENDERER;
    }
    struct scene *scene = scene_new(gl, SCENE_SHADED_EGG, 1, reason);
    if (!scene)
        return fail_with("scene", reason);
    scene_draw(scene, 0);
    gl_frame_read(gl, pixels);
    egg_silhouette(right);
    int n_egg = 0, n_wrong = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        n_egg += right[i];
        n_wrong += right[i] != (pixels[i] != scene_background[SCENE_SHADED_EGG]);
    }
    print_message("%s: %d pixels, %d at the edge differ\n", gl_renderer(gl), n_egg, n_wrong);
    scene_free(scene);
    gl_close(gl);
    /* A splatted point colours a pixel at the edge that a triangle may not cover the middle of. */
    return n_egg > PIXELS / 10 && n_wrong < n_egg / 25 ? WELL : fail_with("egg", "is elsewhere");
}

static void an_egg_covers_the_pixels_that_its_points_are_seen_at(void **state)
{
    (void)state;
    in_child(egg_is_where_it_must_be);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_is_a_png_that_zlib_unpacks),
        cmocka_unit_test(a_picture_that_cannot_be_saved_does_not_name_its_path),
        cmocka_unit_test(every_pixel_of_a_flat_scene_is_what_it_must_be),
        cmocka_unit_test(letters_are_drawn_in_dots_of_four_pixels),
        cmocka_unit_test(normals_are_of_length_one_and_point_outwards),
        cmocka_unit_test(meshes_have_as_many_triangles_and_lines_as_their_grids),
        cmocka_unit_test(matrices_move_turn_and_show),
        cmocka_unit_test(textures_are_opaque_and_differ),
        cmocka_unit_test(programs_that_draw_are_known_by_name),
        cmocka_unit_test(pixels_of_no_resolution_are_refused),
        cmocka_unit_test(a_wrong_pixel_of_a_flat_frame_is_seen),
        cmocka_unit_test(a_frame_is_kept_where_the_user_wants_it),
        cmocka_unit_test(every_scene_is_drawn_and_checks),
        cmocka_unit_test(an_egg_covers_the_pixels_that_its_points_are_seen_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
