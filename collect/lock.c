#include "collect/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int lock_take(const char *path, int should_make)
{
    int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | (should_make ? O_CREAT | O_TRUNC : 0);
    int fd = open(path, flags, 0600);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fd >= 0 && fcntl(fd, F_SETLK, &whole) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}
