#include "collect/control_group.h"

#include <string.h>

void group_free(struct group *group)
{
    buffer_free(&group->top);
    buffer_free(&group->path);
}

/* The path in the lines HIERARCHY:CONTROLLERS:PATH of /proc/self/cgroup. */
static bool group_path(const char *text, const char *controller, struct buffer *out)
{
    for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        size_t size = strcspn(p, "\n");
        const char *first = memchr(p, ':', size);
        const char *second = first ? memchr(first + 1, ':', (size_t)(p + size - first - 1)) : NULL;
        if (!second)
            continue;
        struct buffer list = {0};
        buffer_add(&list, first + 1, (size_t)(second - first - 1));
        bool is_it = controller[0] == '\0' ? list.size == 0
                                           : mount_option(buffer_text(&list), controller);
        buffer_free(&list);
        if (is_it) {
            buffer_clear(out);
            buffer_add(out, second + 1, (size_t)(p + size - second - 1));
            return true;
        }
    }
    return false;
}

bool group_find(const struct probe_root *root, const struct mounts *mounts, const char *cgroup,
                const char *controller, struct group *group)
{
    *group = (struct group){0};
    for (int version = 1; version <= 2; version++) {
        group->is_v2 = version == 2;
        for (size_t i = 0; i < mounts->n; i++) {
            const struct mount *mount = &mounts->mounts[i];
            if (strcmp(mount->type, group->is_v2 ? "cgroup2" : "cgroup") != 0 ||
                (!group->is_v2 && !mount_option(mount->super, controller)) ||
                !group_path(cgroup, group->is_v2 ? "" : controller, &group->path))
                continue;
            buffer_clear(&group->top);
            buffer_add_text(&group->top, mount->point);
            /* Without a namespace of its own, a container sees the path of the host and mounts
             * its own group as the top. */
            size_t size = strlen(mount->root);
            if (size > 1 && strncmp(buffer_text(&group->path), mount->root, size) == 0) {
                struct buffer below = {0};
                buffer_add_text(&below, buffer_text(&group->path) + size);
                buffer_free(&group->path);
                group->path = below;
            }
            if (group->path.size == 1 || strstr(buffer_text(&group->path), ".."))
                buffer_clear(&group->path);
            if (!probe_exists(root, "%s%s", buffer_text(&group->top), buffer_text(&group->path)))
                buffer_clear(&group->path);
            return true;
        }
    }
    group_free(group);
    *group = (struct group){0};
    return false;
}

bool group_up(struct group *group)
{
    if (group->path.size == 0)
        return false;
    while (group->path.size > 0 && group->path.bytes[group->path.size - 1] != '/')
        group->path.size--;
    if (group->path.size > 0)
        group->path.size--;
    group->path.bytes[group->path.size] = '\0';
    return true;
}

int group_read(const struct probe_root *root, const struct group *group, const char *file,
               struct buffer *out)
{
    return probe_read(root, out, "%s%s/%s", buffer_text(&group->top), buffer_text(&group->path),
                      file);
}
