/* The record file of a run while it grows: all rows of a job are handed to the system in one write
 * as soon as they are known, so that a kill at any instant costs the job in flight and no other. */
#ifndef COLLECT_JOURNAL_H
#define COLLECT_JOURNAL_H

#include "collect/fingerprint/facts.h"
#include "collect/plan.h"
#include "collect/record_file.h"
#include "collect/worker.h"
#include "schema/writer.h"

struct journal {
    const char *path; /* "-" is standard output; borrowed */
    int fd;
    struct writer writer;
    struct buffer pending; /* rows that go out together */
    const struct run_identity *identity; /* borrowed */
};

/* Makes the file and writes the header. A file of that name is kept as PATH~. journal_close ends
 * it, also after an error of the others. */
int journal_open(struct journal *journal, const char *path, const struct run_identity *identity,
                 struct err *err);
/* Goes on behind the first n_kept records of a file that was read, and drops what follows them. */
int journal_reopen(struct journal *journal, const char *path, const struct run_identity *identity,
                   const struct record_file *file, size_t n_kept, struct err *err);
/* Writes out what was given to the writer since the last flush. */
int journal_flush(struct journal *journal, struct err *err);
/* Appends the value of the column params of a job's samples. */
int journal_params(const struct plan_job *job, struct buffer *out, struct err *err);
/* The rows of one repetition: its samples, or for each metric of the test why there is none.
 * date: when it ended. */
int journal_job(struct journal *journal, const struct plan_job *job,
                const struct worker_result *result, const char *date, struct err *err);
/* The rows of a repetition that failed and is done once more: why, as of a warm-up of that one, with the time
 * in the parameter lost_at. */
int journal_lost(struct journal *journal, const struct plan_job *job,
                 const struct worker_result *result, const char *date, struct err *err);
int journal_end(struct journal *journal, struct err *err); /* the end row, and to the disk */
void journal_close(struct journal *journal);

#endif
