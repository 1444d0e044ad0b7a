#include "collect/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/activity.h"
#include "collect/clock.h"
#include "collect/confine.h"
#include "collect/done.h"
#include "collect/fingerprint/fingerprint.h"
#include "collect/journal.h"
#include "collect/kernel_facts.h"
#include "collect/plan.h"
#include "collect/record_file.h"
#include "collect/request.h"
#include "collect/scratch.h"
#include "collect/stop.h"
#include "collect/swapfile.h"
#include "collect/variant_facts.h"
#include "collect/worker.h"
#include "schema/progress.h"

enum { RUN_ID_SIZE = 48 };

struct run {
    struct run_request request;
    struct record_file old; /* the file of --resume or rerun */
    const char *resume;     /* its path, when it is gone on with */
    struct facts identity, before, after, own;
    struct kernel_host host;
    struct plan plan;
    struct variants variants;
    struct done_jobs done; /* that the old file holds */
    char id[RUN_ID_SIZE], date[CLOCK_DATE_SIZE];
    struct run_identity record_identity;
    struct swapfile *swapfile;
    struct scratch *scratch;
    struct activity *activity;
    struct journal journal;
    bool journal_is_open;
    struct progress progress;
    struct buffer job_name; /* of the job that runs */
    bool job_is_named;      /* on standard error */
    size_t n_status[STATUS_COUNT];
    char first_wrong[KERNEL_REASON_SIZE + 128];
};

/* Start, machine, chance: "20261130T121900Z-1f3a9c02-5be07d11". */
static int id_make(struct run *run, struct err *err)
{
    uint32_t chance;
    if (getrandom(&chance, sizeof chance, 0) != (ssize_t)sizeof chance)
        return err_system(err, "getrandom");
    clock_date(run->date);
    char start[CLOCK_DATE_SIZE];
    size_t n = 0;
    for (const char *p = run->date; *p; p++)
        if (*p != '-' && *p != ':')
            start[n++] = *p;
    start[n] = '\0';
    const struct fact *machine = facts_find(&run->identity, "machine.id");
    snprintf(run->id, sizeof run->id, "%s-%.8s-%08" PRIx32, start,
             machine ? machine->text : "00000000", chance);
    if (run->request.label[0] == '\0')
        fingerprint_label(&run->identity, run->request.label, sizeof run->request.label);
    run->record_identity = (struct run_identity){run->id, run->request.label, run->date};
    return 0;
}

static void cell_name(const struct plan_cell *cell, struct buffer *out)
{
    buffer_add_format(out, "%s.%s", cell->kernel->name, cell->test->name);
    if (cell->has_x)
        buffer_add_format(out, " x=%" PRIu64 " %s", cell->x, cell->kernel->x_unit);
    buffer_add_format(out, " threads=%u", cell->threads);
    if (cell->variant)
        buffer_add_format(out, " variant=%s", cell->variant->name);
    for (const struct kernel_value *value = cell->settings; value->key; value++)
        buffer_add_format(out, " %s=%s", value->key, value->value);
}

/* "40 s", "12 min", "11 h": no more digits than an estimate has. */
static void about_text(double seconds, struct buffer *out)
{
    if (seconds < 90)
        buffer_add_format(out, "%.0f s", ceil(seconds));
    else if (seconds < 90 * 60)
        buffer_add_format(out, "%.0f min", ceil(seconds / 60));
    else
        buffer_add_format(out, "%.0f h", ceil(seconds / 3600));
}

static int plan_print(const struct run *run, struct err *err)
{
    const struct plan *plan = &run->plan;
    struct buffer line = {0};
    for (size_t i = 0; i < plan->n_jobs; i++) {
        buffer_add_format(&line, "%zu ", i + 1);
        cell_name(plan->jobs[i].cell, &line);
        buffer_add_format(&line, " rep=%u\n", plan->jobs[i].rep);
    }
    buffer_add_format(&line, "in all %zu jobs, about ", plan->n_jobs);
    about_text(plan_seconds(plan, &run->host, run->request.plan.suite, run->request.min_seconds),
               &line);
    buffer_add_char(&line, '\n');
    bool is_printed = !line.failed && fputs(buffer_text(&line), stdout) >= 0;
    buffer_free(&line);
    return is_printed ? 0 : err_set(err, ERR_SYSTEM, "standard output: cannot write");
}

static bool plan_wants_folder(const struct plan *plan)
{
    for (size_t i = 0; i < plan->n_cells; i++)
        if (plan->cells[i].kernel->flags & KERNEL_WANTS_FOLDER)
            return true;
    return false;
}

