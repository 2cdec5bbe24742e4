// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/conclude.h"

#include <string.h>

#include "stats/stats.h"

#define CONFIDENCE 0.95

static void summarize(struct measurement *m)
{
	_cleanup_free_ double *value = xcalloc(m->samples, sizeof(*value));

	for (size_t i = 0; i < m->samples; i++)
		value[i] = m->sample[i].value;
	m->median = stats_median(value, m->samples);
	m->spread = stats_spread(value, m->samples);
	m->has_interval =
		stats_median_interval(value, m->samples, CONFIDENCE, &m->low, &m->high) == 0;
}

static const struct target_report *target_of(
	const struct result *result, const struct measurement *m)
{
	for (size_t i = 0; i < result->targets; i++)
		if (strcmp(result->target[i].id, m->target) == 0)
			return &result->target[i];
	return NULL;
}

static bool is_sibling(const struct measurement *a, const struct measurement *b)
{
	return a->workload == b->workload && strcmp(a->target, b->target) == 0 &&
		json_equal(a->parameters, b->parameters);
}

/* Rules see the measurement as it was before them: what they say is added when all have spoken. */
static int judge_scope(
	enum rule_scope scope, const struct evidence *evidence, struct measurement *m)
{
	struct findings found = { 0 };
	int r = rules_judge(scope, evidence, &found);

	findings_append(&m->findings, &found);
	findings_free(&found);
	return r;
}

static int judge_whole(const struct result *result, struct measurement *m, enum rule_scope scope)
{
	const struct target_report *target = target_of(result, m);
	_cleanup_free_ const struct measurement **sibling =
		xcalloc(result->measurements, sizeof(*sibling));
	struct evidence evidence = {
		.claim = m->claim,
		.conduct = m->conduct,
		.stack = target ? &target->stack : NULL,
		.environment = &result->environment,
		.experiments = target ? target->experiments : NULL,
		.fixture =
			target && target->fixture_facts.preparation ? &target->fixture_facts : NULL,
		.measurement = m,
		.sibling = sibling,
	};

	if (!target)
		return -EINVAL;
	for (size_t i = 0; i < result->measurements; i++)
		if (is_sibling(&result->measurement[i], m))
			sibling[evidence.siblings++] = &result->measurement[i];
	return judge_scope(scope, &evidence, m);
}

static bool stands_on(const struct target_report *target, const char *layer)
{
	for (size_t i = 0; target && i < target->stack.count; i++)
		if (strcmp(target->stack.layer[i].name, layer) == 0)
			return true;
	return false;
}

/*
 * A read cache below a disk is a fact about the disk. The experiment on one target may show it and
 * that on another miss it (it proves presence, never absence): whoever stands on the disk has it.
 */
static void share_read_cache(struct result *result, const struct measurement *from)
{
	const struct finding *f = findings_find(&from->findings, "read-cache-below-horizon");

	for (size_t i = 0; f && f->layer && i < result->measurements; i++) {
		struct measurement *m = &result->measurement[i];
		const struct findings one = { (struct finding *)f, 1 };

		if (m != from && m->claim == from->claim &&
			!findings_find(&m->findings, f->kind->head.id) &&
			stands_on(target_of(result, m), f->layer)) {
			findings_append(&m->findings, &one);
		}
	}
}

static void inherit(const struct result *result, struct measurement *m)
{
	const struct target_report *target = target_of(result, m);

	for (size_t i = 0; i < m->samples; i++)
		findings_merge(&m->findings, &m->sample[i].findings);
	if (target)
		findings_append(&m->findings, &target->findings);
}

/* What is not there is told, with the reason if one is known already. */
static void drop(struct result *result, struct measurement *m)
{
	bool told = false;

	for (size_t i = 0; i < result->missings && !told; i++)
		told = result->missing[i].case_id == m->case_id &&
			result->missing[i].workload == m->workload &&
			strcmp(result->missing[i].target, m->target) == 0;
	if (!told)
		result_add_missing(result,
			&(struct missing){ .target = xstrdup(m->target),
				.workload = m->workload,
				.case_id = m->case_id,
				.reason = xstrdup("interrupted") });
	measurement_free(m);
	result->complete = false;
}

static void drop_empty(struct result *result)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->measurements; i++) {
		if (result->measurement[i].samples)
			result->measurement[kept++] = result->measurement[i];
		else
			drop(result, &result->measurement[i]);
	}
	result->measurements = kept;
}

int conclude(struct result *result)
{
	int r = 0;

	drop_empty(result);
	for (size_t i = 0; i < result->measurements; i++) {
		summarize(&result->measurement[i]);
		inherit(result, &result->measurement[i]);
	}
	for (size_t i = 0; i < result->measurements && r == 0; i++)
		r = judge_whole(result, &result->measurement[i], RULE_TARGET);
	for (size_t i = 0; i < result->measurements && r == 0; i++)
		share_read_cache(result, &result->measurement[i]);
	for (size_t i = 0; i < result->measurements && r == 0; i++)
		r = judge_whole(result, &result->measurement[i], RULE_MEASUREMENT);
	result->verdict = VERDICT_TRUSTED;
	for (size_t i = 0; i < result->measurements; i++) {
		struct measurement *m = &result->measurement[i];

		m->verdict = findings_verdict(&m->findings);
		result->verdict = MAX(result->verdict, m->verdict);
	}
	return r;
}
