/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_EXPERIMENT_H
#define IOPROOF_EXPERIMENT_H

/*
 * Bounded experiments on one target: all together at most 128 MiB written, into one unnamed scratch
 * file of the target directory, and about 3 s; elsewhere they only read. Each experiment is one
 * file and one descriptor (section `experiments`) and fills its part of `struct experiments`.
 */

#include "core/registry.h"
#include "core/scratch.h"
#include "model/experiments.h"
#include "probes/witnesses/trace_instance.h"
#include "probes/witnesses/witness.h"

#define EXPERIMENTS_WRITTEN_MAX (128 * MIB)

struct experiment_view {
	struct witness_view witnesses;   /* root, stack, cgroup */
	int directory;                   /* O_PATH of the target; -1: none may be written to */
	struct scratch scratch;          /* fd -1: none could be made */
	int device_fd;                   /* a block device that is the target, read-only; -1 */
	uint64_t deadline_ns;            /* CLOCK_MONOTONIC */
	struct trace_instance *instance; /* NULL: nothing is traced */
	struct trace_experiment *trace;  /* how tracing fared; never NULL */
};

struct experiment {
	struct registered head;
	uint64_t written_bytes; /* at most, of its own */
	size_t state;           /* where its state is in struct experiments */
	bool needs_file;        /* skipped where no scratch file can be made */
	const char *act;        /* what failed, when make() returns an error: "direct I/O" */
	/* 0: done, unless it skipped itself; -EINTR: interrupted; any other error skips it. */
	int (*make)(const struct experiment_view *view, struct experiments *experiments);
};

extern const struct registry registry_experiments;

/* Says in its state why an experiment was not made; replaces what was there. */
void experiment_skip(struct experiment_state *state, const char *fmt, ...) PRINTF(2, 3);

/*
 * Makes all of them on a directory (or, directory -1, on a block device read-only). seconds bounds
 * the whole. instance: NULL, or what traces them. -EINTR: interrupted; what was found stays.
 */
int experiments_make(const struct witness_view *witnesses, struct trace_instance *instance,
	int directory, int device_fd, struct guardian *guardian, unsigned seconds,
	struct experiments *ret);

#endif
