#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/order.h"
#include "report/select.h"
#include "schema/output.h"
#include "schema/writer.h"

struct fixture {
    char folder[256];
    struct output *output;
    struct writer writer;
    struct archive *archive;
    struct selection selection;
    struct err err;
};

static void file_path(const struct fixture *fixture, char *path, size_t size)
{
    snprintf(path, size, "%s/r.csv", fixture->folder);
}

static int fixture_open(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const char *tmp = getenv("TMPDIR");
    char path[300];
    snprintf(fixture->folder, sizeof fixture->folder, "%s/select.XXXXXX", tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(fixture->folder));
    file_path(fixture, path, sizeof path);
    assert_int_equal(output_open(&fixture->output, path, &fixture->err), 0);
    writer_init(&fixture->writer, output_write, fixture->output);
    assert_int_equal(writer_header(&fixture->writer, &fixture->err), 0);
    *state = fixture;
    return 0;
}

static int fixture_close(void **state)
{
    struct fixture *fixture = *state;
    char path[300];
    file_path(fixture, path, sizeof path);
    unlink(path);
    rmdir(fixture->folder);
    selection_free(&fixture->selection);
    archive_free(fixture->archive);
    free(fixture);
    return 0;
}

static struct record sample(const char *run, const char *machine, const char *test, uint64_t rep,
                            double value)
{
    struct record record = record_new(KIND_SAMPLE);
    record.run = run;
    record.machine = machine;
    record.time = "2026-01-01";
    record.kernel = "k";
    record.test = test;
    record.variant = "v";
    record.metric = "time";
    record.unit = "s";
    RECORD_SET(&record, revision, 1);
    RECORD_SET(&record, threads, 1);
    RECORD_SET(&record, rep, rep);
    RECORD_SET(&record, value, value);
    return record;
}

static void write_record(struct fixture *fixture, const struct record *record)
{
    assert_int_equal(writer_record(&fixture->writer, record, &fixture->err), 0);
}

static void write_sample(struct fixture *fixture, const char *run, const char *machine,
                         const char *test, uint64_t rep, double value)
{
    struct record record = sample(run, machine, test, rep, value);
    write_record(fixture, &record);
}

static void write_failure(struct fixture *fixture, const char *test, enum record_status status,
                          const char *why)
{
    struct record record = sample("r1", "m", test, 1, 0);
    record.present &= ~COLUMN_BIT(value);
    record.unit = "";
    record.status = status;
    record.text = why;
    write_record(fixture, &record);
}

static void write_fact(struct fixture *fixture, const char *run, const char *machine,
                       const char *name, const char *text)
{
    struct record record = record_new(KIND_FACT);
    record.run = run;
    record.machine = machine;
    record.time = "2026-01-01";
    record.metric = name;
    record.text = text;
    write_record(fixture, &record);
}

/* Ends the file, reads it and selects from it. */
static const struct selection *select_all(struct fixture *fixture, bool by_run)
{
    char path[300];
    file_path(fixture, path, sizeof path);
    assert_int_equal(writer_end(&fixture->writer, &fixture->err), 0);
    writer_free(&fixture->writer);
    assert_int_equal(output_commit(fixture->output, &fixture->err), 0);
    assert_int_equal(archive_new(&fixture->archive, &fixture->err), 0);
    assert_int_equal(archive_add(fixture->archive, path, &fixture->err), 0);
    assert_int_equal(archive_seal(fixture->archive, NULL, &fixture->err), 0);
    assert_int_equal(
        selection_make(&fixture->selection, fixture->archive, by_run, &fixture->err), 0);
    return &fixture->selection;
}

static void repetitions_make_one_cell_without_warmups(void **state)
{
    struct fixture *fixture = *state;
    struct record warmup = sample("r1", "m", "t", 0, 99);
    warmup.params = "warmup_of=1";
    write_record(fixture, &warmup);
    write_sample(fixture, "r1", "m", "t", 1, 5);
    write_sample(fixture, "r1", "m", "t", 2, 3);
    write_sample(fixture, "r1", "m", "t", 3, 4);
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->n_cells, 1);
    const struct cell *cell = &selection->cells[0];
    assert_int_equal(cell->summary.n, 3);
    assert_true(cell->summary.median == 4 && cell->values[0] == 3 && cell->values[2] == 5);
    assert_int_equal(cell->n_warmups, 1);
    assert_int_equal(cell->n_records, 4);
    assert_string_equal(cell->key->params, "");
    assert_int_equal(selection->warnings.n, 0);
}

