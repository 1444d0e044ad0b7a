/* A data dictionary in SQLite, as the scripts that make Oracle's are run on a new database: statement
 * by statement, in the program sqlite3. Procedures stand in it as triggers. Then it is asked. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/program.h"

enum {
    COLUMNS = 12,           /* of a table */
    VIEWS = 4,              /* of a table */
    INDEXES = 2,
    TRIGGERS = 2,
    SYNONYMS = 2,           /* rows alone */
    TABLES_OF_A_COMMIT = 10,
    OWNERS = 16,
    ANSWERS = 6
};

struct database {
    FILE *script; /* what sqlite3 reads */
    uint64_t tables;
    uint64_t rows_weight; /* the sum that the last question asks for */
    char path[4096];
    char answer[1024], right[1024];
};

static const struct {
    const char *name, *type;
} columns[COLUMNS] = {{"obj_id", "INTEGER NOT NULL"}, {"owner_id", "INTEGER"},
                      {"name", "VARCHAR(30)"},        {"subname", "VARCHAR(30)"},
                      {"type_id", "INTEGER"},         {"created", "DATE"},
                      {"modified", "DATE"},           {"status", "INTEGER DEFAULT 1"},
                      {"flags", "INTEGER"},           {"spare1", "INTEGER"},
                      {"spare2", "VARCHAR(1000)"},    {"weight", "INTEGER"}};

