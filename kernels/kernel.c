#include "kernels/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *kernel_setting(const struct kernel_job *job, const char *key)
{
    for (const struct kernel_value *value = job->settings; value && value->key; value++)
        if (strcmp(value->key, key) == 0)
            return value->value;
    return NULL;
}

uint64_t kernel_setting_number(const struct kernel_job *job, const char *key)
{
    return strtoull(kernel_setting(job, key), NULL, 10);
}

enum kernel_outcome kernel_reason(struct kernel_job *job, enum kernel_outcome outcome,
                                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(job->reason, sizeof job->reason, format, args);
    va_end(args);
    return outcome;
}

void kernel_lap(struct kernel_job *job, const char *metric)
{
    if (job->lap)
        job->lap(job, metric);
}

void kernel_progress(struct kernel_job *job, uint64_t bytes)
{
    if (job->progress)
        job->progress(job, bytes);
}

void kernel_tick(struct kernel_job *job)
{
    if (job->tick)
        job->tick(job);
}

void kernel_report(struct kernel_job *job, const char *metric, double value)
{
    if (job->report)
        job->report(job, metric, value);
}

uint64_t kernel_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void kernel_fill_random(void *bytes, size_t size, uint64_t seed)
{
    unsigned char *p = bytes;
    for (; size >= sizeof seed; p += sizeof seed, size -= sizeof seed) {
        uint64_t word = kernel_random(&seed);
        memcpy(p, &word, sizeof word);
    }
    uint64_t word = kernel_random(&seed);
    memcpy(p, &word, size);
}
