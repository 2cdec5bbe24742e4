/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_STACK_WALK_H
#define IOPROOF_STACK_WALK_H

/* What a layer probe sees and may do. */

#include "probes/stack/mount_table.h"
#include "probes/stack/stack_probe.h"

/*
 * One member of a stack in the making. Mount layers arrive with type (the filesystem type),
 * source, options and mount_point; block layers with device, name ("loop0"), sysfs, size and the
 * traits that the queue declares. Kinds: LAYER_BIND, LAYER_SUBVOL or LAYER_FS for mounts, which
 * the probe may change, LAYER_UNKNOWN for block devices, which it must.
 */
struct layer_probe {
	struct registered head; /* order: specific before general; ids as `ioproof list probes` */
	/*
	 * 1: mine, and what lies beneath was pushed; 0: not mine, nothing changed; negative: mine,
	 * but what lies beneath cannot be told: the walk turns the error into a hidden layer. The
	 * layer is addressed by index, because pushing may move the array: walk_layer() anew after
	 * each push.
	 */
	int (*probe)(struct stack_walk *walk, size_t index);
};

#define LAYER_PROBE_REGISTER(object) REGISTER(layer_probes, object)
extern const struct registry registry_layer_probes;

const struct sysroot *walk_root(const struct stack_walk *walk);
struct layer *walk_layer(struct stack_walk *walk, size_t index);
/* The mount a mount layer stands for; NULL for block layers. */
struct libmnt_fs *walk_mount(struct stack_walk *walk, size_t index);
/* Superblock options of a mount layer as the kernel wrote them (see mount_option()); never NULL. */
const char *walk_raw_options(struct stack_walk *walk, size_t index);
/*
 * The path of the existing regular file that was asked about; NULL: a directory, where files go. On
 * a record, which cannot tell, a path without a slash at its end is a file's.
 */
const char *walk_file(const struct stack_walk *walk);
const struct mount_table *walk_table(const struct stack_walk *walk);

/*
 * What lies beneath layer `index`, one level down. Several pushes are siblings; what stands on that
 * level already is not repeated. -ENOENT: no such path or mount; -ELOOP: it leads back into a layer
 * above; else what the path walk said.
 */
int walk_push_device(struct stack_walk *walk, size_t index, dev_t device);
/*
 * The filesystem of a mount, or of the mount that a path leads to. A bind or subvolume through
 * which it is reached is shown at the top of a stack only: further down a file or directory is held
 * open, and how its name is found now is not on the way of its data.
 */
int walk_push_path(struct stack_walk *walk, size_t index, const char *path);
int walk_push_filesystem(struct stack_walk *walk, size_t index, struct libmnt_fs *mount);
/* A filesystem that the table does not list: unknown, on the block device that st_dev names. */
int walk_push_unlisted(struct stack_walk *walk, size_t index, dev_t device);
/* The next of subvolume, bind and filesystem of the same mount. */
int walk_push_same_mount(struct stack_walk *walk, size_t index);
/*
 * A layer that needs no probing: memory, hidden, the backing file itself, a cloud volume. Returns
 * its index, so that more can be pushed beneath it.
 */
size_t walk_push_layer(struct stack_walk *walk, size_t index, enum layer_kind kind,
	const char *type, const char *name);
/* The same layer kind, hidden, with a formatted name. */
size_t walk_push_hidden(struct stack_walk *walk, size_t index, const char *fmt, ...) PRINTF(3, 4);
/* Whatever is pushed beneath this layer from now on is inferred, down to the end. */
void walk_infer(struct stack_walk *walk, size_t index);

/*
 * A block device node or its name ("/dev/sdb1", "/dev/mapper/vg-lv") as a number: by the node on a
 * live machine, else by sysfs. -ENOENT: neither knows it.
 */
int walk_find_device(const struct sysroot *root, const char *node, dev_t *ret);
/* Pushes every member of `slaves`; -ENOENT when there is none. */
int walk_push_slaves(struct stack_walk *walk, size_t index);

/* "sys/block/vda" of a device number; -ENOENT when sysfs does not show it. */
int walk_block_sysfs(const struct sysroot *root, dev_t device, char **ret);

#endif
