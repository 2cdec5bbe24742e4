/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_PROBE_TARGET_H
#define IOPROOF_PROBE_TARGET_H

/* The path that is probed: its stack, where experiments may be made for it, and what they found. */

#include "cmd/probe_options.h"
#include "cmd/run_build.h"

struct probe_target {
	struct run_machine machine;
	struct target_report report;
	int directory; /* O_PATH: where a scratch file may lie; -1: none */
	int device;    /* a block device, read-only; -1: the target is none */
	char *why_not; /* why there is neither */
	bool hangs;    /* the path does not answer: all is by the mount table */
};

#define PROBE_TARGET_EMPTY                                                                         \
	{                                                                                          \
		.machine = RUN_MACHINE_EMPTY, .directory = -1, .device = -1                        \
	}

/* The passive part: nothing is written. */
int probe_target_open(
	const struct probe_options *options, struct probe_target *ret, struct error *error);
/* The experiments, announced on `announce` (may be NULL); with --passive their absence is noted. */
int probe_target_try(const struct probe_options *options, struct probe_target *target,
	FILE *announce, struct error *error);
void probe_target_close(struct probe_target *target);

#endif
