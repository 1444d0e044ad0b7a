#include "normalize/memory.h"

#include <stdio.h>
#include <string.h>

#include "schema/number.h"
#include "schema/pool.h"

int memory_limits(const struct arguments *arguments, struct merge_settings *settings,
                  struct err *err)
{
    uint64_t memory = UINT64_C(1) << 30;
    unsigned long n_threads = pool_processors();
    const char *size = argument_value(arguments, "memory");
    if (size && (!number_parse_size(size, &memory) || memory < MERGE_MEMORY_MIN))
        return err_set(err, ERR_USAGE, "--memory=%s: not a size of %dM at least", size,
                       MERGE_MEMORY_MIN >> 20);
    TRY(argument_count(arguments, "threads", 1, 256, &n_threads, err));
    merge_limit(settings, memory, (unsigned)n_threads);
    return 0;
}

int memory_hint(const struct arguments *arguments, int result, struct err *err)
{
    static const char end[] = "out of memory";
    size_t used = strlen(err->text), size = sizeof end - 1;
    const char *asked = argument_value(arguments, "memory");
    uint64_t memory = UINT64_MAX;
    if (asked)
        number_parse_size(asked, &memory);
    if (result == ERR_SYSTEM && used >= size && strcmp(err->text + used - size, end) == 0 &&
        memory > MERGE_MEMORY_MIN)
        snprintf(err->text + used, sizeof err->text - used, "; --memory=SIZE asks for less, %dM at least",
                 MERGE_MEMORY_MIN >> 20);
    return result;
}
