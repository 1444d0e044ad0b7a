#include "collect/variant.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "build.h"
#include "collect/fingerprint/file_hash.h"
#include "kernels/program.h"
#include "schema/buffer.h"
#include "schema/command.h"

enum { PATH_SIZE = 4096, VARIANTS_MAX = 64 };

/* Where other builds lie, from the folder of this program; the name of the variant is the star's. */
static const char *const places[] = {"../../*/bin/collect", "../lib/collect/*/collect"};

static const struct kernel_code no_codes[] = {{0}};

extern char **environ;

static int out_of_memory(struct err *err)
{
    return err_set(err, ERR_SYSTEM, "out of memory");
}

static const char *keep(struct variants *variants, const char *text)
{
    return arena_copy(&variants->arena, text, strlen(text));
}

/* The emulator for the processor that a program was built for (e_machine of its ELF header). */
static const char *emulator_name(const char *path)
{
    static const struct {
        unsigned machine;
        const char *name;
    } emulators[] = {{EM_386, "qemu-i386"}, {EM_X86_64, "qemu-x86_64"}, {EM_AARCH64, "qemu-aarch64"},
                     {EM_ARM, "qemu-arm"},  {EM_RISCV, "qemu-riscv64"}};
    unsigned char header[20];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool is_read = fd >= 0 && read(fd, header, sizeof header) == (ssize_t)sizeof header;
    if (fd >= 0)
        close(fd);
    if (!is_read || memcmp(header, ELFMAG, SELFMAG) != 0)
        return NULL;
    unsigned machine = header[EI_DATA] == ELFDATA2MSB ? (unsigned)header[18] << 8 | header[19]
                                                      : (unsigned)header[19] << 8 | header[18];
    for (size_t i = 0; i < sizeof emulators / sizeof emulators[0]; i++)
        if (emulators[i].machine == machine)
            return emulators[i].name;
    return NULL;
}

/* What `[emulator] path worker` prints. 0, or an errno: ENOEXEC when it cannot run like that. */
static int description_read(const char *emulator, const char *path, struct buffer *out)
{
    union {
        const char *in[4];
        char *const *out;
    } argv = {{emulator ? emulator : path, emulator ? path : "worker", emulator ? "worker" : NULL,
               NULL}};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return errno;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child;
    union {
        const char **in;
        char **out;
    } arguments = {argv.in}; /* posix_spawn changes nothing, but says it might */
    int error = posix_spawn(&child, emulator ? emulator : path, &actions, NULL, arguments.out,
                            environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t n = 1; error == 0 && n > 0;) {
        char bytes[1024];
        n = read(ends[0], bytes, sizeof bytes);
        buffer_add(out, bytes, n > 0 ? (size_t)n : 0);
    }
    close(ends[0]);
    int status = 0;
    if (error == 0 && (waitpid(child, &status, 0) < 0 || status != 0))
        error = ENOEXEC;
    return error;
}

/* Lines HASH KERNEL. */
static bool codes_take(struct variants *variants, struct variant *variant, const char *text)
{
    size_t n = 0;
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    struct kernel_code *codes = arena_alloc(&variants->arena, (n + 1) * sizeof *codes);
    variant->codes = codes;
    for (size_t i = 0; i < n && codes; i++) {
        size_t hash = strcspn(text, " \n"), name = strcspn(text + hash, "\n");
        if (text[hash] != ' ' || text[hash + name] != '\n')
            return false;
        codes[i] = (struct kernel_code){arena_copy(&variants->arena, text + hash + 1, name - 1),
                                        arena_copy(&variants->arena, text, hash)};
        if (!codes[i].kernel || !codes[i].sha256)
            return false;
        text += hash + name + 1;
    }
    if (codes)
        codes[n] = (struct kernel_code){0};
    return codes != NULL;
}

/* The lines of a description, in order. */
static bool description_take(struct variants *variants, struct variant *variant, const char *text)
{
    const char **fields[] = {&variant->compiler, &variant->kernel_flags, &variant->harness_flags};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        size_t size = strcspn(text, "\n");
        if (text[size] != '\n')
            return false;
        *fields[i] = arena_copy(&variants->arena, text, size);
        text += size + 1;
    }
    return codes_take(variants, variant, text);
}

