/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RUN_PLAN_H
#define IOPROOF_RUN_PLAN_H

/*
 * What one `ioproof run` is made of: its targets (opened, built, their stacks known) and its
 * workloads, each on each target. Everything that has a name on this machine is opened first:
 * the first fixture moves the process into a private mount namespace.
 */

#include "cmd/run_options.h"
#include "fixtures/fixture.h"
#include "probes/witnesses/witness.h"
#include "workloads/workload.h"

struct run_target {
	struct target target;
	struct fixture_spec spec; /* of a fixture that is to be built; spec.text NULL: none */
	struct fixture *fixture;
	struct findings findings;
	struct experiments *experiments; /* moves on to the result */
	struct stack before;             /* as it was before anything was tried on it */
	int named; /* made for a file parameter of this workload; -1: for all */
};

struct run_workload {
	const struct workload *workload;
	struct parameter_value *parameters;
};

struct run_plan {
	const struct run_options *options;
	struct run_target *target;
	size_t targets;
	struct run_workload *workload;
	size_t workloads;
	int scratch; /* O_PATH of the scratch directory; -1: no fixture */
	char *scratch_name;
	bool fell_back;       /* the default fixture could not be built */
	bool default_fixture; /* nobody asked for a fixture by name: a fallback is allowed */
};

#define RUN_PLAN_EMPTY                                                                             \
	{                                                                                          \
		.scratch = -1                                                                      \
	}

/* The words: workloads, parameters, fixture specs and their sizes. Every failure is wrong usage. */
int run_plan_parse(const struct run_options *options, struct run_plan *ret, struct error *error);
/* Opens directories and files by name. Nothing is written. */
int run_plan_open(struct run_plan *plan, struct error *error);
/* Whether workload w runs on target t. */
bool run_plan_pairs(const struct run_plan *plan, size_t w, size_t t);
/* Bytes of data that the workloads write on one target. */
uint64_t run_plan_space(const struct run_plan *plan, size_t t);
/* Turns the one default fixture into "measure the scratch directory itself". */
void run_plan_fall_back(struct run_plan *plan);
void run_plan_close(struct run_plan *plan);

#endif
