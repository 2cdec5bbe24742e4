// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/stack_walk.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "probes/stack/block_sysfs.h"
#include "probes/stack/mount_options.h"
#include "probes/stack/stack_state.h"

REGISTRY_DEFINE(layer_probes, "probes");

struct node {
	size_t parent;
	struct libmnt_fs *mount;
	char *raw_options;
	bool done;          /* needs no probing */
	bool guess_beneath; /* walk_infer() */
};

struct stack_walk {
	const struct sysroot *root;
	const struct mount_table *table;
	const char *file; /* what walk_file() says */
	struct stack stack;
	struct node node[STACK_LAYERS_MAX]; /* parallel to the stack's layers */
};

struct stack_walk *walk_new(const struct sysroot *root, const struct mount_table *table)
{
	struct stack_walk *walk = xcalloc(1, sizeof(*walk));

	walk->root = root;
	walk->table = table;
	return walk;
}

void walk_set_file(struct stack_walk *walk, const char *path)
{
	walk->file = path;
}

const char *walk_file(const struct stack_walk *walk)
{
	return walk->file;
}

void walk_free(struct stack_walk **walk)
{
	if (!*walk)
		return;
	for (size_t i = 0; i < STACK_LAYERS_MAX; i++)
		free((*walk)->node[i].raw_options);
	stack_free(&(*walk)->stack);
	free(*walk);
	*walk = NULL;
}

const struct sysroot *walk_root(const struct stack_walk *walk)
{
	return walk->root;
}

struct layer *walk_layer(struct stack_walk *walk, size_t index)
{
	return &walk->stack.layer[index];
}

struct libmnt_fs *walk_mount(struct stack_walk *walk, size_t index)
{
	return walk->node[index].mount;
}

const char *walk_raw_options(struct stack_walk *walk, size_t index)
{
	const char *options = walk->node[index].raw_options;

	return options ? options : "";
}

const struct mount_table *walk_table(const struct stack_walk *walk)
{
	return walk->table;
}

void walk_infer(struct stack_walk *walk, size_t index)
{
	walk->node[index].guess_beneath = true;
}

static unsigned level_below(const struct stack_walk *walk, size_t parent)
{
	return parent == NO_PARENT ? 0 : walk->stack.layer[parent].level + 1;
}

/*
 * Every array beside the stack has STACK_LAYERS_MAX places. The last one says that the stack went
 * on; what comes after it is dropped.
 */
static size_t append(struct stack_walk *walk, size_t parent, enum layer_kind kind, const char *type,
	const char *name)
{
	size_t index = walk->stack.count;
	bool last = index == STACK_LAYERS_MAX - 1;
	struct layer *layer;

	if (index == STACK_LAYERS_MAX)
		return STACK_LAYERS_MAX - 1;
	if (last) {
		kind = LAYER_HIDDEN;
		type = "hidden";
		name = "more layers than can be followed";
	}
	layer = stack_append(&walk->stack, kind, level_below(walk, parent), type, name);
	layer->inferred = parent != NO_PARENT &&
		(walk->stack.layer[parent].inferred || walk->node[parent].guess_beneath);
	walk->node[index] = (struct node){ .parent = parent, .done = last };
	return index;
}

size_t walk_push_layer(struct stack_walk *walk, size_t index, enum layer_kind kind,
	const char *type, const char *name)
{
	size_t pushed = append(walk, index, kind, type, name);

	walk->node[pushed].done = true;
	return pushed;
}

size_t walk_push_hidden(struct stack_walk *walk, size_t index, const char *fmt, ...)
{
	_cleanup_free_ char *name = NULL;
	va_list ap;

	va_start(ap, fmt);
	name = xvasprintf(fmt, ap);
	va_end(ap);
	return walk_push_layer(walk, index, LAYER_HIDDEN, "hidden", name);
}

/* A sibling that is there already (same mount or device): its bytes must not count twice. */
static bool on_level(const struct stack_walk *walk, size_t parent, uint64_t mount_id, dev_t device)
{
	unsigned level = level_below(walk, parent);

	for (size_t i = 0; i < walk->stack.count; i++) {
		const struct layer *layer = &walk->stack.layer[i];

		if (layer->level == level && !walk->node[i].done &&
			((mount_id && layer->mount_id == mount_id) ||
				(device && layer->device == device)))
			return true;
	}
	return false;
}

