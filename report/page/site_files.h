/* The folder that a site is written to, and how it takes its place. */
#ifndef REPORT_PAGE_SITE_FILES_H
#define REPORT_PAGE_SITE_FILES_H

#include <stddef.h>

#include "schema/buffer.h"
#include "schema/err.h"

#define SITE_GENERATOR "report of collect, normalize, report"

struct site_files {
    char *target;    /* without a slash at its end; owned */
    char *temporary; /* beside it; owned */
    int lock;        /* the temporary folder, locked while it is written; -1 */
};

/* ERR_USAGE when the target is there and is neither a site of ours nor an empty folder. Makes the
 * temporary folder, and removes those that processes left which were killed: marked as unfinished, with
 * parts of a site and nothing else in them, and nobody holds a lock on them. site_files_discard or
 * site_files_place ends it, after an error nothing does. */
int site_files_open(struct site_files *files, const char *target, struct err *err);
/* Makes a folder in it; there already is fine. */
int site_files_folder(const struct site_files *files, const char *path, struct err *err);
int site_files_write(const struct site_files *files, const char *path, const char *bytes,
                     size_t size, struct err *err);
/* Appends the whole path of a file in it. */
void site_files_path(const struct site_files *files, const char *path, struct buffer *out);
/* The temporary folder takes the target's place; what was there is removed. */
int site_files_place(struct site_files *files, struct err *err);
/* Removes the temporary folder and all in it. */
void site_files_discard(struct site_files *files);

#endif
