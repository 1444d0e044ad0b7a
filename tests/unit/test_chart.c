#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/chart/chart.h"
#include "report/chart/chart_style.h"
#include "report/chart/label.h"

#define KIB 1024.0
#define MB 1e6
#define POINT(x, y) {(x), (y), NAN, NAN, 1}
#define SERIES(label, points) {label, points, sizeof(points) / sizeof((points)[0])}

/* Two machines of the published paging tables, their first and last rows. */
static const struct chart_point athlon[] = {
    POINT(100000 * KIB, 970 * MB), POINT(350000 * KIB, 929 * MB), POINT(400000 * KIB, 127 * MB),
    POINT(1500000 * KIB, 15 * MB)};
static const struct chart_point phenom[] = {
    POINT(100000 * KIB, 5146 * MB), POINT(7000000 * KIB, 4078 * MB), POINT(7500000 * KIB, 214 * MB),
    POINT(14000000 * KIB, 10 * MB)};
static const struct chart_series paging_series[] = {SERIES("Athlon XP", athlon),
                                                    SERIES("Phenom II", phenom)};
static const struct chart_mark paging_marks[] = {{8192 * 1048576.0, "8 GB RAM"},
                                                 {512 * 1048576.0, "512 MB RAM"},
                                                 {512 * 1048576.0, "512 MB RAM"},
                                                 {1e15, "far away"}};
static const struct chart paging = {
    .kind = CHART_LINES,
    .title = "Paging",
    .x = {"array size", "B", "KiB", CHART_LOG, false},
    .y = {"rate", "B/s", "MB/s", CHART_LOG, false},
    .series = paging_series,
    .n_series = 2,
    .marks = paging_marks,
    .n_marks = 4,
};

static const struct chart_point reads[] = {{4096, 45 * MB, 40 * MB, 50 * MB, 5},
                                           {65536, 400 * MB, 380 * MB, 420 * MB, 5},
                                           {16777216, 1100 * MB, 1000 * MB, 1210 * MB, 5}};
static const struct chart_point writes[] = {{4096, 20 * MB, 18 * MB, 22 * MB, 5},
                                            {65536, 250 * MB, 200 * MB, 260 * MB, 5},
                                            {16777216, 640 * MB, 600 * MB, 700 * MB, 5}};
static const struct chart_series disk_series[] = {SERIES("read, direct", reads),
                                                  SERIES("write, direct", writes)};
static const struct chart disk = {
    .kind = CHART_LINES,
    .title = "Disk",
    .interval_note = "95 % interval of the median",
    .x = {"block size", "B", NULL, CHART_LOG, false},
    .y = {"rate", "B/s", "MB/s", CHART_LINEAR, false},
    .series = disk_series,
    .n_series = 2,
};

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9))
        fail_msg("%.17g is not %.17g", value, expected);
}

struct laid {
    struct arena arena;
    struct chart_layout layout;
};

static struct chart_layout *lay(struct laid *laid, const struct chart *chart)
{
    struct err err = {0};
    *laid = (struct laid){0};
    if (chart_layout(chart, &laid->arena, &laid->layout, &err) < 0)
        fail_msg("%s", err.text);
    return &laid->layout;
}

static void refused(const struct chart *chart, int code, const char *message)
{
    struct arena arena = {0};
    struct chart_layout layout;
    struct err err = {0};
    assert_int_equal(chart_layout(chart, &arena, &layout, &err), code);
    assert_string_equal(err.text, message);
    arena_free(&arena);
}

/* "100,000@102400000 ...": the ticks that have a label. */
static void labels_are(const struct chart_tick *ticks, size_t n, const char *expected)
{
    char text[4096] = "";
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (ticks[i].label[0])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s@%.15g",
                                     used > 0 ? " " : "", ticks[i].label, ticks[i].at);
    assert_string_equal(text, expected);
}

