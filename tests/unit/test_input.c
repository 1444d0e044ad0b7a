#include "schema/gzip.h"
#include "schema/input.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "schema/buffer.h"
#include "tests/unit/folder.h"
#include "tests/unit/random.h"

static int to_buffer(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)err;
    buffer_add(context, bytes, size);
    return 0;
}

static int to_nowhere(void *context, const void *bytes, size_t size, struct err *err)
{
    (void)context, (void)bytes, (void)size;
    return err_set(err, ERR_SYSTEM, "no room");
}

/* Appends the text as one gzip stream. */
static void add_gzip(struct buffer *out, const char *text, size_t size)
{
    struct gzip_writer *gzip;
    struct err err;
    assert_int_equal(gzip_writer_open(&gzip, to_buffer, out, &err), 0);
    assert_int_equal(gzip_writer_write(gzip, text, size, &err), 0);
    assert_int_equal(gzip_writer_close(gzip, &err), 0);
}

/* Reads all of it, `step` bytes at a time. */
static int read_all(const char *path, size_t step, struct buffer *out, struct err *err)
{
    struct input *input;
    TRY(input_open(&input, path, err));
    int result;
    size_t n;
    do {
        char *to = buffer_reserve(out, step);
        assert_non_null(to);
        result = input_read(input, to, step, &n, err);
        if (result == 0)
            out->bytes[out->size += n] = '\0';
    } while (result == 0 && n > 0);
    if (result == 0) /* the end stays the end */
        assert_true(input_read(input, (char[1]){0}, 1, &n, err) == 0 && n == 0);
    input_close(input);
    return result;
}

/* The bytes as a file must read as the text, or fail with the message. */
static void check_file(const void *bytes, size_t size, const char *text, const char *message)
{
    struct folder folder;
    folder_make(&folder);
    const char *path = folder_write(&folder, "f", bytes, size);
    static const size_t steps[] = {1, 2, 7, 1000};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct buffer out = {0};
        struct err err = {.text = "accepted"};
        int result = read_all(path, steps[i], &out, &err);
        if (message) {
            assert_string_equal(err.text, message);
            assert_int_equal(result, ERR_DATA);
        } else {
            if (result < 0)
                fail_msg("%s", err.text);
            assert_string_equal(buffer_text(&out), text);
        }
        buffer_free(&out);
    }
    folder_remove(&folder);
}

static void plain_files_are_read_as_they_are(void **state)
{
    (void)state;
    check_file("", 0, "", NULL);
    check_file("a", 1, "a", NULL);
    check_file("\x1f", 1, "\x1f", NULL);
    check_file("\x1f\x8a", 2, "\x1f\x8a", NULL);
    check_file("abc\ndef", 7, "abc\ndef", NULL);
}

static void gzip_is_known_by_its_first_bytes(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer gz = {0};
    add_gzip(&gz, "abc\n", 4);
    struct err err;
    struct input *input;
    assert_int_equal(input_open(&input, folder_write(&folder, "a.csv", gz.bytes, gz.size), &err),
                     0);
    assert_true(input_is_gzip(input));
    input_close(input);
    assert_int_equal(input_open(&input, folder_write(&folder, "a.gz", "abc\n", 4), &err), 0);
    assert_false(input_is_gzip(input));
    input_close(input);
    check_file(gz.bytes, gz.size, "abc\n", NULL);
    buffer_free(&gz);
    folder_remove(&folder);
}

static void members_in_a_row_are_one_text(void **state)
{
    (void)state;
    struct buffer gz = {0};
    add_gzip(&gz, "abc\n", 4);
    add_gzip(&gz, "", 0);
    add_gzip(&gz, "def\n", 4);
    check_file(gz.bytes, gz.size, "abc\ndef\n", NULL);
    static const char zeros[100];
    buffer_add(&gz, zeros, 1);
    check_file(gz.bytes, gz.size, "abc\ndef\n", NULL);
    buffer_add(&gz, zeros, 99);
    check_file(gz.bytes, gz.size, "abc\ndef\n", NULL);
    add_gzip(&gz, "ghi\n", 4);
    check_file(gz.bytes, gz.size, "abc\ndef\nghi\n", NULL);
    buffer_free(&gz);
}

static void what_follows_a_member_must_be_one(void **state)
{
    (void)state;
    static const char *const tails[] = {"x", "\x1f", "\x1f\x8a", "abc\n", "\x8b\x1f"};
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++) {
        struct buffer gz = {0};
        add_gzip(&gz, "abc\n", 4);
        buffer_add_text(&gz, tails[i]);
        check_file(gz.bytes, gz.size, NULL, "gzip: member 1 is followed by something else");
        buffer_free(&gz);
    }
}

