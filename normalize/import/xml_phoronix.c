/* composite.xml of the Phoronix Test Suite, through expat: no document type, so no entities of its own,
 * and bounded depth. A result is the figures of RawString, in the unit of Scale; where they are not
 * there, Value is their mean. */
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "normalize/import/importing.h"
#include "schema/unit.h"

static bool phoronix_recognises(const struct import *import)
{
    return strstr(import->bytes, "<PhoronixTestSuite>") != NULL;
}

/* What elements hold, by the path of their names. */
enum field {
    SYSTEM_IDENTIFIER, SYSTEM_HARDWARE, SYSTEM_SOFTWARE, SYSTEM_TIME, SYSTEM_VERSION,
    RESULT_IDENTIFIER, RESULT_TITLE, RESULT_VERSION, RESULT_ARGUMENTS, RESULT_DESCRIPTION, RESULT_SCALE,
    ENTRY_IDENTIFIER, ENTRY_VALUE, ENTRY_RAW, N_FIELDS
};

static const char *const paths[N_FIELDS] = {
    "/PhoronixTestSuite/System/Identifier", "/PhoronixTestSuite/System/Hardware",
    "/PhoronixTestSuite/System/Software",   "/PhoronixTestSuite/System/TimeStamp",
    "/PhoronixTestSuite/System/TestClientVersion",
    "/PhoronixTestSuite/Result/Identifier", "/PhoronixTestSuite/Result/Title",
    "/PhoronixTestSuite/Result/AppVersion", "/PhoronixTestSuite/Result/Arguments",
    "/PhoronixTestSuite/Result/Description", "/PhoronixTestSuite/Result/Scale",
    "/PhoronixTestSuite/Result/Data/Entry/Identifier", "/PhoronixTestSuite/Result/Data/Entry/Value",
    "/PhoronixTestSuite/Result/Data/Entry/RawString"};

struct document {
    struct import *import;
    XML_Parser parser;
    struct err *err;
    int result;
    size_t depth;
    struct buffer path, text;
    const char *fields[N_FIELDS]; /* of the system, result and entry at hand */
    const char *wanted;           /* the system whose run is made; NULL in the first pass */
    const char **systems;         /* [n_systems] their identifiers */
    size_t n_systems, capacity;
};

static void stop(struct document *document, const char *why)
{
    if (document->result == 0)
        document->result = import_error(document->import,
                                        (size_t)XML_GetCurrentLineNumber(document->parser) - 1,
                                        document->err, "%s", why);
    XML_StopParser(document->parser, XML_FALSE);
}

static void refuse_doctype(void *context, const XML_Char *name, const XML_Char *system,
                           const XML_Char *public, int has_internal)
{
    (void)name, (void)system, (void)public, (void)has_internal;
    stop(context, "a document type is not read: it may define entities");
}

static void start_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct document *document = context;
    (void)attributes;
    if (++document->depth > IMPORT_DEPTH_MAX) {
        stop(document, "XML too deep");
        return;
    }
    buffer_add_char(&document->path, '/');
    buffer_add_text(&document->path, name);
    buffer_clear(&document->text);
    const char *path = buffer_text(&document->path);
    bool is_result = strcmp(path, "/PhoronixTestSuite/Result") == 0;
    bool is_system = strcmp(path, "/PhoronixTestSuite/System") == 0;
    bool is_entry = strcmp(path, "/PhoronixTestSuite/Result/Data/Entry") == 0;
    for (int i = 0; i < N_FIELDS; i++)
        if ((is_system && i <= SYSTEM_VERSION) || (is_result && i >= RESULT_IDENTIFIER) ||
            (is_entry && i >= ENTRY_IDENTIFIER))
            document->fields[i] = "";
}

static void add_text(void *context, const XML_Char *text, int size)
{
    struct document *document = context;
    if (document->text.size < 1024 * 1024)
        buffer_add(&document->text, text, (size_t)size);
}

