/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_DM_TARGET_H
#define IOPROOF_DM_TARGET_H

/*
 * What a device-mapper target does to I/O (Documentation/admin-guide/device-mapper of the kernel).
 * A table is the types of its targets, "linear linear zero".
 */

#include "model/stack.h"

/* The type that says most of a table: one that is not plain mapping, else the first; malloc'ed. */
char *dm_target_main(const char *table);
/* What each type of the table means, as traits; source: where the table was read. */
void dm_target_traits(
	struct layer *layer, const char *table, enum known_by known, const char *source);
/* A mapping that has no device by design: zero and error answer by themselves. */
bool dm_target_stands_on_nothing(const char *type);

#endif
