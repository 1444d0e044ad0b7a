#include "collect/request.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "build.h"
#include "schema/number.h"
#include "schema/text.h"

#define SWAPFILE "swapfile="
#define SAVE "save="
#define SOURCE "source="

static const char *const suites[SUITE_COUNT] = {"quick", "standard", "full"};
#define SUITE_WORDS "quick|standard|full"
#define SETTING_PREFIX "run.setting."

const struct option_spec request_options[] = {
    {"suite", 's', SUITE_WORDS, "how much to run when nothing is named, and the sizes, settings "
                                "and repetitions: for 3 minutes, 45 minutes, a day (default quick)"},
    {"output", 'o', "FILE", "where the records go (default -, standard output); a file that is "
                            "there is kept as FILE~"},
    {"repeat", 'r', "N", "repetitions of every cell, each in a process of its own"},
    {"aa", 0, NULL, "twice as many repetitions, as two interleaved halves that report compares with "
                    "each other: the noise of this machine"},
    {"min-time", 'm', "SEC", "shortest time a sample is measured over"},
    {"threads", 't', "LIST", "numbers of threads, such as 1,2,all"},
    {"x", 'x', "LIST", "values of the swept quantity, such as 16K,1M"},
    {"set", 0, "KEY=VALUE[,VALUE]", "a setting of the kernels (see collect list); may be repeated. "
                                    "Two are of the run and not of a kernel. swapfile=PATH,SIZE: swap "
                                    "there meanwhile (root); save=DIR: image and graphics put "
                                    "pictures there"},
    {"yes", 'y', NULL, "do what may make the machine useless to others meanwhile (limit=none)"},
    {"dir", 'd', "DIR", "folder whose disk is tested (default: the current one)"},
    {"variants", 0, "LIST|all", "run every job in each of these builds of collect, interleaved (make "
                                "variants makes them)"},
    {"label", 'l', "NAME", "label of the machine (default: made from its processor and id)"},
    {"seed", 0, "N", "of the order and the data (default: random, and recorded)"},
    {"timeout", 0, "SEC", "longest time one repetition may take (default 120)"},
    {"activity", 0, "SEC", "sample disks, swapping, processors and page faults meanwhile, every SEC "
                           "seconds"},
    {"verbose", 'v', NULL, "show on standard error how far a long test is, each second"},
    {"dry-run", 'n', NULL, "print the plan with an estimate of its time, and stop"},
    {"resume", 0, "FILE", "finish the run that FILE holds, from where it was killed; the plan comes "
                          "from FILE, and the machine must be the same"},
    {"redact", 0, NULL, "leave out what identifies a person or a device (the default)"},
    {"no-redact", 0, NULL, "record host name, serial numbers and paths too"},
    {0}};

const struct option_spec rerun_options[] = {
    {"output", 'o', "FILE", "where the records go (default -, standard output)"},
    {"dir", 'd', "DIR", "folder whose disk is tested (default: the current one)"},
    {"yes", 'y', NULL, "do what may make the machine useless to others meanwhile (limit=none)"},
    {"verbose", 'v', NULL, "show on standard error how far a long test is, each second"},
    {"dry-run", 'n', NULL, "print the plan with an estimate of its time, and stop"},
    {"redact", 0, NULL, "leave out what identifies a person or a device (the default)"},
    {"no-redact", 0, NULL, "record host name, serial numbers and paths too"},
    {0}};

static int label_set(struct run_request *request, const char *label, struct err *err)
{
    size_t size = strlen(label);
    if (size == 0 || size > REQUEST_LABEL_MAX || text_utf8_prefix(label, size) != size)
        return err_set(err, ERR_USAGE, "--label: 1 to %d bytes of UTF-8", REQUEST_LABEL_MAX);
    memcpy(request->label, label, size + 1);
    return 0;
}

