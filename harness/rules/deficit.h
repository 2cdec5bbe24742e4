/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_DEFICIT_H
#define IOPROOF_DEFICIT_H

/*
 * A device or durable claim asked for bytes that some layer did not see before the timer stopped:
 * where they went missing, and so which kind of lie it is. The rules of each kind share this search
 * and say only what is theirs.
 */

#include "rules/levels.h"
#include "rules/rules.h"

enum culprit {
	CULPRIT_NONE,
	CULPRIT_PAGE_CACHE, /* buffered, and missing at the topmost block layer */
	CULPRIT_DIRECT,     /* the same with O_DIRECT accepted */
	CULPRIT_LOOP,       /* seen at (or lost around) a loop device, missing beneath */
	CULPRIT_BLOCK,      /* seen at one block layer, missing at the next */
	CULPRIT_ELIDED,     /* missing beneath a layer that stores less than it is given */
};

struct deficit {
	enum culprit culprit;
	const struct layer *blame;   /* the layer that answered instead; may be NULL */
	const struct layer *missing; /* where they were not seen; NULL: by /proc/self/io alone */
	bool attributed;
	bool by_ios;     /* the bytes are there, but in far too few I/Os */
	bool by_machine; /* beneath a FUSE server: missing at its disk and at all disks together */
	uint64_t expected, counted; /* bytes, or I/Os */
};

/*
 * CULPRIT_NONE: nothing is missing where counters are alive (which is no proof where none is), or
 * the claim is of another kind. What extents explain of a read (holes, unwritten, encoded) is not
 * expected.
 */
struct deficit deficit_find(const struct evidence *evidence);

/*
 * For what a mount's source name only suggests: all disks of this machine together read or wrote
 * too little as well. False when they were not counted.
 */
bool deficit_at_all_disks(const struct ledger *ledger);

/* Layer, figures, observed values and source of a finding about it. */
void deficit_report(
	const struct deficit *deficit, const struct evidence *evidence, struct finding *finding);

#endif
