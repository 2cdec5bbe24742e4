// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/levels.h"

#include <string.h>

#include "core/text.h"
#include "rules/rules.h"

bool layer_counter_alive(const struct layer *layer, const struct layer_reading *reading)
{
	if (!reading->known)
		return false;
	switch (layer_trait(layer, TRAIT_COUNTED)) {
	case ANSWER_YES:
		return true;
	case ANSWER_NO:
		return false;
	case ANSWER_UNKNOWN:
		break;
	}
	return reading->total.reads || reading->total.writes;
}

bool layer_below_disks(const struct stack *stack, size_t index)
{
	const struct layer *layer = &stack->layer[index];
	bool disks = false;

	/* members of an array may differ in depth: what stands beside its parent says nothing */
	if (layer->outside)
		return true;
	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *other = &stack->layer[i];

		if (other->level + 1 != layer->level)
			continue;
		if (other->kind != LAYER_DISK && other->kind != LAYER_CLOUD)
			return false;
		disks = true;
	}
	return disks;
}

bool level_below_fuse(const struct stack *stack, unsigned level)
{
	const struct layer *fuse = stack_find(stack, LAYER_FUSE);

	return fuse && fuse->level < level;
}

/* Bytes that go this way are not seen by the levels beneath. */
static bool leaves_the_machine(const struct stack *stack, size_t index)
{
	switch (stack->layer[index].kind) {
	case LAYER_REMOTE:
	case LAYER_SHARE:
	case LAYER_UNKNOWN:
	case LAYER_MEMORY:
		return true;
	case LAYER_HIDDEN:
		return !layer_below_disks(stack, index);
	default:
		return false;
	}
}

/* A filesystem, file or the like: its block layers come further down. */
static bool goes_on_below(enum layer_kind kind)
{
	return !layer_kind_is_block(kind) && kind != LAYER_CLOUD && kind != LAYER_HIDDEN;
}

static bool level_sums_up(const struct stack *stack, unsigned level)
{
	bool block = false;

	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *layer = &stack->layer[i];

		if (layer->level <= level && leaves_the_machine(stack, i))
			return false;
		if (layer->level != level)
			continue;
		if (goes_on_below(layer->kind))
			return false;
		block |= layer_kind_is_block(layer->kind);
	}
	return block;
}

static bool carries(const struct layer *layer, unsigned level)
{
	if (layer->level == level)
		return layer_kind_is_block(layer->kind);
	return layer->level < level && layer->kind == LAYER_DISK;
}

static bool counted_already(const struct stack *stack, size_t index, unsigned level)
{
	for (size_t i = 0; i < index; i++)
		if (stack->layer[index].device && carries(&stack->layer[i], level) &&
			stack->layer[i].device == stack->layer[index].device)
			return true;
	return false;
}

static void transfer_add(struct transfer *sum, const struct transfer *more)
{
	sum->reads += more->reads;
	sum->read_bytes += more->read_bytes;
	sum->writes += more->writes;
	sum->write_bytes += more->write_bytes;
}

double levels_plain_share(const struct extents *extents)
{
	uint64_t range = extents->written_bytes + extents->unwritten_bytes + extents->hole_bytes +
		extents->encoded_bytes;

	return extents->known && range ? share_of(extents->written_bytes, range) : 1;
}

uint64_t levels_expected_bytes(const struct ledger *ledger)
{
	const struct asked *asked = &ledger->asked;
	double bytes = (double)asked->distinct_bytes * levels_plain_share(&ledger->extents);

	if (asked->write)
		bytes = (double)(asked->direct ? asked->bytes : asked->distinct_bytes);
	return (uint64_t)(bytes * BYTES_SHARE_MIN);
}

uint64_t levels_written_at_most(const struct asked *asked, const struct level_sum *level)
{
	return asked->bytes * MAX(level->devices, (size_t)1) + asked->syncs * SYNC_EXTRA_BYTES;
}

/* Layers that hand writes to a thread of their own. */
static bool hands_writes_on(const struct layer *layer)
{
	switch (layer->kind) {
	case LAYER_LOOP:
		return layer_trait(layer, TRAIT_HONOURS_DIRECT) != ANSWER_YES;
	case LAYER_FS:
		return strcmp(layer->type, "btrfs") == 0;
	case LAYER_FUSE:
	case LAYER_DATASET:
	case LAYER_LVM:
	case LAYER_CRYPT:
	case LAYER_DM:
	case LAYER_MD:
	case LAYER_BCACHE:
		return true;
	default:
		return false;
	}
}

