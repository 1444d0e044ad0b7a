/* Bitmaps, what is done to them, and that the checks of the kernel see a wrong byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/image_edit.h"
#include "tests/unit/folder.h"

extern const struct kernel kernel_image;

/* ---- bitmaps */

static void the_header_of_a_bitmap_is_as_documented(void **state)
{
    (void)state;
    static const unsigned char right[BMP_HEADER_BYTES] = {
        'B', 'M', 54 + 24, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, /* file */
        40, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 24, 0, 0, 0, 0, 0, 24, 0, 0, 0, 0x13, 0x0b, 0, 0,
        0x13, 0x0b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    unsigned char header[BMP_HEADER_BYTES];
    struct image image = image_shape(3, 2, 3);
    assert_int_equal(image.stride, 12); /* 9 and padding */
    assert_true(bmp_header(&image, header));
    assert_memory_equal(header, right, sizeof right);
}

static void a_header_is_read_back_and_a_wrong_one_refused(void **state)
{
    (void)state;
    unsigned char header[BMP_HEADER_BYTES];
    struct image image = image_shape(300, 200, 4), found;
    uint64_t size = BMP_HEADER_BYTES + 300 * 200 * 4;
    assert_true(bmp_header(&image, header));
    assert_true(bmp_parse(header, size, &found));
    assert_int_equal(found.width, 300);
    assert_int_equal(found.height, 200);
    assert_int_equal(found.pixel_bytes, 4);
    assert_false(bmp_parse(header, size - 1, &found));
    static const size_t places[] = {0, 1, 2, 10, 14, 18, 22, 25, 26, 28, 30};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        header[places[i]] ^= 0x81;
        assert_false(bmp_parse(header, size, &found));
        header[places[i]] ^= 0x81;
    }
}

static void a_bitmap_beyond_4_gib_is_refused(void **state)
{
    (void)state;
    unsigned char header[BMP_HEADER_BYTES];
    struct image image = image_shape(32768, 32767, 4);
    assert_true(bmp_header(&image, header));
    image.height = 32768;
    assert_false(bmp_header(&image, header));
}

static void formatting_turns_rows_and_colours_round(void **state)
{
    (void)state;
    unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0};
    struct image image = image_shape(2, 2, 3);
    image.bytes = bytes;
    uint32_t screen[4];
    bmp_format(&image, screen);
    assert_int_equal(screen[0], 0xff090807u);
    assert_int_equal(screen[1], 0xff0c0b0au);
    assert_int_equal(screen[2], 0xff030201u);
    assert_int_equal(screen[3], 0xff060504u);
}

/* ---- editing */

static void an_image_fits_into_the_bytes_it_is_given(void **state)
{
    (void)state;
    struct image image = image_fit(64 * 1024 * 1024, 3);
    assert_int_equal(image.width, 5460);
    assert_int_equal(image.height, 4096);
    assert_int_equal(image.stride, 5460 * 3);
    image = image_fit(512 * 1024, 4);
    assert_int_equal(image.width, 416);
    assert_int_equal(image.height, 312);
    assert_int_equal(image_fit(47, 3).width, 0);
    for (uint64_t bytes = 64; bytes < 100000; bytes += 61) {
        image = image_fit(bytes, 3);
        assert_true(image_bytes(&image) <= bytes && image_bytes(&image) > bytes / 4);
        assert_true(image.width % 4 == 0 && image.height % 4 == 0 && image.width > 0);
    }
}

static void an_image_is_made_by_row_and_by_seed(void **state)
{
    (void)state;
    struct image image = image_shape(100, 80, 3);
    unsigned char bytes[80 * 300], row[300];
    image.bytes = bytes;
    image_make(&image, 7);
    for (size_t y = 0; y < 80; y++) {
        image_make_row(&image, 7, y, row);
        assert_memory_equal(row, bytes + y * 300, 300);
    }
    image_make_row(&image, 8, 0, row);
    assert_memory_not_equal(row, bytes, 300);
}

