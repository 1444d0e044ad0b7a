/* Facts that only a kernel of the run can find out, such as what a driver calls itself. */
#ifndef COLLECT_KERNEL_FACTS_H
#define COLLECT_KERNEL_FACTS_H

#include "collect/fingerprint/facts.h"
#include "collect/plan.h"

/* Asks each kernel of the plan that has some, in a child process: a driver may crash or hang. What then
 * is not known says so, as a fact "<kernel>.facts". An error is one of this process. */
int kernel_facts_add(const struct plan *plan, struct facts *facts, struct err *err);

#endif
