/* Orders of names and numbers, for sorting: below 0, 0 or above 0. */
#ifndef REPORT_ORDER_H
#define REPORT_ORDER_H

#include <stdint.h>

/* Orders names as people do: digits in them by their value, so that loop2 is before loop10. A total
 * order: 0 for equal bytes alone. */
int natural_compare(const char *a, const char *b);
int compare_counts(uint64_t a, uint64_t b);
int compare_numbers(double a, double b); /* finite */
/* Metrics in the order of schema's table, which begins with what is most asked for. */
int compare_metrics(const char *a, const char *b);

#endif
