#include "collect/remote.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/message.h"
#include "schema/buffer.h"
#include "schema/number.h"

enum { SETTINGS_MAX = 16 };

const struct option_spec worker_options[] = {
    {"x", 0, "N", "the swept quantity; none where nothing is swept"},
    {"threads", 0, "N", "number of threads"},
    {"seed", 0, "N", "of the data"},
    {"min-time", 0, "SEC", "shortest time a sample is measured over"},
    {"progress", 0, "SEC", "between samples over time"},
    {"folder", 0, "DIR", "for the files of the job"},
    {"source", 0, "FILE", "the file or device of the setting source"},
    {"save", 0, "DIR", "for results that a person may look at"},
    {"host", 0, "NUMBERS", "what the machine is like: the members of struct kernel_host"},
    {"live", 0, NULL, "tell of progress"},
    {0}};

static const char *text_of(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *text_of(struct arena *arena, const char *format, ...)
{
    struct buffer text = {0};
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    buffer_add_text(&text, line);
    const char *copy = text.failed ? NULL : arena_copy(arena, text.bytes, text.size);
    buffer_free(&text);
    return copy;
}

static const char *seconds_of(struct arena *arena, const char *option, double seconds)
{
    char text[NUMBER_TEXT_SIZE];
    number_format(text, seconds);
    return text_of(arena, "--%s=%s", option, text);
}

char *const *remote_command(const struct variant *variant, const struct measure_request *request,
                            struct arena *arena)
{
    const struct plan_cell *cell = request->cell;
    const struct kernel_host *host = request->host;
    const char *words[32];
    size_t n = 0;
    if (variant->emulator)
        words[n++] = variant->emulator;
    words[n++] = variant->path;
    words[n++] = "worker";
    if (cell->has_x)
        words[n++] = text_of(arena, "--x=%" PRIu64, cell->x);
    words[n++] = text_of(arena, "--threads=%u", cell->threads);
    words[n++] = text_of(arena, "--seed=%" PRIu64, request->seed);
    words[n++] = seconds_of(arena, "min-time", request->min_seconds);
    if (request->progress_seconds > 0)
        words[n++] = seconds_of(arena, "progress", request->progress_seconds);
    if (request->folder[0])
        words[n++] = text_of(arena, "--folder=%s", request->folder);
    if (request->source)
        words[n++] = text_of(arena, "--source=%s", request->source);
    if (request->save)
        words[n++] = text_of(arena, "--save=%s", request->save);
    words[n++] = text_of(arena,
                         "--host=%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                         ",%" PRIu64 ",%u,%" PRIu64 ",%d",
                         host->l1d_bytes, host->l2_bytes, host->l3_bytes, host->memory_bytes,
                         host->available_bytes, host->swap_bytes, host->n_cpus,
                         host->disk_free_bytes, host->can_confine);
    if (request->live)
        words[n++] = "--live";
    words[n++] = "--";
    words[n++] = text_of(arena, "%s.%s", cell->kernel->name, cell->test->name);
    for (const struct kernel_value *v = cell->settings; v->key && n < 31; v++)
        words[n++] = text_of(arena, "%s=%s", v->key, v->value);
    char **command = arena_alloc(arena, (n + 1) * sizeof *command);
    for (size_t i = 0; command && i < n; i++) {
        command[i] = words[i] ? arena_copy(arena, words[i], strlen(words[i])) : NULL;
        if (!command[i])
            return NULL;
    }
    if (command)
        command[n] = NULL;
    return command;
}

/* ---- the other side ---- */

static int host_read(const char *text, struct kernel_host *host, struct err *err)
{
    int can_confine;
    if (!text ||
        sscanf(text,
               "%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
               ",%u,%" SCNu64 ",%d",
               &host->l1d_bytes, &host->l2_bytes, &host->l3_bytes, &host->memory_bytes,
               &host->available_bytes, &host->swap_bytes, &host->n_cpus, &host->disk_free_bytes,
               &can_confine) != 9)
        return err_set(err, ERR_USAGE, "--host: nine numbers");
    host->can_confine = can_confine;
    return 0;
}

static int test_find(const char *name, struct plan_cell *cell, struct err *err)
{
    for (const struct kernel *const *k = kernel_registry; *k; k++) {
        size_t size = strlen((*k)->name);
        if (strncmp(name, (*k)->name, size) != 0 || name[size] != '.')
            continue;
        for (const struct kernel_test *t = (*k)->tests; t->name; t++) {
            if (strcmp(t->name, name + size + 1) == 0) {
                cell->kernel = *k;
                cell->test = t;
                return 0;
            }
        }
    }
    return err_set(err, ERR_USAGE, "'%s' is no test of this program", name);
}

static int count_read(const struct arguments *arguments, const char *name, uint64_t *out,
                      struct err *err)
{
    const char *text = argument_value(arguments, name);
    if (text && !number_parse_count(text, strlen(text), out))
        return err_set(err, ERR_USAGE, "--%s: '%s' is no whole number", name, text);
    return 0;
}

static int settings_read(const struct arguments *arguments, struct kernel_value *settings,
                         struct err *err)
{
    size_t n = 0;
    for (size_t i = 1; i < arguments->n_operands; i++) {
        char *equals = strchr(arguments->operands[i], '=');
        if (!equals || n == SETTINGS_MAX)
            return err_set(err, ERR_USAGE, "'%s' is no setting", arguments->operands[i]);
        *equals = '\0';
        settings[n++] = (struct kernel_value){arguments->operands[i], equals + 1};
    }
    return 0;
}

static void send_sample(void *context, const struct measure_sample *sample)
{
    (void)context;
    struct message message = {.kind = MESSAGE_SAMPLE, .sample = *sample};
    message_send(REMOTE_FD, &message);
}

static void send_progress(void *context, const struct measure_progress *progress)
{
    (void)context;
    struct message message = {.kind = MESSAGE_PROGRESS, .progress = *progress};
    message_send(REMOTE_FD, &message);
}

int worker_verb(const struct arguments *arguments, struct err *err)
{
    if (arguments->n_operands == 0)
        return variant_describe(err);
    struct kernel_host host = {0};
    struct kernel_value settings[SETTINGS_MAX + 1] = {{NULL, NULL}};
    struct plan_cell cell = {.settings = settings};
    struct measure_request request = {.cell = &cell, .host = &host, .folder = ""};
    uint64_t threads = 1;
    TRY(test_find(arguments->operands[0], &cell, err));
    TRY(settings_read(arguments, settings, err));
    TRY(host_read(argument_value(arguments, "host"), &host, err));
    TRY(count_read(arguments, "x", &cell.x, err));
    TRY(count_read(arguments, "threads", &threads, err));
    TRY(count_read(arguments, "seed", &request.seed, err));
    TRY(argument_seconds(arguments, "min-time", 0, 1e6, &request.min_seconds, err));
    TRY(argument_seconds(arguments, "progress", 0, 1e6, &request.progress_seconds, err));
    cell.has_x = argument_given(arguments, "x");
    cell.threads = threads > 0 && threads <= 4096 ? (unsigned)threads : 1;
    if (argument_given(arguments, "folder"))
        request.folder = argument_value(arguments, "folder");
    request.source = argument_value(arguments, "source");
    request.save = argument_value(arguments, "save");
    request.live = argument_given(arguments, "live") ? send_progress : NULL;
    struct message message = {.kind = MESSAGE_OUTCOME};
    message.outcome = measure_cell(&request, send_sample, NULL, message.reason);
    message_send(REMOTE_FD, &message);
    return 0;
}
