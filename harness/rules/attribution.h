/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_ATTRIBUTION_H
#define IOPROOF_ATTRIBUTION_H

/*
 * Whose bytes were counted? Judged at the lowest level that counts: bytes that are ours there came
 * through everything above. Beneath a FUSE server they are never ours, and `fuse-layer` says so.
 */

#include "rules/levels.h"
#include "rules/rules.h"

enum attribution_state {
	ATTRIBUTION_NOT_ASKED, /* another claim, nothing counted, or the bytes are missing anyway */
	ATTRIBUTION_OURS,      /* a private cgroup counted them apart */
	ATTRIBUTION_BOUNDED,   /* quiet intervals around bound what others moved */
	ATTRIBUTION_FOREIGN,   /* others' share is above FOREIGN_SHARE_MAX */
	ATTRIBUTION_UNKNOWN,   /* nothing tells */
};

struct attribution {
	enum attribution_state state;
	const struct layer *layer; /* where it was judged */
	uint64_t asked_bytes;
	/* Others' transfers in the interval: counted (OURS) or estimated (BOUNDED, FOREIGN). */
	uint64_t foreign_bytes;
	double share; /* of the bytes asked */
};

struct attribution attribution_judge(const struct evidence *evidence);

/* Without privileges (root's, or a private cgroup) there was no way to tell. */
bool attribution_lacks_privilege(const struct environment *environment);
/* Why no private cgroup could be made; never NULL. */
const char *attribution_missing(const struct environment *environment);

#endif
