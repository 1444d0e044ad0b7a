/* Many tests at once: p values corrected for how many there were. */
#ifndef REPORT_STATISTICS_CORRECT_H
#define REPORT_STATISTICS_CORRECT_H

#include <stddef.h>

#include "schema/err.h"

enum correction {
    CORRECT_BH,   /* bounds the share of false alarms among alarms, and so the chance of any when
                     nothing changed: Benjamini and Hochberg, J. R. Stat. Soc. B 57 (1995) 289 */
    CORRECT_HOLM, /* bounds the chance of any false alarm: Holm, Scand. J. Stat. 6 (1979) 65 */
    CORRECT_NONE,
    CORRECTION_COUNT
};

/* out[i]: p[i] corrected, so that it is compared with alpha itself; at most 1. May be p. */
int correct_p(enum correction correction, const double *p, size_t n, double *out, struct err *err);

/* "Holm", ... */
const char *correction_text(enum correction correction);

#endif
