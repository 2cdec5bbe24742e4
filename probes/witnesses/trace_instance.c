// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/trace_instance.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "fixtures/mount_api.h"
#include "probes/stack/mount_table.h"
#include "probes/witnesses/run_name.h"
#include "probes/witnesses/trace_text.h"

#define TRACEFS_MAGIC 0x74726163 /* uapi linux/magic.h */
#define ADDS "events/filemap/mm_filemap_add_to_page_cache"
#define REQUESTS "events/block/block_rq_issue"

/* Of each CPU: 16 MiB of single pages are 4,096 events of some 48 bytes. */
#define BUFFER_KIB "512"
/* A line of text is about twice its event; 64 busy CPUs. */
#define TEXT_MAX ((size_t)(64 * MIB))

struct trace_instance {
	const struct sysroot *root;
	struct guardian *guardian; /* borrowed; may be NULL */
	int base_fd;               /* the directory `instances` */
	char *name;
	struct sysroot door; /* our instance's directory */
	/* Held open: an instance in use cannot be removed by others. */
	int switch_fd; /* `tracing_on` */
	struct trace_counts counts;
};

/* ---- where ---- */

static bool is_tracefs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (uint32_t)fs.f_type == TRACEFS_MAGIC;
}

static int open_directory(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 ? -errno : fd;
}

/* A mount in no namespace, which lives as long as something in it is open. */
static int open_unmounted(void)
{
	_cleanup_close_ int context = -1;
	_cleanup_close_ int mount = -1;

	context = api_fsopen("tracefs");
	if (context < 0)
		return -errno;
	if (api_fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL) < 0)
		return -errno;
	mount = api_fsmount(context, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	if (mount < 0)
		return -errno;
	return open_directory(mount, "instances");
}

/* Not by way of debugfs: looking there mounts tracefs, for everybody and for good. */
static int open_instances(const struct sysroot *root)
{
	_cleanup_close_ int fd = open_directory(root->fd, "sys/kernel/tracing/instances");

	if (fd >= 0 && (!root->live || is_tracefs(fd)))
		return take_fd(&fd);
	if (!root->live)
		return fd < 0 ? fd : -ENODEV;
	return fd == -EACCES || fd == -EPERM ? fd : open_unmounted();
}

/* ---- making and removing ---- */

