#include "normalize/dropped.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "schema/buffer.h"
#include "schema/output.h"
#include "schema/quote.h"

struct dropped {
    struct output *output;
    const struct intake *intake;
    bool is_json;
    struct buffer line;
};

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

int dropped_open(struct dropped **out, const char *path, const struct intake *intake,
                 struct err *err)
{
    struct dropped *dropped = calloc(1, sizeof *dropped);
    if (!dropped)
        return err_set(err, ERR_SYSTEM, "out of memory");
    dropped->intake = intake;
    dropped->is_json = ends_with(path, ".json") || ends_with(path, ".jsonl");
    int result = output_open(&dropped->output, path, err);
    if (result < 0)
        free(dropped);
    else
        *out = dropped;
    return result;
}

static void dropped_free(struct dropped *dropped)
{
    buffer_free(&dropped->line);
    free(dropped);
}

int dropped_commit(struct dropped *dropped, struct err *err)
{
    int result = output_commit(dropped->output, err);
    dropped_free(dropped);
    return result;
}

void dropped_discard(struct dropped *dropped)
{
    if (!dropped)
        return;
    output_discard(dropped->output);
    dropped_free(dropped);
}

static int put_line(struct dropped *dropped, struct err *err)
{
    buffer_add_char(&dropped->line, '\n');
    if (dropped->line.failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    return output_write(dropped->output, dropped->line.bytes, dropped->line.size, err);
}

/* "FILE:LINE: WHY FILE:LINE", or an object; in JSON `why` is its first word. */
static int put_places(struct dropped *dropped, struct place place, const char *why,
                      struct place other, struct err *err)
{
    if (!dropped)
        return 0;
    struct buffer *line = &dropped->line;
    const char *path = dropped->intake->paths[place.rank];
    const char *other_path = dropped->intake->paths[other.rank];
    buffer_clear(line);
    if (dropped->is_json) {
        buffer_add_text(line, "{\"file\":");
        quote_json(line, path);
        buffer_add_format(line, ",\"line\":%" PRIu64 ",\"why\":\"%.*s\",\"for_file\":", place.line,
                          (int)strcspn(why, " "), why);
        quote_json(line, other_path);
        buffer_add_format(line, ",\"for_line\":%" PRIu64 "}", other.line);
    } else {
        buffer_add_format(line, "%s:%" PRIu64 ": %s %s:%" PRIu64, path, place.line, why, other_path,
                          other.line);
    }
    return put_line(dropped, err);
}

int dropped_duplicate(struct dropped *dropped, struct place place, struct place kept,
                      struct err *err)
{
    return put_places(dropped, place, "duplicate of", kept, err);
}

int dropped_conflict(struct dropped *dropped, struct place place, struct place kept,
                     struct err *err)
{
    return put_places(dropped, place, "conflict with what is preferred,", kept, err);
}

int dropped_retracted(struct dropped *dropped, struct place place, struct place retraction,
                      struct err *err)
{
    return put_places(dropped, place, "retracted by", retraction, err);
}

struct refused {
    struct dropped *dropped;
    const char *path;
};

/* message: [size] "FILE:LINE: what is wrong" */
static int put_refused(void *context, const char *message, size_t size, struct err *err)
{
    const struct refused *refused = context;
    struct dropped *dropped = refused->dropped;
    struct buffer *line = &dropped->line, rest = {0};
    size_t place = strlen(refused->path) + 1, digits = strspn(message + place, "0123456789");
    buffer_clear(line);
    if (dropped->is_json) {
        const char *number = message + place;
        buffer_add(&rest, number + digits + 2, size - place - digits - 2);
        buffer_add_text(line, "{\"file\":");
        quote_json(line, refused->path);
        buffer_add_format(line, ",\"line\":%.*s,\"why\":\"refused\",\"problem\":", (int)digits,
                          number);
        quote_json(line, buffer_text(&rest));
        buffer_add_char(line, '}');
    } else {
        buffer_add(line, message, place + digits);
        buffer_add_text(line, ": refused");
        buffer_add(line, message + place + digits, size - place - digits);
    }
    line->failed |= rest.failed;
    buffer_free(&rest);
    return put_line(dropped, err);
}

int dropped_refused(struct dropped *dropped, const struct intake *intake, struct err *err)
{
    for (size_t i = 0; dropped && i < intake->n_files; i++) {
        struct input_file *file = &intake->files[i];
        struct refused refused = {dropped, file->path};
        TRY(problems_each(&file->refused, put_refused, &refused, err));
    }
    return 0;
}
