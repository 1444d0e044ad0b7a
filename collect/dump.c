#include "collect/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collect/clock.h"
#include "collect/source.h"
#include "collect/stop.h"
#include "schema/number.h"
#include "schema/output.h"
#include "schema/progress.h"

enum { LINE_BYTES = 16, CHUNK_BYTES = 1024 * 1024 };

const struct option_spec dump_options[] = {
    {"yes-write-device", 0, NULL, "DESTINATION may be a block device, which is overwritten"}, {0}};

struct range {
    uint64_t offset, length;
};

/* Hexadecimal with 0x before it or h behind it, else decimal, with K, M, G or T if need be. */
static int number_read(const char *text, const char *what, uint64_t *out, struct err *err)
{
    size_t size = strlen(text);
    bool has_prefix = size > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool has_suffix = size > 1 && (text[size - 1] == 'h' || text[size - 1] == 'H');
    const char *digits = has_prefix ? text + 2 : text;
    size_t n = strspn(digits, "0123456789abcdefABCDEF");
    if ((has_prefix || has_suffix) && n > 0 && digits[n + (has_suffix && !has_prefix)] == '\0') {
        errno = 0;
        *out = strtoull(digits, NULL, 16);
        if (errno == 0)
            return 0;
    } else if (number_parse_size(text, out)) {
        return 0;
    }
    return err_set(err, ERR_USAGE,
                   "%s: '%s' is no number of bytes (512, 4K, 0x200 or 200h, below 2^64)", what,
                   text);
}

/* The range as far as the source goes, if that can be told before. */
static int range_read(const struct arguments *arguments, struct source *source, struct range *range,
                      struct err *err)
{
    TRY(number_read(arguments->operands[1], "OFFSET", &range->offset, err));
    TRY(number_read(arguments->operands[2], "LENGTH", &range->length, err));
    if (range->offset > INT64_MAX)
        return err_set(err, ERR_USAGE, "OFFSET: nothing is as long as that");
    if (range->length > INT64_MAX - range->offset)
        range->length = INT64_MAX - range->offset;
    TRY(source_open(source, arguments->operands[0], err));
    if (source->has_size && range->offset <= source->size &&
        range->length > source->size - range->offset)
        range->length = source->size - range->offset;
    return source_skip(source, range->offset, err);
}

static int print_failed(struct err *err)
{
    return err_system(err, "standard output");
}

static int head_print(const struct source *source, const struct range *range, struct err *err)
{
    int printed = source->has_size ? printf("Source file size = %" PRIX64 " bytes\n", source->size)
                                   : printf("Source file size = unknown\n");
    if (printed < 0 || printf("skipping %" PRIX64 " bytes\n", range->offset) < 0)
        return print_failed(err);
    return 0;
}

static int line_print(uint64_t offset, const unsigned char *bytes, size_t n, struct err *err)
{
    char text[3 * LINE_BYTES + LINE_BYTES + 2];
    char *p = text;
    for (size_t i = 0; i < LINE_BYTES; i++)
        p += i < n ? sprintf(p, "%02x ", bytes[i]) : sprintf(p, "   ");
    for (size_t i = 0; i < n; i++)
        *p++ = bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.';
    *p = '\0';
    return printf("%08" PRIx64 " %s\n", offset, text) < 0 ? print_failed(err) : 0;
}

static int range_show(struct source *source, const struct range *range, struct err *err)
{
    TRY(head_print(source, range, err));
    if (printf("\nDump of %s...\n", source->path) < 0)
        return print_failed(err);
    unsigned char bytes[64 * LINE_BYTES];
    size_t n = sizeof bytes;
    for (uint64_t done = 0; done < range->length && n == sizeof bytes; done += n) {
        uint64_t left = range->length - done;
        size_t wanted = left < sizeof bytes ? (size_t)left : sizeof bytes;
        TRY(source_read(source, range->offset + done, bytes, wanted, &n, err));
        for (size_t at = 0; at < n; at += LINE_BYTES)
            TRY(line_print(range->offset + done + at, bytes + at,
                           n - at < LINE_BYTES ? n - at : LINE_BYTES, err));
    }
    return fflush(stdout) == EOF ? print_failed(err) : 0;
}

/* Where the system has holes, the copy has them. */
static int bytes_copy(struct source *source, const struct range *range, struct output *output,
                      unsigned char *chunk, uint64_t *copied, struct err *err)
{
    struct progress progress;
    progress_start(&progress, range->length);
    int result = 0;
    for (*copied = 0; *copied < range->length && result >= 0;) {
        uint64_t at = range->offset + *copied, left = range->length - *copied;
        bool is_hole;
        uint64_t extent = source_extent(source, at, &is_hole);
        uint64_t wanted = left < extent ? left : extent;
        size_t n = 0;
        progress_step(&progress, *copied, "bytes");
        if ((result = stop_check(err)) < 0)
            break;
        if (is_hole) {
            result = output_skip(output, wanted, err);
            *copied += wanted;
            continue;
        }
        wanted = wanted < CHUNK_BYTES ? wanted : CHUNK_BYTES;
        result = source_read(source, at, chunk, (size_t)wanted, &n, err);
        if (result < 0 || n == 0)
            break;
        result = output_write(output, chunk, n, err);
        *copied += n;
    }
    progress_end(&progress);
    return result;
}

static int range_write(struct source *source, const struct range *range, const char *destination,
                       uint64_t *copied, struct err *err)
{
    unsigned char *chunk = aligned_alloc(4096, CHUNK_BYTES);
    struct output *output = NULL;
    int result = chunk ? output_open(&output, destination, err)
                       : err_set(err, ERR_SYSTEM, "out of memory");
    if (result >= 0)
        result = bytes_copy(source, range, output, chunk, copied, err);
    free(chunk);
    if (result < 0) {
        output_discard(output);
        return result;
    }
    return output_commit(output, err);
}

static int destination_check(const char *destination, bool may_write_device, struct err *err)
{
    struct stat st;
    if (strcmp(destination, "-") != 0 && stat(destination, &st) == 0 && S_ISBLK(st.st_mode) &&
        !may_write_device)
        return err_set(err, ERR_USAGE,
                       "%s: is a block device; --yes-write-device overwrites what is on it",
                       destination);
    return 0;
}

/* The time is that of reading and writing, until a file is on its device. */
static int range_copy(struct source *source, const struct range *range, const char *destination,
                      struct err *err)
{
    bool is_told = strcmp(destination, "-") != 0;
    uint64_t copied;
    if (is_told)
        TRY(head_print(source, range, err));
    stop_catch();
    source_forget(source);
    uint64_t start_ns = clock_now_ns();
    TRY(range_write(source, range, destination, &copied, err));
    double seconds = (double)(clock_now_ns() - start_ns) * 1e-9;
    if (is_told && (printf("%" PRIX64 " bytes in %.3f s, %.1f MB/s\n", copied, seconds,
                           (double)copied * 1e-6 / seconds) < 0 ||
                    fflush(stdout) == EOF))
        return print_failed(err);
    return 0;
}

int dump_verb(const struct arguments *arguments, struct err *err)
{
    const char *destination = arguments->n_operands > 3 ? arguments->operands[3] : NULL;
    if (destination)
        TRY(destination_check(destination, argument_given(arguments, "yes-write-device"), err));
    struct source source = {.fd = -1};
    struct range range;
    int result = range_read(arguments, &source, &range, err);
    if (result >= 0)
        result = destination ? range_copy(&source, &range, destination, err)
                             : range_show(&source, &range, err);
    source_close(&source);
    return result;
}