static void the_paging_graph_is_right(void **state)
{
    (void)state;
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &paging);
    assert_string_equal(l->title, "Paging");
    assert_string_equal(l->x_title, "array size, KiB");
    assert_string_equal(l->y_title, "rate, MB/s");
    assert_string_equal(l->x_unit, "KiB");
    assert_string_equal(l->y_unit, "MB/s");
    assert_true(l->x_factor == 1 / KIB);
    assert_true(l->x_min == 100000 * KIB && l->x_max == 20000000 * KIB);
    assert_true(l->y_min == 10 * MB && l->y_max == 10000 * MB);
    labels_are(l->x_ticks, l->n_x_ticks,
               "100,000@102400000 200,000@204800000 500,000@512000000 1,000,000@1024000000 "
               "2,000,000@2048000000 5,000,000@5120000000 10,000,000@10240000000 "
               "20,000,000@20480000000");
    labels_are(l->y_ticks, l->n_y_ticks, "10@10000000 100@100000000 1,000@1000000000 "
                                         "10,000@10000000000");
    assert_int_equal(l->n_y_ticks, 28); /* with 2 to 9 times each */

    /* Of four marks one is there twice and one is off the axis. */
    assert_int_equal(l->n_flags, 2);
    assert_string_equal(l->flags[0].label, "512 MB RAM");
    assert_string_equal(l->flags[1].label, "8 GB RAM");
    assert_true(l->flags[0].x == 536870912);
    assert_true(l->flags[0].label_left == chart_place_x(l, 536870912));

    assert_int_equal(l->n_entries, 2);
    assert_string_equal(l->entries[0].label, "Athlon XP");
    assert_string_equal(l->entries[1].label, "Phenom II");
    assert_true(l->entries[0].x >= l->plot.left + l->plot.width);
    assert_int_equal(l->lines[0].n_points, 4);
    assert_memory_equal(l->lines[1].points, phenom, sizeof phenom);
    assert_true(l->lines[0].has_markers);
    assert_int_equal(l->n_dropped, 0);
    assert_string_equal(l->note, "A hollow marker is a single sample.");

    assert_close(chart_place_x(l, l->x_min), l->plot.left);
    assert_close(chart_place_x(l, l->x_max), l->plot.left + l->plot.width);
    assert_close(chart_place_y(l, l->y_max), l->plot.top);
    assert_close(chart_place_y(l, 100 * MB), l->plot.top + l->plot.height * 2 / 3);
    arena_free(&laid.arena);
}

static void the_disk_graph_is_right(void **state)
{
    (void)state;
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &disk);
    assert_string_equal(l->x_title, "block size");
    assert_string_equal(l->x_unit, "");
    assert_string_equal(l->y_title, "rate, MB/s");
    assert_true(l->x_min == 4096 && l->x_max == 16777216);
    assert_true(l->y_min == 0 && l->y_max == 1400 * MB);
    labels_are(l->x_ticks, l->n_x_ticks,
               "4 KiB@4096 16 KiB@16384 64 KiB@65536 256 KiB@262144 1 MiB@1048576 4 MiB@4194304 "
               "16 MiB@16777216");
    labels_are(l->y_ticks, l->n_y_ticks,
               "0@0 200@200000000 400@400000000 600@600000000 800@800000000 1,000@1000000000 "
               "1,200@1200000000 1,400@1400000000");
    assert_memory_equal(l->lines[0].points, reads, sizeof reads);
    assert_string_equal(l->note, "Whiskers: 95 % interval of the median.");
    arena_free(&laid.arena);
}

static void sizes_in_a_fixed_unit_are_powers_of_two(void **state)
{
    (void)state;
    struct chart chart = disk;
    chart.x.display = "KiB";
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_string_equal(l->x_title, "block size, KiB");
    labels_are(l->x_ticks, l->n_x_ticks,
               "4@4096 16@16384 64@65536 256@262144 1,024@1048576 4,096@4194304 16,384@16777216");
    arena_free(&laid.arena);
}

static void a_wide_log_axis_names_the_unit_at_each_label(void **state)
{
    (void)state;
    static const struct chart_point points[] = {POINT(1, 3e-9), POINT(2, 2e-3)};
    static const struct chart_series series[] = {SERIES("a", points)};
    struct chart chart = {.kind = CHART_LINES, .x = {"threads", "1", NULL, CHART_LINEAR, false},
                          .y = {"time", "s", NULL, CHART_LOG, false}, .series = series, .n_series = 1};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_string_equal(l->x_title, "threads");
    assert_string_equal(l->y_title, "time");
    assert_string_equal(l->y_unit, "");
    labels_are(l->y_ticks, l->n_y_ticks,
               "1 ns@1e-09 10 ns@1e-08 100 ns@1e-07 1 µs@1e-06 10 µs@1e-05 100 µs@0.0001 "
               "1 ms@0.001 10 ms@0.01");
    arena_free(&laid.arena);
}

