// SPDX-License-Identifier: GPL-2.0-or-later
// A file whose blocks were never written: the filesystem answers zeros without any I/O.
#include "core/text.h"
#include "rules/rules.h"

static const struct finding_kind unwritten_extents_kind = {
	.head = { .id = "unwritten-extents",
		.summary = "the file's blocks are allocated and were never written" },
	.meaning =
		"Space that fallocate reserved is marked unwritten. Reading it returns zeros that "
		"the filesystem makes up, tens of times faster than any device, although `ls` "
		"and `du` show a full file.",
	.established = "The file's extents (FIEMAP, flag UNWRITTEN) over the range that is read.",
	.example = "A file made by `fallocate -l 1G`: direct random reads at 1.33 million "
		   "IOPS, against 9,982 for the same file once written; sequential 37 GB/s. "
		   "`ls` and `du` show a full file.",
	.touches = "Refuses device-read; a note for page-cache-read.",
	.remedy = "Write the file once with data that does not compress: "
		  "`dd if=/dev/urandom of=FILE bs=1M count=MIB conv=notrunc,fsync`.",
};
FINDING_REGISTER(unwritten_extents_kind);

static const struct finding_kind holes_kind = {
	.head = { .id = "holes", .summary = "parts of the file are not stored at all" },
	.meaning =
		"A sparse file has ranges with no blocks behind them. Reading them returns zeros "
		"without any I/O.",
	.established = "The file's extents (FIEMAP) over the range that is read: what none covers.",
	.example = "`truncate -s 1G FILE` makes a file of 1 GiB with 0 blocks. Direct random "
		   "reads of such ranges: 1.33 million IOPS, against 9,982 for the same file "
		   "once written.",
	.touches = "Refuses device-read; a note for page-cache-read.",
	.remedy = "Write the file once with data that does not compress: "
		  "`dd if=/dev/urandom of=FILE bs=1M count=MIB conv=notrunc,fsync`.",
};
FINDING_REGISTER(holes_kind);

static uint64_t range_of(const struct extents *extents)
{
	return extents->written_bytes + extents->unwritten_bytes + extents->hole_bytes +
		extents->encoded_bytes;
}

/* Cached zeros are real memory: only a claim about a device is contradicted. */
static enum severity severity_of(const struct evidence *e, uint64_t bytes)
{
	bool matters = share_of(bytes, range_of(&e->ledger->extents)) > UNWRITTEN_SHARE_MAX;

	return matters && e->claim == CLAIM_DEVICE_READ ? SEVERITY_REFUSE : SEVERITY_NOTE;
}

static void say(const struct evidence *e, const struct finding_kind *kind, uint64_t bytes,
	const char *what, struct findings *findings)
{
	const struct extents *extents = &e->ledger->extents;
	_cleanup_free_ char *part = text_bytes(bytes), *whole = text_bytes(range_of(extents));
	struct finding *finding;

	if (bytes == 0)
		return;
	finding = finding_add(findings, kind, severity_of(e, bytes), NULL);
	finding_message(finding, "%s of the %s read %s", part, whole, what);
	finding_source(finding, "%s", extents->source ? extents->source : "FIEMAP");
	finding_observe_u64(finding, "range_bytes", range_of(extents));
	finding_observe_u64(finding, "never_written_bytes", bytes);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct extents *extents = &evidence->ledger->extents;

	if (!claim_of_read(evidence->claim) || !extents->known)
		return;
	say(evidence, &unwritten_extents_kind, extents->unwritten_bytes, "were never written",
		findings);
	say(evidence, &holes_kind, extents->hole_bytes, "are holes", findings);
}

static const struct rule unwritten_extents_rule = {
	.head = { .id = "unwritten-extents",
		.order = 20,
		.summary = "what is read must have been written: no unwritten extents, no holes" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(unwritten_extents_rule);
