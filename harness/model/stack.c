// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/stack.h"

#include "core/text.h"

struct layer *stack_append(struct stack *stack, enum layer_kind kind, unsigned level,
	const char *type, const char *name)
{
	struct layer *layer;

	stack->layer = xreallocarray(stack->layer, stack->count + 1, sizeof(*stack->layer));
	layer = &stack->layer[stack->count++];
	*layer = (struct layer){
		.kind = kind,
		.level = level,
		.type = xstrdup(type),
		.name = xstrdup(name),
	};
	return layer;
}

static void layer_free(struct layer *layer)
{
	free(layer->type);
	free(layer->name);
	free(layer->mount_point);
	free(layer->source);
	free(layer->options);
	free(layer->server_name);
	free(layer->server_source);
	free(layer->sysfs);
	free(layer->driver);
	free(layer->model);
	free(layer->content);
	for (size_t i = 0; i < TRAIT_COUNT; i++)
		free(layer->traits[i].source);
}

static void layer_copy(const struct layer *from, struct layer *to)
{
	*to = *from;
	to->type = xstrdup(from->type);
	to->name = xstrdup(from->name);
	to->mount_point = xstrdup(from->mount_point);
	to->source = xstrdup(from->source);
	to->options = xstrdup(from->options);
	to->server_name = xstrdup(from->server_name);
	to->server_source = xstrdup(from->server_source);
	to->sysfs = xstrdup(from->sysfs);
	to->driver = xstrdup(from->driver);
	to->model = xstrdup(from->model);
	to->content = xstrdup(from->content);
	for (size_t i = 0; i < TRAIT_COUNT; i++)
		to->traits[i].source = xstrdup(from->traits[i].source);
}

void stack_copy(const struct stack *stack, struct stack *ret)
{
	ret->layer = xcalloc(stack->count, sizeof(*ret->layer));
	ret->count = stack->count;
	for (size_t i = 0; i < stack->count; i++)
		layer_copy(&stack->layer[i], &ret->layer[i]);
}

/* Everything inferred stands on the way to this device, so its bytes confirm all of it. */
static bool confirm_inferred(struct stack *stack, const struct stack *end)
{
	bool found = false;

	for (size_t i = 0; i < stack->count; i++)
		found |= stack->layer[i].inferred && end->count && end->layer[0].device &&
			stack->layer[i].device == end->layer[0].device;
	for (size_t i = 0; i < stack->count && found; i++) {
		stack->layer[i].by_bytes |= stack->layer[i].inferred;
		stack->layer[i].inferred = false;
	}
	return found;
}

void stack_end_with(struct stack *stack, const struct stack *end)
{
	unsigned level;

	if (confirm_inferred(stack, end))
		return;
	while (stack->count &&
		(stack->layer[stack->count - 1].kind == LAYER_HIDDEN ||
			stack->layer[stack->count - 1].inferred))
		layer_free(&stack->layer[--stack->count]);
	level = stack->count ? stack->layer[stack->count - 1].level + 1 : 0;
	for (size_t i = 0; i < end->count; i++) {
		stack->layer = xreallocarray(stack->layer, stack->count + 1, sizeof(*stack->layer));
		layer_copy(&end->layer[i], &stack->layer[stack->count]);
		stack->layer[stack->count].level += level;
		stack->layer[stack->count++].by_bytes = true;
	}
}

void stack_free(struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		layer_free(&stack->layer[i]);
	free(stack->layer);
	*stack = (struct stack){ 0 };
}

void layer_set_trait(struct layer *layer, enum trait_id id, enum answer answer, enum known_by known,
	const char *source_fmt, ...)
{
	struct trait *trait = &layer->traits[id];
	va_list ap;

	free(trait->source);
	trait->answer = answer;
	trait->known_by = known;
	trait->source = NULL;
	if (!source_fmt)
		return;
	va_start(ap, source_fmt);
	trait->source = xvasprintf(source_fmt, ap);
	va_end(ap);
}

