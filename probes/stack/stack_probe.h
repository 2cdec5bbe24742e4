/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_STACK_PROBE_H
#define IOPROOF_STACK_PROBE_H

/*
 * From a path to the lowest visible layer.
 *
 * A walk starts at the mount that a path resolves to (statx(2) STATX_MNT_ID against mountinfo; on a
 * record by mountinfo alone) and asks each registered probe (section `layer_probes`) about each
 * layer in turn. The probe that knows the layer fills it in and names what lies beneath: a path, a
 * block device, memory, or something hidden. A layer that no probe knows ends as LAYER_UNKNOWN.
 */

#include <libmount.h>

#include "core/registry.h"
#include "core/sysroot.h"
#include "model/stack.h"

struct stack_walk; /* the state of one walk; see stack_walk.h for probes */

/*
 * A block device is the top of its own stack. A path that does not exist stands for its nearest
 * existing parent. -ENOENT: no mount found for it; -ELOOP, -EACCES... as the path walk said.
 * Missing evidence is no error: the stack then ends in a hidden or unknown layer.
 */
int stack_probe_path(
	const struct sysroot *root, const char *path, struct stack *ret, struct error *error);
/* A block device by its number: it and what it stands on. */
int stack_probe_device(
	const struct sysroot *root, dev_t device, struct stack *ret, struct error *error);
/* The same from an open file or directory (live machine only). */
int stack_probe_fd(const struct sysroot *root, int fd, struct stack *ret, struct error *error);

#endif
