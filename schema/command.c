#include "schema/command.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "schema/number.h"
#include "schema/text.h"

enum { HELP_COLUMNS = 79 };

/* Every verb has these two beside its own. */
static const struct option_spec standard_options[] = {
    {"help", 'h', NULL, "this text"},
    {"version", 'V', NULL, "the version and the build"},
    {0},
};

/* ---- help ---- */

/* Prints text from column `indent` on, broken at blanks; the cursor stands at `column`. */
static void print_wrapped(const char *text, size_t column, size_t indent)
{
    if (column > indent) {
        putchar('\n');
        column = 0;
    }
    printf("%*s", (int)(indent - column), "");
    column = indent;
    while (*text) {
        size_t size = strcspn(text, " ");
        if (column > indent && column + 1 + size > HELP_COLUMNS) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        }
        column += (size_t)printf("%s%.*s", column > indent ? " " : "", (int)size, text);
        text += size;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static size_t option_width(const struct option_spec *spec)
{
    return strlen("  -o, --") + strlen(spec->name) +
           (spec->argument ? strlen("=") + strlen(spec->argument) : 0);
}

static void print_options(const struct option_spec *own)
{
    const struct option_spec *const tables[] = {own, standard_options};
    size_t width = 0;
    for (size_t t = 0; t < 2; t++) {
        for (const struct option_spec *spec = tables[t]; spec && spec->name; spec++)
            width = option_width(spec) > width ? option_width(spec) : width;
    }
    width = width > HELP_COLUMNS / 3 ? HELP_COLUMNS / 3 : width;
    puts("\nOptions:");
    for (size_t t = 0; t < 2; t++) {
        for (const struct option_spec *spec = tables[t]; spec && spec->name; spec++) {
            if (spec->letter)
                printf("  -%c, ", spec->letter);
            else
                fputs("      ", stdout);
            printf("--%s%s%s", spec->name, spec->argument ? "=" : "",
                   spec->argument ? spec->argument : "");
            print_wrapped(spec->help, option_width(spec), width + 2);
        }
    }
}

static void print_program_help(const struct program *program)
{
    printf("Usage: %s VERB [OPTION...] [OPERAND...]\n\n", program->name);
    print_wrapped(program->summary, 0, 0);
    puts("\nVerbs:");
    size_t width = 0;
    for (const struct verb *verb = program->verbs; verb->name; verb++)
        width = strlen(verb->name) > width ? strlen(verb->name) : width;
    for (const struct verb *verb = program->verbs; verb->name; verb++) {
        printf("  %s", verb->name);
        print_wrapped(verb->summary, 2 + strlen(verb->name), width + 4);
    }
    print_options(NULL);
    printf("\n'%s VERB --help' tells the options of a verb.\n", program->name);
}

static void print_verb_help(const struct program *program, const struct verb *verb)
{
    const char *operands = verb->operands ? verb->operands : "";
    printf("Usage: %s %s [OPTION...]%s%s\n\n", program->name, verb->name, *operands ? " " : "",
           operands);
    print_wrapped(verb->summary, 0, 0);
    print_options(verb->options);
}

/* ---- parsing ---- */

struct parse {
    const struct program *program;
    const struct verb *verb; /* NULL before the verb */
    struct arguments arguments;
    bool wants_help;
    bool wants_version;
};

static const struct option_spec *find_in(const struct option_spec *table, const char *name,
                                         size_t size, char letter)
{
    for (; table && table->name; table++) {
        if (name ? strlen(table->name) == size && memcmp(table->name, name, size) == 0
                 : table->letter == letter)
            return table;
    }
    return NULL;
}

/* By its long name, or by its letter where name is NULL. A verb's own table comes first, so that
 * it may use -h or -V for something else. */
static const struct option_spec *find_option(const struct parse *parse, const char *name,
                                             size_t size, char letter)
{
    const struct option_spec *own = parse->verb ? parse->verb->options : NULL;
    const struct option_spec *spec = find_in(own, name, size, letter);
    return spec ? spec : find_in(standard_options, name, size, letter);
}

static void take_option(struct parse *parse, const struct option_spec *spec, const char *value)
{
    if (spec == &standard_options[0])
        parse->wants_help = true;
    else if (spec == &standard_options[1])
        parse->wants_version = true;
    else
        parse->arguments.given[parse->arguments.n_given++] = (struct given){spec, value};
}

static int value_missing(const struct option_spec *spec, struct err *err)
{
    return err_set(err, ERR_USAGE, "--%s: %s is missing", spec->name, spec->argument);
}

/* argv[*i] is `--name`, `--name=value`, or `--name` with the value in the next. */
static int parse_long(struct parse *parse, int argc, char **argv, int *i, struct err *err)
{
    const char *name = argv[*i] + 2;
    size_t size = strcspn(name, "=");
    const struct option_spec *spec = find_option(parse, name, size, 0);
    if (!spec)
        return err_set(err, ERR_USAGE, "--%.*s: no such option", (int)(size < 80 ? size : 80), name);
    if (!spec->argument && name[size] == '=')
        return err_set(err, ERR_USAGE, "--%s: takes no value", spec->name);
    if (!spec->argument)
        take_option(parse, spec, "");
    else if (name[size] == '=')
        take_option(parse, spec, name + size + 1);
    else if (*i + 1 < argc)
        take_option(parse, spec, argv[++*i]);
    else
        return value_missing(spec, err);
    return 0;
}

/* argv[*i] is `-abc`, `-oVALUE`, or `-o` with the value in the next. */
static int parse_short(struct parse *parse, int argc, char **argv, int *i, struct err *err)
{
    for (const char *p = argv[*i] + 1; *p; p++) {
        const struct option_spec *spec = find_option(parse, NULL, 0, *p);
        if (!spec)
            return err_set(err, ERR_USAGE, "%.80s: no such option", argv[*i]);
        if (!spec->argument) {
            take_option(parse, spec, "");
            continue;
        }
        if (p[1])
            take_option(parse, spec, p + 1);
        else if (*i + 1 < argc)
            take_option(parse, spec, argv[++*i]);
        else
            return value_missing(spec, err);
        return 0;
    }
    return 0;
}

static int find_verb(struct parse *parse, const char *name, struct err *err)
{
    for (const struct verb *verb = parse->program->verbs; verb->name; verb++) {
        if (strcmp(verb->name, name) == 0) {
            parse->verb = verb;
            parse->arguments.specs = verb->options;
            while (verb->options && verb->options[parse->arguments.n_specs].name)
                parse->arguments.n_specs++;
            return 0;
        }
    }
    return err_set(err, ERR_USAGE, "'%.80s' is no verb", name);
}

static int parse_all(struct parse *parse, int argc, char **argv, struct err *err)
{
    bool is_option_allowed = true;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (is_option_allowed && strcmp(word, "--") == 0)
            is_option_allowed = false;
        else if (is_option_allowed && strncmp(word, "--", 2) == 0)
            TRY(parse_long(parse, argc, argv, &i, err));
        else if (is_option_allowed && word[0] == '-' && word[1])
            TRY(parse_short(parse, argc, argv, &i, err));
        else if (!parse->verb)
            TRY(find_verb(parse, word, err));
        else
            parse->arguments.operands[parse->arguments.n_operands++] = argv[i];
        if (parse->wants_help || parse->wants_version)
            return 0; /* whatever else is wrong, the person asked for help */
    }
    if (!parse->verb)
        return err_set(err, ERR_USAGE, "a verb is missing");
    return 0;
}

