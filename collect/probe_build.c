/* How the program that measures was built. A captured tree says nothing of that. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "build.h"
#include "collect/probe.h"
#include "schema/sha256.h"

static const struct {
    const char *name, *text;
} built_in[] = {
    {"build.version", BUILD_VERSION},
    {"build.compiler", BUILD_COMPILER},
    {"build.variant", BUILD_VARIANT},
    {"build.harness_flags", BUILD_HARNESS_FLAGS},
    {"build.kernel_flags", BUILD_KERNEL_FLAGS},
};

static int hash_program(char out[static SHA256_HEX_SIZE])
{
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
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
    sha256_finish(&hash, out);
    return error;
}

static void identity(const struct probe_root *root, struct facts *facts)
{
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++)
        if (probe_is_live(root))
            facts_add_text(facts, built_in[i].name, built_in[i].text, "the build");
        else
            facts_add_unknown(facts, built_in[i].name, "the build", PROBE_NOT_LIVE);
    char digest[SHA256_HEX_SIZE];
    int error = probe_is_live(root) ? hash_program(digest) : ENOENT;
    if (error == 0)
        facts_add_text(facts, "build.program_sha256", digest, "/proc/self/exe");
    else if (probe_is_live(root))
        facts_add_unknown(facts, "build.program_sha256", "/proc/self/exe", "%s: /proc/self/exe",
                          probe_reason(error));
    else
        facts_add_unknown(facts, "build.program_sha256", "/proc/self/exe", PROBE_NOT_LIVE);
}

const struct probe probe_build = {.name = "build", .identity = identity};
