/* A temporary folder for a test, and files in it. Errors end the program: a test cannot go on. */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct folder {
    char path[256];
    char file[512]; /* of the last folder_file or folder_write */
};

static inline void folder_die(const char *what)
{
    perror(what);
    exit(99);
}

static inline void folder_make(struct folder *folder)
{
    const char *top = getenv("TMPDIR");
    snprintf(folder->path, sizeof folder->path, "%s/unit.XXXXXX", top ? top : "/tmp");
    if (!mkdtemp(folder->path))
        folder_die(folder->path);
}

static inline const char *folder_file(struct folder *folder, const char *name)
{
    snprintf(folder->file, sizeof folder->file, "%s/%s", folder->path, name);
    return folder->file;
}

static inline const char *folder_write(struct folder *folder, const char *name, const void *bytes,
                                       size_t size)
{
    FILE *file = fopen(folder_file(folder, name), "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        folder_die(folder->file);
    return folder->file;
}

/* Number of entries in the folder. */
static inline int folder_count(const struct folder *folder)
{
    int n = -2; /* . and .. */
    DIR *dir = opendir(folder->path);
    if (!dir)
        folder_die(folder->path);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* Removes the folder and the files in it; it has no folders inside. */
static inline void folder_remove(struct folder *folder)
{
    DIR *dir = opendir(folder->path);
    if (!dir)
        folder_die(folder->path);
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlink(folder_file(folder, entry->d_name));
    closedir(dir);
    if (rmdir(folder->path) < 0)
        folder_die(folder->path);
}

#endif
