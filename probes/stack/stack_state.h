/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_STACK_STATE_H
#define IOPROOF_STACK_STATE_H

/* Between the walk (stack_walk.c) and its entry points (stack_probe.c); probes need none of it. */

#include "probes/stack/stack_walk.h"

/* The top of a walk has no layer above it. */
#define NO_PARENT SIZE_MAX

/* Both must outlive the walk. */
struct stack_walk *walk_new(const struct sysroot *root, const struct mount_table *table);
void walk_free(struct stack_walk **walk);
/* The path of the regular file that the walk is about; it outlives the walk. */
void walk_set_file(struct stack_walk *walk, const char *path);
int walk_push_top(struct stack_walk *walk, struct libmnt_fs *mount);
/* Asks the probes about every layer, and moves the stack out. Errors of registry_view(). */
int walk_run(struct stack_walk *walk, struct stack *ret);

/*
 * The mount of an existing path: by its mount id, or by the table alone where that cannot be had.
 * -ENOENT: no such path, or its mount is not in the table.
 */
int resolve_path(const struct sysroot *root, const struct mount_table *table, const char *path,
	struct libmnt_fs **ret);

#endif