static int seed_read(const struct arguments *arguments, uint64_t *seed, struct err *err)
{
    const char *text = argument_value(arguments, "seed");
    if (!text && getrandom(seed, sizeof *seed, 0) != (ssize_t)sizeof *seed)
        return err_system(err, "getrandom");
    if (text && !number_parse_count(text, strlen(text), seed))
        return err_set(err, ERR_USAGE, "--seed: '%s' is no whole number", text);
    if (text && *seed >> 53)
        return err_set(err, ERR_USAGE, "--seed: below 2^53, so that a record holds it exactly");
    if (!text)
        *seed >>= 11;
    return 0;
}

/* PATH,SIZE: it belongs to the run and not to a cell, and the path to nobody else. */
static int swapfile_read(struct run_request *request, const char *value, struct err *err)
{
    const char *comma = strrchr(value, ',');
    if (!comma || comma == value || !number_parse_size(comma + 1, &request->swapfile_bytes) ||
        request->swapfile_bytes == 0)
        return err_set(err, ERR_USAGE, "--set=swapfile: '%s' is not PATH,SIZE", value);
    request->swapfile = arena_copy(&request->arena, value, (size_t)(comma - value));
    return request->swapfile ? 0 : err_set(err, ERR_SYSTEM, "out of memory");
}

/* PATH of a device or file: the record has the name of the device, or "file". *setting: as it is to
 * be. A value without a slash is no path, and the setting's own. */
static int source_read(struct run_request *request, const char **setting, struct err *err)
{
    const char *path = *setting + strlen(SOURCE);
    struct stat st;
    if (!strchr(path, '/'))
        return 0;
    if (stat(path, &st) < 0)
        return err_system(err, "--set=source: %s", path);
    if (!S_ISBLK(st.st_mode) && !S_ISREG(st.st_mode))
        return err_set(err, ERR_USAGE, "--set=source: '%s' is neither a block device nor a file",
                       path);
    request->source = path;
    *setting = SOURCE "file";
    if (S_ISREG(st.st_mode))
        return 0;
    struct buffer text = {0};
    char *real = realpath(path, NULL); /* names below /dev/disk tell serial numbers */
    const char *name = real && strncmp(real, "/dev/", 5) == 0 ? real + 5 : NULL;
    if (name && !strpbrk(name, "/,"))
        buffer_add_format(&text, SOURCE "%s", name);
    free(real);
    if (text.size > 0)
        *setting = arena_copy(&request->arena, text.bytes, text.size);
    bool is_fine = !text.failed && *setting;
    buffer_free(&text);
    return is_fine ? 0 : err_set(err, ERR_SYSTEM, "out of memory");
}

static int settings_read(const struct arguments *arguments, struct run_request *request,
                         struct err *err)
{
    size_t n = 0;
    while (argument_nth(arguments, "set", n))
        n++;
    const char **settings = arena_alloc(&request->arena, (n + 1) * sizeof *settings);
    if (!settings)
        return err_set(err, ERR_SYSTEM, "out of memory");
    size_t n_kept = 0;
    for (size_t g = 0; g < n; g++) {
        const char *given = argument_nth(arguments, "set", g);
        if (strncmp(given, SWAPFILE, strlen(SWAPFILE)) == 0) {
            TRY(swapfile_read(request, given + strlen(SWAPFILE), err));
            continue;
        }
        if (strncmp(given, SAVE, strlen(SAVE)) == 0) {
            request->save = given + strlen(SAVE);
            if (request->save[0] == '\0')
                return err_set(err, ERR_USAGE, "--set=save: names no folder");
            continue;
        }
        size_t i = n_kept++;
        settings[i] = given;
        const char *equals = strchr(settings[i], '=');
        if (!equals || strspn(settings[i], "abcdefghijklmnopqrstuvwxyz0123456789_") !=
                           (size_t)(equals - settings[i]))
            return err_set(err, ERR_USAGE, "--set: '%s' is not KEY=VALUE", settings[i]);
        if (strncmp(given, SOURCE, strlen(SOURCE)) == 0)
            TRY(source_read(request, &settings[i], err));
    }
    request->plan.settings = settings;
    request->plan.n_settings = n_kept;
    return 0;
}

