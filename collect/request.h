/* How a run was asked for: read from the command line, written into the record as facts run.*, and
 * read back from there for --resume and rerun. */
#ifndef COLLECT_REQUEST_H
#define COLLECT_REQUEST_H

#include "collect/fingerprint/facts.h"
#include "collect/plan.h"
#include "collect/record_file.h"
#include "schema/command.h"

enum { REQUEST_LABEL_MAX = 120 };

struct run_request {
    struct arena arena;      /* of the texts that do not come from argv */
    struct plan_request plan;
    double min_seconds, timeout_seconds;
    double activity_seconds; /* between samples of what the machine does meanwhile; 0: none */
    const char *output, *dir;
    char label[REQUEST_LABEL_MAX + 1]; /* "" until one is derived */
    const char *swapfile; /* path of a swap file for the run, with swapfile_bytes > 0 */
    uint64_t swapfile_bytes;
    const char *save;   /* folder for pictures that kernels show; or NULL */
    const char *source; /* path for the setting source=file or a device's name; or NULL */
    const char *variants; /* names of builds that run every job, or "all"; NULL: this one */
    bool redact, is_dry, is_verbose;
    bool is_agreed; /* --yes */
    bool is_aa;     /* --aa: repetitions 1, 4, 5, 8, 9 ... and 2, 3, 6, 7 ... are two halves, so that
                       what drifts evenly hits both alike */
};

extern const struct option_spec request_options[]; /* of run */
extern const struct option_spec rerun_options[];

/* All of it from the arguments. request_free ends it, also after an error. */
int request_read(struct run_request *request, const struct arguments *arguments, struct err *err);
/* The plan, its settings and the label from the first run of a record file; where it goes, --dir
 * and the like from the arguments. ERR_DATA when the file does not hold them. */
int request_recall(struct run_request *request, const struct record_file *file,
                   const struct arguments *arguments, struct err *err);
void request_free(struct run_request *request);

/* Adds the facts run.*; plan: what came of the request. */
void request_facts(const struct run_request *request, const struct plan *plan,
                   struct facts *facts);

#endif
