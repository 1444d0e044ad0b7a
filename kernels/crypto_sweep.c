#include "kernels/crypto_sweep.h"

#include <string.h>

size_t crypto_sizes(const struct kernel_host *host, enum kernel_suite suite, uint64_t *out,
                    size_t capacity)
{
    static const uint64_t all[] = {16, 64, 256, 1024, 8192}, quick[] = {16, 1024, 8192};
    (void)host;
    const uint64_t *from = suite == SUITE_QUICK ? quick : all;
    size_t n = suite == SUITE_QUICK ? sizeof quick / sizeof quick[0] : sizeof all / sizeof all[0];
    n = n < capacity ? n : capacity;
    memcpy(out, from, n * sizeof *out);
    return n;
}

static const struct kernel_setting rsa_bits = {.key = "bits",
                                               .help = "length of the key",
                                               .type = SETTING_WORD,
                                               .values = {"1024", "1024,2048",
                                                          "512,1024,2048,4096"},
                                               .allowed = "512,1024,2048,3072,4096"};
static const struct kernel_setting dsa_bits = {.key = "bits",
                                               .help = "length of p",
                                               .type = SETTING_WORD,
                                               .values = {"1024", "1024,2048", "512,1024,2048"},
                                               .allowed = "512,1024,2048"};
const struct kernel_setting *const crypto_rsa_settings[] = {&rsa_bits, NULL};
const struct kernel_setting *const crypto_dsa_settings[] = {&dsa_bits, NULL};
