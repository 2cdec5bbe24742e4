// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filesystems whose data is on another machine: a server on the network, or the host of this
 * virtual machine. What its disk does cannot be seen from here.
 */
#include <string.h>

#include "probes/stack/stack_walk.h"

struct network_type {
	const char *type;
	enum layer_kind kind;
	const char *beneath;
};

static const struct network_type types[] = {
	{ "nfs", LAYER_REMOTE, "disk of the server" },
	{ "nfs4", LAYER_REMOTE, "disk of the server" },
	{ "cifs", LAYER_REMOTE, "disk of the server" },
	{ "smb3", LAYER_REMOTE, "disk of the server" },
	{ "smbfs", LAYER_REMOTE, "disk of the server" },
	{ "ceph", LAYER_REMOTE, "disks of the servers" },
	{ "afs", LAYER_REMOTE, "disk of the server" },
	{ "lustre", LAYER_REMOTE, "disks of the servers" },
	{ "beegfs", LAYER_REMOTE, "disks of the servers" },
	{ "gpfs", LAYER_REMOTE, "disks of the servers" },
	{ "orangefs", LAYER_REMOTE, "disks of the servers" },
	{ "pvfs2", LAYER_REMOTE, "disks of the servers" },
	{ "glusterfs", LAYER_REMOTE, "disks of the servers" },
	{ "panfs", LAYER_REMOTE, "disks of the servers" },
	{ "wekafs", LAYER_REMOTE, "disks of the servers" },
	{ "coda", LAYER_REMOTE, "disk of the server" },
	{ "ncpfs", LAYER_REMOTE, "disk of the server" },
	{ "virtiofs", LAYER_SHARE, "disk of the host" },
	{ "vboxsf", LAYER_SHARE, "disk of the VirtualBox host" },
	{ "vmhgfs", LAYER_SHARE, "disk of the VMware host" },
	{ "prl_fs", LAYER_SHARE, "disk of the Parallels host" },
	{ "drvfs", LAYER_SHARE, "Windows disk" },      /* WSL 1 */
	{ "fakeowner", LAYER_SHARE, "Mac disk" },      /* Docker Desktop over virtiofs */
	{ "hostfs", LAYER_SHARE, "disk of the host" }, /* user-mode Linux */
	{ "simfs", LAYER_HIDDEN, "a directory of the machine below" }, /* OpenVZ */
	{ "wslfs", LAYER_HIDDEN, "NTFS of the Windows system" },       /* WSL 1 */
	{ "lxfs", LAYER_HIDDEN, "NTFS of the Windows system" },        /* WSL 1, before */
	/* not known before the path is used */
	{ "autofs", LAYER_HIDDEN, "what autofs mounts here when it is used" },
};

static const struct network_type *find_type(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].type, name) == 0)
			return &types[i];
	return NULL;
}

static void push_far(struct stack_walk *walk, size_t index, enum layer_kind kind, const char *name,
	const char *beneath)
{
	const char *type = kind == LAYER_SHARE ? "share" : "server";
	size_t layer;

	if (kind == LAYER_HIDDEN) {
		walk_push_hidden(walk, index, "%s", beneath);
		return;
	}
	layer = walk_push_layer(walk, index, kind, type, *name ? name : "without a name");
	walk_push_hidden(walk, layer, "%s", beneath);
}

/* "path=C:\" among the ';'-separated words of aname. */
static char *drvfs_drive(const char *aname)
{
	const char *path = strstr(aname, ";path=");

	return path ? xasprintf("Windows drive %.*s", (int)strcspn(path + 6, ";\\"), path + 6)
		    : xstrdup("Windows directory");
}

/*
 * 9p is spoken over TCP to a server, over virtio to the host, and over a pair of descriptors to a
 * process: gVisor's gofer (rfdno=), or WSL's host (rfd=, aname=drvfs).
 */
static void push_9p(struct stack_walk *walk, size_t index, const char *source)
{
	const char *options = walk_raw_options(walk, index);
	_cleanup_free_ char *transport = mount_option(options, "trans", 0);
	_cleanup_free_ char *aname = mount_option(options, "aname", 0);
	_cleanup_free_ char *gofer = mount_option(options, "rfdno", 0);
	_cleanup_free_ char *drive = NULL;

	if (gofer) {
		walk_push_hidden(walk, index, "gofer process of gVisor on the host");
	} else if (aname && strncmp(aname, "drvfs", 5) == 0) {
		drive = drvfs_drive(aname);
		push_far(walk, index, LAYER_SHARE, drive, "Windows disk");
	} else if (transport && strcmp(transport, "virtio") == 0) {
		push_far(walk, index, LAYER_SHARE, source, "disk of the host");
	} else if (transport && strcmp(transport, "fd") == 0) {
		walk_push_hidden(walk, index, "process at the other end of a 9p descriptor");
	} else {
		push_far(walk, index, LAYER_REMOTE, source, "disk of the server");
	}
}

/* The source; of a root over NFS, which the kernel calls /dev/root, the server's address. */
static char *server_of(struct stack_walk *walk, size_t index)
{
	const char *source = walk_layer(walk, index)->source;
	char *address;

	if (source && strcmp(source, "/dev/root") != 0)
		return xstrdup(source);
	address = mount_option(walk_raw_options(walk, index), "addr", 0);
	return address ? address : xstrdup(source ? source : "");
}

static int probe_network(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	const struct network_type *row;
	_cleanup_free_ char *source = NULL;

	if (layer->kind != LAYER_FS)
		return 0;
	source = server_of(walk, index);
	row = find_type(layer->type);
	if (row)
		push_far(walk, index, row->kind, source,
			strncmp(source, "drvfs", 5) == 0 ? "Windows disk" : row->beneath);
	else if (strcmp(layer->type, "9p") == 0)
		push_9p(walk, index, source);
	else
		return 0;
	return 1;
}

static const struct layer_probe network_filesystem = {
	.head = { .id = "network",
		.summary = "NFS, CIFS, Ceph, autofs and directories of a virtual machine's host" },
	.probe = probe_network,
};
LAYER_PROBE_REGISTER(network_filesystem);
