/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RUN_GROUND_H
#define IOPROOF_RUN_GROUND_H

/*
 * What the scratch directory of a fixture lies on: an image in memory, behind a FUSE server or on a
 * network can hold a filesystem, but some claims can never be made there. Then a better place is
 * looked for.
 */

#include "core/sysroot.h"
#include "model/finding.h"
#include "model/stack.h"

/*
 * The finding `poor-ground` when it is; nothing otherwise. The remedy names a directory with room
 * for `need` bytes of images, if there is one.
 */
void ground_judge(const struct sysroot *root, const struct stack *scratch, const char *name,
	uint64_t need, struct findings *findings);

#endif
