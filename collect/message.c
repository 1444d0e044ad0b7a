#include "collect/message.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "schema/number.h"

enum { LINE_SIZE = 1024, FIELDS_MAX = 10 };

/* A number that no line can hold makes one that is no message. */
static void number_put(char out[static NUMBER_TEXT_SIZE], double value)
{
    if (isfinite(value))
        number_format(out, value);
    else
        snprintf(out, NUMBER_TEXT_SIZE, "none");
}

static int sample_put(char *line, const struct measure_sample *sample)
{
    char at[NUMBER_TEXT_SIZE], value[NUMBER_TEXT_SIZE];
    number_put(at, sample->at);
    number_put(value, sample->value);
    return snprintf(line, LINE_SIZE, "sample\t%d\t%d\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\n",
                    sample->is_warmup, sample->has_time, at, sample->metric, sample->unit, value,
                    sample->iterations, sample->elapsed_ns);
}

static int outcome_put(char *line, const struct message *message)
{
    char reason[KERNEL_REASON_SIZE];
    snprintf(reason, sizeof reason, "%s", message->reason);
    for (char *p = reason; *p; p++)
        if (*p == '\t' || *p == '\n')
            *p = ' ';
    return snprintf(line, LINE_SIZE, "outcome\t%d\t%s\n", (int)message->outcome, reason);
}

void message_send(int fd, const struct message *message)
{
    char line[LINE_SIZE];
    const struct measure_progress *p = &message->progress;
    int size = message->kind == MESSAGE_SAMPLE    ? sample_put(line, &message->sample)
               : message->kind == MESSAGE_OUTCOME ? outcome_put(line, message)
                                                  : snprintf(line, sizeof line,
                                                             "progress\t%" PRIu64 "\t%" PRIu64
                                                             "\t%" PRIu64 "\t%" PRIu64 "\n",
                                                             p->ns, p->bytes, p->last_ns,
                                                             p->last_bytes);
    while (write(fd, line, (size_t)size) < 0 && errno == EINTR)
        ;
}

static bool count_get(const char *text, uint64_t *out)
{
    return number_parse_count(text, strlen(text), out);
}

static bool text_get(const char *text, char *out, size_t size)
{
    return (size_t)snprintf(out, size, "%s", text) < size;
}

static bool sample_get(char **fields, struct measure_sample *sample)
{
    uint64_t is_warmup, has_time;
    *sample = (struct measure_sample){0};
    bool is_good = count_get(fields[1], &is_warmup) && count_get(fields[2], &has_time) &&
                   number_parse(fields[3], strlen(fields[3]), &sample->at) &&
                   text_get(fields[4], sample->metric, sizeof sample->metric) &&
                   text_get(fields[5], sample->unit, sizeof sample->unit) &&
                   number_parse(fields[6], strlen(fields[6]), &sample->value) &&
                   count_get(fields[7], &sample->iterations) &&
                   count_get(fields[8], &sample->elapsed_ns);
    sample->is_warmup = is_good && is_warmup;
    sample->has_time = is_good && has_time;
    return is_good;
}

bool message_parse(char *line, struct message *message)
{
    char *fields[FIELDS_MAX];
    size_t n = 0;
    for (char *p = line; p && n < FIELDS_MAX;) {
        fields[n++] = p;
        p = strchr(p, '\t');
        if (p)
            *p++ = '\0';
    }
    if (n == 9 && strcmp(fields[0], "sample") == 0) {
        message->kind = MESSAGE_SAMPLE;
        return sample_get(fields, &message->sample);
    }
    if (n == 5 && strcmp(fields[0], "progress") == 0) {
        struct measure_progress *p = &message->progress;
        message->kind = MESSAGE_PROGRESS;
        return count_get(fields[1], &p->ns) && count_get(fields[2], &p->bytes) &&
               count_get(fields[3], &p->last_ns) && count_get(fields[4], &p->last_bytes);
    }
    uint64_t outcome;
    if (n == 3 && strcmp(fields[0], "outcome") == 0 && count_get(fields[1], &outcome) &&
        outcome <= KERNEL_WRONG) {
        message->kind = MESSAGE_OUTCOME;
        message->outcome = (enum kernel_outcome)outcome;
        return text_get(fields[2], message->reason, sizeof message->reason);
    }
    return false;
}
