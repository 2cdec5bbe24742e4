// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/fuse_server.h"

#include <string.h>
#include <sys/sysmacros.h>

/* Bounds of one search; a machine with more says that it could not look everywhere. */
#define PROCESSES_MAX 8192
#define DESCRIPTORS_MAX 65536

struct search {
	const struct sysroot *root;
	struct layer *layer;
	unsigned connection;
	size_t descriptors;
	bool incomplete; /* a process could not be looked at, or there were too many */
	bool silent;     /* a holder of /dev/fuse whose connection the kernel does not tell */
	bool found;
};

/* The kernel's own form of a device number: 12 bits of major above 20 of minor. */
static unsigned connection_of(dev_t device)
{
	return major(device) << 20 | (minor(device) & 0xfffff);
}

static void set_server(struct search *s, const char *pid, char *source)
{
	struct layer *layer = s->layer;

	layer->server_pid = (pid_t)strtoul(pid, NULL, 10);
	(void)sysroot_read_line(s->root, &layer->server_name, "proc/%s/comm", pid);
	layer->server_source = source;
	s->found = true;
}

/* "fuse_connection:\t40" on a line of its own. */
static bool read_connection(const struct search *s, const char *pid, const char *fd, unsigned *ret)
{
	static const char key[] = "\nfuse_connection:";
	_cleanup_free_ char *text = NULL;
	const char *at;

	if (sysroot_read(
		    s->root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "proc/%s/fdinfo/%s", pid, fd) < 0)
		return false;
	at = strstr(text, key);
	return at && sscanf(at + strlen(key), "%10u", ret) == 1;
}

/* In another mount namespace, or seen from a chroot, /dev may have another name. */
static bool leads_to_fuse(const struct search *s, const char *pid, const char *fd)
{
	_cleanup_free_ char *target = NULL;
	size_t len;

	if (sysroot_readlink(s->root, &target, "proc/%s/fd/%s", pid, fd) < 0)
		return false;
	len = strlen(target);
	return len >= 5 && strcmp(target + len - 5, "/fuse") == 0;
}

/* Words of a command line end in NUL. */
static bool command_names(const struct search *s, const char *pid, const char *word)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (!word ||
		sysroot_read(s->root, SYSROOT_ATTRIBUTE_MAX, &text, &len, "proc/%s/cmdline", pid) <
			0)
		return false;
	for (size_t at = strnlen(text, len) + 1; at < len; at += strlen(text + at) + 1)
		if (strcmp(text + at, word) == 0)
			return true;
	return false;
}

/* ntfs-3g and the like: the type's second half is what the program calls itself. */
static bool has_name_of_type(const struct search *s, const char *pid)
{
	const char *dot = strchr(s->layer->type, '.');
	_cleanup_free_ char *name = NULL;

	return dot && sysroot_read_line(s->root, &name, "proc/%s/comm", pid) == 0 &&
		strcmp(name, dot + 1) == 0;
}

static void judge_by_command(struct search *s, const char *pid, const char *holds)
{
	if (command_names(s, pid, s->layer->mount_point))
		set_server(
			s, pid, xasprintf("proc/%s/cmdline names the mount point, %s", pid, holds));
}

static void look_at_descriptor(struct search *s, const char *pid, const char *fd)
{
	unsigned connection;

	if (!leads_to_fuse(s, pid, fd))
		return;
	if (!read_connection(s, pid, fd, &connection)) {
		s->silent = true;
		judge_by_command(s, pid, "and it holds /dev/fuse");
	} else if (connection == s->connection) {
		set_server(s, pid,
			xasprintf("proc/%s/fdinfo/%s: fuse_connection = %u", pid, fd, connection));
	}
}

static void look_at_process(struct search *s, const char *pid)
{
	_cleanup_(string_list_free) char **fds = NULL;
	int r = sysroot_list(s->root, &fds, "proc/%s/fd", pid);

	if (r < 0) {
		if (r == -ENOENT || r == -ESRCH)
			return; /* it has ended meanwhile */
		s->incomplete = true;
		if (has_name_of_type(s, pid))
			judge_by_command(s, pid, "and it has the name of the type");
		return;
	}
	for (char **fd = fds; *fd && !s->found; fd++) {
		if (s->descriptors++ == DESCRIPTORS_MAX) {
			s->incomplete = true;
			return;
		}
		look_at_descriptor(s, pid, *fd);
	}
}

static bool is_number(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

/* What a full look at every process says, when none of them is the server. */
static void say_absent(struct search *s)
{
	_cleanup_free_ char *namespace = NULL;

	if (s->incomplete || s->silent || !s->root->live ||
		sysroot_readlink(s->root, &namespace, "proc/self/ns/pid") < 0)
		return;
	s->layer->server_source = strcmp(namespace, FIRST_PID_NAMESPACE) == 0
		? xasprintf("no process of this machine holds connection %u", s->connection)
		: xasprintf("the server is outside this container: no process of its PID "
			    "namespace (%s) holds connection %u",
			  namespace, s->connection);
}

/* hidepid leaves other users' processes out of the list. */
static bool hides_processes(const struct sysroot *root)
{
	_cleanup_free_ char *text = NULL;

	return sysroot_read(root, SYSROOT_FILE_MAX, &text, NULL, "proc/self/mountinfo") < 0 ||
		strstr(text, "hidepid=") || strstr(text, "subset=pid");
}

void fuse_server_find(const struct sysroot *root, dev_t device, struct layer *layer)
{
	_cleanup_(string_list_free) char **names = NULL;
	struct search s = { .root = root, .layer = layer, .connection = connection_of(device) };
	size_t processes = 0;

	if (sysroot_list(root, &names, "proc") < 0)
		return;
	for (char **name = names; *name && !s.found; name++) {
		if (!is_number(*name))
			continue;
		if (processes++ == PROCESSES_MAX) {
			s.incomplete = true;
			break;
		}
		look_at_process(&s, *name);
	}
	if (!s.found && !hides_processes(root))
		say_absent(&s);
}
