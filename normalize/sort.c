/* Multikey quicksort (Bentley and Sedgewick, SODA 1997, section 3) with eight bytes a step, which
 * are kept beside the pointers (as caching multikey quicksort, Rantala 2007), so that most
 * comparisons touch no row; and bytes that a whole part has in common are skipped at once. */
#include "normalize/sort.h"

#include <stdbool.h>
#include <string.h>

enum { INSERTION_MAX = 12 };

/* Eight bytes of the text, as a number that is ordered as they are; zeros behind its end. No text is
 * the beginning of another, so zeros decide nothing. */
static uint64_t key_at(const struct row *row, uint32_t depth)
{
    unsigned char bytes[8] = {0};
    uint32_t left = depth < row->size ? row->size - depth : 0;
    if (left >= 8)
        memcpy(bytes, row->text + depth, 8);
    else
        memcpy(bytes, row->text + depth, left);
    uint64_t key = 0;
    for (int i = 0; i < 8; i++)
        key = key << 8 | bytes[i];
    return key;
}

static void swap(struct sort_entry *a, struct sort_entry *b)
{
    struct sort_entry c = *a;
    *a = *b;
    *b = c;
}

static bool is_before(const struct sort_entry *a, const struct sort_entry *b)
{
    return a->key != b->key ? a->key < b->key : row_compare(a->row, b->row) < 0;
}

static void sort_few(struct sort_entry *entries, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct sort_entry entry = entries[i];
        size_t at = i;
        for (; at > 0 && is_before(&entry, &entries[at - 1]); at--)
            entries[at] = entries[at - 1];
        entries[at] = entry;
    }
}

/* Heapsort: rows with equal texts, by place. */
static void sort_places(struct sort_entry *entries, size_t n)
{
    for (size_t start = n / 2, end = n; end > 1;) {
        if (start > 0)
            start--;
        else
            swap(&entries[0], &entries[--end]);
        for (size_t at = start, child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && row_is_place_before(entries[child].row, entries[child + 1].row))
                child++;
            if (!row_is_place_before(entries[at].row, entries[child].row))
                break;
            swap(&entries[at], &entries[child]);
        }
    }
}

static uint64_t median(uint64_t a, uint64_t b, uint64_t c)
{
    if (a < b)
        return b < c ? b : a < c ? c : a;
    return a < c ? a : b < c ? c : b;
}

/* Of nine keys from all over the part. */
static uint64_t choose_pivot(const struct sort_entry *e, size_t n)
{
    size_t step = n / 9;
    return median(median(e[0].key, e[step].key, e[2 * step].key),
                  median(e[3 * step].key, e[4 * step].key, e[5 * step].key),
                  median(e[6 * step].key, e[7 * step].key, e[n - 1].key));
}

/* How many bytes from `depth` on all texts share. */
static uint32_t common_size(const struct sort_entry *entries, size_t n, uint32_t depth)
{
    const struct row *first = entries[0].row;
    uint32_t shared = first->size - depth;
    for (size_t i = 1; i < n && shared > 0; i++) {
        const struct row *row = entries[i].row;
        uint32_t limit = row->size - depth < shared ? row->size - depth : shared, at = 0;
        uint64_t a, b;
        while (at + 8 <= limit) {
            memcpy(&a, first->text + depth + at, 8);
            memcpy(&b, row->text + depth + at, 8);
            if (a != b)
                break;
            at += 8;
        }
        while (at < limit && first->text[depth + at] == row->text[depth + at])
            at++;
        shared = at;
    }
    return shared;
}

/* All texts agree up to `depth`. False when they agree altogether. */
static bool load_keys(struct sort_entry *entries, size_t n, uint32_t *depth)
{
    *depth += common_size(entries, n, *depth);
    if (*depth == entries[0].row->size)
        return false;
    for (size_t i = 0; i < n; i++)
        entries[i].key = key_at(entries[i].row, *depth);
    return true;
}

struct part {
    struct sort_entry *entries;
    size_t n;
    uint32_t depth; /* the keys are the bytes from here on */
};

/* The part whose keys are equal goes on at the next bytes; false when it is sorted. */
static bool descend(struct part *part)
{
    if (part->n <= INSERTION_MAX)
        return part->n > 1;
    uint32_t size = part->entries[0].row->size;
    part->depth = part->depth + 8 < size ? part->depth + 8 : size;
    if (load_keys(part->entries, part->n, &part->depth))
        return true;
    sort_places(part->entries, part->n);
    return false;
}

static void sort_part(struct part part)
{
    while (part.n > INSERTION_MAX) {
        struct sort_entry *e = part.entries;
        uint64_t pivot = choose_pivot(e, part.n);
        size_t less = 0, at = 0, more = part.n;
        while (at < more) {
            if (e[at].key < pivot)
                swap(&e[less++], &e[at++]);
            else if (e[at].key > pivot)
                swap(&e[at], &e[--more]);
            else
                at++;
        }
        struct part parts[3] = {
            {e, less, part.depth},
            {e + less, more - less, part.depth},
            {e + more, part.n - more, part.depth},
        };
        if (!descend(&parts[1]))
            parts[1].n = 0;
        /* The largest part goes on here, so that the depth of the calls is that of a halving. */
        size_t largest = parts[0].n > parts[1].n ? 0 : 1;
        largest = parts[2].n > parts[largest].n ? 2 : largest;
        for (size_t i = 0; i < 3; i++)
            if (i != largest)
                sort_part(parts[i]);
        part = parts[largest];
    }
    sort_few(part.entries, part.n);
}

void sort_rows(struct sort_entry *entries, size_t n)
{
    uint32_t depth = 0;
    if (n < 2)
        return;
    if (load_keys(entries, n, &depth))
        sort_part((struct part){entries, n, depth});
    else
        sort_places(entries, n);
}
