#include "collect/fingerprint/meminfo.h"

#include <stdio.h>
#include <string.h>

void meminfo_add(struct facts *facts, const char *meminfo, int error, const char *name,
                 const char *key)
{
    struct buffer text = {0};
    char source[64];
    uint64_t kib;
    snprintf(source, sizeof source, MEMINFO " %s", key);
    if (error != 0)
        facts_add_unknown(facts, name, source, "%s: " MEMINFO, probe_reason(error));
    else if (!probe_line_value(meminfo, key, &text))
        facts_add_unknown(facts, name, source, "absent: no %s in " MEMINFO, key);
    else if (!probe_count(buffer_text(&text), &kib) || kib > UINT64_MAX / 1024)
        facts_add_unknown(facts, name, source, "unparsable: '%.60s'", buffer_text(&text));
    else if (kib == 0 && strcmp(key, "MemTotal") == 0)
        facts_add_unknown(facts, name, source, "implausible: " MEMINFO " says 0 B");
    else
        facts_add_number(facts, name, (double)(kib * 1024), "B", source);
    buffer_free(&text);
}
