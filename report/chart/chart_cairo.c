#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "report/chart/chart_paint.h"
#include "report/chart/chart_svg.h"
#include "schema/buffer.h"
#include "schema/output.h"

enum {
    PNG_SCALE = 2,        /* pixels per px: sharp on dense displays and in print */
    PNG_SIDE_MAX = 32767, /* beyond, cairo draws nothing and says so late */
};
static const double PT_PER_PX = 0.75; /* CSS: 96 px and 72 pt are an inch */

static cairo_status_t buffer_sink(void *context, const unsigned char *bytes, unsigned size)
{
    struct buffer *buffer = context;
    buffer_add(buffer, bytes, size);
    return buffer->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static int status_check(cairo_status_t status, struct err *err)
{
    if (status == CAIRO_STATUS_SUCCESS)
        return 0;
    return err_set(err, ERR_SYSTEM, "cairo: %s", cairo_status_to_string(status));
}

/* An error makes the surface a dead one, never NULL. */
static cairo_surface_t *surface_new(const struct chart_layout *layout, enum chart_format format,
                                    struct buffer *bytes)
{
    double width = layout->width, height = layout->height;
    cairo_surface_t *surface;
    switch (format) {
    case CHART_SVG:
        surface = cairo_svg_surface_create_for_stream(buffer_sink, bytes, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
        return surface;
    case CHART_PDF:
        surface = cairo_pdf_surface_create_for_stream(buffer_sink, bytes, width * PT_PER_PX,
                                                      height * PT_PER_PX);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, layout->title);
        /* Not a date, so that none is written: cairo's would be that of the drawing. */
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "");
        return surface;
    case CHART_PNG:
        break;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, layout->width * PNG_SCALE,
                                      layout->height * PNG_SCALE);
}

/* Every status on the way, since cairo goes on in silence after an error: that of the context for
 * what was drawn, that of the surface for what was written. */
static int render(cairo_surface_t *surface, const struct chart_layout *layout,
                  enum chart_format format, struct buffer *bytes, const char **font,
                  struct err *err)
{
    TRY(status_check(cairo_surface_status(surface), err));
    cairo_t *cr = cairo_create(surface);
    double scale = format == CHART_PNG ? PNG_SCALE : format == CHART_PDF ? PT_PER_PX : 1;
    cairo_scale(cr, scale, scale);
    const char *family = chart_paint(cr, layout);
    if (font)
        *font = family;
    cairo_status_t status = cairo_status(cr);
    cairo_destroy(cr);
    TRY(status_check(status, err));
    if (format == CHART_PNG)
        TRY(status_check(cairo_surface_write_to_png_stream(surface, buffer_sink, bytes), err));
    cairo_surface_finish(surface);
    return status_check(cairo_surface_status(surface), err);
}

static int file_write(const char *path, const struct buffer *bytes, struct err *err)
{
    if (bytes->failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    struct output *out;
    TRY(output_open(&out, path, err));
    int result = output_write(out, buffer_text(bytes), bytes->size, err);
    if (result < 0) {
        output_discard(out);
        return result;
    }
    return output_commit(out, err);
}

int chart_draw_cairo(const struct chart_layout *layout, enum chart_format format, const char *path,
                     const char **font, struct err *err)
{
    if (layout->width > PNG_SIDE_MAX / PNG_SCALE || layout->height > PNG_SIDE_MAX / PNG_SCALE)
        return err_set(err, ERR_DATA, "%s: a chart of %d x %d px is too large", path,
                       layout->width, layout->height);
    struct buffer bytes = {0}, renamed = {0};
    cairo_surface_t *surface = surface_new(layout, format, &bytes);
    int result = render(surface, layout, format, &bytes, font, err);
    cairo_surface_destroy(surface);
    if (result >= 0 && format == CHART_SVG) {
        chart_svg_rename(buffer_text(&bytes), bytes.size, layout->title, &renamed);
        renamed.failed |= bytes.failed;
    }
    if (result < 0)
        result = err_wrap(err, "%s", path);
    else
        result = file_write(path, format == CHART_SVG ? &renamed : &bytes, err);
    buffer_free(&renamed);
    buffer_free(&bytes);
    return result;
}
