/* The static site: plain files that work from a disk, without a network and without JavaScript. */
#ifndef REPORT_PAGE_SITE_H
#define REPORT_PAGE_SITE_H

#include "report/page/template.h"
#include "schema/archive.h"
#include "schema/err.h"

/* datasets: a folder of publications (report/page/publication.h), or NULL. base: a pattern of the builds of
 * collect that others are held against, or NULL for the first in order.
 * Writes the site of the archive to `folder`: into a new folder beside it first, which then takes
 * its place, so that nothing half written is ever seen. An older site of ours there, or an empty
 * folder, is replaced; ERR_USAGE for anything else. The same records give the same bytes. */
int site_write(const struct archive *archive, struct templates *templates, const char *datasets,
               const char *base, const char *folder, struct err *err);

#endif
