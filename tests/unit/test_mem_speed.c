/* mem_speed: its formulas in every width, and that a changed element is refused. */
#include "kernels/mem_speed.h"
#include "kernels/vector.h"
#include "tests/unit/memory_job.h"

static const char *const types[] = {"double", "float", "int32"};
static const char *const codes[] = {"scalar", "vector128", "vector256", "vector512", "vector"};

static double element(const struct kernel_job *job, size_t type, size_t at)
{
    const char *p = (const char *)job->memory + at;
    return type == 0   ? *(const double *)(const void *)p
           : type == 1 ? (double)*(const float *)(const void *)p
                       : (double)*(const int32_t *)(const void *)p;
}

/* One pass and three, against the formula with what was in memory before. */
static void mem_speed_try(const char *test, size_t type, const char *code, const char *store,
                          size_t n)
{
    const struct kernel_value settings[] = {
        {"type", types[type]}, {"code", code}, {"store", store}, {0}};
    size_t size = type == 0 ? 8 : 4;
    struct kernel_job job, old;
    if (!job_begin(&job, "mem_speed", test, 2 * n * size, settings))
        return;
    size_t y = job.memory_bytes - n * size;
    assert_true(y % 64 == 0 && y >= n * size);
    old = job;
    old.memory = malloc(job.memory_bytes);
    assert_non_null(old.memory);
    memcpy(old.memory, job.memory, job.memory_bytes);
    for (int passes = 1; passes <= 3; passes += 2) {
        assert_int_equal(job_run(&job, passes == 1 ? 1 : 2), KERNEL_OK);
        for (size_t i = 0; i < n; i++) {
            double x0 = element(&old, type, i * size), y0 = element(&old, type, y + i * size);
            double right = x0;
            if (strcmp(test, "copy") == 0)
                right = y0;
            else if (strcmp(test, "add") == 0)
                right = type == 2 ? x0 + passes * y0 : x0 + y0;
            else if (strcmp(test, "triad") == 0)
                right = type == 2 ? x0 + passes * (2 + y0) : x0 + 2 * y0;
            assert_true(element(&job, type, i * size) == right);
            assert_true(element(&job, type, y + i * size) == y0);
            assert_true(y0 != 0 && y0 >= -2 && y0 <= 2 && x0 >= -2 && x0 <= 2);
        }
        check_accepts(&job);
    }
    assert_int_equal(job_run(&job, 40), KERNEL_OK);
    check_accepts(&job);
    free(old.memory);
    job_end(&job);
}

static void mem_speed_computes_its_formulas_in_every_width(void **state)
{
    (void)state;
    static const char *const tests[] = {"dot", "triad", "add", "copy"};
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 31, 64, 127, 129, 200, 257, 1000};
    for (size_t t = 0; t < 4; t++)
        for (size_t type = 0; type < 3; type++)
            for (size_t code = 0; code < 5; code++)
                for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
                    mem_speed_try(tests[t], type, codes[code], "normal", sizes[s]);
    for (size_t code = 1; code < 5; code++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            mem_speed_try("copy", s % 3, codes[code], "streaming", sizes[s]);
}

/* 1*4 + 2*5 + ... with known arrays. */
static void mem_speed_sums_as_one_does_by_hand(void **state)
{
    (void)state;
    _Alignas(64) double x[3] = {1, 2, 3}, y[3] = {4, 5, 6};
    _Alignas(64) float f[5] = {1, 2, 3, 4, 5}, g[5] = {2, 2, 2, 2, 2};
    _Alignas(64) uint32_t i[2] = {7, UINT32_MAX}, k[2] = {1, 1};
    static const int widths[] = {0, 128, 256, 512};
    for (size_t w = 0; w < 4; w++) {
        if (widths[w] && vector_missing(widths[w]))
            continue;
        assert_int_equal(mem_speed_loops(MEM_SPEED_DOUBLE, widths[w])->dot(x, y, 3, 1), 32);
        assert_int_equal(mem_speed_loops(MEM_SPEED_DOUBLE, widths[w])->dot(x, y, 3, 10), 320);
        assert_int_equal(mem_speed_loops(MEM_SPEED_FLOAT, widths[w])->dot(f, g, 5, 2), 60);
        assert_int_equal(mem_speed_loops(MEM_SPEED_INT32, widths[w])->dot(i, k, 2, 1), 8);
    }
}

