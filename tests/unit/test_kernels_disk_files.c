/* disk_random, disk_files and disk_raw: what they must refuse. */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/kernel_bench.h"

/* ---- disk_random */

static void disk_random_refuses_a_changed_block(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_random", "write");
    bench_set(&bench, "mode", "buffered");
    bench.job.x = FILE_BYTES;
    if (!starts_or_skips(&bench))
        return;
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK); /* each write has bytes of its own */
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 700000);
    check_refuses(&bench, "byte 700000 of the file");
    bench_end(&bench);
}

/* As many ticks as transfers, at more than a few places. */
static size_t n_ticks;

static void tick_count(struct kernel_job *job)
{
    (void)job;
    n_ticks++;
}

static void disk_random_times_every_transfer(void **state)
{
    (void)state;
    struct bench bench;
    struct kernel_work work = {0};
    bench_named(&bench, "disk_random", "read");
    bench_set(&bench, "mode", "buffered");
    bench_set(&bench, "block", "1024");
    bench_set(&bench, "count", "300");
    bench.job.x = FILE_BYTES;
    bench.job.tick = tick_count;
    n_ticks = 0;
    if (!starts_or_skips(&bench))
        return;
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    assert_int_equal(n_ticks, 300);
    bench.job.kernel->work(&bench.job, &work);
    assert_true(work.steps == 300 && work.bytes_read == 307200 && work.bytes_written == 0);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

/* ---- disk_files */

static void disk_files_refuses_a_changed_small_file(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_files", "small_write");
    bench.job.x = 5000;
    bench_start(&bench);
    assert_int_equal(folder_count(&bench.folder), FILES_MAX);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 4999);
    check_refuses(&bench, "small file 0 is not what was written");
    file_change(&bench, 4999);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    assert_int_equal(truncate(folder_file(&bench.folder, "0"), 5001), 0);
    check_refuses(&bench, "small file 0 is not what was written");
    assert_int_equal(unlink(folder_file(&bench.folder, "0")), 0);
    check_refuses(&bench, "small file 0 is missing");
    bench_end(&bench);
}

static void disk_files_deletes_them_all(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_files", "small_delete");
    bench_start(&bench);
    assert_int_equal(folder_count(&bench.folder), 0);
    assert_int_equal(bench_run(&bench, 2), KERNEL_OK);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

static struct found {
    uint64_t bytes;
    size_t n_files, n_folders;
} found;

static int entry_add(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)path;
    (void)ftw;
    found.bytes += type == FTW_F ? (uint64_t)st->st_size : 0;
    found.n_files += type == FTW_F;
    found.n_folders += type == FTW_D;
    return 0;
}

/* A small tree: folders in folders, and the bytes asked for exactly. */
static void disk_files_copies_a_tree(void **state)
{
    (void)state;
    static const char *const ways[] = {"read_write", "copy_file_range"};
    for (size_t w = 0; w < 2; w++) {
        struct bench bench;
        bench_named(&bench, "disk_files", "tree_copy");
        bench_set(&bench, "copy", ways[w]);
        bench_set(&bench, "files", "60");
        bench_set(&bench, "folders", "8");
        bench.job.x = 300000;
        if (!starts_or_skips(&bench))
            return;
        assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
        assert_int_equal(bench_check(&bench), KERNEL_OK);
        found = (struct found){0};
        assert_int_equal(nftw(folder_file(&bench.folder, "copy0"), entry_add, 8, FTW_PHYS), 0);
        assert_int_equal(found.bytes, 300000);
        assert_int_equal(found.n_files, 60);
        assert_int_equal(found.n_folders, 9);
        int fd = open(folder_file(&bench.folder, "copy0/more"), O_WRONLY | O_CREAT, 0600);
        assert_true(fd >= 0);
        close(fd);
        check_refuses(&bench, "70 files and folders, not 69");
        bench_end(&bench);
    }
}

/* ---- disk_raw */

static void disk_raw_refuses_a_changed_source(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_raw", "read");
    bench_set(&bench, "mode", "buffered");
    bench_set(&bench, "source", "file");
    assert_int_equal(bench_setup(&bench, true), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "--set=source=PATH"));
    bench.job.kernel->teardown(&bench.job);
    free(bench.job.memory);
    unsigned char *bytes = malloc(FILE_BYTES);
    assert_non_null(bytes);
    kernel_fill_random(bytes, FILE_BYTES, 5);
    char path[sizeof bench.folder.file];
    snprintf(path, sizeof path, "%s", folder_write(&bench.folder, "0", bytes, FILE_BYTES));
    free(bytes);
    bench.job.source = path;
    if (bench_setup(&bench, true) == KERNEL_OK) { /* not on tmpfs */
        assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
        assert_int_equal(bench_check(&bench), KERNEL_OK);
        file_change(&bench, 7 * 4096);
        check_refuses(&bench, "block 7 has other bytes now");
        file_change(&bench, 7 * 4096);
        assert_int_equal(truncate(path, FILE_BYTES - 1), 0);
        check_refuses(&bench, "the source ends in block 255");
    }
    bench.job.kernel->teardown(&bench.job);
    free(bench.job.memory);
    bench.job.memory = NULL;
    bench_set(&bench, "size", "1048577"); /* whole blocks: 256 of them */
    assert_int_equal(truncate(path, FILE_BYTES - 1), 0);
    assert_int_equal(bench_setup(&bench, true), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "fewer than are to be read"));
    assert_int_equal(unlink(path), 0);
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_random_refuses_a_changed_block),
        cmocka_unit_test(disk_random_times_every_transfer),
        cmocka_unit_test(disk_files_refuses_a_changed_small_file),
        cmocka_unit_test(disk_files_deletes_them_all),
        cmocka_unit_test(disk_files_copies_a_tree),
        cmocka_unit_test(disk_raw_refuses_a_changed_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
