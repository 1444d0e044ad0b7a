#include "kernels/source_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel.h"

static unsigned below(struct source_text *source, unsigned n)
{
    return (unsigned)(kernel_random(&source->random) >> 33) % n;
}

/* Names of one to three syllables, some in two parts. */
static void word_make(struct source_text *source, char *word)
{
    static const char consonants[] = "bcdfghklmnprstvw", vowels[] = "aeiou";
    size_t n = 0, syllables = 1 + below(source, 3);
    for (size_t i = 0; i < syllables; i++) {
        word[n++] = consonants[below(source, sizeof consonants - 1)];
        word[n++] = vowels[below(source, sizeof vowels - 1)];
        if (below(source, 2))
            word[n++] = consonants[below(source, sizeof consonants - 1)];
        if (i + 1 < syllables && below(source, 4) == 0)
            word[n++] = '_';
    }
    word[n] = '\0';
}

void source_text_begin(struct source_text *source, uint64_t seed)
{
    memset(source, 0, sizeof *source);
    source->random = seed;
    for (size_t i = 0; i < SOURCE_WORDS; i++)
        word_make(source, source->words[i]);
}

/* Frequent words are few, as in any text: the rank is a product of three even draws. */
static const char *word(struct source_text *source)
{
    unsigned a = below(source, SOURCE_WORDS), b = below(source, SOURCE_WORDS);
    unsigned c = below(source, SOURCE_WORDS);
    return source->words[(uint64_t)a * b / SOURCE_WORDS * c / SOURCE_WORDS];
}

static void line_add(struct source_text *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void line_add(struct source_text *source, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t room = sizeof source->line - source->line_bytes;
    int n = vsnprintf(source->line + source->line_bytes, room, format, args);
    va_end(args);
    source->line_bytes += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void comment_make(struct source_text *source)
{
    unsigned n = 4 + below(source, 9);
    line_add(source, "/* ");
    for (unsigned i = 0; i < n; i++)
        line_add(source, "%s ", word(source));
    line_add(source, "*/\n");
}

static void statement_make(struct source_text *source)
{
    const char *a = word(source), *b = word(source), *c = word(source);
    switch (below(source, 12)) {
    case 0:
        line_add(source, "if (%s->%s == NULL)\n", a, b);
        break;
    case 1:
        line_add(source, "for (i = 0; i < %s; i++) {\n", a);
        source->depth += source->depth < 5;
        break;
    case 2:
        line_add(source, "while (%s (%s, %u)) {\n", a, b, below(source, 100));
        source->depth += source->depth < 5;
        break;
    case 3:
        line_add(source, "return %s (%s);\n", a, b);
        break;
    case 4:
        line_add(source, "%s = %s + 0x%x;\n", a, b, below(source, 65536));
        break;
    case 5:
        line_add(source, "error (\"%s of %s is not %s\");\n", a, b, c);
        break;
    case 6:
    case 7:
        line_add(source, "%s->%s = %s (%s, %s);\n", a, b, c, word(source), word(source));
        break;
    case 8:
        comment_make(source);
        break;
    default:
        line_add(source, "%s (%s, &%s[%u]);\n", a, b, c, below(source, 16));
    }
}

static void line_make(struct source_text *source)
{
    source->line_bytes = source->line_at = 0;
    unsigned kind = below(source, 40);
    if (source->depth == 0) {
        if (kind < 8)
            comment_make(source);
        else if (kind < 12)
            line_add(source, "#define %s_%s %u\n", word(source), word(source), below(source, 4096));
        else if (kind < 16)
            line_add(source, "\n");
        else {
            line_add(source, "static int\n%s (struct %s *%s, int %s)\n{\n", word(source),
                     word(source), word(source), word(source));
            source->depth = 1;
        }
        return;
    }
    if (kind < 6) {
        source->depth--;
        line_add(source, "%*s}\n", (int)(2 * source->depth), "");
        return;
    }
    line_add(source, "%*s", (int)(2 * source->depth), "");
    statement_make(source);
}

void source_text_next(struct source_text *source, char *out, size_t size)
{
    while (size > 0) {
        if (source->line_at == source->line_bytes)
            line_make(source);
        size_t n = source->line_bytes - source->line_at;
        n = n < size ? n : size;
        memcpy(out, source->line + source->line_at, n);
        source->line_at += n;
        out += n;
        size -= n;
    }
}
