/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_EMPIRICAL_STACK_H
#define IOPROOF_EMPIRICAL_STACK_H

/*
 * Below a layer that hides what it stands on (a FUSE server, an overlay whose upper directory lies
 * outside this mount namespace), the disk that moves our bytes, time after time, is the one.
 */

#include "core/guardian.h"
#include "model/experiments.h"
#include "probes/witnesses/witness.h"

/* Not where the stack ends in a device or in memory, and nothing below a loop is hidden. */
bool empirical_stack_is_needed(const struct stack *stack);

/*
 * Does nothing where it is not needed. Else writes and syncs a few pieces in the directory. A
 * device that moved less than a piece is out; one that moved each of several pieces and hardly
 * more, and rested before it, becomes the end of the stack with its layers (layer.by_bytes), in
 * place of what was hidden or only inferred. At most 8 MiB are written. 0 also when none matched;
 * -EINTR.
 */
int empirical_stack(const struct witness_view *view, int directory, struct guardian *guardian,
	struct stack *stack, struct empirical_experiment *ret);

#endif
