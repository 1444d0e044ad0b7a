#include "report/chart/chart_style.h"

/* Okabe and Ito, Color Universal Design (2008), but for yellow, which is too pale on white. */
static const unsigned colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7,
                                   0x000000, 0xe69f00, 0x56b4e9};
enum { N_COLOURS = sizeof colours / sizeof colours[0] };

static const struct {
    double dashes[CHART_DASH_PARTS];
    size_t n;
} dash_patterns[] = {
    {{0}, 0}, {{7, 3}, 2}, {{2, 2.5}, 2}, {{8, 3, 2, 3}, 4}, {{12, 4}, 2}, {{8, 3, 2, 3, 2, 3}, 6},
};
enum { N_DASHES = sizeof dash_patterns / sizeof dash_patterns[0] };

_Static_assert(N_COLOURS * N_DASHES >= CHART_STYLES, "every style is another");

/* How much of the colour is in a bar's fill, the rest is white. */
static const double strengths[N_DASHES] = {1, 0.45, 0.2, 0.75, 0.32, 0.6};

static unsigned paler(unsigned colour, double strength)
{
    unsigned out = 0;
    for (unsigned shift = 0; shift <= 16; shift += 8) {
        double channel = colour >> shift & 255;
        out |= (unsigned)(255 - strength * (255 - channel) + 0.5) << shift;
    }
    return out;
}

struct chart_style chart_style_of(size_t series)
{
    struct chart_style style = {.colour = 0xb8b8b8, .fill = 0xb8b8b8, .shape = SHAPE_CIRCLE};
    if (series >= CHART_STYLES)
        return style;
    size_t round = series / N_COLOURS;
    style.colour = colours[series % N_COLOURS];
    style.fill = paler(style.colour, strengths[round]);
    style.shape = (enum chart_shape)((series + round) % N_SHAPES);
    style.n_dashes = dash_patterns[round].n;
    for (size_t i = 0; i < style.n_dashes; i++)
        style.dashes[i] = dash_patterns[round].dashes[i];
    return style;
}