/* The verb's `operands` say how many there may be: words in [] are optional, `...` means more. */
static int check_operands(const struct parse *parse, struct err *err)
{
    const char *p = parse->verb->operands ? parse->verb->operands : "";
    size_t n = parse->arguments.n_operands, place = 0;
    bool may_repeat = false;
    while (*p) {
        size_t size = 0;
        for (int depth = 0; p[size] && (p[size] != ' ' || depth > 0); size++)
            depth += (p[size] == '[') - (p[size] == ']');
        if (p[0] != '[' && place >= n)
            return err_set(err, ERR_USAGE, "%.*s is missing", (int)size, p);
        place++;
        may_repeat = may_repeat || memmem(p, size, "...", 3);
        p += size;
        p += strspn(p, " ");
    }
    if (n > place && !may_repeat)
        return err_set(err, ERR_USAGE, "'%.80s' is one operand too many",
                       parse->arguments.operands[place]);
    return 0;
}

/* ---- running ---- */

/* A message may quote bytes of a bad file: nothing in it may steer the terminal. */
static void print_error_text(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t sound = text_utf8_prefix(text, left);
        for (size_t i = 0; i < sound; i++) {
            unsigned char c = (unsigned char)text[i];
            if (c < 0x20 || c == 0x7f)
                fprintf(stderr, "\\x%02x", c);
            else
                fputc(c, stderr);
        }
        if (sound < left)
            fprintf(stderr, "\\x%02x", (unsigned char)text[sound++]);
        text += sound;
        left -= sound;
    }
    fputc('\n', stderr);
}

static void print_error(const struct parse *parse, const struct err *err)
{
    /* Bad data is told as file:line: message, which editors can jump to. */
    if (err->code != ERR_DATA)
        fprintf(stderr, "%s: ", parse->program->name);
    print_error_text(err->text);
    if (err->code == ERR_USAGE)
        fprintf(stderr, "%s: try '%s%s%s --help'\n", parse->program->name, parse->program->name,
                parse->verb ? " " : "", parse->verb ? parse->verb->name : "");
}

/* A full disk shows at the latest here. */
static int finish_stdout(struct err *err)
{
    errno = 0;
    bool has_failed = ferror(stdout) != 0;
    if (fflush(stdout) != 0 || has_failed)
        return errno ? err_system(err, "standard output")
                     : err_set(err, ERR_SYSTEM, "standard output: a write failed");
    /* Some network file systems tell it at close: a copy of the descriptor is enough to hear it. */
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (fd >= 0 && close(fd) < 0)
        return err_system(err, "standard output");
    return 0;
}

