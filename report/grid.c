#include "report/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/order.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* ---- making tables ---- */

/* What qsort cannot be told otherwise: an order by up to two lists of fields. */
static int compare_by(const struct fields *fields, const struct cell *a, const struct cell *b)
{
    for (size_t i = 0; i < fields->n; i++) {
        int order = field_compare(&fields->list[i], a, b);
        if (order != 0)
            return order;
    }
    return 0;
}

static int compare_cells_by(const void *a, const void *b, void *context)
{
    const struct cell *x = *(const struct cell *const *)a;
    const struct cell *y = *(const struct cell *const *)b;
    int order = compare_by(context, x, y);
    return order ? order : (x > y) - (x < y);
}

static void sort_by(const struct cell **cells, size_t n, struct fields *fields)
{
    if (n > 1)
        qsort_r(cells, n, sizeof *cells, compare_cells_by, fields);
}

bool fields_have(const struct fields *fields, const struct field *field)
{
    for (size_t i = 0; i < fields->n; i++)
        if (fields->list[i].type == field->type &&
            (field->type != FIELD_PARAM || strcmp(fields->list[i].key, field->key) == 0))
            return true;
    return false;
}

static int add_field(struct fields *fields, struct field field, struct err *err)
{
    if (fields_have(fields, &field))
        return 0;
    if (fields->n == FIELDS_MAX)
        return err_set(err, ERR_DATA, "more than %d columns and parameters to group by", FIELDS_MAX);
    fields->list[fields->n++] = field;
    return 0;
}

/* Appends the keys of params of the cells, each once, in order. */
static int param_keys(const struct cell *const *cells, size_t n, struct arena *arena,
                      struct fields *fields, struct err *err)
{
    const char *last = "";
    for (size_t i = 0; i < n; i++) {
        const char *p = cells[i]->key->params;
        if (strcmp(p, last) == 0)
            continue;
        last = p;
        while (*p) {
            size_t size = strcspn(p, "=;");
            bool is_known = false;
            for (size_t f = 0; f < fields->n && !is_known; f++)
                is_known = fields->list[f].type == FIELD_PARAM &&
                           strlen(fields->list[f].key) == size &&
                           memcmp(fields->list[f].key, p, size) == 0;
            if (!is_known) {
                const char *key = arena_copy(arena, p, size);
                if (!key)
                    return out_of_memory(err);
                TRY(add_field(fields, (struct field){FIELD_PARAM, key}, err));
            }
            p += strcspn(p, ";");
            p += *p == ';';
        }
    }
    return 0;
}

/* True when cells that agree in all of `columns` agree in the field too. cells [n] are sorted by
 * `columns`. */
static bool is_settled_by(const struct fields *columns, const struct field *field,
                          const struct cell *const *cells, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare_by(columns, cells[i - 1], cells[i]) == 0 &&
            field_compare(field, cells[i - 1], cells[i]) != 0)
            return false;
    return true;
}

/* Decides which fields of rows and columns stay there. */
static int grid_fields(struct grid *grid, const struct cell **cells, size_t n,
                       const struct fields *rows, const struct fields *columns, struct err *err)
{
    for (size_t i = 0; i < columns->n; i++)
        TRY(add_field(field_varies(&columns->list[i], cells, n) ? &grid->columns : &grid->fixed,
                      columns->list[i], err));
    struct fields settled = {0};
    if (grid->columns.n > 0)
        sort_by(cells, n, &grid->columns);
    for (size_t i = 0; i < rows->n; i++) {
        const struct field *field = &rows->list[i];
        bool is_setting = field->type == FIELD_PARAM || field->type == FIELD_THREADS;
        if (!field_varies(field, cells, n))
            TRY(add_field(&grid->fixed, *field, err));
        else if (is_setting && grid->columns.n > 0 &&
                 is_settled_by(&grid->columns, field, cells, n))
            TRY(add_field(&settled, *field, err));
        else
            TRY(add_field(&grid->rows, *field, err));
    }
    for (size_t i = 0; i < settled.n; i++)
        TRY(add_field(&grid->columns, settled.list[i], err));
    /* A table has a header on both sides, even when nothing varies. */
    struct fields *const sides[] = {&grid->rows, &grid->columns};
    const struct fields *const wanted[] = {rows, columns};
    for (int side = 0; side < 2; side++) {
        if (sides[side]->n > 0)
            continue;
        struct field field = wanted[side]->n > 0 ? wanted[side]->list[0]
                             : side == 0         ? (struct field){FIELD_TEST, NULL}
                                                 : (struct field){FIELD_MACHINE, NULL};
        sides[side]->list[sides[side]->n++] = field;
        for (size_t i = 0; i < grid->fixed.n; i++) {
            if (grid->fixed.list[i].type != field.type)
                continue;
            memmove(&grid->fixed.list[i], &grid->fixed.list[i + 1],
                    (grid->fixed.n - i - 1) * sizeof grid->fixed.list[0]);
            grid->fixed.n--;
            break;
        }
    }
    return 0;
}

