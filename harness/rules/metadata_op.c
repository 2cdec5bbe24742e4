// SPDX-License-Identifier: GPL-2.0-or-later
// Creating, renaming and removing names: is the sync that makes it last in the time?
#include "rules/rules.h"

static const struct finding_kind closing_sync_kind = {
	.head = { .id = "closing-sync",
		.summary = "whether the sync that makes names durable is inside the timer" },
	.meaning =
		"Creating and removing files changes memory and a journal that is written seconds "
		"later. A rate without a sync in the timer is that of memory, one with it "
		"includes the device. Both are honest, and only comparable with their own kind.",
	.established = "The syncs that the workload made between start and stop of the timer.",
	.example = "2,000 empty files created on ext4, both ways in turn: 2.0 to 2.5 s without a "
		   "sync, 6.1 to 7.7 s with an fsync after each. Timed one filesystem each way, "
		   "that would pass for a difference of three times.",
	.touches = "A note for metadata-op.",
	.remedy = "Compare only numbers that have it inside the timer, or all that have not.",
};
FINDING_REGISTER(closing_sync_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	uint64_t syncs = evidence->ledger->asked.syncs;
	struct finding *finding;

	if (evidence->claim != CLAIM_METADATA_OP)
		return;
	finding = finding_add(findings, &closing_sync_kind, SEVERITY_NOTE, NULL);
	if (syncs)
		finding_message(finding, "the closing sync is inside the timer (%llu in all)",
			(unsigned long long)syncs);
	else
		finding_message(finding, "no sync is inside the timer: names changed in memory");
	finding_source(finding, "the workload");
	finding_observe_u64(finding, "syncs", syncs);
}

static const struct rule metadata_op_rule = {
	.head = { .id = "metadata-op",
		.order = 106,
		.summary = "it is said whether the closing sync is in the time" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(metadata_op_rule);
