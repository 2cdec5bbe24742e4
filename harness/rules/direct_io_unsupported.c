// SPDX-License-Identifier: GPL-2.0-or-later
// A case that wanted O_DIRECT on a file that refuses it.
#include <string.h>

#include "rules/rules.h"

static const struct finding_kind direct_io_unsupported_kind = {
	.head = { .id = "direct-io-unsupported",
		.summary = "O_DIRECT was refused, at open or later" },
	.meaning = "The case needs O_DIRECT, and the filesystem said no: at open, or at the first "
		   "read or write. Falling back to buffered I/O would measure something else under "
		   "the same name, so there is no number.",
	.established = "The error that open, read or write returned.",
	.example = "open(O_DIRECT) on a file of an encrypted (fscrypt) or some network "
		   "filesystem: EINVAL. Others accept the open and refuse the first read, "
		   "with EINVAL or EIO.",
	.touches = "Refuses every case that needs O_DIRECT.",
	.remedy = "Measure a filesystem that has direct I/O (ext4, xfs, btrfs on a disk), or read "
		  "the "
		  "`cold` case, which does not need it.",
};
FINDING_REGISTER(direct_io_unsupported_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct conduct *conduct = &evidence->conduct;
	struct finding *finding;

	if (!conduct->direct || conduct->direct_errno == 0)
		return;
	finding = finding_add(findings, &direct_io_unsupported_kind, SEVERITY_REFUSE,
		evidence->stack && evidence->stack->count ? evidence->stack->layer[0].name : NULL);
	finding_message(finding, "O_DIRECT was refused: %s", strerror(conduct->direct_errno));
	finding_source(finding, "open(2) or the first I/O with O_DIRECT");
	finding_observe_u64(finding, "errno", (uint64_t)conduct->direct_errno);
}

static const struct rule direct_io_unsupported_rule = {
	.head = { .id = "direct-io-unsupported",
		.order = 40,
		.summary = "a direct case is refused where O_DIRECT is" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(direct_io_unsupported_rule);