/* "Processor: 2 x Xeon (12 Cores), Motherboard: ASUS, Memory: 32GB": names end in a colon. */
static void add_facts(struct import *import, const char *list)
{
    static const struct {
        const char *name, *fact;
    } known[] = {{"Processor", "cpu.model"},      {"Motherboard", "machine.board"},
                 {"Memory", "memory.description"}, {"Disk", "disk.model"},
                 {"Graphics", "gpu.model"},        {"OS", "system.os"},
                 {"Kernel", "system.kernel"},      {"Compiler", "build.compiler"},
                 {"File-System", "disk.filesystem"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *key = import_text(import, "%s: ", known[i].name), *found = strstr(list, key);
        if (!found || (found > list && found[-1] != ' '))
            continue;
        const char *value = found + strlen(key), *end = value;
        /* up to the comma before the next "Name: " */
        for (end = value; *end; end++) {
            const char *colon = end[0] == ',' && end[1] == ' ' ? strstr(end + 2, ": ") : NULL;
            if (end[0] == ',' && end[1] == ' ' && colon && strcspn(end + 2, ",(") > (size_t)(colon - end - 2))
                break;
        }
        import_fact(import, known[i].fact, import_text(import, "%.*s", (int)(end - value), value),
                    "composite.xml");
    }
}

static void end_system(struct document *document)
{
    const char *const *f = document->fields;
    if (!document->wanted) {
        if (document->n_systems == document->capacity) {
            stop(document, "too many systems");
            return;
        }
        for (size_t i = 0; i < document->n_systems; i++)
            if (strcmp(document->systems[i], f[SYSTEM_IDENTIFIER]) == 0) {
                stop(document, "two systems of one identifier");
                return;
            }
        document->systems[document->n_systems++] = f[SYSTEM_IDENTIFIER];
        return;
    }
    if (strcmp(document->wanted, f[SYSTEM_IDENTIFIER]) != 0)
        return;
    struct import *import = document->import;
    add_facts(import, f[SYSTEM_HARDWARE]);
    add_facts(import, f[SYSTEM_SOFTWARE]);
    import_run_time(import, f[SYSTEM_TIME], "composite.xml TimeStamp");
    import_fact(import, "run.program", import_text(import, "Phoronix Test Suite %s", f[SYSTEM_VERSION]),
                "composite.xml");
    import_run_machine(import, document->wanted);
}

static void add_figures(struct import *import, const struct record *sample, const char *raw,
                        double factor, const char *unit)
{
    while (true) {
        size_t length = strcspn(raw, ":");
        import_add_text(import, sample, import_text(import, "%.*s", (int)length, raw), factor, unit);
        if (raw[length] == '\0')
            break;
        raw += length + 1;
    }
}

static void end_entry(struct document *document)
{
    static const struct {
        const char *scale, *metric, *unit;
        double factor;
    } known[] = {{"Seconds", "time", "s", 1},          {"Frames Per Second", "rate", "1/s", 1},
                 {"FPS", "rate", "1/s", 1},            {"Bytes", "size", "B", 1},
                 {"Requests Per Second", "rate", "1/s", 1}, {"Operations Per Second", "rate", "op/s", 1},
                 {"Milliseconds", "time", "s", 1e-3},  {"Microseconds", "time", "s", 1e-6}};
    struct import *import = document->import;
    const char *const *f = document->fields;
    if (!document->wanted || strcmp(document->wanted, f[ENTRY_IDENTIFIER]) != 0)
        return;
    const char *metric = NULL, *unit = NULL;
    double factor = 1;
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !unit; i++)
        if (strcmp(known[i].scale, f[RESULT_SCALE]) == 0) {
            metric = known[i].metric;
            unit = known[i].unit;
            factor = known[i].factor;
        }
    const struct unit_spelling *spelling = unit ? NULL : unit_find_spelling(f[RESULT_SCALE]);
    static const char *const metrics_of[][2] = {
        {"B/s", "rate"}, {"op/s", "rate"}, {"1/s", "rate"}, {"flop/s", "flops"}, {"s", "time"}};
    for (size_t i = 0; spelling && i < sizeof metrics_of / sizeof metrics_of[0]; i++)
        if (strcmp(metrics_of[i][0], spelling->base) == 0) {
            metric = metrics_of[i][1];
            unit = spelling->base;
            factor = spelling->factor;
        }
    const char *test = *f[RESULT_IDENTIFIER] ? f[RESULT_IDENTIFIER] : f[RESULT_TITLE];
    if (!*test) {
        stop(document, "a result without Identifier and Title");
        return;
    }
    struct record sample =
        import_sample(import, "phoronix", import_redact(import, test), metric ? metric : "rate");
    const char *arguments = import_redact(import, f[RESULT_ARGUMENTS]);
    bool has_raw = *f[ENTRY_RAW] != '\0';
    sample.params = import_params(import, "arguments", *arguments ? arguments : NULL, "description",
                                  *f[RESULT_DESCRIPTION] ? f[RESULT_DESCRIPTION] : NULL, "statistic",
                                  has_raw ? NULL : "mean", "version",
                                  *f[RESULT_VERSION] ? f[RESULT_VERSION] : NULL, NULL);
    if (!unit)
        import_add_status(import, &sample, STATUS_UNAVAILABLE,
                          import_text(import, "%.60s %.60s: the unit is not known", f[ENTRY_VALUE],
                                      f[RESULT_SCALE]));
    else
        add_figures(import, &sample, has_raw ? f[ENTRY_RAW] : f[ENTRY_VALUE], factor, unit);
}

