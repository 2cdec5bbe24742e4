/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TEXT_PROBE_H
#define IOPROOF_TEXT_PROBE_H

/* What experiments found, in plain words, and the claims that can be made here. */

#include "engine/licence.h"

void text_experiments(FILE *out, const struct stack *stack, const struct experiments *experiments,
	const struct licence *licence);
void text_licence(FILE *out, const struct licence *licence);

#endif