static bool above(const struct stack_walk *walk, size_t parent, uint64_t mount_id, dev_t device)
{
	for (size_t i = parent; i != NO_PARENT; i = walk->node[i].parent) {
		const struct layer *layer = &walk->stack.layer[i];

		if ((mount_id && layer->mount_id == mount_id) ||
			(device && layer->device == device))
			return true;
	}
	return false;
}

/* Field 4 of mountinfo, with what the kernel appends to a directory that was removed. */
static char *shown_root(struct libmnt_fs *mount)
{
	static const char deleted[] = "//deleted";
	const char *root = mnt_fs_get_root(mount);
	size_t len;

	root = root ? root : "/";
	len = strlen(root);
	if (len < sizeof(deleted) || strcmp(root + len - strlen(deleted), deleted) != 0)
		return xstrdup(root);
	return xasprintf("%.*s (deleted)", (int)(len - strlen(deleted)), root);
}

static size_t push_filesystem(struct stack_walk *walk, size_t parent, struct libmnt_fs *mount)
{
	const char *type = mnt_fs_get_fstype(mount);
	_cleanup_free_ char *raw = mount_raw_options(walk->table, mount);
	struct layer *layer;
	size_t index;

	type = type && *type ? type : "unknown";
	index = append(walk, parent, LAYER_FS, type, type);
	if (walk->node[index].done)
		return index;
	layer = walk_layer(walk, index);
	layer->mount_id = (uint64_t)mnt_fs_get_id(mount);
	layer->mount_point = xstrdup(mnt_fs_get_target(mount));
	layer->source = xstrdup(mnt_fs_get_source(mount));
	layer->options = mount_options_merged(mount, raw);
	mount_options_read(layer, raw ? raw : "");
	walk->node[index].mount = mount;
	walk->node[index].raw_options = take_pointer(raw);
	return index;
}

int walk_push_filesystem(struct stack_walk *walk, size_t index, struct libmnt_fs *mount)
{
	uint64_t id = (uint64_t)mnt_fs_get_id(mount);

	if (above(walk, index, id, 0))
		return -ELOOP;
	if (!on_level(walk, index, id, 0))
		push_filesystem(walk, index, mount);
	return 0;
}

static char *subvolume_of(const struct stack_walk *walk, struct libmnt_fs *mount)
{
	const char *type = mnt_fs_get_fstype(mount);
	_cleanup_free_ char *raw = NULL;

	if (!type || strcmp(type, "btrfs") != 0)
		return NULL;
	raw = mount_raw_options(walk->table, mount);
	return mount_option(raw, "subvol", 0);
}

/* Enters a mount: at its subvolume, else at its bind, else at the filesystem; `from` was before. */
static void enter_mount(
	struct stack_walk *walk, size_t parent, struct libmnt_fs *mount, enum layer_kind from)
{
	_cleanup_free_ char *root = shown_root(mount);
	_cleanup_free_ char *subvolume = subvolume_of(walk, mount);
	bool has_subvolume = subvolume && strcmp(subvolume, "/") != 0;
	bool has_bind = strcmp(root, has_subvolume ? subvolume : "/") != 0;
	size_t index;

	if (from == LAYER_KIND_COUNT && has_subvolume)
		index = append(walk, parent, LAYER_SUBVOL, "subvolume", subvolume);
	else if ((from == LAYER_KIND_COUNT || from == LAYER_SUBVOL) && has_bind)
		index = append(walk, parent, LAYER_BIND, "bind", root);
	else {
		push_filesystem(walk, parent, mount);
		return;
	}
	if (!walk->node[index].done)
		walk->node[index].mount = mount;
}

int walk_push_same_mount(struct stack_walk *walk, size_t index)
{
	struct libmnt_fs *mount = walk->node[index].mount;
	enum layer_kind kind = walk->stack.layer[index].kind;

	if (on_level(walk, index, (uint64_t)mnt_fs_get_id(mount), 0))
		return 0;
	enter_mount(walk, index, mount, kind);
	return 0;
}

