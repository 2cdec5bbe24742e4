// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/flushes.h"

#include "rules/levels.h"
#include "rules/rules.h"

static bool listed(const struct leaf *leaf, size_t count, const struct layer *layer)
{
	for (size_t i = 0; i < count; i++)
		if (layer->device && leaf[i].layer->device == layer->device)
			return true;
	return false;
}

/*
 * A cache, a thin pool or a volume on several disks may need only one of them for this data: the
 * best count among the disks at the same level stands for each.
 */
static bool disks_may_differ(const struct stack *stack, const struct layer *disk)
{
	for (size_t i = 0; i < stack->count; i++) {
		enum layer_kind kind = stack->layer[i].kind;

		if (stack->layer[i].level < disk->level &&
			(kind == LAYER_LVM || kind == LAYER_DM || kind == LAYER_BCACHE))
			return true;
	}
	return false;
}

static uint64_t best_flushes(
	const struct stack *stack, const struct ledger *ledger, const struct layer *disk)
{
	uint64_t best = 0;

	for (size_t i = 0; i < stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *other = &stack->layer[i];

		if (other->kind == LAYER_DISK && disks_may_differ(stack, other) &&
			ledger->layer[i].flushes_known)
			best = MAX(best, ledger->layer[i].flushes);
	}
	return MAX(best, ledger->layer[disk - stack->layer].flushes);
}

size_t leaves_read(
	const struct stack *stack, const struct ledger *ledger, struct leaf ret[STACK_LAYERS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *layer = &stack->layer[i];

		if (!layer_counts_flushes(layer) || listed(ret, count, layer))
			continue;
		ret[count++] = (struct leaf){
			.layer = layer,
			.guessed = layer->inferred || level_below_fuse(stack, layer->level),
			.known = ledger->layer[i].flushes_known,
			.flushes = layer->kind == LAYER_DISK && disks_may_differ(stack, layer)
				? best_flushes(stack, ledger, layer)
				: ledger->layer[i].flushes,
			.fua_known = ledger->layer[i].fua_known,
			.fua_writes = ledger->layer[i].fua_known ? ledger->layer[i].fua_writes : 0,
		};
	}
	return count;
}

uint64_t flushes_needed(const struct asked *asked)
{
	/* a sync without a write before it has nothing to flush */
	uint64_t syncs = asked->ios ? MIN(asked->syncs, asked->ios) : 0;

	if (asked->threads > 1)
		return 1;
	return MAX((uint64_t)((double)syncs * FLUSHES_SHARE_MIN), (uint64_t)1);
}

const struct layer *flush_barrier(const struct stack *stack, const struct leaf *leaf)
{
	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *layer = &stack->layer[i];

		if (layer->level < leaf->layer->level && layer->kind != LAYER_OVERLAY_LOWER &&
			layer_trait(layer, TRAIT_PASSES_FLUSH) == ANSWER_NO)
			return layer;
	}
	return NULL;
}
