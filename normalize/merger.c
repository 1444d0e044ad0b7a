#include "normalize/merger.h"

#include <stdbool.h>
#include <stdlib.h>

/* Behind all others. */
static const uint64_t CODE_OVER = UINT64_MAX;

static uint64_t code_of(const struct row *row, uint32_t shared)
{
    unsigned char next = shared < row->size ? (unsigned char)row->text[shared] : 0;
    return (uint64_t)(UINT32_MAX - shared) << 8 | next;
}

/* Of two rows that agree with the last one, and with each other, up to the byte of their codes. The
 * loser's code is then by the winner. */
static bool is_before_by_bytes(struct merger *merger, uint32_t a, uint32_t b)
{
    const struct row *x = merger->feeds[a]->row, *y = merger->feeds[b]->row;
    uint32_t shared = UINT32_MAX - (uint32_t)(merger->codes[a] >> 8);
    shared = row_shared(x, y, shared);
    bool is_before = shared < x->size && shared < y->size
                         ? (unsigned char)x->text[shared] < (unsigned char)y->text[shared]
                         : row_is_place_before(x, y);
    merger->codes[is_before ? b : a] = code_of(is_before ? y : x, shared);
    return is_before;
}

/* Both codes are by the same row. */
static bool is_before(struct merger *merger, uint32_t a, uint32_t b)
{
    uint64_t x = merger->codes[a], y = merger->codes[b];
    if (x != y)
        return x < y;
    return x == CODE_OVER ? a < b : is_before_by_bytes(merger, a, b);
}

static int advance(struct merger *merger, uint32_t feed, struct err *err)
{
    TRY(merger->feeds[feed]->next(merger->feeds[feed], err));
    const struct row *row = merger->feeds[feed]->row;
    merger->codes[feed] = row ? code_of(row, row->shared) : CODE_OVER;
    return 0;
}

/* The feed plays its way from its leaf to the top. */
static void replay(struct merger *merger, uint32_t feed)
{
    uint32_t winner = feed;
    for (size_t at = (feed + merger->n) / 2; at > 0; at /= 2) {
        uint32_t loser = merger->losers[at];
        if (is_before(merger, loser, winner)) {
            merger->losers[at] = winner;
            winner = loser;
        }
    }
    merger->losers[0] = winner;
}

/* The winner below the node; nodes from n on are the leaves. */
static uint32_t play(struct merger *merger, size_t node)
{
    if (node >= merger->n)
        return (uint32_t)(node - merger->n);
    uint32_t a = play(merger, 2 * node), b = play(merger, 2 * node + 1);
    bool wins = is_before(merger, a, b);
    merger->losers[node] = wins ? b : a;
    return wins ? a : b;
}

int merger_init(struct merger *merger, struct feed **feeds, size_t n, struct err *err)
{
    *merger = (struct merger){.feeds = feeds, .n = n};
    if (n == 0)
        return 0;
    merger->losers = calloc(n, sizeof *merger->losers);
    merger->codes = calloc(n, sizeof *merger->codes);
    if (!merger->losers || !merger->codes)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (uint32_t i = 0; i < n; i++)
        TRY(advance(merger, i, err));
    merger->losers[0] = n > 1 ? play(merger, 1) : 0;
    return 0;
}

int merger_next(struct merger *merger, struct err *err)
{
    uint32_t winner = merger->losers[0];
    TRY(advance(merger, winner, err));
    replay(merger, winner);
    return 0;
}

void merger_free(struct merger *merger)
{
    free(merger->losers);
    free(merger->codes);
    merger->losers = NULL;
    merger->codes = NULL;
}