static void an_axis_without_a_fixed_unit_is_scaled_by_its_largest_value(void **state)
{
    (void)state;
    static const struct chart_point points[] = {POINT(0, 12e6), POINT(10, 47e6)};
    static const struct chart_series series[] = {SERIES("a", points)};
    struct chart chart = {.kind = CHART_LINES, .x = {"time", "s", NULL, CHART_LINEAR, false},
                          .y = {"speed", "flop/s", NULL, CHART_LINEAR, false}, .series = series,
                          .n_series = 1};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_string_equal(l->y_title, "speed, Mflop/s");
    labels_are(l->y_ticks, l->n_y_ticks,
               "0@0 10@10000000 20@20000000 30@30000000 40@40000000 50@50000000");
    arena_free(&laid.arena);
}

static void points_that_cannot_be_drawn_are_counted_and_said(void **state)
{
    (void)state;
    static const struct chart_point points[] = {
        POINT(1, 10), POINT(2, 0),    POINT(3, -5), POINT(4, 20),
        POINT(5, NAN), POINT(6, 30), POINT(0, 40), POINT(7, INFINITY)};
    static const struct chart_series series[] = {SERIES("a", points)};
    struct chart chart = {.kind = CHART_LINES, .x = {"x", "1", NULL, CHART_LOG, false},
                          .y = {"y", "1", NULL, CHART_LOG, false}, .series = series, .n_series = 1};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_int_equal(l->n_dropped, 5);
    assert_string_equal(
        l->note,
        "3 points are not drawn: zero and negative values have no place on a logarithmic axis. "
        "2 points are not drawn: their values are not finite numbers. "
        "A hollow marker is a single sample.");
    /* 10, gap, 20, gap, 30: no line across what is not there. */
    assert_int_equal(l->lines[0].n_points, 5);
    assert_true(l->lines[0].points[0].y == 10 && isnan(l->lines[0].points[1].y));
    assert_true(l->lines[0].points[2].y == 20 && isnan(l->lines[0].points[3].y));
    assert_true(l->lines[0].points[4].y == 30);
    arena_free(&laid.arena);

    chart.x.scale = chart.y.scale = CHART_LINEAR;
    l = lay(&laid, &chart);
    assert_int_equal(l->n_dropped, 2);
    assert_true(l->y_min == -5);
    arena_free(&laid.arena);
}

static void intervals_end_at_the_plot(void **state)
{
    (void)state;
    static const struct chart_point points[] = {{1, 10, -2, 12, 3}, {2, 40, 30, INFINITY, 3},
                                                {3, 50, 45, 60, 3}};
    static const struct chart_series series[] = {SERIES("a", points)};
    struct chart chart = {.kind = CHART_LINES, .interval_note = "least and greatest",
                          .x = {"x", "1", NULL, CHART_LINEAR, false}, .y = {"y", "1", NULL, CHART_LOG, false},
                          .series = series, .n_series = 1};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_true(l->y_min == 10 && l->y_max == 100);
    assert_true(l->lines[0].points[0].low == 10 && l->lines[0].points[0].high == 12);
    assert_true(l->lines[0].points[1].low == 30 && l->lines[0].points[1].high == 100);
    assert_true(l->lines[0].points[2].low == 45 && l->lines[0].points[2].high == 60);
    assert_string_equal(l->note, "Whiskers: least and greatest. 2 intervals reach beyond the axis "
                                 "and are cut there.");
    arena_free(&laid.arena);
}

static void a_chart_without_a_point_is_refused(void **state)
{
    (void)state;
    static const struct chart_point none[] = {POINT(1, NAN), POINT(0, 5), POINT(2, -1)};
    static const struct chart_series series[] = {SERIES("a", none), {"b", NULL, 0}};
    struct chart chart = {.kind = CHART_LINES, .x = {"x", "B", NULL, CHART_LOG, false},
                          .y = {"y", "B/s", NULL, CHART_LOG, false}, .series = series, .n_series = 2};
    refused(&chart, ERR_DATA, "no point can be drawn");
    chart.n_series = 0;
    refused(&chart, ERR_DATA, "no point can be drawn");
}

