// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/subprocess.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "core/interrupt.h"

/* The flag of an interrupt that came just before poll(2) is seen this much later at most. */
#define POLL_MILLISECONDS 200

static bool executable_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Relative members of the list are skipped: the current directory may be anyone's. */
static char *search(const char *directories, const char *name)
{
	const char *end;

	for (const char *d = directories; d && *d; d = *end ? end + 1 : end) {
		_cleanup_free_ char *path = NULL;

		end = strchrnul(d, ':');
		if (*d != '/')
			continue;
		path = xasprintf("%.*s/%s", (int)(end - d), d, name);
		if (executable_file(path))
			return take_pointer(path);
	}
	return NULL;
}

int subprocess_find(const char *name, char **ret)
{
	char *path;

	if (strchr(name, '/'))
		path = executable_file(name) ? xstrdup(name) : NULL;
	else
		path = search(getenv("PATH"), name);
	if (!path && !strchr(name, '/'))
		path = search("/usr/sbin:/sbin:/usr/bin:/bin", name);
	if (!path)
		return -ENOENT;
	*ret = path;
	return 0;
}

static bool names_the_same(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n + 1) == 0;
}

/*
 * A preloaded library (libeatmydata) would make the tool do something else than it says, and so
 * would the switches of e2fsprogs (sector sizes, time, I/O manager) and of reproducible builds.
 */
static bool inherited(const char *variable, const char *const *more)
{
	static const char *const left_out[] = { "LD_", "LC_ALL=", "MKE2FS_", "E2FSPROGS_",
		"EXT2FS_", "UNIX_IO_", "TEST_IO_", "SOURCE_DATE_EPOCH=", "LIBBLKID_", "BLKID_" };

	for (size_t i = 0; i < ARRAY_SIZE(left_out); i++)
		if (strncmp(variable, left_out[i], strlen(left_out[i])) == 0)
			return false;
	for (; more && *more; more++)
		if (names_the_same(*more, variable))
			return false;
	return true;
}

/* The strings stay their owners'; only the array is to be freed. */
static const char **child_environment(const char *const *more)
{
	size_t count = 0, room = 2;
	const char **env;

	for (char **e = environ; e && *e; e++)
		room++;
	for (const char *const *m = more; m && *m; m++)
		room++;
	env = xcalloc(room, sizeof(*env));
	for (char **e = environ; e && *e; e++)
		if (inherited(*e, more))
			env[count++] = *e;
	env[count++] = "LC_ALL=C";
	for (; more && *more; more++)
		env[count++] = *more;
	return env;
}

static void default_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void close_on_exec_above_two(const int *keep)
{
	int flags;

	if (syscall(SYS_close_range, 3U, ~0U, (unsigned)CLOSE_RANGE_CLOEXEC) < 0)
		for (int fd = 3; fd < 65536; fd++)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	for (; keep && *keep >= 0; keep++) {
		flags = fcntl(*keep, F_GETFD);
		if (flags >= 0)
			fcntl(*keep, F_SETFD, flags & ~FD_CLOEXEC);
	}
}

struct child {
	const char *path;
	const struct subprocess *subprocess;
	const char **environment;
	int null, out, err, failed; /* `failed`: errno of what went wrong before the program */
	pid_t parent;
};

static __attribute__((noreturn)) void child_main(const struct child *c)
{
	int error;

	/* The parent may have died before the request to die with it was heard. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != c->parent)
		_exit(127);
	/* A group of its own: what it starts ends with it (see child_finish()). */
	setpgid(0, 0);
	default_signals();
	if (c->subprocess->in && fchdir(*c->subprocess->in) < 0)
		goto failed;
	if (dup2(c->null, 0) < 0 || dup2(c->out, 1) < 0 || dup2(c->err, 2) < 0)
		goto failed;
	close_on_exec_above_two(c->subprocess->keep);
	execve(c->path, (char *const *)c->subprocess->argv, (char *const *)c->environment);
failed:
	error = errno;
	(void)!write(c->failed, &error, sizeof(error));
	_exit(127);
}

struct capture {
	int fd;
	char *text;
	size_t len;
};

/* One read; beyond the bound into nowhere. Closes at the end of the file. */
static void capture_read(struct capture *c)
{
	char nowhere[4096];
	bool full = c->len == SUBPROCESS_OUTPUT_MAX;
	char *to = full ? nowhere : c->text + c->len;
	ssize_t n = read(c->fd, to, full ? sizeof(nowhere) : SUBPROCESS_OUTPUT_MAX - c->len);

	if (n > 0 && !full)
		c->len += (size_t)n;
	else if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		close_fd(&c->fd);
}

/* Negative when it cannot be known; waits for nothing and leaves the child to be reaped. */
static int has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) < 0)
		return -errno;
	return info.si_pid != 0;
}

