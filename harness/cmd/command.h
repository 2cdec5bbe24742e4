/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_COMMAND_H
#define IOPROOF_COMMAND_H

/* One subcommand a file; registered in section `commands`. */

#include "core/registry.h"
#include "model/finding.h"

/* Exit status, the same for all commands where it applies; also in the manual. */
enum exit_status {
	EXIT_TRUSTED = 0, /* done; every number trusted */
	EXIT_FAILED = 1,  /* the machine or ioproof failed, or the run is incomplete */
	EXIT_USAGE = 2,
	EXIT_FLAGGED = 3,
	EXIT_REFUSED = 4,
};

struct command {
	struct registered head;
	const char *synopsis; /* what follows "ioproof NAME" */
	const char *help;     /* options and examples, one text */
	/* argv[0] is the command's name. Returns an exit_status. */
	int (*run)(int argc, char **argv);
};

extern const struct registry registry_commands;

enum exit_status verdict_exit_status(enum verdict verdict);
/* One line on stderr, made safe for a terminal: "ioproof: TEXT". */
void complain(const char *fmt, ...) PRINTF(1, 2);
/* The command's own help on stdout. */
void command_help(const struct command *command);
/*
 * What getopt_long(3), silenced by a leading ':' in its short options, answered '?' or ':' to: said
 * in our own words, because its words go to the terminal as they come. Returns -EINVAL.
 */
int command_option_refused(const char *command, char *const *argv, int answer, struct error *error);
/* --progress=VALUE; -EINVAL when it is not "plain". */
int command_progress(const char *value, bool *ret, struct error *error);
/* "try `ioproof NAME --help`" on stderr; returns EXIT_USAGE. */
int command_usage(const struct command *command);

#endif