/* Whether all that this process moved is surely charged to it at this level. */
static bool surely_charged(const struct stack *stack, const struct asked *asked, unsigned level)
{
	if (!asked->write)
		return true;
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].level < level && hands_writes_on(&stack->layer[i]))
			return false;
	return asked->direct;
}

static struct level_sum level_read(
	const struct stack *stack, const struct ledger *ledger, unsigned level)
{
	struct level_sum sum = { .level = level };
	struct transfer ours = { 0 };

	sum.below_fuse = level_below_fuse(stack, level);
	sum.attributed = !sum.below_fuse;
	for (size_t i = 0; i < stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *layer = &stack->layer[i];
		const struct layer_reading *reading = &ledger->layer[i];

		if (!carries(layer, level) || counted_already(stack, i, level))
			continue;
		if (layer->level == level && !sum.layer)
			sum.layer = layer;
		if (!layer_counter_alive(layer, reading) && !sum.dead)
			sum.dead = layer;
		sum.devices++;
		sum.inferred |= layer->inferred;
		sum.attributed &= reading->ours_known;
		transfer_add(&sum.total, &reading->total);
		transfer_add(&ours, &reading->ours);
	}
	if (!surely_charged(stack, &ledger->asked, level) &&
		ours.write_bytes < levels_expected_bytes(ledger))
		sum.attributed = false;
	sum.moved = sum.attributed ? ours : sum.total;
	return sum;
}

size_t levels_read(const struct stack *stack, const struct ledger *ledger,
	struct level_sum ret[STACK_LAYERS_MAX])
{
	unsigned levels = stack_levels(stack);
	size_t count = 0;

	for (unsigned level = 0; level < levels && count < STACK_LAYERS_MAX; level++) {
		if (!level_sums_up(stack, level))
			continue;
		ret[count] = level_read(stack, ledger, level);
		if (ret[count].layer)
			count++;
	}
	return count;
}

static bool drawn_already(const struct stack *stack, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (stack->layer[index].device &&
			stack->layer[i].device == stack->layer[index].device)
			return true;
	return false;
}

static char *layer_describe(const struct stack *stack, const struct ledger *ledger, size_t index)
{
	const struct layer *layer = &stack->layer[index];
	const struct layer_reading *reading = &ledger->layer[index];
	uint64_t all = transfer_bytes(&reading->total, &ledger->asked);
	uint64_t own = transfer_bytes(&reading->ours, &ledger->asked);
	bool ours = reading->ours_known && !level_below_fuse(stack, layer->level) &&
		(surely_charged(stack, &ledger->asked, layer->level) ||
			own >= levels_expected_bytes(ledger));
	_cleanup_free_ char *bytes = NULL, *total = NULL;

	if (!layer_counter_alive(layer, reading))
		return xasprintf("%s not counted", layer->name);
	bytes = text_bytes(ours ? own : all);
	if (!ours || (double)all <= (1 + FOREIGN_SHARE_MAX) * (double)own)
		return xasprintf("%s %s", layer->name, bytes);
	total = text_bytes(all);
	return xasprintf("%s %s of ours (%s in all)", layer->name, bytes, total);
}

char *levels_describe(const struct stack *stack, const struct ledger *ledger)
{
	_cleanup_free_ char *asked = text_bytes(ledger->asked.distinct_bytes);
	char *line = xasprintf("asked %s", asked);
	size_t drawn = 0;
	size_t count = MIN(stack->count, (size_t)STACK_LAYERS_MAX);

	for (size_t i = 0; i < count && drawn < FIGURES_LAYERS_MAX; i++) {
		const struct layer *layer = &stack->layer[i];
		_cleanup_free_ char *figure = NULL;

		if (!layer_kind_is_block(layer->kind) || drawn_already(stack, i))
			continue;
		figure = layer_describe(stack, ledger, i);
		text_append(&line, ", ", "%s", figure);
		drawn++;
	}
	return line;
}
