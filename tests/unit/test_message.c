#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/message.h"

/* Sends a message and gives back its line, without the end. */
static char *line_of(const struct message *message)
{
    static char line[2048];
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    message_send(ends[1], message);
    ssize_t size = read(ends[0], line, sizeof line - 1);
    assert_true(size > 0 && line[size - 1] == '\n');
    line[size - 1] = '\0';
    close(ends[0]);
    close(ends[1]);
    return line;
}

static void a_sample_is_one_line_and_comes_back(void **state)
{
    (void)state;
    struct message sent = {.kind = MESSAGE_SAMPLE,
                           .sample = {.is_warmup = true,
                                      .has_time = true,
                                      .at = 0.25,
                                      .metric = "rate",
                                      .unit = "B/s",
                                      .value = 1.0 / 3,
                                      .iterations = 7,
                                      .elapsed_ns = UINT64_MAX}};
    char *line = line_of(&sent);
    assert_string_equal(line,
                        "sample\t1\t1\t0.25\trate\tB/s\t0.3333333333333333\t7\t18446744073709551615");
    struct message got;
    assert_true(message_parse(line, &got));
    assert_int_equal(got.kind, MESSAGE_SAMPLE);
    assert_true(got.sample.is_warmup && got.sample.has_time);
    assert_true(got.sample.at == 0.25 && got.sample.value == 1.0 / 3);
    assert_string_equal(got.sample.metric, "rate");
    assert_string_equal(got.sample.unit, "B/s");
    assert_int_equal(got.sample.iterations, 7);
    assert_true(got.sample.elapsed_ns == UINT64_MAX);
}

static void an_outcome_keeps_its_line(void **state)
{
    (void)state;
    struct message sent = {.kind = MESSAGE_OUTCOME, .outcome = KERNEL_WRONG};
    strcpy(sent.reason, "a\tb\nc");
    char *line = line_of(&sent);
    assert_string_equal(line, "outcome\t3\ta b c");
    struct message got;
    assert_true(message_parse(line, &got));
    assert_int_equal(got.outcome, KERNEL_WRONG);
    assert_string_equal(got.reason, "a b c");
    memset(sent.reason, 'x', sizeof sent.reason - 1);
    assert_true(message_parse(line_of(&sent), &got));
    assert_int_equal(strlen(got.reason), sizeof got.reason - 1);
}

static void progress_comes_back(void **state)
{
    (void)state;
    struct message sent = {.kind = MESSAGE_PROGRESS, .progress = {1, 2, 3, 4}}, got;
    char *line = line_of(&sent);
    assert_string_equal(line, "progress\t1\t2\t3\t4");
    assert_true(message_parse(line, &got));
    assert_memory_equal(&got.progress, &sent.progress, sizeof sent.progress);
}

static void what_is_no_message_is_refused(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "hello",
        "outcome\t9\tno such outcome",
        "outcome\t1",
        "sample\t1\t1\t0.25\trate\tB/s\tnone\t7\t8",
        "sample\t1\t1\t0.25\trate\tB/s\t1,5\t7\t8",
        "sample\t1\t1\t0.25\ta_metric_with_a_name_that_is_far_too_long\tB/s\t1\t7\t8",
        "sample\t1\t1\t0.25\trate\tB/s\t1\t7\t8\t9",
        "progress\t1\t2\t3",
        "progress\t1\t2\t3\t-4"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char line[256];
        struct message got;
        strcpy(line, lines[i]);
        if (message_parse(line, &got))
            fail_msg("taken: %s", lines[i]);
    }
    struct message sent = {.kind = MESSAGE_SAMPLE, .sample = {.value = NAN, .metric = "m"}}, got;
    assert_false(message_parse(line_of(&sent), &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_is_one_line_and_comes_back),
        cmocka_unit_test(an_outcome_keeps_its_line),
        cmocka_unit_test(progress_comes_back),
        cmocka_unit_test(what_is_no_message_is_refused),
    };
    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
