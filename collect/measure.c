#include "collect/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cpu_clock.h"
#include "collect/gang.h"
#include "schema/number.h"

/* Iterations for a call of at least min_ns, from a call that took elapsed_ns: tenfold while that
 * was too short to extrapolate, else with a quarter to spare (Longbottom's rule of calibration). */
static uint64_t next_iterations(uint64_t iterations, uint64_t elapsed_ns, double min_ns)
{
    double wanted = (double)elapsed_ns < min_ns / 8
                        ? (double)iterations * 10
                        : (double)iterations * min_ns * 1.25 / (double)elapsed_ns + 1;
    return wanted > 1e18 ? UINT64_C(1000000000000000000) : (uint64_t)wanted;
}

const char *measure_unit(enum kernel_quantity quantity)
{
    static const char *const units[] = {
        [QUANTITY_TIME] = "s",          [QUANTITY_STEP_TIME] = "s",
        [QUANTITY_BYTE_RATE] = "B/s",   [QUANTITY_FLOP_RATE] = "flop/s",
        [QUANTITY_STEP_RATE] = "op/s",  [QUANTITY_LAP] = "s",
        [QUANTITY_SUSTAINED] = "B/s",   [QUANTITY_INCREMENTAL] = "B/s",
        [QUANTITY_MEDIAN] = "s",        [QUANTITY_P95] = "s",
        [QUANTITY_P99] = "s",           [QUANTITY_SHARE_TIME] = "s",
        [QUANTITY_SHARE_RATE] = "op/s", [QUANTITY_CYCLES] = "cycle",
        [QUANTITY_IPC] = "1",           [QUANTITY_CLOCK] = "Hz",
        [QUANTITY_BYTES] = "B",         [QUANTITY_MOVED] = "B",
        [QUANTITY_ERROR] = "1",         [QUANTITY_COUNT] = "1",
        [QUANTITY_FRAME_RATE] = "1/s",  [QUANTITY_SECONDS] = "s",
        [QUANTITY_GIVEN_BYTE_RATE] = "B/s", [QUANTITY_GIVEN_STEP_RATE] = "op/s"};
    return units[quantity];
}

bool measure_is_over_time(enum kernel_quantity quantity)
{
    return quantity == QUANTITY_MOVED || quantity == QUANTITY_SUSTAINED ||
           quantity == QUANTITY_INCREMENTAL;
}

/* The slowest thread's; false when the lap was not taken. */
static bool lap_value(const struct gang *gang, const char *metric, double *value)
{
    bool has_lap = false;
    *value = 0;
    for (unsigned i = 0; i < gang->n; i++) {
        const struct member *member = &gang->members[i];
        for (size_t k = 0; k < member->n_laps; k++) {
            if (strcmp(member->laps[k].metric, metric) == 0) {
                double lap = (double)member->laps[k].ns * 1e-9;
                *value = lap > *value ? lap : *value;
                has_lap = true;
            }
        }
    }
    return has_lap;
}

/* The sum over the threads, of errors the greatest; false when no thread told of it. */
static bool report_value(const struct gang *gang, const struct kernel_metric *metric,
                         double *value)
{
    bool is_told = false;
    *value = 0;
    for (unsigned i = 0; i < gang->n; i++) {
        const struct member *member = &gang->members[i];
        for (size_t k = 0; k < member->n_reports; k++) {
            if (strcmp(member->reports[k].metric, metric->name) == 0) {
                double told = member->reports[k].value;
                *value = metric->quantity == QUANTITY_ERROR ? fmax(*value, told) : *value + told;
                is_told = true;
            }
        }
    }
    return is_told;
}

