/* The machines, runs and facts of an archive. All of it lives in an arena and borrows the archive. */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/archive.h"
#include "schema/arena.h"
#include "schema/buffer.h"
#include "schema/err.h"

/* A machine in one configuration: what may stand in one column. Told apart by label, by the fact
 * machine.id, since two machines may have been given one label, and by the fact config.hash, which another
 * kernel, compiler, limit or memory changes; each where it is known. */
struct machine {
    const char *label;
    const char *id;     /* "" where unknown */
    const char *config; /* "" where unknown */
    size_t first;       /* index of the first configuration of the same label and id */
    size_t n_configurations; /* of that label and id */
    const char *whole;  /* name of all of them: the label, with the start of the id where others have it */
    const char *name;   /* to show: the same, with what tells this configuration from the others */
    const char *short_name; /* for legends: the name up to its first comma, where no other has it */
    const char *first_time, *last_time; /* of its samples; "" without any */
    const struct record **facts;        /* [n_facts] by name, before/after, run */
    size_t n_facts;
    const struct record **build_facts; /* [n_build_facts] in the same order: those of one build of
                                          collect, which their params name as the variant */
    size_t n_build_facts;
    size_t n_runs, n_samples;
};

/* One run on one machine; archived data may put several machines in one run. */
struct run {
    const char *id;
    const char *label;
    const char *machine_id, *config; /* "" where unknown */
    const char *retracted; /* the reason, NULL: it counts */
    size_t machine;        /* index, of a run that counts */
    uint64_t n_samples;
};

struct machines {
    struct machine *machines; /* [n] by first time, then name: old ones first; each has a run that
                                 counts */
    size_t n;
    struct run *runs; /* [n_runs] by id, label; withdrawn ones too */
    size_t n_runs;
    const char *first_time, *last_time; /* of the samples that count; "" without any */
    size_t n_samples;                   /* that count */
};

/* Texts that a person should know; grows in the arena. */
struct warnings {
    const char **texts; /* [n] */
    size_t n, capacity;
};
int warnings_add(struct warnings *warnings, struct arena *arena, const char *text, struct err *err);

/* n * size bytes of the arena, not cleared; never NULL but when memory is out. */
void *arena_take(struct arena *arena, size_t n, size_t size);

/* The archive is sealed. Warns of labels that several machines have, and of machines in several
 * configurations. */
int machines_make(struct machines *machines, const struct archive *archive, struct arena *arena,
                  struct warnings *warnings, struct err *err);
/* The run of a record of the archive. */
const struct run *machines_run(const struct machines *machines, const struct record *record);
/* Warns of machines whose runs, pooled, give different facts. */
int machines_warn(const struct machines *machines, struct arena *arena, struct warnings *warnings,
                  struct err *err);

/* The fact of a machine with this name and when ("" of identity, "before", "after"), from its last
 * run; of several sources in one run the first that knows it counts. *n (when not NULL): how many
 * different values the runs gave, one after the other. NULL: none. */
const struct record *machine_fact(const struct machine *machine, const char *name, const char *when,
                                  size_t *n);

/* Of facts [n] in the order of struct machine those of one run with this name and when: *n_found of them,
 * one for each source, neighbours from the one returned on. */
const struct record *const *facts_of_run(const struct record *const *facts, size_t n,
                                         const char *name, const char *when, const char *run,
                                         size_t *n_found);

/* True when another source of the same run knows it otherwise. */
bool fact_is_disputed(const struct machine *machine, const struct record *fact);

/* True when two facts say the same: status, value and unit, text. */
bool facts_agree(const struct record *a, const struct record *b);
/* Appends a fact as a person reads it, "unknown: ..." where it is not known. */
void fact_text(const struct record *fact, struct buffer *out);

/* Makes *first and *last, "" at the start, include the time. */
void time_widen(const char **first, const char **last, const char *time);

#endif
