/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_PROBE_OPTIONS_H
#define IOPROOF_PROBE_OPTIONS_H

/* The words of `ioproof probe`. */

#include "model/claim.h"

struct probe_options {
	bool passive, quick;
	bool trace; /* with a tracing instance of our own */
	bool required[CLAIM_COUNT];
	const char *json, *sysroot;
	const char *path; /* "." unless given; "/" of a recorded machine */
};

/* 0: go on. 1: --help was asked for. -EINVAL: wrong usage, said in error. */
int probe_options_parse(int argc, char **argv, struct probe_options *ret, struct error *error);

#endif
