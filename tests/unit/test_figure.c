#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "folder.h"
#include "report/chart/chart.h"
#include "schema/number.h"

#define POINT(x, y) {(x), (y), NAN, NAN, 1}
#define SERIES(label, points) {label, points, sizeof(points) / sizeof((points)[0])}

static const struct chart_point reads[] = {{4096, 45e6, 40e6, 50e6, 5},
                                           {65536, 400e6, 380e6, 420e6, 5},
                                           {262144, 0, NAN, NAN, 1},
                                           {1048576, 1100e6, 1000e6, 1210e6, 5}};
static const struct chart_point writes[] = {POINT(4096, 20e6), POINT(1048576, 640e6)};
static const struct chart_series series[] = {SERIES("read, \"direct\"", reads),
                                             SERIES("write", writes)};
static const struct chart_mark marks[] = {{32768, "L1 cache"}};
static const struct chart disk = {
    .kind = CHART_LINES,
    .title = "Disk <&>",
    .interval_note = "95 % interval of the median",
    .x = {"block size", "B", NULL, CHART_LOG, false},
    .y = {"rate", "B/s", "MB/s", CHART_LOG, false},
    .series = series,
    .n_series = 2,
    .marks = marks,
    .n_marks = 1,
};

static const struct chart_point bar_points[] = {{0, 2e9, 1.9e9, 2.1e9, 5}, {1, 1e9, NAN, NAN, 1}};
static const struct chart_series bar_series[] = {SERIES("gcc", bar_points)};
static const char *const categories[] = {"100% of 'it'", "two, three"};
static const struct chart bars = {
    .kind = CHART_BARS,
    .title = "Bars",
    .x = {"test", "1", NULL, CHART_LINEAR, false},
    .y = {"speed", "flop/s", NULL, CHART_LINEAR, false},
    .series = bar_series,
    .n_series = 1,
    .categories = categories,
    .n_categories = 2,
};

