/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FIXTURE_OPTIONS_COMMAND_H
#define IOPROOF_FIXTURE_OPTIONS_COMMAND_H

#include "fixtures/lasting.h"

/* As many as a rig has use for; each is a thread while it is built. */
#define FIXTURE_ARGUMENTS_MAX 64

enum fixture_action { FIXTURE_UP, FIXTURE_DOWN, FIXTURE_LIST, FIXTURE_GC };

struct fixture_options {
	enum fixture_action action;
	const char *scratch;
	bool force, progress;
	const char *json; /* "-" is stdout; NULL: none */
	const char *name[FIXTURE_ARGUMENTS_MAX];
	struct fixture_spec spec[FIXTURE_ARGUMENTS_MAX]; /* of `up`, beside its name */
	size_t count;
};

/* 0, 1 for --help, or -EINVAL with one line. The strings point into argv. */
int fixture_options_parse(int argc, char **argv, struct fixture_options *ret, struct error *error);
void fixture_options_free(struct fixture_options *options);

#endif