/* The distinct heads of cells [n], sorted by `fields` here; NULL when memory is out. */
static const struct cell **heads(const struct cell **cells, size_t n, struct fields *fields,
                                 struct arena *arena, size_t *n_heads)
{
    const struct cell **list = arena_take(arena, n, sizeof *list);
    *n_heads = 0;
    sort_by(cells, n, fields);
    for (size_t i = 0; i < n && list; i++)
        if (i == 0 || compare_by(fields, cells[i - 1], cells[i]) != 0)
            list[(*n_heads)++] = cells[i];
    return list;
}

static size_t head_index(const struct cell *const *list, size_t n, const struct fields *fields,
                         const struct cell *cell)
{
    size_t low = 0, high = n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (compare_by(fields, list[middle], cell) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int grid_fill(struct grid *grid, const struct cell **cells, size_t n,
                     const struct fields *rows, const struct fields *columns, struct arena *arena,
                     struct err *err)
{
    *grid = (struct grid){.first = cells[0]};
    for (size_t i = 0; i < n; i++)
        if (cells[i] < grid->first) /* the order in memory is that of the selection */
            grid->first = cells[i];
    TRY(grid_fields(grid, cells, n, rows, columns, err));
    grid->row_heads = heads(cells, n, &grid->rows, arena, &grid->n_rows);
    grid->column_heads = heads(cells, n, &grid->columns, arena, &grid->n_columns);
    if (!grid->row_heads || !grid->column_heads || grid->n_rows > SIZE_MAX / grid->n_columns)
        return out_of_memory(err);
    grid->cells = arena_take(arena, grid->n_rows * grid->n_columns, sizeof(const struct cell *));
    if (!grid->cells)
        return out_of_memory(err);
    for (size_t i = 0; i < grid->n_rows * grid->n_columns; i++)
        grid->cells[i] = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t row = head_index(grid->row_heads, grid->n_rows, &grid->rows, cells[i]);
        size_t column = head_index(grid->column_heads, grid->n_columns, &grid->columns, cells[i]);
        grid->cells[row * grid->n_columns + column] = cells[i];
    }
    return 0;
}

/* Everything that can tell two cells apart and is not in rows or columns: what tables are split by. */
static int split_fields(const struct cell *const *cells, size_t n, const struct fields *rows,
                        const struct fields *columns, struct arena *arena, struct fields *split,
                        struct err *err)
{
    static const enum field_type types[] = {FIELD_KERNEL, FIELD_REVISION, FIELD_METRIC,
                                            FIELD_UNIT,   FIELD_X_UNIT,   FIELD_TEST,
                                            FIELD_X,      FIELD_THREADS,  FIELD_MACHINE,
                                            FIELD_VARIANT, FIELD_RUN};
    struct fields all = {0};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        TRY(add_field(&all, (struct field){types[i], NULL}, err));
    TRY(param_keys(cells, n, arena, &all, err));
    for (size_t i = 0; i < all.n; i++)
        if (!fields_have(rows, &all.list[i]) && !fields_have(columns, &all.list[i]))
            TRY(add_field(split, all.list[i], err));
    return 0;
}

int grids_make(const struct cell **cells, size_t n, const struct fields *rows,
               const struct fields *columns, struct arena *arena, struct grid **grids,
               size_t *n_grids, struct err *err)
{
    struct fields split = {0};
    TRY(split_fields(cells, n, rows, columns, arena, &split, err));
    sort_by(cells, n, &split);
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += i == 0 || compare_by(&split, cells[i - 1], cells[i]) != 0;
    *grids = arena_take(arena, count, sizeof **grids);
    if (!*grids)
        return out_of_memory(err);
    *n_grids = 0;
    for (size_t i = 0, end; i < n; i = end) {
        /* The first cell of a group, kept: filling a table reorders the group. */
        const struct cell *first = cells[i];
        for (end = i + 1; end < n && compare_by(&split, first, cells[end]) == 0;)
            end++;
        struct grid *grid = &(*grids)[*n_grids];
        TRY(grid_fill(grid, cells + i, end - i, rows, columns, arena, err));
        /* What a table was split by and others have otherwise is said above it. */
        for (size_t f = 0; f < split.n; f++)
            if (split.list[f].type >= FIELD_TEST)
                TRY(add_field(&grid->fixed, split.list[f], err));
        ++*n_grids;
    }
    return 0;
}

struct scale grid_scale_of(const struct grid *grid, double value)
{
    const char *unit = grid->first->unit;
    const char *fixed = display_unit(display_find(grid->first->key->kernel), unit);
    struct scale scale;
    if (!fixed || !scale_find(unit, fixed, &scale))
        scale = scale_choose(value, unit, SCALE_DIGITS);
    return scale;
}

struct scale grid_scale(const struct grid *grid, size_t row)
{
    double largest = 0;
    for (size_t c = 0; c < grid->n_columns; c++) {
        const struct cell *cell = grid->cells[row * grid->n_columns + c];
        if (cell && cell->summary.n > 0)
            largest = fmax(largest, fabs(cell->summary.median));
    }
    return grid_scale_of(grid, largest);
}

int fields_parse(const char *list, const char *other, const struct selection *selection,
                 const struct cell *const *cells, size_t n, struct arena *arena,
                 struct fields *fields, struct err *err)
{
    static const struct {
        const char *name;
        enum field_type type;
    } names[] = {{"kernel", FIELD_KERNEL},   {"revision", FIELD_REVISION}, {"metric", FIELD_METRIC},
                 {"test", FIELD_TEST},       {"x", FIELD_X},               {"threads", FIELD_THREADS},
                 {"machine", FIELD_MACHINE}, {"variant", FIELD_VARIANT},   {"run", FIELD_RUN}};
    (void)selection;
    struct fields keys = {0}, taken = {0};
    TRY(param_keys(cells, n, arena, &keys, err));
    /* Keys that a list names are not part of its, or the other's, `params`. */
    const char *const lists[] = {list ? list : "", other ? other : ""};
    for (size_t l = 0; l < 2; l++)
        for (size_t k = 0; k < keys.n; k++)
            for (const char *p = lists[l]; *p; p += strcspn(p, ","), p += *p == ',')
                if (strcspn(p, ",") == strlen(keys.list[k].key) &&
                    memcmp(p, keys.list[k].key, strlen(keys.list[k].key)) == 0)
                    TRY(add_field(&taken, keys.list[k], err));
    for (const char *p = lists[0]; *p; p += strcspn(p, ","), p += *p == ',') {
        size_t size = strcspn(p, ",");
        bool is_found = false;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            if (strlen(names[i].name) == size && memcmp(names[i].name, p, size) == 0) {
                TRY(add_field(fields, (struct field){names[i].type, NULL}, err));
                is_found = true;
            }
        }
        bool is_params = size == 6 && memcmp(p, "params", 6) == 0;
        for (size_t k = 0; k < keys.n; k++) {
            const struct field *key = &keys.list[k];
            if (is_params ? fields_have(&taken, key)
                          : strlen(key->key) != size || memcmp(key->key, p, size) != 0)
                continue;
            TRY(add_field(fields, *key, err));
            is_found = true;
        }
        if (!is_found && !is_params)
            return err_set(err, ERR_USAGE, "'%.*s' is no column to group by and no key of params",
                           (int)(size < 60 ? size : 60), p);
    }
    return 0;
}
