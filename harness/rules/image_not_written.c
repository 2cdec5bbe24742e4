// SPDX-License-Identifier: GPL-2.0-or-later
// A fixture whose image was not written through before the filesystem was made in it.
#include <string.h>

#include "core/text.h"
#include "rules/rules.h"

static const struct finding_kind image_not_written_kind = {
	.head = { .id = "image-not-written",
		.summary = "the fixture's image has blocks that were never written" },
	.meaning =
		"The filesystem lies in an image file that is sparse or only reserved. Its first "
		"write to a block makes the filesystem below find or convert that block, and "
		"commit it; the number pays for both filesystems. Free blocks of the image are "
		"answered without the disk when they are read.",
	.established = "The fixture was built with IMAGE=sparse or IMAGE=fallocated, and the "
		       "image's map of extents (FIEMAP) and its allocated blocks say how much of "
		       "it no write has reached.",
	.example =
		"200 MiB written direct in 1 MiB steps to a fresh ext4 over a direct loop took "
		"131-179 ms in a written image, 208-257 ms in a fallocated one and 198-320 ms in "
		"a sparse one (five interleaved rounds); in 4 KiB steps there was no difference.",
	.touches = "Flags device-write and durable-write; a note for the rest.",
	.remedy = "Leave IMAGE= out, or write IMAGE=written: the image is then written through "
		  "before the filesystem is made.",
};
FINDING_REGISTER(image_not_written_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct fixture_facts *fixture = evidence->fixture;
	_cleanup_free_ char *bytes = NULL;
	struct finding *finding;

	if (!fixture || fixture->unwritten_bytes == 0)
		return;
	bytes = text_bytes(fixture->unwritten_bytes);
	finding = finding_add(findings, &image_not_written_kind,
		claim_of_device_write(evidence->claim) ? SEVERITY_FLAG : SEVERITY_NOTE, NULL);
	finding_message(finding, "the image is %s: %s of it were not written before the filesystem",
		fixture->preparation, bytes);
	finding_source(finding, "FIEMAP and st_blocks of the image");
	finding_observe_text(finding, "preparation", fixture->preparation);
	finding_observe_u64(finding, "unwritten_bytes", fixture->unwritten_bytes);
}

static const struct rule image_not_written_rule = {
	.head = { .id = "image-not-written",
		.order = 150,
		.summary = "a fixture's image must have been written" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(image_not_written_rule);