static void a_unit_of_another_kind_is_refused(void **state)
{
    (void)state;
    struct chart chart = disk;
    chart.y.display = "KiB";
    refused(&chart, ERR_USAGE, "KiB is not a unit of B/s");
}

static void one_point_is_a_chart(void **state)
{
    (void)state;
    static const struct chart_point point[] = {POINT(65536, 5e6)};
    static const struct chart_series series[] = {SERIES("a", point)};
    struct chart chart = disk;
    chart.series = series;
    chart.n_series = 1;
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    labels_are(l->x_ticks, l->n_x_ticks, "32 KiB@32768 64 KiB@65536 128 KiB@131072");
    assert_true(l->y_min == 0 && l->y_max == 5e6);
    assert_close(chart_place_x(l, 65536), l->plot.left + l->plot.width / 2);
    arena_free(&laid.arena);
}

static void equal_values_are_a_chart(void **state)
{
    (void)state;
    static const struct chart_point points[] = {POINT(3, 0), POINT(3, 0), POINT(3, 0)};
    static const struct chart_series series[] = {SERIES("a", points)};
    struct chart chart = {.kind = CHART_LINES, .x = {"x", "1", NULL, CHART_LINEAR, false},
                          .y = {"y", "B/s", "MB/s", CHART_LINEAR, false}, .series = series, .n_series = 1};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_true(l->x_min == 1.5 && l->x_max == 4.5);
    assert_true(l->y_min == 0 && l->y_max == 1e6);
    arena_free(&laid.arena);
}

static void extreme_numbers_stay_on_the_page(void **state)
{
    (void)state;
    static const struct chart_point points[] = {POINT(-1e280, -1e280), POINT(1e280, 1e280),
                                                POINT(1e308, 1), POINT(0, 1e-320)};
    static const struct chart_series series[] = {SERIES("a", points)};
    struct chart chart = {.kind = CHART_LINES, .x = {"x", "s", "ps", CHART_LINEAR, false},
                          .y = {"y", "1", NULL, CHART_LINEAR, false}, .series = series, .n_series = 1};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_int_equal(l->n_dropped, 1);
    for (size_t i = 0; i < l->lines[0].n_points; i++) {
        const struct chart_point *p = &l->lines[0].points[i];
        if (isnan(p->y))
            continue;
        double x = chart_place_x(l, p->x), y = chart_place_y(l, p->y);
        assert_true(x >= l->plot.left - 1e-6 && x <= l->plot.left + l->plot.width + 1e-6);
        assert_true(y >= l->plot.top - 1e-6 && y <= l->plot.top + l->plot.height + 1e-6);
    }
    arena_free(&laid.arena);
}

static void two_hundred_series_have_forty_styles(void **state)
{
    (void)state;
    static char labels[200][16];
    struct chart_series series[200];
    for (size_t i = 0; i < 200; i++) {
        snprintf(labels[i], sizeof labels[i], "series %zu", i + 1);
        series[i] = (struct chart_series){labels[i], reads, 3};
    }
    struct chart chart = disk;
    chart.series = series;
    chart.n_series = 200;
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_int_equal(l->n_entries, 41);
    assert_string_equal(l->entries[39].label, "series 40");
    assert_string_equal(l->entries[40].label, "160 more, in grey");
    assert_non_null(strstr(l->note, "160 series are grey: there are too many to tell all apart."));
    for (size_t i = 0; i < 41; i++) {
        assert_true(l->entries[i].y > l->plot.top + l->plot.height + 40);
        assert_true(l->entries[i].y + 8 < l->height);
        assert_true(l->entries[i].x + 36 + label_width(l->entries[i].label, 12) <= l->width);
    }
    arena_free(&laid.arena);

    for (size_t i = 0; i < CHART_STYLES; i++) {
        struct chart_style a = chart_style_of(i);
        for (size_t j = 0; j < i; j++) {
            struct chart_style b = chart_style_of(j);
            assert_true(a.colour != b.colour || a.n_dashes != b.n_dashes ||
                        memcmp(a.dashes, b.dashes, sizeof a.dashes) != 0);
            assert_true(a.colour != b.colour || a.fill != b.fill); /* bars have no dashes */
        }
    }
    assert_int_equal(chart_style_of(40).colour, chart_style_of(199).colour);
}

