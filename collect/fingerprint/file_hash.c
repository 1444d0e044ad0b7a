#include "collect/fingerprint/file_hash.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int file_hash(const char *path, char out[static SHA256_HEX_SIZE])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    struct sha256 hash;
    sha256_init(&hash);
    char bytes[16384];
    ssize_t n;
    while ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            sha256_add(&hash, bytes, (size_t)n);
    int error = n < 0 ? errno : 0;
    close(fd);
    if (error == 0)
        sha256_finish(&hash, out);
    return error;
}
