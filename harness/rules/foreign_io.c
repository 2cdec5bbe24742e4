// SPDX-License-Identifier: GPL-2.0-or-later
// Others used the same device meanwhile.
#include "core/text.h"
#include "rules/attribution.h"

static const struct finding_kind foreign_io_kind = {
	.head = { .id = "foreign-io",
		.summary = "others moved a notable share at a device that is shared" },
	.meaning =
		"The device's counters are everybody's. Others moved so much in the interval that "
		"the bytes counted may be theirs, and they also took time on the device. Where a "
		"private cgroup tells ours apart only the second remains, and it is a note.",
	.established =
		"What the device moved in quiet intervals around the run, and what it moved in "
		"the interval beyond the bytes asked; or all of its bytes less ours.",
	.example = "A read of 256 MiB through bindfs, answered from its cache, beside a busy "
		   "neighbour: the disk counted 321 MiB, and none of it was the reader's. An "
		   "honest warm read showed 18 to 21 % \"device bytes\" the same way.",
	.touches = "Flags device-read, device-write and durable-write; a note where a "
		   "private cgroup tells ours apart.",
	.remedy = "See who it is (`iotop -obn1`, `pidstat -d 1 5`), stop it or wait; as root, and "
		  "in a "
		  "container with the flags of `ioproof explain missing-privilege`, ioproof counts "
		  "its own I/O in a private cgroup.",
};
FINDING_REGISTER(foreign_io_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct attribution a = attribution_judge(evidence);
	bool ours = a.state == ATTRIBUTION_OURS && a.share > FOREIGN_SHARE_MAX &&
		a.foreign_bytes >= FOREIGN_NOTE_MIN;
	_cleanup_free_ char *foreign = text_bytes(a.foreign_bytes);
	_cleanup_free_ char *asked = text_bytes(a.asked_bytes);
	struct finding *finding;

	if (!ours && a.state != ATTRIBUTION_FOREIGN)
		return;
	finding = finding_add(
		findings, &foreign_io_kind, ours ? SEVERITY_NOTE : SEVERITY_FLAG, a.layer->name);
	finding_message(finding, "asked %s; others moved %s%s at %s (%.0f %%)%s", asked,
		ours ? "" : "up to ", foreign, a.layer->name, 100 * a.share,
		ours ? ", told apart" : ", not told apart");
	finding_source(finding, "%s/stat; %s", a.layer->sysfs ? a.layer->sysfs : a.layer->name,
		ours ? "private cgroup" : "quiet intervals around the run");
	finding_observe_u64(finding, "asked_bytes", a.asked_bytes);
	finding_observe_u64(finding, "foreign_bytes", a.foreign_bytes);
	finding_observe_real(finding, "share", a.share);
}

static const struct rule foreign_io_rule = {
	.head = { .id = "foreign-io",
		.order = 160,
		.summary = "counted bytes must be this process's" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(foreign_io_rule);
