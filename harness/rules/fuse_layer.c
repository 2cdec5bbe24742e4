// SPDX-License-Identifier: GPL-2.0-or-later
// A FUSE filesystem: a process answers, and what it does cannot be counted from here.
#include "rules/fuse_remedy.h"

static const struct finding_kind fuse_layer_kind = {
	.head = { .id = "fuse-layer",
		.summary = "a FUSE server answers, and what it does cannot be counted" },
	.meaning = "Reads and writes go to a server process, which may cache, compress, fetch from "
		   "elsewhere or drop O_DIRECT without telling. Bytes at a disk beneath are the "
		   "server's and not ours, so they can refute a number and never prove it.",
	.established = "The mount's type (`fuse`, `fuseblk`, `fuse.NAME`) in mountinfo.",
	.example = "bindfs, sshfs, ntfs-3g and mergerfs all accept O_DIRECT and decide by "
		   "themselves; `stat -f` calls each of them \"fuseblk\". bindfs drops the "
		   "flag unless told `--forward-odirect`.",
	.touches = "Flags device-read, device-write and durable-write.",
	.remedy = "Measure the filesystem that the server stands on: `findmnt -T DIR` names this "
		  "mount's source, then `ioproof run --on DIR` there.",
};
FINDING_REGISTER(fuse_layer_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *fuse = stack_find(evidence->stack, LAYER_FUSE);
	struct finding *finding;

	if (!fuse || !claim_of_device_or_durable(evidence->claim))
		return;
	finding = finding_add(findings, &fuse_layer_kind, SEVERITY_FLAG, fuse->name);
	finding_message(finding, "%s is answered by a server process%s%s%s, not counted",
		fuse->type, fuse->server_name ? " (" : "", fuse->server_name ?: "",
		fuse->server_name ? ")" : "");
	fuse_remedy(fuse, finding);
	finding_source(finding, "proc/self/mountinfo");
	finding_observe_text(finding, "type", fuse->type);
	finding_observe_text(finding, "mount_source", fuse->source);
}

static const struct rule fuse_layer_rule = {
	.head = { .id = "fuse-layer", .order = 110, .summary = "a FUSE server cannot be counted" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(fuse_layer_rule);