static int variant_ask(struct variants *variants, struct variant *variant, struct err *err)
{
    struct buffer text = {0};
    char emulator[PATH_SIZE], why[256], digest[SHA256_HEX_SIZE];
    const char *name = emulator_name(variant->path);
    int error = description_read(NULL, variant->path, &text);
    if (error != 0 && name && program_find(name, emulator, sizeof emulator)) {
        buffer_clear(&text);
        error = description_read(emulator, variant->path, &text);
        variant->emulator = keep(variants, emulator);
    }
    if (error != 0) {
        snprintf(why, sizeof why, "this kernel cannot run the variant (%s)%s%s%s", strerror(error),
                 name ? ", and " : "", name ? name : "", name ? " is not there or cannot either" : "");
        variant->why = keep(variants, why);
    } else if (text.failed || !description_take(variants, variant, buffer_text(&text))) {
        variant->why = "the variant does not describe itself: it is of another version";
    }
    buffer_free(&text);
    variant->program_sha256 =
        file_hash(variant->path, digest) == 0 ? keep(variants, digest) : "";
    return variant->program_sha256 ? 0 : out_of_memory(err);
}

static struct variant *variant_add(struct variants *variants, const char *name, const char *path)
{
    if (variants->n == VARIANTS_MAX)
        return NULL;
    struct variant *variant = &variants->variants[variants->n++];
    *variant = (struct variant){.name = keep(variants, name),
                                .path = path ? keep(variants, path) : NULL,
                                .compiler = "",
                                .kernel_flags = "",
                                .harness_flags = "",
                                .program_sha256 = "",
                                .codes = path ? no_codes : kernel_codes};
    return variant;
}

static bool is_wanted(const char *list, const char *name)
{
    if (strcmp(list, "all") == 0)
        return !strstr(name, "asan") && !strstr(name, "tsan");
    return argument_list_has(list, name);
}

/* The variants of one place: `pattern` has one star, `*` stands for the name. */
static int place_search(struct variants *variants, const char *list, const char *pattern,
                        struct err *err)
{
    char self[PATH_SIZE], full[2 * PATH_SIZE];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    if (size < 0)
        return err_system(err, "/proc/self/exe");
    self[size] = '\0';
    char *slash = strrchr(self, '/');
    *(slash ? slash : self) = '\0';
    snprintf(full, sizeof full, "%s/%s", self, pattern);
    const char *tail = strchr(pattern, '*') + 1;
    glob_t found;
    if (glob(full, 0, NULL, &found) != 0)
        return 0; /* none there */
    int result = 0;
    for (size_t i = 0; i < found.gl_pathc && result == 0; i++) {
        char *path = found.gl_pathv[i];
        char *end = path + strlen(path) - strlen(tail);
        *end = '\0';
        char name[256];
        snprintf(name, sizeof name, "%s", strrchr(path, '/') + 1);
        *end = *tail;
        if (strcmp(name, BUILD_VARIANT) == 0 || !is_wanted(list, name))
            continue;
        struct variant *variant = variant_add(variants, name, path);
        result = variant ? variant_ask(variants, variant, err)
                         : err_set(err, ERR_USAGE, "--variants: more than %d", VARIANTS_MAX);
    }
    globfree(&found);
    return result;
}

int variants_find(struct variants *variants, const char *list, struct err *err)
{
    *variants = (struct variants){0};
    variants->variants = calloc(VARIANTS_MAX, sizeof *variants->variants);
    if (!variants->variants)
        return out_of_memory(err);
    if (is_wanted(list, BUILD_VARIANT) || strcmp(list, "all") == 0)
        variant_add(variants, BUILD_VARIANT, NULL);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        TRY(place_search(variants, list, places[i], err));
    for (const char *p = list; strcmp(list, "all") != 0 && *p;) {
        char name[256];
        size_t size = strcspn(p, ",");
        snprintf(name, sizeof name, "%.*s", (int)size, p);
        bool is_there = false;
        for (size_t i = 0; i < variants->n; i++)
            is_there = is_there || strcmp(variants->variants[i].name, name) == 0;
        if (!is_there)
            return err_set(err, ERR_USAGE, "--variants: there is no '%s' beside this program (make "
                                           "variants builds them)", name);
        p += size + (p[size] == ',');
    }
    return 0;
}

void variants_free(struct variants *variants)
{
    free(variants->variants);
    arena_free(&variants->arena);
    *variants = (struct variants){0};
}

const char *kernel_code_find(const struct kernel_code *codes, const char *kernel)
{
    for (; codes->kernel; codes++)
        if (strcmp(codes->kernel, kernel) == 0)
            return codes->sha256;
    return "";
}

int variant_describe(struct err *err)
{
    bool is_written =
        printf("%s\n%s\n%s\n", BUILD_COMPILER, BUILD_KERNEL_FLAGS, BUILD_HARNESS_FLAGS) >= 0;
    for (const struct kernel_code *code = kernel_codes; code->kernel; code++)
        is_written = is_written && printf("%s %s\n", code->sha256, code->kernel) >= 0;
    return is_written && fflush(stdout) == 0 ? 0 : err_system(err, "standard output");
}