static void an_attempt_that_was_made_once_more_is_a_failure_of_its_cell(void **state)
{
    struct fixture *fixture = *state;
    struct record lost = sample("r1", "m", "t", 0, 0), warmup = sample("r1", "m", "t", 0, 99);
    lost.present &= ~COLUMN_BIT(value);
    lost.unit = "";
    lost.status = STATUS_FAILED;
    lost.text = "killed";
    lost.params = "lost_at=2026-01-01T00:00:00Z;mode=direct;warmup_of=1";
    write_record(fixture, &lost);
    warmup.params = "mode=direct;warmup_of=1";
    write_record(fixture, &warmup);
    struct record value = sample("r1", "m", "t", 1, 5);
    value.params = "mode=direct";
    write_record(fixture, &value);
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->n_cells, 1);
    const struct cell *cell = &selection->cells[0];
    assert_string_equal(cell->key->params, "mode=direct");
    assert_int_equal(cell->n_failed, 1);
    assert_int_equal(cell->n_warmups, 1);
    assert_int_equal(cell->summary.n, 1);
}

static void what_makes_samples_incomparable_makes_cells(void **state)
{
    struct fixture *fixture = *state;
    struct record record = sample("r1", "m", "t", 1, 1);
    write_record(fixture, &record);
    record.threads = 2;
    write_record(fixture, &record);
    record.params = "mode=direct";
    write_record(fixture, &record);
    record.revision = 2;
    write_record(fixture, &record);
    RECORD_SET(&record, x, 4096);
    record.x_unit = "B";
    write_record(fixture, &record);
    record.variant = "w";
    write_record(fixture, &record);
    record.metric = "sync_time";
    write_record(fixture, &record);
    assert_int_equal(select_all(fixture, false)->n_cells, 7);
}

static void a_failure_is_a_reason_and_no_number(void **state)
{
    struct fixture *fixture = *state;
    write_failure(fixture, "t", STATUS_UNAVAILABLE, "too large");
    write_sample(fixture, "r1", "m", "u", 1, 7);
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->n_cells, 2);
    const struct cell *cell = &selection->cells[0];
    assert_int_equal(cell->summary.n, 0);
    assert_int_equal(cell->n_failed, 1);
    assert_int_equal(cell->failure, STATUS_UNAVAILABLE);
    assert_string_equal(cell->reason, "too large");
    /* Its place is beside the values of the same metric. */
    assert_string_equal(cell->unit, "s");
}

static void withdrawn_runs_are_listed_and_not_used(void **state)
{
    struct fixture *fixture = *state;
    write_sample(fixture, "r1", "m", "t", 1, 1);
    write_sample(fixture, "r2", "m", "t", 1, 100);
    write_fact(fixture, "r2", "m", "retracted", "fan was off");
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->n_cells, 1);
    assert_int_equal(selection->cells[0].summary.n, 1);
    assert_true(selection->cells[0].summary.median == 1);
    assert_int_equal(selection->machines.n_runs, 2);
    assert_null(selection->machines.runs[0].retracted);
    assert_string_equal(selection->machines.runs[1].retracted, "fan was off");
    assert_int_equal(selection->machines.runs[1].n_samples, 1);
    assert_int_equal(selection->machines.machines[0].n_runs, 1);
}

static void a_machine_of_withdrawn_runs_alone_is_none(void **state)
{
    struct fixture *fixture = *state;
    write_sample(fixture, "r1", "m", "t", 1, 1);
    write_fact(fixture, "r1", "m", "retracted", "wrong disk");
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->n_cells, 0);
    assert_int_equal(selection->machines.n, 0);
}

static void pooled_runs_are_a_warning(void **state)
{
    struct fixture *fixture = *state;
    write_sample(fixture, "r1", "m", "t", 1, 1);
    write_sample(fixture, "r2", "m", "t", 1, 3);
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->n_cells, 1);
    assert_true(selection->cells[0].summary.median == 2);
    assert_int_equal(selection->cells[0].n_runs, 2);
    assert_int_equal(selection->warnings.n, 1);
    assert_string_equal(selection->warnings.texts[0],
                        "m, k: the samples of up to 2 runs are taken together in 1 cell, measured "
                        "from 2026-01-01 to 2026-01-01");
}

static void runs_grouped_by_are_cells_of_their_own(void **state)
{
    struct fixture *fixture = *state;
    write_sample(fixture, "r1", "m", "t", 1, 1);
    write_sample(fixture, "r2", "m", "t", 1, 3);
    const struct selection *selection = select_all(fixture, true);
    assert_int_equal(selection->n_cells, 2);
    assert_string_equal(selection->cells[0].run, "r1");
    assert_string_equal(selection->cells[1].run, "r2");
    assert_int_equal(selection->warnings.n, 0);
}

