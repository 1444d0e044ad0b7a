#include "collect/system.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#include "collect/clock.h"
#include "collect/fingerprint/facts_show.h"
#include "collect/fingerprint/probe.h"
#include "schema/number.h"
#include "schema/output.h"

const struct option_spec system_options[] = {
    {"format", 'f', "text|csv|json", "a page, fact records, or JSON (default text)"},
    {"root", 0, "DIR", "read /proc, /sys and /etc of a captured tree; ask nothing of this machine"},
    {"dir", 'd', "DIR", "the folder whose disk is described (default .)"},
    {"redact", 0, NULL, "leave out names, serial numbers and paths (the default)"},
    {"no-redact", 0, NULL, "keep them"},
    {0}};

enum { LABEL_SIZE = 64, RUN_SIZE = 80 };

/* A run of its own: date, start of the machine's id, and chance. A captured tree does not change,
 * so the start of its configuration's hash stands there, and the same tree gives the same bytes. */
static int run_make(const struct probe_root *root, const struct facts *identity, const char *date,
                    char out[static RUN_SIZE], struct err *err)
{
    const struct fact *machine = facts_find(identity, "machine.id");
    const struct fact *config = facts_find(identity, "config.hash");
    size_t size = 0;
    for (const char *p = date; *p && size < 32; p++)
        if (*p != '-' && *p != ':')
            out[size++] = *p;
    uint32_t chance;
    char suffix[9];
    snprintf(suffix, sizeof suffix, "%.8s", config ? config->text : "00000000");
    if (probe_is_live(root)) {
        if (getrandom(&chance, sizeof chance, 0) != (ssize_t)sizeof chance)
            return err_system(err, "no random numbers");
        snprintf(suffix, sizeof suffix, "%08" PRIx32, chance);
    }
    snprintf(out + size, RUN_SIZE - size, "-%.8s-%s", machine ? machine->text : "00000000", suffix);
    return 0;
}

static int write_records(const struct facts *identity, const struct facts *state, bool redact,
                         const struct run_identity *who, sink_fn *sink, void *context,
                         struct err *err)
{
    struct writer writer;
    writer_init(&writer, sink, context);
    int result = writer_header(&writer, err);
    if (result >= 0)
        result = facts_write(identity, FACT_IDENTITY, "", redact, who, &writer, err);
    if (result >= 0)
        result = facts_write(state, FACT_STATE, "before", redact, who, &writer, err);
    if (result >= 0)
        result = writer_end(&writer, err);
    writer_free(&writer);
    return result;
}

static int write_facts(const struct probe_root *root, const struct facts *identity,
                       const struct facts *state, enum system_format format, bool redact,
                       const char *date, sink_fn *sink, void *context, struct err *err)
{
    char label[LABEL_SIZE], run[RUN_SIZE];
    fingerprint_label(identity, label, sizeof label);
    TRY(run_make(root, identity, date, run, err));
    struct run_identity who = {.run = run, .machine = label, .time = date};
    if (format == SYSTEM_CSV)
        return write_records(identity, state, redact, &who, sink, context, err);
    struct buffer out = {0};
    if (format == SYSTEM_TEXT)
        facts_show_text(identity, state, redact, &out);
    else
        facts_show_json(identity, state, redact, &who, &out);
    int result = out.failed ? err_set(err, ERR_SYSTEM, "out of memory")
                            : sink(context, buffer_text(&out), out.size, err);
    buffer_free(&out);
    return result;
}

int system_write(const struct probe_root *root, enum system_format format, bool redact,
                 const char *date, sink_fn *sink, void *context, struct err *err)
{
    struct facts identity = {0}, state = {0};
    int result = fingerprint_identity(root, &identity, err);
    if (result >= 0)
        result = fingerprint_state(root, &state, err);
    if (result >= 0)
        result = write_facts(root, &identity, &state, format, redact, date, sink, context, err);
    facts_free(&identity);
    facts_free(&state);
    return result;
}

/* Now, or the moment that SOURCE_DATE_EPOCH gives (reproducible-builds.org). */
static void date_make(char out[static CLOCK_DATE_SIZE])
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds;
    struct tm utc;
    time_t when;
    clock_date(out);
    if (!epoch || !number_parse_count(epoch, strlen(epoch), &seconds) || seconds > INT32_MAX)
        return;
    when = (time_t)seconds;
    if (gmtime_r(&when, &utc))
        strftime(out, CLOCK_DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static int folder_check(const char *option, const char *path, struct err *err)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return err_system(err, "--%s=%s", option, path);
    if (!S_ISDIR(st.st_mode))
        return err_set(err, ERR_USAGE, "--%s=%s: is not a folder", option, path);
    return 0;
}

/* The last of --redact and --no-redact counts. */
static bool is_redacted(const struct arguments *arguments)
{
    bool redact = true;
    for (size_t i = 0; i < arguments->n_given; i++) {
        if (strcmp(arguments->given[i].spec->name, "redact") == 0)
            redact = true;
        if (strcmp(arguments->given[i].spec->name, "no-redact") == 0)
            redact = false;
    }
    return redact;
}

int system_verb(const struct arguments *arguments, struct err *err)
{
    int format = SYSTEM_TEXT;
    TRY(argument_word(arguments, "format", "text|csv|json", &format, err));
    if (arguments->n_operands > 0)
        return err_set(err, ERR_USAGE, "'%s': there is nothing to name", arguments->operands[0]);
    const char *path = argument_value(arguments, "root");
    const char *folder = argument_value(arguments, "dir");
    struct probe_root root = {.path = path ? path : "", .folder = folder ? folder : "."};
    if (path)
        TRY(folder_check("root", path, err));
    else
        TRY(folder_check("dir", root.folder, err));
    char date[CLOCK_DATE_SIZE];
    date_make(date);
    struct output *output;
    TRY(output_open(&output, "-", err));
    int result = system_write(&root, (enum system_format)format, is_redacted(arguments), date,
                              output_write, output, err);
    if (result < 0) {
        output_discard(output);
        return result;
    }
    return output_commit(output, err);
}