static int write_text(const struct trace_instance *t, const char *name, const char *text)
{
	_cleanup_close_ int fd =
		openat(t->door.fd, name, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		return -errno;
	return 0;
}

static int switch_recording(const struct trace_instance *t, bool on)
{
	return write(t->switch_fd, on ? "1" : "0", 1) == 1 ? 0 : -errno;
}

static int instance_make(struct trace_instance *t)
{
	int fd, r = 0;

	/* Before it is made: but a name that somebody else holds is not ours to remove. */
	if (faccessat(t->base_fd, t->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return -EEXIST;
	if (t->guardian)
		r = guardian_note(t->guardian, t->base_fd, t->name, true);
	if (r == 0 && mkdirat(t->base_fd, t->name, 0700) != 0)
		r = -errno;
	if (r < 0) {
		if (t->guardian)
			guardian_forget(t->guardian, t->base_fd, t->name);
		return r;
	}
	fd = open_directory(t->base_fd, t->name);
	if (fd < 0)
		return fd;
	t->door.fd = fd;
	return 0;
}

static int instance_prepare(struct trace_instance *t)
{
	int r;

	t->switch_fd = openat(t->door.fd, "tracing_on", O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (t->switch_fd < 0)
		return -errno;
	r = switch_recording(t, false);
	if (r == 0)
		r = write_text(t, "buffer_size_kb", BUFFER_KIB);
	/* Without it a process's name, which it chooses, would begin each line. */
	if (r == 0)
		r = write_text(t, "trace_options", "nocontext-info");
	if (r == 0)
		r = write_text(t, ADDS "/enable", "1");
	if (r == 0)
		r = write_text(t, REQUESTS "/enable", "1");
	return r;
}

static int explain(int r, struct error *error)
{
	switch (r) {
	case -EPERM:
	case -EACCES:
		return error_set(error, -r, "tracing needs root; run with sudo");
	case -ENODEV:
	case -ENOENT:
		return error_set(error, ENODEV,
			"this kernel has no tracefs (mount -t tracefs tracefs /sys/kernel/tracing "
			"would mount it), or not the events %s and %s",
			strrchr(ADDS, '/') + 1, strrchr(REQUESTS, '/') + 1);
	case -EEXIST:
		return error_set(error, EEXIST, "a tracing instance of our name exists already");
	default:
		return error_set(
			error, -r, "cannot make a tracing instance of our own: %s", strerror(-r));
	}
}

int trace_instance_open(const struct sysroot *root, struct guardian *guardian,
	struct trace_instance **ret, struct error *error)
{
	struct trace_instance *t;
	int base = open_instances(root), r;

	if (base < 0)
		return explain(base, error);
	t = xcalloc(1, sizeof(*t));
	t->root = root;
	t->guardian = guardian;
	t->base_fd = base;
	t->door = *root;
	t->door.fd = -1;
	t->switch_fd = -1;
	r = run_name_own(root, &t->name);
	if (r == 0)
		r = instance_make(t);
	if (r == 0)
		r = instance_prepare(t);
	if (r < 0) {
		trace_instance_close(t);
		return explain(r, error);
	}
	*ret = t;
	return 0;
}

void trace_instance_close(struct trace_instance *t)
{
	bool made;

	if (!t)
		return;
	made = t->door.fd >= 0;
	close_fd(&t->switch_fd);
	close_fd(&t->door.fd);
	if (made && unlinkat(t->base_fd, t->name, AT_REMOVEDIR) == 0 && t->guardian)
		guardian_forget(t->guardian, t->base_fd, t->name);
	close_fd(&t->base_fd);
	free(t->name);
	free(t);
}

void trace_instance_collect(const struct sysroot *root)
{
	_cleanup_close_ int fd = open_instances(root);

	if (fd >= 0)
		run_name_collect(root, fd);
}

/* ---- recording ---- */

/* Traces name a filesystem by its own number, which btrfs hides from stat(2); mountinfo has it. */
static dev_t filesystem_device(const struct sysroot *root, int fd)
{
	_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;
	struct libmnt_fs *fs;
	uint64_t id;

	if (root->calls->mount_id(fd, "", &id) < 0 ||
		mount_table_read(root, "proc/self/mountinfo", &table) < 0)
		return 0;
	fs = mount_table_by_id(&table, id);
	return fs ? mnt_fs_get_devno(fs) : 0;
}

static int subject_set(struct trace_instance *t, int fd)
{
	struct trace_counts *c = &t->counts;
	_cleanup_free_ char *filter = NULL;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (c->inode == st.st_ino && c->own[0] == st.st_dev)
		return 0;
	c->inode = st.st_ino;
	c->own[0] = st.st_dev;
	c->own[1] = filesystem_device(t->root, fd);
	/* On any filesystem: FUSE servers and overlays show the number of the file beneath. */
	filter = xasprintf("i_ino == %llu", (unsigned long long)st.st_ino);
	return write_text(t, ADDS "/filter", filter);
}

/* The kernel's own form of a device number in filters, with 20 bits for the minor one. */
static char *disks_filter(const struct trace_counts *c)
{
	char *filter = xstrdup("");

	for (size_t i = 0; i < c->disks; i++) {
		char *longer = xasprintf("%s%sdev == %u", filter, *filter ? " || " : "",
			(major(c->disk[i].device) << 20) | minor(c->disk[i].device));

		free(filter);
		filter = longer;
	}
	return filter;
}

static int disks_set(struct trace_instance *t, const struct stack *stack)
{
	struct trace_counts *c = &t->counts;
	_cleanup_free_ char *filter = NULL;

	c->disks = 0;
	for (size_t i = 0; i < stack->count && c->disks < ARRAY_SIZE(c->disk); i++)
		if (stack->layer[i].device && layer_counts_flushes(&stack->layer[i]))
			c->disk[c->disks++].device = stack->layer[i].device;
	filter = disks_filter(c);
	/* No disk: "0" takes the filter away, and an impossible one records nothing. */
	return write_text(t, REQUESTS "/filter", *filter ? filter : "dev == 0");
}

int trace_instance_begin(struct trace_instance *t, int fd, const struct stack *stack)
{
	int r = subject_set(t, fd);

	if (r == 0)
		r = disks_set(t, stack);
	if (r == 0)
		r = write_text(t, "trace", ""); /* empties the buffers */
	return r == 0 ? switch_recording(t, true) : r;
}

/* What the buffers hold, by their own account; -EOVERFLOW: they were too small. */
static int events_kept(const struct trace_instance *t, uint64_t *ret)
{
	_cleanup_(string_list_free) char **cpu = NULL;
	uint64_t sum = 0;
	int r = sysroot_list(&t->door, &cpu, "per_cpu");

	for (char **c = cpu; r == 0 && *c; c++) {
		_cleanup_free_ char *text = NULL;
		uint64_t kept = 0, lost = 0;

		r = sysroot_read(
			&t->door, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "per_cpu/%s/stats", *c);
		if (r == 0)
			r = trace_text_stats(text, &kept, &lost);
		if (r == 0 && lost)
			r = -EOVERFLOW;
		sum += kept;
	}
	if (r == 0)
		*ret = sum;
	return r;
}

static int events_count(struct trace_instance *t)
{
	struct trace_counts *c = &t->counts;
	_cleanup_free_ char *text = NULL;
	uint64_t kept = 0;
	int r = events_kept(t, &kept);

	c->events = 0;
	c->adds = (struct cache_adds){ 0 };
	for (size_t i = 0; i < c->disks; i++)
		c->disk[i].writes = c->disk[i].fua_writes = 0;
	if (r == 0)
		r = sysroot_read(&t->door, TEXT_MAX, &text, NULL, "trace");
	if (r == 0)
		r = trace_text_count(text, c);
	/* A line more or less than there were events: something was not understood. */
	return r == 0 && c->events != kept ? -EBADMSG : r;
}

int trace_instance_end(struct trace_instance *t, const struct stack *stack, struct ledger *ledger)
{
	const struct trace_counts *c = &t->counts;
	int r = switch_recording(t, false);

	if (r == 0)
		r = events_count(t);
	if (r < 0)
		return r;
	ledger->adds = c->adds;
	ledger->adds.known = true;
	for (size_t i = 0; i < stack->count && i < STACK_LAYERS_MAX; i++)
		for (size_t d = 0; d < c->disks; d++)
			if (stack->layer[i].device == c->disk[d].device && c->disk[d].writes) {
				ledger->layer[i].fua_known = true;
				ledger->layer[i].fua_writes = c->disk[d].fua_writes;
			}
	return 0;
}
