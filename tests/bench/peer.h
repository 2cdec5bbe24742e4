/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_BENCH_PEER_H
#define IOPROOF_BENCH_PEER_H

/* Whole processes beside each other, timed from the outside. */

#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "engine/engine.h"
#include "stats/stats.h"

/* Its output thrown away. The exit status; -1: it could not be started. */
static inline int peer_run(const char *const *argv)
{
	posix_spawn_file_actions_t quiet;
	int status, r;
	pid_t pid;

	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	r = posix_spawnp(&pid, argv[0], &quiet, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	if (r != 0 || waitpid(pid, &status, 0) < 0)
		return -1;
	return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

/* The program stands two directories above this one. */
static inline char *peer_program(const char *self)
{
	_cleanup_free_ char *copy = xstrdup(self);

	return xasprintf("%s/../../ioproof", dirname(copy));
}

#endif
