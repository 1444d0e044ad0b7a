/* What a process of this program is given: words, addresses, environment. A captured tree says nothing
 * of that. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "collect/fingerprint/probe.h"

extern char **environ;

#define MAPS "/proc/self/maps"

/* What a process may map: the limit of the user, "none" where there is none. */
static void add_limit(struct facts *facts)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) < 0)
        facts_add_unknown(facts, "limit.address_space", "getrlimit RLIMIT_AS", "%s: getrlimit",
                          probe_reason(errno));
    else if (limit.rlim_cur == RLIM_INFINITY)
        facts_add_text(facts, "limit.address_space", "none", "getrlimit RLIMIT_AS");
    else
        facts_add_number(facts, "limit.address_space", (double)limit.rlim_cur, "B",
                         "getrlimit RLIMIT_AS");
}

/* The stack lies just below the end of the user's addresses, by less than a quarter of them: rounded
 * up to a power of two, or in 32 bits, where kernels keep one or two GiB for themselves, to a GiB. */
static void add_address_space(const struct probe_root *root, struct facts *facts)
{
    static const char source[] = MAPS " [stack], rounded up";
    struct buffer maps = {0};
    int error = probe_read(root, &maps, MAPS);
    const char *stack = strstr(buffer_text(&maps), "[stack]");
    unsigned long long top = 0;
    while (stack && stack > buffer_text(&maps) && stack[-1] != '\n')
        stack--;
    const char *dash = stack ? strchr(stack, '-') : NULL;
    if (dash)
        top = strtoull(dash + 1, NULL, 16);
    double bytes = 1024 * 1024 * 1024;
    while (top > 0 && bytes < (double)top)
        bytes = bytes < 4294967296.0 ? bytes + 1073741824.0 : bytes * 2;
    if (top > 0)
        facts_add_number(facts, "system.address_space", bytes, "B", source);
    else
        facts_add_unknown(facts, "system.address_space", source, "%s: [stack] in " MAPS,
                          error != 0 ? probe_reason(error) : "absent");
    buffer_free(&maps);
}

/* Variables that change what libraries do. Of those that may hold a path the name alone counts. */
static void add_environment(struct facts *facts)
{
    static const char *const with_value[] = {"GLIBC_TUNABLES=", "LANG=",  "LC_ALL=", "LC_NUMERIC=",
                                             "MALLOC_",         "OMP_",   "GOMP_",   "KMP_"};
    static const char *const name_alone[] = {"LD_PRELOAD=", "LD_LIBRARY_PATH=", "LD_BIND_NOW="};
    struct buffer text = {0};
    for (char **entry = environ; entry && *entry; entry++) {
        size_t size = 0;
        for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++)
            if (strncmp(*entry, with_value[i], strlen(with_value[i])) == 0 && !strchr(*entry, '/'))
                size = strlen(*entry);
        for (size_t i = 0; i < sizeof name_alone / sizeof name_alone[0]; i++)
            if (strncmp(*entry, name_alone[i], strlen(name_alone[i])) == 0)
                size = strlen(name_alone[i]) - 1;
        if (size > 0 && text.size > 0)
            buffer_add_char(&text, ' ');
        buffer_add(&text, *entry, size);
    }
    facts_add_text(facts, "system.environment", text.size > 0 ? buffer_text(&text) : "none",
                   "environment");
    buffer_free(&text);
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    static const char *const names[] = {"system.process_bits", "system.address_space",
                                        "limit.address_space"};
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !probe_is_live(root); i++)
        facts_add_unknown(facts, names[i], "this process", PROBE_NOT_LIVE);
    if (!probe_is_live(root))
        return;
    facts_add_number(facts, "system.process_bits", (double)(8 * sizeof(void *)), "1", "the build");
    add_address_space(root, facts);
    add_limit(facts);
}

/* Of the run, not of the machine: the same machine under another locale is the same. */
static void state(const struct probe_root *root, struct facts *facts)
{
    if (probe_is_live(root))
        add_environment(facts);
    else
        facts_add_unknown(facts, "system.environment", "this process", PROBE_NOT_LIVE);
}

const struct probe probe_process = {.name = "process", .identity = identity, .state = state};
