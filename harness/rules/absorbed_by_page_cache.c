// SPDX-License-Identifier: GPL-2.0-or-later
// A buffered write that says "device" or "durable", and whose bytes were still in memory.
#include "rules/deficit.h"

static const struct finding_kind absorbed_by_page_cache_kind = {
	.head = { .id = "absorbed-by-page-cache",
		.summary = "the bytes were still in the page cache when the timer stopped" },
	.meaning = "A write returns when the data is in this machine's memory; writing it to the "
		   "device comes later, unless a sync waits for it. The number says that the "
		   "bytes reached a device, and the device had not seen them when the timer "
		   "stopped: the rate is partly that of memory.",
	.established = "Sectors written at each block layer in the interval against the bytes that "
		       "the program wrote.",
	.example = "dd in a virtual machine with 1 GB of memory: 100 MB into a new file "
		   "1,600 MB/s, 2,000 MB 247 MB/s, and with each block synced 123 MB/s. The "
		   "first is memory's rate, and the disk had yet to begin.",
	.touches = "Refuses device-write and durable-write; buffered-write says so itself.",
	.remedy = "Wait for the device inside the timer: fsync before it stops (`dd "
		  "conv=fsync`, fio `end_fsync=1`), or write with O_DIRECT.",
};
FINDING_REGISTER(absorbed_by_page_cache_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct deficit deficit = deficit_find(evidence);

	if (deficit.culprit != CULPRIT_PAGE_CACHE || !claim_of_device_write(evidence->claim))
		return;
	deficit_report(&deficit, evidence,
		finding_add(findings, &absorbed_by_page_cache_kind, SEVERITY_REFUSE,
			deficit.blame ? deficit.blame->name : NULL));
}

static const struct rule absorbed_by_page_cache_rule = {
	.head = { .id = "absorbed-by-page-cache",
		.order = 75,
		.summary = "what is written must reach every level before the timer stops" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(absorbed_by_page_cache_rule);
