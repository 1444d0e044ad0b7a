/* In which cache an array lies: what makes a sample of so many bytes comparable with one that a
 * publication calls "L2". */
#ifndef REPORT_REGION_H
#define REPORT_REGION_H

#include "report/select.h"
#include "schema/err.h"

/* Sets region of all cells. The machines of the selection are made. */
int regions_set(struct selection *selection, struct err *err);

#endif
