/* The SHA-256 of a file. */
#ifndef COLLECT_FINGERPRINT_FILE_HASH_H
#define COLLECT_FINGERPRINT_FILE_HASH_H

#include "schema/sha256.h"

/* 0, or the errno; out is then not filled. */
int file_hash(const char *path, char out[static SHA256_HEX_SIZE]);

#endif
