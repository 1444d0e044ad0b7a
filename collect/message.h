/* What a worker process tells the one that started it, a line each, so that it does not matter which
 * compiler, word size or program wrote it. */
#ifndef COLLECT_MESSAGE_H
#define COLLECT_MESSAGE_H

#include <stdbool.h>

#include "collect/measure.h"

struct message {
    enum { MESSAGE_SAMPLE, MESSAGE_PROGRESS, MESSAGE_OUTCOME } kind;
    struct measure_sample sample;
    struct measure_progress progress;
    enum kernel_outcome outcome; /* the last message */
    char reason[KERNEL_REASON_SIZE];
};

/* In one write, below PIPE_BUF, so never torn. */
void message_send(int fd, const struct message *message);

/* line: without its end; overwritten. False when it is no message. */
bool message_parse(char *line, struct message *message);

#endif
