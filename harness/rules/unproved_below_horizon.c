// SPDX-License-Identifier: GPL-2.0-or-later
// A verdict holds down to the horizon; this names what lies below it.
#include "rules/rules.h"

static const struct finding_kind unproved_below_horizon_kind = {
	.head = { .id = "unproved-below-horizon",
		.summary = "what serves the lowest visible disk was not proved" },
	.meaning =
		"The bytes were followed down to the lowest device this machine can see. What "
		"serves that device from outside (a hypervisor, a storage service, their caches) "
		"cannot be counted from here. An honest virtual machine has this note.",
	.established = "The lowest disk's driver and model: virtual, or not known to be physical.",
	.example = "A cloud machine's nvme0n1 is a network volume: the drive that this "
		   "kernel sees ends in another machine. All that was counted here is true, "
		   "and it ends at nvme0n1.",
	.touches = "A note for device-read, device-write and durable-write.",
	.remedy =
		"To check below, run ioproof on the host as well: `ioproof run --on DIR` where the "
		"disk's image lies.",
};
FINDING_REGISTER(unproved_below_horizon_kind);

/* Of the disks of an array one that is not physical is enough. */
static const struct layer *unproved_disk(const struct stack *stack)
{
	const struct layer *horizon = stack_horizon(stack);

	for (size_t i = 0; horizon && i < stack->count; i++) {
		const struct layer *disk = &stack->layer[i];

		if (disk->kind == LAYER_DISK && disk->level == horizon->level && !disk->inferred &&
			layer_trait(disk, TRAIT_IN_MEMORY) != ANSWER_YES &&
			layer_trait(disk, TRAIT_VIRTUAL) != ANSWER_NO)
			return disk;
	}
	return NULL;
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *disk = unproved_disk(evidence->stack);
	const struct layer *cloud = stack_find(evidence->stack, LAYER_CLOUD);
	_cleanup_free_ char *horizon = NULL;
	const struct trait *virtual;
	struct finding *finding;

	if (!claim_of_device_or_durable(evidence->claim) || !disk)
		return;
	virtual = &disk->traits[TRAIT_VIRTUAL];
	horizon = stack_horizon_name(evidence->stack);
	finding = finding_add(findings, &unproved_below_horizon_kind, SEVERITY_NOTE, horizon);
	finding_message(finding, "checked down to %s; %s (%s) was not proved", horizon,
		virtual->answer == ANSWER_YES ? "what serves it from outside this machine"
					      : "whether something outside serves it",
		cloud ? cloud->name : disk->type);
	finding_source(finding, "%s", virtual->source ? virtual->source : "nothing says");
	finding_observe_text(finding, "virtual", answer_name(virtual->answer));
}

static const struct rule unproved_below_horizon_rule = {
	.head = { .id = "unproved-below-horizon",
		.order = 190,
		.summary = "what lies below the horizon is named" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(unproved_below_horizon_rule);
