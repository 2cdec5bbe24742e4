/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_EVIDENCE_H
#define IOPROOF_EVIDENCE_H

/*
 * All that a rule may look at. A rule is a pure function of this: no clock, no file, no global.
 *
 * Rules run in three scopes. TARGET: once for each claim on a target, from its stack, environment
 * and experiments alone. ROUND: once for each sample, with its ledger. MEASUREMENT: once for each
 * measurement, with its samples and its sibling measurements of the same workload and target.
 */

#include "model/claim.h"
#include "model/environment.h"
#include "model/experiments.h"
#include "model/finding.h"
#include "model/fixture_facts.h"
#include "model/ledger.h"

enum temperature { TEMPERATURE_ANY, TEMPERATURE_COLD, TEMPERATURE_WARM };

/* What the case promised about its own conduct. */
struct conduct {
	bool direct;      /* it wanted O_DIRECT */
	int direct_errno; /* what open or the first I/O said when O_DIRECT was refused; 0 fine */
	enum temperature temperature; /* of the file before the interval */
	bool recently_written;        /* the data was written by this run, shortly before */
};

struct measurement;

struct evidence {
	enum claim claim;
	struct conduct conduct;
	const char *file; /* ROUND: the user's own, as given; NULL: data that the run made */
	const struct stack *stack;
	const struct environment *environment;
	const struct experiments *experiments; /* of the target; NULL: none were made */
	const struct fixture_facts *fixture;   /* NULL: the target was there before us */
	const struct ledger
		*ledger; /* ROUND; TARGET of a licence that made an experiment, else NULL */
	const struct measurement *measurement; /* MEASUREMENT only */
	/* MEASUREMENT only: those of the same workload and target, itself among them. */
	const struct measurement *const *sibling;
	size_t siblings;
};

enum rule_scope { RULE_TARGET, RULE_ROUND, RULE_MEASUREMENT };

/* Registered in section `rules`; id as the file. It may say several findings of its kind of lie. */
struct rule {
	struct registered head;
	enum rule_scope scope;
	void (*judge)(const struct evidence *evidence, struct findings *findings);
};

extern const struct registry registry_rules;

/* Every rule of the scope, in order. -ENOENT and -EEXIST as registry_view(). */
int rules_judge(enum rule_scope scope, const struct evidence *evidence, struct findings *findings);

#endif
