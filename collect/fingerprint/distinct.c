#include "collect/fingerprint/distinct.h"

#include <string.h>

void distinct_add(struct distinct *distinct, const char *text)
{
    size_t size = strcspn(text, "\n");
    for (const char *p = buffer_text(&distinct->values); *p; p += strcspn(p, "\n") + 1)
        if (strcspn(p, "\n") == size && memcmp(p, text, size) == 0)
            return;
    buffer_add(&distinct->values, text, size);
    buffer_add_char(&distinct->values, '\n');
    distinct->n++;
}

void distinct_join(const struct distinct *distinct, struct buffer *out)
{
    const char *values = buffer_text(&distinct->values);
    for (const char *p = values; *p; p += strcspn(p, "\n") + 1) {
        if (p > values)
            buffer_add_text(out, ", ");
        buffer_add(out, p, strcspn(p, "\n"));
    }
}

void distinct_free(struct distinct *distinct)
{
    buffer_free(&distinct->values);
    distinct->n = 0;
}