/* What never comes from a record. */
static void places_read(struct run_request *request, const struct arguments *arguments)
{
    request->output = argument_value(arguments, "output");
    request->output = request->output ? request->output : "-";
    request->dir = argument_value(arguments, "dir");
    request->dir = request->dir ? request->dir : ".";
    request->redact = !argument_given(arguments, "no-redact");
    request->is_dry = argument_given(arguments, "dry-run");
    request->is_agreed = argument_given(arguments, "yes");
    request->is_verbose = argument_given(arguments, "verbose");
}

int request_read(struct run_request *request, const struct arguments *arguments, struct err *err)
{
    int suite = SUITE_QUICK;
    unsigned long repeat = 0;
    *request = (struct run_request){.timeout_seconds = 120};
    places_read(request, arguments);
    TRY(argument_word(arguments, "suite", SUITE_WORDS, &suite, err));
    TRY(argument_count(arguments, "repeat", 1, 100000, &repeat, err));
    request->plan = (struct plan_request){.names = (const char *const *)arguments->operands,
                                          .n_names = arguments->n_operands,
                                          .suite = (enum kernel_suite)suite,
                                          .repeat = (unsigned)repeat,
                                          .threads = argument_value(arguments, "threads"),
                                          .x = argument_value(arguments, "x")};
    request->variants = argument_value(arguments, "variants");
    request->min_seconds = plan_min_seconds(request->plan.suite);
    request->is_aa = argument_given(arguments, "aa");
    if (request->is_aa)
        request->plan.repeat =
            2 * (repeat > 0 ? (unsigned)repeat : plan_repeat(request->plan.suite));
    TRY(argument_seconds(arguments, "min-time", 1e-6, 3600, &request->min_seconds, err));
    TRY(argument_seconds(arguments, "timeout", 0.1, 1e6, &request->timeout_seconds, err));
    TRY(argument_seconds(arguments, "activity", 0.05, 3600, &request->activity_seconds, err));
    TRY(seed_read(arguments, &request->plan.seed, err));
    TRY(settings_read(arguments, request, err));
    const char *label = argument_value(arguments, "label");
    return label ? label_set(request, label, err) : 0;
}

static int fact_number(const struct record_file *file, const char *name, double *out,
                       struct err *err)
{
    const struct record *fact = record_file_fact(file, name);
    if (!fact || !RECORD_HAS(fact, value) || fact->value < 0)
        return err_set(err, ERR_DATA, "no fact %s, so the run cannot be repeated", name);
    *out = fact->value;
    return 0;
}

static const char *fact_text(const struct record_file *file, const char *name)
{
    const struct record *fact = record_file_fact(file, name);
    return fact && fact->text[0] ? fact->text : NULL;
}

static int names_recall(struct run_request *request, const struct record_file *file,
                        struct err *err)
{
    const char *list = fact_text(file, "run.kernels");
    if (!list)
        return 0;
    char *copy = arena_copy(&request->arena, list, strlen(list));
    const char **names = arena_alloc(&request->arena, (strlen(list) + 1) * sizeof *names);
    if (!copy || !names)
        return err_set(err, ERR_SYSTEM, "out of memory");
    char *rest = NULL;
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        names[request->plan.n_names++] = name;
    request->plan.names = names;
    return 0;
}

static int settings_recall(struct run_request *request, const struct record_file *file,
                           struct err *err)
{
    const char **settings = arena_alloc(&request->arena, (file->n + 1) * sizeof *settings);
    struct buffer text = {0};
    for (size_t i = 0; i < file->n && settings; i++) {
        const struct record *fact = &file->records[i];
        if (fact->kind != KIND_FACT || strncmp(fact->metric, SETTING_PREFIX, strlen(SETTING_PREFIX)))
            continue;
        buffer_clear(&text);
        buffer_add_format(&text, "%s=%s", fact->metric + strlen(SETTING_PREFIX), fact->text);
        settings[request->plan.n_settings] =
            arena_copy(&request->arena, buffer_text(&text), text.size);
        if (text.failed || !settings[request->plan.n_settings++])
            settings = NULL;
    }
    buffer_free(&text);
    if (!settings)
        return err_set(err, ERR_SYSTEM, "out of memory");
    request->plan.settings = settings;
    return 0;
}

