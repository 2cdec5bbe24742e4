/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RUN_BUILD_H
#define IOPROOF_RUN_BUILD_H

/* Makes the targets of a plan real: fixtures, stacks, live counters. */

#include "cmd/run_plan.h"
#include "model/measurement.h"
#include "probes/witnesses/private_cgroup.h"
#include "probes/witnesses/trace_instance.h"

/* How long experiments on one target may take. */
#define EXPERIMENT_SECONDS 3
#define EXPERIMENT_SECONDS_QUICK 1

struct run_machine {
	struct sysroot root;
	struct environment environment;
	struct guardian *guardian;
	struct private_cgroup *cgroup; /* NULL: environment says why */
	struct trace_instance *trace;  /* NULL: not asked for, or not possible */
};

#define RUN_MACHINE_EMPTY                                                                          \
	{                                                                                          \
		.root = SYSROOT_CLOSED                                                             \
	}

/* Looks only: the door and the environment. */
int run_machine_open(struct run_machine *ret, struct error *error);
/* Before anything else is made: the guardian, then the private cgroup. */
int run_machine_watch(struct run_machine *machine, struct error *error);
void run_machine_close(struct run_machine *machine);

/*
 * Calibrates the counters and makes the experiments on a directory (or reads a block device). The
 * stack learns which counters are alive. -EINTR: interrupted; anything else that fails is told by
 * the experiments themselves.
 */
int run_experiments(const struct run_machine *machine, int directory, int device, unsigned seconds,
	struct stack *stack, struct experiments *ret);

/*
 * Builds all fixtures of a plan at once. A default fixture that this machine does not allow falls
 * back to the scratch directory, with a finding that says what would lift it.
 */
int run_build_fixtures(const struct run_machine *machine, struct run_plan *plan,
	const struct fixture_progress *progress, struct error *error);
/* Takes one target: its stack, its counters, and the experiments on it. */
int run_build_target(
	const struct run_machine *machine, struct run_plan *plan, size_t t, struct error *error);
/* What changed on the target since it was taken; *ret untouched: nothing did. */
void run_look_again(const struct run_machine *machine, const struct run_target *target,
	struct stack_difference *ret);

#endif
