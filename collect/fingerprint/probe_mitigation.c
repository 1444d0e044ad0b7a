/* What the kernel does against each weakness of the processor that it knows of. New kernels know of
 * more: whatever is listed is recorded. */
#include <stdio.h>
#include <string.h>

#include "collect/fingerprint/probe.h"

#define FOLDER PROBE_CPUS "/vulnerabilities"

static void identity(const struct probe_root *root, struct facts *facts)
{
    struct buffer names = {0};
    int error = probe_list(root, &names, FOLDER);
    size_t n = 0;
    char *rest = NULL;
    for (char *name = names.size > 0 ? strtok_r(names.bytes, "\n", &rest) : NULL; name;
         name = strtok_r(NULL, "\n", &rest)) {
        char word[PROBE_WORD_SIZE], fact[80], path[160];
        if (snprintf(path, sizeof path, FOLDER "/%s", name) >= (int)sizeof path)
            continue;
        probe_word(name, word);
        snprintf(fact, sizeof fact, "mitigation.%s", word);
        probe_add_file(root, facts, fact, path);
        n++;
    }
    if (error != 0)
        facts_add_unknown(facts, "mitigation.count", FOLDER, "%s: " FOLDER, probe_reason(error));
    else
        facts_add_number(facts, "mitigation.count", (double)n, "1", FOLDER);
    buffer_free(&names);
}

const struct probe probe_mitigation = {.name = "mitigation", .identity = identity};