static void write_line(struct database *database, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void write_line(struct database *database, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(database->script, format, args);
    va_end(args);
}

/* The dictionary's own tables. */
static void base_write(struct database *database)
{
    write_line(database,
               "CREATE TABLE obj$(id INTEGER PRIMARY KEY, owner INTEGER, name VARCHAR(30), "
               "type INTEGER, UNIQUE(owner, name, type));\n"
               "CREATE TABLE col$(obj INTEGER, col INTEGER, name VARCHAR(30), type VARCHAR(30), "
               "PRIMARY KEY(obj, col));\n"
               "CREATE TABLE dependency$(d INTEGER, p INTEGER, PRIMARY KEY(d, p));\n"
               "CREATE TABLE source$(obj INTEGER, line INTEGER, text VARCHAR(4000));\n"
               "CREATE VIEW all_objects AS SELECT o.id, o.name, o.type, count(c.col) AS cols "
               "FROM obj$ o LEFT JOIN col$ c ON c.obj = o.id GROUP BY o.id;\n");
}

enum { TYPE_TABLE = 2, TYPE_INDEX = 1, TYPE_VIEW = 4, TYPE_SYNONYM = 5, TYPE_TRIGGER = 12 };

/* What is made is told to the dictionary, too; returns its number. */
static uint64_t object_write(struct database *database, uint64_t *last, uint64_t table, int type,
                             const char *kind, int n)
{
    write_line(database,
               "INSERT INTO obj$ VALUES(%" PRIu64 ", %" PRIu64 ", '%s_%" PRIu64 "_%d', %d);\n",
               ++*last, table % OWNERS, kind, table, n, type);
    return *last;
}

static void table_write(struct database *database, uint64_t table, uint64_t *last,
                        uint64_t *random)
{
    write_line(database, "CREATE TABLE t_%" PRIu64 "_0(", table);
    for (int i = 0; i < COLUMNS; i++)
        write_line(database, "%s%s %s", i > 0 ? ", " : "", columns[i].name, columns[i].type);
    write_line(database, ");\n");
    uint64_t id = object_write(database, last, table, TYPE_TABLE, "t", 0);
    for (int i = 0; i < COLUMNS; i++)
        write_line(database, "INSERT INTO col$ VALUES(%" PRIu64 ", %d, '%s', '%s');\n", id, i,
                   columns[i].name, columns[i].type);
    for (int i = 0; i < INDEXES; i++) {
        write_line(database, "CREATE INDEX i_%" PRIu64 "_%d ON t_%" PRIu64 "_0(%s, %s);\n", table,
                   i, table, columns[2 * i].name, columns[2 * i + 1].name);
        object_write(database, last, table, TYPE_INDEX, "i", i);
    }
    for (int i = 0; i < VIEWS; i++) {
        write_line(database,
                   "CREATE VIEW v_%" PRIu64 "_%d AS SELECT t.name, t.%s, o.owner, o.name AS object "
                   "FROM t_%" PRIu64 "_0 t JOIN obj$ o ON o.id = t.obj_id WHERE t.flags & %d = 0 "
                   "AND o.type IN (%d, %d);\n",
                   table, i, columns[4 + i].name, table, 1 << i, TYPE_TABLE, TYPE_VIEW);
        uint64_t view = object_write(database, last, table, TYPE_VIEW, "v", i);
        write_line(database, "INSERT INTO dependency$ VALUES(%" PRIu64 ", %" PRIu64 ");\n", view,
                   id);
    }
    for (int i = 0; i < TRIGGERS; i++) {
        write_line(database,
                   "CREATE TRIGGER p_%" PRIu64 "_%d AFTER INSERT ON t_%" PRIu64 "_0 "
                   "WHEN new.flags & %d BEGIN UPDATE t_%" PRIu64 "_0 SET status = status + %d, "
                   "spare1 = (SELECT count(*) FROM dependency$ WHERE p = new.obj_id) "
                   "WHERE rowid = new.rowid; END;\n",
                   table, i, table, 1 << i, table, i + 1);
        uint64_t trigger = object_write(database, last, table, TYPE_TRIGGER, "p", i);
        write_line(database, "INSERT INTO source$ VALUES(%" PRIu64 ", 1, 'trigger %d');\n", trigger,
                   i);
    }
    for (int i = 0; i < SYNONYMS; i++)
        object_write(database, last, table, TYPE_SYNONYM, "s", i);
    uint64_t weight = kernel_random(random) % 1000;
    database->rows_weight += weight;
    write_line(database,
               "INSERT INTO t_%" PRIu64 "_0(obj_id, owner_id, name, type_id, flags, weight) "
               "VALUES(%" PRIu64 ", 1, 'row', 2, 1, %" PRIu64 ");\n",
               table, id, weight);
}

/* Questions, and their answers as they follow from what was made. */
static void questions_write(struct database *database)
{
    uint64_t n = database->tables;
    write_line(database,
               "SELECT count(*) FROM obj$;\n"
               "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name LIKE 'v\\_%%' "
               "ESCAPE '\\';\n"
               "SELECT sum(cols) FROM all_objects WHERE type = %d;\n"
               "SELECT count(*) FROM dependency$ d JOIN obj$ a ON a.id = d.d JOIN obj$ b "
               "ON b.id = d.p WHERE a.owner = b.owner AND b.type = %d;\n"
               "SELECT count(*) FROM source$ s JOIN obj$ o ON o.id = s.obj WHERE o.type = %d;\n",
               TYPE_TABLE, TYPE_TABLE, TYPE_TRIGGER);
    /* A row of each table, in parts that the parser takes. */
    write_line(database, "CREATE TABLE sums(weight INTEGER, status INTEGER, spare INTEGER);\n");
    for (uint64_t table = 0; table < n; table++)
        write_line(database,
                   "INSERT INTO sums SELECT weight, status, spare1 FROM t_%" PRIu64 "_0;\n", table);
    write_line(database, "SELECT sum(weight), sum(status), sum(spare) FROM sums;\n");
    /* The first trigger alone fires: status 1 + 1, and it counts the views. */
    snprintf(database->right, sizeof database->right,
             "%" PRIu64 "\n%" PRIu64 "\n%" PRIu64 "\n%" PRIu64 "\n%" PRIu64 "\n%" PRIu64 "|%" PRIu64
             "|%" PRIu64 "\n",
             n * (1 + INDEXES + VIEWS + TRIGGERS + SYNONYMS), n * VIEWS, n * COLUMNS, n * VIEWS,
             n * TRIGGERS, database->rows_weight, 2 * n, n * VIEWS);
}

static enum kernel_outcome needs(struct kernel_job *job)
{
    return program_needs(job, "sqlite3");
}

static enum kernel_outcome setup(struct kernel_job *job)
{
    struct database *database = calloc(1, sizeof *database);
    if (!database)
        return kernel_reason(job, KERNEL_FAILED, "out of memory");
    job->state = database;
    database->tables = kernel_setting_number(job, "tables");
    snprintf(database->path, sizeof database->path, "%s/catalog.db", job->folder);
    int fd = memfd_create("script", MFD_CLOEXEC);
    database->script = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!database->script)
        return kernel_reason(job, KERNEL_FAILED, "memory file: %s", strerror(errno));
    uint64_t last = 0, random = job->seed;
    base_write(database);
    for (uint64_t table = 0; table < database->tables; table++) {
        if (table % TABLES_OF_A_COMMIT == 0)
            write_line(database, "%sBEGIN;\n", table > 0 ? "COMMIT;\n" : "");
        table_write(database, table, &last, &random);
    }
    write_line(database, "COMMIT;\n");
    questions_write(database);
    if (fflush(database->script) != 0 || ferror(database->script))
        return kernel_reason(job, KERNEL_FAILED, "memory file: %s", strerror(errno));
    return KERNEL_OK;
}