static void one_label_with_two_ids_is_two_machines(void **state)
{
    struct fixture *fixture = *state;
    write_sample(fixture, "r1", "m", "t", 1, 1);
    write_fact(fixture, "r1", "m", "machine.id", "1234567a");
    write_sample(fixture, "r2", "m", "t", 1, 3);
    write_fact(fixture, "r2", "m", "machine.id", "1234567b");
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->machines.n, 2);
    assert_string_equal(selection->machines.machines[0].name, "m [1234567a]");
    assert_string_equal(selection->machines.machines[1].name, "m [1234567b]");
    assert_int_equal(selection->n_cells, 2);
    assert_string_equal(selection->warnings.texts[0], "m: 2 machines have this label and are shown apart");
}

/* One run: a sample, its machine's id and hash, and a limit of memory. */
static void write_run(struct fixture *fixture, const char *run, const char *time, const char *hash,
                      const char *limit)
{
    struct record record = sample(run, "m", "t", 1, 1);
    record.time = time;
    write_record(fixture, &record);
    write_fact(fixture, run, "m", "machine.id", "1234567a");
    if (hash)
        write_fact(fixture, run, "m", "config.hash", hash);
    if (limit)
        write_fact(fixture, run, "m", "limit.memory", limit);
}

static void a_machine_with_two_hashes_is_two_configurations(void **state)
{
    struct fixture *fixture = *state;
    write_run(fixture, "r1", "2026-01-02", "aaaaaaaa1", "none");
    write_run(fixture, "r2", "2026-01-01", "aaaaaaaa2", "256 MiB");
    write_run(fixture, "r3", "2026-01-03", "aaaaaaaa1", "none");
    const struct selection *selection = select_all(fixture, false);
    const struct machines *machines = &selection->machines;
    assert_int_equal(machines->n, 2);
    assert_string_equal(machines->machines[0].name, "m [limit.memory 256 MiB]");
    assert_string_equal(machines->machines[1].name, "m [limit.memory none]");
    assert_int_equal(machines->machines[1].n_runs, 2);
    for (size_t m = 0; m < 2; m++) {
        assert_string_equal(machines->machines[m].whole, "m");
        assert_int_equal(machines->machines[m].first, 0);
        assert_int_equal(machines->machines[m].n_configurations, 2);
    }
    assert_int_equal(selection->n_cells, 2);
    assert_string_equal(selection->warnings.texts[0],
                        "m [limit.memory 256 MiB] and m [limit.memory none] are one machine in two "
                        "configurations and are shown apart; they differ in limit.memory: 256 MiB "
                        "against none");
}

static void the_hash_names_configurations_that_no_fact_tells_apart(void **state)
{
    struct fixture *fixture = *state;
    write_run(fixture, "r1", "2026-01-01", "aaaaaaaa1", NULL);
    write_run(fixture, "r2", "2026-01-02", "aaaaaaaa2", "none");
    write_run(fixture, "r3", "2026-01-03", "bbbb", "none");
    write_run(fixture, "r4", "2026-01-04", NULL, "none");
    const struct selection *selection = select_all(fixture, false);
    const struct machines *machines = &selection->machines;
    assert_int_equal(machines->n, 4);
    assert_string_equal(machines->machines[0].name, "m [configuration aaaaaaaa1]");
    assert_string_equal(machines->machines[1].name, "m [configuration aaaaaaaa2]");
    assert_string_equal(machines->machines[2].name, "m [configuration bbbb]");
    assert_string_equal(machines->machines[3].name, "m [configuration unknown]");
    assert_int_equal(machines->machines[3].n_configurations, 4);
    assert_int_equal(selection->warnings.n, 3);
    assert_string_equal(selection->warnings.texts[0],
                        "m [configuration aaaaaaaa1] and m [configuration aaaaaaaa2] are one machine "
                        "in two configurations and are shown apart; they differ in limit.memory: not "
                        "recorded against none");
}

static void one_hash_on_two_machines_is_no_configuration(void **state)
{
    struct fixture *fixture = *state;
    write_run(fixture, "r1", "2026-01-01", "aaaa", "none");
    write_sample(fixture, "r2", "m", "t", 1, 1);
    write_fact(fixture, "r2", "m", "machine.id", "b");
    write_fact(fixture, "r2", "m", "config.hash", "aaaa");
    write_sample(fixture, "r3", "n", "t", 1, 1); /* of a published machine nobody knows any */
    write_sample(fixture, "r4", "n", "t", 1, 1);
    const struct selection *selection = select_all(fixture, false);
    const struct machines *machines = &selection->machines;
    assert_int_equal(machines->n, 3);
    for (size_t m = 0; m < machines->n; m++) {
        assert_int_equal(machines->machines[m].n_configurations, 1);
        assert_int_equal(machines->machines[m].first, m);
        assert_string_equal(machines->machines[m].name, machines->machines[m].whole);
    }
    assert_string_equal(machines->machines[2].name, "n");
}

