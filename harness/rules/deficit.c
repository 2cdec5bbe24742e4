// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/deficit.h"

#include "core/text.h"

/* 0: I/Os say nothing here. */
static uint64_t expected_ios(const struct ledger *ledger)
{
	const struct asked *asked = &ledger->asked;

	/* deep queues merge neighbouring writes; a cache that absorbs them shows in bytes */
	if (asked->write || !asked->direct || asked->ios < IOS_COUNT_MIN ||
		asked->bytes / asked->ios > SMALL_BLOCK_BYTES)
		return 0;
	return (uint64_t)((double)asked->ios * levels_plain_share(&ledger->extents) *
		IOS_SHARE_MIN);
}

bool deficit_at_all_disks(const struct ledger *ledger)
{
	return ledger->machine.disks_known &&
		transfer_bytes(&ledger->machine.disks, &ledger->asked) <
		levels_expected_bytes(ledger);
}

/* The lowest layer of one of two kinds above a level; NULL if none. */
static const struct layer *lowest_above(
	const struct stack *stack, unsigned level, enum layer_kind a, enum layer_kind b)
{
	const struct layer *found = NULL;

	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *layer = &stack->layer[i];

		if ((layer->kind == a || layer->kind == b) && layer->level < level)
			if (!found || layer->level >= found->level)
				found = layer;
	}
	return found;
}

/* A loop that nobody counts may have lost the bytes, unless it bypasses its file's cache. */
static bool loop_lost_them(const struct layer *loop, const struct level_sum *above)
{
	if (!loop)
		return false;
	if (above)
		return loop->level >= above->level;
	return layer_trait(loop, TRAIT_HONOURS_DIRECT) != ANSWER_YES;
}

static void blame_top(struct deficit *deficit, const struct evidence *e, unsigned level)
{
	const struct layer *fuse = stack_find(e->stack, LAYER_FUSE);

	deficit->culprit = e->ledger->asked.direct ? CULPRIT_DIRECT : CULPRIT_PAGE_CACHE;
	deficit->blame = fuse && fuse->level < level
		? fuse
		: lowest_above(e->stack, level, LAYER_FS, LAYER_DATASET);
}

/*
 * Fewer bytes beneath a compressing layer are no cache. Where the file's own extents are known they
 * have been allowed for, so only a layer beneath the image of a loop device is left.
 */
static const struct layer *eliding_layer(
	const struct evidence *e, const struct layer *loop, unsigned level)
{
	for (size_t i = 0; i < e->stack->count; i++) {
		const struct layer *layer = &e->stack->layer[i];

		if (layer->level >= level || layer_trait(layer, TRAIT_ELIDES_DATA) != ANSWER_YES)
			continue;
		if (loop ? layer->level > loop->level : !e->ledger->extents.known)
			return layer;
	}
	return NULL;
}

/* Of a write no extents need allowing for: it was seen above, and became less on its way here. */
static const struct layer *eliding_between(
	const struct evidence *e, const struct level_sum *above, unsigned level)
{
	for (size_t i = 0; i < e->stack->count; i++) {
		const struct layer *layer = &e->stack->layer[i];

		if (layer->level < level && (!above || layer->level >= above->level) &&
			layer_trait(layer, TRAIT_ELIDES_DATA) == ANSWER_YES)
			return layer;
	}
	return NULL;
}

static void classify(struct deficit *deficit, const struct evidence *e,
	const struct level_sum *above, const struct level_sum *level)
{
	const struct layer *loop = lowest_above(e->stack, level->level, LAYER_LOOP, LAYER_LOOP);

	deficit->missing = level->layer;
	deficit->attributed = level->attributed;
	deficit->blame = e->ledger->asked.write ? eliding_between(e, above, level->level)
						: eliding_layer(e, loop, level->level);
	if (deficit->blame) {
		deficit->culprit = CULPRIT_ELIDED;
	} else if (loop_lost_them(loop, above)) {
		deficit->culprit = CULPRIT_LOOP;
		deficit->blame = loop;
	} else if (above) {
		deficit->culprit = CULPRIT_BLOCK;
		deficit->blame = above->layer;
	} else {
		blame_top(deficit, e, level->level);
	}
}

static bool falls_short(
	const struct level_sum *level, const struct ledger *ledger, struct deficit *deficit)
{
	uint64_t bytes = levels_expected_bytes(ledger), ios = expected_ios(ledger);
	uint64_t moved = transfer_bytes(&level->moved, &ledger->asked);

	if (moved < bytes) {
		deficit->expected = bytes;
		deficit->counted = moved;
		return true;
	}
	if (level->moved.reads < ios && !level->inferred) {
		deficit->expected = ios;
		deficit->counted = level->moved.reads;
		deficit->by_ios = true;
		return true;
	}
	return false;
}

/* What a source name suggests is believed only where no disk of this machine saw the bytes. */
static bool believable(const struct level_sum *level, const struct ledger *ledger)
{
	return !level->dead && (!level->inferred || deficit_at_all_disks(ledger));
}

