/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RUN_OPTIONS_H
#define IOPROOF_RUN_OPTIONS_H

/* The words of `ioproof run`, checked as far as words alone can be. */

#include "core/base.h"

#define RUN_ROUNDS_DEFAULT 10 /* smallest p of a paired comparison 2/1024; interval ranks 2-9 */
#define RUN_ROUNDS_QUICK 6    /* the fewest with a 95 % interval of the median */
#define RUN_ROUNDS_MAX 10000
#define RUN_TARGETS_MAX 16

struct run_options {
	const char *on[RUN_TARGETS_MAX];
	size_t ons;
	const char *fs[RUN_TARGETS_MAX];
	size_t filesystems;
	const char *scratch; /* "." unless given */
	unsigned rounds;
	bool quick, show_refused, progress;
	bool force; /* images may take more than their share of what is free */
	bool seed_given;
	uint64_t seed;
	const char *json;            /* file, "-", or NULL */
	const char *const *workload; /* NULL-terminated: what was named, else the default */
};

/* 0: go on. 1: --help was asked for. -EINVAL: wrong usage, said in error. */
int run_options_parse(int argc, char **argv, struct run_options *ret, struct error *error);

#endif
