/* Runs a fuzz target over files, or the files of folders, given as arguments: any compiler will do.
 * One TAP line for each; a target that finds something ends the program. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static int n_files;

static void die(const char *path)
{
    perror(path);
    exit(1);
}

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die(path);
    uint8_t *bytes = NULL;
    size_t size = 0, capacity = 0, n;
    do {
        if (size == capacity) {
            capacity = capacity ? capacity * 2 : 4096;
            uint8_t *larger = realloc(bytes, capacity);
            if (!larger)
                die(path);
            bytes = larger;
        }
        n = fread(bytes + size, 1, capacity - size, file);
        size += n;
    } while (n > 0);
    if (ferror(file) || fclose(file) != 0)
        die(path);
    /* A block of exactly this size, so that a sanitizer sees a read beyond it. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        die(path);
    memcpy(exact, bytes, size);
    free(bytes);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    const char *slash = strrchr(path, '/');
    printf("ok %d - %s\n", ++n_files, slash ? slash + 1 : path);
    fflush(stdout);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct dirent **entries;
        int n = scandir(argv[i], &entries, is_visible, alphasort);
        if (n < 0)
            replay_file(argv[i]);
        for (int k = 0; k < n; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entries[k]->d_name);
            replay_file(path);
            free(entries[k]);
        }
        if (n >= 0)
            free(entries);
    }
    printf("1..%d\n", n_files);
    return n_files > 0 ? 0 : 1;
}
