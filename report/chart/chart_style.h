/* How series are told apart: by colour, marker and dashes, all by index, so that neither
 * colour-blind readers nor a grey print lose one. */
#ifndef REPORT_CHART_CHART_STYLE_H
#define REPORT_CHART_CHART_STYLE_H

#include <stddef.h>

enum {
    CHART_STYLES = 40,    /* series from here on are grey */
    CHART_DASH_PARTS = 6,
};

enum chart_shape {
    SHAPE_CIRCLE,
    SHAPE_SQUARE,
    SHAPE_UP,
    SHAPE_DIAMOND,
    SHAPE_DOWN,
    SHAPE_PENTAGON,
    N_SHAPES
};

struct chart_style {
    unsigned colour; /* 0xrrggbb */
    unsigned fill;   /* of a bar, whose outline is of the colour: paler from round to round of colours */
    enum chart_shape shape;
    double dashes[CHART_DASH_PARTS]; /* px on, off, on ... */
    size_t n_dashes;                 /* 0: a solid line */
};

struct chart_style chart_style_of(size_t series);

#endif
