// SPDX-License-Identifier: GPL-2.0-or-later
// One block layer counted the bytes and the next one beneath it did not.
#include "rules/deficit.h"

static const struct finding_kind bytes_missing_below_kind = {
	.head = { .id = "bytes-missing-below",
		.summary = "one block layer counted the bytes, the one beneath it did not" },
	.meaning =
		"A block layer was asked for the bytes and answered without reading them from, or "
		"writing "
		"them to, the layer beneath before the timer stopped: a caching or deduplicating "
		"target, or a thin volume whose blocks were never written. The number is that of "
		"this layer and not of the devices "
		"under it.",
	.established = "Sectors moved at the two neighbouring block layers in the interval.",
	.example = "A thin LVM volume that was never written: a direct read is counted in "
		   "full at the volume and not at all at its disk, because the pool knows "
		   "that there is nothing to read.",
	.touches = "Refuses device-read, device-write and durable-write.",
	.remedy = "Write the data once before reading it, or measure a volume without this target: "
		  "`lsblk -s -o NAME,TYPE /dev/DEVICE` and `dmsetup table` show what lies between.",
};
FINDING_REGISTER(bytes_missing_below_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct deficit deficit = deficit_find(evidence);

	if (deficit.culprit != CULPRIT_BLOCK)
		return;
	deficit_report(&deficit, evidence,
		finding_add(
			findings, &bytes_missing_below_kind, SEVERITY_REFUSE, deficit.blame->name));
}

static const struct rule bytes_missing_below_rule = {
	.head = { .id = "bytes-missing-below",
		.order = 80,
		.summary = "what one block layer moves must be moved by the layers beneath" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(bytes_missing_below_rule);
