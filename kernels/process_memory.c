#include "kernels/process_memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The start of a file, as much as fits. */
static bool start_read(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool process_memory_look(struct process_memory *out)
{
    static const char key[] = "\nMemAvailable:";
    char text[1024], *end;
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) < 0 || !start_read("/proc/self/statm", text, sizeof text))
        return false;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    out->virtual_bytes = strtoull(text, &end, 10) * page;
    out->resident_bytes = strtoull(end, NULL, 10) * page;
    out->faults_major = (uint64_t)usage.ru_majflt;
    out->faults_minor = (uint64_t)usage.ru_minflt;
    if (!start_read("/proc/meminfo", text, sizeof text) || !(end = strstr(text, key)))
        return false;
    out->available_bytes = strtoull(end + strlen(key), NULL, 10) * 1024;
    return true;
}