/* The whole file, NUL-terminated, to be freed. */
static char *slurp(struct folder *folder, const char *name, size_t *size)
{
    FILE *file = fopen(folder_file(folder, name), "rb");
    if (!file)
        return NULL;
    char *bytes = malloc(1 << 23);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (1 << 23) - 1, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

static bool has_text(struct folder *folder, const char *name, const char *text)
{
    size_t size;
    char *bytes = slurp(folder, name, &size);
    assert_non_null(bytes);
    bool found = strstr(bytes, text) != NULL;
    free(bytes);
    return found;
}

static bool exists(struct folder *folder, const char *name)
{
    return access(folder_file(folder, name), F_OK) == 0;
}

static void draw(struct folder *folder, const struct chart *chart, enum chart_format format,
                 const char *name)
{
    struct arena arena = {0};
    struct chart_layout layout;
    struct err err = {0};
    const char *font = NULL;
    if (chart_layout(chart, &arena, &layout, &err) < 0 ||
        chart_draw_cairo(&layout, format, folder_file(folder, name), &font, &err) < 0)
        fail_msg("%s", err.text);
    assert_non_null(font);
    arena_free(&arena);
}

static void assert_same_file(struct folder *folder, const char *a, const char *b)
{
    size_t size_a, size_b;
    char *bytes_a = slurp(folder, a, &size_a), *bytes_b = slurp(folder, b, &size_b);
    assert_true(bytes_a && bytes_b && size_a > 500);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    free(bytes_a);
    free(bytes_b);
}

static void equal_charts_give_equal_bytes(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    static const char *const endings[] = {"svg", "png", "pdf"};
    for (int format = CHART_SVG; format <= CHART_PDF; format++) {
        char a[16], b[16], other[16];
        snprintf(a, sizeof a, "a.%s", endings[format]);
        snprintf(b, sizeof b, "b.%s", endings[format]);
        snprintf(other, sizeof other, "other.%s", endings[format]);
        draw(&folder, &disk, (enum chart_format)format, a);
        draw(&folder, &bars, (enum chart_format)format, other);
        draw(&folder, &disk, (enum chart_format)format, b);
        assert_same_file(&folder, a, b);
    }
    assert_false(has_text(&folder, "a.pdf", "CreationDate"));
    folder_remove(&folder);
}

/* Two drawings in one page must not take each other's letters. */
static void ids_are_different_in_different_drawings(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    draw(&folder, &disk, CHART_SVG, "a.svg");
    draw(&folder, &bars, CHART_SVG, "b.svg");
    size_t size;
    char *a = slurp(&folder, "a.svg", &size), *b = slurp(&folder, "b.svg", &size);
    size_t n_ids = 0, n_references = 0;
    for (const char *p = a; (p = strstr(p, " id=\"")); p++) {
        char id[40], reference[48];
        assert_int_equal(sscanf(p, " id=\"%30[^\"]", id), 1);
        assert_true(id[0] == 'c');
        assert_null(strstr(b, id));
        snprintf(reference, sizeof reference, "id=\"%s\"", id);
        assert_null(strstr(strstr(p, reference) + 1, reference)); /* once in its own file */
        n_ids++;
    }
    for (const char *p = a; (p = strchr(p, '#')); p++) {
        char id[40], definition[48];
        assert_int_equal(sscanf(p, "#%30[^\")]", id), 1);
        snprintf(definition, sizeof definition, " id=\"%s\"", id);
        assert_non_null(strstr(a, definition));
        n_references++;
    }
    assert_true(n_ids > 20 && n_references > n_ids);
    assert_null(strstr(a, "glyph0"));
    assert_null(strstr(a, "surface"));
    assert_non_null(strstr(a, "<title>Disk &lt;&amp;&gt;</title>"));
    assert_non_null(strstr(a, "width=\"900px\""));
    free(a);
    free(b);
    folder_remove(&folder);
}

static void the_letters_are_those_of_the_chart_font(void **state)
{
    (void)state;
    struct folder folder;
    struct arena arena = {0};
    struct chart_layout layout;
    struct err err = {0};
    const char *font = NULL;
    folder_make(&folder);
    assert_int_equal(chart_layout(&disk, &arena, &layout, &err), 0);
    const char *path = folder_file(&folder, "a.svg");
    assert_int_equal(chart_draw_cairo(&layout, CHART_SVG, path, &font, &err), 0);
    assert_string_equal(font, CHART_FONT);
    arena_free(&arena);
    folder_remove(&folder);
}

/* Both backends read one layout: its ticks and its points are in the script and in the data. */
static void the_script_has_the_ticks_and_points_of_the_layout(void **state)
{
    (void)state;
    struct folder folder;
    struct arena arena = {0};
    struct chart_layout layout;
    struct err err = {0};
    char expected[256], number[NUMBER_TEXT_SIZE];
    folder_make(&folder);
    assert_int_equal(chart_layout(&disk, &arena, &layout, &err), 0);
    assert_int_equal(chart_write_gnuplot(&layout, folder.path, "g", &err), 0);
    assert_int_equal(folder_count(&folder), 2);
    for (int axis = 0; axis < 2; axis++) {
        const struct chart_tick *ticks = axis == 0 ? layout.x_ticks : layout.y_ticks;
        size_t n = axis == 0 ? layout.n_x_ticks : layout.n_y_ticks;
        for (size_t i = 0; i < n; i++) {
            number_format(number, ticks[i].at);
            snprintf(expected, sizeof expected, "'%s' %s%s", ticks[i].label, number,
                     ticks[i].label[0] ? "" : " 1");
            if (!has_text(&folder, "g.gp", expected))
                fail_msg("no %s", expected);
        }
    }
    assert_true(has_text(&folder, "g.gp", "set label 'rate, MB/s' at "));
    assert_true(has_text(&folder, "g.gp", "set xlabel 'block size' "));
    assert_true(has_text(&folder, "g.gp", "set label 'L1 cache' at "));
    assert_true(has_text(&folder, "g.gp", "set arrow from first 32768, graph 0 to first 32768, "));
    assert_true(has_text(&folder, "g.gp", " title 'read, \"direct\"'"));

    size_t size;
    char *data = slurp(&folder, "g.dat", &size);
    assert_string_equal(data, "# series 2 of 2: x, y, low, high, n, marker\n"
                              "4096 20000000 NaN NaN 1 4\n"
                              "1048576 640000000 NaN NaN 1 4\n"
                              "\n\n"
                              "# series 1 of 2: place, value, low, high\n"
                              "4096 45000000 40000000 50000000\n"
                              "65536 400000000 380000000 420000000\n"
                              "1048576 1100000000 1000000000 1210000000\n"
                              "\n\n"
                              "# series 1 of 2: x, y, low, high, n, marker\n"
                              "4096 45000000 40000000 50000000 5 7\n"
                              "65536 400000000 380000000 420000000 5 7\n"
                              "\n"
                              "1048576 1100000000 1000000000 1210000000 5 7\n");
    free(data);
    arena_free(&arena);
    folder_remove(&folder);
}

static void the_data_is_there_as_csv(void **state)
{
    (void)state;
    struct folder folder;
    struct figure figure;
    struct err err = {0};
    folder_make(&folder);
    assert_int_equal(figure_write(&disk, folder.path, "disk", &figure, &err), 0);
    assert_int_equal(figure_write(&bars, folder.path, "bars", &figure, &err), 0);
    size_t size;
    char *csv = slurp(&folder, "disk.csv", &size);
    assert_string_equal(
        csv, "series,x,x_unit,y,y_unit,low,high,n\n"
             "\"read, \"\"direct\"\"\",4096,B,45000000,B/s,40000000,50000000,5\n"
             "\"read, \"\"direct\"\"\",65536,B,400000000,B/s,380000000,420000000,5\n"
             "\"read, \"\"direct\"\"\",262144,B,0,B/s,,,1\n"
             "\"read, \"\"direct\"\"\",1048576,B,1100000000,B/s,1000000000,1210000000,5\n"
             "write,4096,B,20000000,B/s,,,1\n"
             "write,1048576,B,640000000,B/s,,,1\n");
    free(csv);
    csv = slurp(&folder, "bars.csv", &size);
    assert_string_equal(csv, "series,x,x_unit,y,y_unit,low,high,n\n"
                             "gcc,100% of 'it',,2000000000,flop/s,1900000000,2100000000,5\n"
                             "gcc,\"two, three\",,1000000000,flop/s,,,1\n");
    free(csv);
    folder_remove(&folder);
}

static void a_figure_has_all_forms(void **state)
{
    (void)state;
    struct folder folder;
    struct figure figure;
    struct err err = {0};
    folder_make(&folder);
    if (figure_write(&disk, folder.path, "disk", &figure, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(folder_count(&folder), figure.has_gnuplot ? 7 : 6);
    assert_string_equal(figure.note,
                        "1 point is not drawn: zero and negative values have no place on a "
                        "logarithmic axis. Whiskers: 95 % interval of the median. A hollow marker "
                        "is a single sample.");
    assert_int_equal(figure.width, 900);
    size_t size;
    char *narrow = slurp(&folder, "disk-narrow.svg", &size);
    assert_non_null(strstr(narrow, "width=\"360px\""));
    assert_null(strstr(narrow, "<title>"));
    free(narrow);
    char *png = slurp(&folder, "disk.png", &size);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal((unsigned char)png[18] * 256 + (unsigned char)png[19], 2 * figure.width);
    assert_int_equal((unsigned char)png[22] * 256 + (unsigned char)png[23], 2 * figure.height);
    assert_memory_equal(png + size - 8, "IEND", 4);
    free(png);
    folder_remove(&folder);
}

/* A program for PATH, in the test's own folder. */
static void fake_gnuplot(struct folder *folder, const char *script)
{
    const char *path = folder_write(folder, "gnuplot", script, strlen(script));
    assert_int_equal(chmod(path, 0755), 0);
    setenv("PATH", folder->path, 1);
}

static int run_with(const char *script, struct err *err)
{
    char *path = strdup(getenv("PATH"));
    struct folder folder;
    folder_make(&folder);
    folder_write(&folder, "a-gnuplot.svg", "old</svg>", 9);
    if (script)
        fake_gnuplot(&folder, script);
    else
        setenv("PATH", "relative::/nonexistent", 1);
    int result = chart_run_gnuplot(folder.path, "a", err);
    /* Whatever happened, no earlier or half a drawing is left. */
    assert_true(exists(&folder, "a-gnuplot.svg") == (result == 1));
    setenv("PATH", path, 1);
    free(path);
    folder_remove(&folder);
    return result;
}

static void a_missing_gnuplot_is_no_error(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(run_with(NULL, &err), 0);
}

static void gnuplot_gets_its_script_in_its_folder_and_a_bare_environment(void **state)
{
    (void)state;
    struct err err = {0};
    if (run_with("#!/bin/sh\n"
                 "[ \"$1 $2 $#\" = '-d a.gp 2' ] && [ \"$LC_ALL\" = C ] && [ -z \"$HOME\" ] &&\n"
                 "[ -f gnuplot ] && echo '<svg></svg>' > a-gnuplot.svg\n",
                 &err) != 1)
        fail_msg("%s", err.text);
}

static void a_gnuplot_that_fails_is_an_error(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(
        run_with("#!/bin/sh\necho '<svg></svg>' > a-gnuplot.svg\necho no >&2\nexit 3\n", &err),
        ERR_SYSTEM);
    assert_non_null(strstr(err.text, "gnuplot: status 3: no"));
    assert_int_equal(run_with("#!/bin/sh\nkill -9 $$\n", &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, "killed by signal 9"));
    assert_int_equal(run_with("#!/bin/sh\nexit 0\n", &err), ERR_SYSTEM);
    assert_int_equal(run_with("#!/bin/sh\necho '<svg>' > a-gnuplot.svg\n", &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, "gnuplot did not write all of it"));
    assert_int_equal(run_with("#!/bin/sh\n: > a-gnuplot.svg\n", &err), ERR_SYSTEM);
}

/* Texts that are commands to gnuplot, to a shell, to XML and to cairo. */
static void hostile_texts_are_text(void **state)
{
    (void)state;
    struct folder folder;
    struct err err = {0};
    struct figure figure;
    folder_make(&folder);
    static const char *const labels[] = {
        "`touch pwned`",
        "' ; system('touch pwned') #",
        "''''`touch pwned`''",
        "x'; set output '|touch pwned'; '",
        "\"\n!touch pwned\n\"",
        "@p {/Bold x} _y^2 %s %%d\\n\\",
        "<script>alert(1)</script> &amp;",
        "\xff\xfe bad \xc3",
        "\xe2\x80\xae gnp.exe",
        "",
        "'",
        "$(touch pwned)",
    };
    enum { N = sizeof labels / sizeof labels[0] };
    struct chart_series hostile[N];
    struct chart_mark hostile_marks[N];
    for (size_t i = 0; i < N; i++) {
        hostile[i] = (struct chart_series){labels[i], reads, 2};
        hostile_marks[i] = (struct chart_mark){8192 * (double)(i + 1), labels[i]};
    }
    for (size_t i = 0; i < N; i++) {
        struct chart chart = disk;
        chart.title = chart.x.title = chart.y.title = chart.interval_note = labels[i];
        chart.series = hostile;
        chart.n_series = N;
        chart.marks = hostile_marks;
        chart.n_marks = N;
        if (figure_write(&chart, folder.path, "h", &figure, &err) < 0)
            fail_msg("%s", err.text);
        chart = bars;
        chart.title = chart.x.title = chart.y.title = labels[i];
        chart.categories = labels;
        chart.n_categories = N;
        if (figure_write(&chart, folder.path, "b", &figure, &err) < 0)
            fail_msg("%s", err.text);
    }
    assert_int_equal(folder_count(&folder), figure.has_gnuplot ? 14 : 12);
    assert_false(exists(&folder, "pwned"));
    assert_true(access("pwned", F_OK) != 0);
    assert_false(has_text(&folder, "h.svg", "<script>"));
    if (figure.has_gnuplot) {
        assert_false(has_text(&folder, "h-gnuplot.svg", "<script>"));
        /* The labels as they are, in the key and as categories. */
        static const char *const shown[] = {"`touch pwned`", "''''`touch pwned`''",
                                            "&lt;script>alert(1)&lt;/script> &amp;amp;",
                                            "@p {/Bold x} _y^2 %s %%d\\n\\",
                                            "$(touch pwned)"};
        for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
            if (!has_text(&folder, "h-gnuplot.svg", shown[i]))
                fail_msg("the key has no %s", shown[i]);
            if (!has_text(&folder, "b-gnuplot.svg", shown[i]))
                fail_msg("the axis has no %s", shown[i]);
        }
    }
    folder_remove(&folder);
}

static void names_that_are_paths_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"", "../x", "a/b", "a'b", "a b", "a\n", "-x", ".x", "|x"};
    struct folder folder;
    struct figure figure;
    struct err err = {0};
    folder_make(&folder);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(figure_write(&disk, folder.path, names[i], &figure, &err), ERR_USAGE);
    assert_int_equal(folder_count(&folder), 0);
    folder_remove(&folder);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct figure figure;
    struct err err = {0};
    assert_int_equal(figure_write(&disk, "/nonexistent/folder", "a", &figure, &err), ERR_SYSTEM);
    assert_non_null(strstr(err.text, "/nonexistent/folder/a"));
}

