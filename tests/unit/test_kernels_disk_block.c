/* disk_block: what it writes, and what it must refuse. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/kernel_bench.h"

static void disk_block_refuses_a_changed_file(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_start(&bench);
    struct stat facts;
    assert_int_equal(stat(folder_file(&bench.folder, "0"), &facts), 0);
    assert_int_equal(facts.st_size, FILE_BYTES);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 500001);
    check_refuses(&bench, "byte 500001 of the file");
    file_change(&bench, 500001);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    file_change(&bench, 4096); /* a stamp */
    check_refuses(&bench, "byte 4096 of the file");
    file_change(&bench, 4096);
    assert_int_equal(truncate(folder_file(&bench.folder, "0"), FILE_BYTES - 1), 0);
    check_refuses(&bench, "the file ends in block 255");
    bench_end(&bench);
}

static void disk_block_refuses_what_it_did_not_write(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "read");
    if (!starts_or_skips(&bench))
        return;
    file_change(&bench, 16384);
    assert_int_equal(bench_run(&bench, 1), KERNEL_OK);
    check_refuses(&bench, "1 blocks were not those written, the first was 4");
    bench_end(&bench);
    bench_named(&bench, "disk_block", "read");
    bench_start(&bench);
    file_change(&bench, 20000);
    check_refuses(&bench, "byte 20000 of the file");
    bench_end(&bench);
}

/* No page is like another, and none is of one value. */
static void disk_block_writes_what_does_not_repeat(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "size", "50331648"); /* thrice the pool */
    bench.job.x = 1 << 20;
    bench_start(&bench);
    int fd = open(folder_file(&bench.folder, "0"), O_RDONLY | O_CLOEXEC);
    uint64_t seen[3];
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pread(fd, &seen[i], sizeof seen[i], (off_t)i * (16 << 20)), sizeof seen[i]);
    close(fd);
    assert_true(seen[0] != seen[1] && seen[1] != seen[2] && seen[2] != seen[0]);
    bench_end(&bench);
}

static void disk_block_tells_the_time_of_the_last_fsync_apart(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_start(&bench);
    assert_int_equal(bench.n_laps, 2);
    assert_string_equal(bench.laps[0], "");
    assert_string_equal(bench.laps[1], "sync_time");
    bench_end(&bench);
}

static void disk_block_writes_whole_blocks(void **state)
{
    (void)state;
    static const struct {
        uint64_t x;
        double bytes;
    } cases[] = {{4096, FILE_BYTES}, {3000, 1047000}, {2 << 20, 2 << 20}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        struct kernel_work work = {0};
        struct stat facts;
        bench_named(&bench, "disk_block", "write");
        bench.job.x = cases[i].x;
        bench.job.kernel->work(&bench.job, &work);
        assert_true(work.bytes_written == cases[i].bytes && work.bytes_read == 0);
        bench_start(&bench);
        assert_int_equal(stat(folder_file(&bench.folder, "0"), &facts), 0);
        assert_true((double)facts.st_size == cases[i].bytes);
        assert_int_equal(bench_check(&bench), KERNEL_OK);
        bench_end(&bench);
    }
}

static void disk_block_leaves_room_for_others(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "size", "1152921504606846976");
    needs_refuses(&bench, "do not fit into the free space");
    bench_set(&bench, "size", "0");
    needs_refuses(&bench, "more than a tenth of the free space");
    bench_end(&bench);
}

/* With 8 processors: as many files, a tenth of the free space at most. */
static void disk_block_sizes_follow_the_free_space(void **state)
{
    (void)state;
    static const struct {
        uint64_t free_mib;
        enum kernel_suite suite;
        const char *size;
    } cases[] = {{0, SUITE_QUICK, "32M"},      {1 << 20, SUITE_QUICK, "32M"},
                 {1 << 20, SUITE_FULL, "1G"},  {81920, SUITE_FULL, "1G"},
                 {81919, SUITE_FULL, "256M"},  {2560, SUITE_QUICK, "32M"},
                 {2559, SUITE_QUICK, "16M"},   {80, SUITE_STANDARD, "1M"},
                 {79, SUITE_STANDARD, "0"}};
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct kernel_host host = {.n_cpus = 8, .disk_free_bytes = cases[i].free_mib << 20};
        const struct kernel_setting *size = bench.job.test->settings[1];
        assert_string_equal(size->key, "size");
        assert_string_equal(size->automatic(&host, cases[i].suite), cases[i].size);
    }
    bench_end(&bench);
}

static void disk_block_writes_no_more_blocks_than_wanted(void **state)
{
    (void)state;
    struct bench bench;
    struct stat facts;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "blocks", "5");
    bench.job.x = 512;
    bench_start(&bench);
    assert_int_equal(stat(folder_file(&bench.folder, "0"), &facts), 0);
    assert_int_equal(facts.st_size, 5 * 512);
    assert_int_equal(bench_check(&bench), KERNEL_OK);
    bench_end(&bench);
}

static void disk_block_refuses_blocks_that_cannot_be_direct(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    bench_set(&bench, "mode", "direct");
    bench.job.x = 100;
    enum kernel_outcome outcome = bench_setup(&bench, true);
    if (outcome == KERNEL_OK)
        outcome = bench_run(&bench, 1);
    assert_int_equal(outcome, KERNEL_UNAVAILABLE);
    assert_string_not_equal(bench.job.reason, "");
    bench_end(&bench);
}

/* On a small tmpfs of our own. */
static void disk_block_fails_on_a_full_disk_and_cleans_up(void **state)
{
    (void)state;
    struct bench bench;
    bench_named(&bench, "disk_block", "write");
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, "") < 0 ||
        mount("none", bench.folder.path, "tmpfs", 0, "size=512k") < 0) {
        print_message("cannot mount a small file system: %s\n", strerror(errno));
        bench_end(&bench);
        skip();
    }
    needs_refuses(&bench, "do not fit into the free space");
    assert_int_equal(bench_setup(&bench, false), KERNEL_OK);
    assert_int_equal(bench_run(&bench, 1), KERNEL_FAILED);
    assert_non_null(strstr(bench.job.reason, "no space"));
    bench.job.kernel->teardown(&bench.job);
    assert_int_equal(folder_count(&bench.folder), 0);

    bench.job.test++; /* read: memory is no disk */
    assert_string_equal(bench.job.test->name, "read");
    free(bench.job.memory);
    assert_int_equal(bench_setup(&bench, false), KERNEL_UNAVAILABLE);
    assert_non_null(strstr(bench.job.reason, "tmpfs"));
    bench.job.kernel->teardown(&bench.job);
    assert_int_equal(umount(bench.folder.path), 0);
    bench_end(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disk_block_refuses_a_changed_file),
        cmocka_unit_test(disk_block_refuses_what_it_did_not_write),
        cmocka_unit_test(disk_block_writes_what_does_not_repeat),
        cmocka_unit_test(disk_block_tells_the_time_of_the_last_fsync_apart),
        cmocka_unit_test(disk_block_writes_whole_blocks),
        cmocka_unit_test(disk_block_leaves_room_for_others),
        cmocka_unit_test(disk_block_sizes_follow_the_free_space),
        cmocka_unit_test(disk_block_writes_no_more_blocks_than_wanted),
        cmocka_unit_test(disk_block_refuses_blocks_that_cannot_be_direct),
        /* last: the file systems of this process are its own from then on */
        cmocka_unit_test(disk_block_fails_on_a_full_disk_and_cleans_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
