#include "collect/confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <mntent.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "collect-"

enum { PATH_SIZE = 1024, PARENTS_MAX = 4 };

enum kind { GROUP_V1, GROUP_V2, USER_SCOPE };

struct confine {
    enum kind kind;
    uint64_t limit_bytes;
    char path[PATH_SIZE]; /* of the group; of a scope its name */
};

/* Folders of control groups in which one of our own may be made, best first. */
struct parents {
    enum kind kind;
    char paths[PARENTS_MAX][PATH_SIZE];
    size_t n;
};

static void parent_add(struct parents *parents, const char *mount, const char *path)
{
    if (parents->n == PARENTS_MAX)
        return;
    char *to = parents->paths[parents->n];
    int size = snprintf(to, PATH_SIZE, "%s%s", mount, strcmp(path, "/") == 0 ? "" : path);
    bool is_new = size > 0 && size < PATH_SIZE && access(to, F_OK) == 0;
    for (size_t i = 0; i < parents->n && is_new; i++)
        is_new = strcmp(parents->paths[i], to) != 0;
    parents->n += is_new;
}

/* The path of this process in a hierarchy: lines ID:CONTROLLERS:PATH, no controllers in version 2. */
static void own_path(const char *controller, char out[static PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "/");
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[PATH_SIZE];
    while (file && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':');
        char *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        char list[PATH_SIZE], wanted[64];
        snprintf(list, sizeof list, ",%.*s,", PATH_SIZE - 3, names + 1);
        snprintf(wanted, sizeof wanted, ",%s,", controller);
        if (strstr(list, wanted))
            snprintf(out, PATH_SIZE, "%s", path);
    }
    if (file)
        fclose(file);
}

/* Version 1 where it has the memory controller, else version 2: a machine may mount both. */
static void parents_find(struct parents *parents)
{
    *parents = (struct parents){.kind = GROUP_V2};
    char v1[PATH_SIZE] = "", v2[PATH_SIZE] = "", own[PATH_SIZE];
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    for (struct mntent *mount; mounts && (mount = getmntent(mounts));) {
        if (strcmp(mount->mnt_type, "cgroup") == 0 && hasmntopt(mount, "memory"))
            snprintf(v1, sizeof v1, "%s", mount->mnt_dir);
        if (strcmp(mount->mnt_type, "cgroup2") == 0)
            snprintf(v2, sizeof v2, "%s", mount->mnt_dir);
    }
    if (mounts)
        endmntent(mounts);
    if (v1[0]) {
        parents->kind = GROUP_V1;
        own_path("memory", own);
        parent_add(parents, v1, own);
        parent_add(parents, v1, "/");
    } else if (v2[0]) {
        own_path("", own);
        parent_add(parents, v2, own);
        parent_add(parents, v2, "/");
    }
}

