#include "collect/run.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "build.h"
#include "collect/clock.h"
#include "collect/fingerprint.h"
#include "collect/journal.h"
#include "collect/plan.h"
#include "collect/scratch.h"
#include "collect/worker.h"
#include "schema/number.h"
#include "schema/progress.h"
#include "schema/text.h"

enum { LABEL_MAX = 120, RUN_ID_SIZE = 48 };

const struct option_spec run_options[] = {
    {"suite", 's', "quick|standard|full", "how much to run when nothing is named, and the sizes, "
                                          "settings and repetitions (default quick)"},
    {"output", 'o', "FILE", "where the records go (default -, standard output); a file that is "
                            "there is kept as FILE~"},
    {"repeat", 'r', "N", "repetitions of every cell, each in a process of its own"},
    {"min-time", 'm', "SEC", "shortest time a sample is measured over"},
    {"threads", 't', "LIST", "numbers of threads, such as 1,2,all"},
    {"x", 'x', "LIST", "values of the swept quantity, such as 16K,1M"},
    {"set", 0, "KEY=VALUE[,VALUE]", "a setting of the kernels (see collect list); may be repeated"},
    {"dir", 'd', "DIR", "folder whose disk is tested (default: the current one)"},
    {"label", 'l', "NAME", "label of the machine (default: made from its processor and id)"},
    {"seed", 0, "N", "of the order and the data (default: random, and recorded)"},
    {"timeout", 0, "SEC", "longest time one repetition may take (default 120)"},
    {"dry-run", 'n', NULL, "print the plan and stop"},
    {"redact", 0, NULL, "leave out what identifies a person or a device (the default)"},
    {"no-redact", 0, NULL, "record host name, serial numbers and paths too"},
    {0}};

/* All that the command line decides. */
struct run_request {
    struct plan_request plan;
    const char **settings;
    double min_seconds, timeout_seconds;
    const char *output, *dir;
    char label[LABEL_MAX + 1];
    bool redact, is_dry;
};

struct run {
    struct run_request request;
    struct facts identity, before, after, own;
    struct kernel_host host;
    struct plan plan;
    char id[RUN_ID_SIZE], date[CLOCK_DATE_SIZE];
    struct run_identity record_identity;
    struct scratch *scratch;
    struct journal journal;
    bool journal_is_open;
    size_t n_status[STATUS_COUNT];
    char first_wrong[KERNEL_REASON_SIZE + 128];
};

static int random_bytes(void *out, size_t size, struct err *err)
{
    if (getrandom(out, size, 0) != (ssize_t)size)
        return err_system(err, "getrandom");
    return 0;
}

static int label_read(const struct arguments *arguments, char *out, struct err *err)
{
    const char *label = argument_value(arguments, "label");
    if (!label)
        return 0;
    size_t size = strlen(label);
    if (size == 0 || size > LABEL_MAX || text_utf8_prefix(label, size) != size)
        return err_set(err, ERR_USAGE, "--label: 1 to %d bytes of UTF-8", LABEL_MAX);
    memcpy(out, label, size + 1);
    return 0;
}

static int seed_read(const struct arguments *arguments, uint64_t *seed, struct err *err)
{
    const char *text = argument_value(arguments, "seed");
    if (text && !number_parse_count(text, strlen(text), seed))
        return err_set(err, ERR_USAGE, "--seed: '%s' is no whole number", text);
    if (text)
        return 0;
    TRY(random_bytes(seed, sizeof *seed, err));
    *seed >>= 11; /* below 2^53, so that every program that reads the records keeps it whole */
    return 0;
}

static int settings_read(const struct arguments *arguments, struct run_request *request,
                         struct err *err)
{
    size_t n = 0;
    while (argument_nth(arguments, "set", n))
        n++;
    request->settings = calloc(n + 1, sizeof *request->settings);
    if (!request->settings)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n; i++) {
        request->settings[i] = argument_nth(arguments, "set", i);
        if (!strchr(request->settings[i], '='))
            return err_set(err, ERR_USAGE, "--set: '%s' is not KEY=VALUE", request->settings[i]);
    }
    request->plan.settings = request->settings;
    request->plan.n_settings = n;
    return 0;
}

