// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/private_cgroup.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "probes/witnesses/cgroup_counters.h"
#include "probes/witnesses/cgroup_home.h"
#include "probes/witnesses/run_name.h"

/* The files list every device that the group has used: some 120 bytes each. */
#define COUNTERS_MAX ((size_t)(256 * KIB))

struct private_cgroup {
	struct cgroup_home home;
	struct guardian *guardian; /* borrowed; may be NULL */
	char *name;
	int fd;         /* the group's directory */
	int bytes_fd;   /* v1: bytes. v2: everything */
	int ios_fd;     /* v1 only */
	int arming_fd;  /* v1 only: see counters_arm() */
	char *counters; /* room to read into */
};

static const struct private_cgroup nothing = {
	.home = CGROUP_HOME_NONE, .fd = -1, .bytes_fd = -1, .ios_fd = -1, .arming_fd = -1
};

/* ---- entering ---- */

static int write_text(int dirfd, const char *name, const char *text)
{
	_cleanup_close_ int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -errno;
	return 0;
}

/* In v2 a group carries the limit on tasks that we leave; v1's pids hierarchy is another one. */
static int carry_pids_max(const struct private_cgroup *cgroup)
{
	char text[32];

	if (cgroup->home.pids_max == UINT64_MAX)
		return 0;
	snprintf(text, sizeof(text), "%llu", (unsigned long long)cgroup->home.pids_max);
	return write_text(cgroup->fd, "pids.max", text);
}

