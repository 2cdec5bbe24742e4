/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RUN_ARMS_H
#define IOPROOF_RUN_ARMS_H

/* Every case of every workload on every target, as measurements to be filled round by round. */

#include "cmd/run_build.h"
#include "engine/rounds.h"

struct run_arms {
	struct workload_run *run; /* one per workload and target */
	size_t runs;
	struct arm *arm;
	size_t arms;
};

/* Prepares data (the long part) and appends the measurements to the result. */
int run_arms_prepare(const struct run_machine *machine, const struct run_plan *plan, uint64_t seed,
	struct result *result, struct run_arms *ret, struct error *error);
/* The yes/no experiments of every workload. */
void run_arms_check(const struct run_arms *arms, struct result *result);
void run_arms_close(struct run_arms *arms);

#endif
