/* The record file of a run while it grows: every row is handed to the system in one write as soon
 * as it is known, so that a kill at any instant costs the job in flight and nothing else. */
#ifndef COLLECT_JOURNAL_H
#define COLLECT_JOURNAL_H

#include "collect/facts.h"
#include "collect/plan.h"
#include "collect/worker.h"
#include "schema/writer.h"

struct journal {
    const char *path; /* "-" is standard output; borrowed */
    int fd;
    struct writer writer;
    const struct run_identity *identity; /* borrowed */
};

/* Makes the file and writes the header. A file of that name is kept as PATH~. journal_close ends
 * it, also after an error of the others. */
int journal_open(struct journal *journal, const char *path, const struct run_identity *identity,
                 struct err *err);
/* The rows of one repetition: its samples, or for each metric of the test why there is none.
 * date: when it ended. */
int journal_job(struct journal *journal, const struct plan_job *job,
                const struct worker_result *result, const char *date, struct err *err);
int journal_end(struct journal *journal, struct err *err); /* the end row, and to the disk */
void journal_close(struct journal *journal);

#endif