static void a_gzip_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer gz = {0};
    add_gzip(&gz, "abc,def\n", 8);
    size_t one = gz.size;
    add_gzip(&gz, "ghi,jkl\n", 8);
    for (size_t size = 2; size < gz.size; size++) {
        const char *path = folder_write(&folder, "f", gz.bytes, size);
        struct buffer out = {0};
        struct err err = {.text = "accepted"};
        int result = read_all(path, 64, &out, &err);
        if (size == one) { /* between members: only an end row can tell */
            assert_int_equal(result, 0);
        } else if (size == one + 1) {
            assert_string_equal(err.text, "gzip: member 1 is followed by something else");
        } else {
            char wanted[64];
            snprintf(wanted, sizeof wanted, "gzip: cut short: the file ends inside member %d,",
                     size < one ? 1 : 2);
            assert_int_equal(result, ERR_DATA);
            assert_memory_equal(err.text, wanted, strlen(wanted));
        }
        buffer_free(&out);
    }
    buffer_free(&gz);
    folder_remove(&folder);
}

/* zlib may hold bytes that did not fit into the caller's room when the file is over. */
static void what_comes_before_the_damage_is_given_at_every_size_of_reads(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer gz = {0};
    static const char text[] = "abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abc,abcdefghi\n";
    add_gzip(&gz, text, strlen(text));
    for (size_t size = 12; size < gz.size; size++) {
        for (int is_flipped = 0; is_flipped < 2; is_flipped++) {
            char kept = gz.bytes[size];
            gz.bytes[size] = (char)(kept ^ 0x55);
            const char *path = folder_write(&folder, "f", gz.bytes, is_flipped ? gz.size : size);
            gz.bytes[size] = kept;
            struct buffer large = {0}, small = {0};
            struct err err, small_err;
            int result = read_all(path, 1000, &large, &err);
            for (size_t step = 1; step < 20; step++) {
                buffer_clear(&small);
                assert_int_equal(read_all(path, step, &small, &small_err), result);
                assert_string_equal(buffer_text(&small), buffer_text(&large));
                if (result < 0)
                    assert_string_equal(small_err.text, err.text);
            }
            buffer_free(&large);
            buffer_free(&small);
        }
    }
    buffer_free(&gz);
    folder_remove(&folder);
}

static void a_flipped_bit_is_found_wherever_it_matters(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer gz = {0};
    add_gzip(&gz, "abc,def,abc,def,ghi\n", 20);
    for (size_t bit = 0; bit < gz.size * 8; bit++) {
        gz.bytes[bit / 8] = (char)(gz.bytes[bit / 8] ^ 1 << bit % 8);
        const char *path = folder_write(&folder, "f", gz.bytes, gz.size);
        struct buffer out = {0};
        struct err err;
        int result = read_all(path, 64, &out, &err);
        /* The first two bytes make it another kind of file; MTIME, XFL and OS mean nothing, nor do
         * the padding bits of the last byte of deflate data. Content never changes unseen. */
        if (bit >= 16 && result == 0)
            assert_string_equal(buffer_text(&out), "abc,def,abc,def,ghi\n");
        if ((bit >= 16 && bit < 24) || bit >= (gz.size - 8) * 8)
            assert_int_equal(result, ERR_DATA);
        gz.bytes[bit / 8] = (char)(gz.bytes[bit / 8] ^ 1 << bit % 8);
        buffer_free(&out);
    }
    buffer_free(&gz);
    folder_remove(&folder);
}

static void a_bomb_is_refused(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer gz = {0};
    size_t size = 16 * 1024 * 1024;
    char *zeros = calloc(1, size);
    assert_non_null(zeros);
    for (int i = 0; i < 5; i++) /* across members */
        add_gzip(&gz, zeros, size);
    free(zeros);
    struct err err;
    struct input *input;
    assert_int_equal(input_open(&input, folder_write(&folder, "f", gz.bytes, gz.size), &err), 0);
    static char block[1 << 18];
    uint64_t total = 0;
    size_t n;
    int result;
    while ((result = input_read(input, block, sizeof block, &n, &err)) == 0 && n > 0)
        total += n;
    input_close(input);
    assert_int_equal(result, ERR_DATA);
    assert_non_null(strstr(err.text, "swell to more than 200 times their size"));
    assert_true(total <= INPUT_SWELL_BYTES);
    buffer_free(&gz);
    folder_remove(&folder);
}

/* Each byte is a read(2) of its own: a pipe in packet mode. */
static void every_split_of_the_file_reads_the_same(void **state)
{
    (void)state;
    struct buffer gz = {0};
    add_gzip(&gz, "abc\n", 4);
    add_gzip(&gz, "def\n", 4);
    buffer_add(&gz, "\0\0\0", 3);
    int fds[2];
    assert_int_equal(pipe2(fds, O_DIRECT), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(fds[0]);
        for (size_t i = 0; i < gz.size; i++)
            if (write(fds[1], gz.bytes + i, 1) != 1)
                _exit(1);
        _exit(0);
    }
    close(fds[1]);
    int saved = dup(STDIN_FILENO);
    dup2(fds[0], STDIN_FILENO);
    close(fds[0]);
    struct buffer out = {0};
    struct err err = {.text = ""};
    int result = read_all("-", 3, &out, &err);
    dup2(saved, STDIN_FILENO);
    close(saved);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
    assert_int_equal(status, 0);
    assert_string_equal(buffer_text(&out), "abc\ndef\n");
    buffer_free(&out);
    buffer_free(&gz);
}

