/* What the kernels crypto and openssl_speed sweep alike, so that their samples stand side by side. */
#ifndef KERNELS_CRYPTO_SWEEP_H
#define KERNELS_CRYPTO_SWEEP_H

#include "kernels/kernel.h"

/* Sizes of messages, as in struct kernel. */
size_t crypto_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                    size_t capacity);

/* Lengths of keys, as in struct kernel_test. */
extern const struct kernel_setting *const crypto_rsa_settings[], *const crypto_dsa_settings[];

#endif
