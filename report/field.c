#include "report/grid.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/order.h"
#include "report/scale.h"
#include "schema/number.h"
#include "schema/params.h"
#include "schema/unit.h"

/* The value of a key of params as it is written, escapes and all. */
static const char *raw_param(const struct cell *cell, const char *key, size_t *size)
{
    size_t key_size = strlen(key);
    for (const char *p = cell->key->params; *p; p += strcspn(p, ";"), p += *p == ';') {
        if (strncmp(p, key, key_size) == 0 && p[key_size] == '=') {
            *size = strcspn(p + key_size + 1, ";");
            return p + key_size + 1;
        }
    }
    *size = 0;
    return NULL; /* without the key */
}

/* True when the blank-separated list (or NULL) has the word. */
static bool word_find(const char *list, const char *word)
{
    size_t size = strlen(word);
    for (const char *p = list ? list : ""; *p; p += strcspn(p, " "), p += *p == ' ')
        if (strcspn(p, " ") == size && memcmp(p, word, size) == 0)
            return true;
    return false;
}

static int compare_params(const char *key, const struct cell *a, const struct cell *b)
{
    size_t m, n;
    const char *x = raw_param(a, key, &m), *y = raw_param(b, key, &n);
    if (!x || !y)
        return (x != NULL) - (y != NULL);
    if (m == n && memcmp(x, y, m) == 0)
        return 0;
    struct buffer p = {0}, q = {0};
    buffer_add(&p, x, m);
    buffer_add(&q, y, n);
    int order = natural_compare(buffer_text(&p), buffer_text(&q));
    buffer_free(&p);
    buffer_free(&q);
    return order;
}

int field_compare(const struct field *field, const struct cell *a, const struct cell *b)
{
    const struct record *x = a->key, *y = b->key;
    switch (field->type) {
    case FIELD_KERNEL:
        return natural_compare(x->kernel, y->kernel);
    case FIELD_REVISION:
        return compare_counts(x->revision, y->revision);
    case FIELD_METRIC:
        return compare_metrics(x->metric, y->metric);
    case FIELD_UNIT:
        return strcmp(a->unit, b->unit);
    case FIELD_X_UNIT:
        return strcmp(x->x_unit, y->x_unit);
    case FIELD_TEST:
        return natural_compare(x->test, y->test);
    case FIELD_X:
        return RECORD_HAS(x, x) != RECORD_HAS(y, x) ? (RECORD_HAS(x, x) ? 1 : -1)
                                                    : compare_numbers(x->x, y->x);
    case FIELD_THREADS:
        return compare_counts(x->threads, y->threads);
    case FIELD_MACHINE:
        return compare_counts(a->machine, b->machine);
    case FIELD_VARIANT:
        return natural_compare(x->variant, y->variant);
    case FIELD_RUN:
        return strcmp(a->run, b->run);
    case FIELD_REGION:
        return a->region && b->region ? strcmp(a->region, b->region)
                                      : (a->region != NULL) - (b->region != NULL);
    default:
        return compare_params(field->key, a, b);
    }
}

/* A size as it was set: in the largest unit that leaves it a whole number, of 1,024 or of 1,000. */
static void whole_text(double x, const char *unit, struct buffer *out)
{
    static const char *const spellings[] = {"GiB", "MiB", "KiB", "GB", "MB", "kB", "B"};
    enum { N_SPELLINGS = sizeof spellings / sizeof spellings[0] };
    struct scale scale;
    char text[SCALE_TEXT_SIZE];
    for (size_t i = 0; i < N_SPELLINGS; i++) {
        if (strcmp(unit, "B") == 0 && scale_find(unit, spellings[i], &scale) &&
            (x / scale.per == floor(x / scale.per) || i == N_SPELLINGS - 1) && x != 0) {
            scale_format_as(x, &scale, 17, text);
            buffer_add_text(out, text);
            return;
        }
    }
    scale_format(x, unit, 6, text);
    buffer_add_text(out, text);
}

/* A setting, and a size as a size. */
static void param_text(const struct record *key, const char *name, struct buffer *out)
{
    size_t start = out->size;
    double bytes;
    if (!params_get(key->params, name, out)) {
        buffer_add_char(out, '-');
    } else if (word_find(display_find(key->kernel)->byte_params, name) &&
               number_parse(out->bytes + start, out->size - start, &bytes)) {
        out->size = start;
        whole_text(bytes, "B", out);
    }
}

