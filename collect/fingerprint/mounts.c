#include "collect/fingerprint/mounts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes the next field off a line in place; NULL at its end. */
static char *next_field(char **line)
{
    char *p = *line + strspn(*line, " ");
    if (*p == '\0')
        return NULL;
    size_t size = strcspn(p, " ");
    *line = p + size + (p[size] != '\0');
    p[size] = '\0';
    return p;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* \040 and its like, in place. */
static char *unescape(char *field)
{
    char *to = field;
    for (const char *from = field; *from; to++) {
        if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) && is_octal(from[3])) {
            *to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return field;
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAG...] - TYPE SOURCE SUPER */
static bool parse_line(char *line, struct mount *mount)
{
    char *fields[6];
    for (size_t i = 0; i < 6; i++)
        if (!(fields[i] = next_field(&line)))
            return false;
    for (const char *tag = ""; strcmp(tag, "-") != 0;)
        if (!(tag = next_field(&line)))
            return false;
    char *type = next_field(&line), *source = next_field(&line), *super = next_field(&line);
    const char *colon = strchr(fields[2], ':');
    if (!super || !colon || !probe_count(fields[2], &mount->major) ||
        !probe_count(colon + 1, &mount->minor))
        return false;
    mount->root = unescape(fields[3]);
    mount->point = unescape(fields[4]);
    mount->options = fields[5];
    mount->type = type;
    mount->source = unescape(source);
    mount->super = super;
    return true;
}

int mounts_read(const struct probe_root *root, struct mounts *mounts)
{
    *mounts = (struct mounts){0};
    int error = probe_read(root, &mounts->text, "/proc/self/mountinfo");
    if (error != 0 || mounts->text.size == 0)
        return error != 0 ? error : ENOENT;
    size_t n_lines = 1;
    for (size_t i = 0; i < mounts->text.size; i++)
        n_lines += mounts->text.bytes[i] == '\n';
    mounts->mounts = calloc(n_lines, sizeof *mounts->mounts);
    if (!mounts->mounts)
        return ENOMEM;
    char *rest = NULL;
    for (char *line = strtok_r(mounts->text.bytes, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (parse_line(line, &mounts->mounts[mounts->n]))
            mounts->n++;
    return 0;
}

void mounts_free(struct mounts *mounts)
{
    free(mounts->mounts);
    buffer_free(&mounts->text);
    *mounts = (struct mounts){0};
}

const struct mount *mounts_find(const struct mounts *mounts, const char *path)
{
    const struct mount *best = NULL;
    size_t best_size = 0;
    for (size_t i = 0; i < mounts->n; i++) {
        const struct mount *mount = &mounts->mounts[i];
        size_t size = strlen(mount->point);
        while (size > 0 && mount->point[size - 1] == '/')
            size--;
        bool is_above = strncmp(path, mount->point, size) == 0 &&
                        (path[size] == '\0' || path[size] == '/');
        /* Of two on one point the later hides the earlier. */
        if (is_above && (!best || size >= best_size)) {
            best = mount;
            best_size = size;
        }
    }
    return best;
}

bool mount_option(const char *options, const char *name)
{
    size_t name_size = strlen(name);
    while (*options) {
        size_t size = strcspn(options, ",");
        if (size == name_size && memcmp(options, name, size) == 0)
            return true;
        options += size + (options[size] == ',');
    }
    return false;
}
