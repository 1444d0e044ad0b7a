/* CPU_TEST: "test 1 integer   : 19 ms, 197 ps/instr, 5052 MIPS, 2.0 IPC". */
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"

static bool cpu_test_recognises(const struct import *import)
{
    return import_find(import, 0, "CPU Perf Tester") < import->n_lines;
}

static int add_figure(struct import *import, struct record sample, size_t line, const char *figure,
                      const char *unit, struct err *err)
{
    static const struct {
        const char *unit, *metric, *base;
        double factor;
    } known[] = {{"ms", "elapsed", "s", 1e-3},
                 {"ps/instr", "time", "s", 1e-12},
                 {"ns/instr", "time", "s", 1e-9},
                 {"MIPS", "rate", "op/s", 1e6},
                 {"IPC", "ipc", "1", 1},
                 {"clk", "cycles", "cycle", 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].unit, unit) != 0)
            continue;
        sample.metric = known[i].metric;
        import_add_text(import, &sample, figure, known[i].factor, known[i].base);
        return 0;
    }
    return import_error(import, line, err, "'%s' is no unit that is known", unit);
}

static int read_line(struct import *import, size_t line, struct err *err)
{
    const char *text = import->lines[line], *colon = strchr(text, ':');
    const char *words[10];
    size_t name = import_begins(text, "test ") ? strcspn(text, "0123456789") : 0;
    const char *test = name > 0 ? import_text(import, "%.*s", (int)(colon - text - (long)name), text + name)
                                : "calibration";
    test += strspn(test, "0123456789 ");
    size_t n = import_words(import, colon + 1, words, 10);
    if (n > 10 || n % 2 != 0 || n == 0)
        return import_error(import, line, err, "figures and units do not pair");
    struct record sample = import_sample(import, "cpu_ops", import_name(import, test), "time");
    sample.variant = "CPU_TEST-x86";
    if (!*sample.test)
        return import_error(import, line, err, "the test has no name");
    for (size_t i = 0; i < n; i += 2) {
        size_t length = strlen(words[i + 1]);
        length -= words[i + 1][length - 1] == ',';
        TRY(add_figure(import, sample, line, words[i],
                       import_text(import, "%.*s", (int)length, words[i + 1]), err));
    }
    import_use(import, line, line + 1);
    return 0;
}

static int cpu_test_read(struct import *import, struct err *err)
{
    size_t first = import_find(import, 0, "CPU Perf Tester");
    if (first == import->n_lines)
        return import_error(import, 0, err, "no line says CPU Perf Tester");
    TRY(import_run_begin_lines(import, first, import->n_lines, err));
    import_fact(import, "run.program", import->lines[first], "first line");
    import_use(import, first, first + 1);
    for (size_t i = first; i < import->n_lines; i++) {
        const char *line = import->lines[i];
        double mhz;
        if (sscanf(line, " Measuring using a clock speed of %lf MHz", &mhz) == 1 && mhz > 0) {
            import_fact_number(import, "cpu.clock", import_scale(mhz, 1e6), "Hz", "log");
            import_use(import, i, i + 1);
        }
        bool is_result = import_begins(line, "test ") || import_begins(line, "calibrating");
        if (is_result && strchr(line, ':') && strstr(line, "MIPS"))
            TRY(read_line(import, i, err));
    }
    return import_run_end(import, first, err);
}

const struct importer importer_cpu_test = {"cpu_test", "CPU_TEST", cpu_test_recognises, cpu_test_read};