static void negative_values_are_drawn_by_both(void **state)
{
    (void)state;
    static const struct chart_point points[] = {POINT(-10, -5e6), POINT(10, 5e6)};
    static const struct chart_series s[] = {SERIES("a", points)};
    struct chart chart = {.kind = CHART_LINES, .x = {"x", "1", NULL, CHART_LINEAR, false},
                          .y = {"y", "B/s", "MB/s", CHART_LINEAR, false}, .series = s, .n_series = 1};
    struct folder folder;
    struct figure figure;
    struct err err = {0};
    folder_make(&folder);
    if (figure_write(&chart, folder.path, "n", &figure, &err) < 0)
        fail_msg("%s", err.text);
    if (figure.has_gnuplot)
        assert_true(has_text(&folder, "n-gnuplot.svg", "<text>-10</text>"));
    folder_remove(&folder);
}

static void large_charts_make_small_files(void **state)
{
    (void)state;
    enum { N = 100000, LINES = 200 };
    struct chart_point *points = calloc(N, sizeof *points);
    struct chart_series *lines = calloc(LINES, sizeof *lines);
    assert_true(points && lines);
    for (size_t i = 0; i < N; i++)
        points[i] = (struct chart_point){(double)(i % 500 + 1),
                                         (double)(i * 7919 % 1000 + 1000 * (i / 500)), NAN, NAN, 3};
    for (size_t i = 0; i < LINES; i++)
        lines[i] = (struct chart_series){"a line", points + 500 * i, 500};
    struct chart chart = {.kind = CHART_LINES, .x = {"x", "1", NULL, CHART_LINEAR, false},
                          .y = {"y", "1", NULL, CHART_LINEAR, false}, .series = lines, .n_series = LINES};
    struct folder folder;
    struct figure figure;
    struct err err = {0};
    folder_make(&folder);
    if (figure_write(&chart, folder.path, "big", &figure, &err) < 0)
        fail_msg("%s", err.text);
    struct stat st;
    assert_int_equal(stat(folder_file(&folder, "big.svg"), &st), 0);
    assert_true(st.st_size < 2000000);
    assert_int_equal(stat(folder_file(&folder, "big.dat"), &st), 0);
    assert_true(st.st_size < 2000000);
    folder_remove(&folder);
    free(lines);
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_charts_give_equal_bytes),
        cmocka_unit_test(ids_are_different_in_different_drawings),
        cmocka_unit_test(the_letters_are_those_of_the_chart_font),
        cmocka_unit_test(the_script_has_the_ticks_and_points_of_the_layout),
        cmocka_unit_test(the_data_is_there_as_csv),
        cmocka_unit_test(a_figure_has_all_forms),
        cmocka_unit_test(a_missing_gnuplot_is_no_error),
        cmocka_unit_test(gnuplot_gets_its_script_in_its_folder_and_a_bare_environment),
        cmocka_unit_test(a_gnuplot_that_fails_is_an_error),
        cmocka_unit_test(hostile_texts_are_text),
        cmocka_unit_test(names_that_are_paths_are_refused),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(negative_values_are_drawn_by_both),
        cmocka_unit_test(large_charts_make_small_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
