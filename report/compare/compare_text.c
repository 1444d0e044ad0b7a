#include "report/compare/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/grid.h"
#include "report/scale.h"
#include "report/sheet.h"

/* For people: a terminal, or the comment that a CI system leaves. */

enum compare_column {
    COLUMN_BASE,
    COLUMN_NEW,
    COLUMN_RATIO,
    COLUMN_INVERSE,
    COLUMN_INTERVAL,
    COLUMN_P,
    COLUMN_VERDICT,
    COLUMNS
};
static const struct {
    const char *word, *title;
} columns[COLUMNS] = {[COLUMN_BASE] = {"base", "base"},
                      [COLUMN_NEW] = {"new", "new"},
                      [COLUMN_RATIO] = {"ratio", "new / base"},
                      [COLUMN_INVERSE] = {"inverse", "base / new"},
                      [COLUMN_INTERVAL] = {"interval", "95 % interval"},
                      [COLUMN_P] = {"p", "p"},
                      [COLUMN_VERDICT] = {"verdict", "verdict"}};

const char *const compare_default_columns = "base,new,ratio,interval,p,verdict";

struct print {
    struct comparison *comparison;
    struct buffer *out;
    struct buffer text;
    bool is_markdown;
    enum compare_column columns[COLUMNS]; /* [n_columns] */
    size_t n_columns;
};

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

/* Appends a text from a record. In Markdown all that begins markup is escaped; `|` would end a
 * cell. CommonMark 0.31, section 2.4: any ASCII punctuation may stand behind a backslash. */
static void label_add(const struct print *print, struct buffer *out, const char *label)
{
    struct buffer clean = {0};
    sheet_label_add(&clean, label);
    for (const char *p = buffer_text(&clean); *p; p++) {
        if (print->is_markdown && strchr("\\`*_{}[]<>()#!|~&@:", *p))
            buffer_add_char(out, '\\');
        buffer_add_char(out, *p);
    }
    out->failed = out->failed || clean.failed;
    buffer_free(&clean);
}

static const struct cell *key_of(const struct compared *compared)
{
    return compared->cells[SIDE_BASE];
}

/* The machine, as far as both sides have it: one configuration against another is of neither alone. */
static const char *machine_text(const struct comparison *comparison, const struct compared *compared)
{
    const struct machine *machines[SIDES];
    for (int s = 0; s < SIDES; s++)
        machines[s] = &comparison->sides[s].selection->machines.machines[compared->cells[s]->machine];
    bool is_one = strcmp(machines[SIDE_BASE]->name, machines[SIDE_NEW]->name) == 0;
    return is_one ? machines[SIDE_BASE]->name : machines[SIDE_BASE]->whole;
}

static void field_add(const struct print *print, struct buffer *out, const struct field *field,
                      const struct compared *compared)
{
    const struct cell *cell = key_of(compared);
    struct buffer text = {0};
    if (field->type == FIELD_MACHINE)
        buffer_add_text(&text, machine_text(print->comparison, compared));
    else
        field_text(field, print->comparison->sides[SIDE_BASE].selection, cell,
                   display_find(cell->key->kernel)->x_unit, &text);
    label_add(print, out, buffer_text(&text));
    out->failed = out->failed || text.failed;
    buffer_free(&text);
}

/* ---- one cell ---- */

static void median_add(const struct compared *compared, enum side side, struct buffer *out)
{
    const struct change *change = &compared->change;
    if (change->n[side] == 0) {
        buffer_add_text(out, compared->n_failed[side] > 0
                                 ? record_status_text(compared->failure[side])
                                 : "warm-ups");
        return;
    }
    const char *unit = compared->cells[side]->unit;
    const char *fixed = display_unit(display_find(key_of(compared)->key->kernel), unit);
    struct scale scale;
    char text[SCALE_TEXT_SIZE];
    /* One unit for both sides. */
    double largest = fmax(change->n[SIDE_BASE] > 0 ? fabs(change->median[SIDE_BASE]) : 0,
                          change->n[SIDE_NEW] > 0 ? fabs(change->median[SIDE_NEW]) : 0);
    if (!fixed || !scale_find(unit, fixed, &scale))
        scale = scale_choose(largest, unit, 4);
    scale_format_as(change->median[side], &scale, 4, text);
    if (change->n_runs[side] > 1)
        buffer_add_format(out, "%s (%zu of %zu runs)", text, change->n[side], change->n_runs[side]);
    else
        buffer_add_format(out, "%s (%zu)", text, change->n[side]);
}

