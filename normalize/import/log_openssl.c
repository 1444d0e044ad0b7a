/* openssl speed, as text and with -mr. With -multi each process has lines of its own, and their sums follow;
 * what 3.0 calls the sum of an EVP cipher is another algorithm's name. The figures end in k: 1000 B/s. With
 * -mr they are B/s; of keys (+F2 and so on) they are operations per second since 1.1.1 and seconds before,
 * and nothing says which: of RSA the faster verification tells, and that holds for the whole file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normalize/import/importing.h"

enum { COLUMNS_MAX = 16, NAMES_MAX = 4096 };

enum key_unit { KEY_UNKNOWN, KEY_RATE, KEY_SECONDS };

struct columns {
    unsigned long sizes[COLUMNS_MAX];
    size_t n;
    unsigned long processes; /* of -multi; 1 without */
    const char *names;       /* what the processes say they measured: " md5 sha256 "; NULL without them */
};

static bool openssl_recognises(const struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *line = import->lines[i];
        if (strncmp(line, "+F:", 3) == 0 || strncmp(line, "Got: +F:", 8) == 0 ||
            strncmp(line, "+F2:", 4) == 0 ||
            strcmp(line, "The 'numbers' are in 1000s of bytes per second processed.") == 0 ||
            strstr(line, "sign    verify    sign/s verify/s"))
            return true;
    }
    return false;
}

static void read_columns(const char *line, struct columns *columns)
{
    columns->n = 0;
    for (const char *p = line; *p && columns->n < COLUMNS_MAX;) {
        p += strcspn(p, "0123456789");
        char *end;
        unsigned long size = strtoul(p, &end, 10);
        if (end == p)
            break;
        columns->sizes[columns->n++] = size;
        p = end;
    }
}

static struct record sample_of(struct import *import, const char *test, const char *metric)
{
    struct record sample = import_sample(import, "openssl_speed", import_name(import, test), metric);
    sample.variant = "openssl";
    return sample;
}

/* process: its number, or NULL for all together. */
static void add_block(struct import *import, const char *test, const struct columns *columns, size_t i,
                      const char *process, const char *figure, double factor)
{
    struct record sample = sample_of(import, test, "rate");
    RECORD_SET(&sample, threads, columns->processes);
    RECORD_SET(&sample, x, (double)columns->sizes[i]);
    sample.x_unit = "B";
    sample.params = import_params(import, "process", process, NULL);
    const char *word = import_text(import, " %s ", sample.test);
    if (!process && columns->names && !strstr(columns->names, word))
        import_add_status(import, &sample, STATUS_FAILED,
                          import_text(import, "the sum is called so, and the processes measured%s",
                                      columns->names));
    else
        import_add_text(import, &sample, figure, factor, "B/s");
}

/* Digits and k at its end: a rate of the table. */
static bool is_rate(const char *word)
{
    size_t length = strlen(word);
    return length > 1 && word[length - 1] == 'k' && strspn(word, "0123456789.") == length - 1;
}

/* NAME, which may hold blanks, then a figure with k for each column. *is_it: false for another line. */
static int read_blocks(struct import *import, size_t line, const struct columns *columns, bool *is_it,
                       struct err *err)
{
    const char *words[COLUMNS_MAX + 8];
    size_t n = import_words(import, import->lines[line], words, COLUMNS_MAX + 8), n_rates = 0, n_figures = 0;
    *is_it = false;
    if (columns->n == 0 || n > COLUMNS_MAX + 8)
        return 0;
    for (size_t i = 1; i < n; i++) {
        n_rates += is_rate(words[i]);
        n_figures += words[i][strlen(words[i]) - 1] == 'k';
    }
    if (n_rates == 0)
        return 0;
    size_t head = n > columns->n ? n - columns->n : 0;
    if (head == 0 || n_figures != columns->n)
        return import_error(import, line, err, "%zu figures, the heading has %zu sizes", n_figures,
                            columns->n);
    *is_it = true;
    const char *name = words[0];
    for (size_t i = 1; i < head; i++)
        name = import_text(import, "%s %s", name, words[i]);
    for (size_t i = 0; i < columns->n; i++)
        add_block(import, name, columns, i, NULL,
                  import_text(import, "%.*s", (int)strlen(words[head + i]) - 1, words[head + i]), 1e3);
    return 0;
}

struct key {
    const char *algorithm;    /* "rsa" */
    const char *bits, *curve; /* one of them, the other is NULL */
    const char *process;      /* as of add_block */
};

