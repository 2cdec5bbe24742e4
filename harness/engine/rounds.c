// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rounds.h"

#include <string.h>

#include "core/interrupt.h"
#include "stats/stats.h"

/* Long enough for a neighbour's rate, short beside a round; once before and once after each. */
#define QUIET_NS (50ULL * 1000 * 1000)

/* Without a private cgroup, what others move is estimated from quiet moments around the visit. */
static int watch_others(const struct arm *arm, struct background found[STACK_LAYERS_MAX])
{
	struct background now[STACK_LAYERS_MAX] = { 0 };
	int r;

	/* what the kernel writes for us is charged to no cgroup */
	if (arm->witnesses.cgroup && arm->c->claim != CLAIM_DEVICE_WRITE &&
		arm->c->claim != CLAIM_DURABLE_WRITE)
		return 0;
	r = witnesses_background(&arm->witnesses, QUIET_NS, now);
	for (size_t i = 0; r == 0 && i < arm->witnesses.stack->count; i++) {
		if (!now[i].known)
			continue;
		found[i].known = true;
		found[i].read_bytes_per_s = MAX(found[i].read_bytes_per_s, now[i].read_bytes_per_s);
		found[i].write_bytes_per_s =
			MAX(found[i].write_bytes_per_s, now[i].write_bytes_per_s);
	}
	return r;
}

static int visit(struct arm *arm, struct sample *sample, struct error *error)
{
	const struct workload *w = arm->run->workload;
	_cleanup_free_ struct reading *before = xmalloc(sizeof(*before));
	_cleanup_free_ struct reading *after = xmalloc(sizeof(*after));
	int r = w->arrange(arm->run, arm->c, &sample->ledger, error);

	if (r == 0)
		r = watch_others(arm, sample->ledger.background);
	if (r < 0)
		return r;
	witnesses_read(&arm->witnesses, before);
	r = w->measure(arm->run, arm->c, sample, &arm->measurement->conduct,
		arm->measurement->latency, error);
	witnesses_read(&arm->witnesses, after);
	if (r < 0)
		return r;
	ledger_diff(before, after, arm->witnesses.stack->count, &sample->ledger);
	if (w->observe)
		w->observe(arm->run, arm->c, &sample->ledger);
	return watch_others(arm, sample->ledger.background);
}

static const char *file_of(const struct workload_run *run)
{
	const char *key = run->workload->file_parameter;

	return key ? parameter_find(run->workload, run->parameters, key)->text : NULL;
}

static int judge(const struct rounds *rounds, const struct arm *arm, struct sample *sample)
{
	const struct fixture_facts *fixture = &arm->run->target->fixture;
	const struct evidence evidence = {
		.claim = arm->c->claim,
		.conduct = arm->measurement->conduct,
		.file = file_of(arm->run),
		.stack = arm->witnesses.stack,
		.environment = rounds->environment,
		.fixture = fixture->preparation ? fixture : NULL,
		.ledger = &sample->ledger,
	};

	return rules_judge(RULE_ROUND, &evidence, &sample->findings);
}

static void sample_append(struct measurement *m, const struct sample *sample)
{
	m->sample = xreallocarray(m->sample, m->samples + 1, sizeof(*m->sample));
	m->sample[m->samples++] = *sample;
}

static int visit_and_judge(struct rounds *rounds, struct arm *arm, unsigned round, unsigned order)
{
	_cleanup_free_ struct sample *sample = xcalloc(1, sizeof(*sample));
	struct error error = { .text = "" };
	int r;

	sample->round = round;
	sample->order = order;
	if (rounds->progress)
		rounds->progress(rounds->context, round, arm);
	r = visit(arm, sample, &error);
	if (r == 0)
		r = judge(rounds, arm, sample);
	if (r == 0) {
		sample_append(arm->measurement, sample);
		return 0;
	}
	findings_free(&sample->findings);
	if (r == -EINTR || interrupted())
		return -EINTR;
	if (!error.text[0])
		error_set(&error, -r, "%s", strerror(-r));
	arm->lost = true;
	if (rounds->lost)
		rounds->lost(rounds->context, arm, &error);
	return 0;
}

int rounds_run(struct rounds *rounds)
{
	_cleanup_free_ unsigned *order = xcalloc(rounds->arms, sizeof(*order));

	for (unsigned round = 0; round < rounds->rounds; round++) {
		schedule_round(rounds->seed, round, order, rounds->arms);
		for (unsigned i = 0; i < rounds->arms; i++) {
			struct arm *arm = &rounds->arm[order[i]];
			int r = arm->lost ? 0 : visit_and_judge(rounds, arm, round, i);

			if (r < 0)
				return r;
		}
	}
	return 0;
}