static void enlarging_adds_and_divides(void **state)
{
    (void)state;
    unsigned char small[] = {10, 20, 30, 50, 60, 70, 91, 101, 111, 0, 0, 0,
                             12, 22, 32, 8, 9, 10, 255, 255, 255, 0, 0, 0};
    static const unsigned char right[4][9] = {
        {(3 * 10 + 50) / 4, (3 * 20 + 60) / 4, (3 * 30 + 70) / 4, (10 + 100 + 91) / 4,
         (20 + 120 + 101) / 4, (30 + 140 + 111) / 4, (3 * 91 + 50) / 4, (3 * 101 + 60) / 4,
         (3 * 111 + 70) / 4},
        {(3 * 10 + 50 + 3 * 12 + 8) / 8, (3 * 20 + 60 + 3 * 22 + 9) / 8,
         (3 * 30 + 70 + 3 * 32 + 10) / 8, (10 + 100 + 91 + 12 + 16 + 255) / 8,
         (20 + 120 + 101 + 22 + 18 + 255) / 8, (30 + 140 + 111 + 32 + 20 + 255) / 8,
         (3 * 91 + 50 + 3 * 255 + 8) / 8, (3 * 101 + 60 + 3 * 255 + 9) / 8,
         (3 * 111 + 70 + 3 * 255 + 10) / 8},
        {(3 * 12 + 8) / 4, (3 * 22 + 9) / 4, (3 * 32 + 10) / 4, (12 + 16 + 255) / 4,
         (22 + 18 + 255) / 4, (32 + 20 + 255) / 4, (3 * 255 + 8) / 4, (3 * 255 + 9) / 4,
         (3 * 255 + 10) / 4},
        {(3 * 12 + 8) / 4, (3 * 22 + 9) / 4, (3 * 32 + 10) / 4, (12 + 16 + 255) / 4,
         (22 + 18 + 255) / 4, (32 + 20 + 255) / 4, (3 * 255 + 8) / 4, (3 * 255 + 9) / 4,
         (3 * 255 + 10) / 4}};
    unsigned char large[4 * 12];
    struct image from = image_shape(3, 2, 3), to = image_shape(3, 4, 3);
    from.bytes = small;
    to.bytes = large;
    image_enlarge(&from, &to);
    for (size_t y = 0; y < 4; y++)
        assert_memory_equal(large + y * 12, right[y], 9);
}

/* Seen from below left: 1 2 / 3 4 / 5 6 becomes 5 3 1 / 6 4 2. */
static void rotating_turns_against_the_clock(void **state)
{
    (void)state;
    uint32_t pixels[] = {1, 2, 3, 4, 5, 6}, turned[6];
    static const uint32_t right[] = {5, 3, 1, 6, 4, 2};
    struct image from = image_shape(2, 3, 4), to = image_shape(3, 2, 4);
    from.bytes = (unsigned char *)pixels;
    to.bytes = (unsigned char *)turned;
    image_rotate(&from, &to);
    assert_memory_equal(turned, right, sizeof right);
}

static void rotating_four_times_gives_the_original(void **state)
{
    (void)state;
    enum { WIDTH = 20, HEIGHT = 12, BYTES = WIDTH * HEIGHT * 3 };
    unsigned char original[BYTES], a[BYTES], b[BYTES];
    struct image lying = image_shape(WIDTH, HEIGHT, 3), standing = image_shape(HEIGHT, WIDTH, 3);
    lying.bytes = original;
    image_make(&lying, 3);
    memcpy(a, original, BYTES);
    lying.bytes = a;
    standing.bytes = b;
    for (int i = 0; i < 2; i++) {
        image_rotate(&lying, &standing);
        memset(a, 0, BYTES);
        image_rotate(&standing, &lying);
        assert_true((memcmp(a, original, BYTES) == 0) == (i == 1));
    }
}

static void scrolling_stays_inside_the_image(void **state)
{
    (void)state;
    struct image image = image_shape(1000, 500, 3), window = image_shape(640, 480, 3);
    struct image_place place = image_scroll(&image, &window, 1);
    assert_int_equal(place.x, 0);
    assert_int_equal(place.y, 16);
    place = image_scroll(&image, &window, 2); /* 32 of 21 rows */
    assert_int_equal(place.x, 64);
    assert_int_equal(place.y, 11);
    for (uint64_t k = 0; k < 10000; k++) {
        place = image_scroll(&image, &window, k * 37);
        assert_true(place.x <= 360 && place.y <= 20);
    }
    place = image_scroll(&window, &window, UINT64_MAX);
    assert_int_equal(place.x + place.y, 0);
}

