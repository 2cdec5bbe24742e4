// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run_arms.h"

#include "core/text.h"

static size_t case_count(const struct workload *w)
{
	size_t n = 0;

	while (w->cases[n].id)
		n++;
	return n;
}

static struct measurement measurement_new(
	const struct workload_run *run, const struct workload_case *c)
{
	struct measurement m = {
		.target = xstrdup(run->target->id),
		.workload = run->workload->head.id,
		.case_id = c->id,
		.parameters = parameters_describe(run->workload, run->parameters),
		.claim = c->claim,
		.conduct = c->conduct,
		.metric = c->metric,
		.unit = c->unit,
		.higher_is_better = c->higher_is_better,
		.latency = xmalloc(sizeof(*m.latency)),
	};

	histogram_reset(m.latency);
	return m;
}

/* The arrays get their full size first: arms point into them. */
static void allocate(const struct run_plan *plan, struct result *result, struct run_arms *a)
{
	size_t runs = 0, cases = 0;

	for (size_t w = 0; w < plan->workloads; w++)
		for (size_t t = 0; t < plan->targets; t++)
			if (run_plan_pairs(plan, w, t)) {
				runs++;
				cases += case_count(plan->workload[w].workload);
			}
	a->run = xcalloc(runs, sizeof(*a->run));
	a->arm = xcalloc(cases, sizeof(*a->arm));
	result->measurement = xcalloc(cases, sizeof(*result->measurement));
}

static void add_cases(const struct run_machine *machine, struct workload_run *run,
	struct result *result, struct run_arms *a)
{
	for (const struct workload_case *c = run->workload->cases; c->id; c++) {
		struct measurement *m = &result->measurement[result->measurements++];

		*m = measurement_new(run, c);
		a->arm[a->arms++] = (struct arm){
			.run = run,
			.c = c,
			.measurement = m,
			.witnesses = { &machine->root, &run->target->stack, machine->cgroup },
		};
	}
}

static int add_run(const struct run_machine *machine, const struct run_plan *plan, size_t w,
	size_t t, uint64_t seed, struct result *result, struct run_arms *a, struct error *error)
{
	struct workload_run *run = &a->run[a->runs];
	int r;

	*run = (struct workload_run){
		.workload = plan->workload[w].workload,
		.parameters = plan->workload[w].parameters,
		.target = &plan->target[t].target,
		.seed = seed + a->runs, /* each target gets data of its own */
	};
	r = run->workload->prepare(run, error);
	if (r < 0)
		return r;
	a->runs++;
	add_cases(machine, run, result, a);
	return 0;
}

int run_arms_prepare(const struct run_machine *machine, const struct run_plan *plan, uint64_t seed,
	struct result *result, struct run_arms *ret, struct error *error)
{
	struct run_arms a = { 0 };
	int r = 0;

	allocate(plan, result, &a);
	for (size_t w = 0; w < plan->workloads && r == 0; w++)
		for (size_t t = 0; t < plan->targets && r == 0; t++)
			if (run_plan_pairs(plan, w, t))
				r = add_run(machine, plan, w, t, seed, result, &a, error);
	if (r < 0) {
		run_arms_close(&a);
		return r;
	}
	*ret = a;
	return 0;
}

void run_arms_check(const struct run_arms *arms, struct result *result)
{
	for (size_t i = 0; i < arms->runs; i++)
		if (arms->run[i].workload->checks)
			arms->run[i].workload->checks(&arms->run[i], result);
}

void run_arms_close(struct run_arms *arms)
{
	for (size_t i = 0; i < arms->runs; i++)
		arms->run[i].workload->finish(&arms->run[i]);
	free(arms->run);
	free(arms->arm);
	*arms = (struct run_arms){ 0 };
}
