#include "report/compare/compare_sides.h"

#include <fnmatch.h>
#include <string.h>

#include "report/order.h"
#include "schema/buffer.h"

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static const struct {
    const char *name;
    unsigned bit;
} words[] = {{"machine", BY_MACHINE}, {"run", BY_RUN}, {"variant", BY_VARIANT}, {"half", BY_HALF}};
enum { N_WORDS = sizeof words / sizeof words[0] };

/* The bit of a word of `size` bytes, or 0. */
static unsigned word_bit(const char *text, size_t size)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (strlen(words[i].name) == size && memcmp(words[i].name, text, size) == 0)
            return words[i].bit;
    return 0;
}

static int by_parse(const char *by, unsigned *mask, struct err *err)
{
    *mask = 0;
    for (const char *p = by; *p; p += strcspn(p, ","), p += *p == ',') {
        unsigned bit = word_bit(p, strcspn(p, ","));
        if (bit == 0)
            return err_set(err, ERR_USAGE, "--by: '%.*s' is not machine, run, variant or half",
                           (int)strcspn(p, ","), p);
        *mask |= bit;
    }
    return *mask ? 0 : err_set(err, ERR_USAGE, "--by: nothing is named");
}

/* ---- what belongs to a side ---- */

/* By a pattern, or the name itself, which may have brackets in it. */
static bool matches(const struct compare_side *side, unsigned bit, const char *text)
{
    for (size_t i = 0; i < side->n_patterns; i++)
        if (side->pattern_by[i] == bit && strcmp(side->patterns[i], text) != 0 &&
            fnmatch(side->patterns[i], text, 0) != 0)
            return false;
    return true;
}

bool side_has_cell(const struct compare_side *side, const struct cell *cell)
{
    const struct machine *machine = &side->selection->machines.machines[cell->machine];
    return (matches(side, BY_MACHINE, machine->name) || matches(side, BY_MACHINE, machine->whole) ||
            matches(side, BY_MACHINE, machine->label)) &&
           matches(side, BY_VARIANT, cell->key->variant);
}

bool side_has_record(const struct compare_side *side, const struct record *record)
{
    if (!matches(side, BY_RUN, record->run))
        return false;
    if (side->half < 0)
        return true;
    const struct machines *machines = &side->selection->machines;
    return side->noises.is_aa[machines_run(machines, record) - machines->runs] &&
           noise_half(record->rep) == side->half;
}

bool sides_share_machine(const struct compare_side sides[static SIDES], size_t a, size_t b)
{
    const struct machine *x = &sides[SIDE_BASE].selection->machines.machines[a];
    const struct machine *y = &sides[SIDE_NEW].selection->machines.machines[b];
    if (x->id[0] && y->id[0])
        return strcmp(x->id, y->id) == 0;
    return strcmp(x->label, y->label) == 0;
}

/* ---- names of what there is ---- */

struct names {
    const char **list; /* [n] each once */
    size_t n;
};

static void names_add(struct names *names, const char *name, bool is_sorted)
{
    size_t i = 0;
    while (i < names->n && strcmp(names->list[i], name) != 0)
        i++;
    if (i < names->n)
        return;
    for (i = names->n++; is_sorted && i > 0 && natural_compare(names->list[i - 1], name) > 0; i--)
        names->list[i] = names->list[i - 1];
    names->list[i] = name;
}

/* What the cells and records of a side have of one of machine, run, variant. Machines stand in the
 * order of their age, runs in that of their ids, which begin with the time. */
static int names_collect(const struct compare_side *side, unsigned bit, struct arena *arena,
                         struct names *names, struct err *err)
{
    const struct selection *selection = side->selection;
    const struct machines *machines = &selection->machines;
    size_t room = bit == BY_MACHINE ? machines->n
                  : bit == BY_RUN   ? machines->n_runs
                                    : selection->n_cells;
    *names = (struct names){.list = arena_take(arena, room, sizeof *names->list)};
    bool *has_machine = arena_take(arena, machines->n, sizeof *has_machine);
    if (!names->list || !has_machine)
        return out_of_memory(err);
    memset(has_machine, 0, machines->n * sizeof *has_machine);
    const char *last = "";
    for (size_t c = 0; c < selection->n_cells; c++) {
        const struct cell *cell = &selection->cells[c];
        if (!side_has_cell(side, cell))
            continue;
        bool has_records = false;
        for (size_t i = 0; i < cell->n_records; i++) {
            if (!side_has_record(side, cell->records[i]))
                continue;
            has_records = true;
            const char *run = cell->records[i]->run;
            if (bit == BY_RUN && strcmp(run, last) != 0)
                names_add(names, run, true);
            last = run;
        }
        has_machine[cell->machine] = has_machine[cell->machine] || has_records;
        if (bit == BY_VARIANT && has_records)
            names_add(names, cell->key->variant, true);
    }
    for (size_t m = 0; m < machines->n && bit == BY_MACHINE; m++)
        if (has_machine[m])
            names_add(names, machines->machines[m].name, false);
    return 0;
}

