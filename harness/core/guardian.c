// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/guardian.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/*
 * How long a directory may stay busy: a killed run unmounts and writes back in its exit path before
 * it leaves its cgroup; a run that said goodbye has left it already.
 */
#define PATIENCE_KILLED_MS 60000
#define PATIENCE_STOPPED_MS 2000
#define NOTES_MAX 256

enum guardian_op { OP_NOTE, OP_FORGET, OP_GOODBYE };

struct message {
	enum guardian_op op;
	bool directory;
	char name[256]; /* NAME_MAX and the NUL */
};

struct note {
	int dirfd; /* -1: free */
	bool directory;
	char name[256];
};

struct guardian {
	pid_t pid;
	int fd; /* our end; its closing is the signal */
};

/* ---- the guardian's side; nothing here may allocate or call exit handlers ---- */

static struct note notes[NOTES_MAX];
static int patience_ms = PATIENCE_KILLED_MS;

static bool same_directory(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
		x.st_ino == y.st_ino;
}

static void note_clear(struct note *note)
{
	close_fd(&note->dirfd);
}

/* Takes the descriptor over. */
static void note_add(const struct message *m, int dirfd)
{
	for (size_t i = 0; i < NOTES_MAX; i++) {
		if (notes[i].dirfd >= 0)
			continue;
		notes[i].dirfd = dirfd;
		notes[i].directory = m->directory;
		memcpy(notes[i].name, m->name, sizeof(m->name));
		return;
	}
	close(dirfd);
}

static void note_remove(const struct message *m, int dirfd)
{
	for (size_t i = 0; i < NOTES_MAX; i++)
		if (notes[i].dirfd >= 0 && strcmp(notes[i].name, m->name) == 0 &&
			same_directory(notes[i].dirfd, dirfd))
			note_clear(&notes[i]);
	close(dirfd);
}

static void message_take(struct message *m, int dirfd)
{
	m->name[sizeof(m->name) - 1] = '\0';
	if (m->op == OP_GOODBYE)
		patience_ms = PATIENCE_STOPPED_MS;
	else if (dirfd < 0)
		return;
	else if (m->op == OP_NOTE)
		note_add(m, dirfd);
	else
		note_remove(m, dirfd);
}

/* True while there may be more. */
static bool message_receive(int fd)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct message m;
	struct iovec iov = { &m, sizeof(m) };
	struct msghdr header = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n = recvmsg(fd, &header, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&header) : NULL;
	int dirfd = -1;

	if (n < 0)
		return errno == EINTR;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
		c->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&dirfd, CMSG_DATA(c), sizeof(int));
	if (n == sizeof(m))
		message_take(&m, dirfd);
	return n > 0;
}

static void sleep_ms(int ms)
{
	struct timespec pause = { ms / 1000, (ms % 1000) * 1000000L };

	nanosleep(&pause, NULL);
}

/* A busy directory is tried again: its last process is on its way out. */
static void note_finish(struct note *note, int *left_ms)
{
	int flags = note->directory ? AT_REMOVEDIR : 0;

	for (int pause = 5; unlinkat(note->dirfd, note->name, flags) != 0;
		pause = MIN(pause * 2, 200)) {
		if (errno != EBUSY || *left_ms <= 0)
			break;
		sleep_ms(pause);
		*left_ms -= pause;
	}
	note_clear(note);
}

static void close_all_from(unsigned first)
{
	struct rlimit limit = { 0 };

#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0U, 0) == 0)
		return;
#endif
	getrlimit(RLIMIT_NOFILE, &limit); /* before 5.9 */
	for (rlim_t i = first; i < MIN(limit.rlim_cur, (rlim_t)MIB); i++)
		close((int)i);
}

/*
 * Whatever the run has open to the guardian would outlive it: descriptors, the working directory, a
 * terminal, a pipe that a reader waits on. Returns the socket's new number.
 */
static int detach(int fd)
{
	int null;

	if (chdir("/") != 0 || setsid() < 0 || (fd != 3 && dup2(fd, 3) < 0))
		return -errno;
	null = open("/dev/null", O_RDWR);
	for (int i = 0; i < 3; i++)
		if (null < 0 || dup2(null, i) < 0)
			close(i);
	close_all_from(4);
	return 3;
}

static void ignore_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP, SIGTTIN,
		SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM };

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
}

__attribute__((noreturn)) static void guard(int fd)
{
	ignore_signals();
	prctl(PR_SET_NAME, "ioproof-guard");
	for (size_t i = 0; i < NOTES_MAX; i++)
		notes[i].dirfd = -1;
	fd = detach(fd);
	while (fd >= 0 && message_receive(fd))
		;
	for (size_t i = NOTES_MAX; i-- > 0;)
		if (notes[i].dirfd >= 0)
			note_finish(&notes[i], &patience_ms);
	_exit(fd >= 0 ? 0 : 1);
}

/* ---- the run's side ---- */

int guardian_start(struct guardian **ret)
{
	struct guardian *guardian;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(pair[0]);
		guard(pair[1]);
	}
	close_fd(&pair[1]);
	if (pid < 0) {
		close_fd(&pair[0]);
		return -errno;
	}
	guardian = xmalloc(sizeof(*guardian));
	*guardian = (struct guardian){ pid, pair[0] };
	*ret = guardian;
	return 0;
}

/* Once queued it arrives, even if we are killed in the next instant: no answer is needed. */
static int message_send(const struct guardian *guardian, const struct message *m, int dirfd)
{
	union {
		struct cmsghdr align;
		char space[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { (void *)m, sizeof(*m) };
	struct msghdr header = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (dirfd >= 0) {
		struct cmsghdr *c;

		header.msg_control = &control;
		header.msg_controllen = sizeof(control);
		c = CMSG_FIRSTHDR(&header);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &dirfd, sizeof(int));
	}
	while (sendmsg(guardian->fd, &header, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int name_send(const struct guardian *guardian, enum guardian_op op, int dirfd,
	const char *name, bool directory)
{
	struct message m = { .op = op, .directory = directory };
	size_t length = strlen(name);

	if (length == 0 || length >= sizeof(m.name) || strchr(name, '/') ||
		strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return -EINVAL;
	if (dirfd < 0)
		return -EBADF;
	memcpy(m.name, name, length);
	return message_send(guardian, &m, dirfd);
}

int guardian_note(struct guardian *guardian, int dirfd, const char *name, bool directory)
{
	return name_send(guardian, OP_NOTE, dirfd, name, directory);
}

int guardian_forget(struct guardian *guardian, int dirfd, const char *name)
{
	return name_send(guardian, OP_FORGET, dirfd, name, false);
}

void guardian_stop(struct guardian *guardian)
{
	static const struct message goodbye = { .op = OP_GOODBYE };

	if (!guardian)
		return;
	message_send(guardian, &goodbye, -1);
	close_fd(&guardian->fd);
	while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(guardian);
}