static void stretching_by_one_shows_what_blitting_shows(void **state)
{
    (void)state;
    unsigned char bytes[40 * 120], blitted[10 * 60], stretched[10 * 80];
    struct image image = image_shape(40, 40, 3), part = image_shape(20, 10, 3),
                 screen = image_shape(20, 10, 4);
    image.bytes = bytes;
    part.bytes = blitted;
    screen.bytes = stretched;
    image_make(&image, 9);
    struct image_place place = {.x = 13, .y = 7};
    image_blit(&image, place, &part);
    image_stretch(&image, place, &screen);
    for (size_t i = 0; i < 200; i++)
        assert_memory_equal(blitted + 3 * i, stretched + 4 * i, 3);
    assert_memory_equal(blitted, bytes + 7 * 120 + 13 * 3, 60);
}

/* ---- the kernel */

struct bench {
    struct kernel_job job;
    struct kernel_host host;
    struct kernel_value settings[5];
    struct folder folder;
    double faults, memory;
};

static void report_note(struct kernel_job *job, const char *metric, double value)
{
    struct bench *bench = job->harness;
    if (strcmp(metric, "faults_minor") == 0)
        bench->faults = value;
    if (strcmp(metric, "memory") == 0)
        bench->memory = value;
}

static void bench_init(struct bench *bench, const char *name, const char *bpp, const char *display)
{
    const struct kernel_test *test = kernel_image.tests;
    while (strcmp(test->name, name) != 0)
        test++;
    *bench = (struct bench){.settings = {{"bpp", bpp},
                                         {"display", display},
                                         {"resolution", "640x480"},
                                         {"sync", "no"}}};
    folder_make(&bench->folder);
    bench->job = (struct kernel_job){.kernel = &kernel_image,
                                     .test = test,
                                     .host = &bench->host,
                                     .x = 70000,
                                     .threads = 1,
                                     .seed = 5,
                                     .settings = bench->settings,
                                     .folder = bench->folder.path,
                                     .save = "",
                                     .report = report_note,
                                     .harness = bench};
}

static enum kernel_outcome bench_run(struct bench *bench, uint64_t iterations)
{
    enum kernel_outcome outcome = bench->job.test->run(&bench->job, iterations);
    bench->job.n_runs++;
    bench->job.n_iterations += iterations;
    return outcome;
}

static void bench_end(struct bench *bench)
{
    kernel_image.teardown(&bench->job);
    folder_remove(&bench->folder);
}

/* After any number of iterations; then with one bit of the result flipped. */
static void every_test_sees_one_wrong_bit(void **state)
{
    (void)state;
    static const char *const bpps[] = {"24", "32"}, *const displays[] = {"bitblt", "stretch"};
    for (const struct kernel_test *test = kernel_image.tests; test->name; test++) {
        for (size_t i = 0; i < 20; i++) {
            struct bench bench;
            bench_init(&bench, test->name, bpps[i % 2], displays[i / 2 % 2]);
            assert_int_equal(kernel_image.needs(&bench.job), KERNEL_OK);
            assert_int_equal(kernel_image.setup(&bench.job), KERNEL_OK);
            assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
            assert_int_equal(bench_run(&bench, 1 + i / 4), KERNEL_OK);
            struct image *made = bench.job.state;
            bool has_result = made->bytes != NULL;
            if (has_result && i % 4 == 3) {
                made->bytes[image_bytes(made) / 3 * 2 / 4 * 4 + i / 4 % 3] ^= 4;
                assert_int_equal(kernel_image.check(&bench.job), KERNEL_WRONG);
                assert_non_null(strstr(bench.job.reason, "pixel"));
            } else {
                if (kernel_image.check(&bench.job) != KERNEL_OK)
                    fail_msg("%s: %s", test->name, bench.job.reason);
            }
            assert_true(bench.memory > 70000);
            bench_end(&bench);
        }
    }
}