static void a_legend_of_twelve_stands_beside_and_of_thirteen_below(void **state)
{
    (void)state;
    struct chart_series series[13];
    for (size_t i = 0; i < 13; i++)
        series[i] = (struct chart_series){"some machine", reads, 3};
    struct chart chart = disk;
    chart.series = series;
    chart.n_series = 12;
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_true(l->entries[11].x > l->plot.left + l->plot.width);
    assert_true(l->entries[11].y < l->plot.top + l->plot.height);
    arena_free(&laid.arena);
    chart.n_series = 13;
    l = lay(&laid, &chart);
    assert_true(l->entries[0].y > l->plot.top + l->plot.height);
    assert_true(l->entries[12].x > l->entries[0].x);
    arena_free(&laid.arena);
}

static void names_that_are_too_long_for_the_side_stand_whole_below(void **state)
{
    (void)state;
    static const char *const names[] = {
        "Intel(R) Xeon(R) Platinum 8581C CPU @ 2.10GHz, Linux 6.1.0-18-cloud-amd64, threads 2",
        "Intel(R) Xeon(R) Platinum 8581C CPU @ 2.10GHz, Linux 6.1.0-18-cloud-amd64, threads 4"};
    const struct chart_series series[] = {{names[0], reads, 3}, {names[1], reads, 3}};
    struct chart chart = disk;
    chart.series = series;
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(l->entries[i].label, names[i]);
        assert_true(l->entries[i].y > l->plot.top + l->plot.height + 40);
        assert_true(l->entries[i].x + 36 + label_width(names[i], 12) <= l->width);
    }
    assert_true(l->plot.width > 700);
    arena_free(&laid.arena);
}

static void a_narrow_chart_keeps_to_its_page(void **state)
{
    (void)state;
    struct chart chart = disk;
    chart.width = CHART_NARROW_WIDTH;
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_int_equal(l->width, CHART_NARROW_WIDTH);
    assert_true(l->plot.width > 250);
    assert_true(l->plot.left + l->plot.width <= l->width);
    assert_true(l->plot.height < l->plot.width);
    double end = 0;
    for (size_t i = 0; i < l->n_x_ticks; i++) {
        double half = label_width(l->x_ticks[i].label, 12) / 2;
        double x = chart_place_x(l, l->x_ticks[i].at);
        if (!l->x_ticks[i].label[0])
            continue;
        assert_true(x - half > end);
        end = x + half;
    }
    assert_true(end <= l->width);
    assert_true(end > 0);
    for (size_t i = 0; i < l->n_entries; i++) {
        assert_true(l->entries[i].y > l->plot.top + l->plot.height + 40);
        assert_true(l->entries[i].y + 8 < l->height);
    }
    arena_free(&laid.arena);
}

static void a_hundred_thousand_points_are_thinned_to_the_pixels(void **state)
{
    (void)state;
    size_t n = 100000;
    struct chart_point *points = calloc(n, sizeof *points);
    assert_non_null(points);
    for (size_t i = 0; i < n; i++)
        points[i] = (struct chart_point){(double)i, 1000 + (double)(i * 7919 % 1000), 0, 9999, 3};
    points[54321].y = 5000;
    points[65432].y = 1;
    const struct chart_series series[] = {{"a", points, n}};
    struct chart chart = {.kind = CHART_LINES, .interval_note = "x",
                          .x = {"x", "1", NULL, CHART_LINEAR, false},
                          .y = {"y", "1", NULL, CHART_LINEAR, false},
                          .series = series, .n_series = 1};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    const struct chart_line *line = &l->lines[0];
    assert_true((double)line->n_points <= 4 * l->plot.width);
    assert_true((double)line->n_points > 3 * l->plot.width);
    assert_false(line->has_markers);
    assert_true(line->points[0].x == 0);
    assert_true(line->points[line->n_points - 1].x == (double)(n - 1));
    bool has_peak = false, has_dip = false;
    for (size_t i = 0; i < line->n_points; i++) {
        assert_true(i == 0 || line->points[i].x > line->points[i - 1].x);
        has_peak |= line->points[i].x == 54321 && line->points[i].y == 5000;
        has_dip |= line->points[i].x == 65432 && line->points[i].y == 1;
    }
    assert_true(has_peak && has_dip);
    assert_string_equal(l->note, "1 line has too many points: of each column of pixels its first, "
                                 "lowest, highest and last are drawn. 1 line is too dense to show "
                                 "its intervals.");
    arena_free(&laid.arena);
    free(points);
}

