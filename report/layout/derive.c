#include "report/layout/derive.h"

#include <math.h>
#include <string.h>

#include "schema/number.h"

enum { DEPTH_MAX = 64, NODES_MAX = 1000 };

enum node_type { NODE_NUMBER, NODE_NAME, NODE_ARITHMETIC, NODE_NEGATE, NODE_REDUCE, NODE_WORSE, NODE_X };

struct node {
    enum node_type type;
    char sign; /* of NODE_ARITHMETIC */
    bool is_common;
    enum reducer reducer;
    double number;
    const char *name;
    struct node *first; /* of its arguments, in order */
    struct node *next;
};

struct derive {
    const char *text;
    const struct node *root;
};

static const char *const reducer_names[] = {"max",     "min",      "first", "last", "mean",
                                            "geomean", "harmonic", "sum",   "count"};

enum reducer reducer_find(const char *name, size_t size)
{
    for (int i = 0; i < REDUCE_NONE; i++)
        if (strlen(reducer_names[i]) == size && memcmp(reducer_names[i], name, size) == 0)
            return (enum reducer)i;
    return REDUCE_NONE;
}

/* ---- computing one of many ---- */

/* a takes the place of b, which came before it. */
static bool is_further(enum reducer reducer, const struct quantity *a, const struct quantity *b)
{
    if (a->number == b->number)
        return a->cell && b->cell && a->cell->key->x > b->cell->key->x;
    return (a->number > b->number) == (reducer == REDUCE_MAX);
}

static struct quantity extreme(enum reducer reducer, const struct quantity *list, size_t n)
{
    struct quantity found = {.type = QUANTITY_NONE};
    for (size_t i = 0; i < n; i++)
        if (list[i].type == QUANTITY_NUMBER &&
            (found.type == QUANTITY_NONE || is_further(reducer, &list[i], &found)))
            found = list[i];
    return found;
}

static struct quantity end_of(enum reducer reducer, const struct quantity *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct quantity *q = &list[reducer == REDUCE_FIRST ? i : n - 1 - i];
        if (q->type == QUANTITY_NUMBER)
            return *q;
    }
    return (struct quantity){.type = QUANTITY_NONE};
}

struct quantity quantities_reduce(enum reducer reducer, const struct quantity *list, size_t n)
{
    if (reducer == REDUCE_MAX || reducer == REDUCE_MIN)
        return extreme(reducer, list, n);
    if (reducer == REDUCE_FIRST || reducer == REDUCE_LAST)
        return end_of(reducer, list, n);
    struct quantity result = {.type = QUANTITY_NUMBER, .weight = 1, .unit = NULL};
    double sum = 0, weights = 0;
    size_t count = 0;
    bool is_positive = true;
    for (size_t i = 0; i < n; i++) {
        const struct quantity *q = &list[i];
        if (q->type != QUANTITY_NUMBER)
            continue;
        if (result.unit && strcmp(result.unit, q->unit) != 0 && reducer != REDUCE_COUNT)
            return (struct quantity){.type = QUANTITY_NONE};
        result.unit = q->unit;
        is_positive = is_positive && q->number > 0;
        double term = reducer == REDUCE_GEOMEAN    ? log(q->number)
                      : reducer == REDUCE_HARMONIC ? 1 / q->number
                                                   : q->number;
        sum += q->weight * term;
        weights += q->weight;
        count++;
    }
    bool needs_positive = reducer == REDUCE_GEOMEAN || reducer == REDUCE_HARMONIC;
    if (reducer == REDUCE_COUNT && count > 0) {
        result.number = (double)count;
        result.unit = "1";
        return result;
    }
    result.number = reducer == REDUCE_SUM        ? sum
                    : reducer == REDUCE_MEAN     ? sum / weights
                    : reducer == REDUCE_HARMONIC ? weights / sum
                                                 : exp(sum / weights);
    if (count == 0 || (needs_positive && !is_positive) || !isfinite(result.number))
        result.type = QUANTITY_NONE;
    return result;
}

/* ---- parsing ---- */

struct parser {
    const char *p;
    derive_known_fn *is_known;
    void *context;
    struct arena *arena;
    unsigned depth, n_nodes;
};