/*
 * Bytes seen here and missing beneath were lost in between. Anybody's bytes do not show that of
 * ours, and a partition is its disk: what it counts, the disk was given.
 */
static const struct level_sum *seen_above(
	const struct level_sum *above, const struct level_sum *level)
{
	return above && (above->attributed || !level->attributed) ? above : NULL;
}

static struct deficit search_levels(const struct evidence *e, bool *counted)
{
	struct level_sum level[STACK_LAYERS_MAX];
	size_t levels = levels_read(e->stack, e->ledger, level);
	const struct level_sum *above = NULL;
	struct deficit deficit = { 0 };

	for (size_t i = 0; i < levels; i++) {
		*counted |= !level[i].dead;
		if (!believable(&level[i], e->ledger))
			continue;
		if (falls_short(&level[i], e->ledger, &deficit)) {
			classify(&deficit, e, seen_above(above, &level[i]), &level[i]);
			deficit.by_machine = level[i].inferred;
			return deficit;
		}
		if (level[i].layer->kind != LAYER_PART)
			above = &level[i];
	}
	return deficit;
}

static bool block_layers_only(const struct stack *stack)
{
	bool block = false;

	for (size_t i = 0; i < stack->count; i++) {
		enum layer_kind kind = stack->layer[i].kind;

		if (kind == LAYER_FUSE || kind == LAYER_REMOTE || kind == LAYER_SHARE ||
			kind == LAYER_UNKNOWN || kind == LAYER_DATASET)
			return false;
		block |= layer_kind_is_block(kind);
	}
	return block;
}

/* No block layer counts: what was fetched for this process can still refute (never support). */
static struct deficit search_process(const struct evidence *e)
{
	const struct process_reading *process = &e->ledger->process;
	uint64_t bytes = levels_expected_bytes(e->ledger);
	struct deficit deficit = { 0 };

	if (!process->known || process->read_bytes >= bytes || !block_layers_only(e->stack))
		return deficit;
	deficit.expected = bytes;
	deficit.counted = process->read_bytes;
	deficit.attributed = true;
	blame_top(&deficit, e, stack_levels(e->stack));
	return deficit;
}

struct deficit deficit_find(const struct evidence *evidence)
{
	struct deficit deficit = { 0 };
	bool counted = false;

	if (!claim_of_device_or_durable(evidence->claim) ||
		evidence->ledger->asked.write != claim_of_device_write(evidence->claim))
		return deficit;
	deficit = search_levels(evidence, &counted);
	/* what a process wrote is charged to it when it dirties the page: no refutation there */
	if (deficit.culprit == CULPRIT_NONE && !counted && !evidence->ledger->asked.write)
		deficit = search_process(evidence);
	return deficit;
}

static void report_source(const struct deficit *deficit, struct finding *finding)
{
	const struct layer *missing = deficit->missing;

	if (!missing)
		finding_source(finding, "proc/self/io read_bytes");
	else if (deficit->by_machine)
		finding_source(finding, "%s/stat; stat of every disk of this machine",
			missing->sysfs ? missing->sysfs : missing->name);
	else
		finding_source(finding, "%s/stat%s",
			missing->sysfs ? missing->sysfs : missing->name,
			deficit->attributed ? "; private cgroup" : "");
}

static void report_figures(
	const struct deficit *deficit, const struct evidence *e, struct finding *finding)
{
	_cleanup_free_ char *figures = levels_describe(e->stack, e->ledger);
	_cleanup_free_ char *other = NULL;

	if (deficit->by_ios) {
		finding_message(finding, "%s, but %llu reads asked were %llu at %s", figures,
			(unsigned long long)e->ledger->asked.ios,
			(unsigned long long)deficit->counted, deficit->missing->name);
	} else if (deficit->by_machine) {
		other = text_bytes(transfer_bytes(&e->ledger->machine.disks, &e->ledger->asked));
		finding_message(finding, "%s, all disks of this machine %s", figures, other);
	} else if (!deficit->missing) {
		other = text_bytes(deficit->counted);
		finding_message(finding, "%s, fetched for this process %s", figures, other);
	} else {
		finding_message(finding, "%s", figures);
	}
}

void deficit_report(
	const struct deficit *deficit, const struct evidence *evidence, struct finding *finding)
{
	report_figures(deficit, evidence, finding);
	report_source(deficit, finding);
	finding_observe_u64(finding, "asked_bytes", evidence->ledger->asked.distinct_bytes);
	if (deficit->by_ios) {
		finding_observe_u64(finding, "asked_ios", evidence->ledger->asked.ios);
		finding_observe_u64(finding, "counted_ios", deficit->counted);
	} else {
		finding_observe_u64(finding, "expected_bytes", deficit->expected);
		finding_observe_u64(finding, "counted_bytes", deficit->counted);
	}
	if (deficit->missing)
		finding_observe_text(finding, "counted_at", deficit->missing->name);
	if (deficit->by_machine)
		finding_observe_u64(finding, "all_disks_bytes",
			transfer_bytes(&evidence->ledger->machine.disks, &evidence->ledger->asked));
}