static void bars_lie_below_each_other(void **state)
{
    (void)state;
    static const struct chart_point a[] = {{0, 2e9, 1.9e9, 2.1e9, 5}, {1, 1e9, NAN, NAN, 5}};
    static const struct chart_point b[] = {{0, 3e9, NAN, NAN, 5}, {2, 1e9, NAN, NAN, 5},
                                           {0.5, 1e9, NAN, NAN, 5}};
    static const struct chart_series series[] = {SERIES("a", a), SERIES("b", b)};
    static const char *const categories[] = {"first", "second"};
    struct chart chart = {.kind = CHART_BARS, .x = {"test", "1", NULL, CHART_LINEAR, false},
                          .y = {"speed", "flop/s", NULL, CHART_LINEAR, false}, .series = series,
                          .n_series = 2, .categories = categories, .n_categories = 2};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    labels_are(l->x_ticks, l->n_x_ticks, "first@0 second@1");
    assert_true(l->y_min == 0 && l->y_max == 3e9);
    assert_string_equal(l->y_title, "speed, Gflop/s");
    assert_string_equal(l->note, "2 points are not drawn: they belong to no category.");
    double from, to, next, end;
    chart_bar_span(&chart, 0, 0, &from, &to);
    chart_bar_span(&chart, 1, 0, &next, &end);
    assert_close(from, -0.38);
    assert_close(to, next);
    assert_close(end, 0.38);
    assert_true(chart_place_x(l, 0) < chart_place_x(l, 1));
    assert_close(chart_place_y(l, 0), l->plot.left);
    assert_close(chart_place_y(l, 3e9), l->plot.left + l->plot.width);
    arena_free(&laid.arena);
}

static void too_many_bars_keep_to_the_page(void **state)
{
    (void)state;
    enum { N = 5000 };
    static const char *categories[N];
    struct chart_point *points = calloc(N, sizeof *points);
    assert_non_null(points);
    for (size_t i = 0; i < N; i++) {
        points[i] = (struct chart_point){(double)i, 1 + (double)i, NAN, NAN, 1};
        categories[i] = "c";
    }
    const struct chart_series series[] = {{"a", points, N}};
    struct chart chart = {.kind = CHART_BARS, .x = {"", "1", NULL, CHART_LINEAR, false},
                          .y = {"y", "1", NULL, CHART_LINEAR, false}, .series = series, .n_series = 1,
                          .categories = categories, .n_categories = N};
    struct laid laid;
    const struct chart_layout *l = lay(&laid, &chart);
    assert_true(l->height <= 16383);
    double before = -100;
    for (size_t i = 0; i < l->n_x_ticks; i++)
        if (l->x_ticks[i].label[0]) {
            double at = chart_place_x(l, l->x_ticks[i].at);
            assert_true(at - before >= 14);
            before = at;
        }
    arena_free(&laid.arena);
    free(points);
}