static void what_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    struct err err;
    struct input *input;
    assert_int_equal(input_open(&input, "/nonexistent", &err), ERR_SYSTEM);
    assert_string_equal(err.text, "cannot open: No such file or directory");
    assert_int_equal(input_open(&input, "/", &err), ERR_SYSTEM);
    assert_string_equal(err.text, "cannot read: Is a directory");
    input_close(NULL);
}

/* RFC 1952: ID1 ID2 CM FLG, MTIME 0. */
static void an_empty_stream_is_one_empty_member(void **state)
{
    (void)state;
    struct buffer gz = {0};
    add_gzip(&gz, "", 0);
    assert_memory_equal(gz.bytes, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8);
    assert_int_equal(gz.size, 20);
    check_file(gz.bytes, gz.size, "", NULL);
    buffer_free(&gz);
}

static size_t count_members(const struct buffer *gz)
{
    size_t n = 0;
    for (size_t i = 0; i + 8 <= gz->size; i++)
        n += memcmp(gz->bytes + i, "\x1f\x8b\x08\x00\x00\x00\x00\x00", 8) == 0;
    return n;
}

static void members_end_on_a_row_after_a_mebibyte(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    struct buffer gz = {0}, again = {0}, text = {0}, back = {0};
    struct gzip_writer *gzip, *second;
    struct err err;
    uint64_t seed = 4;
    assert_int_equal(gzip_writer_open(&gzip, to_buffer, &gz, &err), 0);
    assert_int_equal(gzip_writer_open(&second, to_buffer, &again, &err), 0);
    while (text.size < 3 * 1024 * 1024) {
        char row[200];
        int n = snprintf(row, sizeof row, "%u,%u,%u,some text that repeats\n",
                         random_below(&seed, 1000000), random_below(&seed, 100),
                         random_below(&seed, 10));
        buffer_add(&text, row, (size_t)n);
        assert_int_equal(gzip_writer_write(gzip, row, (size_t)n, &err), 0);
        assert_int_equal(gzip_writer_write(second, row, (size_t)n, &err), 0);
    }
    assert_int_equal(gzip_writer_close(gzip, &err), 0);
    assert_int_equal(gzip_writer_close(second, &err), 0);
    assert_int_equal(gz.size, again.size);
    assert_memory_equal(gz.bytes, again.bytes, gz.size);
    size_t n_members = count_members(&gz);
    assert_in_range(n_members, 3, 4);
    assert_int_equal(read_all(folder_write(&folder, "f", gz.bytes, gz.size), 65536, &back, &err),
                     0);
    assert_int_equal(back.size, text.size);
    assert_memory_equal(back.bytes, text.bytes, text.size);
    buffer_free(&gz);
    buffer_free(&again);
    buffer_free(&text);
    buffer_free(&back);
    folder_remove(&folder);
}

static void an_error_of_the_sink_comes_back(void **state)
{
    (void)state;
    struct gzip_writer *gzip;
    struct err err;
    assert_int_equal(gzip_writer_open(&gzip, to_nowhere, NULL, &err), 0);
    assert_int_equal(gzip_writer_close(gzip, &err), ERR_SYSTEM);
    assert_string_equal(err.text, "no room");
    assert_int_equal(gzip_writer_open(&gzip, to_nowhere, NULL, &err), 0);
    gzip_writer_discard(gzip);
    gzip_writer_discard(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_read_as_they_are),
        cmocka_unit_test(gzip_is_known_by_its_first_bytes),
        cmocka_unit_test(members_in_a_row_are_one_text),
        cmocka_unit_test(what_follows_a_member_must_be_one),
        cmocka_unit_test(a_gzip_file_cut_anywhere_is_refused),
        cmocka_unit_test(what_comes_before_the_damage_is_given_at_every_size_of_reads),
        cmocka_unit_test(a_flipped_bit_is_found_wherever_it_matters),
        cmocka_unit_test(a_bomb_is_refused),
        cmocka_unit_test(every_split_of_the_file_reads_the_same),
        cmocka_unit_test(what_cannot_be_opened_is_an_error),
        cmocka_unit_test(an_empty_stream_is_one_empty_member),
        cmocka_unit_test(members_end_on_a_row_after_a_mebibyte),
        cmocka_unit_test(an_error_of_the_sink_comes_back),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