static int open_counter(const struct private_cgroup *cgroup, const char *name, int flags, int *ret)
{
	int fd = openat(cgroup->fd, name, flags | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	*ret = fd;
	return 0;
}

static int open_counters(struct private_cgroup *cgroup)
{
	int r;

	if (cgroup->home.version == 2)
		return open_counter(cgroup, "io.stat", O_RDONLY, &cgroup->bytes_fd);
	r = open_counter(cgroup, "blkio.throttle.io_service_bytes", O_RDONLY, &cgroup->bytes_fd);
	if (r == 0)
		r = open_counter(cgroup, "blkio.throttle.io_serviced", O_RDONLY, &cgroup->ios_fd);
	if (r == 0)
		r = open_counter(
			cgroup, "blkio.throttle.read_bps_device", O_WRONLY, &cgroup->arming_fd);
	return r;
}

static int group_make(struct private_cgroup *cgroup)
{
	int r = 0;

	if (cgroup->guardian)
		r = guardian_note(cgroup->guardian, cgroup->home.base_fd, cgroup->name, true);
	if (r == 0 && mkdirat(cgroup->home.base_fd, cgroup->name, 0755) != 0)
		r = -errno;
	if (r < 0)
		return r;
	cgroup->fd = openat(cgroup->home.base_fd, cgroup->name,
		O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (cgroup->fd >= 0)
		return 0;
	r = -errno;
	unlinkat(cgroup->home.base_fd, cgroup->name, AT_REMOVEDIR);
	return r;
}

static int enter(struct private_cgroup *cgroup)
{
	int r = group_make(cgroup);

	if (r == 0)
		r = open_counters(cgroup);
	if (r == 0)
		r = carry_pids_max(cgroup);
	if (r == 0)
		r = write_text(cgroup->fd, "cgroup.procs", "0");
	return r;
}

static int explain(int r, struct error *error)
{
	switch (r) {
	case -EROFS:
		return error_set(error, EROFS,
			"the cgroup filesystem is read-only here; run the container with "
			"--privileged, "
			"or give it /sys/fs/cgroup writable");
	case -EACCES:
	case -EPERM:
		return error_set(error, -r, "making a cgroup needs root; run with sudo");
	case -ENOENT:
		return error_set(error, ENOENT,
			"the cgroup made here does not count block I/O: no blkio throttle (v1) or "
			"io "
			"controller (v2) in this kernel");
	default:
		return error_set(error, -r, "cannot make a cgroup of our own: %s", strerror(-r));
	}
}

int private_cgroup_enter(const struct sysroot *root, struct guardian *guardian,
	struct private_cgroup **ret, struct error *error)
{
	struct private_cgroup *cgroup;
	struct cgroup_home home;
	int r = cgroup_home_find(root, &home, error);

	if (r < 0)
		return r;
	cgroup = xmalloc(sizeof(*cgroup));
	*cgroup = nothing;
	cgroup->home = home;
	cgroup->guardian = guardian;
	cgroup->counters = xmalloc(COUNTERS_MAX);
	r = run_name_own(root, &cgroup->name);
	if (r == 0)
		r = enter(cgroup);
	if (r < 0) {
		private_cgroup_leave(cgroup);
		return explain(r, error);
	}
	*ret = cgroup;
	return 0;
}

/* ---- reading ---- */

static int counters_read(const struct private_cgroup *cgroup, int fd)
{
	size_t length = 0;

	for (;;) {
		ssize_t n = pread(
			fd, cgroup->counters + length, COUNTERS_MAX - 1 - length, (off_t)length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += (size_t)n;
		if (length == COUNTERS_MAX - 1)
			return -EFBIG;
	}
	cgroup->counters[length] = '\0';
	return 0;
}

/*
 * No line, or zeros in it, is "none of ours" only where the kernel counts at all, which v1 leaves
 * open: since 6.10 nothing is counted at a device before a throttle rule was written for it once
 * (blk-throttle starts when it is first configured), and kernels around 6.1 count only what a rule
 * limits. "No limit" (0) for our own group is a rule that starts it and slows nobody; it is
 * harmless when repeated, and refused (-ENODEV) for what is not a whole device. A group that has
 * counted something, anywhere, shows that this kernel counts so.
 */
static int counters_arm(const struct private_cgroup *cgroup, dev_t device)
{
	char rule[48];
	int n = snprintf(rule, sizeof(rule), "%u:%u 0", major(device), minor(device));

	return pwrite(cgroup->arming_fd, rule, (size_t)n, 0) == n ? 0 : -errno;
}

static int v1_read(const struct private_cgroup *cgroup, dev_t device, struct transfer *ret)
{
	struct cgroup_pair bytes = { 0 }, ios = { 0 };
	bool counts, absent;
	int r = counters_read(cgroup, cgroup->bytes_fd);

	if (r < 0)
		return r;
	counts = cgroup_v1_counts(cgroup->counters);
	r = cgroup_v1_parse(cgroup->counters, device, &bytes);
	absent = r == -ENOENT;
	if (absent)
		r = counters_arm(cgroup, device);
	if (r < 0 || !counts)
		return r < 0 ? r : -ENODATA;
	if (!absent)
		r = counters_read(cgroup, cgroup->ios_fd);
	if (r == 0 && !absent)
		r = cgroup_v1_parse(cgroup->counters, device, &ios);
	if (r < 0)
		return r;
	*ret = (struct transfer){ ios.read, bytes.read, ios.write, bytes.write };
	return 0;
}

static int v2_read(const struct private_cgroup *cgroup, dev_t device, struct transfer *ret)
{
	int r = counters_read(cgroup, cgroup->bytes_fd);

	if (r == 0)
		r = cgroup_v2_parse(cgroup->counters, device, ret);
	if (r != -ENOENT)
		return r;
	*ret = (struct transfer){ 0 };
	return 0;
}

int private_cgroup_read(const struct private_cgroup *cgroup, dev_t device, struct transfer *ret)
{
	return cgroup->home.version == 1 ? v1_read(cgroup, device, ret)
					 : v2_read(cgroup, device, ret);
}

/* ---- leaving ---- */

/* Everybody in the group: us, and children that have not gone yet. */
static void move_back(const struct private_cgroup *cgroup)
{
	_cleanup_close_ int fd = openat(cgroup->fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	_cleanup_file_ FILE *procs = fd >= 0 ? fdopen(fd, "r") : NULL;
	char pid[32];

	write_text(cgroup->home.own_fd, "cgroup.procs", "0");
	if (!procs)
		return;
	take_fd(&fd);
	while (fgets(pid, sizeof(pid), procs))
		write_text(cgroup->home.own_fd, "cgroup.procs", pid);
}

/* Busy for an instant after its last process left. */
static int group_remove(const struct private_cgroup *cgroup)
{
	static const struct timespec pause = { 0, 10 * 1000 * 1000 };

	for (int tries = 0; unlinkat(cgroup->home.base_fd, cgroup->name, AT_REMOVEDIR) != 0;
		tries++) {
		if (errno != EBUSY || tries == 100)
			return errno == ENOENT ? 0 : -errno;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static void cgroup_free(struct private_cgroup *cgroup)
{
	close_fd(&cgroup->bytes_fd);
	close_fd(&cgroup->ios_fd);
	close_fd(&cgroup->arming_fd);
	close_fd(&cgroup->fd);
	cgroup_home_close(&cgroup->home);
	free(cgroup->counters);
	free(cgroup->name);
	free(cgroup);
}

void private_cgroup_leave(struct private_cgroup *cgroup)
{
	bool gone = true;

	if (!cgroup)
		return;
	if (cgroup->fd >= 0) {
		move_back(cgroup);
		gone = group_remove(cgroup) == 0;
	}
	if (gone && cgroup->guardian && cgroup->name)
		guardian_forget(cgroup->guardian, cgroup->home.base_fd, cgroup->name);
	cgroup_free(cgroup);
}

void private_cgroup_collect(const struct sysroot *root)
{
	_cleanup_(cgroup_home_close) struct cgroup_home home = CGROUP_HOME_NONE;

	if (cgroup_home_find_any(root, &home) == 0)
		run_name_collect(root, home.base_fd);
}
