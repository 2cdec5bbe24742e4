// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/command.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#include "core/text.h"

REGISTRY_DEFINE(commands, "commands");

enum exit_status verdict_exit_status(enum verdict verdict)
{
	static const enum exit_status by_verdict[] = {
		[VERDICT_TRUSTED] = EXIT_TRUSTED,
		[VERDICT_FLAGGED] = EXIT_FLAGGED,
		[VERDICT_REFUSED] = EXIT_REFUSED,
	};

	return by_verdict[verdict];
}

void complain(const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL, *safe = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	safe = text_terminal(text);
	fprintf(stderr, "ioproof: %s\n", safe);
}

void command_help(const struct command *command)
{
	printf("usage: ioproof %s %s\n%s.\n\n%s", command->head.id, command->synopsis,
		command->head.summary, command->help);
}

int command_option_refused(const char *command, char *const *argv, int answer, struct error *error)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	/* Long options have values above all characters; 0: nobody knows it. */
	const char *word = optopt > 0 && optopt <= UCHAR_MAX ? letter : argv[optind - 1];

	if (answer == ':')
		return error_set(error, EINVAL, "%s: %s needs a value; `ioproof %s --help` tells",
			command, word, command);
	if (optopt > UCHAR_MAX)
		return error_set(
			error, EINVAL, "%s: %s: this option takes no value", command, word);
	return error_set(error, EINVAL, "%s: no option %s; `ioproof %s --help` shows them", command,
		word, command);
}

int command_progress(const char *value, bool *ret, struct error *error)
{
	if (strcmp(value, "plain") != 0)
		return error_set(error, EINVAL, "--progress=%s: the one value is \"plain\"", value);
	*ret = true;
	return 0;
}

int command_usage(const struct command *command)
{
	fprintf(stderr, "usage: ioproof %s %s\ntry `ioproof %s --help`\n", command->head.id,
		command->synopsis, command->head.id);
	return EXIT_USAGE;
}
