// SPDX-License-Identifier: GPL-2.0-or-later
// The data is served by another machine, or by the host of this one.
#include "rules/rules.h"

static const struct finding_kind network_layer_kind = {
	.head = { .id = "network-layer",
		.summary = "another machine, or this one's host, answers" },
	.meaning =
		"The path ends in a mount that a server elsewhere provides (NFS, SMB, Ceph, or a "
		"directory shared by a virtual machine's host). Its caches and disks are out of "
		"sight: what was measured is the service, network included.",
	.established = "The mount's type and source in mountinfo.",
	.example = "A WSL2 path under /mnt/c is 9p: every read is a message to Windows, "
		   "whose cache answers most of them. Docker Desktop serves bind mounts the "
		   "same way, by virtiofs or osxfs.",
	.touches = "Flags device-read, device-write and durable-write.",
	.remedy = "To know the disks, run ioproof on the server: `ioproof run --on DIR` there.",
};
FINDING_REGISTER(network_layer_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *layer = stack_find(evidence->stack, LAYER_REMOTE);
	struct finding *finding;

	if (!layer)
		layer = stack_find(evidence->stack, LAYER_SHARE);
	if (!layer || !claim_of_device_or_durable(evidence->claim))
		return;
	finding = finding_add(findings, &network_layer_kind, SEVERITY_FLAG, layer->name);
	finding_message(
		finding, "%s (%s) is served from outside, not counted", layer->name, layer->type);
	finding_source(finding, "proc/self/mountinfo");
	finding_observe_text(finding, "type", layer->type);
}

static const struct rule network_layer_rule = {
	.head = { .id = "network-layer",
		.order = 120,
		.summary = "a server elsewhere cannot be counted" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(network_layer_rule);
