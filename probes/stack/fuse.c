// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FUSE: a process answers, and what it answers from is its own affair. fuseblk holds a block
 * device, which the kernel names; any other source is a string of the server's choice, so a path
 * found there is a guess, and all beneath it is marked inferred.
 */
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/fuse_server.h"
#include "probes/stack/stack_walk.h"

/* Servers that are known to fetch the data elsewhere. */
struct known_server {
	const char *name;
	enum layer_kind kind;
	const char *what, *beneath;
};

static const struct known_server servers[] = {
	/* Docker Desktop's ways to a directory of the host */
	{ "osxfs", LAYER_SHARE, "directory of the Mac that runs this machine", "disk of the Mac" },
	{ "grpcfuse", LAYER_SHARE, "directory of the host of this machine", "disk of the host" },
	{ "vmhgfs-fuse", LAYER_SHARE, "VMware shared folder", "disk of the host" },
	{ "sshfs", LAYER_REMOTE, NULL, "disk of the server" },
	{ "s3fs", LAYER_REMOTE, NULL, "object store" },
	{ "gcsfuse", LAYER_REMOTE, NULL, "object store" },
	{ "rclone", LAYER_REMOTE, NULL, "remote store" },
	{ "glusterfs", LAYER_REMOTE, NULL, "disks of the servers" },
	{ "ceph-fuse", LAYER_REMOTE, NULL, "disks of the servers" },
	{ "ceph", LAYER_REMOTE, NULL, "disks of the servers" },
	{ "mfs", LAYER_REMOTE, NULL, "disks of the servers" }, /* MooseFS, LizardFS */
	{ "juicefs", LAYER_REMOTE, NULL, "object store" },
	{ "quobyte", LAYER_REMOTE, NULL, "disks of the servers" },
	{ "seaweedfs", LAYER_REMOTE, NULL, "disks of the servers" },
	{ "mount-s3", LAYER_REMOTE, NULL, "object store" },
	{ "mountpoint-s3", LAYER_REMOTE, NULL, "object store" },
	{ "goofys", LAYER_REMOTE, NULL, "object store" },
	{ "geesefs", LAYER_REMOTE, NULL, "object store" },
	{ "blobfuse", LAYER_REMOTE, NULL, "object store" },
	{ "blobfuse2", LAYER_REMOTE, NULL, "object store" },
	{ "davfs", LAYER_REMOTE, NULL, "disk of the server" },
	{ "curlftpfs", LAYER_REMOTE, NULL, "disk of the server" },
	{ "gvfsd-fuse", LAYER_REMOTE, "shares opened by the desktop", "disk of the server" },
	{ "prl_fsd", LAYER_SHARE, "Parallels shared folder", "disk of the host" },
};

/* "bindfs" of "fuse.bindfs"; "fuse" and "fuseblk" when there is no more to tell. */
static const char *server_name(const char *type)
{
	const char *dot = strchr(type, '.');

	return dot && dot[1] ? dot + 1 : type;
}

static bool is_fuse(const char *type)
{
	return strcmp(type, "fuse") == 0 || strcmp(type, "fuseblk") == 0 ||
		strncmp(type, "fuse.", 5) == 0 || strncmp(type, "fuseblk.", 8) == 0;
}

static bool push_known(struct stack_walk *walk, size_t index, const char *name, const char *source)
{
	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		const struct known_server *row = &servers[i];
		size_t layer;

		if (strcmp(row->name, name) != 0)
			continue;
		layer = walk_push_layer(
			walk, index, row->kind, name, row->what ? row->what : source);
		walk_push_hidden(walk, layer, "%s", row->beneath);
		return true;
	}
	return false;
}

/* An existing file, directory or block device that the source names. */
static int push_source(struct stack_walk *walk, size_t index, const char *source)
{
	const struct machine_calls *calls = walk_root(walk)->calls;
	struct statx st;
	dev_t device;
	int r;

	if (*source != '/')
		return -ENOENT;
	walk_infer(walk, index);
	if (walk_find_device(walk_root(walk), source, &device) == 0)
		return walk_push_device(walk, index, device);
	r = calls->status ? calls->status(source, &st) : -EOPNOTSUPP;
	if (r < 0)
		return r;
	if (!S_ISREG(st.stx_mode) && !S_ISDIR(st.stx_mode))
		return -ENOENT;
	return walk_push_path(walk, index, source);
}

static int probe_fuse(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	_cleanup_free_ char *source = NULL;
	const char *name;
	dev_t device;

	if (layer->kind != LAYER_FS || !is_fuse(layer->type))
		return 0;
	name = server_name(layer->type);
	free(layer->name);
	layer->name = xstrdup(name);
	layer->kind = LAYER_FUSE;
	source = xstrdup(layer->source ? layer->source : "");
	device = mnt_fs_get_devno(walk_mount(walk, index));
	fuse_server_find(walk_root(walk), device, layer);
	if (strncmp(layer->type, "fuseblk", 7) == 0 && major(device))
		return walk_push_device(walk, index, device) < 0 ? -ELOOP : 1;
	name = server_name(mnt_fs_get_fstype(walk_mount(walk, index)));
	if (!push_known(walk, index, name, source) && push_source(walk, index, source) < 0)
		walk_push_hidden(walk, index, "what the FUSE server %s reads and writes", name);
	return 1;
}

static const struct layer_probe fuse = {
	.head = { .id = "fuse", .summary = "FUSE and fuseblk, down to what the source names" },
	.probe = probe_fuse,
};
LAYER_PROBE_REGISTER(fuse);
