#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/scratch.h"

static char dir[64];
static char removed_path[128];
static struct err err;

static void note_removed(const char *path)
{
    snprintf(removed_path, sizeof removed_path, "%s", path);
}

static bool exists(const char *name)
{
    char path[192];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return lstat(path, &st) == 0;
}

static void make_file(const char *name)
{
    char path[192];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int dir_make(void **state)
{
    (void)state;
    const char *parent = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%.40s/scratch.XXXXXX", parent ? parent : "/tmp");
    removed_path[0] = '\0';
    return mkdtemp(dir) ? 0 : -1;
}

static int dir_remove(void **state)
{
    (void)state;
    return rmdir(dir); /* fails when a test left anything */
}

static void each_job_finds_an_empty_folder_and_nothing_stays(void **state)
{
    (void)state;
    struct scratch *scratch;
    const char *folder;
    assert_int_equal(scratch_open(&scratch, dir, "r1", note_removed, &err), 0);
    assert_int_equal(scratch_job(scratch, &folder, &err), 0);
    assert_true(exists(".collect-r1/job"));
    make_file(".collect-r1/job/left");
    assert_int_equal(scratch_job(scratch, &folder, &err), 0);
    assert_false(exists(".collect-r1/job/left"));
    make_file(".collect-r1/job/again");
    scratch_close(scratch);
    assert_false(exists(".collect-r1"));
    assert_string_equal(removed_path, "");
}

static void a_left_over_of_a_killed_run_is_named_and_removed(void **state)
{
    (void)state;
    char path[128], target[128];
    snprintf(path, sizeof path, "%s/.collect-dead", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    make_file(".collect-dead/lock");
    make_file(".collect-dead/big");
    make_file("innocent");
    snprintf(target, sizeof target, "%s/.collect-dead/link", dir);
    assert_int_equal(symlink("../innocent", target), 0);
    struct scratch *scratch;
    assert_int_equal(scratch_open(&scratch, dir, "r2", note_removed, &err), 0);
    assert_string_equal(removed_path, path);
    assert_false(exists(".collect-dead"));
    assert_true(exists("innocent"));
    scratch_close(scratch);
    snprintf(path, sizeof path, "%s/innocent", dir);
    unlink(path);
}

static void a_run_at_work_is_left_alone(void **state)
{
    (void)state;
    struct scratch *first, *second;
    int ready[2], over[2];
    char byte = 0;
    assert_int_equal(pipe(ready) | pipe(over), 0);
    pid_t child = fork(); /* a lock is a process's: only another one finds it taken */
    if (child == 0) {
        close(over[1]);
        int result = scratch_open(&first, dir, "r3", NULL, &err);
        if (write(ready[1], &byte, 1) == 1 && read(over[0], &byte, 1) == 0 && result == 0)
            scratch_close(first);
        _exit(result == 0 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(scratch_open(&second, dir, "r4", note_removed, &err), 0);
    assert_string_equal(removed_path, "");
    assert_true(exists(".collect-r3"));
    scratch_close(second);
    close(over[1]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_false(exists(".collect-r3"));
    close(over[0]);
    close(ready[0]);
    close(ready[1]);
}

static void what_has_no_lock_yet_may_be_new(void **state)
{
    (void)state;
    char path[128];
    struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct scratch *scratch;
    snprintf(path, sizeof path, "%s/.collect-young", dir);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(scratch_open(&scratch, dir, "r6", note_removed, &err), 0);
    assert_string_equal(removed_path, "");
    scratch_close(scratch);
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_int_equal(scratch_open(&scratch, dir, "r7", note_removed, &err), 0);
    assert_string_equal(removed_path, path);
    scratch_close(scratch);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct scratch *scratch;
    assert_int_equal(scratch_open(&scratch, "/nonexistent/folder", "r5", NULL, &err), ERR_SYSTEM);
    assert_string_equal(err.text, "--dir=/nonexistent/folder: No such file or directory");
}

int main(void)
{
#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, dir_make, dir_remove)
    const struct CMUnitTest tests[] = {
        IN_DIR(each_job_finds_an_empty_folder_and_nothing_stays),
        IN_DIR(a_left_over_of_a_killed_run_is_named_and_removed),
        IN_DIR(a_run_at_work_is_left_alone),
        IN_DIR(what_has_no_lock_yet_may_be_new),
        IN_DIR(a_folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
