/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_LEVELS_H
#define IOPROOF_LEVELS_H

/*
 * What each level of block layers counted in one interval.
 *
 * Branches of a stack may differ in depth (btrfs on a partition and on a whole disk): a disk whose
 * branch ended above still carries its share of the bytes, so it is added to every level beneath,
 * and a device that stands in two branches counts once. A level at which a branch has no block
 * layer, or below which one leaves this machine, cannot be summed and is left out.
 */

#include "model/ledger.h"

struct level_sum {
	unsigned level;
	const struct layer *layer; /* the first block layer of this level */
	const struct layer *dead;  /* a member whose counter proves nothing; NULL: all are alive */
	bool inferred;             /* some member was taken from a mount's source name */
	bool below_fuse;           /* a server, not this process, issues the I/O here */
	size_t devices;            /* that carry it, each once */
	/*
	 * `moved` is ours; else anybody's. Writes that a thread of the kernel makes for us (writing
	 * back, a buffered loop, dm-crypt, a journal) are charged to nobody: there, too few of ours
	 * say nothing, and only enough of them count as attributed.
	 */
	bool attributed;
	struct transfer moved;
	struct transfer total; /* anybody's */
};

/* Top to bottom; returns how many. */
size_t levels_read(const struct stack *stack, const struct ledger *ledger,
	struct level_sum ret[STACK_LAYERS_MAX]);

/* The direction that was asked for. */
static inline uint64_t transfer_bytes(const struct transfer *transfer, const struct asked *asked)
{
	return asked->write ? transfer->write_bytes : transfer->read_bytes;
}

/*
 * Bytes that each level must have seen for this ledger, less BYTES_SHARE_MIN: of a read the plain
 * written blocks; of a write each byte once, or with O_DIRECT, which nothing merges, all of them.
 */
uint64_t levels_expected_bytes(const struct ledger *ledger);

/* The share of a range that is stored as plain, written blocks; 1 when extents are not known. */
double levels_plain_share(const struct extents *extents);

/*
 * What honest writes may come to at a level: each of its devices may hold a copy, and a sync writes
 * a journal as well.
 */
uint64_t levels_written_at_most(const struct asked *asked, const struct level_sum *level);

/*
 * Whether its counter proves something: not when calibration or `queue/iostats` says that it stands
 * still, and, where neither spoke, only when it moved at all in the interval.
 */
bool layer_counter_alive(const struct layer *layer, const struct layer_reading *reading);
/* Hidden layers, and what a virtual disk is, under disks: below the horizon. */
bool layer_below_disks(const struct stack *stack, size_t index);
/* Whether some layer above this level is a FUSE filesystem. */
bool level_below_fuse(const struct stack *stack, unsigned level);

/* "asked 256 MiB, loop3 256 MiB, vda 0 B": and so on for each block layer; malloc'ed. */
char *levels_describe(const struct stack *stack, const struct ledger *ledger);

#endif
