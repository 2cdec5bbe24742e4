/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RULES_WRITE_CASE_H
#define IOPROOF_RULES_WRITE_CASE_H

/*
 * The same for writes: the ledger that honest writes of 256 MiB leave on a machine, each of 256
 * blocks of 1 MiB synced by one thread where the claim is durable, with two flushes a sync.
 */

#include "rules_case.h"

#define SYNCS 256

static inline void scene_cache(struct scene *s, const char *name, enum answer volatile_cache)
{
	layer_set_trait(&s->stack.layer[scene_index(s, name)], TRAIT_VOLATILE_CACHE, volatile_cache,
		KNOWN_DECLARED, "sys/block/%s/queue/write_cache", name);
}

static inline void scene_writes(struct scene *s, const char *name, uint64_t bytes)
{
	struct layer_reading *reading = scene_reading(s, name);

	reading->known = true;
	reading->total = (struct transfer){ .writes = bytes / (128 * KIB), .write_bytes = bytes };
	reading->ours_known = s->environment.private_cgroup;
	if (reading->ours_known)
		reading->ours = reading->total;
}

static inline void scene_all_written(struct scene *s, uint64_t bytes)
{
	for (size_t i = 0; i < s->stack.count; i++)
		if (s->stack.layer[i].sysfs)
			scene_writes(s, s->stack.layer[i].name, bytes);
	s->ledger.machine.disks_known = true;
	s->ledger.machine.disks.write_bytes = bytes;
}

static inline void scene_flushes(struct scene *s, const char *name, uint64_t flushes)
{
	struct layer_reading *reading = scene_reading(s, name);

	reading->flushes_known = true;
	reading->flushes = flushes;
}

/* Whole disks and loop devices with a volatile cache, all flushed. */
static inline void scene_all_flushed(struct scene *s, uint64_t flushes)
{
	for (size_t i = 0; i < s->stack.count; i++) {
		const char *name = s->stack.layer[i].name;

		if (!layer_counts_flushes(&s->stack.layer[i]))
			continue;
		if (layer_trait(&s->stack.layer[i], TRAIT_VOLATILE_CACHE) == ANSWER_UNKNOWN)
			scene_cache(s, name, ANSWER_YES);
		scene_flushes(s, name, flushes);
	}
}

static inline void scene_honest_write(
	struct scene *s, void (*build)(struct scene *s), enum claim claim)
{
	bool direct = claim == CLAIM_DEVICE_WRITE, durable = claim == CLAIM_DURABLE_WRITE;

	scene_honest(s, build, SCENE_DIRECT);
	s->ledger.asked = (struct asked){
		.bytes = ASKED,
		.distinct_bytes = ASKED,
		.ios = SYNCS,
		.syncs = durable ? SYNCS : 0,
		.direct = direct,
		.write = true,
	};
	s->ledger.extents = (struct extents){ 0 };
	s->ledger.before = s->ledger.after = (struct residency){ 0 };
	s->ledger.machine.disks = (struct transfer){ 0 };
	s->ledger.machine.dirtied_known = true;
	s->ledger.machine.pages_dirtied = direct ? 45 : PAGES + 45;
	s->ledger.process.read_bytes = 0;
	s->ledger.process.write_bytes = s->ledger.process.wchar = ASKED;
	scene_all_written(s, claim == CLAIM_BUFFERED_WRITE ? 0 : ASKED);
	scene_all_flushed(s, durable ? 2 * SYNCS : 0);
	s->evidence.claim = claim;
	s->evidence.conduct = (struct conduct){ .direct = direct };
}

/* Rules of both scopes, as for a measurement of six such rounds. */
static inline void scene_judge_whole(struct scene *s, struct findings *ret)
{
	struct sample sample[6] = { 0 };
	struct measurement m = { .claim = s->evidence.claim, .sample = sample, .samples = 6 };
	const struct measurement *self = &m;

	scene_judge(s, RULE_ROUND, ret);
	for (size_t i = 0; i < ARRAY_SIZE(sample); i++)
		sample[i].ledger = s->ledger;
	s->evidence.measurement = &m;
	s->evidence.sibling = &self;
	s->evidence.siblings = 1;
	scene_judge(s, RULE_MEASUREMENT, ret);
	s->evidence.measurement = NULL;
	s->evidence.sibling = NULL;
	s->evidence.siblings = 0;
}

struct write_row {
	const char *name;
	void (*build)(struct scene *s);
	enum claim claim;
	void (*spoil)(struct scene *s); /* NULL: nothing */
	const char *id;                 /* NULL: nothing above a note */
	enum severity severity;
	const char *layer; /* where it must be found; NULL: not checked */
};

static inline void write_row_check(const struct write_row *row)
{
	struct findings findings = { 0 };
	struct scene s;

	print_message("  %s\n", row->name);
	scene_honest_write(&s, row->build, row->claim);
	if (row->spoil)
		row->spoil(&s);
	scene_judge_whole(&s, &findings);
	assert_expected(&findings, row->id, row->severity, row->layer);
	findings_free(&findings);
	stack_free(&s.stack);
}

#endif
