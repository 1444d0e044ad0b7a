#include "schema/command.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "build.h"
#include "schema/progress.h"

/* ---- a program of the tests' own: `echo` prints what it was given, `fail` returns an error ---- */

static int run_echo(const struct arguments *arguments, struct err *err)
{
    unsigned long count = 7;
    double seconds = 0.5;
    int word = -1;
    TRY(argument_count(arguments, "count", 1, 10, &count, err));
    TRY(argument_seconds(arguments, "time", 0, 100, &seconds, err));
    TRY(argument_word(arguments, "format", "text|csv|json", &word, err));
    for (size_t i = 0; i < arguments->n_given; i++)
        printf("%s=%s\n", arguments->given[i].spec->name, arguments->given[i].value);
    for (size_t i = 0; i < arguments->n_operands; i++)
        printf("<%s>\n", arguments->operands[i]);
    const char *last = argument_value(arguments, "set");
    const char *second = argument_nth(arguments, "set", 1);
    printf("count %lu seconds %g word %d quiet %d last %s second %s\n", count, seconds, word,
           argument_given(arguments, "quiet"), last ? last : "none", second ? second : "none");
    return 0;
}

static int run_fail(const struct arguments *arguments, struct err *err)
{
    switch (arguments->operands[0][0]) {
    case 'd':
        return err_set(err, ERR_DATA, "a.csv:3: value: '1,5' is no number");
    case 's':
        return err_set(err, ERR_SYSTEM, "b.csv: No space left on device");
    case 'e':
        return err_set(err, ERR_DATA, "a.csv:3: \x1b[31m\xff\xc3\xa4");
    case 'r':
        return err_set(err, ERR_REGRESSION, "slower");
    case 'q':
        err->text[0] = '\0';
        return ERR_DATA;
    default:
        puts("output before the error");
        return err_set(err, ERR_UNCLEAR, "too little data");
    }
}

static const struct option_spec echo_options[] = {
    {"output", 'o', "FILE", "where it goes"},
    {"set", 's', "KEY=VALUE", "a setting"},
    {"quiet", 'q', NULL, "say nothing; this text is long enough that it has to be broken once"},
    {"count", 0, "N", "how many"},
    {"time", 0, "SEC", "how long"},
    {"format", 0, "NAME", "how"},
    {0},
};

static const struct verb verbs[] = {
    {"echo", "[WORD...]", "prints its arguments", echo_options, run_echo},
    {"fail", "HOW", "returns an error", NULL, run_fail},
    {"copy", "FROM [TO]", "takes one or two", NULL, run_fail},
    {0},
};

static const struct program tool = {"tool", "does what the tests want", verbs};

/* ---- running it in a child ---- */

struct outcome {
    int status;
    char out[4096];
    char err[4096];
};

