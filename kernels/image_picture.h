/* What the kernel image works on, for its tests and their checks. */
#ifndef KERNELS_IMAGE_PICTURE_H
#define KERNELS_IMAGE_PICTURE_H

#include "kernels/image_edit.h"
#include "kernels/process_memory.h"

enum image_code { ENLARGE, SAVE, LOAD, SCROLL, ROTATE }; /* of the tests */

/* In job->state; `to` comes first: tests flip a byte there. */
struct picture {
    struct image to;   /* what run makes; its bytes are owned, mapped, like those of from */
    struct image from;
    size_t to_room, from_room; /* bytes mapped */
    uint64_t done;             /* rotations, screens */
    bool is_stretched;
    char *path; /* of the file; owned */
    bool can_look;
    struct process_memory before;
};

/* The shape of the image of a job. */
struct image image_whole(const struct kernel_job *job);
/* Rotates once more: what was made last. */
void image_turn(struct picture *picture);

enum kernel_outcome image_check(struct kernel_job *job);

#endif
