// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/near.h"
#include "core/interrupt.h"

static int print_commands(FILE *out)
{
	struct registry_view view;
	int r = registry_view(&registry_commands, &view);

	if (r < 0)
		return EXIT_FAILED;
	fputs("usage: ioproof COMMAND [OPTION]... [ARGUMENT]...\n"
	      "Measures storage and proves each number.\n"
	      "What cannot be proved is flagged, what is wrong is refused.\n\n",
		out);
	registry_for_each(member, &view)
		fprintf(out, "  %-8s  %s\n", (*member)->id, (*member)->summary);
	fputs("\n`ioproof COMMAND --help` tells more; so does ioproof(1).\n", out);
	registry_view_free(&view);
	return EXIT_TRUSTED;
}

static bool is_option(const char *word, const char *long_name, const char *short_name)
{
	return strcmp(word, long_name) == 0 || strcmp(word, short_name) == 0;
}

/*
 * A closed standard descriptor would be taken by the next open, and written to as if ours. What
 * takes the place of a closed stdout cannot be written to: a lost answer is an error, as elsewhere.
 */
static int standard_descriptors_open(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd)
			return -errno;
	return 0;
}

static void unknown_command(const char *word)
{
	_cleanup_free_ char *near = near_members(&registry_commands, word);

	if (near)
		complain("%s: no such command; near it: %s", word, near);
	else
		complain("%s: no such command; `ioproof --help` shows them", word);
}

static int run_command(int argc, char **argv)
{
	const struct registered *command;

	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (is_option(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0)
		return print_commands(stdout);
	if (is_option(argv[1], "--version", "-V")) {
		puts("ioproof " IOPROOF_VERSION);
		return EXIT_TRUSTED;
	}
	command = registry_find(&registry_commands, argv[1]);
	if (!command) {
		unknown_command(argv[1]);
		return EXIT_USAGE;
	}
	return registry_entry(command, struct command)->run(argc - 1, argv + 1);
}

static bool reader_left(int fd)
{
	struct pollfd p = { fd, POLLOUT, 0 };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* A full disk must not pass for a report; a reader that left (`| head`) has seen enough. */
static int output_status(int status)
{
	bool lost = ferror(stdout);

	if (fflush(stdout) == 0 && !lost)
		return status;
	if (!reader_left(STDOUT_FILENO))
		complain("standard output: %s",
			lost ? "not everything could be written" : strerror(errno));
	return EXIT_FAILED;
}

int main(int argc, char **argv)
{
	if (standard_descriptors_open() < 0)
		return EXIT_FAILED;
	interrupt_install();
	return output_status(run_command(argc, argv));
}
