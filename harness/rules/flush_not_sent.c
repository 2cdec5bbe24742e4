// SPDX-License-Identifier: GPL-2.0-or-later
// A sync returned, and the flush that makes data durable was not seen.
#include <string.h>

#include "rules/deficit.h"
#include "rules/flushes.h"

static const struct finding_kind flush_not_sent_kind = {
	.head = { .id = "flush-not-sent",
		.summary = "a sync completed, and a disk with a volatile cache saw no flush" },
	.meaning =
		"A disk may keep what it was given in a cache that a power cut empties. fsync is "
		"durable only because a flush command follows the data. Here the sync returned "
		"and the flush was never sent, so the rate is that of a promise: a power cut "
		"loses what was reported as safe.",
	.established = "Flushes that each whole disk and each loop device counted in the interval "
		       "(field 16 of /sys/block/DEVICE/stat), against the syncs that returned; "
		       "mount options that drop flushes.",
	.example = "ext4 mounted with `nobarrier`: 100 writes with fsync on a loop device, flushes "
		   "counted 0; the same without the option: 200 at the loop device and 200 at the "
		   "disk. Under eatmydata 0, with 1.4 GB/s of \"synced\" writes.",
	.touches = "Refuses durable-write; the other claims do not promise a flush.",
	.remedy = "Remove what drops it: `findmnt -T DIR` shows `nobarrier` or `volatile`, "
		  "`cat /sys/block/*/queue/write_cache` a switched queue, `echo $LD_PRELOAD` a "
		  "library such as eatmydata.",
};
FINDING_REGISTER(flush_not_sent_kind);

static const struct finding_kind fua_unproved_kind = {
	.head = { .id = "fua-unproved",
		.summary = "no flush was counted, on a disk that takes FUA writes" },
	.meaning = "A disk may take writes with \"force unit access\": each reaches the medium by "
		   "itself, and no flush follows. The kernel does not count these apart from other "
		   "writes. The bytes arrived, and whether they were forced is not known: the "
		   "number may well be right.",
	.established = "The disk's `queue/fua` is 1, the bytes were counted, and fewer flushes "
		       "than syncs were.",
	.example = "An NVMe drive with FUA, O_DSYNC direct writes of 4 KiB: all bytes at nvme0n1 "
		   "and 0 flushes, because each write carried the bit.",
	.touches = "Flags durable-write.",
	.remedy = "See the bit itself: `ioproof probe --trace DIR` as root, or for any command "
		  "`trace-cmd record -e block_rq_issue COMMAND`, where \"F\" in the flags marks "
		  "forced writes and flushes; or use fsync, whose flush is counted.",
};
FINDING_REGISTER(fua_unproved_kind);

static bool bytes_arrived(const struct evidence *e)
{
	return e->ledger->asked.distinct_bytes && deficit_find(e).culprit == CULPRIT_NONE;
}

static void say(const struct evidence *e, const struct leaf *leaf, const struct layer *barrier,
	struct finding *finding)
{
	const char *why = barrier ? barrier->traits[TRAIT_PASSES_FLUSH].source : NULL;
	const char *sysfs = leaf->layer->sysfs ? leaf->layer->sysfs : leaf->layer->name;
	_cleanup_free_ char *reason = barrier
		? xasprintf("%s passes no flush on (%s): ", barrier->name, why ? why : "declared")
		: xstrdup("");
	_cleanup_free_ char *fua = leaf->fua_known
		? xasprintf(" and %llu FUA writes", (unsigned long long)leaf->fua_writes)
		: xstrdup("");
	_cleanup_free_ char *seen = leaf->known
		? xasprintf("%llu flushes%s", (unsigned long long)leaf->flushes, fua)
		: xstrdup("flushes not counted");

	finding_message(finding, "%s%llu syncs, %s at %s", reason,
		(unsigned long long)e->ledger->asked.syncs, seen, leaf->layer->name);
	finding_source(finding, "%s/stat field 16%s%s", sysfs, why ? "; " : "", why ? why : "");
	finding_observe_u64(finding, "syncs", e->ledger->asked.syncs);
	finding_observe_u64(finding, "flushes_needed", flushes_needed(&e->ledger->asked));
	if (leaf->known)
		finding_observe_u64(finding, "flushes", leaf->flushes);
	if (leaf->fua_known)
		finding_observe_u64(finding, "fua_writes", leaf->fua_writes);
}

/*
 * A disk that is only guessed at proves nothing by what others flushed there, nor by a few less;
 * less than half is no few: a server that syncs each tenth time.
 */
static void judge_guessed(
	const struct evidence *e, const struct leaf *leaf, struct findings *findings)
{
	const uint64_t half = MAX(flushes_needed(&e->ledger->asked) / 2, (uint64_t)1);

	if (leaf->known && leaf->flushes + leaf->fua_writes < half)
		say(e, leaf, NULL,
			finding_add(
				findings, &flush_not_sent_kind, SEVERITY_FLAG, leaf->layer->name));
}

/* Said once, at the first leaf under it: others' flushes at leaves further down excuse nothing. */
static void judge_barrier(const struct evidence *e, const struct leaf *leaf,
	const struct layer *barrier, struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->item[i].kind == &flush_not_sent_kind &&
			strcmp(findings->item[i].layer, barrier->name) == 0)
			return;
	say(e, leaf, barrier,
		finding_add(findings, &flush_not_sent_kind, SEVERITY_REFUSE, barrier->name));
}

static void judge_leaf(const struct evidence *e, const struct leaf *leaf, struct findings *findings)
{
	const struct layer *barrier = flush_barrier(e->stack, leaf);
	bool fewer =
		leaf->known && leaf->flushes + leaf->fua_writes < flushes_needed(&e->ledger->asked);

	if (leaf->guessed)
		judge_guessed(e, leaf, findings);
	else if (barrier)
		judge_barrier(e, leaf, barrier, findings);
	else if (fewer && layer_trait(leaf->layer, TRAIT_FUA) == ANSWER_YES && !leaf->fua_known &&
		bytes_arrived(e))
		say(e, leaf, NULL,
			finding_add(
				findings, &fua_unproved_kind, SEVERITY_FLAG, leaf->layer->name));
	else if (fewer)
		say(e, leaf, NULL,
			finding_add(findings, &flush_not_sent_kind, SEVERITY_REFUSE,
				leaf->layer->name));
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct leaf leaf[STACK_LAYERS_MAX];
	size_t leaves;

	if (evidence->claim != CLAIM_DURABLE_WRITE)
		return;
	leaves = leaves_read(evidence->stack, evidence->ledger, leaf);
	for (size_t i = 0; i < leaves; i++)
		if (layer_trait(leaf[i].layer, TRAIT_VOLATILE_CACHE) == ANSWER_YES)
			judge_leaf(evidence, &leaf[i], findings);
}

static const struct rule flush_not_sent_rule = {
	.head = { .id = "flush-not-sent",
		.order = 102,
		.summary = "each leaf with a volatile cache must see a flush after a sync" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(flush_not_sent_rule);
