/* fio --output-format=json, version 3 and later: bw_bytes in B/s, times with their unit in the name
 * (fio(1), "JSON output"). */
#include <math.h>
#include <string.h>

#include "normalize/import/json.h"
#include "schema/number.h"

static bool fio_recognises(const struct import *import)
{
    return json_has(import, "\"fio version\"", "\"jobs\"", NULL);
}

/* The settings that say what the work was; where it was done is nobody's business. */
static const char *const settings[] = {"rw",     "bs",       "ioengine", "iodepth", "direct",
                                       "size",   "runtime",  "sync",     "fsync",   "rwmixread",
                                       "buffered", "time_based", "percentage_random", "readwrite"};
enum { N_SETTINGS = sizeof settings / sizeof settings[0] };

static const char *setting(const struct node *global, const struct node *options, const char *key)
{
    struct node own = node_member(options, key), common = node_member(global, key);
    const char *text = node_text(&own);
    return text ? text : node_text(&common);
}

struct job {
    const char *values[N_SETTINGS];
    const char *name;
    unsigned long threads;
    uint64_t block;
    double error;
};

static struct record sample_of(struct import *import, const struct job *job, const char *direction,
                               const char *metric, const char *key, const char *value)
{
    struct record sample = import_sample(import, "fio", direction, metric);
    const char *const *v = job->values;
    sample.params = import_params(
        import, settings[0], v[0], settings[1], v[1], settings[2], v[2], settings[3], v[3],
        settings[4], v[4], settings[5], v[5], settings[6], v[6], settings[7], v[7], settings[8], v[8],
        settings[9], v[9], settings[10], v[10], settings[11], v[11], settings[12], v[12], settings[13],
        v[13], "job", job->name, key ? key : "", key ? value : NULL, NULL);
    RECORD_SET(&sample, threads, job->threads);
    if (job->block > 0) {
        RECORD_SET(&sample, x, (double)job->block);
        sample.x_unit = "B";
    }
    return sample;
}

/* Nanoseconds since version 3.0; the percentiles are of the completion latency. */
static void read_latency(struct import *import, const struct job *job, const struct node *direction,
                         const char *name)
{
    static const struct {
        const char *key, *metric;
    } percentiles[] = {
        {"50.000000", "time_median"}, {"95.000000", "time_p95"}, {"99.000000", "time_p99"}};
    struct node latency = node_member(direction, "lat_ns"), mean = node_member(&latency, "mean");
    if (mean.value) {
        struct record sample = sample_of(import, job, name, "time", "statistic", "mean");
        node_add(import, &sample, &mean, 1e-9, "s");
    }
    struct node completion = node_member(direction, "clat_ns");
    struct node list = node_member(&completion, "percentile");
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++) {
        struct node value = node_member(&list, percentiles[i].key);
        if (!value.value)
            continue;
        struct record sample =
            sample_of(import, job, name, percentiles[i].metric, "latency", "completion");
        node_add(import, &sample, &value, 1e-9, "s");
    }
}

static int read_direction(struct import *import, const struct job *job, const struct node *node,
                          const char *name, struct err *err)
{
    struct node direction = node_member(node, name);
    struct node total = node_member(&direction, "total_ios");
    struct node bytes = node_member(&direction, "io_bytes");
    if (node_number(&total, 0) <= 0 && node_number(&bytes, 0) <= 0)
        return 0; /* the job does nothing in this direction */
    struct node rate = node_member(&direction, "bw_bytes"), iops = node_member(&direction, "iops");
    struct node runtime = node_member(&direction, "runtime");
    if (!rate.value)
        return node_error(import, &direction, err,
                          "no \"bw_bytes\": fio before 3.0 does not say in what unit");
    struct record sample = sample_of(import, job, name, "rate", NULL, NULL);
    double n = node_number(&total, -1), ms = node_number(&runtime, -1);
    if (n >= 0 && n < 9e15 && n == floor(n))
        RECORD_SET(&sample, iterations, (uint64_t)n);
    if (ms >= 0 && ms < 9e12)
        RECORD_SET(&sample, elapsed_ns, (uint64_t)ms * 1000000);
    struct record operations = sample_of(import, job, name, "op_rate", NULL, NULL);
    if (job->error != 0) {
        import_add_status(import, &sample, STATUS_FAILED,
                          import_text(import, "fio ended with error %g", job->error));
        return 0;
    }
    if (ms == 0) {
        import_add_status(import, &sample, STATUS_FAILED, "0 s: shorter than the clock can tell");
        return 0;
    }
    node_add(import, &sample, &rate, 1, "B/s");
    node_add(import, &operations, &iops, 1, "op/s");
    read_latency(import, job, &direction, name);
    return 0;
}

static int read_job(struct import *import, const struct node *root, const struct node *node,
                    struct err *err)
{
    struct node global = node_member(root, "global options"), options = node_member(node, "job options");
    struct node name = node_member(node, "jobname"), error = node_member(node, "error");
    struct job job = {.name = node_text(&name), .threads = 1, .error = node_number(&error, 0)};
    for (size_t i = 0; i < N_SETTINGS; i++)
        job.values[i] = setting(&global, &options, settings[i]);
    const char *numjobs = setting(&global, &options, "numjobs");
    uint64_t n;
    if (numjobs && number_parse_count(numjobs, strlen(numjobs), &n) && n > 0 && n < 1000000)
        job.threads = (unsigned long)n;
    /* k is 1024 unless kb_base says otherwise (fio(1), "kb_base"). */
    const char *base = setting(&global, &options, "kb_base");
    if (job.values[1] && (!base || strcmp(base, "1024") == 0) &&
        !number_parse_size(job.values[1], &job.block))
        job.block = 0;
    TRY(read_direction(import, &job, node, "read", err));
    TRY(read_direction(import, &job, node, "write", err));
    return read_direction(import, &job, node, "trim", err);
}

static int read_document(struct import *import, const struct node *root, const char *bytes,
                         size_t size, struct err *err)
{
    struct node jobs, version = node_member(root, "fio version"),
                      stamp = node_member(root, "timestamp");
    TRY(node_need(import, root, "jobs", JSON_ARRAY, &jobs, err));
    TRY(import_run_begin(import, bytes, size, err));
    import_run_epoch(import, node_number(&stamp, 0));
    if (node_text(&version))
        import_fact(import, "run.program", node_text(&version), "fio version");
    for (size_t i = 0; i < node_count(&jobs); i++) {
        struct node job = node_element(&jobs, i);
        TRY(read_job(import, root, &job, err));
    }
    return import_run_end(import, node_line(import, root), err);
}

static int fio_read(struct import *import, struct err *err)
{
    return json_documents(import, read_document, err);
}

const struct importer importer_fio = {"fio", "fio --output-format=json, version 3 and later",
                                      fio_recognises, fio_read};
