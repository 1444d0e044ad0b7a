/* A kernel is a file kernels/<family>.c with one `const struct kernel kernel_<family>`; the build
 * finds it there, nothing else lists it. It does the work and says what the work was. It does not
 * print, exit, read the clock or start threads: collect does, and it allocates the memory.
 *
 * collect calls, in a child process made for one repetition, and in each thread of it:
 *   needs (once, before anything is allocated) - setup - barrier - run ... run - check - teardown
 * run is called with rising numbers of iterations until one call lasts the minimum time, then once
 * more: that call is the sample. With KERNEL_ONE_PASS, or when one iteration takes a second, the
 * first call is the sample. setup is not called in between, so run
 * must leave things so that it can run again, and check must accept the state after any number of
 * calls. teardown is called whatever happened after setup began. */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kernel_outcome {
    KERNEL_OK,
    KERNEL_UNAVAILABLE, /* this machine cannot; kernel_reason says why */
    KERNEL_FAILED,      /* it should have worked; kernel_reason says what broke */
    KERNEL_WRONG        /* it ran and the result does not check; kernel_reason says what was seen */
};

enum kernel_suite { SUITE_QUICK, SUITE_STANDARD, SUITE_FULL, SUITE_COUNT };
enum { SUITE_NEVER = SUITE_COUNT }; /* in `from`: runs only when it is named */

/* What the default sizes may depend on. From the fingerprint; 0 where unknown or implausible. */
struct kernel_host {
    uint64_t l1d_bytes, l2_bytes, l3_bytes; /* per instance */
    uint64_t memory_bytes;                  /* in the machine, or the limit of the control group */
    uint64_t available_bytes;               /* can be used now without paging */
    uint64_t swap_bytes;                    /* free swap */
    unsigned n_cpus;                        /* this process may use */
    uint64_t disk_free_bytes;               /* in the file system of --dir, for this user */
    bool can_confine; /* a control group with a limit of memory can be made */
};

/* What one iteration of run does in one thread, counted from the algorithm. */
struct kernel_work {
    double flops;
    double bytes_read;
    double bytes_written;
    double steps; /* operations of the kind that the test names */
};

/* How a metric's value follows from the clock and the work; t is the time of the sample, from the
 * common start to the last thread's end, n its iterations, sums go over all threads. */
enum kernel_quantity {
    QUANTITY_TIME,      /* s: t / n */
    QUANTITY_STEP_TIME, /* s: t / (n * steps of one thread) */
    QUANTITY_BYTE_RATE, /* B/s: n * (bytes read + written) / t */
    QUANTITY_FLOP_RATE, /* flop/s: n * flops / t */
    QUANTITY_STEP_RATE, /* op/s: n * steps / t */
    QUANTITY_FRAME_RATE, /* 1/s: the same, of steps that are frames */
    QUANTITY_LAP,       /* s: between two kernel_lap calls; the slowest thread's */
    /* From kernel_progress: samples of their own over time, x in s, one each second. */
    QUANTITY_MOVED,       /* B: bytes so far */
    QUANTITY_SUSTAINED,   /* B/s: bytes so far / time so far */
    QUANTITY_INCREMENTAL, /* B/s: bytes / time since the sample before */
    /* From kernel_tick: quantiles of the single times of all threads. */
    QUANTITY_MEDIAN, /* s */
    QUANTITY_P95,    /* s */
    QUANTITY_P99,    /* s */
    /* From kernel_tick too, where every tick ends an equal share of the steps: by the median share,
     * so that a share in which others had the processor does not count; by all of the sample in a
     * test without ticks. */
    QUANTITY_SHARE_TIME, /* s: of one step of one thread */
    QUANTITY_SHARE_RATE, /* op/s: of all threads */
    QUANTITY_CYCLES,     /* cycle: of one step of one thread, by QUANTITY_CLOCK */
    QUANTITY_IPC,        /* 1: steps of one thread per cycle, by QUANTITY_CLOCK */
    QUANTITY_CLOCK,      /* Hz: of the processor, the higher of those measured before and after the
                            sample; or the setting mhz of the test, where it is a number */
    /* From kernel_report: what no clock tells. */
    QUANTITY_BYTES, /* B: the sum over the threads */
    QUANTITY_COUNT, /* 1: the sum over the threads */
    QUANTITY_ERROR, /* 1: the greatest of the threads */
    QUANTITY_SECONDS,         /* s: the sum over the threads, such as processor time */
    QUANTITY_GIVEN_BYTE_RATE, /* B/s: the sum over the threads, as a program says it is */
    QUANTITY_GIVEN_STEP_RATE  /* op/s: the same */
};