/* Whatever the range and the unit: labels of ticks and of marks keep clear of each other. */
static void no_label_covers_another(void **state)
{
    (void)state;
    static const struct {
        const char *unit, *display;
    } units[] = {{"B", NULL}, {"B", "KiB"}, {"s", NULL}, {"B/s", "MB/s"}, {"1", NULL}};
    uint64_t random = 7;
    for (int round = 0; round < 3000; round++) {
        struct chart_point points[4];
        struct chart_mark marks[6];
        double exponent[4];
        for (int i = 0; i < 4; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            exponent[i] = (double)(random >> 40) / 16777216.0 * (i % 2 ? 12 : 24) - 3;
        }
        for (int i = 0; i < 4; i++)
            points[i] = (struct chart_point){
                pow(10, exponent[0]) * (1 + i * pow(10, exponent[1] - 4)),
                pow(10, exponent[2]) * (1 + i * exponent[3] * exponent[3]), NAN, NAN, 1};
        for (int i = 0; i < 6; i++)
            marks[i] = (struct chart_mark){points[i % 4].x * (1 + 0.02 * i), "a mark of a kind"};
        /* With a legend beside the plot, or below it, so that the plot reaches to the margin. */
        const struct chart_series series[] = {
            SERIES(round % 4 < 2 ? "a machine" : "a machine whose name is long, in its second configuration",
                   points)};
        size_t u = (size_t)round % 5, v = (size_t)(round / 5) % 5;
        enum chart_scale x = round % 2 ? CHART_LOG : CHART_LINEAR;
        enum chart_scale y = round % 3 ? CHART_LOG : CHART_LINEAR;
        struct chart chart = {.kind = CHART_LINES,
                              .x = {"x", units[u].unit, units[u].display, x, false},
                              .y = {"y", units[v].unit, units[v].display, y, false},
                              .series = series, .n_series = 1, .marks = marks, .n_marks = 6};
        struct laid laid;
        const struct chart_layout *l = lay(&laid, &chart);
        double end = -1000;
        size_t n_labels = 0;
        for (size_t i = 0; i < l->n_x_ticks; i++)
            if (l->x_ticks[i].label[0]) {
                double half = label_width(l->x_ticks[i].label, 12) / 2;
                double at = chart_place_x(l, l->x_ticks[i].at);
                if (at - half < end + 6)
                    fail_msg("round %d: %s", round, l->x_ticks[i].label);
                end = at + half;
                n_labels++;
            }
        assert_true(n_labels >= 1);
        assert_true(end <= l->width);
        end = 1e9;
        for (size_t i = 0; i < l->n_y_ticks; i++)
            if (l->y_ticks[i].label[0]) {
                double at = chart_place_y(l, l->y_ticks[i].at);
                assert_true(at + 12 < end);
                end = at - 6;
                assert_true(label_width(l->y_ticks[i].label, 12) + 10 < l->plot.left);
            }
        for (size_t i = 0; i < l->n_flags; i++)
            for (size_t j = 0; j < i; j++) {
                const struct chart_flag *a = &l->flags[i], *b = &l->flags[j];
                if (a->label[0] && b->label[0] && a->label_y == b->label_y)
                    assert_true(a->label_left > b->label_left + label_width(b->label, 11) ||
                                b->label_left > a->label_left + label_width(a->label, 11));
            }
        arena_free(&laid.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paging_graph_is_right),
        cmocka_unit_test(the_disk_graph_is_right),
        cmocka_unit_test(sizes_in_a_fixed_unit_are_powers_of_two),
        cmocka_unit_test(a_wide_log_axis_names_the_unit_at_each_label),
        cmocka_unit_test(an_axis_without_a_fixed_unit_is_scaled_by_its_largest_value),
        cmocka_unit_test(points_that_cannot_be_drawn_are_counted_and_said),
        cmocka_unit_test(intervals_end_at_the_plot),
        cmocka_unit_test(a_chart_without_a_point_is_refused),
        cmocka_unit_test(a_unit_of_another_kind_is_refused),
        cmocka_unit_test(one_point_is_a_chart),
        cmocka_unit_test(equal_values_are_a_chart),
        cmocka_unit_test(extreme_numbers_stay_on_the_page),
        cmocka_unit_test(two_hundred_series_have_forty_styles),
        cmocka_unit_test(a_legend_of_twelve_stands_beside_and_of_thirteen_below),
        cmocka_unit_test(names_that_are_too_long_for_the_side_stand_whole_below),
        cmocka_unit_test(a_narrow_chart_keeps_to_its_page),
        cmocka_unit_test(a_hundred_thousand_points_are_thinned_to_the_pixels),
        cmocka_unit_test(bars_lie_below_each_other),
        cmocka_unit_test(too_many_bars_keep_to_the_page),
        cmocka_unit_test(no_label_covers_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