/* Where 0, 1 or 2 is closed, the next file opened would take its place and be written to by
 * printf. Opened the wrong way round, its use still fails. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            abort();
    }
}

static int run(struct parse *parse, int argc, char **argv, struct err *err)
{
    TRY(parse_all(parse, argc, argv, err));
    if (parse->wants_version) {
        printf("%s %s (%s)\n", parse->program->name, BUILD_VERSION, BUILD_VARIANT);
        return 0;
    }
    if (parse->wants_help) {
        if (parse->verb)
            print_verb_help(parse->program, parse->verb);
        else
            print_program_help(parse->program);
        return 0;
    }
    TRY(check_operands(parse, err));
    return parse->verb->run(&parse->arguments, err);
}

int command_main(const struct program *program, int argc, char **argv)
{
    struct err err = {0};
    struct parse parse = {.program = program};
    hold_standard_files();
    size_t n = argc > 0 ? (size_t)argc : 1;
    parse.arguments.operands = calloc(n, sizeof *parse.arguments.operands);
    /* A word may hold as many flags as it has letters. */
    size_t n_options = n;
    for (int i = 1; i < argc; i++)
        n_options += strlen(argv[i]);
    parse.arguments.given = calloc(n_options, sizeof *parse.arguments.given);
    int result = !parse.arguments.operands || !parse.arguments.given
                     ? err_set(&err, ERR_SYSTEM, "out of memory")
                     : run(&parse, argc, argv, &err);
    if (result < 0 && err.text[0]) {
        fflush(stdout); /* what came before the error stands before it */
        err.code = (enum err_code)result;
        print_error(&parse, &err);
    }
    struct err late = {0};
    if (finish_stdout(&late) < 0 && result != ERR_SYSTEM) {
        print_error(&parse, &late);
        result = ERR_SYSTEM;
    }
    free(parse.arguments.operands);
    free(parse.arguments.given);
    return err_exit_code(result);
}

/* ---- what was given ---- */

const char *argument_nth(const struct arguments *arguments, const char *name, size_t i)
{
    assert(find_in(arguments->specs, name, strlen(name), 0));
    for (size_t g = 0; g < arguments->n_given; g++) {
        if (strcmp(arguments->given[g].spec->name, name) == 0 && i-- == 0)
            return arguments->given[g].value;
    }
    return NULL;
}

bool argument_list_has(const char *list, const char *name)
{
    size_t size = strlen(name);
    for (const char *p = list; p && *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == size && memcmp(p, name, size) == 0)
            return true;
    return !list;
}

const char *argument_value(const struct arguments *arguments, const char *name)
{
    assert(find_in(arguments->specs, name, strlen(name), 0));
    for (size_t g = arguments->n_given; g-- > 0;) {
        if (strcmp(arguments->given[g].spec->name, name) == 0)
            return arguments->given[g].value;
    }
    return NULL;
}

bool argument_given(const struct arguments *arguments, const char *name)
{
    return argument_value(arguments, name) != NULL;
}

int argument_count(const struct arguments *arguments, const char *name, unsigned long min,
                   unsigned long max, unsigned long *out, struct err *err)
{
    const char *text = argument_value(arguments, name);
    uint64_t count;
    if (!text)
        return 0;
    if (number_parse_count(text, strlen(text), &count) && count >= min && count <= max) {
        *out = (unsigned long)count;
        return 0;
    }
    if (max == ULONG_MAX)
        return err_set(err, ERR_USAGE, "--%s: '%.80s' is no whole number from %lu on", name, text,
                       min);
    return err_set(err, ERR_USAGE, "--%s: '%.80s' is no whole number from %lu to %lu", name, text,
                   min, max);
}

int argument_seconds(const struct arguments *arguments, const char *name, double min, double max,
                     double *out, struct err *err)
{
    const char *text = argument_value(arguments, name);
    double seconds;
    if (!text)
        return 0;
    if (!number_parse(text, strlen(text), &seconds) || seconds < min || seconds > max) {
        char from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE];
        number_format(from, min);
        number_format(to, max);
        return err_set(err, ERR_USAGE, "--%s: '%.80s' is no number of seconds from %s to %s", name,
                       text, from, to);
    }
    *out = seconds;
    return 0;
}

int argument_word(const struct arguments *arguments, const char *name, const char *words, int *out,
                  struct err *err)
{
    const char *text = argument_value(arguments, name);
    if (!text)
        return 0;
    size_t length = strlen(text);
    int place = 0;
    for (const char *p = words;; place++) {
        size_t size = strcspn(p, "|");
        if (size == length && memcmp(p, text, size) == 0) {
            *out = place;
            return 0;
        }
        if (p[size] == '\0')
            break;
        p += size + 1;
    }
    return err_set(err, ERR_USAGE, "--%s: '%.80s' is none of %s", name, text, words);
}