/* As many decimals as tell it from 1. */
static void ratio_add(double ratio, struct buffer *out)
{
    char text[SCALE_TEXT_SIZE];
    double distance = fabs(ratio - 1);
    if (ratio >= 0.1 && ratio < 10 && distance >= 5e-7)
        buffer_add_format(out, "%.*f", distance >= 5e-4 ? 3 : 6, ratio);
    else if (distance < 5e-7)
        buffer_add_text(out, distance > 0 ? "1.000000" : "1");
    else {
        scale_number(ratio, 3, text);
        buffer_add_text(out, text);
    }
}

static void p_add(double p, struct buffer *out)
{
    if (p < 1e-4)
        buffer_add_format(out, "%.0e", p);
    else
        buffer_add_format(out, p < 0.01 ? "%.4f" : "%.2f", p);
}

static void column_add(const struct print *print, const struct compared *compared,
                       enum compare_column column, struct buffer *out)
{
    const struct change *change = &compared->change;
    struct buffer reason = {0};
    switch (column) {
    case COLUMN_BASE:
    case COLUMN_NEW:
        median_add(compared, column == COLUMN_BASE ? SIDE_BASE : SIDE_NEW, out);
        break;
    case COLUMN_RATIO:
    case COLUMN_INVERSE:
        if (change->has_ratio)
            ratio_add(column == COLUMN_RATIO ? change->ratio : 1 / change->ratio, out);
        else
            buffer_add_text(out, "none");
        break;
    case COLUMN_INTERVAL:
        if (change->has_interval) {
            ratio_add(change->low, out);
            buffer_add_text(out, " to ");
            ratio_add(change->high, out);
        } else {
            buffer_add_text(out, "none");
        }
        break;
    case COLUMN_P:
        if (change->has_p)
            p_add(change->p_corrected, out);
        else
            buffer_add_text(out, "none");
        break;
    default:
        compared_reason_text(compared, &reason);
        buffer_add_format(out, print->is_markdown && change->verdict >= VERDICT_BETTER ? "**%s**"
                                                                                       : "%s",
                          verdict_text(change->verdict));
        if (reason.size > 0)
            buffer_add_text(out, ": ");
        label_add(print, out, buffer_text(&reason));
    }
    out->failed = out->failed || reason.failed;
    buffer_free(&reason);
}

/* ---- a table for each kernel and metric ---- */

static bool is_one_table(const struct compared *a, const struct compared *b)
{
    static const enum field_type types[] = {FIELD_KERNEL, FIELD_REVISION, FIELD_METRIC,
                                            FIELD_X_UNIT};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (field_compare(&(struct field){types[i], NULL}, key_of(a), key_of(b)) != 0)
            return false;
    return true;
}

static void heading_add(struct print *print, const struct compared *first,
                        const struct fields *fixed)
{
    const struct record *key = key_of(first)->key;
    struct buffer *out = print->out;
    buffer_add_text(out, print->is_markdown ? "\n### " : "\n");
    label_add(print, out, key->kernel);
    buffer_add_text(out, ": ");
    label_add(print, out, key->metric);
    buffer_add_format(out, ", %s is better", better_text(first->better));
    for (size_t f = 0; f < fixed->n; f++) {
        if (field_is_absent(&fixed->list[f], key_of(first)))
            continue;
        buffer_add_text(out, ", ");
        label_add(print, out, field_title(&fixed->list[f]));
        buffer_add_char(out, ' ');
        field_add(print, out, &fixed->list[f], first);
    }
    buffer_add_format(out, ", revision %" PRIu64 "\n", key->revision);
    if (print->is_markdown)
        buffer_add_char(out, '\n');
}

static int fields_choose(struct print *print, const struct compared *cells, size_t n,
                         struct fields *heads, struct fields *fixed, struct err *err)
{
    struct comparison *comparison = print->comparison;
    const struct cell **keys = arena_take(&comparison->arena, n, sizeof *keys);
    struct fields all = {0};
    if (!keys)
        return out_of_memory(err);
    for (size_t i = 0; i < n; i++)
        keys[i] = key_of(&cells[i]);
    TRY(fields_parse("test,x,params,threads,machine,variant", NULL,
                     comparison->sides[SIDE_BASE].selection, keys, n, &comparison->arena, &all, err));
    for (size_t f = 0; f < all.n; f++) {
        if ((all.list[f].type == FIELD_MACHINE && (comparison->by & BY_MACHINE)) ||
            (all.list[f].type == FIELD_VARIANT && (comparison->by & BY_VARIANT)))
            continue;
        struct fields *to = field_varies(&all.list[f], keys, n) ? heads : fixed;
        to->list[to->n++] = all.list[f];
    }
    /* A table has something on its left, even when nothing varies. */
    if (heads->n == 0 && fixed->n > 0) {
        heads->list[heads->n++] = fixed->list[0];
        memmove(&fixed->list[0], &fixed->list[1], --fixed->n * sizeof fixed->list[0]);
    }
    return 0;
}