static void differing_facts_of_pooled_runs_are_a_warning(void **state)
{
    struct fixture *fixture = *state;
    write_sample(fixture, "r1", "m", "t", 1, 1);
    write_fact(fixture, "r1", "m", "system.kernel", "6.1");
    write_fact(fixture, "r1", "m", "run.seed", "1");
    write_sample(fixture, "r2", "m", "u", 1, 3);
    write_fact(fixture, "r2", "m", "system.kernel", "6.2");
    write_fact(fixture, "r2", "m", "run.seed", "2");
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->warnings.n, 1);
    assert_string_equal(selection->warnings.texts[0], "m: its runs differ in system.kernel");
    size_t n = 0;
    const struct record *fact =
        machine_fact(&selection->machines.machines[0], "system.kernel", "", &n);
    assert_string_equal(fact->text, "6.2");
    assert_int_equal(n, 2);
    assert_null(machine_fact(&selection->machines.machines[0], "system.kernel", "after", NULL));
}

static void machines_stand_by_age_and_cells_by_natural_order(void **state)
{
    struct fixture *fixture = *state;
    struct record old = sample("r2", "z", "loop10", 1, 1);
    old.time = "2007";
    write_sample(fixture, "r1", "a", "loop2", 1, 1);
    write_sample(fixture, "r1", "a", "loop10", 1, 1);
    write_record(fixture, &old);
    const struct selection *selection = select_all(fixture, false);
    assert_string_equal(selection->machines.machines[0].name, "z");
    assert_string_equal(selection->cells[0].key->test, "loop2");
    assert_string_equal(selection->cells[1].key->test, "loop10");
    assert_int_equal(selection->cells[1].machine, 0);
    assert_int_equal(selection->cells[2].machine, 1);
    assert_string_equal(selection->machines.first_time, "2007");
    assert_string_equal(selection->machines.last_time, "2026-01-01");
}

static void values_in_another_unit_are_left_out_with_a_warning(void **state)
{
    struct fixture *fixture = *state;
    struct record record = sample("r1", "m", "t", 1, 10);
    record.metric = "rate";
    record.unit = "B/s";
    write_record(fixture, &record);
    record.rep = 2;
    record.unit = "op/s";
    write_record(fixture, &record);
    const struct selection *selection = select_all(fixture, false);
    assert_int_equal(selection->cells[0].summary.n, 1);
    assert_string_equal(selection->warnings.texts[0],
                        "m, k t rate: 1 values are not in B/s as the others and are left out");
}

static void natural_order_is_total(void **state)
{
    (void)state;
    assert_true(natural_compare("loop2", "loop10") < 0);
    assert_true(natural_compare("inc32", "inc4") > 0);
    assert_true(natural_compare("a", "a1") < 0);
    assert_true(natural_compare("a01", "a1") < 0);
    assert_true(natural_compare("a1", "a01") > 0);
    assert_int_equal(natural_compare("a1b", "a1b"), 0);
    assert_true(natural_compare("99999999999999999999998", "99999999999999999999999") < 0);
}

int main(void)
{
#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        CASE(repetitions_make_one_cell_without_warmups),
        CASE(an_attempt_that_was_made_once_more_is_a_failure_of_its_cell),
        CASE(what_makes_samples_incomparable_makes_cells),
        CASE(a_failure_is_a_reason_and_no_number),
        CASE(withdrawn_runs_are_listed_and_not_used),
        CASE(a_machine_of_withdrawn_runs_alone_is_none),
        CASE(pooled_runs_are_a_warning),
        CASE(runs_grouped_by_are_cells_of_their_own),
        CASE(one_label_with_two_ids_is_two_machines),
        CASE(a_machine_with_two_hashes_is_two_configurations),
        CASE(the_hash_names_configurations_that_no_fact_tells_apart),
        CASE(one_hash_on_two_machines_is_no_configuration),
        CASE(differing_facts_of_pooled_runs_are_a_warning),
        CASE(machines_stand_by_age_and_cells_by_natural_order),
        CASE(values_in_another_unit_are_left_out_with_a_warning),
        cmocka_unit_test(natural_order_is_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