static void a_saved_file_with_a_wrong_byte_is_seen(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, "save", "24", "bitblt");
    assert_int_equal(kernel_image.setup(&bench.job), KERNEL_OK);
    assert_int_equal(kernel_image.check(&bench.job), KERNEL_WRONG);
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    FILE *file = fopen(folder_file(&bench.folder, "image.bmp"), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 30000, SEEK_SET), 0);
    int byte = getc(file);
    assert_int_equal(fseek(file, 30000, SEEK_SET), 0);
    putc(byte ^ 1, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(kernel_image.check(&bench.job), KERNEL_WRONG);
    bench_end(&bench);
}

static void pictures_are_kept_where_the_user_wants_them(void **state)
{
    (void)state;
    struct bench bench;
    struct folder kept;
    folder_make(&kept);
    bench_init(&bench, "save", "24", "bitblt");
    bench.job.save = kept.path;
    assert_int_equal(kernel_image.setup(&bench.job), KERNEL_OK);
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    assert_int_equal(kernel_image.check(&bench.job), KERNEL_OK);
    assert_int_equal(access(folder_file(&kept, "image.save.70000.24bpp.bmp"), R_OK), 0);
    bench.job.save = "/nowhere/at/all";
    assert_int_equal(kernel_image.check(&bench.job), KERNEL_FAILED);
    assert_null(strstr(bench.job.reason, "nowhere"));
    bench_end(&bench);
    folder_remove(&kept);
}

static void what_does_not_fit_into_memory_is_unavailable(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, "rotate", "24", "bitblt");
    bench.host.available_bytes = 32 << 20;
    bench.job.x = 16 << 20;
    assert_int_equal(kernel_image.needs(&bench.job), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "an image of 16 MiB takes 31 MiB"));
    bench.job.x = 14 << 20;
    assert_int_equal(kernel_image.needs(&bench.job), KERNEL_OK);
    bench.job.x = 47;
    assert_int_equal(kernel_image.needs(&bench.job), KERNEL_UNAVAILABLE);
    folder_remove(&bench.folder);
}

static void work_is_what_is_made(void **state)
{
    (void)state;
    static const struct {
        const char *test, *bpp, *display;
        double bytes;
    } cases[] = {{"enlarge", "24", "bitblt", 176 * 132 * 3}, {"save", "24", "bitblt", 176 * 132 * 3},
                 {"load", "24", "bitblt", 176 * 132 * 4},    {"rotate", "32", "bitblt", 176 * 132 * 4},
                 {"scroll", "24", "bitblt", 176 * 132 * 3},  {"scroll", "24", "stretch", 176 * 132 * 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        struct kernel_work work = {0};
        bench_init(&bench, cases[i].test, cases[i].bpp, cases[i].display);
        kernel_image.work(&bench.job, &work);
        if (work.bytes_written != cases[i].bytes)
            fail_msg("%s: %g", cases[i].test, work.bytes_written);
        folder_remove(&bench.folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_of_a_bitmap_is_as_documented),
        cmocka_unit_test(a_header_is_read_back_and_a_wrong_one_refused),
        cmocka_unit_test(a_bitmap_beyond_4_gib_is_refused),
        cmocka_unit_test(formatting_turns_rows_and_colours_round),
        cmocka_unit_test(an_image_fits_into_the_bytes_it_is_given),
        cmocka_unit_test(an_image_is_made_by_row_and_by_seed),
        cmocka_unit_test(enlarging_adds_and_divides),
        cmocka_unit_test(rotating_turns_against_the_clock),
        cmocka_unit_test(rotating_four_times_gives_the_original),
        cmocka_unit_test(scrolling_stays_inside_the_image),
        cmocka_unit_test(stretching_by_one_shows_what_blitting_shows),
        cmocka_unit_test(every_test_sees_one_wrong_bit),
        cmocka_unit_test(a_saved_file_with_a_wrong_byte_is_seen),
        cmocka_unit_test(pictures_are_kept_where_the_user_wants_them),
        cmocka_unit_test(what_does_not_fit_into_memory_is_unavailable),
        cmocka_unit_test(work_is_what_is_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
