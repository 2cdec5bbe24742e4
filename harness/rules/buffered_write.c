// SPDX-License-Identifier: GPL-2.0-or-later
// Writes to memory: that they went there, and that the number is memory's.
#include "core/text.h"
#include "rules/dirtied.h"
#include "rules/levels.h"
#include "rules/rules.h"

static const struct finding_kind memory_speed_kind = {
	.head = { .id = "memory-speed",
		.summary = "buffered writes went to memory; writing them back is paid later" },
	.meaning =
		"The writes ended in the page cache. The number is how fast this machine copies "
		"into memory and keeps account of it; it says nothing about the device, until so "
		"much is dirty that writers are made to wait.",
	.established = "Pages dirtied on this machine in the interval, and what the block layer "
		       "had written when the timer stopped.",
	.example = "64 MiB written with dd into a new file on ext4: 916 MB/s, 16,429 pages "
		   "dirtied; the same bytes once more, 6.3 GB/s. Neither is the disk's rate: "
		   "it was given the data seconds later.",
	.touches = "A note for buffered-write.",
	.remedy = "For the device's rate measure a device-write or durable-write: O_DIRECT, or "
		  "fsync inside the timer.",
};
FINDING_REGISTER(memory_speed_kind);

static const struct finding_kind writes_not_buffered_kind = {
	.head = { .id = "writes-not-buffered",
		.summary = "the case says buffered, and the page cache did not take the bytes" },
	.meaning =
		"A buffered write dirties a page for each page written. Fewer were: the writes "
		"went "
		"round the cache, waited for the device, or fell on pages that were dirty before, "
		"which cost less than clean ones. The number is not that of buffered writes to "
		"clean pages.",
	.established = "`nr_dirtied` of /proc/vmstat in the interval against the bytes written, "
		       "the flags of the file, and the syncs in the interval.",
	.example = "64 MiB written with dd on ext4, then written over at once (conv=notrunc): "
		   "16,429 pages dirtied at 916 MB/s, then 0 pages at 6.3 GB/s, because all of "
		   "them were dirty still.",
	.touches = "Refuses buffered-write; flags it when only syncs were inside the timer.",
	.remedy = "`sync` before each round, write without O_DIRECT and O_SYNC, and leave fsync "
		  "outside the timer.",
};
FINDING_REGISTER(writes_not_buffered_kind);

static bool in_memory(const struct stack *stack)
{
	const struct layer *fs = stack_filesystem(stack);

	return fs && layer_trait(fs, TRAIT_IN_MEMORY) == ANSWER_YES;
}

static void judge_bypassed(const struct evidence *e, struct findings *findings)
{
	const struct asked *asked = &e->ledger->asked;
	struct finding *finding;

	if (!asked->direct && !asked->syncs)
		return;
	finding = finding_add(findings, &writes_not_buffered_kind,
		asked->direct ? SEVERITY_REFUSE : SEVERITY_FLAG, NULL);
	if (asked->direct)
		finding_message(finding, "the writes used O_DIRECT, which goes round the cache");
	else
		finding_message(finding, "%llu syncs waited for the device inside the timer",
			(unsigned long long)asked->syncs);
	finding_source(finding, "the workload");
	finding_observe_u64(finding, "syncs", asked->syncs);
}

static bool judge_dirtied(const struct evidence *e, struct findings *findings)
{
	const struct ledger *ledger = e->ledger;
	uint64_t pages = dirtied_pages_of(ledger, ledger->asked.distinct_bytes);
	struct finding *finding;

	if (in_memory(e->stack) || !ledger->machine.dirtied_known || pages < DIRTIED_PAGES_MIN ||
		(double)ledger->machine.pages_dirtied >= BUFFERED_DIRTIED_MIN * (double)pages)
		return false;
	finding = finding_add(findings, &writes_not_buffered_kind, SEVERITY_REFUSE, NULL);
	finding_message(finding, "%llu pages written, and only %llu were dirtied",
		(unsigned long long)pages, (unsigned long long)ledger->machine.pages_dirtied);
	finding_source(finding, "proc/vmstat nr_dirtied");
	finding_observe_u64(finding, "written_pages", pages);
	finding_observe_u64(finding, "pages_dirtied", ledger->machine.pages_dirtied);
	return true;
}

/* When the writing back was paid: what a device had already when the timer stopped. */
static void say_memory(const struct evidence *e, struct findings *findings)
{
	struct level_sum level[STACK_LAYERS_MAX];
	size_t levels = levels_read(e->stack, e->ledger, level);
	_cleanup_free_ char *asked = text_bytes(e->ledger->asked.bytes), *written = NULL;
	struct finding *finding = finding_add(findings, &memory_speed_kind, SEVERITY_NOTE, NULL);

	finding_source(finding, "the workload; sectors at the block layer");
	finding_observe_u64(finding, "asked_bytes", e->ledger->asked.bytes);
	if (levels == 0 || level[0].dead) {
		finding_message(finding, "%s were written to memory", asked);
		return;
	}
	written = text_bytes(level[0].total.write_bytes);
	finding_message(finding,
		"%s were written to memory; %s had written %s when the timer "
		"stopped, the rest is paid later",
		asked, level[0].layer->name, written);
	finding_observe_u64(finding, "written_back_bytes", level[0].total.write_bytes);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	if (evidence->claim != CLAIM_BUFFERED_WRITE)
		return;
	if (!judge_dirtied(evidence, findings))
		judge_bypassed(evidence, findings);
	say_memory(evidence, findings);
}

static const struct rule buffered_write_rule = {
	.head = { .id = "buffered-write",
		.order = 105,
		.summary = "buffered writes must dirty the pages they write" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(buffered_write_rule);
