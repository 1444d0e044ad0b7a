/* Kernels that run installed programs: what they make of programs that do something else, and of
 * those that are not there. */
#include <elf.h>
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

#include "kernels/program.h"
#include "kernels/source_text.h"
#include "tests/unit/folder.h"

extern const struct kernel kernel_code_size, kernel_compress, kernel_database, kernel_openssl_speed;

static const struct kernel_host host = {.n_cpus = 1};

enum { REPORTS_MAX = 8 };

struct bench {
    struct kernel_job job;
    struct kernel_value settings[2];
    struct folder programs, work; /* PATH starts with the first */
    char path_before[4096];
    struct report {
        const char *metric;
        double value;
    } reports[REPORTS_MAX];
    size_t n_reports;
};

static void report_note(struct kernel_job *job, const char *metric, double value)
{
    struct bench *bench = job->harness;
    assert_true(bench->n_reports < REPORTS_MAX);
    bench->reports[bench->n_reports++] = (struct report){metric, value};
}

static double reported(const struct bench *bench, const char *metric)
{
    for (size_t i = 0; i < bench->n_reports; i++)
        if (strcmp(bench->reports[i].metric, metric) == 0)
            return bench->reports[i].value;
    fail_msg("no %s", metric);
    return 0;
}

static void bench_init(struct bench *bench, const struct kernel *kernel, const char *test,
                       const char *key, const char *value)
{
    const struct kernel_test *found = kernel->tests;
    while (found->name && strcmp(found->name, test) != 0)
        found++;
    assert_non_null(found->name);
    *bench = (struct bench){.job = {.kernel = kernel,
                                    .test = found,
                                    .host = &host,
                                    .x = kernel->x_unit && !found->has_no_x ? 16 : 0,
                                    .threads = 1,
                                    .seed = 3,
                                    .settings = bench->settings,
                                    .save = "",
                                    .source = "",
                                    .report = report_note,
                                    .harness = bench},
                            .settings = {{key, value}}};
    folder_make(&bench->programs);
    folder_make(&bench->work);
    bench->job.folder = bench->work.path;
    const char *path = getenv("PATH");
    snprintf(bench->path_before, sizeof bench->path_before, "%s", path ? path : "");
}

/* A program of that name, found before any other. */
static void program_make(struct bench *bench, const char *name, const char *script)
{
    char path[sizeof bench->path_before + 300];
    folder_write(&bench->programs, name, script, strlen(script));
    assert_int_equal(chmod(bench->programs.file, 0700), 0);
    snprintf(path, sizeof path, "%s:%s", bench->programs.path, bench->path_before);
    assert_int_equal(setenv("PATH", path, 1), 0);
}

/* needs, setup, run, check, as far as they go. */
static enum kernel_outcome bench_pass(struct bench *bench)
{
    struct kernel_job *job = &bench->job;
    enum kernel_outcome outcome = job->kernel->needs(job);
    if (outcome == KERNEL_OK)
        outcome = job->kernel->setup(job);
    if (outcome == KERNEL_OK)
        outcome = job->test->run(job, 1);
    job->n_runs = job->n_iterations = 1;
    return outcome == KERNEL_OK ? job->kernel->check(job) : outcome;
}

static void bench_end(struct bench *bench)
{
    bench->job.kernel->teardown(&bench->job);
    assert_null(bench->job.state);
    assert_int_equal(setenv("PATH", bench->path_before, 1), 0);
    assert_int_equal(folder_count(&bench->work), 0);
    folder_remove(&bench->programs);
    folder_remove(&bench->work);
}

static void outcome_is(struct bench *bench, enum kernel_outcome right, const char *reason)
{
    enum kernel_outcome outcome = bench_pass(bench);
    if (outcome != right || strcmp(bench->job.reason, reason) != 0)
        fail_msg("%d: '%s'", (int)outcome, bench->job.reason);
    bench_end(bench);
}

/* ---- programs */