void field_text(const struct field *field, const struct selection *selection,
                const struct cell *cell, const char *x_display, struct buffer *out)
{
    const struct record *key = cell->key;
    struct scale scale;
    char text[SCALE_TEXT_SIZE];
    switch (field->type) {
    case FIELD_KERNEL:
        buffer_add_text(out, key->kernel);
        break;
    case FIELD_REVISION:
        buffer_add_format(out, "%" PRIu64, key->revision);
        break;
    case FIELD_METRIC:
        buffer_add_text(out, key->metric);
        break;
    case FIELD_UNIT:
        buffer_add_text(out, cell->unit);
        break;
    case FIELD_X_UNIT:
        buffer_add_text(out, key->x_unit);
        break;
    case FIELD_TEST:
        buffer_add_text(out, key->test);
        break;
    case FIELD_X:
        if (!RECORD_HAS(key, x)) {
            buffer_add_char(out, '-');
        } else if (x_display && scale_find(key->x_unit, x_display, &scale)) {
            scale_format_as(key->x, &scale, 9, text);
            buffer_add_text(out, text);
        } else {
            whole_text(key->x, key->x_unit, out);
        }
        break;
    case FIELD_THREADS:
        buffer_add_format(out, "%" PRIu64, key->threads);
        break;
    case FIELD_MACHINE:
        buffer_add_text(out, selection->machines.machines[cell->machine].name);
        break;
    case FIELD_VARIANT:
        buffer_add_text(out, key->variant);
        break;
    case FIELD_RUN:
        buffer_add_text(out, cell->run);
        break;
    case FIELD_REGION:
        buffer_add_text(out, cell->region ? cell->region : "-");
        break;
    default:
        param_text(key, field->key, out);
    }
}

bool field_is_absent(const struct field *field, const struct cell *cell)
{
    size_t size;
    switch (field->type) {
    case FIELD_X:
        return !RECORD_HAS(cell->key, x);
    case FIELD_RUN:
        return cell->run[0] == '\0';
    case FIELD_REGION:
        return !cell->region;
    case FIELD_PARAM:
        return raw_param(cell, field->key, &size) == NULL;
    default:
        return false;
    }
}

const char *field_title(const struct field *field)
{
    static const char *const titles[] = {"kernel",  "revision", "metric",  "unit",
                                         "x unit",  "test",     "x",       "threads",
                                         "machine", "variant",  "run",     "region"};
    return field->type == FIELD_PARAM ? field->key : titles[field->type];
}

const char *field_heading(const struct field *field, const char *kernel)
{
    bool is_x = field->type == FIELD_X ||
                (field->type == FIELD_PARAM && strcmp(field->key, "x") == 0);
    return is_x ? display_find(kernel)->x_title : field_title(field);
}

bool field_varies(const struct field *field, const struct cell *const *cells, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (field_compare(field, cells[0], cells[i]) != 0)
            return true;
    return false;
}

static const struct display_mark memory_marks[] = {{"memory.total", "memory"}, {0}};
static const struct display_mark cache_marks[] = {
    {"cache.l1d", "L1"}, {"cache.l2", "L2"}, {"cache.l3", "L3"}, {0}};

/* Units: those of the tables of these kernels' ancestors (Longbottom's paging and disk tests). */
static const struct display displays[] = {
    {.kernel = "paging",
     .x_unit = "KiB",
     .rate_unit = "MB/s",
     .log_y = true,
     .x_title = "array size",
     .byte_params = "limit x",
     .marks = memory_marks},
    {.kernel = "bus_speed", .x_title = "array size", .marks = cache_marks},
    {.kernel = "rand_mem", .x_title = "array size", .marks = cache_marks},
    {.kernel = "mem_speed", .x_title = "array size", .marks = cache_marks},
    {.kernel = "mem_latency", .x_title = "array size", .marks = cache_marks},
    {.kernel = "mem_move", .x_title = "array size", .marks = cache_marks},
    {.kernel = "int_burn", .x_title = "array size", .marks = cache_marks},
    {.kernel = "mflops", .x_title = "array size", .marks = cache_marks},
    {.kernel = "disk_block",
     .rate_unit = "MB/s",
     .tests_together = true,
     .x_title = "block size",
     .byte_params = "block size"},
    {.kernel = "disk_raw", .rate_unit = "MB/s", .x_title = "block size", .byte_params = "bytes size"},
    {.kernel = "disk_files", .rate_unit = "MB/s", .x_title = "file size", .byte_params = "on_disk size"},
    {.kernel = "disk_random", .tests_together = true, .x_title = "file size", .byte_params = "block"},
    {.kernel = "compress", .x_title = "file size", .byte_params = "bytes"},
    {.kernel = "crypto", .x_title = "block size"},
    {.kernel = "openssl_speed", .x_title = "block size"},
    {.kernel = "fft", .x_title = "points"},
    {.kernel = "image", .x_title = "image size"},
    {.kernel = "graphics", .x_title = "pixels"},
    {.kernel = "control", .x_title = "array size", .is_control = true},
};

const struct display *display_find(const char *kernel)
{
    static const struct display plain = {.x_title = "array size"};
    for (size_t i = 0; i < sizeof displays / sizeof displays[0]; i++)
        if (strcmp(displays[i].kernel, kernel) == 0)
            return &displays[i];
    return &plain;
}

const char *display_unit(const struct display *display, const char *unit)
{
    return strcmp(unit, "B/s") == 0 ? display->rate_unit : NULL;
}
