/* IDEA: Lai, On the Design and Security of Block Ciphers, ETH Series in Information Processing 1,
 * Hartung-Gorre 1992, chapter 3. */
#include "kernels/crypto_bytes.h"
#include "kernels/crypto_cipher.h"

enum { ROUNDS = 8, KEYS = 6 * ROUNDS + 4 };

struct idea {
    uint16_t forward[KEYS], backward[KEYS];
};

/* The product modulo 65537, where 0 stands for 65536, both ways. */
static inline uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = a * b;
    if (product == 0)
        return (1 - a - b) & 0xffff;
    uint32_t low = product & 0xffff, high = product >> 16;
    return (low - high + (low < high)) & 0xffff;
}

/* a^65535 modulo 65537 (Fermat). */
static uint32_t inverse(uint32_t a)
{
    uint32_t power = a;
    for (int i = 0; i < 15; i++)
        power = multiply(multiply(power, power), a);
    return power;
}

/* Subkeys are successive bits of the key, which turns left by 25 after each eight of them. */
static void idea_set_key(void *state, const uint8_t *key, size_t key_bytes)
{
    (void)key_bytes;
    struct idea *idea = state;
    uint64_t high = load_big64(key), low = load_big64(key + 8);
    for (int i = 0; i < KEYS; i++) {
        if (i > 0 && i % 8 == 0) {
            uint64_t turned = high << 25 | low >> 39;
            low = low << 25 | high >> 39;
            high = turned;
        }
        idea->forward[i] = (uint16_t)((i % 8 < 4 ? high : low) >> (48 - 16 * (i % 4)));
    }
    for (int round = 0; round <= ROUNDS; round++) {
        const uint16_t *from = idea->forward + 6 * (ROUNDS - round);
        uint16_t *to = idea->backward + 6 * round;
        int is_swapped = round > 0 && round < ROUNDS;
        to[0] = (uint16_t)inverse(from[0]);
        to[1 + is_swapped] = (uint16_t)-from[1];
        to[2 - is_swapped] = (uint16_t)-from[2];
        to[3] = (uint16_t)inverse(from[3]);
        if (round < ROUNDS) {
            to[4] = from[-2];
            to[5] = from[-1];
        }
    }
}

static inline void idea_block(const uint16_t *key, uint8_t *block)
{
    uint32_t a = load_big16(block), b = load_big16(block + 2), c = load_big16(block + 4),
             d = load_big16(block + 6);
    for (int round = 0; round < ROUNDS; round++, key += 6) {
        a = multiply(a, key[0]);
        b = (b + key[1]) & 0xffff;
        c = (c + key[2]) & 0xffff;
        d = multiply(d, key[3]);
        uint32_t s = multiply(a ^ c, key[4]);
        uint32_t t = multiply((s + (b ^ d)) & 0xffff, key[5]);
        s = (s + t) & 0xffff;
        a ^= t;
        d ^= s;
        s ^= b;
        b = c ^ t;
        c = s;
    }
    store_big16(block, multiply(a, key[0]));
    store_big16(block + 2, c + key[1]);
    store_big16(block + 4, b + key[2]);
    store_big16(block + 6, multiply(d, key[3]));
}

static inline void idea_encrypt(const struct idea *idea, uint8_t *block)
{
    idea_block(idea->forward, block);
}

static inline void idea_decrypt(const struct idea *idea, uint8_t *block)
{
    idea_block(idea->backward, block);
}

CIPHER_CBC(idea, struct idea, 8)

const struct cipher_kind cipher_idea = {.name = "idea_cbc",
                                        .key_bytes = 16,
                                        .block_bytes = 8,
                                        .state_bytes = sizeof(struct idea),
                                        .set_key = idea_set_key,
                                        .encrypt = idea_cbc_encrypt,
                                        .decrypt = idea_cbc_decrypt};
