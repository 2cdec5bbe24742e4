// SPDX-License-Identifier: GPL-2.0-or-later
// A fixture's image on ground where some claims can never be made.
#include "rules/poor_ground.h"

static const struct finding_kind poor_ground_kind = {
	.head = { .id = "poor-ground",
		.summary = "the fixture's image lies where some claims can never be made" },
	.meaning = "A filesystem was built in an image, and the image lies in memory, behind a "
		   "server process, on a network or where its disk cannot be seen. Numbers of the "
		   "page cache and of metadata can be had there; what a device does cannot.",
	.established = "The layers under the scratch directory, found before anything is written.",
	.example = "ext4 on a loop device with direct I/O, its image on tmpfs: 256 MiB \"direct\" "
		   "at 3.1 GB/s (six rounds, 1.7-3.9), where the disk of that machine gives 1.",
	.touches = "A note; what it spoils is said by memory-backed, fuse-layer, network-layer and "
		   "unknown-layer, claim by claim.",
	.remedy = "`ioproof run --scratch DIR` with a DIR on a disk.",
};
FINDING_REGISTER(poor_ground_kind);

static char *layer_is_poor(const struct layer *layer)
{
	switch (layer->kind) {
	case LAYER_MEMORY:
		return xstrdup("lies in memory");
	case LAYER_FUSE:
		return xasprintf("is served by a process (%s)", layer->type);
	case LAYER_SHARE:
	case LAYER_REMOTE:
		return xasprintf("is not on this machine (%s)", layer->type);
	case LAYER_UNKNOWN:
		return xasprintf("is of a kind that nothing is known about (%s)", layer->type);
	case LAYER_HIDDEN:
		return xasprintf(
			"lies on something that cannot be seen from here (%s)", layer->name);
	case LAYER_LOOP:
		return layer_trait(layer, TRAIT_HONOURS_DIRECT) == ANSWER_NO
			? xasprintf("lies on a loop device that caches (%s)", layer->name)
			: NULL;
	default:
		return NULL;
	}
}

/* Why images had better lie elsewhere. What lies below a disk is the horizon's affair. */
char *poor_ground_why(const struct stack *scratch)
{
	for (size_t i = 0; i < scratch->count; i++) {
		const struct layer *layer = &scratch->layer[i];
		char *why = layer_is_poor(layer);

		if (why || (layer->kind == LAYER_DISK && !layer->inferred))
			return why;
	}
	return NULL;
}

struct finding *poor_ground_say(
	const struct stack *scratch, const char *name, struct findings *findings)
{
	_cleanup_free_ char *why = poor_ground_why(scratch);
	struct finding *finding;

	if (!why)
		return NULL;
	finding = finding_add(findings, &poor_ground_kind, SEVERITY_NOTE, NULL);
	finding_message(finding, "the scratch directory %s %s", name, why);
	finding_source(finding, "the layers under it");
	return finding;
}
