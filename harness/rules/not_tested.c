// SPDX-License-Identifier: GPL-2.0-or-later
/* A licence that rests on no experiment is none. */
#include "rules/rules.h"

static const struct finding_kind not_tested_kind = {
	.head = { .id = "not-tested", .summary = "no experiment was made for this claim here" },
	.meaning = "The layers were named, but nothing was written or read to see whether they do "
		   "what "
		   "they declare. Layers lie about O_DIRECT, flushes and caches, so what was not "
		   "tried "
		   "is unknown.",
	.established =
		"The probe was asked to be passive, the target cannot be written to, or the time "
		"for experiments was over.",
	.example = "`probe --passive` on a directory: the stack is named, all of it "
		   "declared. Of ten filesystem types that accept O_DIRECT at open, several "
		   "then serve it from memory, which only a test shows.",
	.touches = "Flags the claims that a licence would have granted.",
	.remedy = "Probe a writable directory of the same filesystem with 128 MiB free: `ioproof "
		  "probe DIR`, without `--passive` or `--sysroot`.",
};
FINDING_REGISTER(not_tested_kind);

static const struct experiment_state *state_for(const struct evidence *evidence)
{
	const struct experiments *e = evidence->experiments;

	switch (evidence->claim) {
	case CLAIM_PAGE_CACHE_READ:
	case CLAIM_BUFFERED_WRITE:
		return &e->cached.state;
	case CLAIM_DEVICE_READ:
		return e->direct.state.done ? &e->direct.state : &e->cached.state;
	case CLAIM_DEVICE_WRITE:
		return &e->direct.state;
	default:
		return &e->flush.state;
	}
}

/* A measurement is its own experiment; this is for a licence. */
static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct experiment_state *state;
	struct finding *f;

	if (evidence->measurement || !evidence->experiments)
		return;
	state = state_for(evidence);
	if (state->done)
		return;
	f = finding_add(findings, &not_tested_kind, SEVERITY_FLAG, NULL);
	if (state->why_not) {
		finding_message(f, "no experiment was made: %s", state->why_not);
		finding_observe_text(f, "reason", state->why_not);
	}
	if (evidence->stack && evidence->stack->count && layer_is_block(evidence->stack->layer))
		finding_remedy(f,
			"A block device is never written to. Probe a directory of the filesystem "
			"on it, which `lsblk /dev/%s` names: `ioproof probe DIR`.",
			evidence->stack->layer[0].name);
}

static const struct rule not_tested_rule = {
	.head = { .id = "not-tested",
		.order = 145,
		.summary = "a licence rests on experiments that were made" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(not_tested_rule);
