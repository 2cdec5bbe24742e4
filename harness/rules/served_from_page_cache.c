// SPDX-License-Identifier: GPL-2.0-or-later
// A buffered read that says "device" and was answered by this machine's page cache.
#include "rules/deficit.h"
#include "rules/fuse_remedy.h"

static const struct finding_kind served_from_page_cache_kind = {
	.head = { .id = "served-from-page-cache",
		.summary = "a device read, and the bytes came from this machine's page cache" },
	.meaning = "The number says that a device was read, but the topmost block layer under the "
		   "file saw fewer bytes than were asked for. The rest was copied out of this "
		   "machine's memory, so the rate is that of memory and says nothing about the "
		   "storage.",
	.established =
		"Sectors read at the block layer in the interval, this process's alone where "
		"a private cgroup counts them, against the distinct bytes asked for; "
		"/proc/self/io where no block layer counts.",
	.example = "`dd if=FILE` after an eviction that did nothing: 128 MiB at 6.0 GB/s, "
		   "and 0 B read at vda. The same after the file was really evicted: 567 "
		   "MB/s, and 128 MiB at vda.",
	.touches = "Refuses device-read.",
	.remedy = "Evict the file before each read and see that it is gone: "
		  "`sync FILE; dd if=FILE iflag=nocache count=0; fincore FILE`.",
};
FINDING_REGISTER(served_from_page_cache_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct deficit deficit = deficit_find(evidence);
	struct finding *finding;

	if (deficit.culprit != CULPRIT_PAGE_CACHE || evidence->claim != CLAIM_DEVICE_READ)
		return;
	finding = finding_add(findings, &served_from_page_cache_kind, SEVERITY_REFUSE,
		deficit.blame ? deficit.blame->name : NULL);
	deficit_report(&deficit, evidence, finding);
	/* Evicting reaches this mount's pages, not those of the server's own files. */
	fuse_remedy(stack_find(evidence->stack, LAYER_FUSE), finding);
}

static const struct rule served_from_page_cache_rule = {
	.head = { .id = "served-from-page-cache",
		.order = 70,
		.summary = "buffered device reads must be seen by the topmost block layer" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(served_from_page_cache_rule);
