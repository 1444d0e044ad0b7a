/* How the program that measures was built. A captured tree says nothing of that. */
#include <errno.h>

#include "build.h"
#include "collect/fingerprint/file_hash.h"
#include "collect/fingerprint/probe.h"

static const struct {
    const char *name, *text;
} built_in[] = {
    {"build.version", BUILD_VERSION},
    {"build.compiler", BUILD_COMPILER},
    {"build.variant", BUILD_VARIANT},
    {"build.harness_flags", BUILD_HARNESS_FLAGS},
    {"build.kernel_flags", BUILD_KERNEL_FLAGS},
};

static void identity(const struct probe_root *root, struct facts *facts)
{
    for (size_t i = 0; i < sizeof built_in / sizeof built_in[0]; i++)
        if (probe_is_live(root))
            facts_add_text(facts, built_in[i].name, built_in[i].text, "the build");
        else
            facts_add_unknown(facts, built_in[i].name, "the build", PROBE_NOT_LIVE);
    char digest[SHA256_HEX_SIZE];
    int error = probe_is_live(root) ? file_hash("/proc/self/exe", digest) : ENOENT;
    if (error == 0)
        facts_add_text(facts, "build.program_sha256", digest, "/proc/self/exe");
    else if (probe_is_live(root))
        facts_add_unknown(facts, "build.program_sha256", "/proc/self/exe", "%s: /proc/self/exe",
                          probe_reason(error));
    else
        facts_add_unknown(facts, "build.program_sha256", "/proc/self/exe", PROBE_NOT_LIVE);
}

const struct probe probe_build = {.name = "build", .identity = identity};
