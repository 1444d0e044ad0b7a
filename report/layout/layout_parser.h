/* Parsing descriptions of tables: layout_words.c takes lines apart, layout_entry.c reads rows and columns,
 * layout.c the rest. */
#ifndef REPORT_LAYOUT_LAYOUT_PARSER_H
#define REPORT_LAYOUT_LAYOUT_PARSER_H

#include <stdbool.h>

#include "report/layout/layout.h"

struct parser {
    struct layout *layout;
    const char *name;
    unsigned line;
    char *p;                       /* of the line, what is still to be read */
    struct layout_table *defaults; /* what stands above the first table */
    struct layout_table *table;    /* the last begun; the defaults before the first */
    struct block *block;           /* that entries go to, NULL: none */
};

struct word {
    char *text; /* without the quotes */
    bool is_quoted; /* from its first character on */
    char *sign;     /* = != >= <=, in the text outside of quotes; NULL: none */
};

/* Takes the next word off the line: 1, 0 at the end of the line or before a comment. Quotes may begin in
 * a word (run="a b"); in them \" and \\ stand for themselves. */
int word_next(struct parser *parser, struct word *word, struct err *err);
/* The word that must follow `after`. */
int word_due(struct parser *parser, const char *after, struct word *word, struct err *err);
/* What is left of the line, without blanks at its ends. */
char *line_rest(struct parser *parser);
/* Appends to a list. */
int text_append(struct parser *parser, struct named_text **list, const char *name, const char *text,
                struct err *err);

/* The rest of the line as conditions, or as parts of a format. */
int conditions_parse(struct parser *parser, struct condition **list, struct err *err);
int format_parse(struct parser *parser, struct format *format, struct err *err);
/* The first entry of that name, or NULL. */
const struct entry *entry_find(const struct block *block, const char *name);
/* The line as an entry of parser->block. */
int entry_parse(struct parser *parser, struct err *err);

#endif