static void leftover_name(const char *path)
{
    fprintf(stderr, "collect: removed %s, left by a run that was killed\n", path);
}

static int facts_all_write(struct run *run, struct err *err)
{
    struct writer *writer = &run->journal.writer;
    const struct run_identity *identity = &run->record_identity;
    bool redact = run->request.redact;
    request_facts(&run->request, &run->plan, &run->own);
    TRY(kernel_facts_add(&run->plan, &run->own, err));
    TRY(facts_write(&run->identity, FACT_IDENTITY, "", redact, identity, writer, err));
    TRY(facts_write(&run->own, FACT_IDENTITY, "", redact, identity, writer, err));
    TRY(variant_facts_write(&run->variants, &run->plan, identity, writer, err));
    TRY(facts_write(&run->before, FACT_STATE, "before", redact, identity, writer, err));
    return journal_flush(&run->journal, err);
}

/* Records that stay: all up to the state after the run, which is still to come. Before the first
 * sample, even the facts may be cut short, and are written anew. */
static size_t records_kept(const struct record_file *old)
{
    size_t n = 0;
    bool has_sample = false;
    while (n < old->n && strcmp(old->records[n].test, "after") != 0)
        has_sample = old->records[n++].kind == KIND_SAMPLE || has_sample;
    return has_sample ? n : 0;
}

static int resume_check(const struct run *run, struct err *err)
{
    const struct record_file *old = &run->old;
    if (old->records[old->n - 1].kind == KIND_END && !old->is_torn)
        return err_set(err, ERR_USAGE, "%s: the run is complete", run->resume);
    for (size_t i = 0; i < old->n; i++)
        if (strcmp(old->records[i].run, old->records[0].run) != 0)
            return err_set(err, ERR_DATA, "%s: holds more than one run", run->resume);
    static const char *const same[] = {"config.hash", "machine.id", "build.program_sha256"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        const struct record *then = record_file_fact(old, same[i]);
        const struct fact *now = facts_find(&run->identity, same[i]);
        if (then ? strcmp(then->text, now ? now->text : "") != 0 : now != NULL)
            return err_set(err, ERR_DATA,
                           "%s: the machine, its system or this program is not what it was (fact "
                           "%s)",
                           run->resume, same[i]);
    }
    return 0;
}

static int journal_begin(struct run *run, struct err *err)
{
    run->journal_is_open = true;
    size_t n_kept = run->resume ? records_kept(&run->old) : 0;
    if (run->resume)
        TRY(journal_reopen(&run->journal, run->resume, &run->record_identity, &run->old, n_kept,
                           err));
    else
        TRY(journal_open(&run->journal, run->request.output, &run->record_identity, err));
    return n_kept > 0 ? done_read(&run->done, &run->old, n_kept, err) : facts_all_write(run, err);
}

/* In a group of limited memory, where the cell asks for one. *is_starved: the kernel killed it there,
 * which happens to a group that fills faster than its pages are written, though there is swap. */
static int job_perform(const struct plan_job *job, struct worker_request *request,
                       struct worker_result *result, bool *is_starved, struct err *err)
{
    *is_starved = false;
    if (request->variant && request->variant->why) {
        *result = (struct worker_result){.status = STATUS_UNAVAILABLE};
        snprintf(result->reason, sizeof result->reason, "%.*s", KERNEL_REASON_SIZE - 1,
                 request->variant->why);
        return 0;
    }
    struct confine *confine = NULL;
    uint64_t limit = plan_limit(job->cell->settings);
    if (limit > 0 && confine_open(&confine, limit, err) < 0) {
        *result = (struct worker_result){.status = STATUS_UNAVAILABLE};
        snprintf(result->reason, sizeof result->reason, "%.*s", KERNEL_REASON_SIZE - 1, err->text);
        return 0;
    }
    request->confine = confine;
    int outcome = worker_run(request, result, err);
    *is_starved =
        outcome >= 0 && confine && result->status == STATUS_FAILED && confine_has_killed(confine);
    if (*is_starved)
        snprintf(result->reason, sizeof result->reason,
                 "the process was killed by the system: its control group of %" PRIu64
                 " MiB had no memory left",
                 limit >> 20);
    confine_close(confine);
    return outcome;
}

