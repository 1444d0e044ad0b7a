#include "normalize/side_sum.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct piece {
    const char *bytes;
    size_t size;
};

struct side_sum {
    pthread_mutex_t mutex;
    pthread_cond_t is_back; /* is_taken is false again */
    struct sha256 *hash;
    struct piece pieces[SIDE_SUM_PIECES]; /* by number */
    uint64_t n_offered, n_summed;
    size_t at;     /* in the first piece that is not summed */
    bool is_taken; /* a thread has the hash, and a part of that piece */
};

int side_sum_new(struct side_sum **out, struct err *err)
{
    struct side_sum *side = calloc(1, sizeof *side);
    if (!side)
        return err_set(err, ERR_SYSTEM, "out of memory");
    pthread_mutex_init(&side->mutex, NULL);
    pthread_cond_init(&side->is_back, NULL);
    *out = side;
    return 0;
}

void side_sum_free(struct side_sum *side)
{
    if (!side)
        return;
    pthread_cond_destroy(&side->is_back);
    pthread_mutex_destroy(&side->mutex);
    free(side);
}

static struct piece *piece_of(struct side_sum *side, uint64_t number)
{
    return &side->pieces[number % SIDE_SUM_PIECES];
}

/* At most `size` bytes of what is on offer; none while another thread has some. With the mutex
 * held, as is give_back. */
static struct piece take(struct side_sum *side, size_t size)
{
    if (side->is_taken || side->n_summed == side->n_offered)
        return (struct piece){0};
    const struct piece *piece = piece_of(side, side->n_summed + 1);
    size_t left = piece->size - side->at;
    side->is_taken = true;
    return (struct piece){piece->bytes + side->at, size < left ? size : left};
}

static void give_back(struct side_sum *side, struct piece part)
{
    side->at += part.size;
    if (side->at == piece_of(side, side->n_summed + 1)->size) {
        side->n_summed++;
        side->at = 0;
    }
    side->is_taken = false;
    pthread_cond_broadcast(&side->is_back);
}

void side_sum_begin(struct side_sum *side, struct sha256 *hash)
{
    pthread_mutex_lock(&side->mutex);
    side->hash = hash;
    pthread_mutex_unlock(&side->mutex);
}

void side_sum_end(struct side_sum *side)
{
    pthread_mutex_lock(&side->mutex);
    while (side->is_taken)
        pthread_cond_wait(&side->is_back, &side->mutex);
    side->n_offered = side->n_summed = 0;
    side->at = 0;
    side->hash = NULL;
    pthread_mutex_unlock(&side->mutex);
}

uint64_t side_sum_offer(struct side_sum *side, const char *bytes, size_t size)
{
    pthread_mutex_lock(&side->mutex);
    uint64_t number = ++side->n_offered;
    *piece_of(side, number) = (struct piece){bytes, size};
    pthread_mutex_unlock(&side->mutex);
    return number;
}

void side_sum_wait(struct side_sum *side, uint64_t piece)
{
    pthread_mutex_lock(&side->mutex);
    while (side->n_summed < piece && side->n_summed < side->n_offered) {
        if (side->is_taken) {
            pthread_cond_wait(&side->is_back, &side->mutex);
            continue;
        }
        struct piece part = take(side, SIZE_MAX);
        pthread_mutex_unlock(&side->mutex);
        sha256_add(side->hash, part.bytes, part.size);
        pthread_mutex_lock(&side->mutex);
        give_back(side, part);
    }
    pthread_mutex_unlock(&side->mutex);
}

void side_sum_add_beside(void *context, struct sha256 *hash, const void *bytes, size_t size)
{
    struct side_sum *side = context;
    pthread_mutex_lock(&side->mutex);
    struct piece part = take(side, size);
    pthread_mutex_unlock(&side->mutex);
    if (!part.bytes) {
        sha256_add(hash, bytes, size);
        return;
    }
    sha256_add_two(hash, bytes, size, side->hash, part.bytes, part.size);
    pthread_mutex_lock(&side->mutex);
    give_back(side, part);
    pthread_mutex_unlock(&side->mutex);
}