static int parse_sum(struct parser *parser, struct node **out, struct err *err);
static int parse_factor(struct parser *parser, struct node **out, struct err *err);

static void skip_blanks(struct parser *parser)
{
    parser->p += strspn(parser->p, " \t");
}

static int node_new(struct parser *parser, struct node value, struct node **out, struct err *err)
{
    if (++parser->n_nodes > NODES_MAX)
        return err_set(err, ERR_DATA, "the formula is too long");
    *out = arena_alloc(parser->arena, sizeof **out);
    if (!*out)
        return err_set(err, ERR_SYSTEM, "out of memory");
    **out = value;
    return 0;
}

static int expect(struct parser *parser, char c, struct err *err)
{
    skip_blanks(parser);
    if (*parser->p != c)
        return err_set(err, ERR_DATA, "'%c' is due in the formula before '%.20s'", c, parser->p);
    parser->p++;
    return 0;
}

static int parse_arguments(struct parser *parser, struct node *call, size_t *n, struct err *err)
{
    struct node **next = &call->first;
    *n = 0;
    do {
        TRY(parse_sum(parser, next, err));
        next = &(*next)->next;
        ++*n;
        skip_blanks(parser);
    } while (*parser->p == ',' && parser->p++);
    return expect(parser, ')', err);
}

static int parse_call(struct parser *parser, const char *name, size_t size, struct node **out,
                      struct err *err)
{
    size_t n;
    enum reducer reducer = reducer_find(name, size);
    struct node call = {.type = NODE_REDUCE, .reducer = reducer};
    if (reducer == REDUCE_NONE) {
        if (size == 5 && memcmp(name, "worse", 5) == 0)
            call.type = NODE_WORSE;
        else if (size == 1 && *name == 'x')
            call.type = NODE_X;
        else if (size != 6 || memcmp(name, "common", 6) != 0)
            return err_set(err, ERR_DATA, "'%.*s' is no function", (int)(size < 40 ? size : 40), name);
    }
    TRY(parse_arguments(parser, &call, &n, err));
    if (call.type == NODE_REDUCE && reducer == REDUCE_NONE) {
        if (n != 1 || call.first->type != NODE_NAME)
            return err_set(err, ERR_DATA, "common() takes one name");
        call.first->is_common = true;
        *out = call.first;
        return 0;
    }
    if (n != (call.type == NODE_WORSE ? 2 : call.type == NODE_X ? 1 : n))
        return err_set(err, ERR_DATA, "%.*s() takes %s", (int)size, name,
                       call.type == NODE_WORSE ? "two figures" : "one figure");
    return node_new(parser, call, out, err);
}

