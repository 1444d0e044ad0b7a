/* What a result must say of itself before others may rely on it. */
#ifndef REPORT_PAGE_PUBLISH_H
#define REPORT_PAGE_PUBLISH_H

#include "report/select.h"
#include "schema/buffer.h"
#include "schema/err.h"

/* Appends a line for each hole: a required fact that a run which counts does not have, or does not
 * know. Archived runs, whose time is a date, may say with a reason that something is unknown: nobody
 * can look any more. ERR_DATA when there is one. */
int publish_check(const struct selection *selection, struct buffer *holes, struct err *err);

#endif
