// SPDX-License-Identifier: GPL-2.0-or-later
// O_DIRECT accepted, and then served by a cache above the first device.
#include <string.h>

#include "core/text.h"
#include "rules/deficit.h"
#include "rules/dirtied.h"
#include "rules/fuse_remedy.h"

static const struct finding_kind direct_io_swallowed_kind = {
	.head = { .id = "direct-io-swallowed",
		.summary =
			"O_DIRECT was accepted, then served by a cache at the filesystem or FUSE "
			"layer" },
	.meaning =
		"The file was opened with O_DIRECT and no call failed, yet the layer under it "
		"answered from a cache. Many filesystems accept the flag and do nothing with it: "
		"most FUSE servers, ext4 with data=journal, network and memory filesystems. The "
		"number is that of a cache.",
	.established = "Sectors and reads at the block layer against what was asked for; pages of "
		       "the file that are in the page cache afterwards and were not before; what "
		       "the filesystem itself declares (statx STATX_DIOALIGN).",
	.example = "ntfs-3g answers through its own cache: the first direct read of 200 MB "
		   "ran at 733 MB/s with 200 MB at the loop device, the second at 3.5 GB/s "
		   "with 0 bytes at any device. Both were opened with O_DIRECT.",
	.touches = "Refuses device-read, device-write and durable-write with O_DIRECT.",
	.remedy =
		"Make the layer pass O_DIRECT on: mount ext4 without `data=journal`, bindfs with "
		"`--forward-odirect=4096`. Where a server or memory answers, measure the "
		"filesystem that it stands on: `ioproof run --on DIR` there. Another directory of "
		"the same mount changes nothing.",
};
FINDING_REGISTER(direct_io_swallowed_kind);

static struct finding *refuse(struct findings *findings, const struct layer *layer)
{
	return finding_add(
		findings, &direct_io_swallowed_kind, SEVERITY_REFUSE, layer ? layer->name : NULL);
}

/* The first filesystem or FUSE layer: what answered open(O_DIRECT). */
static const struct layer *top_filesystem(const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].kind == LAYER_FS || stack->layer[i].kind == LAYER_FUSE ||
			stack->layer[i].kind == LAYER_DATASET)
			return &stack->layer[i];
	return NULL;
}

static bool judge_bytes(const struct evidence *evidence, struct findings *findings)
{
	struct deficit deficit = deficit_find(evidence);

	if (deficit.culprit != CULPRIT_DIRECT)
		return false;
	deficit_report(&deficit, evidence, refuse(findings, deficit.blame));
	return true;
}

/* A file's first read passes every byte count though it is buffered, and leaves its pages. */
static bool judge_pages(const struct evidence *evidence, struct findings *findings)
{
	const struct residency *before = &evidence->ledger->before;
	const struct residency *after = &evidence->ledger->after;
	struct finding *finding;
	uint64_t grown;

	if (before->known != ANSWER_YES || after->known != ANSWER_YES ||
		after->resident <= before->resident)
		return false;
	grown = after->resident - before->resident;
	if (share_of(grown, after->pages) < DIRECT_LEFT_RESIDENT)
		return false;
	finding = refuse(findings, top_filesystem(evidence->stack));
	finding_message(finding,
		"direct reads left %llu of %llu pages in the page cache (%llu before)",
		(unsigned long long)after->resident, (unsigned long long)after->pages,
		(unsigned long long)before->resident);
	finding_source(finding, "%s", after->source ? after->source : "page cache residency");
	finding_observe_u64(finding, "resident_before_pages", before->resident);
	finding_observe_u64(finding, "resident_after_pages", after->resident);
	finding_observe_u64(finding, "file_pages", after->pages);
	return true;
}

/* What was dropped again before anybody looked was there all the same. */
static bool judge_traced(const struct evidence *evidence, struct findings *findings)
{
	if (cache_added_ratio(evidence->ledger) < DIRECT_LEFT_RESIDENT)
		return false;
	cache_added_report(
		evidence->ledger, "read", refuse(findings, top_filesystem(evidence->stack)));
	return true;
}

static void judge_declared(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *layer = top_filesystem(evidence->stack);
	const struct trait *trait;
	struct finding *finding;

	if (!layer || layer_trait(layer, TRAIT_HONOURS_DIRECT) != ANSWER_NO)
		return;
	trait = &layer->traits[TRAIT_HONOURS_DIRECT];
	finding = refuse(findings, layer);
	if (trait->known_by == KNOWN_INFERRED)
		finding->severity = SEVERITY_FLAG;
	finding_message(finding, "%s takes O_DIRECT and does not honour it (%s)", layer->name,
		trait->source ? trait->source : known_by_name(trait->known_by));
	finding_source(finding, "%s", trait->source ? trait->source : "the filesystem");
	finding_observe_text(finding, "honours_o_direct", answer_name(trait->answer));
}

static void remedy_bindfs(const struct layer *fuse, struct finding *finding)
{
	_cleanup_free_ char *word = fuse->source && fuse->source[0] == '/'
		? text_shell_word(fuse->source)
		: xstrdup("SOURCE");

	finding_remedy(finding,
		"Measure the directory that it shows: `ioproof run --on %s`. Mounting it with "
		"`--forward-odirect=4096` passes O_DIRECT on and leaves the number flagged.",
		word);
}

/* What helps with the layer that is blamed. */
static void remedy_for(const struct layer *layer, bool fixture, struct finding *finding)
{
	bool journals = layer->options && text_has_word(layer->options, "data=journal", ',');

	if (journals && fixture)
		finding_remedy(finding,
			"The fixture has `data=journal` because its spec says so: leave it out. "
			"With it, ext4 has no direct I/O.");
	else if (journals)
		finding_remedy(finding,
			"Mount it without `data=journal`: take the option out of /etc/fstab, "
			"unmount, and mount again (a remount cannot change it; `tune2fs -l` shows "
			"whether it is a default of the filesystem's). Another directory of the "
			"same mount changes nothing.");
	else if (fuse_served_by(layer, "bindfs"))
		remedy_bindfs(layer, finding);
	else if (layer->kind == LAYER_FUSE)
		fuse_remedy(layer, finding);
}

static void name_remedy(const struct stack *stack, bool fixture, struct findings *findings)
{
	const struct layer *layer = top_filesystem(stack);

	for (size_t i = 0; layer && i < findings->count; i++)
		if (findings->item[i].kind == &direct_io_swallowed_kind)
			remedy_for(layer, fixture, &findings->item[i]);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	if (!claim_of_device_or_durable(evidence->claim) || !evidence->ledger->asked.direct)
		return;
	/* direct writes that leave pages or are declared buffered did arrive: direct-io-fallback */
	if (!judge_bytes(evidence, findings) && !evidence->ledger->asked.write &&
		!judge_pages(evidence, findings) && !judge_traced(evidence, findings))
		judge_declared(evidence, findings);
	name_remedy(evidence->stack, evidence->fixture != NULL, findings);
}

static const struct rule direct_io_swallowed_rule = {
	.head = { .id = "direct-io-swallowed",
		.order = 60,
		.summary = "direct I/O must be seen by the topmost block layer; reads leave no "
			   "pages" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(direct_io_swallowed_rule);
