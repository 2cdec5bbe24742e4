// SPDX-License-Identifier: GPL-2.0-or-later
// A layer that was made to disturb I/O.
#include "rules/rules.h"

static const struct finding_kind altered_io_kind = {
	.head = { .id = "altered-io",
		.summary = "a layer delays, drops, fails or makes up I/O by design" },
	.meaning = "Device-mapper has targets for tests: they hold I/O back, drop or fail it from "
		   "time to time, or answer without any store. A number through one tells how it "
		   "was set up, and nothing about the device beneath.",
	.established = "The target types of the mapping's table (DM_TABLE_STATUS), as `dmsetup "
		       "table` shows them; of an md array its level, `faulty`.",
	.example = "4 MiB written with O_DIRECT and synced to a dm-flakey device with "
		   "`drop_writes`: no error, 8,192 sectors counted at dm-0, 0 at the disk beneath, "
		   "and the data is not there. 50 reads of 4 KiB: 1.50 s through a dm-delay of "
		   "20 ms, 0.08 s without it.",
	.touches = "Flags device-read, device-write and durable-write.",
	.remedy = "Measure the device beneath: `dmsetup deps -o devname NAME` names it, `dmsetup "
		  "table NAME` shows what the mapping does.",
};
FINDING_REGISTER(altered_io_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *layer = stack_find_trait(evidence->stack, TRAIT_ALTERS_IO, ANSWER_YES);
	struct finding *finding;

	if (!layer || !claim_of_device_or_durable(evidence->claim))
		return;
	finding = finding_add(findings, &altered_io_kind, SEVERITY_FLAG, layer->name);
	finding_message(finding, "%s (%s) changes I/O by design", layer->name, layer->type);
	finding_source(finding, "%s", layer->traits[TRAIT_ALTERS_IO].source);
	finding_observe_text(finding, "type", layer->type);
}

static const struct rule altered_io_rule = {
	.head = { .id = "altered-io",
		.order = 115,
		.summary = "no layer may be one that disturbs I/O for tests" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(altered_io_rule);
