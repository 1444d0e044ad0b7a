#include "normalize/problems.h"

#include <stdlib.h>
#include <string.h>

#include "schema/quote.h"

enum { KEPT_BYTES = 1 << 18 };

void problems_free(struct problems *problems)
{
    buffer_free(&problems->kept);
    spill_close(problems->spill);
    problems->spill = NULL;
    problems->n = problems->n_kept = 0;
}

/* {"file":"FILE","line":LINE,"problem":"what is wrong"} */
static void add_json(const struct problems *problems, const char *text, struct buffer *out)
{
    size_t path_size = strlen(problems->path);
    const char *rest = text;
    buffer_add_text(out, "{\"file\":");
    quote_json(out, problems->path);
    if (strncmp(text, problems->path, path_size) == 0 && text[path_size] == ':') {
        rest = text + path_size + 1;
        size_t digits = strspn(rest, "0123456789");
        if (digits > 0 && strncmp(rest + digits, ": ", 2) == 0) {
            buffer_add_format(out, ",\"line\":%.*s", (int)digits, rest);
            rest += digits + 1;
        }
        rest += *rest == ' ';
    }
    buffer_add_text(out, ",\"problem\":");
    quote_json(out, rest);
    buffer_add_char(out, '}');
}

int problems_add(struct problems *problems, const char *text, struct err *err)
{
    problems->n++;
    if (problems->n_kept == problems->max)
        return 0;
    problems->n_kept++;
    struct buffer *kept = &problems->kept, line = {0};
    if (problems->is_json)
        add_json(problems, text, &line);
    else
        buffer_add_text(&line, text);
    uint32_t size = (uint32_t)line.size;
    buffer_add(kept, &size, sizeof size);
    buffer_add(kept, buffer_text(&line), size);
    bool failed = kept->failed || line.failed;
    buffer_free(&line);
    if (failed)
        return err_set(err, ERR_SYSTEM, "out of memory");
    if (kept->size < KEPT_BYTES)
        return 0;
    if (!problems->spill)
        TRY(spill_open(&problems->spill, problems->folder, err));
    TRY(spill_write(problems->spill, kept->bytes, kept->size, err));
    buffer_clear(kept);
    return 0;
}

static int each_spilled(const struct problems *problems, problem_fn *take, void *context,
                        struct err *err)
{
    struct buffer text = {0};
    uint64_t end = spill_size(problems->spill);
    int result = spill_flush(problems->spill, err);
    for (uint64_t at = 0; at < end && result == 0;) {
        uint32_t size;
        char *to = NULL;
        result = spill_read(problems->spill, at, &size, sizeof size, err);
        if (result == 0 && !(to = buffer_reserve(&text, size)))
            result = err_set(err, ERR_SYSTEM, "out of memory");
        if (result == 0)
            result = spill_read(problems->spill, at + sizeof size, to, size, err);
        if (result == 0)
            result = take(context, to, size, err);
        at += sizeof size + size;
    }
    buffer_free(&text);
    return result;
}

int problems_each(struct problems *problems, problem_fn *take, void *context, struct err *err)
{
    int result = problems->spill ? each_spilled(problems, take, context, err) : 0;
    for (size_t at = 0; at < problems->kept.size && result == 0;) {
        uint32_t size;
        memcpy(&size, problems->kept.bytes + at, sizeof size);
        result = take(context, problems->kept.bytes + at + sizeof size, size, err);
        at += sizeof size + size;
    }
    return result;
}

struct printing {
    uint64_t left;
    FILE *out;
};

static int print_one(void *context, const char *text, size_t size, struct err *err)
{
    struct printing *printing = context;
    (void)err;
    if (printing->left == 0)
        return 1;
    printing->left--;
    fprintf(printing->out, "%.*s\n", (int)size, text);
    return 0;
}

int problems_print(struct problems *problems, uint64_t max, FILE *out, struct err *err)
{
    struct printing printing = {max, out};
    int result = problems_each(problems, print_one, &printing, err);
    return result < 0 ? result : 0;
}