static void end_element(void *context, const XML_Char *name)
{
    struct document *document = context;
    const char *path = buffer_text(&document->path);
    for (int i = 0; i < N_FIELDS; i++)
        if (strcmp(paths[i], path) == 0)
            document->fields[i] = import_text(document->import, "%s", buffer_text(&document->text));
    if (strcmp(path, "/PhoronixTestSuite/System") == 0)
        end_system(document);
    if (strcmp(path, "/PhoronixTestSuite/Result/Data/Entry") == 0)
        end_entry(document);
    size_t length = strlen(name) + 1;
    document->path.size -= length < document->path.size ? length : document->path.size;
    if (document->path.bytes)
        document->path.bytes[document->path.size] = '\0';
    document->depth--;
}

/* One pass over the file: for the list of systems, or for the run of one. */
static int parse(struct document *document)
{
    struct import *import = document->import;
    for (int i = 0; i < N_FIELDS; i++)
        document->fields[i] = "";
    document->depth = 0;
    buffer_clear(&document->path);
    document->parser = XML_ParserCreate(NULL);
    if (!document->parser)
        return err_set(document->err, ERR_SYSTEM, "out of memory");
    XML_SetUserData(document->parser, document);
    XML_SetElementHandler(document->parser, start_element, end_element);
    XML_SetCharacterDataHandler(document->parser, add_text);
    XML_SetStartDoctypeDeclHandler(document->parser, refuse_doctype);
    if (XML_Parse(document->parser, import->bytes, (int)import->size, 1) != XML_STATUS_OK &&
        document->result == 0)
        stop(document, import_text(import, "XML: %s", XML_ErrorString(XML_GetErrorCode(document->parser))));
    XML_ParserFree(document->parser);
    return document->result;
}

static int read_systems(struct document *document)
{
    struct import *import = document->import;
    const char *given = import->machine;
    int result = parse(document);
    if (result == 0 && document->n_systems == 0)
        result = import_error(import, 0, document->err, "there is no System");
    for (size_t i = 0; i < document->n_systems && result == 0; i++) {
        document->wanted = document->systems[i];
        result = import_run_begin(import, import->bytes, import->size, document->err);
        if (given && document->n_systems > 1)
            import->machine = import_text(import, "%s, %s", given, document->wanted);
        if (result == 0)
            result = parse(document);
        if (result == 0)
            result = import_run_end(import, 0, document->err);
    }
    import->machine = given;
    return result;
}

static int phoronix_read(struct import *import, struct err *err)
{
    enum { SYSTEMS_MAX = 256 };
    const char *systems[SYSTEMS_MAX];
    struct document document = {
        .import = import, .err = err, .systems = systems, .capacity = SYSTEMS_MAX};
    int result = read_systems(&document);
    buffer_free(&document.path);
    buffer_free(&document.text);
    if (result == 0)
        import_use(import, 0, import->n_lines);
    return result;
}

const struct importer importer_phoronix = {"phoronix", "composite.xml of the Phoronix Test Suite",
                                           phoronix_recognises, phoronix_read};
