// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/trait.h"

const char *trait_name(enum trait_id id)
{
	static const char *const names[TRAIT_COUNT] = {
		[TRAIT_HONOURS_DIRECT] = "honours-o-direct",
		[TRAIT_PASSES_FLUSH] = "passes-flush",
		[TRAIT_CACHES_READS] = "caches-reads",
		[TRAIT_ELIDES_DATA] = "elides-data",
		[TRAIT_IN_MEMORY] = "in-memory",
		[TRAIT_VOLATILE_CACHE] = "volatile-cache",
		[TRAIT_COUNTED] = "counted",
		[TRAIT_VIRTUAL] = "virtual",
		[TRAIT_CACHE_OVERRIDDEN] = "write-cache-overridden",
		[TRAIT_FUA] = "takes-fua",
		[TRAIT_ALTERS_IO] = "alters-io",
		[TRAIT_WRITES_ELSEWHERE] = "writes-elsewhere",
		[TRAIT_SYNC_WRITES] = "syncs-every-write",
		[TRAIT_SYNC_NAMES] = "syncs-every-name",
		[TRAIT_DISCARDS] = "discards-online",
		[TRAIT_COPY_ON_WRITE] = "copies-on-write",
		[TRAIT_CHECKSUMS] = "checksums-data",
		[TRAIT_LAZY_TIMES] = "delays-times",
		[TRAIT_DAX] = "direct-access",
		[TRAIT_NO_JOURNAL] = "without-journal",
	};

	return (unsigned)id < TRAIT_COUNT ? names[id] : "unknown";
}

const char *answer_name(enum answer answer)
{
	switch (answer) {
	case ANSWER_YES:
		return "yes";
	case ANSWER_NO:
		return "no";
	case ANSWER_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *known_by_name(enum known_by known)
{
	switch (known) {
	case KNOWN_DECLARED:
		return "declared";
	case KNOWN_MEASURED:
		return "measured";
	case KNOWN_INFERRED:
		return "inferred";
	case KNOWN_NOT:
		break;
	}
	return "unknown";
}
