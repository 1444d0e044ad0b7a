/* size: its table (text data bss dec hex filename), and the sums of Solaris (NAME: T + D + B = SUM). */
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool is_heading(const char *line)
{
    return import_begins(line, "text\t") && strstr(line, "data") && strstr(line, "bss") &&
           strstr(line, "filename");
}

static bool is_sum(const char *line)
{
    unsigned long sizes[4];
    const char *colon = strstr(line, ": ");
    return colon && sscanf(colon, ": %lu + %lu + %lu = %lu", &sizes[0], &sizes[1], &sizes[2], &sizes[3]) == 4;
}

static bool size_recognises(const struct import *import)
{
    for (size_t i = 0; i < import->n_lines; i++)
        if (is_heading(import->lines[i]) || is_sum(import->lines[i]))
            return true;
    return false;
}

static int add_program(struct import *import, size_t line, const char *path,
                       const char *const figures[static 4], struct err *err)
{
    static const char *const tests[] = {"text", "data", "bss", "total"};
    const char *slash = strrchr(path, '/');
    double sizes[4];
    for (size_t i = 0; i < 4; i++)
        if (!import_number(figures[i], &sizes[i]))
            return import_error(import, line, err, "'%s' is no size", figures[i]);
    if (sizes[0] + sizes[1] + sizes[2] != sizes[3])
        return import_error(import, line, err, "text, data and bss are not %s together", figures[3]);
    for (size_t i = 0; i < 4; i++) {
        struct record sample = import_sample(import, "code_size", tests[i], "size");
        sample.params = import_params(import, "program", slash ? slash + 1 : path, NULL);
        import_add_text(import, &sample, figures[i], 1, "B");
    }
    import_use(import, line, line + 1);
    return 0;
}

static int size_read(struct import *import, struct err *err)
{
    const char *words[9];
    bool is_table = false;
    double number;
    TRY(import_run_begin(import, import->bytes, import->size, err));
    for (size_t i = 0; i < import->n_lines; i++) {
        const char *line = import->lines[i];
        size_t n = import_words(import, line, words, 9);
        if (is_heading(line)) {
            is_table = true;
            import_use(import, i, i + 1);
        } else if (is_sum(line) && n == 8) {
            const char *const figures[4] = {words[1], words[3], words[5], words[7]};
            const char *name = import_text(import, "%.*s", (int)strlen(words[0]) - 1, words[0]);
            TRY(add_program(import, i, name, figures, err));
        } else if (is_table && (n == 6 || (n > 3 && import_number(words[0], &number)))) {
            if (n != 6)
                return import_error(import, i, err, "not five sizes and a name");
            TRY(add_program(import, i, words[5], words, err));
        }
    }
    return import_run_end(import, 0, err);
}

const struct importer importer_size = {"size", "size of GNU binutils and Solaris", size_recognises,
                                       size_read};