static int request_read(const struct arguments *arguments, struct run_request *request,
                        struct err *err)
{
    static const double min_seconds[SUITE_COUNT] = {0.05, 0.1, 0.5};
    int suite = SUITE_QUICK;
    unsigned long repeat = 0;
    TRY(argument_word(arguments, "suite", "quick|standard|full", &suite, err));
    TRY(argument_count(arguments, "repeat", 1, 100000, &repeat, err));
    request->plan = (struct plan_request){.names = (const char *const *)arguments->operands,
                                          .n_names = arguments->n_operands,
                                          .suite = (enum kernel_suite)suite,
                                          .repeat = (unsigned)repeat,
                                          .threads = argument_value(arguments, "threads"),
                                          .x = argument_value(arguments, "x")};
    request->min_seconds = min_seconds[suite];
    request->timeout_seconds = 120;
    TRY(argument_seconds(arguments, "min-time", 1e-6, 3600, &request->min_seconds, err));
    TRY(argument_seconds(arguments, "timeout", 0.1, 1e6, &request->timeout_seconds, err));
    TRY(seed_read(arguments, &request->plan.seed, err));
    TRY(settings_read(arguments, request, err));
    TRY(label_read(arguments, request->label, err));
    request->output = argument_value(arguments, "output");
    request->output = request->output ? request->output : "-";
    request->dir = argument_value(arguments, "dir");
    request->dir = request->dir ? request->dir : ".";
    request->redact = !argument_given(arguments, "no-redact");
    request->is_dry = argument_given(arguments, "dry-run");
    return 0;
}

