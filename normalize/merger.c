#include "normalize/merger.h"

#include <stdbool.h>
#include <stdlib.h>

/* A feed that is over comes behind all others. */
static bool is_before(const struct merger *merger, uint32_t a, uint32_t b)
{
    const struct row *x = merger->feeds[a]->row, *y = merger->feeds[b]->row;
    if (!x || !y)
        return x || (!y && a < b);
    int order = row_compare(x, y);
    return order < 0 || (order == 0 && a < b);
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
    if (!merger->losers)
        return err_set(err, ERR_SYSTEM, "out of memory");
    for (size_t i = 0; i < n; i++)
        TRY(feeds[i]->next(feeds[i], err));
    merger->losers[0] = n > 1 ? play(merger, 1) : 0;
    return 0;
}

int merger_next(struct merger *merger, struct err *err)
{
    uint32_t winner = merger->losers[0];
    TRY(merger->feeds[winner]->next(merger->feeds[winner], err));
    replay(merger, winner);
    return 0;
}

void merger_free(struct merger *merger)
{
    free(merger->losers);
    merger->losers = NULL;
}
