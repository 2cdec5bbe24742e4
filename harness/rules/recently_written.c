// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of a virtual disk that were written just before they are read.
#include "model/measurement.h"
#include "rules/below_horizon.h"
#include "rules/rules.h"

static const struct finding_kind recently_written_kind = {
	.head = { .id = "recently-written",
		.summary = "a virtual disk's blocks were written just before they were read" },
	.meaning = "The data was made by this run, on a disk that something outside this machine "
		   "serves. A cache of that host may still hold what was just written, so old data "
		   "may read slower. Inside this machine everything was checked.",
	.established = "The disk is virtual, and the workload wrote its file in this run. Where "
		       "experiments have shown a read cache below, this is more than a note.",
	.example = "In a QEMU guest with `cache=writeback`, blocks that were read again took "
		   "1/1.7 of the time of blocks read for the first time; what was just "
		   "written is always among the former.",
	.touches = "A note for device-read; flags it where a read cache below was shown.",
	.remedy = "Read a file that is old and larger than the host's memory: "
		  "`ioproof run read-path:file=FILE`.",
};
FINDING_REGISTER(recently_written_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *disk = stack_find_trait(evidence->stack, TRAIT_VIRTUAL, ANSWER_YES);
	const struct experiments *e = evidence->experiments;
	/* The measurement's own findings count as well: a target may have been judged elsewhere. */
	bool shown = (e && read_cache_shown(&e->first_touch)) ||
		findings_find(&evidence->measurement->findings, "read-cache-below-horizon");
	struct finding *finding;

	if (evidence->claim != CLAIM_DEVICE_READ || !evidence->conduct.recently_written || !disk)
		return;
	finding = finding_add(findings, &recently_written_kind,
		shown ? SEVERITY_FLAG : SEVERITY_NOTE, disk->name);
	finding_message(finding, "%s is virtual, and the data was written in this run%s",
		disk->name, shown ? "; a read cache below was shown" : "");
	finding_source(finding, "the workload; %s",
		disk->traits[TRAIT_VIRTUAL].source ? disk->traits[TRAIT_VIRTUAL].source : "driver");
}

static const struct rule recently_written_rule = {
	.head = { .id = "recently-written",
		.order = 180,
		.summary = "fresh data on a virtual disk may be in its host's cache" },
	.scope = RULE_MEASUREMENT,
	.judge = judge,
};
RULE_REGISTER(recently_written_rule);
