/* A file of blocks whose bytes are defined by a seed, for the kernels that measure disks.
 *
 * The bytes are a pool of random ones as long as 1 MiB or one block, over and over, but with a stamp
 * at every 4096 bytes of each block, from its first byte on, that differs from all others. So no page
 * of the file is like another and none compresses, while what must be made inside a timed loop is 8
 * bytes in 4096. */
#ifndef KERNELS_DISK_FILE_H
#define KERNELS_DISK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernel.h"

struct disk_file {
    char *path; /* owned */
    int fd;     /* -1: not open */
    bool is_direct;
    uint64_t n_blocks;
    size_t block;
    uint64_t seed;
    size_t pool_blocks;
    unsigned char *pool;   /* [pool_blocks * block], of the job's memory */
    unsigned char *buffer; /* [block], aligned as the pool is: to a page */
};

/* Memory that a job with such a file wants. */
size_t disk_file_memory(uint64_t block, uint64_t n_blocks);
/* In job->folder, named by the thread; fills the pool in job->memory. disk_file_end ends it, whatever
 * came out. */
enum kernel_outcome disk_file_begin(struct kernel_job *job, struct disk_file *file, uint64_t block,
                                    uint64_t n_blocks, bool is_direct);
void disk_file_end(struct disk_file *file); /* closes and removes it */

/* Anew and empty. In direct mode KERNEL_UNAVAILABLE where the file system or the size of a block does
 * not allow that, as far as the system tells before the first transfer. */
enum kernel_outcome disk_file_create(struct kernel_job *job, struct disk_file *file);
/* Written, on the device, not in the page cache any more, and open in the mode wanted. */
enum kernel_outcome disk_file_prepare(struct kernel_job *job, struct disk_file *file, bool writable);

/* The bytes of a block in its version-th form, 0 being what disk_file_prepare writes; they stay until
 * the next call. */
const unsigned char *disk_file_bytes(const struct disk_file *file, uint64_t index,
                                     uint64_t version);
enum kernel_outcome disk_file_write(struct kernel_job *job, const struct disk_file *file,
                                    uint64_t index, uint64_t version);
/* Into file->buffer. KERNEL_WRONG where the file ends before. */
enum kernel_outcome disk_file_read(struct kernel_job *job, const struct disk_file *file,
                                   uint64_t index);
enum kernel_outcome disk_file_sync(struct kernel_job *job, const struct disk_file *file);
/* Where the first byte lies on the device that the file system is on, in bytes: on a disk that turns
 * the start is faster than the end. False where the file system does not tell. */
bool disk_file_place(const struct disk_file *file, uint64_t *place);
/* The block in the buffer begins with its stamp: that costs next to nothing, and shows that this block
 * was read and no other. */
bool disk_file_has_stamp(const struct disk_file *file, uint64_t index);
/* Compares the block in the buffer. */
enum kernel_outcome disk_file_compare(struct kernel_job *job, const struct disk_file *file,
                                      uint64_t index, uint64_t version);
/* Compares every byte of the file, read through the page cache, which is emptied before as far as it
 * can be. versions: [n_blocks], NULL: 0 for all. */
enum kernel_outcome disk_file_compare_all(struct kernel_job *job, const struct disk_file *file,
                                          const uint32_t *versions);

/* Stamps bytes that lie at a position of what they belong to. */
void disk_stamp(void *bytes, size_t size, uint64_t seed, uint64_t position);
/* What errno says of a transfer: "no space" among it. place: where, such as "block 7". */
enum kernel_outcome disk_trouble(struct kernel_job *job, const char *verb, const char *place);
/* KERNEL_UNAVAILABLE unless so many bytes fit into the free space of job->folder. */
enum kernel_outcome disk_room(struct kernel_job *job, uint64_t bytes);
/* KERNEL_UNAVAILABLE where transfers of so many bytes cannot bypass the page cache. */
enum kernel_outcome disk_direct_possible(struct kernel_job *job, int fd, uint64_t bytes);

/* A setting `size` of bytes in each thread's file: as much as the suite has, or less, so that the
 * files of all processors' threads take no more than a tenth of the free space. */
extern const struct kernel_setting disk_size_setting;
extern const struct kernel_setting disk_mode_setting; /* buffered,direct */
bool disk_is_direct(const struct kernel_job *job);

#endif