struct kernel_metric {
    const char *name; /* in schema's table of metrics; NULL ends a list */
    enum kernel_quantity quantity;
};

enum setting_type { SETTING_WORD, SETTING_BYTES, SETTING_COUNT };

/* A setting of a test, changed with --set=key=value. Every value of it is a cell of its own and is
 * written in params. */
struct kernel_setting {
    const char *key;
    const char *help;
    enum setting_type type;
    const char *values[SUITE_COUNT]; /* comma-separated defaults of each suite */
    const char *allowed; /* comma-separated words; beside them a number, where the type is one; NULL:
                            anything of the type */
    /* A default that depends on the machine, in place of values; static. NULL: values say it. */
    const char *(*automatic)(const struct kernel_host *host, enum kernel_suite suite);
};

struct kernel_job;

enum kernel_flag {
    KERNEL_ONE_THREAD = 1,    /* more threads than one make no sense */
    KERNEL_SHARED_MEMORY = 2, /* one block of memory for all threads, not one each */
    KERNEL_ONE_PASS = 4,      /* one iteration, no warm-up: what is slow or changes what it measures */
    KERNEL_WANTS_FOLDER = 8,  /* gets a folder of its own under --dir */
    KERNEL_PROCESSES = 16,    /* what is called a thread is a process; kernel_tick is not for these */
    KERNEL_UNPINNED = 32      /* a library that it uses makes threads, which would inherit the pinning;
                                 or it waits for a disk: then another processor may be free */
};

/* What the memory of a job is made of. */
enum kernel_pages {
    KERNEL_PAGES_DEFAULT, /* as the system does unasked; samples say which share was huge */
    KERNEL_PAGES_SMALL,
    KERNEL_PAGES_HUGE /* all of it, or the job is unavailable */
};

struct kernel_test {
    const char *name; /* NULL ends a list */
    const char *summary;
    unsigned from; /* smallest suite that runs it, or SUITE_NEVER */
    const struct kernel_metric *metrics;
    const struct kernel_setting *const *settings; /* ended by NULL; NULL: none */
    int code;                                     /* the kernel's own */
    const char *threads; /* as in struct kernel, of every suite; NULL: as the kernel has it */
    bool has_no_x; /* nothing is swept in this test, whatever the others of the kernel do */
    /* As in struct kernel, where this test has sizes of its own; NULL: it has none. */
    size_t (*sizes)(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                    size_t capacity);
    enum kernel_outcome (*run)(struct kernel_job *job, uint64_t iterations);
};

/* Takes a fact; where text is NULL it is not known, and why says so as facts of machines do: "absent:
 * ...". */
typedef void kernel_tell_fn(void *context, const char *name, const char *text, const char *why);

/* What a job takes besides its calls of run, about, for the estimate of a run: nothing else depends on
 * it. Of one pass, what that takes too. */
struct kernel_cost {
    double seconds[SUITE_COUNT];
    double ns_per_byte; /* of the memory that collect allocates: filling and checking it */
};

