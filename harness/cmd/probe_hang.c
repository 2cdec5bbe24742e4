// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/probe_hang.h"

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* Nothing of ours may stay open in a child that cannot be killed: somebody waits for its end. */
__attribute__((noreturn)) static void look(const char *path, int done)
{
	struct stat st;

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	(void)!stat(path, &st);
	close(done);
	_exit(0);
}

bool probe_path_hangs(const char *path, unsigned ms)
{
	struct pollfd done = { .events = POLLIN };
	int pair[2], r;
	pid_t pid;

	if (pipe(pair) != 0)
		return false;
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		look(path, pair[1]);
	}
	close(pair[1]);
	done.fd = pair[0];
	do
		r = pid < 0 ? 1 : poll(&done, 1, (int)ms);
	while (r < 0 && errno == EINTR);
	close(pair[0]);
	if (pid < 0)
		return false;
	if (r == 0)
		kill(pid, SIGKILL);
	while (waitpid(pid, NULL, r == 0 ? WNOHANG : 0) < 0 && errno == EINTR)
		;
	return r == 0;
}

const struct machine_calls *probe_calls_by_table(void)
{
	static struct machine_calls calls;

	calls = machine_calls_none;
	calls.loop_status = machine_calls_live.loop_status;
	calls.device_content = machine_calls_live.device_content;
	calls.dm_targets = machine_calls_live.dm_targets;
	calls.cpuid = machine_calls_live.cpuid;
	return &calls;
}

int probe_path_absolute(const char *path, char **ret)
{
	_cleanup_free_ char *here = NULL;

	if (*path == '/') {
		*ret = xstrdup(path);
		return 0;
	}
	here = getcwd(NULL, 0);
	if (!here)
		return -errno;
	*ret = xasprintf("%s/%s", here, path);
	return 0;
}
