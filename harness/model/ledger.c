// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/ledger.h"

/* *ret = after - before. False when the counter ran backwards: reset, wrapped or another device. */
static bool advance(uint64_t before, uint64_t after, uint64_t *ret)
{
	if (after < before)
		return false;
	*ret = after - before;
	return true;
}

static bool transfer_diff(const struct transfer *b, const struct transfer *a, struct transfer *ret)
{
	struct transfer moved = { 0 };

	if (!advance(b->reads, a->reads, &moved.reads) ||
		!advance(b->read_bytes, a->read_bytes, &moved.read_bytes) ||
		!advance(b->writes, a->writes, &moved.writes) ||
		!advance(b->write_bytes, a->write_bytes, &moved.write_bytes))
		return false;
	*ret = moved;
	return true;
}

/* Anyone may switch it at any time (losetup --direct-io): once buffered is buffered. */
static enum answer direct_throughout(enum answer before, enum answer after)
{
	if (before == ANSWER_NO || after == ANSWER_NO)
		return ANSWER_NO;
	return before == after ? before : ANSWER_UNKNOWN;
}

/* Starts from all unknown, so that a group which is not known carries no figures. */
static struct layer_reading layer_diff(const struct layer_reading *b, const struct layer_reading *a)
{
	struct layer_reading moved = { 0 };

	moved.known = b->known && a->known && transfer_diff(&b->total, &a->total, &moved.total);
	moved.flushes_known = b->flushes_known && a->flushes_known &&
		advance(b->flushes, a->flushes, &moved.flushes);
	moved.ours_known =
		b->ours_known && a->ours_known && transfer_diff(&b->ours, &a->ours, &moved.ours);
	moved.loop_direct = direct_throughout(b->loop_direct, a->loop_direct);
	return moved;
}

static struct process_reading process_diff(
	const struct process_reading *b, const struct process_reading *a)
{
	struct process_reading moved = { 0 };

	if (!b->known || !a->known || !advance(b->rchar, a->rchar, &moved.rchar) ||
		!advance(b->wchar, a->wchar, &moved.wchar) ||
		!advance(b->read_bytes, a->read_bytes, &moved.read_bytes) ||
		!advance(b->write_bytes, a->write_bytes, &moved.write_bytes))
		return (struct process_reading){ 0 };
	moved.known = true;
	return moved;
}

static struct machine_reading machine_diff(
	const struct machine_reading *b, const struct machine_reading *a)
{
	struct machine_reading moved = { 0 };

	moved.disks_known = b->disks_known && a->disks_known &&
		transfer_diff(&b->disks, &a->disks, &moved.disks);
	moved.dirtied_known = b->dirtied_known && a->dirtied_known &&
		advance(b->pages_dirtied, a->pages_dirtied, &moved.pages_dirtied);
	moved.page_bytes = a->page_bytes;
	return moved;
}

void ledger_diff(const struct reading *before, const struct reading *after, size_t layers,
	struct ledger *ledger)
{
	layers = MIN(layers, (size_t)STACK_LAYERS_MAX);
	ledger->ns = 0;
	advance(before->ns, after->ns, &ledger->ns);
	ledger->layers = layers;
	for (size_t i = 0; i < layers; i++)
		ledger->layer[i] = layer_diff(&before->layer[i], &after->layer[i]);
	ledger->process = process_diff(&before->process, &after->process);
	ledger->machine = machine_diff(&before->machine, &after->machine);
}

/* One device may carry two members of a level (two images on one disk) and counts once. */
static bool seen_before(const struct stack *stack, size_t index)
{
	const struct layer *layer = &stack->layer[index];

	for (size_t i = 0; i < index; i++)
		if (layer->device != 0 && stack->layer[i].device == layer->device &&
			stack->layer[i].level == layer->level)
			return true;
	return false;
}

/* What one member of a level counted; a counter that calibration found dead has nothing to say. */
static const struct transfer *member_total(
	const struct ledger *ledger, const struct stack *stack, size_t index)
{
	if (!ledger->layer[index].known ||
		layer_trait(&stack->layer[index], TRAIT_COUNTED) == ANSWER_NO)
		return NULL;
	return &ledger->layer[index].total;
}

static const struct transfer *member_ours(
	const struct ledger *ledger, const struct stack *stack, size_t index)
{
	return ledger->layer[index].ours_known ? &ledger->layer[index].ours : NULL;
}

typedef const struct transfer *(*member_fn)(const struct ledger *, const struct stack *, size_t);

/* -ENODATA: the level has no member, or one of them has no such figures. */
static int level_sum(const struct ledger *ledger, const struct stack *stack, unsigned level,
	member_fn member, struct transfer *ret)
{
	struct transfer sum = { 0 };
	bool any = false;

	for (size_t i = 0; i < stack->count && i < ledger->layers; i++) {
		const struct transfer *t;

		if (stack->layer[i].level != level || seen_before(stack, i))
			continue;
		t = member(ledger, stack, i);
		if (!t)
			return -ENODATA;
		any = true;
		sum.reads += t->reads;
		sum.read_bytes += t->read_bytes;
		sum.writes += t->writes;
		sum.write_bytes += t->write_bytes;
	}
	if (!any)
		return -ENODATA;
	*ret = sum;
	return 0;
}

static int level_transfer(const struct ledger *ledger, const struct stack *stack, unsigned level,
	struct transfer *ret, bool *attributed)
{
	bool ours = level_sum(ledger, stack, level, member_ours, ret) == 0;
	int r = ours ? 0 : level_sum(ledger, stack, level, member_total, ret);

	if (r == 0)
		*attributed = ours;
	return r;
}

int ledger_level_bytes(const struct ledger *ledger, const struct stack *stack, unsigned level,
	bool write, uint64_t *bytes, bool *attributed)
{
	struct transfer sum;
	int r = level_transfer(ledger, stack, level, &sum, attributed);

	if (r == 0)
		*bytes = write ? sum.write_bytes : sum.read_bytes;
	return r;
}

int ledger_level_ios(const struct ledger *ledger, const struct stack *stack, unsigned level,
	bool write, uint64_t *ios, bool *attributed)
{
	struct transfer sum;
	int r = level_transfer(ledger, stack, level, &sum, attributed);

	if (r == 0)
		*ios = write ? sum.writes : sum.reads;
	return r;
}
