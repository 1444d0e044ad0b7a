/* mem_move: what CMOVE, CMOVE> and MOVE of ANS Forth leave in memory. */
#include "tests/unit/memory_job.h"

/* ANS Forth, 17.6.1.0910: character by character from lower to higher addresses. */
static void forth_cmove(unsigned char *memory, size_t from, size_t to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        memory[to + i] = memory[from + i];
}

/* 17.6.1.0920: from higher to lower addresses. */
static void forth_cmove_up(unsigned char *memory, size_t from, size_t to, size_t n)
{
    for (size_t i = n; i > 0; i--)
        memory[to + i - 1] = memory[from + i - 1];
}

/* 6.1.1900: afterwards the destination has what the source had before. */
static void forth_move(unsigned char *memory, size_t from, size_t to, size_t n)
{
    if (to > from)
        forth_cmove_up(memory, from, to, n);
    else
        forth_cmove(memory, from, to, n);
}

static const struct move {
    const char *test;
    void (*model)(unsigned char *memory, size_t from, size_t to, size_t n);
    bool is_down;
} moves[] = {{"cmove", forth_cmove, false},
             {"cmove_up", forth_cmove_up, true},
             {"move_up", forth_move, false},
             {"move_down", forth_move, true}};

static void mem_move_try(const struct move *move, bool overlaps, uint64_t x)
{
    const struct kernel_value settings[] = {{"overlap", overlaps ? "yes" : "no"}, {0}};
    struct kernel_job job;
    assert_true(job_begin(&job, "mem_move", move->test, x, settings));
    size_t n = (size_t)x / 8 * 8, all = job.memory_bytes, distance = all - n;
    assert_true(overlaps ? distance >= 8 && distance < n : distance >= n);
    unsigned char *model = malloc(all);
    assert_non_null(model);
    memcpy(model, job.memory, all);
    for (uint64_t pass = 1; pass <= 5; pass++) {
        assert_int_equal(job_run(&job, 1), KERNEL_OK);
        memcpy(model + (move->is_down ? all - 8 : 0), &pass, sizeof pass);
        move->model(model, move->is_down ? distance : 0, move->is_down ? 0 : distance, n);
        assert_memory_equal(job.memory, model, all);
        check_accepts(&job);
    }
    free(model);
    assert_int_equal(job_run(&job, 7), KERNEL_OK);
    check_accepts(&job);
    unsigned char *bytes = job.memory;
    size_t changed = all / 2 + 1;
    char place[64];
    snprintf(place, sizeof place, "byte %zu of the memory", changed / 8 * 8);
    bytes[changed] ^= 0x10;
    check_refuses(&job, place);
    job_end(&job);
}

static void mem_move_moves_as_forth_defines_it(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {32, 40, 47, 64, 100, 1000, 4096, 16384, 32768, 65536 + 8};
    for (size_t m = 0; m < 4; m++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            mem_move_try(&moves[m], false, sizes[i]);
            mem_move_try(&moves[m], true, sizes[i]);
        }
        const struct kernel_value settings[] = {{"overlap", "no"}, {0}};
        needs_refuses("mem_move", moves[m].test, 31, settings, "31 B are fewer than 32");
        struct kernel_work work = work_of("mem_move", moves[m].test, 1001, settings);
        assert_true(work.bytes_written == 1000 && work.bytes_read == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mem_move_moves_as_forth_defines_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
