/* The one table of columns, schema 1, in file order. The struct, the header row, the encoder, the
 * decoder, the validator and the table of schema(5) are all made from it.
 *
 *   X(name, type, sample, fact, end, meaning)
 *
 * type: TEXT (UTF-8, empty means absent), COUNT (an integer below 2^64), NUMBER (a finite double),
 *       KIND and STATUS (closed lists of words)
 * sample, fact, end: what a row of that kind holds here: MUST, MAY or NONE. Rules that join
 *       columns (a value or a reason, never both) are record_check's. */
#ifndef SCHEMA_COLUMNS_H
#define SCHEMA_COLUMNS_H

enum { SCHEMA_VERSION = 1 };

#define SCHEMA_COLUMNS(X)                                                                          \
    X(schema, COUNT, MUST, MUST, MUST, "version of this table of columns")                         \
    X(kind, KIND, MUST, MUST, MUST, "sample, fact or end")                                         \
    X(run, TEXT, MUST, MUST, NONE, "id of the run, unique without coordination")                   \
    X(machine, TEXT, MUST, MUST, NONE, "label of the machine; never an identity by itself")        \
    X(time, TEXT, MUST, MUST, NONE, "UTC, YYYY-MM-DDThh:mm:ssZ; archived: YYYY, YYYY-MM, YYYY-MM-DD") \
    X(kernel, TEXT, MUST, NONE, NONE, "family of the benchmark kernel")                            \
    X(revision, COUNT, MUST, NONE, NONE, "revision of the kernel's work; others never compare")    \
    X(test, TEXT, MUST, MAY, NONE, "test of the kernel; of a fact of state: before or after")      \
    X(variant, TEXT, MUST, NONE, NONE, "the build: compiler, version, word size, flags label")     \
    X(threads, COUNT, MUST, NONE, NONE, "number of threads, or processes where the kernel says so") \
    X(x, NUMBER, MAY, NONE, NONE, "the swept quantity")                                            \
    X(x_unit, TEXT, MAY, NONE, NONE, "its base unit")                                              \
    X(params, TEXT, MAY, MAY, NONE, "every other setting, key=value;key=value, keys ascending")    \
    X(metric, TEXT, MUST, MUST, MUST, "what was measured, or the name of the fact")                \
    X(rep, COUNT, MUST, NONE, NONE, "repetition from 1; 0 is a warm-up, never used in statistics") \
    X(value, NUMBER, MAY, MAY, MUST, "the number, in the base unit")                               \
    X(unit, TEXT, MAY, MAY, MUST, "its base unit")                                                 \
    X(iterations, COUNT, MAY, NONE, NONE, "iterations of the kernel that were timed")              \
    X(elapsed_ns, COUNT, MAY, NONE, NONE, "time they took, ns")                                    \
    X(status, STATUS, MUST, MUST, MUST, "ok, unavailable, failed, wrong, timeout; of a fact: ok, unknown") \
    X(text, TEXT, MAY, MAY, MUST, "why status is not ok; the fact's text; of end: SHA-256 of the rows")

enum column {
#define COLUMN_ENUM(name, ...) COLUMN_##name,
    SCHEMA_COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
        COLUMN_COUNT
};

#endif
