// SPDX-License-Identifier: GPL-2.0-or-later
// A loop device whose backing file goes through the page cache.
#include "rules/deficit.h"

static const struct finding_kind loop_backing_cached_kind = {
	.head = { .id = "loop-backing-cached",
		.summary = "a loop device without direct I/O: its backing file's cache answered" },
	.meaning =
		"A loop device reads and writes its backing file through the page cache unless "
		"told otherwise (`mount -o loop` and `losetup` do not tell it). O_DIRECT inside "
		"is then void: the loop device counts every byte while the disk beneath sees few "
		"or none, or sees them early and in bulk by readahead.",
	.established = "The kernel's `loop/dio` attribute, and sectors at the loop device against "
		       "sectors at the device beneath it.",
	.example = "ext4 on a default loop device, 256 MiB read with O_DIRECT: 1.4 GB/s the "
		   "first time, then 3.6 to 5.1 GB/s, with 256 MiB counted at loop0 and 0 at "
		   "the disk. With direct I/O on the loop device: 1.1 GB/s both times, all "
		   "bytes at the disk.",
	.touches = "Refuses device-read and device-write. A durable-write is judged by its "
		   "own evidence, since the loop device turns a flush into an fsync of its "
		   "file.",
	.remedy = "Switch direct I/O on, which works while it is mounted: `losetup --direct-io=on "
		  "/dev/loopN`; `losetup -l` then says DIO 1. At the next mount: `losetup "
		  "--direct-io=on "
		  "--find --show IMAGE`, and mount the device it prints.",
};
FINDING_REGISTER(loop_backing_cached_kind);

/* Decides alone, even where every byte count matches: readahead below also answers early. */
static const struct layer *buffered_loop(const struct evidence *e)
{
	const struct stack *stack = e->stack;

	for (size_t i = 0; i < stack->count && i < STACK_LAYERS_MAX; i++)
		if (stack->layer[i].kind == LAYER_LOOP &&
			(layer_trait(&stack->layer[i], TRAIT_HONOURS_DIRECT) == ANSWER_NO ||
				e->ledger->layer[i].loop_direct == ANSWER_NO))
			return &stack->layer[i];
	return NULL;
}

static void say_buffered(
	const struct evidence *e, const struct layer *loop, struct findings *findings)
{
	const char *source = loop->traits[TRAIT_HONOURS_DIRECT].source;
	bool declared = layer_trait(loop, TRAIT_HONOURS_DIRECT) == ANSWER_NO;
	_cleanup_free_ char *figures = levels_describe(e->stack, e->ledger);
	struct finding *finding;

	finding = finding_add(findings, &loop_backing_cached_kind, SEVERITY_REFUSE, loop->name);
	/* Which loop lies beneath a FUSE server is a guess until no disk saw the bytes either. */
	if (loop->inferred && !deficit_at_all_disks(e->ledger))
		finding->severity = SEVERITY_FLAG;
	finding_message(finding, "%s %s: %s", loop->name,
		declared ? "has no direct I/O" : "was switched to buffered I/O meanwhile", figures);
	finding_source(finding, "%s", declared && source ? source : "loop/dio");
	finding_observe_u64(finding, "asked_bytes", e->ledger->asked.distinct_bytes);
	finding_observe_u64(finding, "direct_io", 0);
}

/* The command with this loop device's name, to be pasted; for a fixture of ours, its key. */
static void name_loop(const struct fixture_facts *fixture, struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		struct finding *f = &findings->item[i];

		if (f->kind != &loop_backing_cached_kind || !f->layer)
			continue;
		if (fixture && fixture->loop_buffered)
			finding_remedy(f,
				"The loop device is buffered because the spec says so: leave "
				"`LOOP=buffered` out of it.");
		else
			finding_remedy(f,
				"Switch direct I/O on, which works while it is mounted: `losetup "
				"--direct-io=on /dev/%s`; `losetup -l` then says DIO 1.",
				f->layer);
	}
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct deficit deficit = deficit_find(evidence);
	const struct layer *loop = buffered_loop(evidence);

	if (deficit.culprit == CULPRIT_LOOP)
		deficit_report(&deficit, evidence,
			finding_add(findings, &loop_backing_cached_kind, SEVERITY_REFUSE,
				deficit.blame->name));
	else if (loop && claim_of_device(evidence->claim))
		/* a durable write is judged by its own evidence: a flush is an fsync of the file */
		say_buffered(evidence, loop, findings);
	name_loop(evidence->fixture, findings);
}

static const struct rule loop_backing_cached_rule = {
	.head = { .id = "loop-backing-cached",
		.order = 30,
		.summary = "loop devices must bypass their backing file's cache" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(loop_backing_cached_rule);

/* Where nothing could be tried (a read-only filesystem, a passive probe) it is said by the flag. */
static void judge_untried(const struct evidence *evidence, struct findings *findings)
{
	if (evidence->ledger || evidence->measurement || !claim_of_device(evidence->claim))
		return;
	for (size_t i = 0; i < evidence->stack->count; i++) {
		const struct layer *layer = &evidence->stack->layer[i];
		struct finding *f;

		if (layer->kind != LAYER_LOOP ||
			layer_trait(layer, TRAIT_HONOURS_DIRECT) != ANSWER_NO)
			continue;
		f = finding_add(findings, &loop_backing_cached_kind,
			layer->inferred ? SEVERITY_FLAG : SEVERITY_REFUSE, layer->name);
		finding_message(f, "%s has no direct I/O", layer->name);
		finding_source(f, "loop/dio");
		finding_observe_u64(f, "direct_io", 0);
		break;
	}
	name_loop(evidence->fixture, findings);
}

static const struct rule loop_backing_declared_rule = {
	.head = { .id = "loop-backing-declared",
		.order = 31,
		.summary = "a loop device without direct I/O, where nothing was tried" },
	.scope = RULE_TARGET,
	.judge = judge_untried,
};
RULE_REGISTER(loop_backing_declared_rule);
