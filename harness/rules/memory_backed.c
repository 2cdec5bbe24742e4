// SPDX-License-Identifier: GPL-2.0-or-later
// The data lives in this machine's memory.
#include <string.h>

#include "rules/deficit.h"

static const struct finding_kind memory_backed_kind = {
	.head = { .id = "memory-backed", .summary = "the data lives in this machine's memory" },
	.meaning =
		"Somewhere under this path the data is kept in memory: tmpfs, ramfs, a RAM disk, "
		"zram, or a loop device over a file on one of them. No device is read or written, "
		"and nothing survives a power cut.",
	.established = "The type of the filesystem or block device, anywhere in the stack.",
	.example = "fio with direct=1 in /dev/shm: 723,000 IOPS, and fdatasync in 199 ns. "
		   "Nothing in its output says that there is no disk.",
	.touches = "Refuses device-read, device-write and durable-write; a note for the "
		   "others.",
	.remedy = "Choose a directory on a disk: `findmnt -T DIR` shows the filesystem of one "
		  "(`/tmp` and `/dev/shm` are often memory, `/var/tmp` seldom).",
	.settles = true,
};
FINDING_REGISTER(memory_backed_kind);

/* The lower side of an overlay holds what was there before, not what a run writes. */
static const struct layer *memory_layer(const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *layer = &stack->layer[i];

		if (layer->kind == LAYER_OVERLAY_LOWER)
			continue;
		if (layer->kind == LAYER_MEMORY ||
			layer_trait(layer, TRAIT_IN_MEMORY) == ANSWER_YES)
			return layer;
	}
	return NULL;
}

static enum severity severity_of(const struct evidence *e, const struct layer *layer)
{
	if (!claim_of_device_or_durable(e->claim))
		return SEVERITY_NOTE;
	/* A mount's source name is no proof by itself. */
	if (layer->inferred && !deficit_at_all_disks(e->ledger))
		return SEVERITY_FLAG;
	return SEVERITY_REFUSE;
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *layer = memory_layer(evidence->stack);
	const char *source;
	struct finding *finding;

	if (!layer)
		return;
	source = layer->traits[TRAIT_IN_MEMORY].source;
	finding = finding_add(
		findings, &memory_backed_kind, severity_of(evidence, layer), layer->name);
	if (strcmp(layer->name, layer->type) == 0)
		finding_message(finding, "%s keeps its data in memory", layer->name);
	else
		finding_message(
			finding, "%s (%s) keeps its data in memory", layer->name, layer->type);
	finding_source(finding, "%s", source ? source : "the layer's type");
	finding_observe_text(finding, "type", layer->type);
}

static const struct rule memory_backed_rule = {
	.head = { .id = "memory-backed",
		.order = 10,
		.summary = "device and durable claims need data that is not in memory" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(memory_backed_rule);
