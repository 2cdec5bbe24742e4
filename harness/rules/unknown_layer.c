// SPDX-License-Identifier: GPL-2.0-or-later
// A layer above the horizon that no probe knows or that cannot be seen.
#include "rules/levels.h"
#include "rules/rules.h"

static const struct finding_kind unknown_layer_kind = {
	.head = { .id = "unknown-layer",
		.summary = "a layer that is not known, or cannot be seen from here" },
	.meaning =
		"Something lies under this path that ioproof has no probe for, or that is hidden "
		"here (a masked /sys, another mount namespace, no permission). It may cache, "
		"compress or live elsewhere, so a number through it is not proved.",
	.established =
		"The end of the walk down from the path: an unknown type, or a device or file "
		"that could not be looked up.",
	.example = "In a podman container /sys/dev/block is an empty tmpfs, and a rootless "
		   "overlay names directories outside: what lies under `/` cannot be seen, "
		   "although it is an ordinary disk.",
	.touches = "Flags device-read, device-write and durable-write.",
	.remedy = "Run where everything can be seen: as root on the host, or in a container with "
		  "`--privileged -v /sys:/sys:ro`. For a type of its own, add a probe (see "
		  "CONTRIBUTING.md).",
};
FINDING_REGISTER(unknown_layer_kind);

/* What a server keeps to itself is that server's finding. */
static bool below_server(const struct stack *stack, unsigned level)
{
	for (size_t i = 0; i < stack->count; i++) {
		enum layer_kind kind = stack->layer[i].kind;

		if (stack->layer[i].level + 1 == level &&
			(kind == LAYER_FUSE || kind == LAYER_REMOTE || kind == LAYER_SHARE))
			return true;
	}
	return false;
}

static bool above_horizon(const struct stack *stack, size_t index)
{
	const struct layer *layer = &stack->layer[index];

	if (layer->kind == LAYER_UNKNOWN)
		return true;
	return layer->kind == LAYER_HIDDEN && !layer_below_disks(stack, index) &&
		!below_server(stack, layer->level);
}

/* The file is read from the layers shown; a write copies it up to where nobody can look. */
static void judge_writes_elsewhere(const struct evidence *e, struct findings *findings)
{
	const struct layer *layer = stack_find_trait(e->stack, TRAIT_WRITES_ELSEWHERE, ANSWER_YES);
	struct finding *finding;

	if (!layer || !claim_of_device_write(e->claim))
		return;
	finding = finding_add(findings, &unknown_layer_kind, SEVERITY_FLAG, layer->name);
	finding_message(finding,
		"what is written through %s goes to a directory that cannot be "
		"found from here, not to the layers shown",
		layer->name);
	finding_source(finding, "%s", layer->traits[TRAIT_WRITES_ELSEWHERE].source);
	finding_observe_text(finding, "type", layer->type);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	if (!claim_of_device_or_durable(evidence->claim))
		return;
	judge_writes_elsewhere(evidence, findings);
	for (size_t i = 0; i < evidence->stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *layer = &evidence->stack->layer[i];
		struct finding *finding;

		if (!above_horizon(evidence->stack, i))
			continue;
		finding = finding_add(findings, &unknown_layer_kind, SEVERITY_FLAG, layer->name);
		finding_message(finding, "%s (%s) %s", layer->name, layer->type,
			layer->kind == LAYER_UNKNOWN ? "is of no known type"
						     : "cannot be seen from here");
		finding_source(finding, "the walk down from the path");
		finding_observe_text(finding, "type", layer->type);
	}
}

static const struct rule unknown_layer_rule = {
	.head = { .id = "unknown-layer",
		.order = 130,
		.summary = "every layer above the horizon must be known" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(unknown_layer_rule);