static void what_is_not_in_the_path_is_unavailable(void **state)
{
    (void)state;
    static const struct {
        const struct kernel *kernel;
        const char *test, *program;
    } cases[] = {{&kernel_compress, "gzip", "gzip"},
                 {&kernel_compress, "unxz", "xz"},
                 {&kernel_openssl_speed, "md5", "openssl"},
                 {&kernel_database, "catalog", "sqlite3"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        char reason[64];
        bench_init(&bench, cases[i].kernel, cases[i].test, "bytes", "1000");
        setenv("PATH", bench.programs.path, 1);
        snprintf(reason, sizeof reason, "%s is not installed", cases[i].program);
        outcome_is(&bench, KERNEL_UNAVAILABLE, reason);
    }
}

static void what_a_failing_program_says_is_the_reason(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, &kernel_compress, "gzip", "bytes", "1000");
    program_make(&bench, "gzip", "#!/bin/sh\necho no more ink >&2\nexit 3\n");
    outcome_is(&bench, KERNEL_FAILED, "gzip exited with 3: no more ink");
    bench_init(&bench, &kernel_compress, "gzip", "bytes", "1000");
    program_make(&bench, "gzip", "#!/bin/sh\nkill -9 $$\n");
    outcome_is(&bench, KERNEL_FAILED, "gzip was ended by signal 9");
}

static void processor_time_is_that_of_the_program(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, &kernel_compress, "gzip", "bytes", "1000");
    program_make(&bench, "gzip",
                 "#!/bin/sh\ni=0\nwhile [ $i -lt 20000 ]; do i=$((i+1)); done\nexec cat\n");
    assert_int_equal(bench_pass(&bench), KERNEL_OK);
    assert_true(reported(&bench, "user_time") > 0.001);
    assert_true(reported(&bench, "system_time") >= 0);
    bench_end(&bench);
}

/* ---- compress */

static void a_compressor_that_loses_something_is_refused(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, &kernel_compress, "gzip", "bytes", "200000");
    program_make(&bench, "gzip", "#!/bin/sh\nexec cat\n");
    assert_int_equal(bench_pass(&bench), KERNEL_OK);
    assert_true(reported(&bench, "size") == 200000);
    bench_end(&bench);

    bench_init(&bench, &kernel_compress, "gunzip", "bytes", "200000");
    program_make(&bench, "gzip", "#!/bin/sh\n[ $1 = -c ] && exec cat\nexec head -c 199999\n");
    outcome_is(&bench, KERNEL_WRONG, "199999 bytes came back of 200000");

    bench_init(&bench, &kernel_compress, "gzip", "bytes", "200000");
    program_make(&bench, "gzip", "#!/bin/sh\n[ $1 = -c ] && exec cat\nexec tr { '}'\n");
    outcome_is(&bench, KERNEL_WRONG,
               "what came back differs within 65536 bytes from byte 0");
}

static void source_text_is_the_same_in_pieces_of_any_size(void **state)
{
    (void)state;
    enum { SIZE = 20000 };
    static char whole[SIZE], pieces[SIZE], other[SIZE];
    static struct source_text source;
    source_text_begin(&source, 1);
    source_text_next(&source, whole, SIZE);
    source_text_begin(&source, 1);
    for (size_t at = 0, n = 1; at < SIZE; at += n, n = n % 251 + 3) {
        n = n < SIZE - at ? n : SIZE - at;
        source_text_next(&source, pieces + at, n);
    }
    assert_memory_equal(whole, pieces, SIZE);
    source_text_begin(&source, 2);
    source_text_next(&source, other, SIZE);
    assert_memory_not_equal(whole, other, SIZE);
    for (size_t i = 0; i < SIZE; i++)
        assert_true(whole[i] == '\n' || (whole[i] >= ' ' && whole[i] <= '~'));
}

/* ---- openssl_speed */

static void rates_are_read_as_openssl_prints_them(void **state)
{
    (void)state;
    static const struct {
        const char *test, *line;
        double rate;
    } cases[] = {{"hmac_md5", "+F:6:hmac(md5):121687261.5", 121687261.5},
                 {"aes_128_gcm", "+F:25:AES-128-GCM:16", 16},
                 {"rsa_sign", "+F2:1:1024:12328.5:202215.25", 12328.5},
                 {"rsa_verify", "+F2:1:1024:12328.5:202215.25", 202215.25},
                 {"rsa_verify", "+F2:1:1024:0.015625:0.00048828125", 2048}, /* seconds */
                 {"dsa_verify", "+F2:1:1024:1:2\n+F3:1:1024:11605.5:15058.25", 15058.25}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        char script[256];
        bench_init(&bench, &kernel_openssl_speed, cases[i].test, "bits", "1024");
        snprintf(script, sizeof script, "#!/bin/sh\necho '+H:16\n%s'\n", cases[i].line);
        program_make(&bench, "openssl", script);
        assert_int_equal(bench_pass(&bench), KERNEL_OK);
        if (reported(&bench, "rate") != cases[i].rate)
            fail_msg("%s: %g", cases[i].line, reported(&bench, "rate"));
        bench_end(&bench);
    }
}

