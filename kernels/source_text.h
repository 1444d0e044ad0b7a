/* Text like the source of a program, from a seed: for what compresses it. */
#ifndef KERNELS_SOURCE_TEXT_H
#define KERNELS_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { SOURCE_WORDS = 2048, SOURCE_WORD_SIZE = 20, SOURCE_LINE_SIZE = 320 };

struct source_text {
    uint64_t random;
    char words[SOURCE_WORDS][SOURCE_WORD_SIZE];
    char line[SOURCE_LINE_SIZE];
    size_t line_bytes, line_at; /* of the line, and how much of it has been given out */
    unsigned depth;             /* of blocks */
};

void source_text_begin(struct source_text *source, uint64_t seed);
/* The next bytes; in pieces of any size the text is the same. */
void source_text_next(struct source_text *source, char *out, size_t size);

#endif