int walk_push_top(struct stack_walk *walk, struct libmnt_fs *mount)
{
	enter_mount(walk, NO_PARENT, mount, LAYER_KIND_COUNT);
	return 0;
}

int walk_push_path(struct stack_walk *walk, size_t index, const char *path)
{
	struct libmnt_fs *mount;
	int r = resolve_path(walk->root, walk->table, path, &mount);

	return r < 0 ? r : walk_push_filesystem(walk, index, mount);
}

static size_t push_block(struct stack_walk *walk, size_t parent, dev_t device)
{
	_cleanup_free_ char *sysfs = NULL;
	const char *name;
	struct layer *layer;
	size_t index;

	if (walk_block_sysfs(walk->root, device, &sysfs) < 0)
		return walk_push_hidden(walk, parent,
			"block device %u:%u, which sysfs does not show", major(device),
			minor(device));
	name = strrchr(sysfs, '/') + 1;
	index = append(walk, parent, LAYER_UNKNOWN, "block", name);
	if (walk->node[index].done)
		return index;
	layer = walk_layer(walk, index);
	layer->device = device;
	layer->sysfs = take_pointer(sysfs);
	block_read_attributes(walk->root, layer);
	return index;
}

/* Only right under a filesystem: what libblkid finds further down is the next layer's own mark. */
static void read_content(struct stack_walk *walk, size_t parent, size_t index)
{
	const struct machine_calls *calls = walk->root->calls;
	const struct layer *up;

	if (parent == NO_PARENT || walk->node[index].done)
		return;
	up = walk_layer(walk, parent);
	if ((up->kind == LAYER_FS || up->kind == LAYER_FUSE) && calls->device_content)
		(void)calls->device_content(
			walk_layer(walk, index)->device, &walk_layer(walk, index)->content);
}

int walk_push_device(struct stack_walk *walk, size_t index, dev_t device)
{
	if (above(walk, index, 0, device))
		return -ELOOP;
	if (!on_level(walk, index, 0, device))
		read_content(walk, index, push_block(walk, index, device));
	return 0;
}

int walk_push_unlisted(struct stack_walk *walk, size_t parent, dev_t device)
{
	size_t index = append(walk, parent, LAYER_UNKNOWN, "unknown",
		"a filesystem that mountinfo does not list");

	walk->node[index].done = true;
	if (!major(device)) {
		walk_push_hidden(walk, index, "what it stands on");
		return 0;
	}
	return walk_push_device(walk, index, device);
}

/* Nothing unknown may look like a plain disk or filesystem. */
static void end_unknown(struct stack_walk *walk, size_t index)
{
	struct layer *layer = walk_layer(walk, index);

	layer->kind = LAYER_UNKNOWN;
	walk_push_hidden(walk, index, "what %s stands on", layer->name);
}

static void probe_one(struct stack_walk *walk, const struct registry_view *probes, size_t index)
{
	registry_for_each(m, probes) {
		const struct layer_probe *probe = registry_entry(*m, struct layer_probe);
		int r = probe->probe(walk, index);

		if (r < 0)
			walk_push_hidden(walk, index, "what %s stands on: %s",
				walk_layer(walk, index)->name, strerror(-r));
		if (r != 0)
			return;
	}
	end_unknown(walk, index);
}

/* Layers beneath a layer that needed no probing may stand too early: a stable sort by level. */
static void sort_by_level(struct stack *stack)
{
	for (size_t i = 1; i < stack->count; i++) {
		struct layer layer = stack->layer[i];
		size_t at = i;

		while (at > 0 && stack->layer[at - 1].level > layer.level) {
			stack->layer[at] = stack->layer[at - 1];
			at--;
		}
		stack->layer[at] = layer;
	}
}

int walk_run(struct stack_walk *walk, struct stack *ret)
{
	struct registry_view probes;
	int r = registry_view(&registry_layer_probes, &probes);

	if (r < 0)
		return r;
	for (size_t i = 0; i < walk->stack.count; i++)
		if (!walk->node[i].done)
			probe_one(walk, &probes, i);
	registry_view_free(&probes);
	sort_by_level(&walk->stack);
	*ret = walk->stack;
	walk->stack = (struct stack){ 0 };
	return 0;
}
