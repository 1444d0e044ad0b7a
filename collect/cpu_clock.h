/* The clock of the processor as it runs, measured: what it says of itself is the clock of its time
 * stamps or of its label. */
#ifndef COLLECT_CPU_CLOCK_H
#define COLLECT_CPU_CLOCK_H

/* Hz: dependent integer additions done per second, one a cycle, in the median of some short spans on
 * the processor that the caller runs on: as kernels are timed by the median of short shares, cycles
 * are those of the clock that was usual, not of the highest there was. Takes about 4 ms, more where
 * others run meanwhile. 0 where the clock that times it did not advance. */
double cpu_clock_measure(void);

#endif