static void names_text(const struct names *names, struct buffer *out)
{
    enum { SHOWN = 6 };
    for (size_t i = 0; i < names->n && i < SHOWN; i++)
        buffer_add_format(out, "%s'%s'", i > 0 ? ", " : "", names->list[i]);
    if (names->n > SHOWN)
        buffer_add_format(out, " and %zu more", names->n - SHOWN);
}

static const char *bit_name(unsigned bit)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (words[i].bit == bit)
            return words[i].name;
    return "";
}

/* ---- choosing ---- */

static bool names_meet(const struct names *a, const struct names *b)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (strcmp(a->list[i], b->list[k]) == 0)
                return true;
    return false;
}

/* Two files: what they do not share is what they differ in. */
static int by_guess(struct compare_side sides[static SIDES], struct arena *arena, unsigned *mask,
                    struct err *err)
{
    struct names variants[SIDES];
    bool has_machine = false;
    for (int s = 0; s < SIDES; s++)
        TRY(names_collect(&sides[s], BY_VARIANT, arena, &variants[s], err));
    for (size_t a = 0; a < sides[SIDE_BASE].selection->machines.n; a++)
        for (size_t b = 0; b < sides[SIDE_NEW].selection->machines.n; b++)
            has_machine = has_machine || sides_share_machine(sides, a, b);
    *mask = BY_RUN;
    if (!has_machine)
        *mask |= BY_MACHINE;
    if (!names_meet(&variants[SIDE_BASE], &variants[SIDE_NEW]))
        *mask |= BY_VARIANT;
    return 0;
}

static int patterns_resolve(struct compare_side *side, unsigned mask, struct err *err)
{
    unsigned first = mask & BY_MACHINE ? BY_MACHINE : mask & BY_VARIANT ? BY_VARIANT : BY_RUN;
    for (size_t i = 0; i < side->n_patterns; i++) {
        size_t size = strcspn(side->patterns[i], "=");
        unsigned bit = side->patterns[i][size] == '=' ? word_bit(side->patterns[i], size) : 0;
        if (bit == BY_HALF)
            return err_set(err, ERR_USAGE, "the base is the first half and the new side the other");
        if (bit)
            side->patterns[i] += size + 1;
        side->pattern_by[i] = bit ? bit : first;
    }
    return 0;
}

/* One archive and no patterns: the two there are. */
static int pair_choose(struct compare_side sides[static SIDES], unsigned mask, struct arena *arena,
                       struct err *err)
{
    unsigned bit = mask & BY_MACHINE ? BY_MACHINE : mask & BY_VARIANT ? BY_VARIANT : BY_RUN;
    struct names names;
    TRY(names_collect(&sides[SIDE_BASE], bit, arena, &names, err));
    if (names.n != 2) {
        struct buffer text = {0};
        names_text(&names, &text);
        if (names.n < 2)
            err_set(err, ERR_USAGE, "two %ss are compared, and the samples have %s%s", bit_name(bit),
                    names.n == 0 ? "none" : "one alone: ", buffer_text(&text));
        else
            err_set(err, ERR_USAGE, "--base and --new choose two of the %zu %ss: %s", names.n,
                    bit_name(bit), buffer_text(&text));
        buffer_free(&text);
        return err->code;
    }
    for (int s = 0; s < SIDES; s++) {
        /* The name itself, whatever would be special in a pattern. */
        struct buffer pattern = {0};
        for (const char *p = names.list[s]; *p; p++) {
            if (strchr("*?[\\", *p))
                buffer_add_char(&pattern, '\\');
            buffer_add_char(&pattern, *p);
        }
        sides[s].patterns[0] =
            pattern.failed ? NULL : arena_copy(arena, buffer_text(&pattern), pattern.size);
        buffer_free(&pattern);
        if (!sides[s].patterns[0])
            return out_of_memory(err);
        sides[s].pattern_by[0] = bit;
        sides[s].n_patterns = 1;
    }
    return 0;
}

