/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_STACK_DIFFERENCE_H
#define IOPROOF_STACK_DIFFERENCE_H

#include "model/stack.h"

struct stack_difference {
	char *layer; /* its name before; malloc'ed */
	char *what;  /* "honours-o-direct was yes and is no"; malloc'ed, not safe for a terminal */
};

/*
 * The first difference between two answers about one path: layers, devices, mount options, traits.
 * Both must come from the same probe, before anything was measured. False: none; ret untouched.
 */
bool stack_difference(
	const struct stack *before, const struct stack *after, struct stack_difference *ret);
void stack_difference_free(struct stack_difference *difference);

#endif
