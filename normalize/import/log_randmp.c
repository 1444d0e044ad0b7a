/* Tables of RandMP: reading (RD) and reading and writing (RW) in two caches and memory, a row for each
 * number of CPUs, serial and random, for one machine or several side by side. Their unit stands in the
 * text above them: MB/second of 10^6 B/s. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "normalize/import/importing.h"

enum { GROUP = 6, GROUPS_MAX = 4, WORDS_MAX = 1 + GROUP * GROUPS_MAX };

static bool is_heading(const char *line)
{
    return import_begins(line, "CPUs RD RW RD RW RD RW") || import_begins(line, "CPUs  RD");
}

static size_t find_heading(const struct import *import)
{
    size_t line = 0;
    while (line < import->n_lines && !is_heading(import->lines[line]))
        line++;
    return line;
}

static bool randmp_recognises(const struct import *import)
{
    return find_heading(import) < import->n_lines;
}

static void add_row(struct import *import, const char *const *words, const char *access, size_t group)
{
    static const char *const regions[] = {"l1", "l2", "ram"};
    for (size_t i = 0; i < GROUP; i++) {
        const char *test = import_text(import, "%s_%s", access, i % 2 == 0 ? "read" : "rw");
        struct record sample = import_sample(import, "rand_mem", test, "rate");
        sample.variant = "RandMP";
        RECORD_SET(&sample, threads, strtoul(words[0], NULL, 10));
        sample.params = import_params(import, "region", regions[i / 2], NULL);
        import_add_text(import, &sample, words[1 + group * GROUP + i], 1e6, "B/s");
    }
}

static int read_group(struct import *import, size_t heading, size_t n_words, size_t group,
                      struct err *err)
{
    const char *access = NULL, *words[WORDS_MAX], *given = import->machine;
    double figure;
    size_t n_rows = 0, n_groups = n_words / GROUP;
    struct buffer bytes = {0};
    buffer_add(&bytes, import->bytes, import->size);
    buffer_add_format(&bytes, "%zu", group);
    int result = import_run_begin(import, buffer_text(&bytes), bytes.size, err);
    buffer_free(&bytes);
    TRY(result);
    for (size_t i = heading > 3 ? heading - 3 : 0; i < import->n_lines; i++) {
        const char *line = import->lines[i];
        size_t n = import_words(import, line, words, WORDS_MAX);
        bool is_row = n > 2 && words[0][strspn(words[0], "0123456789")] == '\0' &&
                      strtoul(words[0], NULL, 10) > 0 &&
                      (n == n_words + 1 || import_number(words[1], &figure));
        if (n == 1 && strcmp(words[0], "Serial") == 0)
            access = "serial";
        else if (n == 1 && strcmp(words[0], "Random") == 0)
            access = "random";
        else if (is_row && i > heading && !access)
            return import_error(import, i, err, "neither Serial nor Random stands above");
        else if (is_row && i > heading && n != n_words + 1)
            return import_error(import, i, err, "not the %zu figures of the heading", n_words);
        else if (is_row && i > heading)
            add_row(import, words, access, group);
        else if (n > 0 && n_rows > 0 && words[0][0] != '%')
            break; /* behind the table */
        else if (i != heading)
            continue;
        n_rows += is_row && i > heading;
        import_use(import, i, i + 1);
    }
    if (given && n_groups > 1)
        import->machine = import_text(import, "%s, %zu", given, group + 1);
    result = import_run_end(import, heading, err);
    import->machine = given;
    return result;
}

static int randmp_read(struct import *import, struct err *err)
{
    size_t heading = find_heading(import);
    const char *words[WORDS_MAX];
    bool has_unit = false;
    if (heading == import->n_lines)
        return import_error(import, 0, err, "no line is a heading CPUs RD RW");
    for (size_t i = 0; i < heading; i++)
        has_unit |= strstr(import->lines[i], "MB/s") != NULL;
    size_t n = import_words(import, import->lines[heading], words, WORDS_MAX);
    if (!has_unit)
        return import_error(import, heading, err, "no line above says MB/s or MB/second");
    if (n > WORDS_MAX || (n - 1) % GROUP != 0)
        return import_error(import, heading, err, "not RD and RW of two caches and memory");
    for (size_t group = 0; group * GROUP < n - 1; group++)
        TRY(read_group(import, heading, n - 1, group, err));
    return 0;
}

const struct importer importer_randmp = {"randmp", "tables of RandMP", randmp_recognises, randmp_read};
