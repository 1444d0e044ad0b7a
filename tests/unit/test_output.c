#include "schema/output.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/unit/folder.h"

static void assert_content(const char *path, const char *content)
{
    char bytes[256] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[n] = '\0';
    assert_string_equal(bytes, content);
}

static int put(const char *path, const char *text, struct err *err)
{
    struct output *output;
    TRY(output_open(&output, path, err));
    int result = output_write(output, text, strlen(text), err);
    if (result < 0) {
        output_discard(output);
        return result;
    }
    return output_commit(output, err);
}

static void a_file_takes_its_place_whole(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    const char *path = folder_write(&folder, "a.csv", "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    struct err err;
    struct output *output;
    assert_int_equal(output_open(&output, path, &err), 0);
    assert_int_equal(output_write(output, "new", 3, &err), 0);
    assert_content(path, "old");
    assert_int_equal(output_commit(output, &err), 0);
    assert_content(path, "new");
    assert_int_equal(folder_count(&folder), 1);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    folder_remove(&folder);
}

static void a_new_file_obeys_the_umask(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    mode_t mask = umask(027);
    struct err err;
    assert_int_equal(put(folder_file(&folder, "a"), "x", &err), 0);
    umask(mask);
    struct stat st;
    assert_int_equal(stat(folder_file(&folder, "a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    folder_remove(&folder);
}

static void what_is_discarded_leaves_the_old_file(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    const char *path = folder_write(&folder, "a.csv", "old", 3);
    struct err err;
    struct output *output;
    char block[100000] = "";
    assert_int_equal(output_open(&output, path, &err), 0);
    assert_int_equal(output_write(output, block, sizeof block, &err), 0);
    assert_true(folder_count(&folder) <= 2); /* with a temporary file where it needs a name */
    output_discard(output);
    assert_content(path, "old");
    assert_int_equal(folder_count(&folder), 1);
    output_discard(NULL);
    folder_remove(&folder);
}

/* Left by a process that was killed, on a file system where a temporary file has a name. */
static void what_a_killed_process_left_is_removed(void **state)
{
    (void)state;
    struct folder folder;
    struct err err;
    folder_make(&folder);
    folder_write(&folder, ".a.csv.abcdef.part", "half", 4);
    folder_write(&folder, ".a.csv.abcdef.parts", "other", 5);
    folder_write(&folder, ".b.csv.abcdef.part", "other", 5);
    folder_write(&folder, "a.csv.abcdef.part", "other", 5);
    const char *locked = folder_write(&folder, ".a.csv.123456.part", "busy", 4);
    int fd = open(locked, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(put(folder_file(&folder, "a.csv"), "new", &err), 0);
    assert_int_equal(folder_count(&folder), 5);
    assert_int_equal(access(folder_file(&folder, ".a.csv.abcdef.part"), F_OK), -1);
    assert_int_equal(access(folder_file(&folder, ".a.csv.123456.part"), F_OK), 0);
    close(fd);
    assert_int_equal(put(folder_file(&folder, "a.csv"), "new", &err), 0);
    assert_int_equal(access(folder_file(&folder, ".a.csv.123456.part"), F_OK), -1);
    folder_remove(&folder);
}

/* A pipe gets nothing before the commit, and nothing after a discard. */
static void what_waits_comes_at_once_or_not_at_all(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    struct folder folder;
    struct err err;
    folder_make(&folder);
    char path[600];
    snprintf(path, sizeof path, "%s", folder_file(&folder, "pipe"));
    assert_int_equal(mkfifo(path, 0600), 0);
    int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (char)('a' + i % 23);
    for (int turn = 0; turn < 2; turn++) {
        struct output *output;
        char found[1024];
        assert_int_equal(output_open(&output, path, &err), 0);
        assert_int_equal(output_wait(output, folder.path, &err), 0);
        size_t size = turn ? 1000 : SIZE;
        for (size_t at = 0; at < size; at += 100)
            assert_int_equal(output_write(output, bytes + at, 100, &err), 0);
        assert_int_equal(read(fd, found, sizeof found), -1);
        assert_int_equal(errno, EAGAIN);
        if (!turn) {
            output_discard(output);
            continue;
        }
        assert_int_equal(output_commit(output, &err), 0);
        assert_int_equal(read(fd, found, sizeof found), 1000);
        assert_memory_equal(found, bytes, 1000);
    }
    close(fd);
    /* A device as well. */
    struct output *output;
    assert_int_equal(output_open(&output, "/dev/null", &err), 0);
    assert_int_equal(output_wait(output, folder.path, &err), 0);
    assert_int_equal(output_write(output, bytes, SIZE, &err), 0);
    assert_int_equal(output_commit(output, &err), 0);
    assert_int_equal(folder_count(&folder), 1);
    free(bytes);
    folder_remove(&folder);
}

static void a_folder_that_does_not_exist_is_an_error(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    char wanted[600];
    const char *path = folder_file(&folder, "none/a.csv");
    snprintf(wanted, sizeof wanted, "%s: No such file or directory", path);
    struct err err;
    assert_int_equal(put(path, "x", &err), ERR_SYSTEM);
    assert_string_equal(err.text, wanted);
    assert_int_equal(folder_count(&folder), 0);
    snprintf(wanted, sizeof wanted, "%s: Is a directory", folder.path);
    assert_int_equal(put(folder.path, "x", &err), ERR_SYSTEM);
    assert_string_equal(err.text, wanted);
    folder_remove(&folder);
}

/* A folder of that name appears before the rename, the last step that can fail. */
static void a_rename_that_fails_is_an_error(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    const char *path = folder_file(&folder, "a.csv");
    struct err err;
    struct output *output;
    assert_int_equal(output_open(&output, path, &err), 0);
    assert_int_equal(output_write(output, "x", 1, &err), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(output_commit(output, &err), ERR_SYSTEM);
    assert_int_equal(folder_count(&folder), 1);
    assert_int_equal(rmdir(path), 0);
    folder_remove(&folder);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct err err;
    assert_int_equal(put("/dev/full", "x", &err), ERR_SYSTEM);
    assert_string_equal(err.text, "/dev/full: No space left on device");
    struct stat st; /* it is still the device */
    assert_int_equal(stat("/dev/full", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(put("/dev/null", "x", &err), 0);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

static void standard_output_that_is_full_is_an_error(void **state)
{
    (void)state;
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int full = open("/dev/full", O_WRONLY);
    dup2(full, STDOUT_FILENO);
    struct err err;
    int result = put("-", "x", &err);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(full);
    assert_int_equal(result, ERR_SYSTEM);
    assert_string_equal(err.text, "standard output: No space left on device");
}

static void a_link_stays_a_link(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    char link[512];
    snprintf(link, sizeof link, "%s", folder_file(&folder, "link"));
    folder_write(&folder, "real", "old", 3);
    assert_int_equal(symlink("real", link), 0);
    struct err err;
    assert_int_equal(put(link, "new", &err), 0);
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_content(folder_file(&folder, "real"), "new");
    assert_int_equal(folder_count(&folder), 2);
    folder_remove(&folder);
}

static void large_and_small_pieces_keep_their_order(void **state)
{
    (void)state;
    struct folder folder;
    folder_make(&folder);
    const char *path = folder_file(&folder, "a");
    struct err err;
    struct output *output;
    static char block[70000];
    size_t total = 0;
    assert_int_equal(output_open(&output, path, &err), 0);
    for (size_t i = 0; i < 40; i++) {
        size_t size = i % 7 == 3 ? sizeof block : i * 1111;
        memset(block, (int)('A' + i), size);
        assert_int_equal(output_write(output, block, size, &err), 0);
        total += size;
    }
    assert_int_equal(output_commit(output, &err), 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (size_t i = 0; i < 40; i++) {
        size_t size = i % 7 == 3 ? sizeof block : i * 1111;
        for (size_t k = 0; k < size; k++)
            if (fgetc(file) != (int)('A' + i))
                fail_msg("byte %zu of piece %zu differs", k, i);
        total -= size;
    }
    assert_int_equal(fgetc(file), EOF);
    assert_int_equal(total, 0);
    fclose(file);
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_takes_its_place_whole),
        cmocka_unit_test(a_new_file_obeys_the_umask),
        cmocka_unit_test(what_is_discarded_leaves_the_old_file),
        cmocka_unit_test(what_a_killed_process_left_is_removed),
        cmocka_unit_test(what_waits_comes_at_once_or_not_at_all),
        cmocka_unit_test(a_folder_that_does_not_exist_is_an_error),
        cmocka_unit_test(a_rename_that_fails_is_an_error),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(standard_output_that_is_full_is_an_error),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(large_and_small_pieces_keep_their_order),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
