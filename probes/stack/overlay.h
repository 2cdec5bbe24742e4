/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_OVERLAY_H
#define IOPROOF_OVERLAY_H

/* Between overlay.c (what can be proved) and overlay_unseen.c (what can only be inferred). */

#include <sys/stat.h>

#include "probes/stack/stack_walk.h"

/* Change, modification and birth time, mode, owner and size. */
bool overlay_same_attributes(const struct statx *a, const struct statx *b);
/* Every lower directory, topmost first, in one text for overlay_next_lower(). */
char *overlay_lower_directories(struct stack_walk *walk, size_t index);
/*
 * The next of "a:b\:c", unescaped, and the list moved on; NULL at its end. "::" comes before
 * data-only directories.
 */
char *overlay_next_lower(const char **list);
/*
 * Where the file that was asked about would lie below one of the overlay's directories. NULL: it is
 * not on this mount, or a directory was asked about.
 */
char *overlay_path_below(struct stack_walk *walk, size_t index, const char *directory);

/*
 * Where nothing can be compared (a record): the upper directory's mount, when the table itself says
 * that its path is of this view. -EOPNOTSUPP: it does not.
 */
int overlay_infer_upper(
	struct stack_walk *walk, size_t index, size_t upper_layer, const char *upper);
/*
 * A file of an overlay whose upper directory cannot be found: follows the lower directory that it
 * is read from, and says of the overlay that what is written goes elsewhere. False: the upper
 * directory cannot be told either way, or no lower one can.
 */
bool overlay_infer_lower(struct stack_walk *walk, size_t index, const char *upper);

#endif
