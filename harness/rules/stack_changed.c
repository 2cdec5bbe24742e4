// SPDX-License-Identifier: GPL-2.0-or-later
/* An answer about layers that were others when it was given. */
#include "rules/rules.h"

static const struct finding_kind stack_changed_kind = {
	.head = { .id = "stack-changed",
		.summary = "a layer changed while it was tried or measured" },
	.meaning =
		"Somebody mounted anew, switched a loop device or a write cache, or took a layer "
		"away between the first look and the last experiment or round. What was tried "
		"then was partly another stack than the one that is there now.",
	.established = "The layers, their devices, mount options and declared traits, looked at "
		       "before the experiments and once more after them.",
	.example = "A loop device with direct I/O, and `losetup --direct-io=off` 0.9 s into the "
		   "probe: the direct reads had been counted by then, and the next ones are "
		   "answered by the page cache.",
	.touches = "Flags every claim.",
	.remedy = "Again, once nobody changes it.",
};
FINDING_REGISTER(stack_changed_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct stack_difference *changed;
	struct finding *f;

	if (!evidence->experiments || !evidence->experiments->changed.what)
		return;
	changed = &evidence->experiments->changed;
	f = finding_add(findings, &stack_changed_kind, SEVERITY_FLAG, changed->layer);
	finding_message(f, "%s changed meanwhile: %s", changed->layer, changed->what);
	finding_source(f, "the layers before the experiments and at the end");
	finding_observe_text(f, "change", changed->what);
}

static const struct rule stack_changed_rule = {
	.head = { .id = "stack-changed",
		.order = 144,
		.summary = "the layers must be the same before the experiments and at the end" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(stack_changed_rule);
