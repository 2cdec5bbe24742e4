/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RULE_POOR_GROUND_H
#define IOPROOF_RULE_POOR_GROUND_H

/* Said of a scratch directory before anything is built there; no measurement is looked at. */

#include "model/finding.h"
#include "model/stack.h"

/* Why images do not lie well there, as the end of a sentence; malloc'ed; NULL: they do. */
char *poor_ground_why(const struct stack *scratch);
/* The finding, a note, which the caller may give a better place as remedy; NULL: good ground. */
struct finding *poor_ground_say(
	const struct stack *scratch, const char *name, struct findings *findings);

#endif
