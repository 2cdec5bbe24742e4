/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FLUSHES_H
#define IOPROOF_FLUSHES_H

/*
 * Flushes at the leaves: whole disks and loop devices, which alone count them
 * (Documentation/block/stat.rst; device-mapper, md and partitions count none). A flush of a loop
 * device is an fsync of its file, so the disks under it are leaves as well.
 */

#include "model/ledger.h"

struct leaf {
	const struct layer *layer;
	bool guessed; /* inferred, or a FUSE server stands above: not surely under the path */
	bool known;   /* its flushes were counted */
	uint64_t flushes;
	bool fua_known;      /* its writes were traced */
	uint64_t fua_writes; /* which need no flush */
};

/* Top to bottom, each device once; returns how many. */
size_t leaves_read(
	const struct stack *stack, const struct ledger *ledger, struct leaf ret[STACK_LAYERS_MAX]);

/*
 * The fewest flushes that the asked syncs must have caused: nearly one each for one thread, where
 * each had something to sync; one for threads, which may share.
 */
uint64_t flushes_needed(const struct asked *asked);

/* The layer above the leaf that drops flushes and says so (`nobarrier`...); NULL: none. */
const struct layer *flush_barrier(const struct stack *stack, const struct leaf *leaf);

#endif
