// SPDX-License-Identifier: GPL-2.0-or-later
/* Filesystems that live in the kernel's memory: file data (tmpfs) or the kernel's own tables. */
#include <string.h>

#include "probes/stack/stack_walk.h"

static const char *const types[] = { "tmpfs", "ramfs", "rootfs", "devtmpfs", "hugetlbfs",
	/* no file data at all */
	"proc", "sysfs", "devpts", "cgroup", "cgroup2", "cpuset", "mqueue", "debugfs", "tracefs",
	"securityfs", "configfs", "fusectl", "bpf", "pstore", "efivarfs", "binfmt_misc", "nsfs",
	"rpc_pipefs", "nfsd", "selinuxfs", "smackfs", "resctrl", "pidfs", "secretmem" };

static int probe_memory(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);
	size_t memory;

	if (layer->kind != LAYER_FS)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strcmp(types[i], layer->type) != 0)
			continue;
		/* open accepts O_DIRECT; the page cache is the store */
		layer_set_trait(layer, TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_INFERRED,
			"filesystem type %s", types[i]);
		layer_set_trait(layer, TRAIT_IN_MEMORY, ANSWER_YES, KNOWN_DECLARED,
			"filesystem type %s", types[i]);
		memory = walk_push_layer(walk, index, LAYER_MEMORY, "memory", "memory");
		layer_set_trait(walk_layer(walk, memory), TRAIT_IN_MEMORY, ANSWER_YES,
			KNOWN_DECLARED, "filesystem type %s", types[i]);
		return 1;
	}
	return 0;
}

static const struct layer_probe memory_filesystem = {
	.head = { .id = "memory", .summary = "tmpfs, ramfs and the kernel's own filesystems" },
	.probe = probe_memory,
};
LAYER_PROBE_REGISTER(memory_filesystem);
