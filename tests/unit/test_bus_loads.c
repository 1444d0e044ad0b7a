/* bus_speed must find out a load that was left out, wherever that is: its loops are replaced by
 * ones that leave one out. The file itself is included, for what it keeps to itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/bus_speed.c"

enum { ARRAY_BYTES = 16 * 1024 + 24 };

static size_t left_out; /* load that the loops below leave out: in each turn, or once */
static size_t turn;     /* 0: once */

/* As the loops for words do it: everything is ANDed. */
static uint64_t ands_words(const void *array, size_t n_loads, uint64_t passes)
{
    const uint64_t *words = array;
    uint64_t all = UINT64_MAX;
    for (; passes > 0; passes--)
        for (size_t i = 0; i < n_loads; i++)
            if (turn == 0 ? i != left_out : i % turn != left_out)
                all &= words[i];
    return all;
}

/* As those for vectors of 128 bits do it: the last eight stay in their registers. */
static uint64_t keeps_vectors(const void *array, size_t n_loads, uint64_t passes)
{
    uint64_t registers[VECTOR_TURN][2];
    memset(registers, 0xff, sizeof registers);
    for (; passes > 0; passes--)
        for (size_t i = 0; i < n_loads; i++)
            if (turn == 0 ? i != left_out : i % turn != left_out)
                memcpy(registers[i % VECTOR_TURN], (const char *)array + i * sizeof registers[0],
                       sizeof registers[0]);
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; i < VECTOR_TURN; i++)
        all &= registers[i][0] & registers[i][1];
    return all;
}

/* The outcome of check after two passes of the loop. */
static enum kernel_outcome outcome_of(const char *test, load_fn *load, char *reason)
{
    static const struct kernel_value settings[] = {
        {"pages", "default"}, {"word", "64"}, {NULL, NULL}};
    struct kernel_job job = {.kernel = &kernel_bus_speed,
                             .x = ARRAY_BYTES,
                             .threads = 1,
                             .seed = 1,
                             .settings = settings};
    for (job.test = kernel_bus_speed.tests; strcmp(job.test->name, test) != 0;)
        job.test++;
    assert_int_equal(bus_speed_needs(&job), KERNEL_OK);
    job.memory_bytes = bus_speed_memory(&job);
    job.memory = aligned_alloc(4096, (job.memory_bytes + 4095) / 4096 * 4096);
    assert_non_null(job.memory);
    assert_int_equal(bus_speed_setup(&job), KERNEL_OK);
    if (load)
        ((struct bus_speed *)job.state)->load = load;
    assert_int_equal(bus_speed_run(&job, 2), KERNEL_OK);
    enum kernel_outcome outcome = bus_speed_check(&job);
    memcpy(reason, job.reason, sizeof job.reason);
    bus_speed_teardown(&job);
    free(job.memory);
    return outcome;
}

static void finds_a_load_left_out(const char *test, load_fn *load, size_t n_loads,
                                  size_t turn_of_loop)
{
    char reason[KERNEL_REASON_SIZE];
    turn = 0;
    left_out = SIZE_MAX; /* none: the check must pass then */
    assert_int_equal(outcome_of(test, NULL, reason), KERNEL_OK);
    assert_int_equal(outcome_of(test, load, reason), KERNEL_OK);
    for (left_out = 0; left_out < n_loads; left_out += left_out + 1 < 2 * turn_of_loop ? 1 : 97) {
        assert_int_equal(outcome_of(test, load, reason), KERNEL_WRONG);
        assert_non_null(strstr(reason, "was not loaded"));
    }
    left_out = n_loads - 1;
    assert_int_equal(outcome_of(test, load, reason), KERNEL_WRONG);
    turn = turn_of_loop;
    for (left_out = 0; left_out < turn; left_out++)
        assert_int_equal(outcome_of(test, load, reason), KERNEL_WRONG);
}

static void a_word_left_out_is_found(void **state)
{
    (void)state;
    if (UINTPTR_MAX == UINT32_MAX)
        skip(); /* no words of 64 bits */
    finds_a_load_left_out("read_all", ands_words, ARRAY_BYTES / 8, SCALAR_TURN);
}

static void a_vector_left_out_is_found(void **state)
{
    (void)state;
    if (vector_missing(128))
        skip();
    finds_a_load_left_out("simd128", keeps_vectors, ARRAY_BYTES / 16, VECTOR_TURN);
}

int main(void)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(a_word_left_out_is_found),
                                     cmocka_unit_test(a_vector_left_out_is_found)};
    return cmocka_run_group_tests(all, NULL, NULL);
}
