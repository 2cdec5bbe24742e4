/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_LICENCE_H
#define IOPROOF_LICENCE_H

/*
 * The licence to measure: which claims a number could make on a target. Each experiment moved bytes
 * as a measurement of the claim would, and the same rules judge its ledger. Pure.
 */

#include "model/evidence.h"

struct claim_licence {
	struct findings findings;
	enum verdict verdict;
};

struct licence {
	struct claim_licence claim[CLAIM_COUNT];
};

/* experiments may hold none that was made: every claim is then flagged `not-tested`, or worse. */
int licence_judge(const struct stack *stack, const struct environment *environment,
	const struct experiments *experiments, struct licence *ret);
void licence_free(struct licence *licence);

/*
 * What direct reads (or writes) got, in one word, from the findings about them; and at which layer
 * (it lives as long as claim; NULL: none is blamed). layer itself may be NULL.
 */
enum direct_answer licence_direct_answer(const struct experiments *experiments,
	const struct claim_licence *claim, bool write, const char **layer);

#endif
