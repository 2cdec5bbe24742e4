/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_NEAR_H
#define IOPROOF_NEAR_H

/* What somebody who mistyped an id probably meant. */

#include "core/registry.h"

/* Edits (insert, delete, replace one byte) from one text to the other; long texts are cut. */
unsigned near_distance(const char *a, const char *b);

/*
 * Up to three ids of the set, nearest first, joined by ", "; malloc'ed. An id that contains the
 * text, or the other way round, is near too. NULL: none is near.
 */
char *near_members(const struct registry *set, const char *text);

#endif
