/* What is known of the variants of a run, as fact rows. */
#ifndef COLLECT_VARIANT_FACTS_H
#define COLLECT_VARIANT_FACTS_H

#include "collect/fingerprint/facts.h"
#include "collect/plan.h"
#include "collect/variant.h"

/* For each variant but this program, whose facts are identity facts: build.compiler,
 * build.kernel_flags, build.harness_flags, build.program_sha256. For all of them, or without any for
 * this program, and every kernel of the plan build.kernel_code.KERNEL. The params of the rows name the
 * variant. */
int variant_facts_write(const struct variants *variants, const struct plan *plan,
                        const struct run_identity *identity, struct writer *writer,
                        struct err *err);

#endif
