#include "normalize/memory.h"

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