static int compare_ns(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A timed call, kept until its result has checked. */
struct call {
    uint64_t iterations, elapsed_ns;
    uint64_t *ticks; /* [n_ticks] of all threads, ascending; owned */
    size_t n_ticks;
    double clock_hz; /* of the processor; 0: not wanted or not known */
    struct measure_sample *samples; /* [n_samples], owned */
    size_t n_samples, capacity;
    bool failed; /* memory ran out */
};

static void call_free(struct call *call)
{
    free(call->ticks);
    free(call->samples);
}

static struct measure_sample *call_add(struct call *call, const char *metric, const char *unit,
                                       double value)
{
    static struct measure_sample nowhere;
    if (call->n_samples == call->capacity) {
        size_t capacity = call->capacity ? call->capacity * 2 : 16;
        struct measure_sample *samples =
            realloc(call->samples, capacity * sizeof *call->samples);
        if (!samples) {
            call->failed = true;
            return &nowhere;
        }
        call->samples = samples;
        call->capacity = capacity;
    }
    struct measure_sample *sample = &call->samples[call->n_samples++];
    *sample = (struct measure_sample){
        .value = value, .iterations = call->iterations, .elapsed_ns = call->elapsed_ns};
    snprintf(sample->metric, sizeof sample->metric, "%s", metric);
    snprintf(sample->unit, sizeof sample->unit, "%s", unit);
    return sample;
}

static void ticks_gather(const struct gang *gang, struct call *call)
{
    size_t n = 0;
    for (unsigned i = 0; i < gang->n; i++)
        n += gang->members[i].n_ticks;
    free(call->ticks);
    call->n_ticks = 0;
    call->ticks = n > 0 ? malloc(n * sizeof *call->ticks) : NULL;
    call->failed = call->failed || (n > 0 && !call->ticks);
    for (unsigned i = 0; i < gang->n && call->ticks; i++) {
        const struct member *member = &gang->members[i];
        if (member->n_ticks > 0)
            memcpy(call->ticks + call->n_ticks, member->ticks,
                   member->n_ticks * sizeof *call->ticks);
        call->n_ticks += member->n_ticks;
    }
    if (call->ticks)
        qsort(call->ticks, n, sizeof *call->ticks, compare_ns);
}

/* The smallest time that at least that share of the operations do not exceed (Hyndman and Fan,
 * Am. Stat. 50 (1996) 361, definition 1): a time that was measured. */
static bool quantile_value(const struct call *call, double share, double *value)
{
    if (call->n_ticks == 0)
        return false;
    double rank = share * (double)call->n_ticks;
    size_t index = (size_t)rank;
    index -= index > 0 && (double)index == rank;
    *value = (double)call->ticks[index] * 1e-9;
    return true;
}

/* s per step of one thread, by the median tick; by the whole call without ticks. */
static double share_time(const struct gang *gang, const struct call *call, double steps)
{
    double all_steps = (double)call->iterations * steps, median;
    if (!quantile_value(call, 0.5, &median))
        return (double)call->elapsed_ns * 1e-9 / all_steps;
    return median * ((double)call->n_ticks / gang->n) / all_steps;
}

/* A sample for each mark: x is the nominal end of an interval, elapsed_ns when it really was. */
static void marks_add(const struct gang *gang, const struct kernel_metric *metric,
                      struct call *call)
{
    struct mark before = {0};
    for (size_t i = 0; i < gang->n_marks; i++) {
        struct mark mark = gang->marks[i];
        uint64_t ns = mark.ns, bytes = mark.bytes;
        if (metric->quantity == QUANTITY_INCREMENTAL) {
            ns -= before.ns;
            bytes -= before.bytes;
        }
        double value = (double)bytes;
        if (metric->quantity != QUANTITY_MOVED)
            value /= (double)ns * 1e-9;
        struct measure_sample *sample =
            call_add(call, metric->name, measure_unit(metric->quantity), value);
        sample->has_time = true;
        sample->at = (double)mark.interval * (double)gang->mark_interval_ns / 1e9;
        sample->elapsed_ns = mark.ns;
        before = mark;
    }
}

/* False when the metric was not seen in this call, or has been added already. */
static bool quantity_value(const struct gang *gang, const struct kernel_metric *metric,
                           struct call *call, double *value)
{
    struct kernel_work total = {0}, one = {0};
    for (unsigned i = 0; i < gang->n; i++) {
        struct kernel_work work = {0};
        gang->members[i].job.kernel->work(&gang->members[i].job, &work);
        total.flops += work.flops;
        total.bytes_read += work.bytes_read;
        total.bytes_written += work.bytes_written;
        total.steps += work.steps;
        one = i == 0 ? work : one;
    }
    double n = (double)call->iterations, seconds = (double)call->elapsed_ns * 1e-9;
    switch (metric->quantity) {
    case QUANTITY_TIME:
        *value = seconds / n;
        return true;
    case QUANTITY_STEP_TIME:
        *value = seconds / (n * one.steps);
        return true;
    case QUANTITY_BYTE_RATE:
        *value = n * (total.bytes_read + total.bytes_written) / seconds;
        return true;
    case QUANTITY_FLOP_RATE:
        *value = n * total.flops / seconds;
        return total.flops > 0; /* under these settings it may do none */
    case QUANTITY_STEP_RATE:
    case QUANTITY_FRAME_RATE:
        *value = n * total.steps / seconds;
        return true;
    case QUANTITY_LAP:
        return lap_value(gang, metric->name, value);
    case QUANTITY_MOVED:
    case QUANTITY_SUSTAINED:
    case QUANTITY_INCREMENTAL:
        marks_add(gang, metric, call);
        return false;
    case QUANTITY_MEDIAN:
        return quantile_value(call, 0.5, value);
    case QUANTITY_P95:
        return quantile_value(call, 0.95, value);
    case QUANTITY_P99:
        return quantile_value(call, 0.99, value);
    case QUANTITY_SHARE_TIME:
        *value = share_time(gang, call, one.steps);
        return true;
    case QUANTITY_SHARE_RATE:
        *value = total.steps / one.steps / share_time(gang, call, one.steps);
        return true;
    case QUANTITY_CYCLES:
        *value = share_time(gang, call, one.steps) * call->clock_hz;
        return call->clock_hz > 0;
    case QUANTITY_IPC:
        *value = 1 / (share_time(gang, call, one.steps) * call->clock_hz);
        return call->clock_hz > 0;
    case QUANTITY_CLOCK:
        *value = call->clock_hz;
        return call->clock_hz > 0;
    case QUANTITY_BYTES:
    case QUANTITY_COUNT:
    case QUANTITY_ERROR:
    case QUANTITY_SECONDS:
    case QUANTITY_GIVEN_BYTE_RATE:
    case QUANTITY_GIVEN_STEP_RATE:
        return report_value(gang, metric, value);
    }
    return false;
}

static bool wants_clock(const struct kernel_test *test)
{
    for (const struct kernel_metric *metric = test->metrics; metric->name; metric++)
        if (metric->quantity == QUANTITY_CYCLES || metric->quantity == QUANTITY_IPC ||
            metric->quantity == QUANTITY_CLOCK)
            return true;
    return false;
}

/* Of the processor that the first thread runs on. */
static double clock_now_hz(const struct kernel_job *job)
{
    const char *given = kernel_setting(job, "mhz");
    uint64_t mhz;
    if (given && number_parse_count(given, strlen(given), &mhz))
        return (double)mhz * 1e6;
    return cpu_clock_measure();
}

/* The share of the memory that is in huge pages, where that was left to the system. */
static void huge_pages_add(const struct gang *gang, struct call *call)
{
    size_t all = 0, huge = 0;
    for (unsigned i = 0; i < gang->n; i++) {
        const struct memory *memory = &gang->members[i].memory;
        if (memory->map && memory->huge_page > 0 && memory->bytes >= memory->huge_page) {
            all += memory->bytes;
            huge += memory->huge_bytes;
        }
    }
    if (all > 0 && gang->members[0].job.kernel->pages &&
        gang->members[0].memory.pages == KERNEL_PAGES_DEFAULT)
        call_add(call, "huge_pages", "1", (double)huge / (double)all);
}

static void call_time(struct gang *gang, uint64_t iterations, struct call *call)
{
    const struct kernel_job *leader = &gang->members[0].job;
    bool has_clock = wants_clock(leader->test);
    double before_hz = has_clock ? clock_now_hz(leader) : 0;
    call->n_samples = 0;
    call->iterations = iterations;
    call->elapsed_ns = gang_call(gang, iterations);
    double after_hz = has_clock ? clock_now_hz(leader) : 0;
    call->clock_hz = before_hz > after_hz ? before_hz : after_hz; /* what disturbs it lowers it */
    if (call->elapsed_ns == 0)
        return;
    ticks_gather(gang, call);
    const struct kernel_test *test = gang->members[0].job.test;
    for (const struct kernel_metric *metric = test->metrics; metric->name; metric++) {
        double value;
        if (quantity_value(gang, metric, call, &value))
            call_add(call, metric->name, measure_unit(metric->quantity), value);
    }
    huge_pages_add(gang, call);
    if (gang->n > 1) {
        uint64_t first = UINT64_MAX, last = 0;
        for (unsigned i = 0; i < gang->n; i++) {
            uint64_t end = gang->members[i].end_ns;
            first = end < first ? end : first;
            last = end > last ? end : last;
        }
        call_add(call, "finish_spread", "s", (double)(last - first) * 1e-9);
    }
}

/* Calibrates, measures; false when a thread is in trouble. */
static bool gang_measure(struct gang *gang, struct call *warmup, struct call *sample)
{
    static const uint64_t long_ns = 1000000000, iterations_max = UINT64_C(1000000000000000000);
    double min_ns = gang->request->min_seconds * 1e9;
    warmup->n_samples = 0;
    if (gang->request->cell->kernel->flags & KERNEL_ONE_PASS) {
        call_time(gang, 1, sample);
        return !gang_trouble(gang);
    }
    uint64_t iterations = 1;
    for (;;) {
        call_time(gang, iterations, warmup);
        if (gang_trouble(gang))
            return false;
        if (iterations == 1 && warmup->elapsed_ns >= long_ns && (double)long_ns >= min_ns) {
            struct call first = *warmup;
            *warmup = *sample;
            *sample = first;
            return true;
        }
        uint64_t elapsed_ns = warmup->elapsed_ns;
        if ((double)elapsed_ns >= min_ns || iterations >= iterations_max) {
            call_time(gang, iterations, sample);
            if (gang_trouble(gang))
                return false;
            /* Much shorter: something else held up the warm-up. Only much, for to wait until samples
             * are as long as they should be would take the slow ones of equals. */
            elapsed_ns = sample->elapsed_ns;
            if ((double)elapsed_ns >= min_ns / 2 || iterations >= iterations_max)
                return true;
        }
        iterations = next_iterations(iterations, elapsed_ns, min_ns);
    }
}

/* With the kernel set up in every thread: the calls, the checks, the samples. */
static void gang_sample(struct gang *gang, struct call *warmup, struct call *sample,
                        measure_sample_fn *emit, void *context)
{
    if (!gang_measure(gang, warmup, sample) || !gang_check(gang))
        return;
    struct kernel_job *leader = &gang->members[0].job;
    if (sample->elapsed_ns == 0 || sample->failed || warmup->failed) {
        gang->members[0].outcome =
            kernel_reason(leader, KERNEL_FAILED, "%s",
                          sample->elapsed_ns == 0 ? "the clock did not advance during the call"
                                                  : "out of memory for the samples");
        return;
    }
    for (size_t i = 0; i < warmup->n_samples; i++) {
        warmup->samples[i].is_warmup = true;
        emit(context, &warmup->samples[i]);
    }
    for (size_t i = 0; i < sample->n_samples; i++)
        emit(context, &sample->samples[i]);
}

enum kernel_outcome measure_cell(const struct measure_request *request, measure_sample_fn *emit,
                                 void *context, char *reason)
{
    struct gang gang;
    enum kernel_outcome outcome = gang_open(&gang, request);
    reason[0] = '\0';
    if (!gang.members) {
        snprintf(reason, KERNEL_REASON_SIZE, "out of memory for %u threads", gang.n);
        return outcome;
    }
    struct call warmup = {0}, sample = {0};
    if (outcome == KERNEL_OK && gang_start(&gang))
        gang_sample(&gang, &warmup, &sample, emit, context);
    call_free(&warmup);
    call_free(&sample);
    const struct member *trouble = gang_trouble(&gang);
    if (trouble) {
        outcome = trouble->outcome;
        snprintf(reason, KERNEL_REASON_SIZE, "%s",
                 trouble->job.reason[0] ? trouble->job.reason : "the kernel gave no reason");
    }
    gang_close(&gang);
    return outcome;
}