static int sheet_text(struct print *print, struct sheet *sheet, const struct compared *cells,
                      const struct fields *heads, struct err *err)
{
    for (size_t c = 0; c < sheet->n_columns; c++) {
        if (c < heads->n)
            label_add(print, &print->text, field_title(&heads->list[c]));
        else
            buffer_add_text(&print->text, columns[print->columns[c - heads->n]].title);
        TRY(sheet_put(sheet, 0, c, &print->text, err));
        for (size_t r = 1; r < sheet->n_rows; r++) {
            const struct compared *compared = &cells[r - 1];
            if (c >= heads->n)
                column_add(print, compared, print->columns[c - heads->n], &print->text);
            else if (!field_is_absent(&heads->list[c], key_of(compared)))
                field_add(print, &print->text, &heads->list[c], compared);
            TRY(sheet_put(sheet, r, c, &print->text, err));
        }
    }
    return 0;
}

static void markdown_add(const struct sheet *sheet, struct buffer *out)
{
    for (size_t r = 0; r < sheet->n_rows; r++) {
        for (size_t c = 0; c < sheet->n_columns; c++) {
            const char *text = sheet->texts[r * sheet->n_columns + c];
            buffer_add_format(out, "| %s ", text ? text : "");
        }
        buffer_add_text(out, "|\n");
        for (size_t c = 0; c < sheet->n_columns && r == 0; c++)
            buffer_add_text(out, c < sheet->n_left || (sheet->last_is_left && c + 1 == sheet->n_columns)
                                     ? "|:--"
                                     : "|--:");
        buffer_add_text(out, r == 0 ? "|\n" : "");
    }
}

static int table_add(struct print *print, const struct compared *cells, size_t n, struct err *err)
{
    struct arena *arena = &print->comparison->arena;
    struct fields heads = {0}, fixed = {0};
    TRY(fields_choose(print, cells, n, &heads, &fixed, err));
    heading_add(print, &cells[0], &fixed);
    struct sheet sheet = {.arena = arena,
                          .n_rows = n + 1,
                          .n_columns = heads.n + print->n_columns,
                          .n_left = heads.n,
                          .n_head = 1,
                          .last_is_left =
                              print->columns[print->n_columns - 1] == COLUMN_VERDICT};
    sheet.texts = arena_take(arena, sheet.n_rows * sheet.n_columns, sizeof *sheet.texts);
    if (!sheet.texts)
        return out_of_memory(err);
    for (size_t i = 0; i < sheet.n_rows * sheet.n_columns; i++)
        sheet.texts[i] = NULL;
    TRY(sheet_text(print, &sheet, cells, &heads, err));
    if (!print->is_markdown)
        return sheet_print(&sheet, print->out, err);
    markdown_add(&sheet, print->out);
    return 0;
}

/* ---- around the tables ---- */

static void line_begin(const struct print *print)
{
    buffer_add_text(print->out, print->is_markdown ? "- " : "");
}

static void head_add(struct print *print)
{
    const struct comparison *comparison = print->comparison;
    const struct compare_options *options = &comparison->options;
    struct buffer *out = print->out;
    char number[SCALE_TEXT_SIZE];
    for (int s = 0; s < SIDES; s++) {
        line_begin(print);
        buffer_add_text(out, s == SIDE_BASE ? "base: " : "new: ");
        label_add(print, out, comparison->sides[s].name);
        buffer_add_format(out, ", %s", comparison->sides[s].first_time);
        if (strcmp(comparison->sides[s].first_time, comparison->sides[s].last_time) != 0)
            buffer_add_format(out, " to %s", comparison->sides[s].last_time);
        buffer_add_char(out, '\n');
    }
    line_begin(print);
    buffer_add_format(out, "compared: ");
    label_add(print, out, comparison->key);
    buffer_add_char(out, '\n');
    line_begin(print);
    scale_number(options->alpha, 3, number);
    buffer_add_format(out, "verdicts: rank test, correction over %zu cells: %s, alpha %s; ",
                      comparison->n_tested, correction_text(options->correction), number);
    scale_number((options->threshold >= 0 ? options->threshold : compare_default_threshold) * 100,
                 3, number);
    buffer_add_format(out, "minimum effect %s %%%s; intervals by resampling runs, then repetitions\n",
                      number,
                      options->threshold < 0 && !(comparison->by & BY_HALF)
                          ? ", or the measured noise where that is larger"
                          : "");
}

