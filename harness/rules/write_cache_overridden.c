// SPDX-License-Identifier: GPL-2.0-or-later
// Somebody told the kernel that a write-back cache is none.
#include "rules/levels.h"
#include "rules/rules.h"

static const struct finding_kind write_cache_overridden_kind = {
	.head = { .id = "write-cache-overridden",
		.summary = "the queue says write through, the device says otherwise" },
	.meaning =
		"Writing \"write through\" into `queue/write_cache` does not change the device: it "
		"makes the kernel believe that there is nothing to flush, and flushes stop. "
		"People copy that line to speed databases up. fsync then returns at once, and a "
		"power cut loses what it promised. On a loop device the setting even survives "
		"detaching.",
	.established =
		"`queue/write_cache` against what the device itself declares: `cache_type` of a "
		"virtio or SCSI disk, and of a loop device that it can be written (the driver "
		"always gives it a write-back cache).",
	.example = "`echo \"write through\" > /sys/block/loop0/queue/write_cache`: fdatasync went "
		   "from 7,200 to 122,000 a second, and the disk counted no flush. An honest "
		   "virtual disk with `cache=writethrough` says the same in both places.",
	.touches = "Refuses durable-write.",
	.remedy = "Put it back: `echo \"write back\" > /sys/block/DEVICE/queue/write_cache`, and "
		  "look "
		  "for the boot script or udev rule that changed it.",
};
FINDING_REGISTER(write_cache_overridden_kind);

static void say(const struct layer *layer, bool guessed, struct findings *findings)
{
	const char *source = layer->traits[TRAIT_CACHE_OVERRIDDEN].source;
	struct finding *finding = finding_add(findings, &write_cache_overridden_kind,
		guessed ? SEVERITY_FLAG : SEVERITY_REFUSE, layer->name);

	finding_message(finding, "%s has a write-back cache, and its queue was told it has none",
		layer->name);
	finding_source(finding, "%s", source ? source : "queue/write_cache");
	finding_remedy(finding,
		"Put it back: `echo \"write back\" > /sys/block/%s/queue/write_cache`, and look "
		"for "
		"the boot script or udev rule that changed it.",
		layer->name);
	finding_observe_text(finding, "write_cache", "write through");
}

static bool said_before(const struct stack *stack, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (stack->layer[index].device &&
			stack->layer[i].device == stack->layer[index].device &&
			layer_trait(&stack->layer[i], TRAIT_CACHE_OVERRIDDEN) == ANSWER_YES)
			return true;
	return false;
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct stack *stack = evidence->stack;

	if (evidence->claim != CLAIM_DURABLE_WRITE)
		return;
	for (size_t i = 0; i < stack->count; i++)
		if (layer_trait(&stack->layer[i], TRAIT_CACHE_OVERRIDDEN) == ANSWER_YES &&
			!said_before(stack, i))
			say(&stack->layer[i],
				stack->layer[i].inferred ||
					level_below_fuse(stack, stack->layer[i].level),
				findings);
}

static const struct rule write_cache_overridden_rule = {
	.head = { .id = "write-cache-overridden",
		.order = 101,
		.summary = "the kernel must believe in the caches that devices declare" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(write_cache_overridden_rule);
