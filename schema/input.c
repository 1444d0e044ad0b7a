#include "schema/input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { INPUT_BUFFER_BYTES = 1 << 16 };

struct input {
    int fd;
    bool is_gzip;
    bool is_over;   /* read(2) said so */
    bool in_member; /* inflate is inside a gzip member */
    bool is_damaged;
    z_stream z;
    uint64_t n_members; /* begun */
    uint64_t n_plain;   /* bytes inflated, all members */
    uint64_t n_packed;  /* bytes read from the file */
    size_t at, end;     /* of `bytes`: what is not used yet */
    unsigned char bytes[INPUT_BUFFER_BYTES];
};

static int read_some(int fd, void *bytes, size_t size, size_t *n, struct err *err)
{
    ssize_t got;
    do
        got = read(fd, bytes, size < SSIZE_MAX ? size : SSIZE_MAX);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_system(err, "cannot read");
    *n = (size_t)got;
    return 0;
}

/* Fills the buffer until `wanted` unused bytes are in it or the file is over. */
static int input_fill(struct input *input, size_t wanted, struct err *err)
{
    if (input->end - input->at >= wanted)
        return 0;
    memmove(input->bytes, input->bytes + input->at, input->end - input->at);
    input->end -= input->at;
    input->at = 0;
    while (input->end < wanted && !input->is_over) {
        size_t n = 0;
        TRY(read_some(input->fd, input->bytes + input->end, sizeof input->bytes - input->end, &n,
                      err));
        input->is_over = n == 0;
        input->end += n;
        input->n_packed += n;
    }
    return 0;
}

static bool is_member_next(const struct input *input)
{
    return input->end - input->at >= 2 && input->bytes[input->at] == 0x1f &&
           input->bytes[input->at + 1] == 0x8b;
}

static int input_start(struct input *input, const char *path, struct err *err)
{
    input->fd = STDIN_FILENO;
    if (strcmp(path, "-") != 0)
        input->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0)
        return err_system(err, "cannot open");
    TRY(input_fill(input, 2, err));
    if (!is_member_next(input))
        return 0;
    /* 15 + 16: the largest window, gzip framing, CRC and length checked by inflate. */
    if (inflateInit2(&input->z, 15 + 16) != Z_OK)
        return err_set(err, ERR_SYSTEM, "zlib: out of memory");
    input->is_gzip = true;
    return 0;
}

int input_open(struct input **out, const char *path, struct err *err)
{
    struct input *input = calloc(1, sizeof *input);
    if (!input)
        return err_set(err, ERR_SYSTEM, "out of memory");
    int result = input_start(input, path, err);
    if (result < 0) {
        input_close(input);
        return result;
    }
    *out = input;
    return 0;
}

/* Between members: zero padding is skipped, then comes a member or the end (*is_end). inflate by
 * itself would stop after the first member and the rest would be lost without a word. */
static int member_begin(struct input *input, bool *is_end, struct err *err)
{
    do {
        while (input->at < input->end && input->n_members > 0 && input->bytes[input->at] == 0)
            input->at++;
        TRY(input_fill(input, 2, err));
    } while (input->n_members > 0 && input->at < input->end && input->bytes[input->at] == 0);
    *is_end = input->at == input->end;
    if (*is_end)
        return 0;
    if (!is_member_next(input))
        return err_set(err, ERR_DATA, "gzip: member %" PRIu64 " is followed by something else",
                       input->n_members);
    inflateReset(&input->z);
    input->n_members++;
    input->in_member = true;
    return 0;
}

static int damaged_set(const struct input *input, struct err *err)
{
    return err_set(err, ERR_DATA, "gzip: member %" PRIu64 " is damaged (%s)", input->n_members,
                   input->z.msg ? input->z.msg : "unexpected data");
}

/* One call of inflate; *n bytes came out, possibly none. What came out before the damage is given
 * first, so that the size of the reads does not matter. */
static int member_inflate(struct input *input, void *bytes, size_t size, size_t *n, struct err *err)
{
    if (input->is_damaged)
        return damaged_set(input, err);
    TRY(input_fill(input, 1, err));
    bool was_over = input->at == input->end; /* zlib may still hold bytes that did not fit before */
    uInt room = size < UINT_MAX ? (uInt)size : UINT_MAX;
    input->z.next_in = input->bytes + input->at;
    input->z.avail_in = (uInt)(input->end - input->at);
    input->z.next_out = bytes;
    input->z.avail_out = room;
    int result = inflate(&input->z, Z_NO_FLUSH);
    input->at = input->end - input->z.avail_in;
    *n = room - input->z.avail_out;
    input->n_plain += *n;
    if (result == Z_MEM_ERROR)
        return err_set(err, ERR_SYSTEM, "zlib: out of memory");
    if (input->n_plain > INPUT_SWELL_BYTES && input->n_plain / INPUT_SWELL_RATIO > input->n_packed)
        return err_set(err, ERR_DATA,
                       "gzip: %" PRIu64 " bytes swell to more than %d times their size: refused",
                       input->n_packed, INPUT_SWELL_RATIO);
    input->in_member = result != Z_STREAM_END;
    if (was_over && *n == 0 && input->in_member)
        return err_set(err, ERR_DATA,
                       "gzip: cut short: the file ends inside member %" PRIu64 ", after %" PRIu64
                       " bytes of text",
                       input->n_members, input->n_plain);
    input->is_damaged = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
    return input->is_damaged && *n == 0 ? damaged_set(input, err) : 0;
}

int input_read(struct input *input, void *bytes, size_t size, size_t *n, struct err *err)
{
    *n = 0;
    if (input->is_gzip) {
        while (*n == 0) {
            bool is_end = false;
            if (!input->in_member)
                TRY(member_begin(input, &is_end, err));
            if (is_end)
                return 0;
            TRY(member_inflate(input, bytes, size, n, err));
        }
        return 0;
    }
    size_t left = input->end - input->at;
    if (left == 0 && !input->is_over) {
        TRY(read_some(input->fd, bytes, size, n, err));
        input->is_over = *n == 0;
        input->n_packed += *n;
        return 0;
    }
    *n = left < size ? left : size;
    memcpy(bytes, input->bytes + input->at, *n);
    input->at += *n;
    return 0;
}

uint64_t input_consumed(const struct input *input)
{
    return input->n_packed;
}

bool input_is_gzip(const struct input *input)
{
    return input->is_gzip;
}

void input_close(struct input *input)
{
    if (!input)
        return;
    if (input->is_gzip)
        inflateEnd(&input->z);
    if (input->fd > STDIN_FILENO)
        close(input->fd);
    free(input);
}