static void files_remove(const struct database *database)
{
    static const char *const endings[] = {"", "-journal", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char path[sizeof database->path + 16];
        snprintf(path, sizeof path, "%s%s", database->path, endings[i]);
        unlink(path);
    }
}

static enum kernel_outcome build_once(struct kernel_job *job, struct program_usage *usage)
{
    struct database *database = job->state;
    const char *const argv[] = {"sqlite3", "-batch", "-bail", "-init", "/dev/null", database->path,
                                NULL};
    files_remove(database);
    if (lseek(fileno(database->script), 0, SEEK_SET) < 0)
        return kernel_reason(job, KERNEL_FAILED, "memory file: %s", strerror(errno));
    return program_read(job, argv, fileno(database->script), database->answer,
                        sizeof database->answer, usage);
}

static enum kernel_outcome run(struct kernel_job *job, uint64_t iterations)
{
    return program_repeat(job, iterations, build_once);
}

static enum kernel_outcome check(struct kernel_job *job)
{
    const struct database *database = job->state;
    if (strcmp(database->answer, database->right) == 0)
        return KERNEL_OK;
    size_t at = 0, line = 1;
    for (; database->answer[at] && database->answer[at] == database->right[at]; at++)
        line += database->answer[at] == '\n';
    return kernel_reason(job, KERNEL_WRONG, "answer %zu of %d is wrong", line, ANSWERS);
}

static void teardown(struct kernel_job *job)
{
    struct database *database = job->state;
    if (database && database->path[0])
        files_remove(database);
    if (database && database->script)
        fclose(database->script);
    free(database);
    job->state = NULL;
}

static void work(const struct kernel_job *job, struct kernel_work *work)
{
    work->steps = (double)kernel_setting_number(job, "tables") *
                  (1 + INDEXES + VIEWS + TRIGGERS + SYNONYMS);
}

static void facts(kernel_tell_fn *tell, void *context)
{
    static const struct program_version list[] = {{"sqlite3", "--version"}, {0}};
    program_tell(list, tell, context);
}

static const struct kernel_metric metrics[] = {PROGRAM_TIMES, {"rate", QUANTITY_STEP_RATE}, {0}};
static const struct kernel_setting tables = {.key = "tables",
                                             .help = "tables in the dictionary; eleven objects each",
                                             .type = SETTING_COUNT,
                                             .values = {"20", "300", "1000"}};
static const struct kernel_setting *const settings[] = {&tables, NULL};

static const struct kernel_test tests[] = {
    {.name = "catalog",
     .summary = "tables, indexes, views, triggers and the rows that describe them, then questions",
     .from = SUITE_QUICK, .metrics = metrics, .settings = settings, .run = run},
    {0}};

const struct kernel kernel_database = {
    .name = "database",
    .summary = "A data dictionary built and asked in the installed sqlite3",
    .source = "Daniel, Oracle's catalog.sql and catproc.sql (opensolaris-discuss)",
    .needs_text = "the program sqlite3",
    .revision = 1,
    .flags = KERNEL_ONE_THREAD | KERNEL_ONE_PASS | KERNEL_WANTS_FOLDER | KERNEL_UNPINNED,
    .tests = tests,
    .cost = {.seconds = {0.5, 1, 2}},
    .work = work,
    .needs = needs,
    .setup = setup,
    .check = check,
    .teardown = teardown,
    .facts = facts,
};
