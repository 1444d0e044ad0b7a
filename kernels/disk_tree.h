/* A generated tree of folders and small files with the shape of one that was copied in 2007, and
 * copies of it. */
#ifndef KERNELS_DISK_TREE_H
#define KERNELS_DISK_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

struct disk_tree {
    const char *folder; /* that it lies in; borrowed */
    uint32_t n_folders; /* below the top, which is number 0 */
    uint32_t n_files;
    uint32_t *parent;     /* [n_folders + 1] of each folder, numbers below its own; owned */
    uint32_t *first_file; /* [n_folders + 2] of each folder, which has all up to the next's; owned */
    uint32_t *size;       /* [n_files] bytes; owned */
    unsigned char *bytes; /* [bytes_size] of the job's memory: what the files are filled with */
    size_t bytes_size;    /* twice the largest file at least */
    uint64_t seed;        /* of the bytes */
};

enum disk_copy { DISK_COPY_READ_WRITE, DISK_COPY_FILE_RANGE };

size_t disk_tree_memory(uint64_t bytes);
/* The shape: the same for the same numbers, on every machine. disk_tree_end ends it in any case. */
enum kernel_outcome disk_tree_begin(struct kernel_job *job, struct disk_tree *tree, uint64_t bytes,
                                    uint64_t n_files, uint64_t n_folders);
void disk_tree_end(struct disk_tree *tree);

/* Makes the tree, puts it on the device and empties the page cache of it. */
enum kernel_outcome disk_tree_make(struct kernel_job *job, const struct disk_tree *tree);
/* The n-th copy, up to the last close. */
enum kernel_outcome disk_tree_copy(struct kernel_job *job, const struct disk_tree *tree, unsigned n,
                                   enum disk_copy how);
/* Compares every file of the n-th copy, and that there are no others. */
enum kernel_outcome disk_tree_compare(struct kernel_job *job, const struct disk_tree *tree,
                                      unsigned n);

/* Waits until everything of the file system with this folder is on its device. */
enum kernel_outcome disk_sync_all(struct kernel_job *job, const char *folder);
/* What is in a folder, not the folder; follows no link. */
void disk_empty(const char *folder);

#endif
