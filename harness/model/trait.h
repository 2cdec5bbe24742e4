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
	TRAIT_HONOURS_DIRECT, /* O_DIRECT passes through uncached. loop: `loop/dio` */
	TRAIT_PASSES_FLUSH,   /* a sync above becomes a flush below */
	TRAIT_CACHES_READS,   /* answers re-reads itself, apart from the page cache of the file */
	/* stores fewer bytes than written, or makes up what was not: compression, thin volumes */
	TRAIT_ELIDES_DATA,
	TRAIT_IN_MEMORY,        /* the data lives in this machine's memory */
	TRAIT_VOLATILE_CACHE,   /* block layer: `queue/write_cache` is "write back" */
	TRAIT_COUNTED,          /* block layer: I/O statistics are kept (`queue/iostats`) */
	TRAIT_VIRTUAL,          /* disk: something outside this machine serves it */
	TRAIT_CACHE_OVERRIDDEN, /* `queue/write_cache` says write through, the device does not */
	TRAIT_FUA,              /* block layer: takes writes that reach the medium by themselves */
	TRAIT_ALTERS_IO,        /* delays, drops or fails I/O, or makes it up: made for tests */
	TRAIT_WRITES_ELSEWHERE, /* the layers beneath are read; what is written goes out of sight */
	/* What a mount was told, for the reader: each changes what a benchmark of it means. */
	TRAIT_SYNC_WRITES,   /* every write is synced before it returns */
	TRAIT_SYNC_NAMES,    /* so is every change of a directory */
	TRAIT_DISCARDS,      /* tells the device at once what was deleted */
	TRAIT_COPY_ON_WRITE, /* data is never overwritten in place */
	TRAIT_CHECKSUMS,     /* data is checksummed */
	TRAIT_LAZY_TIMES,    /* times of files are written later */
	TRAIT_DAX,           /* loads and stores to the medium: no page cache, no block I/O */
	TRAIT_NO_JOURNAL,    /* the journal was switched off */
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
