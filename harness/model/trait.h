/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TRAIT_H
#define IOPROOF_TRAIT_H

/* A property of a layer: yes, no or unknown, and how that is known. Unknown is never "yes". */

#include "core/base.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

enum known_by {
	KNOWN_NOT,
	KNOWN_DECLARED, /* the layer says so: an attribute, an option, a type */
	KNOWN_MEASURED, /* an experiment or a counter showed it */
	KNOWN_INFERRED, /* follows from other facts */
};

enum trait_id {
	TRAIT_HONOURS_DIRECT,   /* O_DIRECT passes through uncached. loop: `loop/dio` */
	TRAIT_PASSES_FLUSH,     /* a sync above becomes a flush below */
	TRAIT_CACHES_READS,     /* answers re-reads itself, apart from the page cache of the file */
	TRAIT_ELIDES_DATA,      /* stores fewer bytes than written: compression, zero detection */
	TRAIT_IN_MEMORY,        /* the data lives in this machine's memory */
	TRAIT_VOLATILE_CACHE,   /* block layer: `queue/write_cache` is "write back" */
	TRAIT_COUNTED,          /* block layer: I/O statistics are kept (`queue/iostats`) */
	TRAIT_VIRTUAL,          /* disk: something outside this machine serves it */
	TRAIT_CACHE_OVERRIDDEN, /* `queue/write_cache` says write through, the device does not */
	TRAIT_FUA,              /* block layer: takes writes that reach the medium by themselves */
	TRAIT_COUNT,
};

struct trait {
	enum answer answer;
	enum known_by known_by;
	char *source; /* where it was read: "sys/block/loop0/loop/dio = 0"; NULL when unknown */
};

/* "honours-o-direct", "passes-flush"...: as in documents. */
const char *trait_name(enum trait_id id);
const char *answer_name(enum answer answer);    /* "yes", "no", "unknown" */
const char *known_by_name(enum known_by known); /* "declared"..., "unknown" */

#endif
