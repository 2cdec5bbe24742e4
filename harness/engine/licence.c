// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/licence.h"

#include <string.h>

/* The interval that stands for a claim, and how it was conducted; ledger NULL: none was made. */
struct exhibit {
	const struct ledger *ledger;
	struct conduct conduct;
};

static struct exhibit exhibit_cold(const struct experiments *e)
{
	return (struct exhibit){ e->cached.state.done ? &e->cached.cold_read : NULL,
		{ .temperature = TEMPERATURE_COLD, .recently_written = true } };
}

/* Where O_DIRECT is refused, a device can still be read cold. */
static struct exhibit exhibit_device_read(const struct experiments *e)
{
	const struct direct_experiment *d = &e->direct;

	if (!d->state.done || d->open_errno || d->read_errno)
		return exhibit_cold(e);
	return (struct exhibit){ &d->read,
		{ .direct = true, .temperature = TEMPERATURE_COLD, .recently_written = true } };
}

static struct exhibit exhibit_of(enum claim claim, const struct experiments *e)
{
	const struct direct_experiment *d = &e->direct;

	switch (claim) {
	case CLAIM_PAGE_CACHE_READ:
		return (struct exhibit){ e->cached.state.done ? &e->cached.warm_read : NULL,
			{ .temperature = TEMPERATURE_WARM, .recently_written = true } };
	case CLAIM_DEVICE_READ:
		return exhibit_device_read(e);
	case CLAIM_BUFFERED_WRITE:
		return (struct exhibit){ e->cached.state.done ? &e->cached.write : NULL, { 0 } };
	case CLAIM_DEVICE_WRITE:
		return (struct exhibit){ d->state.done ? &d->write : NULL,
			{ .direct = true,
				.direct_errno = d->open_errno ? d->open_errno : d->write_errno } };
	case CLAIM_DURABLE_WRITE:
	case CLAIM_METADATA_OP:
		return (struct exhibit){ e->flush.state.done ? &e->flush.fsync_raw : NULL, { 0 } };
	default:
		return (struct exhibit){ 0 };
	}
}

static int judge_claim(
	struct evidence evidence, const struct exhibit *exhibit, struct claim_licence *ret)
{
	int r;

	evidence.conduct = exhibit->conduct;
	evidence.ledger = exhibit->ledger;
	r = rules_judge(RULE_TARGET, &evidence, &ret->findings);
	if (r == 0 && exhibit->ledger)
		r = rules_judge(RULE_ROUND, &evidence, &ret->findings);
	ret->verdict = findings_verdict(&ret->findings);
	return r;
}

int licence_judge(const struct stack *stack, const struct environment *environment,
	const struct experiments *experiments, struct licence *ret)
{
	struct licence licence = { 0 };
	int r = 0;

	for (int claim = 0; claim < CLAIM_COUNT && r == 0; claim++) {
		const struct exhibit exhibit = exhibit_of((enum claim)claim, experiments);
		const struct evidence evidence = {
			.claim = (enum claim)claim,
			.stack = stack,
			.environment = environment,
			.experiments = experiments,
		};

		r = judge_claim(evidence, &exhibit, &licence.claim[claim]);
	}
	if (r < 0) {
		licence_free(&licence);
		return r;
	}
	*ret = licence;
	return 0;
}

void licence_free(struct licence *licence)
{
	for (int claim = 0; claim < CLAIM_COUNT; claim++)
		findings_free(&licence->claim[claim].findings);
}

enum direct_answer licence_direct_answer(const struct experiments *experiments,
	const struct claim_licence *claim, bool write, const char **layer)
{
	/* The first that was found decides: from "did not take it" to "answered further down". */
	static const struct {
		const char *finding;
		enum direct_answer answer;
	} meaning[] = {
		{ "direct-io-unsupported", DIRECT_UNSUPPORTED },
		{ "memory-backed", DIRECT_SWALLOWED },
		{ "direct-io-swallowed", DIRECT_SWALLOWED },
		{ "direct-io-fallback", DIRECT_FALLBACK },
		{ "loop-backing-cached", DIRECT_CACHED_BELOW },
		{ "bytes-missing-below", DIRECT_CACHED_BELOW },
		{ "fuse-layer", DIRECT_UNKNOWN },
		{ "network-layer", DIRECT_UNKNOWN },
		{ "unknown-layer", DIRECT_UNKNOWN },
		{ "witness-unavailable", DIRECT_UNKNOWN },
	};
	const struct direct_experiment *d = &experiments->direct;

	if (layer)
		*layer = NULL;
	if (!d->state.done)
		return DIRECT_UNKNOWN;
	if (d->open_errno || (write ? d->write_errno : d->read_errno))
		return DIRECT_UNSUPPORTED;
	for (size_t i = 0; i < ARRAY_SIZE(meaning); i++) {
		const struct finding *f = findings_find(&claim->findings, meaning[i].finding);

		if (!f)
			continue;
		if (layer)
			*layer = f->layer;
		return meaning[i].answer;
	}
	return DIRECT_HONOURED;
}
