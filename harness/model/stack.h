/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_STACK_H
#define IOPROOF_STACK_H

/*
 * What lies under a path, top to bottom. Plain data: probes build it, rules and reports read it.
 *
 * Layers stand in breadth-first order. Members of one level (the disks of an array, the devices of
 * a btrfs) share `level`; a level's bytes are the sum over its members.
 */

#include <sys/types.h>

#include "model/trait.h"

enum layer_kind {
	LAYER_BIND,          /* field 4 of mountinfo is not the filesystem's root */
	LAYER_SUBVOL,        /* btrfs subvolume */
	LAYER_FS,            /* a filesystem of the kernel */
	LAYER_FUSE,          /* a FUSE filesystem: a server process answers */
	LAYER_OVERLAY_UPPER, /* directory an overlay writes to */
	LAYER_OVERLAY_LOWER,
	LAYER_LOOP,
	LAYER_FILE, /* the backing file of a loop device */
	LAYER_LVM,
	LAYER_CRYPT,
	LAYER_DM, /* other device-mapper targets */
	LAYER_MD,
	LAYER_BCACHE,
	LAYER_PART,
	LAYER_DISK,
	LAYER_DATASET, /* ZFS */
	LAYER_POOL,
	LAYER_SHARE,   /* a directory of the virtual machine's host */
	LAYER_REMOTE,  /* a server */
	LAYER_CLOUD,   /* what a virtual disk is */
	LAYER_MEMORY,  /* tmpfs and the like; with a device: zram, a RAM disk */
	LAYER_HIDDEN,  /* cannot be seen from here; `name` says what */
	LAYER_UNKNOWN, /* a type that no probe knows */
	LAYER_KIND_COUNT,
};

struct layer {
	enum layer_kind kind;
	unsigned level;
	char *type;   /* "ext4", "fuse.bindfs", "overlay", "partition", "virtio_blk"; never NULL */
	char *name;   /* "ext4", "loop0", "/srv/app", "vda"; never NULL */
	dev_t device; /* block layers (loop, part, disk, dm, zram...): its number; 0 otherwise */
	/*
	 * Somewhere above, the way down was guessed from a name (the source of a FUSE mount, a loop
	 * file that could not be compared), not proved: it may not be under the path at all.
	 */
	bool inferred;
	bool outside;  /* beneath a whole disk, and not a part of this machine: host, cloud */
	bool by_bytes; /* found because it moved the bytes asked for, in repeated trials */

	/* Layers that are a mount; mount_id 0 otherwise. */
	uint64_t mount_id;
	char *mount_point;
	char *source;
	char *options; /* per-mount and superblock options, comma-separated, each once */

	/*
	 * FUSE: the process that answers, and how that is known. pid 0 with a source: none that can
	 * be seen from here; all NULL: it could not be told.
	 */
	pid_t server_pid;
	char *server_name, *server_source;

	/* Block layers, NULL or 0 where the kernel does not say. */
	char *sysfs;  /* "sys/block/vda", "sys/class/block/vda1": where its `stat` may be */
	char *driver; /* "virtio_blk" */
	char *model;
	char *content; /* what libblkid found on it: "ext4", "ntfs" */
	uint64_t size; /* bytes */

	struct trait traits[TRAIT_COUNT];
};

struct stack {
	struct layer *layer;
	size_t count;
};

#define STACK_LAYERS_MAX 64 /* nested loops may not recurse for ever */

/* A new layer at the end; type and name are copied. The pointer holds until the next call. */
struct layer *stack_append(struct stack *stack, enum layer_kind kind, unsigned level,
	const char *type, const char *name);
/* A deep copy; ret is empty before. */
void stack_copy(const struct stack *stack, struct stack *ret);
/*
 * Replaces what was hidden or inferred at the end by these layers, marked by_bytes; a layer that
 * was inferred and is confirmed by them is kept and no longer inferred.
 */
void stack_end_with(struct stack *stack, const struct stack *end);
void stack_free(struct stack *stack);
/* Replaces what was known; source is copied. */
void layer_set_trait(struct layer *layer, enum trait_id id, enum answer answer, enum known_by known,
	const char *source_fmt, ...) PRINTF(5, 6);
static inline enum answer layer_trait(const struct layer *layer, enum trait_id id)
{
	return layer->traits[id].answer;
}

/* "fs", "fuse", "overlay-upper", "loop"...: the word before the colon in documents. */
const char *layer_kind_name(enum layer_kind kind);
/* By its kind alone: counters may be hidden from us. */
bool layer_kind_is_block(enum layer_kind kind);
/* A layer that has counters of its own in sysfs. */
bool layer_is_block(const struct layer *layer);
/* Whole disks do; partitions, device-mapper and md do not (Documentation/block/stat.rst). */
bool layer_counts_flushes(const struct layer *layer);
unsigned stack_levels(const struct stack *stack);
/*
 * The horizon: the lowest layer that evidence reaches. The last block layer or memory that was not
 * inferred; else the last filesystem or FUSE layer that was not; else the top. NULL for an empty
 * stack.
 */
const struct layer *stack_horizon(const struct stack *stack);
/* Its name for people, with its level's other members: "nvme0n1+nvme1n1"; malloc'ed; or NULL. */
char *stack_horizon_name(const struct stack *stack);
/* The filesystem or server that answers for the path: the first layer that is one; or NULL. */
const struct layer *stack_filesystem(const struct stack *stack);
/* The first layer of this kind from the top, NULL if none. */
const struct layer *stack_find(const struct stack *stack, enum layer_kind kind);
/* Whether any layer has the trait with this answer; returns the first such layer. */
const struct layer *stack_find_trait(
	const struct stack *stack, enum trait_id id, enum answer answer);

#endif