static void what_openssl_does_not_measure_is_unavailable(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, &kernel_openssl_speed, "md2", "bits", "1024");
    program_make(&bench, "openssl",
                 "#!/bin/sh\n[ $1 = list ] && exit 0\necho speed: Unknown algorithm md2 >&2\n"
                 "exit 1\n");
    outcome_is(&bench, KERNEL_UNAVAILABLE, "this openssl has no md2");
    bench_init(&bench, &kernel_openssl_speed, "md2", "bits", "1024");
    program_make(&bench, "openssl", "#!/bin/sh\necho +H:16\n");
    outcome_is(&bench, KERNEL_UNAVAILABLE, "openssl speed gives no rate of md2");
}

static void an_openssl_that_computes_something_else_is_refused(void **state)
{
    (void)state;
    static const char script[] = "#!/bin/sh\n"
                                 "[ $1 = speed ] && echo '+F:1:x:1000' && exit 0\n"
                                 "head -c 4096 /dev/zero\n";
    static const char *const tests[] = {"md5", "aes_128_cbc", "rc4"};
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        struct bench bench;
        bench_init(&bench, &kernel_openssl_speed, tests[i], "bits", "1024");
        program_make(&bench, "openssl", script);
        outcome_is(&bench, KERNEL_WRONG, "openssl and the kernel crypto disagree");
    }
}

/* ---- database */

static void a_database_with_wrong_answers_is_refused(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench, &kernel_database, "catalog", "tables", "3");
    program_make(&bench, "sqlite3", "#!/bin/sh\nprintf '33\\n12\\n35\\n'\n");
    outcome_is(&bench, KERNEL_WRONG, "answer 3 of 6 is wrong");
}

/* ---- code_size */

/* Of a file with a section of each kind, one that is not loaded, and a segment that holds them. */
static void sizes_are_those_of_the_sections(void **state)
{
    (void)state;
    static const struct {
        const char *test;
        double size;
    } cases[] = {{"text", 1100}, {"data", 20}, {"bss", 3000}, {"total", 4120}};
    static const struct {
        Elf64_Ehdr head;
        Elf64_Phdr segment;
        Elf64_Shdr sections[6];
    } file = {.head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                                   ELFDATA2LSB
#else
                                   ELFDATA2MSB
#endif
                       },
                       .e_phoff = sizeof(Elf64_Ehdr),
                       .e_phnum = 1,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_shoff = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
                       .e_shnum = 6,
                       .e_shentsize = sizeof(Elf64_Shdr)},
              .segment = {.p_type = PT_LOAD, .p_memsz = 5000},
              .sections = {{0},
                           {.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_size = 100},
                           {.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                            .sh_size = 1000},
                           {.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
                            .sh_size = 20},
                           {.sh_type = SHT_NOBITS, .sh_flags = SHF_ALLOC | SHF_WRITE,
                            .sh_size = 3000},
                           {.sh_type = SHT_PROGBITS, .sh_size = 77777}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench bench;
        bench_init(&bench, &kernel_code_size, cases[i].test, "program", "subject");
        program_make(&bench, "subject", "");
        folder_write(&bench.programs, "subject", &file, sizeof file);
        assert_int_equal(bench_pass(&bench), KERNEL_OK);
        assert_true(reported(&bench, "size") == cases[i].size);
        bench_end(&bench);

        bench_init(&bench, &kernel_code_size, cases[i].test, "program", "subject");
        program_make(&bench, "subject", "");
        folder_write(&bench.programs, "subject", &file, sizeof file - 1);
        outcome_is(&bench, KERNEL_FAILED, "its tables are cut off");

        bench_init(&bench, &kernel_code_size, cases[i].test, "program", "subject");
        program_make(&bench, "subject", "#!/bin/sh\n");
        outcome_is(&bench, KERNEL_UNAVAILABLE, "it is no ELF file of this byte order");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_in_the_path_is_unavailable),
        cmocka_unit_test(what_a_failing_program_says_is_the_reason),
        cmocka_unit_test(processor_time_is_that_of_the_program),
        cmocka_unit_test(a_compressor_that_loses_something_is_refused),
        cmocka_unit_test(source_text_is_the_same_in_pieces_of_any_size),
        cmocka_unit_test(rates_are_read_as_openssl_prints_them),
        cmocka_unit_test(what_openssl_does_not_measure_is_unavailable),
        cmocka_unit_test(an_openssl_that_computes_something_else_is_refused),
        cmocka_unit_test(a_database_with_wrong_answers_is_refused),
        cmocka_unit_test(sizes_are_those_of_the_sections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