/* A side is one machine, one variant, where that is what the sides differ in. */
static int side_check(struct compare_side *side, enum side which, unsigned mask,
                      struct arena *arena, struct err *err)
{
    static const unsigned bits[] = {BY_MACHINE, BY_VARIANT};
    const char *option = which == SIDE_BASE ? "base" : "new";
    struct names names;
    struct buffer text = {0};
    for (size_t i = 0; i < 2; i++) {
        TRY(names_collect(side, bits[i], arena, &names, err));
        if (names.n == 0)
            return err_set(err, ERR_UNCLEAR, "nothing is on the %s side%s", option,
                           side->half < 0 ? "" : ": no run was measured with collect run --aa");
        if (!(mask & bits[i]) || names.n == 1)
            continue;
        names_text(&names, &text);
        err_set(err, ERR_USAGE, "the %s side has %zu %ss, choose one with --%s=%s=PATTERN: %s",
                option, names.n, bit_name(bits[i]), option, bit_name(bits[i]), buffer_text(&text));
        buffer_free(&text);
        return err->code;
    }
    TRY(names_collect(side, BY_RUN, arena, &names, err));
    side->n_runs = names.n;
    return 0;
}

/* The file, and of machine, variant and run what the sides differ in. */
static int side_describe(struct compare_side *side, unsigned mask, struct arena *arena,
                         struct err *err)
{
    static const unsigned bits[] = {BY_MACHINE, BY_VARIANT, BY_RUN};
    struct buffer text = {0};
    struct names names;
    int result = 0;
    buffer_add_text(&text, side->file ? side->file : "");
    for (size_t i = 0; i < 3 && result >= 0; i++) {
        result = names_collect(side, bits[i], arena, &names, err);
        if (result < 0 || !(mask & bits[i]) || (bits[i] == BY_RUN && (side->file || names.n > 1)))
            continue;
        buffer_add_format(&text, "%s%s %s", text.size > 0 ? ", " : "", bit_name(bits[i]),
                          names.list[0]);
    }
    if (side->half >= 0)
        buffer_add_format(&text, "%sthe %s half", text.size > 0 ? ", " : "",
                          side->half == 0 ? "first" : "second");
    buffer_add_format(&text, "%s%zu %s", text.size > 0 ? "; " : "", side->n_runs,
                      side->n_runs == 1 ? "run" : "runs");
    side->name = text.failed ? NULL : arena_copy(arena, buffer_text(&text), text.size);
    buffer_free(&text);
    return result < 0 ? result : side->name ? 0 : out_of_memory(err);
}

static void times_set(struct compare_side *side)
{
    side->first_time = side->last_time = "";
    for (size_t c = 0; c < side->selection->n_cells; c++) {
        const struct cell *cell = &side->selection->cells[c];
        for (size_t i = 0; i < cell->n_records && side_has_cell(side, cell); i++)
            if (side_has_record(side, cell->records[i]))
                time_widen(&side->first_time, &side->last_time, cell->records[i]->time);
    }
}

int sides_choose(struct compare_side sides[static SIDES], const char *by, struct arena *arena,
                 unsigned *mask, struct err *err)
{
    bool is_one_archive = sides[SIDE_BASE].selection == sides[SIDE_NEW].selection;
    *mask = 0;
    if (by)
        TRY(by_parse(by, mask, err));
    else if (is_one_archive)
        return err_set(err, ERR_USAGE, "one file: --by says what the two sides are");
    for (int s = 0; s < SIDES; s++) {
        sides[s].half = -1;
        TRY(patterns_resolve(&sides[s], *mask ? *mask : BY_MACHINE, err));
    }
    if (!by)
        TRY(by_guess(sides, arena, mask, err));
    bool has_patterns = sides[SIDE_BASE].n_patterns > 0 || sides[SIDE_NEW].n_patterns > 0;
    if (is_one_archive && !has_patterns && *mask != BY_HALF)
        TRY(pair_choose(sides, *mask, arena, err));
    for (int s = 0; s < SIDES; s++) {
        if (*mask & BY_HALF)
            sides[s].half = s;
        TRY(side_check(&sides[s], (enum side)s, *mask, arena, err));
        TRY(side_describe(&sides[s], *mask, arena, err));
        times_set(&sides[s]);
    }
    return 0;
}
