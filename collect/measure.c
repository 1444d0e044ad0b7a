#include "collect/measure.h"

#include <stdio.h>
#include <string.h>

#include "collect/gang.h"

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
        [QUANTITY_STEP_RATE] = "op/s",  [QUANTITY_LAP] = "s"};
    return units[quantity];
}

/* False when the metric was not seen in this call (a lap that was not taken). */
static bool quantity_value(const struct gang *gang, const struct kernel_metric *metric,
                           uint64_t iterations, uint64_t elapsed_ns, double *value)
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
    double n = (double)iterations, seconds = (double)elapsed_ns * 1e-9;
    uint64_t lap = 0;
    bool has_lap = false;
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
        return true;
    case QUANTITY_STEP_RATE:
        *value = n * total.steps / seconds;
        return true;
    case QUANTITY_LAP:
        for (unsigned i = 0; i < gang->n; i++) {
            const struct member *member = &gang->members[i];
            for (size_t k = 0; k < member->n_laps; k++) {
                if (strcmp(member->laps[k].metric, metric->name) == 0) {
                    lap = member->laps[k].ns > lap ? member->laps[k].ns : lap;
                    has_lap = true;
                }
            }
        }
        *value = (double)lap * 1e-9;
        return has_lap;
    }
    return false;
}

/* A timed call, kept until its result has checked. */
struct call {
    uint64_t iterations, elapsed_ns;
    struct measure_sample samples[LAPS_MAX + 4];
    size_t n_samples;
};

static void call_add(struct call *call, const char *metric, const char *unit, double value)
{
    if (call->n_samples == sizeof call->samples / sizeof call->samples[0])
        return;
    struct measure_sample *sample = &call->samples[call->n_samples++];
    *sample = (struct measure_sample){
        .value = value, .iterations = call->iterations, .elapsed_ns = call->elapsed_ns};
    snprintf(sample->metric, sizeof sample->metric, "%s", metric);
    snprintf(sample->unit, sizeof sample->unit, "%s", unit);
}

static void call_time(struct gang *gang, uint64_t iterations, struct call *call)
{
    call->n_samples = 0;
    call->iterations = iterations;
    call->elapsed_ns = gang_call(gang, iterations);
    if (call->elapsed_ns == 0)
        return;
    const struct kernel_test *test = gang->members[0].job.test;
    for (const struct kernel_metric *metric = test->metrics; metric->name; metric++) {
        double value;
        if (quantity_value(gang, metric, iterations, call->elapsed_ns, &value))
            call_add(call, metric->name, measure_unit(metric->quantity), value);
    }
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
        if ((double)warmup->elapsed_ns >= min_ns || iterations >= UINT64_C(1000000000000000000))
            break;
        iterations = next_iterations(iterations, warmup->elapsed_ns, min_ns);
    }
    call_time(gang, iterations, sample);
    return !gang_trouble(gang);
}

/* With the kernel set up in every thread: the calls, the checks, the samples. */
static void gang_sample(struct gang *gang, measure_sample_fn *emit, void *context)
{
    struct call warmup = {0}, sample = {0};
    if (!gang_measure(gang, &warmup, &sample) || !gang_check(gang))
        return;
    if (sample.elapsed_ns == 0) {
        gang->members[0].outcome = kernel_reason(&gang->members[0].job, KERNEL_FAILED,
                                                 "the clock did not advance during the call");
        return;
    }
    for (size_t i = 0; i < warmup.n_samples; i++) {
        warmup.samples[i].is_warmup = true;
        emit(context, &warmup.samples[i]);
    }
    for (size_t i = 0; i < sample.n_samples; i++)
        emit(context, &sample.samples[i]);
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
    if (outcome == KERNEL_OK && gang_start(&gang))
        gang_sample(&gang, emit, context);
    const struct member *trouble = gang_trouble(&gang);
    if (trouble) {
        outcome = trouble->outcome;
        snprintf(reason, KERNEL_REASON_SIZE, "%s",
                 trouble->job.reason[0] ? trouble->job.reason : "the kernel gave no reason");
    }
    gang_close(&gang);
    return outcome;
}
