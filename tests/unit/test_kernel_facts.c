/* Facts that kernels tell, and what becomes of those that crash over it. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/kernel_facts.h"

static void tell_two(kernel_tell_fn *tell, void *context)
{
    tell(context, "renderer", "a \"renderer\",\nof two lines", NULL);
    tell(context, "driver", NULL, "absent: it has none");
}

static void tell_and_crash(kernel_tell_fn *tell, void *context)
{
    tell(context, "renderer", "lost", NULL);
    raise(SIGKILL);
}

static void tell_much(kernel_tell_fn *tell, void *context)
{
    static char text[200001]; /* more than a pipe holds */
    memset(text, 'x', sizeof text - 1);
    tell(context, "text", text, NULL);
}

static const struct kernel quiet = {.name = "quiet"};
static const struct kernel talking = {.name = "talking", .facts = tell_two};
static const struct kernel crashing = {.name = "crashing", .facts = tell_and_crash};
static const struct kernel chatty = {.name = "chatty", .facts = tell_much};

static void ask(const struct kernel *const *kernels, size_t n, struct facts *facts)
{
    struct plan_cell cells[8] = {0};
    struct err err;
    for (size_t i = 0; i < n; i++)
        cells[i].kernel = kernels[i];
    const struct plan plan = {.cells = cells, .n_cells = n};
    *facts = (struct facts){0};
    assert_int_equal(kernel_facts_add(&plan, facts, &err), 0);
    assert_false(facts->failed);
}

static void each_kernel_of_the_plan_is_asked_once(void **state)
{
    (void)state;
    const struct kernel *const kernels[] = {&quiet, &talking, &talking, &talking};
    struct facts facts;
    ask(kernels, 4, &facts);
    assert_int_equal(facts.n, 2);
    assert_string_equal(facts.facts[0].name, "talking.renderer");
    assert_string_equal(facts.facts[0].source, "kernel talking");
    assert_true(facts.facts[0].is_known);
    assert_non_null(strstr(facts.facts[0].text, "a \"renderer\","));
    assert_string_equal(facts.facts[1].name, "talking.driver");
    assert_false(facts.facts[1].is_known);
    assert_string_equal(facts.facts[1].text, "absent: it has none");
    facts_free(&facts);
}

static void a_kernel_that_crashes_is_a_fact(void **state)
{
    (void)state;
    const struct kernel *const kernels[] = {&crashing, &talking};
    struct facts facts;
    ask(kernels, 2, &facts);
    assert_int_equal(facts.n, 3);
    assert_string_equal(facts.facts[0].name, "crashing.facts");
    assert_false(facts.facts[0].is_known);
    assert_string_equal(facts.facts[0].text, "absent: the process that asked died of signal 9");
    facts_free(&facts);
}

static void a_long_answer_is_read_whole(void **state)
{
    (void)state;
    const struct kernel *const kernels[] = {&chatty};
    struct facts facts;
    ask(kernels, 1, &facts);
    assert_int_equal(facts.n, 1);
    assert_true(facts.facts[0].is_known);
    facts_free(&facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kernel_of_the_plan_is_asked_once),
                                       cmocka_unit_test(a_kernel_that_crashes_is_a_fact),
                                       cmocka_unit_test(a_long_answer_is_read_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