/* Start, machine, chance: "20261130T121900Z-1f3a9c02-5be07d11". */
static int id_make(struct run *run, struct err *err)
{
    uint32_t chance;
    TRY(random_bytes(&chance, sizeof chance, err));
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

/* How the run was asked for, so that it can be repeated. */
static void own_facts_make(struct run *run)
{
    static const char *const suites[SUITE_COUNT] = {"quick", "standard", "full"};
    const struct run_request *request = &run->request;
    struct facts *facts = &run->own;
    const char *source = "command line";
    struct buffer list = {0};
    facts->class = FACT_IDENTITY;
    facts_add_text(facts, "run.program", "collect " BUILD_VERSION, "build");
    facts_add_text(facts, "run.suite", suites[request->plan.suite], source);
    facts_add_number(facts, "run.seed", (double)request->plan.seed, "1", source);
    facts_add_number(facts, "run.repeat", run->plan.repeat, "1", source);
    facts_add_number(facts, "run.min_time", request->min_seconds, "s", source);
    facts_add_number(facts, "run.timeout", request->timeout_seconds, "s", source);
    facts_add_number(facts, "run.jobs", (double)run->plan.n_jobs, "1", "plan");
    for (size_t i = 0; i < request->plan.n_names; i++)
        buffer_add_format(&list, "%s%s", i > 0 ? " " : "", request->plan.names[i]);
    facts_add_text(facts, "run.kernels", list.size > 0 ? list.bytes : "all of the suite", source);
    if (request->plan.threads)
        facts_add_text(facts, "run.threads", request->plan.threads, source);
    if (request->plan.x)
        facts_add_text(facts, "run.x", request->plan.x, source);
    buffer_clear(&list);
    for (size_t i = 0; i < request->plan.n_settings; i++)
        buffer_add_format(&list, "%s%s", i > 0 ? " " : "", request->settings[i]);
    if (list.size > 0)
        facts_add_text(facts, "run.settings", list.bytes, source);
    facts->failed = facts->failed || list.failed;
    buffer_free(&list);
}

static void cell_name(const struct plan_cell *cell, struct buffer *out)
{
    buffer_add_format(out, "%s.%s", cell->kernel->name, cell->test->name);
    if (cell->has_x)
        buffer_add_format(out, " x=%" PRIu64 " %s", cell->x, cell->kernel->x_unit);
    buffer_add_format(out, " threads=%u", cell->threads);
    for (const struct kernel_value *value = cell->settings; value->key; value++)
        buffer_add_format(out, " %s=%s", value->key, value->value);
}

static int plan_print(const struct plan *plan, struct err *err)
{
    struct buffer line = {0};
    for (size_t i = 0; i < plan->n_jobs; i++) {
        buffer_add_format(&line, "%zu ", i + 1);
        cell_name(plan->jobs[i].cell, &line);
        buffer_add_format(&line, " rep=%u\n", plan->jobs[i].rep);
    }
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

static void on_signal(int signal_number)
{
    worker_stop = signal_number;
}

static void signals_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write */
}

static int facts_all_write(struct run *run, struct err *err)
{
    struct writer *writer = &run->journal.writer;
    const struct run_identity *identity = &run->record_identity;
    bool redact = run->request.redact;
    own_facts_make(run);
    TRY(facts_write(&run->identity, FACT_IDENTITY, "", redact, identity, writer, err));
    TRY(facts_write(&run->own, FACT_IDENTITY, "", redact, identity, writer, err));
    return facts_write(&run->before, FACT_STATE, "before", redact, identity, writer, err);
}

static int job_run(struct run *run, const struct plan_job *job, struct err *err)
{
    struct measure_request request = {.cell = job->cell,
                                      .host = &run->host,
                                      .seed = run->request.plan.seed + job->rep,
                                      .min_seconds = run->request.min_seconds,
                                      .folder = ""};
    if (job->cell->kernel->flags & KERNEL_WANTS_FOLDER)
        TRY(scratch_job(run->scratch, &request.folder, err));
    struct worker_result result;
    char date[CLOCK_DATE_SIZE];
    int outcome = worker_run(&request, run->request.timeout_seconds, &result, err);
    clock_date(date);
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
    struct progress progress;
    struct buffer name = {0};
    progress_start(&progress, run->plan.n_jobs);
    int result = 0;
    for (size_t i = 0; i < run->plan.n_jobs && result >= 0; i++) {
        buffer_clear(&name);
        cell_name(run->plan.jobs[i].cell, &name);
        progress_step(&progress, i, buffer_text(&name));
        result = job_run(run, &run->plan.jobs[i], err);
    }
    progress_end(&progress);
    buffer_free(&name);
    return result;
}

static int run_measure(struct run *run, struct err *err)
{
    signals_catch();
    if (plan_wants_folder(&run->plan))
        TRY(scratch_open(&run->scratch, run->request.dir, run->id, leftover_name, err));
    run->journal_is_open = true;
    TRY(journal_open(&run->journal, run->request.output, &run->record_identity, err));
    TRY(facts_all_write(run, err));
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

static int run_all(struct run *run, const struct arguments *arguments, struct err *err)
{
    TRY(request_read(arguments, &run->request, err));
    struct probe_root root = {.path = "", .folder = run->request.dir};
    TRY(fingerprint_identity(&root, &run->identity, err));
    TRY(fingerprint_state(&root, &run->before, err));
    fingerprint_host(&run->identity, &run->before, &run->host);
    TRY(plan_make(&run->plan, &run->request.plan, &run->host, err));
    if (run->request.is_dry)
        return plan_print(&run->plan, err);
    TRY(id_make(run, err));
    TRY(run_measure(run, err));
    summary_print(run);
    if (run->n_status[STATUS_WRONG] > 0)
        return err_set(err, ERR_WRONG, "%zu wrong, first %s", run->n_status[STATUS_WRONG],
                       run->first_wrong);
    return 0;
}

int run_verb(const struct arguments *arguments, struct err *err)
{
    struct run *run = calloc(1, sizeof *run);
    if (!run)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int result = run_all(run, arguments, err);
    if (run->journal_is_open)
        journal_close(&run->journal);
    scratch_close(run->scratch);
    plan_free(&run->plan);
    facts_free(&run->identity);
    facts_free(&run->before);
    facts_free(&run->after);
    facts_free(&run->own);
    free(run->request.settings);
    free(run);
    return result;
}
