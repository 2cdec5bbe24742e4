/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_ROUNDS_H
#define IOPROOF_ROUNDS_H

/*
 * Randomized complete blocks: a round visits every arm once, in an order drawn anew. Each visit is
 * arranged, measured between two witness readings, and judged by the round rules.
 */

#include "core/sysroot.h"
#include "probes/witnesses/witness.h"
#include "workloads/workload.h"

/* One case of one workload on one target. */
struct arm {
	struct workload_run *run;
	const struct workload_case *c;
	struct witness_view witnesses;
	struct measurement *measurement;
	bool lost; /* failed; other arms go on, the document is incomplete */
};

struct rounds {
	struct arm *arm;
	size_t arms;
	unsigned rounds;
	uint64_t seed;
	const struct environment *environment;
	/* Called before each visit; may be NULL. */
	void (*progress)(void *context, unsigned round, const struct arm *arm);
	/* Called when an arm is lost. */
	void (*lost)(void *context, const struct arm *arm, const struct error *error);
	void *context;
};

/* -EINTR: interrupted, with the finished visits kept. 0 also when arms were lost: look at them. */
int rounds_run(struct rounds *rounds);

#endif
