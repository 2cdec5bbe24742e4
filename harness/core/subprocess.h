/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_SUBPROCESS_H
#define IOPROOF_SUBPROCESS_H

/*
 * Runs a program, never a shell. The child dies with us (PR_SET_PDEATHSIG), reads /dev/null, gets
 * default signals, our environment with LC_ALL=C and without LD_* and what changes filesystem tools
 * behind their options, and no descriptors but 0-2 and those named. Its output is captured up to a
 * bound (the rest is read and dropped, so that it never blocks on us). 0-2 must be open here.
 */

#include "core/base.h"

#define SUBPROCESS_OUTPUT_MAX ((size_t)(64 * KIB))

struct subprocess {
	const char *const *argv;        /* argv[0] is searched in PATH and in /usr/sbin and /sbin */
	const char *const *environment; /* additional "NAME=value", NULL-terminated; may be NULL */
	const int *keep;                /* descriptors the child keeps, ends with -1; may be NULL */
	const int *in;                  /* its working directory; NULL: ours */
	bool (*stopped)(const void *context); /* ends it as an interrupt does; may be NULL */
	const void *context;
};

struct subprocess_result {
	int status; /* exit status, or 128 + signal */
	char *out;  /* both NUL-terminated, at most SUBPROCESS_OUTPUT_MAX */
	char *err;
};

/*
 * Where the program is that argv[0] names: in PATH's absolute directories, then in /usr/sbin,
 * /sbin, /usr/bin and /bin; malloc'ed. -ENOENT: nowhere.
 */
int subprocess_find(const char *name, char **ret);

/*
 * 0: it ran; look at the status. -ENOENT: no such program. -EINTR: we were interrupted or
 * stopped, and the child has been killed and reaped.
 */
int subprocess_run(const struct subprocess *subprocess, struct subprocess_result *ret);
void subprocess_result_free(struct subprocess_result *result);

#endif