/* operation: NULL where there is but one. */
static struct record key_sample(struct import *import, const struct key *key, const char *operation,
                                const char *metric)
{
    const char *test = operation ? import_text(import, "%s %s", key->algorithm, operation) : key->algorithm;
    struct record sample = sample_of(import, test, metric);
    sample.params = import_params(import, "bits", key->bits, "curve", key->curve, "process", key->process,
                                  NULL);
    return sample;
}

static void add_key(struct import *import, const struct key *key, const char *operation,
                    const char *seconds, const char *rate)
{
    if (rate) {
        struct record sample = key_sample(import, key, operation, "rate");
        import_add_text(import, &sample, rate, 1, "op/s");
    }
    /* Times are printed with few digits; where only zeros are left the rate says the same. */
    double value;
    if (seconds && !(rate && import_number(seconds, &value) && value == 0)) {
        struct record sample = key_sample(import, key, operation, "time");
        import_add_text(import, &sample, seconds, 1, "s");
    }
}

/* "rsa 2048 bits", "2048 bits ffdh", "256 bits ecdsa (nistp256)": n words. */
static bool find_key(struct import *import, const char *const *words, size_t n, struct key *key)
{
    *key = (struct key){0};
    bool is_number_first = words[0][strspn(words[0], "0123456789")] == '\0';
    if (n < 3 || n > 4 || strcmp(words[is_number_first ? 1 : 2], "bits") != 0)
        return false;
    key->algorithm = words[is_number_first ? 2 : 0];
    if (n == 4)
        key->curve = import_name(import, words[3]);
    else
        key->bits = words[is_number_first ? 0 : 1];
    return true;
}

/* The key, then seconds of each operation, then operations per second. *is_it: false for another line. */
static int read_key(struct import *import, size_t line, bool *is_it, struct err *err)
{
    const char *words[12], *seconds[2];
    size_t n = import_words(import, import->lines[line], words, 12), n_times = 0, head = 0;
    struct key key;
    *is_it = false;
    if (n < 4 || n > 12)
        return 0;
    while (head < n && !strchr(words[head], '.'))
        head++;
    for (size_t i = head; i < n && n_times < 2 && words[i][strlen(words[i]) - 1] == 's'; i++)
        seconds[n_times++] = import_text(import, "%.*s", (int)strlen(words[i]) - 1, words[i]);
    if (n_times == 0 || !find_key(import, words, head, &key))
        return 0;
    if (n != head + 2 * n_times)
        return import_error(import, line, err, "not as many seconds as operations per second");
    *is_it = true;
    bool is_pair = n_times == 2;
    add_key(import, &key, is_pair ? "sign" : NULL, seconds[0], words[head + n_times]);
    if (is_pair)
        add_key(import, &key, "verify", seconds[1], words[head + 3]);
    return 0;
}

static int read_row(struct import *import, size_t line, const struct columns *columns, bool *is_used,
                    struct err *err)
{
    const char *text = import->lines[line];
    TRY(read_blocks(import, line, columns, is_used, err));
    if (!*is_used)
        TRY(read_key(import, line, is_used, err));
    *is_used |= strstr(text, "sign/s verify/s") || strstr(text, "'numbers' are in 1000s of bytes per second");
    return 0;
}

static size_t split_colons(struct import *import, const char *line, const char **parts, size_t n)
{
    size_t found = 0;
    while (true) {
        size_t length = strcspn(line, ":");
        if (found < n)
            parts[found] = import_text(import, "%.*s", (int)length, line);
        found++;
        if (line[length] == '\0')
            return found;
        line += length + 1;
    }
}

/* A line of -mr, NULL for another; *process: of -multi ("Got: +F:... from 3"), else NULL. */
static const char *machine_text(struct import *import, size_t line, const char **process)
{
    const char *text = import->lines[line];
    *process = NULL;
    if (strncmp(text, "Got: ", 5) == 0) {
        *process = import_after(text, " from ");
        text += 5;
        if (!*process || !**process || (*process)[strspn(*process, "0123456789")] != '\0')
            return NULL;
        text = import_text(import, "%.*s", (int)(*process - text) - (int)strlen(" from "), text);
    }
    return text[0] == '+' && (text[1] == 'F' || text[1] == 'H') ? text : NULL;
}

static enum key_unit find_key_unit(struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *parts[5], *process, *text = machine_text(import, i, &process);
        double sign, verify;
        if (text && strncmp(text, "+F2:", 4) == 0 && split_colons(import, text, parts, 5) == 5 &&
            import_number(parts[3], &sign) && import_number(parts[4], &verify) && sign != verify)
            return verify > sign ? KEY_RATE : KEY_SECONDS;
    }
    return KEY_UNKNOWN;
}

