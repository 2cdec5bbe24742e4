// SPDX-License-Identifier: GPL-2.0-or-later
// Data that is stored smaller than it was written.
#include "core/text.h"
#include "rules/deficit.h"

static const struct finding_kind data_elided_kind = {
	.head = { .id = "data-elided", .summary = "fewer bytes are stored than were written" },
	.meaning =
		"The filesystem keeps this data compressed, inside its metadata or one block for "
		"many places (reflinks), so fewer bytes move than are read or written, or the "
		"same ones again, and the rate is partly that of a compressor or a cache. "
		"Files of zeros, which many benchmarks write, all but vanish.",
	.established = "The file's extents (FIEMAP: flag ENCODED, addresses) over the range; fewer "
		       "bytes at a device beneath a layer that compresses; the filesystem's own "
		       "options.",
	.example = "btrfs with `compress=zstd`: 200 MB of zeros written and synced were 7 MB "
		   "at the device, and were read back with O_DIRECT at 1.6 GB/s while the "
		   "device moved 6 MB.",
	.touches = "Refuses device-read, device-write and durable-write for such data; a "
		   "note where a layer could and did not.",
	.remedy =
		"Read data that does not compress (`dd if=/dev/urandom of=FILE bs=1M count=MIB`), "
		"or write it without compression: `chattr +m FILE` on the empty file, or mount "
		"without `compress`; copy a reflinked file: `cp --reflink=never`.",
};
FINDING_REGISTER(data_elided_kind);

static void say(const struct evidence *e, const struct layer *layer, struct findings *findings)
{
	const struct extents *extents = &e->ledger->extents;
	uint64_t range = extents->written_bytes + extents->unwritten_bytes + extents->hole_bytes +
		extents->encoded_bytes;
	bool matters = share_of(extents->encoded_bytes, range) > ENCODED_SHARE_MAX;
	_cleanup_free_ char *part = text_bytes(extents->encoded_bytes), *whole = text_bytes(range);
	struct finding *finding = finding_add(findings, &data_elided_kind,
		matters ? SEVERITY_REFUSE : SEVERITY_NOTE, layer ? layer->name : NULL);

	if (extents->encoded_bytes)
		finding_message(
			finding, "%s of the %s are not plain blocks of their own", part, whole);
	else
		finding_message(
			finding, "%s compresses, and stored this data as it is", layer->name);
	finding_source(finding, "%s", extents->source ? extents->source : "FIEMAP");
	finding_observe_u64(finding, "range_bytes", range);
	finding_observe_u64(finding, "encoded_bytes", extents->encoded_bytes);
}

/* xfs allocates ahead: st_blocks need not grow by what is written, though all of it is moved. */
static bool zeros_were_moved(const struct elision_experiment *x)
{
	return x->moved_known && x->moved_zeros >= x->size &&
		share_of(x->moved_zeros, x->moved_random) >= ZEROS_STORED_MIN;
}

/* Zeros vanish where incompressible data does not: what ioproof writes itself is the latter. */
static void judge_experiment(const struct evidence *e, struct findings *findings)
{
	const struct elision_experiment *x = e->experiments ? &e->experiments->elision : NULL;
	_cleanup_free_ char *size = NULL, *zeros = NULL;
	struct finding *finding;

	if (!x || !x->state.done || x->stored_random == 0 || zeros_were_moved(x) ||
		share_of(x->stored_zeros, x->stored_random) >= ZEROS_STORED_MIN)
		return;
	size = text_bytes(x->size);
	zeros = text_bytes(x->stored_zeros);
	finding = finding_add(findings, &data_elided_kind, SEVERITY_NOTE, NULL);
	finding_message(
		finding, "of %s of zeros %s are stored here; this data is no zeros", size, zeros);
	finding_source(finding, "elision experiment: st_blocks");
	finding_observe_u64(finding, "zeros_bytes", x->size);
	finding_observe_u64(finding, "stored_zeros_bytes", x->stored_zeros);
	finding_observe_u64(finding, "stored_random_bytes", x->stored_random);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct extents *extents = &evidence->ledger->extents;
	const struct layer *layer =
		stack_find_trait(evidence->stack, TRAIT_ELIDES_DATA, ANSWER_YES);
	struct deficit deficit = deficit_find(evidence);

	if (!claim_of_device_or_durable(evidence->claim))
		return;
	if (deficit.culprit == CULPRIT_ELIDED)
		deficit_report(&deficit, evidence,
			finding_add(
				findings, &data_elided_kind, SEVERITY_REFUSE, deficit.blame->name));
	else if (extents->known && (extents->encoded_bytes || (layer && layer->kind == LAYER_FS)))
		say(evidence, layer, findings);
	else
		judge_experiment(evidence, findings);
}

static const struct rule data_elided_rule = {
	.head = { .id = "data-elided",
		.order = 50,
		.summary = "what is read or written must be stored byte for byte" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(data_elided_rule);
