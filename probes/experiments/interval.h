/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_INTERVAL_H
#define IOPROOF_INTERVAL_H

/* What experiments have in common: one act between two witness readings. */

#include "probes/experiments/experiment.h"

struct transfer_act {
	int fd;
	void *buffer; /* `block` bytes, touched */
	size_t block;
	uint64_t offset, size; /* a range of the file, a multiple of block */
	bool write, direct;
	bool sync;           /* ends in an fsync(2), inside the interval */
	struct random *data; /* refills the buffer before each write; NULL: as it is */
};

/*
 * On a slow disk a transfer ends early: after TRANSFER_NS it has moved what it has, at least
 * TRANSFER_BYTES_MIN, and `size` says how much.
 */
#define TRANSFER_NS (500ULL * 1000 * 1000)
#define TRANSFER_BYTES_MIN MIB

/*
 * So much as is written in TRANSFER_NS at the rate of the direct writes, a multiple of
 * TRANSFER_BYTES_MIN and at most `wanted`: buffered writes are fast, and the sync after them is
 * not.
 */
uint64_t transfer_size(const struct experiments *experiments, uint64_t wanted);

/*
 * Moves the range and fills the ledger: asked, differences, residency before and after, extents,
 * and what others moved meanwhile. An I/O error is returned and leaves the ledger unfilled.
 */
int interval_transfer(
	const struct experiment_view *view, struct transfer_act *act, struct ledger *ledger);

/* Any other act between two readings; `asked` is the caller's. */
int interval_observe(const struct experiment_view *view, int (*act)(void *context), void *context,
	struct ledger *ledger);

#endif