/* -mr: "+F:22:sha256:126230542.86:..." and "+F2:2:2048:3394.117647:55998.113208". */
static int read_machine_line(struct import *import, size_t line, const char *text, const char *process,
                             struct columns *columns, enum key_unit unit, struct err *err)
{
    static const struct {
        const char *mark, *name;
        size_t n_figures;
    } keys[] = {{"+F2", "rsa", 2}, {"+F3", "dsa", 2}, {"+F4", "ecdsa", 2}, {"+F5", "ecdh", 1}};
    const char *parts[COLUMNS_MAX + 4];
    size_t n = split_colons(import, text, parts, COLUMNS_MAX + 4);
    if (strcmp(parts[0], "+H") == 0) {
        read_columns(text + 2, columns);
        import_use(import, line, line + 1);
    }
    if (strcmp(parts[0], "+F") == 0) {
        if (columns->n == 0 || n != columns->n + 3)
            return import_error(import, line, err, "%zu figures, the +H line has %zu sizes",
                                n < 3 ? 0 : n - 3, columns->n);
        for (size_t i = 0; i < columns->n; i++)
            add_block(import, parts[2], columns, i, process, parts[i + 3], 1);
        const char *name = import_text(import, "%s ", import_name(import, parts[2]));
        if (process && columns->names && strlen(columns->names) > NAMES_MAX)
            return import_error(import, line, err, "more algorithms than openssl has");
        if (process && !columns->names)
            columns->names = import_text(import, " %s", name);
        else if (process && !strstr(columns->names, import_text(import, " %s", name)))
            columns->names = import_text(import, "%s%s", columns->names, name);
        import_use(import, line, line + 1);
    }
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        if (strcmp(parts[0], keys[k].mark) != 0)
            continue;
        if (n < 3 + keys[k].n_figures || n > 5)
            return import_error(import, line, err, "not the figures of %s", keys[k].name);
        struct key key = {.algorithm = keys[k].name, .bits = parts[2], .process = process};
        for (size_t i = 0; i < keys[k].n_figures; i++) {
            const char *operation = keys[k].n_figures == 1 ? NULL : i == 0 ? "sign" : "verify";
            const char *figure = parts[n - keys[k].n_figures + i];
            if (unit == KEY_UNKNOWN) {
                struct record sample = key_sample(import, &key, operation, "rate");
                import_add_status(import, &sample, STATUS_UNAVAILABLE,
                                  import_text(import, "%s: seconds or operations per second", figure));
            } else {
                add_key(import, &key, operation, unit == KEY_SECONDS ? figure : NULL,
                        unit == KEY_RATE ? figure : NULL);
            }
        }
        import_use(import, line, line + 1);
    }
    return 0;
}

static void read_fact(struct import *import, size_t line)
{
    static const struct {
        const char *begin, *fact;
    } facts[] = {{"version: ", "run.program"}, {"OpenSSL ", "run.program"},
                 {"compiler: ", "build.compiler"}, {"options:", "build.options"}};
    const char *text = import->lines[line];
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
        if (strncmp(text, facts[i].begin, strlen(facts[i].begin)) == 0) {
            import_fact(import, facts[i].fact,
                        facts[i].begin[0] == 'O' ? text : text + strlen(facts[i].begin), "openssl speed");
            import_use(import, line, line + 1);
        }
}

static unsigned long count_processes(struct import *import)
{
    unsigned long n = 1;
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *process;
        if (!machine_text(import, i, &process) || !process)
            continue;
        unsigned long number = strtoul(process, NULL, 10);
        if (number < 1000000 && number + 1 > n)
            n = number + 1;
    }
    return n;
}

static int openssl_read(struct import *import, struct err *err)
{
    struct columns columns = {.processes = count_processes(import)};
    enum key_unit unit = find_key_unit(import);
    TRY(import_run_begin(import, import->bytes, import->size, err));
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *line = import->lines[i], *process, *text = machine_text(import, i, &process);
        bool is_used = true;
        if (strncmp(line, "type  ", 6) == 0 && strstr(line, " bytes")) {
            read_columns(line, &columns);
        } else if (text) {
            TRY(read_machine_line(import, i, text, process, &columns, unit, err));
            continue;
        } else {
            TRY(read_row(import, i, &columns, &is_used, err));
        }
        if (is_used)
            import_use(import, i, i + 1);
        read_fact(import, i);
    }
    return import_run_end(import, 0, err);
}

const struct importer importer_openssl = {"openssl", "openssl speed, as text and with -mr",
                                          openssl_recognises, openssl_read};
