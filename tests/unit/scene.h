/* A kernel of one test and one cell, made for a unit test, and what worker_run made of it. Included
 * after cmocka.h. */
#ifndef TESTS_UNIT_SCENE_H
#define TESTS_UNIT_SCENE_H

#include <string.h>

#include "collect/worker.h"

static const struct kernel_host scene_host = {.n_cpus = 2, .available_bytes = 64 << 20};

struct scene {
    struct kernel kernel;
    struct kernel_test tests[2];
    struct plan_cell cell;
    struct kernel_value settings[1];
};

/* Points into the scene itself: it may not be copied. The rest of the kernel is the caller's to set. */
static inline void scene_set(struct scene *scene, const struct kernel_metric *metrics,
                             enum kernel_outcome (*run)(struct kernel_job *, uint64_t),
                             enum kernel_outcome (*check)(struct kernel_job *), unsigned threads)
{
    memset(scene, 0, sizeof *scene);
    scene->tests[0] = (struct kernel_test){.name = "t", .metrics = metrics, .run = run};
    scene->kernel =
        (struct kernel){.name = "k", .revision = 1, .tests = scene->tests, .check = check};
    scene->cell = (struct plan_cell){.kernel = &scene->kernel,
                                     .test = &scene->tests[0],
                                     .threads = threads,
                                     .settings = scene->settings};
}

static inline struct worker_request scene_request(const struct scene *scene, double timeout)
{
    return (struct worker_request){.measure = {.cell = &scene->cell,
                                               .host = &scene_host,
                                               .seed = 1,
                                               .min_seconds = 0.02,
                                               .folder = ""},
                                   .timeout_seconds = timeout};
}

/* The caller frees the result. */
static inline void scene_run(const struct scene *scene, double timeout, struct worker_result *result)
{
    struct err err;
    struct worker_request request = scene_request(scene, timeout);
    assert_int_equal(worker_run(&request, result, &err), 0);
}

/* NULL when there is none. */
static inline const struct measure_sample *scene_find(const struct worker_result *result,
                                                      const char *metric, bool is_warmup)
{
    for (size_t i = 0; i < result->n; i++)
        if (strcmp(result->samples[i].metric, metric) == 0 &&
            result->samples[i].is_warmup == is_warmup)
            return &result->samples[i];
    return NULL;
}

#endif