struct kernel {
    const char *name;
    const char *summary;
    const char *source; /* citation of the definition */
    const char *needs_text; /* what it needs of a machine, for `collect list`; NULL: nothing special */
    unsigned revision;  /* goes up when the work changes: revisions never compare */
    unsigned flags;
    const struct kernel_test *tests;
    const char *x_unit; /* NULL: nothing is swept */
    const char *x_key;  /* what x is called in params where a sample's own x is the time; NULL:
                           "x" */
    /* Fills out[capacity] with the default x of a suite, ascending, and returns how many. NULL when
     * nothing is swept. */
    size_t (*sizes)(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                    size_t capacity);
    const char *threads[SUITE_COUNT]; /* comma-separated, "all" is n_cpus; NULL: "1" */
    void (*work)(const struct kernel_job *job, struct kernel_work *work);
    enum kernel_outcome (*needs)(struct kernel_job *job); /* NULL: runs everywhere */
    /* Bytes wanted per thread, or in all with KERNEL_SHARED_MEMORY; NULL: none. The estimate of a run asks
     * it of jobs that `needs` refuses, too. */
    size_t (*memory)(const struct kernel_job *job);
    enum kernel_pages (*pages)(const struct kernel_job *job); /* NULL: default, and nothing is said */
    enum kernel_outcome (*setup)(struct kernel_job *job); /* NULL: nothing to do */
    enum kernel_outcome (*check)(struct kernel_job *job); /* independent of run; never NULL */
    void (*teardown)(struct kernel_job *job);             /* NULL: nothing to do */
    struct kernel_cost cost; /* 0: next to nothing; memory as an ordinary kernel fills it */
    /* Tells what nobody else finds out, such as what a driver calls itself: names without that of the
     * kernel, which comes before them. Once in a run, in a process of its own. NULL: nothing. */
    void (*facts)(kernel_tell_fn *tell, void *context);
};

/* Made by the build from the files that are there; ended by NULL, in order of their names. */
extern const struct kernel *const kernel_registry[];

enum { KERNEL_REASON_SIZE = 256 };

/* What one thread of one repetition may know and use. */
struct kernel_job {
    const struct kernel *kernel;
    const struct kernel_test *test;
    const struct kernel_host *host;
    uint64_t x; /* 0 where nothing is swept */
    unsigned threads;
    unsigned thread; /* from 0 */
    uint64_t seed;
    const struct kernel_value {
        const char *key, *value;
    } *settings; /* ended by a NULL key */
    void *memory; /* aligned to a page, touched, zero; as asked for by memory() */
    size_t memory_bytes;
    const char *folder; /* with KERNEL_WANTS_FOLDER: a path, empty folder; else "" */
    const char *source; /* path of the setting `source`, which names it only in general; or "" */
    const char *save;   /* path of a folder for results that a person may look at; or "" */
    void *state;        /* the kernel's own, made by setup, freed by teardown */
    uint64_t n_runs;    /* calls of run so far, and iterations in them, kept by collect */
    uint64_t n_iterations;
    char reason[KERNEL_REASON_SIZE];
    void (*lap)(struct kernel_job *job, const char *metric);  /* see kernel_lap */
    void (*progress)(struct kernel_job *job, uint64_t bytes); /* see kernel_progress */
    void (*tick)(struct kernel_job *job);                     /* see kernel_tick */
    void (*report)(struct kernel_job *job, const char *metric, double value);
    void *harness;                                           /* collect's own */
};

/* The value of a setting of the test; never NULL for a key of its list. */
const char *kernel_setting(const struct kernel_job *job, const char *key);
uint64_t kernel_setting_number(const struct kernel_job *job, const char *key);

/* Sets job->reason and returns outcome. */
enum kernel_outcome kernel_reason(struct kernel_job *job, enum kernel_outcome outcome,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* From inside run: the time since run began, or since the last lap, belongs to this metric of
 * QUANTITY_LAP as well as to the whole. NULL: it belongs to no metric, a new lap begins. */
void kernel_lap(struct kernel_job *job, const char *metric);
/* From inside run: this thread has moved so many bytes since run began. Costs a look at the clock. */
void kernel_progress(struct kernel_job *job, uint64_t bytes);
/* From inside run: the time since run began, since the last tick or since kernel_lap is one operation.
 * Costs a look at the clock. */
void kernel_tick(struct kernel_job *job);

/* From inside run: the value of a metric of QUANTITY_BYTES or one of those behind it. */
void kernel_report(struct kernel_job *job, const char *metric, double value);

/* The same numbers for the same seed on any machine (Steele, Lea and Flood, OOPSLA 2014:
 * SplitMix64). */
uint64_t kernel_random(uint64_t *state);
/* Fills bytes that neither compress nor repeat. */
void kernel_fill_random(void *bytes, size_t size, uint64_t seed);

/* The compiler must compute the value, and may not know it afterwards. */
#define KERNEL_KEEP(value) __asm__ volatile("" : "+r"(value) : : )
/* The compiler must have written to memory what it was told to, and reads it anew. */
#define KERNEL_BARRIER() __asm__ volatile("" : : : "memory")

#endif
