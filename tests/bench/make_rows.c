/* make_rows ROWS FILES FOLDER
 *
 * Sample rows for the bench of normalize, the same on every machine: ROWS different records in an order
 * by chance, in FOLDER/unsorted-NN.csv, NN from 00 to FILES - 1; one in ten of them is in another file
 * as well. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/writer.h"

/* SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, fig. 17). */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

struct target {
    FILE *file;
    struct writer writer;
};

static int to_file(void *context, const void *bytes, size_t size, struct err *err)
{
    return fwrite(bytes, 1, size, context) == size ? 0 : err_system(err, "cannot write");
}

static void check(int result, const struct err *err)
{
    if (result < 0) {
        fprintf(stderr, "make_rows: %s\n", err->text);
        exit(1);
    }
}

static struct target *targets_open(const char *folder, const char *name, unsigned n)
{
    struct err err;
    struct target *targets = calloc(n, sizeof *targets);
    if (!targets)
        die("calloc");
    for (unsigned i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s-%02u.csv", folder, name, i);
        targets[i].file = fopen(path, "w");
        if (!targets[i].file)
            die(path);
        writer_init(&targets[i].writer, to_file, targets[i].file);
        check(writer_header(&targets[i].writer, &err), &err);
    }
    return targets;
}

static void targets_close(struct target *targets, unsigned n)
{
    struct err err;
    for (unsigned i = 0; i < n; i++) {
        check(writer_end(&targets[i].writer, &err), &err);
        writer_free(&targets[i].writer);
        if (fclose(targets[i].file) != 0)
            die("cannot write");
    }
    free(targets);
}

/* Record number i: what a machine measured, 20,000 rows a run. Numbers have the digits that work
 * divided by time has. */
static struct record row_make(uint64_t i, char run[static 64])
{
    static const char *const kernels[] = {"bus_speed", "int_burn", "mem_speed", "rand_mem"};
    static const char *const tests[] = {"inc32", "read_all", "serial_read", "triad"};
    static const char *const variants[] = {"clang14-m64-O2", "gcc12-m64-O2", "gcc12-m64-O3"};
    uint64_t number = i / 20000, in_run = i % 20000, chance = mix(i);
    snprintf(run, 64, "20260%u%02uT%02u0000Z-%08" PRIx64 "-%04u", (unsigned)(number / 600 % 9 + 1),
             (unsigned)(number / 24 % 25 + 1), (unsigned)(number % 24), mix(number) >> 32,
             (unsigned)(number % 10000));
    struct record record = record_new(KIND_SAMPLE);
    record.run = run;
    record.machine = number % 3 ? "workstation-7" : "server-2";
    record.time = "2026-03-01T12:00:00Z";
    record.kernel = kernels[in_run / 5000];
    RECORD_SET(&record, revision, 1);
    record.test = tests[in_run / 1250 % 4];
    record.variant = variants[in_run / 400 % 3];
    RECORD_SET(&record, threads, 1 + in_run / 200 % 2);
    RECORD_SET(&record, x, (double)(1024 << in_run / 10 % 20));
    record.x_unit = "B";
    record.params = "word=64";
    record.metric = "rate";
    RECORD_SET(&record, rep, in_run);
    RECORD_SET(&record, elapsed_ns, 1000000 + chance % 10000000);
    /* about 10 GB/s */
    RECORD_SET(&record, iterations,
               1 + (record.elapsed_ns * (8 + (chance >> 32) % 5)) / (uint64_t)record.x);
    RECORD_SET(&record, value,
               record.x * (double)record.iterations * 1e9 / (double)record.elapsed_ns);
    record.unit = "B/s";
    return record;
}

static void row_put(struct target *target, const struct record *record)
{
    struct err err;
    check(writer_record(&target->writer, record, &err), &err);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    uint64_t n_rows = strtoull(argv[1], NULL, 10);
    unsigned n_files = (unsigned)strtoul(argv[2], NULL, 10);
    struct target *unsorted = targets_open(argv[3], "unsorted", n_files);
    /* i * step mod n_rows meets every row once, when step has no factor in common with n_rows. */
    uint64_t step = 1000003;
    while (n_rows % step == 0)
        step += 2;
    uint64_t at = 0;
    for (uint64_t i = 0; i < n_rows; i++) {
        char run[64];
        at = (at + step) % n_rows;
        struct record record = row_make(at, run);
        unsigned file = (unsigned)(mix(at) % n_files);
        row_put(&unsorted[file], &record);
        if (mix(at + 1) % 10 == 0)
            row_put(&unsorted[(file + 1) % n_files], &record);
    }
    targets_close(unsorted, n_files);
    return 0;
}