/* A line of HDTEST32's: "2.000: 41 MB, 20 MB/s sustained, 23 MB/s incremental". */
static void live_print(void *context, const struct measure_progress *progress)
{
    struct run *run = context;
    progress_end(&run->progress);
    if (!run->job_is_named)
        fprintf(stderr, "%s\n", buffer_text(&run->job_name));
    run->job_is_named = true;
    double seconds = (double)progress->ns * 1e-9, last = (double)progress->last_ns * 1e-9;
    fprintf(stderr, "%.3f: %.0f MB, %.0f MB/s sustained, %.0f MB/s incremental\n", seconds,
            (double)progress->bytes * 1e-6, (double)progress->bytes * 1e-6 / seconds,
            (double)progress->last_bytes * 1e-6 / last);
}

static int job_run(struct run *run, const struct plan_job *job, struct err *err)
{
    struct kernel_host host = plan_host(&run->host, job->cell->settings);
    struct worker_request request = {.measure = {.cell = job->cell,
                                                 .host = &host,
                                                 .seed = run->request.plan.seed + job->rep,
                                                 .min_seconds = run->request.min_seconds,
                                                 .folder = "",
                                                 .source = run->request.source,
                                                 .save = run->request.save,
                                                 .live = run->request.is_verbose ? live_print : NULL,
                                                 .live_context = run},
                                     .timeout_seconds = run->request.timeout_seconds,
                                     .activity = run->activity,
                                     .variant = job->cell->variant};
    if (job->cell->kernel->flags & KERNEL_WANTS_FOLDER)
        TRY(scratch_job(run->scratch, &request.measure.folder, err));
    struct worker_result result;
    char date[CLOCK_DATE_SIZE];
    bool is_starved;
    int outcome = job_perform(job, &request, &result, &is_starved, err);
    clock_date(date);
    if (outcome >= 0 && is_starved) {
        outcome = journal_lost(&run->journal, job, &result, date, err);
        worker_result_free(&result);
        if (outcome >= 0)
            outcome = job_perform(job, &request, &result, &is_starved, err);
        clock_date(date);
    }
    if (outcome >= 0)
        outcome = journal_job(&run->journal, job, &result, date, err);
    run->n_status[result.status]++;
    if (result.status == STATUS_WRONG && run->first_wrong[0] == '\0')
        snprintf(run->first_wrong, sizeof run->first_wrong, "%s.%s: %s", job->cell->kernel->name,
                 job->cell->test->name, result.reason);
    worker_result_free(&result);
    return outcome;
}

static int jobs_run(struct run *run, struct err *err)
{
    struct buffer *name = &run->job_name;
    progress_start(&run->progress, run->plan.n_jobs);
    int result = 0;
    for (size_t i = 0; i < run->plan.n_jobs && result >= 0; i++) {
        buffer_clear(name);
        cell_name(run->plan.jobs[i].cell, name);
        run->job_is_named = false;
        progress_step(&run->progress, i, buffer_text(name));
        result = done_has(&run->done, &run->plan.jobs[i], err);
        if (result == 0)
            result = job_run(run, &run->plan.jobs[i], err);
    }
    progress_end(&run->progress);
    return result;
}

/* Pictures are no records: they go where the user said, over those of an earlier run. */
static int save_prepare(const struct run_request *request, struct err *err)
{
    struct stat st;
    if (!request->save || mkdir(request->save, 0777) == 0)
        return 0;
    if (errno != EEXIST || stat(request->save, &st) < 0)
        return err_system(err, "--set=save: %s", request->save);
    return S_ISDIR(st.st_mode) ? 0 : err_set(err, ERR_USAGE, "--set=save: %s is no folder",
                                             request->save);
}

static int run_measure(struct run *run, struct err *err)
{
    TRY(save_prepare(&run->request, err));
    if (plan_wants_folder(&run->plan))
        TRY(scratch_open(&run->scratch, run->request.dir, run->id, leftover_name, err));
    if (run->request.activity_seconds > 0)
        TRY(activity_open(&run->activity, run->request.dir, run->request.activity_seconds, err));
    TRY(journal_begin(run, err));
    TRY(jobs_run(run, err));
    struct probe_root root = {.path = "", .folder = run->request.dir};
    TRY(fingerprint_state(&root, &run->after, err));
    TRY(facts_write(&run->after, FACT_STATE, "after", run->request.redact, &run->record_identity,
                    &run->journal.writer, err));
    return journal_end(&run->journal, err);
}

/* What went how, for a person at a terminal. */
static void summary_print(const struct run *run)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "%zu jobs:", run->plan.n_jobs);
    const char *separator = " ";
    for (int s = 0; s < STATUS_COUNT; s++) {
        if (run->n_status[s] > 0) {
            fprintf(stderr, "%s%zu %s", separator, run->n_status[s],
                    record_status_text((enum record_status)s));
            separator = ", ";
        }
    }
    fputc('\n', stderr);
}