static int file_write(const char *folder, const char *name, const char *text)
{
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t n = write(fd, text, strlen(text));
    int error = errno;
    close(fd);
    errno = error;
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

/* The kernel lets a group go a moment after its last process. */
static int group_remove(const char *path)
{
    for (int tries = 0; tries < 100; tries++) {
        if (rmdir(path) == 0 || errno == ENOENT)
            return 0;
        if (errno != EBUSY)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return -1;
}

static int group_make(struct confine *confine, const char *parent, struct err *err)
{
    static unsigned n_made;
    bool is_v2 = confine->kind == GROUP_V2;
    if (is_v2) /* refused where the parent holds processes: then it may be on already */
        file_write(parent, "cgroup.subtree_control", "+memory");
    int size = snprintf(confine->path, sizeof confine->path, "%s/" PREFIX "%ld-%u", parent,
                        (long)getpid(), ++n_made);
    if (size < 0 || size >= PATH_SIZE)
        return err_set(err, ERR_SYSTEM, "%s: the path is too long", parent);
    if (mkdir(confine->path, 0755) < 0)
        return err_system(err, "cannot make the control group %s", confine->path);
    char limit[24];
    snprintf(limit, sizeof limit, "%" PRIu64, confine->limit_bytes);
    if (file_write(confine->path, is_v2 ? "memory.max" : "memory.limit_in_bytes", limit) < 0) {
        err_system(err, "cannot limit the memory of the control group %s", confine->path);
        group_remove(confine->path);
        return err->code;
    }
    /* Absent where swap is not accounted for: then it is not limited either. */
    file_write(confine->path, is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes",
               is_v2 ? "max" : "-1");
    return 0;
}

extern char **environ;

static int busctl_run(const char *const *arguments)
{
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    union {
        const char *const *in;
        char *const *out;
    } argv = {arguments}; /* posix_spawnp changes nothing, but says it might */
    if (posix_spawnp(&pid, "busctl", &actions, NULL, argv.out, environ) == 0)
        waitpid(pid, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0 ? 0 : -1;
}

/* A manager that answers can make scopes; only entering one shows whether it may limit memory. */
static bool user_manager_answers(void)
{
    static const char *const question[] = {"busctl", "--user", "status",
                                           "org.freedesktop.systemd1", NULL};
    return getuid() != 0 && busctl_run(question) == 0;
}

int confine_open(struct confine **out, uint64_t limit_bytes, struct err *err)
{
    struct parents parents;
    parents_find(&parents);
    struct confine *confine = calloc(1, sizeof *confine);
    if (!confine)
        return err_set(err, ERR_SYSTEM, "out of memory");
    *confine = (struct confine){.kind = parents.kind, .limit_bytes = limit_bytes};
    int result = err_set(err, ERR_SYSTEM, "no control groups for memory are mounted");
    for (size_t i = 0; i < parents.n && result < 0; i++)
        result = group_make(confine, parents.paths[i], err);
    if (result < 0 && user_manager_answers()) {
        confine->kind = USER_SCOPE;
        snprintf(confine->path, sizeof confine->path, PREFIX "%ld.scope", (long)getpid());
        result = 0;
    }
    if (result < 0) {
        free(confine);
        return result;
    }
    *out = confine;
    return 0;
}

/* org.freedesktop.systemd1.Manager.StartTransientUnit, systemd's D-Bus interface. */
static int scope_enter(const struct confine *confine, struct err *err)
{
    char pid[24], limit[24], infinity[24];
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    snprintf(limit, sizeof limit, "%" PRIu64, confine->limit_bytes);
    snprintf(infinity, sizeof infinity, "%" PRIu64, UINT64_MAX);
    const char *const call[] = {
        "busctl", "--user", "call", "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
        "org.freedesktop.systemd1.Manager", "StartTransientUnit", "ssa(sv)a(sa(sv))",
        confine->path, "fail", "3", "PIDs", "au", "1", pid, "MemoryMax", "t", limit,
        "MemorySwapMax", "t", infinity, "0", NULL};
    if (busctl_run(call) < 0)
        return err_set(err, ERR_SYSTEM, "the user's service manager refused a scope with a limit");
    return 0;
}

int confine_enter(const struct confine *confine, struct err *err)
{
    if (confine->kind == USER_SCOPE)
        return scope_enter(confine, err);
    if (file_write(confine->path, "cgroup.procs", "0") < 0)
        return err_system(err, "cannot enter the control group %s", confine->path);
    return 0;
}

/* The counter of the group, Linux 4.13 and later. */
bool confine_has_killed(const struct confine *confine)
{
    char path[PATH_SIZE + 64], line[128];
    unsigned long n = 0;
    if (confine->kind == USER_SCOPE)
        return false;
    snprintf(path, sizeof path, "%s/%s", confine->path,
             confine->kind == GROUP_V2 ? "memory.events" : "memory.oom_control");
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "oom_kill %lu", &n) == 1)
            break;
    if (file)
        fclose(file);
    return n > 0;
}

void confine_close(struct confine *confine)
{
    if (confine && confine->kind != USER_SCOPE) /* a scope goes with its last process */
        group_remove(confine->path);
    free(confine);
}

bool confine_is_possible(void)
{
    struct confine *confine;
    struct err err;
    if (confine_open(&confine, UINT64_C(64) << 20, &err) < 0)
        return false;
    confine_close(confine);
    return true;
}

void confine_tidy(void (*removed)(const char *path))
{
    struct parents parents;
    parents_find(&parents);
    for (size_t i = 0; i < parents.n; i++) {
        DIR *folder = opendir(parents.paths[i]);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            long pid;
            char path[PATH_SIZE + 300];
            if (sscanf(entry->d_name, PREFIX "%ld-", &pid) != 1 || pid <= 0 ||
                kill((pid_t)pid, 0) == 0 || errno != ESRCH)
                continue;
            snprintf(path, sizeof path, "%s/%s", parents.paths[i], entry->d_name);
            if (group_remove(path) == 0 && removed)
                removed(path);
        }
        if (folder)
            closedir(folder);
    }
}
