/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FIXTURE_FACTS_H
#define IOPROOF_FIXTURE_FACTS_H

/* What rules need to know about a filesystem that was built for the measurement. */

#include "core/base.h"

struct fixture_facts {
	const char *preparation;  /* "written", "fallocated", "sparse"; NULL: no fixture */
	bool loop_buffered;       /* LOOP=buffered was asked for */
	uint64_t unwritten_bytes; /* of the images, when the filesystem was mounted */
	bool rest_known;          /* the devices' counters were read before anything was measured */
	bool at_rest;             /* and stood still */
	uint64_t restless_bytes;  /* written at the devices while we waited */
};

#endif