static int identity_set(struct run *run, struct err *err)
{
    TRY(id_make(run, err));
    if (run->resume) {
        TRY(resume_check(run, err));
        const struct record *first = &run->old.records[0];
        run->record_identity = (struct run_identity){first->run, first->machine, first->time};
    }
    return 0;
}

/* Swap comes first: the fingerprint tells of it, and the sizes depend on it. */
static int swap_prepare(struct run *run, struct err *err)
{
    if (run->request.is_dry)
        return 0;
    stop_catch();
    confine_tidy(leftover_name); /* waits for what still dies in there, and holds the swap */
    swapfile_tidy(leftover_name);
    if (run->request.swapfile_bytes > 0)
        TRY(swapfile_open(&run->swapfile, run->request.swapfile, run->request.swapfile_bytes, err));
    return 0;
}

/* The form that may bring the machine down wants to be asked for twice. */
static int consent_check(const struct run *run, struct err *err)
{
    for (size_t i = 0; i < run->plan.n_cells && !run->request.is_agreed; i++) {
        const struct kernel_value *value = run->plan.cells[i].settings;
        for (; value->key; value++)
            if (strcmp(value->key, "limit") == 0 && strcmp(value->value, "none") == 0)
                return err_set(err, ERR_USAGE,
                               "--set=limit=none takes all memory of the machine and may stop "
                               "everything else on it for hours: add --yes to do it");
    }
    return 0;
}

/* Everything after the request is known. */
static int run_perform(struct run *run, struct err *err)
{
    TRY(swap_prepare(run, err));
    struct probe_root root = {.path = "", .folder = run->request.dir};
    TRY(fingerprint_identity(&root, &run->identity, err));
    TRY(fingerprint_state(&root, &run->before, err));
    fingerprint_host(&run->identity, &run->before, &run->host);
    run->host.can_confine = confine_is_possible();
    if (run->request.variants) {
        TRY(variants_find(&run->variants, run->request.variants, err));
        run->request.plan.variants = run->variants.variants;
        run->request.plan.n_variants = run->variants.n;
    }
    TRY(plan_make(&run->plan, &run->request.plan, &run->host, err));
    if (run->request.is_dry)
        return plan_print(run, err);
    TRY(consent_check(run, err));
    TRY(identity_set(run, err));
    TRY(run_measure(run, err));
    summary_print(run);
    if (run->n_status[STATUS_WRONG] > 0)
        return err_set(err, ERR_WRONG, "%zu wrong, first %s", run->n_status[STATUS_WRONG],
                       run->first_wrong);
    return 0;
}

static int old_read(struct run *run, const char *path, const struct arguments *arguments,
                    struct err *err)
{
    TRY(record_file_read(&run->old, path, err));
    if (run->old.n == 0)
        return err_set(err, ERR_DATA, "%s: holds no whole record", path);
    int result = request_recall(&run->request, &run->old, arguments, err);
    return result < 0 ? err_wrap(err, "%s", path) : 0;
}

/* Ends it all; result: how the run went. An error of tidying up is one of the run. */
static int run_finish(struct run *run, int result, struct err *err)
{
    struct err swap_err;
    if (swapfile_close(run->swapfile, &swap_err) < 0 && result >= 0) {
        *err = swap_err;
        result = err->code;
    }
    if (run->journal_is_open)
        journal_close(&run->journal);
    scratch_close(run->scratch);
    activity_close(run->activity);
    plan_free(&run->plan);
    variants_free(&run->variants);
    done_free(&run->done);
    facts_free(&run->identity);
    facts_free(&run->before);
    facts_free(&run->after);
    facts_free(&run->own);
    request_free(&run->request);
    buffer_free(&run->job_name);
    record_file_free(&run->old);
    free(run);
    return result;
}

int run_verb(const struct arguments *arguments, struct err *err)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return err_set(err, ERR_SYSTEM, "out of memory");
    run->resume = argument_value(arguments, "resume");
    int result = run->resume ? old_read(run, run->resume, arguments, err)
                             : request_read(&run->request, arguments, err);
    if (result >= 0)
        result = run_perform(run, err);
    return run_finish(run, result, err);
}

int rerun_verb(const struct arguments *arguments, struct err *err)
{
    if (arguments->n_operands != 1)
        return err_set(err, ERR_USAGE, "one FILE is wanted");
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int result = old_read(run, arguments->operands[0], arguments, err);
    if (result >= 0)
        result = run_perform(run, err);
    return run_finish(run, result, err);
}