static bool stopped(const struct subprocess *subprocess)
{
	return interrupted() || (subprocess->stopped && subprocess->stopped(subprocess->context));
}

/* Until both ends close, or the program is gone and a child of its own holds them in silence. */
static int capture_both(
	const struct subprocess *subprocess, pid_t pid, struct capture *out, struct capture *err)
{
	int r;

	while (out->fd >= 0 || err->fd >= 0) {
		struct pollfd p[] = { { out->fd, POLLIN, 0 }, { err->fd, POLLIN, 0 } };

		if (stopped(subprocess))
			return -EINTR;
		r = poll(p, 2, POLL_MILLISECONDS);
		if (r < 0 && errno != EINTR)
			return -errno;
		if (r == 0 && has_ended(pid))
			break;
		if (r > 0 && p[0].revents)
			capture_read(out);
		if (r > 0 && p[1].revents)
			capture_read(err);
	}
	return 0;
}

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* A program may close its output and go on: wait in steps, so that we can be stopped. */
static int wait_for_end(const struct subprocess *subprocess, pid_t pid)
{
	int r;

	while ((r = has_ended(pid)) == 0) {
		if (stopped(subprocess))
			return -EINTR;
		poll(NULL, 0, 5);
	}
	return MIN(r, 0);
}

struct pipes {
	int null, out[2], err[2], failed[2];
};

static void pipes_close(struct pipes *p)
{
	int *fds[] = { &p->null, &p->out[0], &p->out[1], &p->err[0], &p->err[1], &p->failed[0],
		&p->failed[1] };

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		close_fd(fds[i]);
}

static int pipes_open(struct pipes *p)
{
	p->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (p->null < 0 || pipe2(p->out, O_CLOEXEC) < 0 || pipe2(p->err, O_CLOEXEC) < 0 ||
		pipe2(p->failed, O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

static int child_start(struct child *child, struct pipes *p, pid_t *ret)
{
	int error = 0;
	pid_t pid;

	child->null = p->null;
	child->out = p->out[1];
	child->err = p->err[1];
	child->failed = p->failed[1];
	child->parent = getpid();
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		child_main(child);
	close_fd(&p->out[1]);
	close_fd(&p->err[1]);
	close_fd(&p->failed[1]);
	/* Empty once the program runs: the other end closes at exec. */
	while (read(p->failed[0], &error, sizeof(error)) < 0 && errno == EINTR)
		;
	if (error) {
		reap(pid);
		return -error;
	}
	*ret = pid;
	return 0;
}

static int child_finish(const struct subprocess *subprocess, pid_t pid, struct pipes *p,
	struct subprocess_result *result)
{
	struct capture out = { take_fd(&p->out[0]), result->out, 0 };
	struct capture err = { take_fd(&p->err[0]), result->err, 0 };
	int r = capture_both(subprocess, pid, &out, &err), status;

	if (r == 0)
		r = wait_for_end(subprocess, pid);
	/* A wrapper's children too, before reaping: until then nobody else has the number. */
	if (r < 0)
		kill(pid, SIGKILL);
	kill(-pid, SIGKILL);
	status = reap(pid);
	close_fd(&out.fd);
	close_fd(&err.fd);
	if (r < 0)
		return r;
	if (status < 0)
		return status;
	result->status = status;
	return 0;
}

int subprocess_run(const struct subprocess *subprocess, struct subprocess_result *ret)
{
	_cleanup_(pipes_close) struct pipes pipes = { -1, { -1, -1 }, { -1, -1 }, { -1, -1 } };
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };
	_cleanup_free_ const char **environment = NULL;
	_cleanup_free_ char *path = NULL;
	struct child child = { .subprocess = subprocess };
	pid_t pid = -1;
	int r;

	r = subprocess_find(subprocess->argv[0], &path);
	if (r == 0)
		r = pipes_open(&pipes);
	if (r < 0)
		return r;
	environment = child_environment(subprocess->environment);
	child.path = path;
	child.environment = environment;
	/* Zeroed and one longer than the bound: what is captured always ends. */
	result.out = xcalloc(1, SUBPROCESS_OUTPUT_MAX + 1);
	result.err = xcalloc(1, SUBPROCESS_OUTPUT_MAX + 1);
	r = child_start(&child, &pipes, &pid);
	if (r == 0)
		r = child_finish(subprocess, pid, &pipes, &result);
	if (r < 0)
		return r;
	*ret = result;
	result = (struct subprocess_result){ 0 };
	return 0;
}

void subprocess_result_free(struct subprocess_result *result)
{
	free(result->out);
	free(result->err);
	*result = (struct subprocess_result){ 0 };
}