int request_recall(struct run_request *request, const struct record_file *file,
                   const struct arguments *arguments, struct err *err)
{
    *request = (struct run_request){0};
    places_read(request, arguments);
    double seed = 0, repeat = 0;
    TRY(fact_number(file, "run.seed", &seed, err));
    TRY(fact_number(file, "run.repeat", &repeat, err));
    TRY(fact_number(file, "run.min_time", &request->min_seconds, err));
    TRY(fact_number(file, "run.timeout", &request->timeout_seconds, err));
    if (record_file_fact(file, "run.activity"))
        TRY(fact_number(file, "run.activity", &request->activity_seconds, err));
    request->is_aa = record_file_fact(file, "run.aa") != NULL;
    const char *suite = fact_text(file, "run.suite");
    int s = 0;
    while (s < SUITE_COUNT && suite && strcmp(suites[s], suite) != 0)
        s++;
    if (!suite || s == SUITE_COUNT || seed >= 9007199254740992.0 || repeat < 1 || repeat > 200000)
        return err_set(err, ERR_DATA, "facts run.suite, run.seed or run.repeat make no sense");
    request->plan = (struct plan_request){.suite = (enum kernel_suite)s,
                                          .repeat = (unsigned)repeat,
                                          .seed = (uint64_t)seed,
                                          .threads = fact_text(file, "run.threads"),
                                          .x = fact_text(file, "run.x")};
    request->variants = fact_text(file, "run.variants");
    TRY(names_recall(request, file, err));
    TRY(settings_recall(request, file, err));
    return label_set(request, file->records[0].machine, err);
}

void request_free(struct run_request *request)
{
    arena_free(&request->arena);
}

void request_facts(const struct run_request *request, const struct plan *plan, struct facts *facts)
{
    const char *source = "command line";
    struct buffer text = {0};
    facts->class = FACT_IDENTITY;
    facts_add_text(facts, "run.program", "collect " BUILD_VERSION, "build");
    facts_add_text(facts, "run.suite", suites[request->plan.suite], source);
    facts_add_number(facts, "run.seed", (double)request->plan.seed, "1", source);
    facts_add_number(facts, "run.repeat", plan->repeat, "1", source);
    if (request->is_aa) /* how many halves */
        facts_add_number(facts, "run.aa", 2, "1", source);
    facts_add_number(facts, "run.min_time", request->min_seconds, "s", source);
    facts_add_number(facts, "run.timeout", request->timeout_seconds, "s", source);
    facts_add_number(facts, "run.jobs", (double)plan->n_jobs, "1", "plan");
    if (request->swapfile_bytes > 0)
        facts_add_number(facts, "run.swapfile", (double)request->swapfile_bytes, "B", source);
    if (request->activity_seconds > 0)
        facts_add_number(facts, "run.activity", request->activity_seconds, "s", source);
    for (size_t i = 0; i < request->plan.n_names; i++)
        buffer_add_format(&text, "%s%s", i > 0 ? " " : "", request->plan.names[i]);
    if (text.size > 0)
        facts_add_text(facts, "run.kernels", text.bytes, source);
    if (request->plan.threads)
        facts_add_text(facts, "run.threads", request->plan.threads, source);
    if (request->variants)
        facts_add_text(facts, "run.variants", request->variants, source);
    if (request->plan.x)
        facts_add_text(facts, "run.x", request->plan.x, source);
    for (size_t i = 0; i < request->plan.n_settings; i++) {
        const char *setting = request->plan.settings[i];
        const char *value = strchr(setting, '=') + 1;
        buffer_clear(&text);
        buffer_add_text(&text, SETTING_PREFIX);
        buffer_add(&text, setting, (size_t)(value - 1 - setting));
        facts_add_text(facts, buffer_text(&text), value, source);
    }
    facts->failed = facts->failed || text.failed;
    buffer_free(&text);
}