static size_t name_size(const char *p)
{
    size_t size = strspn(p, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return *p >= '0' && *p <= '9' ? 0 : size;
}

static int parse_plain_factor(struct parser *parser, struct node **out, struct err *err)
{
    skip_blanks(parser);
    const char *p = parser->p;
    size_t size = name_size(p);
    if (*p == '-') {
        struct node negate = {.type = NODE_NEGATE};
        parser->p++;
        TRY(parse_factor(parser, &negate.first, err));
        return node_new(parser, negate, out, err);
    }
    if (*p == '(') {
        parser->p++;
        TRY(parse_sum(parser, out, err));
        return expect(parser, ')', err);
    }
    if (size > 0) {
        parser->p += size;
        skip_blanks(parser);
        if (*parser->p == '(') {
            parser->p++;
            return parse_call(parser, p, size, out, err);
        }
        struct node name = {.type = NODE_NAME, .name = arena_copy(parser->arena, p, size)};
        if (!name.name)
            return err_set(err, ERR_SYSTEM, "out of memory");
        if (!parser->is_known(parser->context, name.name))
            return err_set(err, ERR_DATA, "nothing above is named '%.40s'", name.name);
        return node_new(parser, name, out, err);
    }
    struct node number = {.type = NODE_NUMBER};
    size = strspn(p, "0123456789.");
    if (size == 0 || !number_parse(p, size, &number.number))
        return err_set(err, ERR_DATA, "a number or a name is due in the formula before '%.20s'", p);
    parser->p += size;
    return node_new(parser, number, out, err);
}

static int parse_factor(struct parser *parser, struct node **out, struct err *err)
{
    if (++parser->depth > DEPTH_MAX)
        return err_set(err, ERR_DATA, "the formula is nested too deeply");
    int result = parse_plain_factor(parser, out, err);
    parser->depth--;
    return result;
}

/* A chain of factors, or of products. */
static int parse_chain(struct parser *parser, const char *signs,
                       int (*parse)(struct parser *, struct node **, struct err *),
                       struct node **out, struct err *err)
{
    TRY(parse(parser, out, err));
    for (;;) {
        skip_blanks(parser);
        char sign = *parser->p;
        if (!sign || !strchr(signs, sign))
            return 0;
        parser->p++;
        struct node both = {.type = NODE_ARITHMETIC, .sign = sign, .first = *out};
        TRY(parse(parser, &both.first->next, err));
        TRY(node_new(parser, both, out, err));
    }
}

static int parse_product(struct parser *parser, struct node **out, struct err *err)
{
    return parse_chain(parser, "*/", parse_factor, out, err);
}

static int parse_sum(struct parser *parser, struct node **out, struct err *err)
{
    return parse_chain(parser, "+-", parse_product, out, err);
}

int derive_parse(const char *text, derive_known_fn *is_known, void *context, struct arena *arena,
                 struct derive **out, struct err *err)
{
    struct parser parser = {text, is_known, context, arena, 0, 0};
    struct node *root;
    TRY(parse_sum(&parser, &root, err));
    skip_blanks(&parser);
    if (*parser.p)
        return err_set(err, ERR_DATA, "the formula should end before '%.20s'", parser.p);
    *out = arena_alloc(arena, sizeof **out);
    if (!*out)
        return err_set(err, ERR_SYSTEM, "out of memory");
    **out = (struct derive){text, root};
    return 0;
}

const char *derive_text(const struct derive *derive)
{
    return derive->text;
}

/* ---- computing ---- */

struct computation {
    derive_lookup_fn *lookup;
    void *context;
    struct arena *arena;
};

struct quantities {
    struct quantity *list; /* [n] */
    size_t n;
};

static struct quantity number_of(double number, const char *unit)
{
    return isfinite(number) ? (struct quantity){.type = QUANTITY_NUMBER,
                                                .number = number,
                                                .weight = 1,
                                                .unit = unit}
                            : (struct quantity){.type = QUANTITY_NONE};
}

/* B divided by s gives B/s. */
static const char *unit_per(const char *a, const char *b)
{
    size_t size = strlen(a);
    for (size_t i = 0; i < n_units; i++)
        if (strncmp(units[i].name, a, size) == 0 && units[i].name[size] == '/' &&
            strcmp(units[i].name + size + 1, b) == 0)
            return units[i].name;
    return "1";
}

/* Units: those of a sum are that of both; a ratio of equal ones has none; what is multiplied or divided
 * by a plain number keeps its own; of anything else the formula says it. */
static struct quantity arithmetic(char sign, const struct quantity *a, const struct quantity *b)
{
    if (a->type != QUANTITY_NUMBER || b->type != QUANTITY_NUMBER)
        return (struct quantity){.type = QUANTITY_NONE};
    bool is_same = strcmp(a->unit, b->unit) == 0, is_b_plain = strcmp(b->unit, "1") == 0;
    switch (sign) {
    case '+':
        return number_of(a->number + b->number, is_same ? a->unit : "1");
    case '-':
        return number_of(a->number - b->number, is_same ? a->unit : "1");
    case '*':
        return number_of(a->number * b->number, is_b_plain                   ? a->unit
                                                : strcmp(a->unit, "1") == 0 ? b->unit
                                                                             : "1");
    default:
        return number_of(a->number / b->number, is_b_plain ? a->unit : unit_per(a->unit, b->unit));
    }
}

/* How many times worse a is than b: the ratio, turned round where more is better. */
static struct quantity worse(const struct quantity *a, const struct quantity *b)
{
    if (a->type != QUANTITY_NUMBER || b->type != QUANTITY_NUMBER || a->better != b->better ||
        a->better == BETTER_NONE)
        return (struct quantity){.type = QUANTITY_NONE};
    return a->better == BETTER_LOWER ? arithmetic('/', a, b) : arithmetic('/', b, a);
}

static struct quantity x_of(const struct quantity *q)
{
    if (!q->cell || !RECORD_HAS(q->cell->key, x))
        return (struct quantity){.type = QUANTITY_NONE};
    return number_of(q->cell->key->x, q->cell->key->x_unit);
}

static int quantities_take(const struct computation *c, size_t n, struct quantities *out,
                           struct err *err)
{
    out->n = n;
    out->list = arena_take(c->arena, n, sizeof *out->list);
    return out->list ? 0 : err_set(err, ERR_SYSTEM, "out of memory");
}

static int compute(const struct computation *c, const struct node *node, struct quantities *out,
                   struct err *err);

static int compute_pair(const struct computation *c, const struct node *node,
                        struct quantities *out, struct err *err)
{
    struct quantities a, b;
    TRY(compute(c, node->first, &a, err));
    TRY(compute(c, node->first->next, &b, err));
    if (a.n != b.n && a.n != 1 && b.n != 1)
        return quantities_take(c, 0, out, err);
    size_t n = a.n == 0 || b.n == 0 ? 0 : a.n > b.n ? a.n : b.n;
    TRY(quantities_take(c, n, out, err));
    for (size_t i = 0; i < n; i++) {
        const struct quantity *x = &a.list[a.n == 1 ? 0 : i], *y = &b.list[b.n == 1 ? 0 : i];
        out->list[i] =
            node->type == NODE_WORSE ? worse(x, y) : arithmetic(node->sign, x, y);
    }
    return 0;
}

/* All arguments of a function as one list. */
static int compute_arguments(const struct computation *c, const struct node *node,
                             struct quantities *out, struct err *err)
{
    *out = (struct quantities){0};
    for (const struct node *argument = node->first; argument; argument = argument->next) {
        struct quantities one, both;
        TRY(compute(c, argument, &one, err));
        TRY(quantities_take(c, out->n + one.n, &both, err));
        if (out->n > 0)
            memcpy(both.list, out->list, out->n * sizeof *both.list);
        if (one.n > 0)
            memcpy(both.list + out->n, one.list, one.n * sizeof *both.list);
        *out = both;
    }
    return 0;
}

static int compute(const struct computation *c, const struct node *node, struct quantities *out,
                   struct err *err)
{
    struct quantities inner;
    switch (node->type) {
    case NODE_NAME:
        return c->lookup(c->context, node->name, node->is_common, &out->list, &out->n, err);
    case NODE_ARITHMETIC:
    case NODE_WORSE:
        return compute_pair(c, node, out, err);
    case NODE_NUMBER:
        TRY(quantities_take(c, 1, out, err));
        out->list[0] = number_of(node->number, "1");
        return 0;
    case NODE_REDUCE:
        TRY(compute_arguments(c, node, &inner, err));
        TRY(quantities_take(c, 1, out, err));
        out->list[0] = quantities_reduce(node->reducer, inner.list, inner.n);
        return 0;
    default:
        TRY(compute(c, node->first, &inner, err));
        TRY(quantities_take(c, inner.n, out, err));
        for (size_t i = 0; i < inner.n; i++)
            out->list[i] = node->type == NODE_X ? x_of(&inner.list[i])
                           : inner.list[i].type == QUANTITY_NUMBER
                               ? number_of(-inner.list[i].number, inner.list[i].unit)
                               : inner.list[i];
        return 0;
    }
}

int derive_compute(const struct derive *derive, derive_lookup_fn *lookup, void *context,
                   struct arena *arena, struct quantity *out, struct err *err)
{
    const struct computation c = {lookup, context, arena};
    struct quantities result;
    TRY(compute(&c, derive->root, &result, err));
    *out = result.n == 1 ? result.list[0] : (struct quantity){.type = QUANTITY_NONE};
    return 0;
}
