#include "report/layout/layout_parser.h"

#include <string.h>

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

int word_next(struct parser *parser, struct word *word, struct err *err)
{
    char *p = parser->p + strspn(parser->p, " \t"), *out = p;
    *word = (struct word){.text = p, .is_quoted = *p == '"'};
    if (*p == '\0' || *p == '#')
        return 0;
    bool is_inside = false;
    for (; *p && (is_inside || (*p != ' ' && *p != '\t')); p++) {
        if (*p == '"') {
            is_inside = !is_inside;
            continue;
        }
        if (is_inside && *p == '\\' && (p[1] == '"' || p[1] == '\\'))
            p++;
        else if (!is_inside && !word->sign && strchr("=!<>", *p))
            word->sign = out;
        *out++ = *p;
    }
    if (is_inside)
        return err_set(err, ERR_DATA, "a quote is not closed");
    parser->p = p + (*p != '\0');
    *out = '\0';
    return 1;
}

int word_due(struct parser *parser, const char *after, struct word *word, struct err *err)
{
    int result = word_next(parser, word, err);
    return result == 0 ? err_set(err, ERR_DATA, "a word is missing behind '%s'", after) : result;
}

char *line_rest(struct parser *parser)
{
    char *text = parser->p + strspn(parser->p, " \t"), *end = text + strlen(text);
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    parser->p = end;
    return text;
}

int text_append(struct parser *parser, struct named_text **list, const char *name,
                       const char *text, struct err *err)
{
    struct named_text *added = arena_alloc(&parser->layout->arena, sizeof *added);
    if (!added)
        return out_of_memory(err);
    *added = (struct named_text){.name = name, .text = text};
    while (*list)
        list = &(*list)->next;
    *list = added;
    return 0;
}