static void mean_add(struct print *print, const char *which, const struct compare_means *means)
{
    struct buffer *out = print->out;
    line_begin(print);
    label_add(print, out, which);
    if (means->n == 0) {
        buffer_add_text(out, ": no cell has a ratio\n");
        return;
    }
    buffer_add_format(out, " (%zu %s), times of new / base, below 1 is better: geometric mean ",
                      means->n, means->n == 1 ? "cell" : "cells");
    ratio_add(means->geometric, out);
    if (means->has_interval) {
        buffer_add_text(out, ", 95 % interval ");
        ratio_add(means->low, out);
        buffer_add_text(out, " to ");
        ratio_add(means->high, out);
    } else {
        buffer_add_text(out, ", no interval since some cells have one sample on a side");
    }
    buffer_add_text(out, "; arithmetic mean ");
    ratio_add(means->arithmetic, out);
    buffer_add_char(out, '\n');
}

static void tail_add(struct print *print)
{
    const struct comparison *comparison = print->comparison;
    const size_t *n = comparison->n_verdicts;
    struct buffer *out = print->out;
    buffer_add_text(out, print->is_markdown ? "\n### Summary\n\n" : "\n");
    line_begin(print);
    buffer_add_format(out, "%zu of %zu cells better, %zu worse, %zu same, %zu cannot tell\n",
                      n[VERDICT_BETTER], comparison->n, n[VERDICT_WORSE], n[VERDICT_SAME],
                      n[VERDICT_CANNOT_TELL]);
    mean_add(print, "all with a ratio on both sides", &comparison->all);
    if (comparison->options.leave_out) {
        buffer_clear(&print->text);
        buffer_add_format(&print->text, "without %s", comparison->options.leave_out);
        mean_add(print, buffer_text(&print->text), &comparison->rest);
        buffer_clear(&print->text);
    }
    for (size_t i = 0; i < comparison->notes.n; i++) {
        line_begin(print);
        buffer_add_text(out, "note: ");
        label_add(print, out, comparison->notes.texts[i]);
        buffer_add_char(out, '\n');
    }
    if (comparison->n_left_out == 0)
        return;
    buffer_add_text(out, print->is_markdown ? "\n### Not compared\n\n" : "\nnot compared:\n");
    for (size_t i = 0; i < comparison->n_left_out; i++) {
        const struct left_out *left_out = &comparison->left_out[i];
        buffer_add_text(out, print->is_markdown ? "- " : "  ");
        label_add(print, out, left_out->kernel);
        buffer_add_format(out, ", %zu %s (", left_out->n, left_out->n == 1 ? "cell" : "cells");
        label_add(print, out, left_out->first->key->test);
        buffer_add_text(out, left_out->n > 1 ? " ...): " : "): ");
        label_add(print, out, left_out->reason);
        buffer_add_char(out, '\n');
    }
}

static int columns_choose(struct print *print, const char *list, struct err *err)
{
    for (const char *p = list; *p; p += *p == ',') {
        size_t size = strcspn(p, ","), c = 0;
        while (c < COLUMNS &&
               (strlen(columns[c].word) != size || memcmp(columns[c].word, p, size) != 0))
            c++;
        if (c == COLUMNS)
            return err_set(err, ERR_USAGE,
                           "--columns: '%.*s' is none of base, new, ratio, inverse, interval, p and "
                           "verdict",
                           (int)size, p);
        if (print->n_columns == COLUMNS)
            return err_set(err, ERR_USAGE, "--columns: more than %d columns", COLUMNS);
        print->columns[print->n_columns++] = (enum compare_column)c;
        p += size;
    }
    return print->n_columns > 0 ? 0 : err_set(err, ERR_USAGE, "--columns: none is named");
}

int compare_print(struct comparison *comparison, enum compare_format format, struct buffer *out,
                  struct err *err)
{
    struct print print = {
        .comparison = comparison, .out = out, .is_markdown = format == COMPARE_MARKDOWN};
    const char *wanted = comparison->options.columns;
    int result = columns_choose(&print, wanted ? wanted : compare_default_columns, err);
    head_add(&print);
    for (size_t i = 0, end; i < comparison->n && result >= 0; i = end) {
        for (end = i + 1; end < comparison->n &&
                          is_one_table(&comparison->cells[i], &comparison->cells[end]);)
            end++;
        result = table_add(&print, comparison->cells + i, end - i, err);
    }
    tail_add(&print);
    bool has_failed = print.text.failed || out->failed;
    buffer_free(&print.text);
    return result < 0 ? result : has_failed ? out_of_memory(err) : 0;
}
