/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_WITNESS_H
#define IOPROOF_WITNESS_H

/*
 * Counters that cannot be talked round. Each witness is one file and one descriptor (section
 * `witnesses`); reading all of them fills one `struct reading`.
 */

#include "core/registry.h"
#include "core/sysroot.h"
#include "model/ledger.h"
#include "probes/witnesses/private_cgroup.h"

struct witness_view {
	const struct sysroot *root;
	const struct stack *stack;
	const struct private_cgroup *cgroup; /* NULL: none could be made */
};

struct witness {
	struct registered head;
	/* Fills its part of the reading; what it cannot read stays unknown. */
	void (*read)(const struct witness_view *view, struct reading *reading);
};

extern const struct registry registry_witnesses;

/* All witnesses once; the reading starts as all unknown. */
void witnesses_read(const struct witness_view *view, struct reading *ret);

/*
 * What others move while we are still: rates at each layer over `ns` of quiet (it sleeps). Only
 * needed where no private cgroup tells our bytes apart. -EINTR when interrupted.
 */
int witnesses_background(const struct witness_view *view, uint64_t ns,
	struct background background[STACK_LAYERS_MAX]);

/*
 * Is each counter alive? Writes `size` bytes of incompressible data to an unnamed (or at once
 * unlinked) file in the directory, with a raw fsync(2), and sets TRAIT_COUNTED of every block
 * layer: YES/measured where its counter moved, NO/measured where it stood still although the kernel
 * says it keeps statistics, and as declared (`queue/iostats`) where the write was impossible.
 */
int witnesses_calibrate(
	const struct witness_view *view, int dirfd, size_t size, struct stack *stack);

#endif