static void mem_speed_refuses_a_changed_element(void **state)
{
    (void)state;
    static const char *const tests[] = {"dot", "triad", "add", "copy"};
    for (size_t t = 0; t < 4; t++) {
        for (size_t type = 0; type < 3; type++) {
            const struct kernel_value settings[] = {
                {"type", types[type]}, {"code", "scalar"}, {"store", "normal"}, {0}};
            struct kernel_job job;
            assert_true(job_begin(&job, "mem_speed", tests[t], 4096, settings));
            unsigned char *bytes = job.memory;
            assert_int_equal(job_run(&job, 3), KERNEL_OK);
            check_accepts(&job);
            bytes[800] ^= 1;
            check_refuses(&job, type == 0 ? "x[100] is " : "x[200] is ");
            bytes[800] ^= 1;
            bytes[job.memory_bytes - 1] ^= 0x80;
            check_refuses(&job, type == 0 ? "y[255] is " : "y[511] is ");
            if (t == 0) {
                assert_int_equal(job_run(&job, 1), KERNEL_OK);
                bytes[job.memory_bytes - 1] ^= 0x80;
                check_refuses(&job, "the sum of x * y is ");
            }
            job_end(&job);
        }
    }
}

static void mem_speed_counts_bytes_and_operations(void **state)
{
    (void)state;
    static const struct {
        const char *test, *type;
        double read, written, flops;
    } cases[] = {{"dot", "double", 1600, 0, 200},    {"triad", "double", 1600, 800, 200},
                 {"add", "double", 1600, 800, 100},  {"copy", "double", 800, 800, 0},
                 {"triad", "float", 1600, 800, 400}, {"triad", "int32", 1600, 800, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct kernel_value settings[] = {
            {"type", cases[i].type}, {"code", "scalar"}, {"store", "normal"}, {0}};
        struct kernel_work work = work_of("mem_speed", cases[i].test, 1600, settings);
        assert_true(work.bytes_read == cases[i].read && work.bytes_written == cases[i].written);
        assert_true(work.flops == cases[i].flops);
    }
}

static void mem_speed_says_what_it_cannot(void **state)
{
    (void)state;
    const struct kernel_value scalar[] = {
        {"type", "double"}, {"code", "scalar"}, {"store", "streaming"}, {0}};
    needs_refuses("mem_speed", "copy", 4096, scalar, "streaming stores are made of vectors only");
    const struct kernel_value normal[] = {
        {"type", "double"}, {"code", "scalar"}, {"store", "normal"}, {0}};
    needs_refuses("mem_speed", "copy", 15, normal, "fewer than two elements of 8 B");
    for (size_t i = 1; i < 4; i++) {
        const struct kernel_value settings[] = {
            {"type", "double"}, {"code", codes[i]}, {"store", "normal"}, {0}};
        const char *missing = vector_missing(128 << (i - 1));
        if (missing)
            needs_refuses("mem_speed", "copy", 4096, settings, missing);
    }
}

static void integers_have_no_rate_of_floating_point_operations(void **state)
{
    (void)state;
    for (size_t type = 0; type < 3; type++) {
        const struct kernel_value settings[] = {
            {"type", types[type]}, {"code", "scalar"}, {"store", "normal"}, {0}};
        struct worker_result result;
        bool has_flops = false;
        cell_run("mem_speed", "triad", 16 * KIB, 1, settings, &result);
        assert_int_equal(result.status, STATUS_OK);
        for (size_t i = 0; i < result.n; i++)
            has_flops = has_flops || strcmp(result.samples[i].metric, "flops") == 0;
        assert_true(has_flops == (type < 2));
        worker_result_free(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mem_speed_computes_its_formulas_in_every_width),
        cmocka_unit_test(mem_speed_sums_as_one_does_by_hand),
        cmocka_unit_test(mem_speed_refuses_a_changed_element),
        cmocka_unit_test(mem_speed_counts_bytes_and_operations),
        cmocka_unit_test(mem_speed_says_what_it_cannot),
        cmocka_unit_test(integers_have_no_rate_of_floating_point_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
