/* Time. Durations come from CLOCK_MONOTONIC, dates from CLOCK_REALTIME; no one else asks. */
#ifndef COLLECT_CLOCK_H
#define COLLECT_CLOCK_H

#include <stdint.h>

enum { CLOCK_DATE_SIZE = 24 };

uint64_t clock_now_ns(void); /* since some start; only differences mean something */

/* Now, UTC: "2026-11-30T12:19:00Z". */
void clock_date(char out[static CLOCK_DATE_SIZE]);

#endif
