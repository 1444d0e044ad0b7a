/* Ciphers: RC4, and block ciphers in CBC mode (FIPS 81). A cipher is a table of functions. */
#ifndef KERNELS_CRYPTO_CIPHER_H
#define KERNELS_CRYPTO_CIPHER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CIPHER_BLOCK_MAX = 16, CIPHER_KEY_MAX = 32 };

struct cipher_kind {
    const char *name;
    size_t key_bytes;              /* of the key that is timed */
    size_t block_bytes;            /* 1: a stream */
    size_t state_bytes;            /* may be copied by memcpy */
    void (*prepare)(void *state);  /* what does not depend on the key, once; NULL: nothing */
    void (*set_key)(void *state, const uint8_t *key, size_t key_bytes);
    /* size: a multiple of the block. iv: [block_bytes], afterwards that of the data to follow; of no
     * meaning to a stream, whose state goes on instead. in and out may not overlap. */
    void (*encrypt)(void *state, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t size);
    /* A stream's undoes its latest encrypt, of the same size. */
    void (*decrypt)(void *state, uint8_t *iv, const uint8_t *in, uint8_t *out, size_t size);
};

extern const struct cipher_kind cipher_rc4, cipher_des, cipher_rc2, cipher_idea, cipher_blowfish,
    cipher_cast, cipher_aes_128, cipher_aes_192, cipher_aes_256;

/* Defines NAME_cbc_encrypt and NAME_cbc_decrypt, of blocks of BYTES, 8 or 16, from NAME_encrypt and
 * NAME_decrypt(const STATE *, uint8_t *block), inlined. */
#define CIPHER_CBC(NAME, STATE, BYTES) \
    static void NAME##_cbc_encrypt(void *state, uint8_t *iv, const uint8_t *in, uint8_t *out, \
                                   size_t size) \
    { \
        uint8_t chain[BYTES]; \
        memcpy(chain, iv, BYTES); \
        for (; size >= BYTES; size -= BYTES, in += BYTES, out += BYTES) { \
            cipher_xor(chain, in, BYTES); \
            NAME##_encrypt((const STATE *)state, chain); \
            memcpy(out, chain, BYTES); \
        } \
        memcpy(iv, chain, BYTES); \
    } \
    static void NAME##_cbc_decrypt(void *state, uint8_t *iv, const uint8_t *in, uint8_t *out, \
                                   size_t size) \
    { \
        for (; size >= BYTES; size -= BYTES, in += BYTES, out += BYTES) { \
            memcpy(out, in, BYTES); \
            NAME##_decrypt((const STATE *)state, out); \
            cipher_xor(out, iv, BYTES); \
            memcpy(iv, in, BYTES); \
        } \
    }

/* size: a multiple of 8 */
static inline void cipher_xor(uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t a, b;
        memcpy(&a, to + i, 8);
        memcpy(&b, from + i, 8);
        a ^= b;
        memcpy(to + i, &a, 8);
    }
}

#endif