const char *layer_kind_name(enum layer_kind kind)
{
	static const char *const names[LAYER_KIND_COUNT] = {
		[LAYER_BIND] = "bind",
		[LAYER_SUBVOL] = "subvol",
		[LAYER_FS] = "fs",
		[LAYER_FUSE] = "fuse",
		[LAYER_OVERLAY_UPPER] = "overlay-upper",
		[LAYER_OVERLAY_LOWER] = "overlay-lower",
		[LAYER_LOOP] = "loop",
		[LAYER_FILE] = "file",
		[LAYER_LVM] = "lvm",
		[LAYER_CRYPT] = "crypt",
		[LAYER_DM] = "dm",
		[LAYER_MD] = "md",
		[LAYER_BCACHE] = "bcache",
		[LAYER_PART] = "part",
		[LAYER_DISK] = "disk",
		[LAYER_DATASET] = "dataset",
		[LAYER_POOL] = "pool",
		[LAYER_SHARE] = "share",
		[LAYER_REMOTE] = "remote",
		[LAYER_CLOUD] = "cloud",
		[LAYER_MEMORY] = "memory",
		[LAYER_HIDDEN] = "hidden",
		[LAYER_UNKNOWN] = "unknown",
	};

	return (unsigned)kind < LAYER_KIND_COUNT ? names[kind] : "unknown";
}

bool layer_kind_is_block(enum layer_kind kind)
{
	switch (kind) {
	case LAYER_LOOP:
	case LAYER_LVM:
	case LAYER_CRYPT:
	case LAYER_DM:
	case LAYER_MD:
	case LAYER_BCACHE:
	case LAYER_PART:
	case LAYER_DISK:
		return true;
	default:
		return false;
	}
}

/* By its number alone: zram, or a block device that no probe knows. */
bool layer_is_block(const struct layer *layer)
{
	return layer_kind_is_block(layer->kind) || layer->device != 0;
}

/* Loop devices are request-based whole disks too. */
bool layer_counts_flushes(const struct layer *layer)
{
	return layer->kind == LAYER_DISK || layer->kind == LAYER_LOOP;
}

unsigned stack_levels(const struct stack *stack)
{
	unsigned levels = 0;

	for (size_t i = 0; i < stack->count; i++)
		levels = MAX(levels, stack->layer[i].level + 1);
	return levels;
}

/* A layer that was only guessed carries none. */
static bool carries_evidence(const struct layer *layer)
{
	return !layer->inferred && (layer_is_block(layer) || layer->kind == LAYER_MEMORY);
}

/* The page cache of a mount can be asked; a server, a share or a name in an option cannot. */
static bool is_mount(const struct layer *layer)
{
	return !layer->inferred && (layer->kind == LAYER_FS || layer->kind == LAYER_FUSE);
}

const struct layer *stack_horizon(const struct stack *stack)
{
	for (size_t i = stack->count; i-- > 0;)
		if (carries_evidence(&stack->layer[i]))
			return &stack->layer[i];
	for (size_t i = stack->count; i-- > 0;)
		if (is_mount(&stack->layer[i]))
			return &stack->layer[i];
	return stack->count ? &stack->layer[0] : NULL;
}

char *stack_horizon_name(const struct stack *stack)
{
	const struct layer *horizon = stack_horizon(stack);
	char *name = NULL;

	if (!horizon)
		return NULL;
	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *l = &stack->layer[i];

		if (l->level == horizon->level && l->kind == horizon->kind)
			text_append(&name, "+", "%s", l->name);
	}
	return name;
}

const struct layer *stack_filesystem(const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].kind != LAYER_BIND && stack->layer[i].kind != LAYER_SUBVOL)
			return &stack->layer[i];
	return NULL;
}

const struct layer *stack_find(const struct stack *stack, enum layer_kind kind)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].kind == kind)
			return &stack->layer[i];
	return NULL;
}

const struct layer *stack_find_trait(
	const struct stack *stack, enum trait_id id, enum answer answer)
{
	for (size_t i = 0; i < stack->count; i++)
		if (layer_trait(&stack->layer[i], id) == answer)
			return &stack->layer[i];
	return NULL;
}
