/* The jobs that a record file holds already. */
#ifndef COLLECT_DONE_H
#define COLLECT_DONE_H

#include <stddef.h>

#include "collect/plan.h"
#include "collect/record_file.h"
#include "schema/err.h"

struct done_jobs {
    char **keys; /* [n] sorted, owned */
    size_t n;
};

/* From the first n_records of the file. done_free ends it, also after an error. */
int done_read(struct done_jobs *done, const struct record_file *file, size_t n_records,
              struct err *err);
/* 1 when the job is among them, else 0. */
int done_has(const struct done_jobs *done, const struct plan_job *job, struct err *err);
void done_free(struct done_jobs *done);

#endif