static void slurp(FILE *file, char *to, size_t size)
{
    rewind(file);
    to[fread(to, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* arguments: separated by '|'; stdout_path: NULL to catch it, "" to close it. */
static struct outcome run_tool_into(const char *stdout_path, const char *arguments)
{
    static char words[1024];
    static char name[] = "tool";
    char *argv[32] = {name};
    int argc = 1;
    snprintf(words, sizeof words, "%s", arguments);
    char *p = words;
    while (*arguments && p)
        argv[argc++] = strsep(&p, "|");
    struct outcome outcome;
    FILE *out = tmpfile(), *err = tmpfile();
    assert_non_null(out);
    assert_non_null(err);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!stdout_path)
            dup2(fileno(out), STDOUT_FILENO);
        else if (!*stdout_path)
            close(STDOUT_FILENO);
        else
            dup2(open(stdout_path, O_WRONLY), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        int status = command_main(&tool, argc, argv);
        fflush(NULL);
        _exit(status);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    outcome.status = WEXITSTATUS(status);
    slurp(out, outcome.out, sizeof outcome.out);
    slurp(err, outcome.err, sizeof outcome.err);
    return outcome;
}

static void check(const char *arguments, int status, const char *out, const char *err)
{
    struct outcome outcome = run_tool_into(NULL, arguments);
    assert_string_equal(outcome.err, err);
    assert_string_equal(outcome.out, out);
    assert_int_equal(outcome.status, status);
}

#define DEFAULTS "count 7 seconds 0.5 word -1 quiet 0 last none second none\n"

static void options_stand_before_and_behind_operands(void **state)
{
    (void)state;
    check("echo|a|--output=x|b", 0, "output=x\n<a>\n<b>\n" DEFAULTS, "");
    check("echo|--output|x|a", 0, "output=x\n<a>\n" DEFAULTS, "");
    check("echo|-o|x|-oy", 0, "output=x\noutput=y\n" DEFAULTS, "");
    check("echo|--output=", 0, "output=\n" DEFAULTS, "");
    check("echo|--output|--quiet", 0, "output=--quiet\n" DEFAULTS, "");
}

static void short_flags_may_share_a_word(void **state)
{
    (void)state;
    check("echo|-qqox", 0,
          "quiet=\nquiet=\noutput=x\ncount 7 seconds 0.5 word -1 quiet 1 last none second none\n",
          "");
}

static void two_dashes_end_the_options(void **state)
{
    (void)state;
    check("echo|--|--output=x|-q", 0, "<--output=x>\n<-q>\n" DEFAULTS, "");
    check("--|echo|a", 0, "<a>\n" DEFAULTS, "");
}

static void one_dash_is_an_operand(void **state)
{
    (void)state;
    check("echo|-|", 0, "<->\n<>\n" DEFAULTS, "");
}

static void repeated_options_keep_their_order(void **state)
{
    (void)state;
    check("echo|--set=b=1|-s|a=2|--set|c=3", 0,
          "set=b=1\nset=a=2\nset=c=3\ncount 7 seconds 0.5 word -1 quiet 0 last c=3 second a=2\n",
          "");
}

#define TRY_ECHO "tool: try 'tool echo --help'\n"

static void wrong_options_are_usage_errors(void **state)
{
    (void)state;
    check("echo|--outptu=x", 2, "", "tool: --outptu: no such option\n" TRY_ECHO);
    check("echo|--out=x", 2, "", "tool: --out: no such option\n" TRY_ECHO);
    check("echo|--outputs", 2, "", "tool: --outputs: no such option\n" TRY_ECHO);
    check("echo|-x", 2, "", "tool: -x: no such option\n" TRY_ECHO);
    check("echo|--quiet=1", 2, "", "tool: --quiet: takes no value\n" TRY_ECHO);
    check("echo|--output", 2, "", "tool: --output: FILE is missing\n" TRY_ECHO);
    check("echo|-qo", 2, "", "tool: --output: FILE is missing\n" TRY_ECHO);
    check("--output=x|echo", 2, "",
          "tool: --output: no such option\ntool: try 'tool --help'\n");
}

static void wrong_verbs_and_operands_are_usage_errors(void **state)
{
    (void)state;
    check("", 2, "", "tool: a verb is missing\ntool: try 'tool --help'\n");
    check("ech", 2, "", "tool: 'ech' is no verb\ntool: try 'tool --help'\n");
    check("fail", 2, "", "tool: HOW is missing\ntool: try 'tool fail --help'\n");
    check("fail|d|e", 2, "",
          "tool: 'e' is one operand too many\ntool: try 'tool fail --help'\n");
    check("copy", 2, "", "tool: FROM is missing\ntool: try 'tool copy --help'\n");
    check("copy|a|b|c", 2, "",
          "tool: 'c' is one operand too many\ntool: try 'tool copy --help'\n");
}

static void option_values_are_read_strictly(void **state)
{
    (void)state;
    check("echo|--count=10|--time=1e1|--format=json", 0,
          "count=10\ntime=1e1\nformat=json\n"
          "count 10 seconds 10 word 2 quiet 0 last none second none\n",
          "");
    check("echo|--count=11", 2, "",
          "tool: --count: '11' is no whole number from 1 to 10\n" TRY_ECHO);
    check("echo|--count=0x5", 2, "",
          "tool: --count: '0x5' is no whole number from 1 to 10\n" TRY_ECHO);
    check("echo|--count=", 2, "", "tool: --count: '' is no whole number from 1 to 10\n" TRY_ECHO);
    check("echo|--time=1,5", 2, "",
          "tool: --time: '1,5' is no number of seconds from 0 to 100\n" TRY_ECHO);
    check("echo|--time=-1", 2, "",
          "tool: --time: '-1' is no number of seconds from 0 to 100\n" TRY_ECHO);
    check("echo|--format=js", 2, "", "tool: --format: 'js' is none of text|csv|json\n" TRY_ECHO);
}

static void each_kind_of_error_has_its_exit_code(void **state)
{
    (void)state;
    check("fail|d", 3, "", "a.csv:3: value: '1,5' is no number\n");
    check("fail|s", 1, "", "tool: b.csv: No space left on device\n");
    check("fail|r", 5, "", "tool: slower\n");
    check("fail|u", 6, "output before the error\n", "tool: too little data\n");
    check("fail|q", 3, "", "");
}

static void a_message_cannot_steer_the_terminal(void **state)
{
    (void)state;
    check("fail|e", 3, "", "a.csv:3: \\x1b[31m\\xff\xc3\xa4\n");
}

static void help_comes_from_the_tables(void **state)
{
    (void)state;
    check("--help", 0,
          "Usage: tool VERB [OPTION...] [OPERAND...]\n"
          "\n"
          "does what the tests want\n"
          "\n"
          "Verbs:\n"
          "  echo  prints its arguments\n"
          "  fail  returns an error\n"
          "  copy  takes one or two\n"
          "\n"
          "Options:\n"
          "  -h, --help     this text\n"
          "  -V, --version  the version and the build\n"
          "\n"
          "'tool VERB --help' tells the options of a verb.\n",
          "");
    check("echo|--help|--nonsense", 0,
          "Usage: tool echo [OPTION...] [WORD...]\n"
          "\n"
          "prints its arguments\n"
          "\n"
          "Options:\n"
          "  -o, --output=FILE    where it goes\n"
          "  -s, --set=KEY=VALUE  a setting\n"
          "  -q, --quiet          say nothing; this text is long enough that it has to be\n"
          "                       broken once\n"
          "      --count=N        how many\n"
          "      --time=SEC       how long\n"
          "      --format=NAME    how\n"
          "  -h, --help           this text\n"
          "  -V, --version        the version and the build\n",
          "");
}

static void version_names_the_build(void **state)
{
    (void)state;
    check("--version", 0, "tool " BUILD_VERSION " (" BUILD_VARIANT ")\n", "");
    check("echo|-V", 0, "tool " BUILD_VERSION " (" BUILD_VARIANT ")\n", "");
}

static void a_full_disk_is_noticed(void **state)
{
    (void)state;
    struct outcome outcome = run_tool_into("/dev/full", "echo|a");
    assert_string_equal(outcome.err, "tool: standard output: No space left on device\n");
    assert_int_equal(outcome.status, 1);
}

static void a_closed_output_is_noticed(void **state)
{
    (void)state;
    struct outcome outcome = run_tool_into("", "echo|a");
    assert_string_equal(outcome.err, "tool: standard output: Bad file descriptor\n");
    assert_int_equal(outcome.status, 1);
    outcome = run_tool_into("", "fail|d"); /* prints nothing, so nothing is lost */
    assert_string_equal(outcome.err, "a.csv:3: value: '1,5' is no number\n");
    assert_int_equal(outcome.status, 3);
}

/* ---- the progress line ---- */

static void check_progress(uint64_t done, uint64_t total, int64_t elapsed_ns, const char *what,
                           size_t columns, const char *expected)
{
    char text[PROGRESS_TEXT_SIZE];
    progress_format(text, done, total, elapsed_ns, what, columns);
    assert_string_equal(text, expected);
}

static void progress_estimates_what_is_left(void **state)
{
    (void)state;
    const int64_t second = 1000000000;
    check_progress(10, 40, 30 * second, "whetstone", 79, "10 of 40 (25 %), 1:30 left: whetstone");
    check_progress(1, 2, 4000 * second, "", 79, "1 of 2 (50 %), 1:06:40 left");
    check_progress(0, 40, second, "a", 79, "0 of 40 (0 %): a");
    check_progress(40, 40, second, "a", 79, "40 of 40 (100 %): a");
    check_progress(1234, 0, second, "a.csv", 79, "1234: a.csv");
}

static void progress_fits_the_terminal(void **state)
{
    (void)state;
    check_progress(5, 0, 0, "a\x1b[0m", 79, "5: a?[0m");
    check_progress(5, 0, 0, "abcdef", 6, "5: abc");
    check_progress(5, 0, 0, "ab\xc3\xa4", 6, "5: ab"); /* never half a character */
}

static void progress_is_silent_off_a_terminal(void **state)
{
    (void)state;
    struct progress progress;
    int saved = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    dup2(fileno(file), STDERR_FILENO);
    progress_start(&progress, 10);
    progress.start_ns = INT64_MIN / 2; /* long ago */
    progress_step(&progress, 5, "x");
    progress_end(&progress);
    dup2(saved, STDERR_FILENO);
    close(saved);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    assert_int_equal(size, 0);
    assert_int_equal(progress.done, 5);
}

static void a_list_has_whole_names_alone(void **state)
{
    (void)state;
    assert_true(argument_list_has("rate,time", "rate"));
    assert_true(argument_list_has("rate,time", "time"));
    assert_false(argument_list_has("rate,time", "rat"));
    assert_false(argument_list_has("rate,time", "ratetime"));
    assert_false(argument_list_has("rate,time", ""));
    assert_false(argument_list_has("", "rate"));
    assert_true(argument_list_has(NULL, "rate"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_stand_before_and_behind_operands),
        cmocka_unit_test(short_flags_may_share_a_word),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(one_dash_is_an_operand),
        cmocka_unit_test(repeated_options_keep_their_order),
        cmocka_unit_test(wrong_options_are_usage_errors),
        cmocka_unit_test(wrong_verbs_and_operands_are_usage_errors),
        cmocka_unit_test(option_values_are_read_strictly),
        cmocka_unit_test(each_kind_of_error_has_its_exit_code),
        cmocka_unit_test(a_message_cannot_steer_the_terminal),
        cmocka_unit_test(help_comes_from_the_tables),
        cmocka_unit_test(version_names_the_build),
        cmocka_unit_test(a_full_disk_is_noticed),
        cmocka_unit_test(a_closed_output_is_noticed),
        cmocka_unit_test(progress_estimates_what_is_left),
        cmocka_unit_test(progress_fits_the_terminal),
        cmocka_unit_test(progress_is_silent_off_a_terminal),
        cmocka_unit_test(a_list_has_whole_names_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
