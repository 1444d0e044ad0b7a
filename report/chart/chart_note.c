#include "report/chart/chart_note.h"

#include "report/chart/chart_style.h"
#include "report/chart/label.h"
#include "report/scale.h"
#include "schema/buffer.h"

static void note_add(struct buffer *note, size_t n, const char *one, const char *many)
{
    if (n == 0)
        return;
    char number[SCALE_TEXT_SIZE];
    scale_number((double)n, 17, number);
    buffer_add_format(note, "%s%s %s.", note->size > 0 ? " " : "", number, n == 1 ? one : many);
}

static void sentence_add(struct buffer *note, const char *text)
{
    buffer_add_text(note, note->size > 0 ? " " : "");
    buffer_add_text(note, text);
}

const char *chart_note_write(const struct chart *chart, const struct chart_extent *extent,
                             const struct chart_selection *selection, size_t n_unlabelled,
                             struct arena *arena)
{
    struct buffer note = {0};
    note_add(&note, extent->n_not_positive,
             "point is not drawn: zero and negative values have no place on a logarithmic axis",
             "points are not drawn: zero and negative values have no place on a logarithmic axis");
    note_add(&note, extent->n_not_finite, "point is not drawn: its value is not a finite number",
             "points are not drawn: their values are not finite numbers");
    note_add(&note, extent->n_no_category, "point is not drawn: it belongs to no category",
             "points are not drawn: they belong to no category");
    note_add(&note, selection->n_thinned,
             "line has too many points: of each column of pixels its first, lowest, highest and "
             "last are drawn",
             "lines have too many points: of each column of pixels their first, lowest, highest "
             "and last are drawn");
    note_add(&note, selection->n_without_intervals, "line is too dense to show its intervals",
             "lines are too dense to show their intervals");
    note_add(&note, chart->n_series > CHART_STYLES ? chart->n_series - CHART_STYLES : 0,
             "series is grey: there are too many to tell all apart",
             "series are grey: there are too many to tell all apart");
    if (selection->n_intervals > 0 && chart->interval_note) {
        sentence_add(&note, "Whiskers: ");
        buffer_add_text(&note, chart->interval_note);
        buffer_add_text(&note, ".");
    }
    note_add(&note, selection->n_cut, "interval reaches beyond the axis and is cut there",
             "intervals reach beyond the axis and are cut there");
    if (selection->n_single > 0 && chart->kind == CHART_LINES)
        sentence_add(&note, "A hollow marker is a single sample.");
    if (chart->y.is_of_changes)
        sentence_add(&note, "The axis of values does not begin at zero.");
    note_add(&note, n_unlabelled, "mark has no label for want of room",
             "marks have no labels for want of room");
    if (chart->mark_note) {
        sentence_add(&note, chart->mark_note);
        buffer_add_char(&note, '.');
    }
    const char *out = note.failed ? NULL : label_clean(buffer_text(&note), arena);
    buffer_free(&note);
    return out;
}
