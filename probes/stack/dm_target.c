// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/dm_target.h"

#include <string.h>

/* What a target means for a measurement; no row: it hands I/O on as it came. */
struct target_trait {
	const char *target;
	enum trait_id trait;
	bool whole; /* only when every target of the table is this one */
	const char *why;
};

static const struct target_trait target_traits[] = {
	{ "cache", TRAIT_CACHES_READS, false, "hot blocks are answered by the fast device" },
	{ "writecache", TRAIT_CACHES_READS, false,
		"writes stay on the fast device, and are read from there, until written back" },
	{ "ebs", TRAIT_CACHES_READS, false, "sectors are emulated through a buffer in memory" },
	{ "thin", TRAIT_ELIDES_DATA, false, "blocks never written are read as zeros" },
	{ "vdo", TRAIT_ELIDES_DATA, false, "blocks are compressed and stored once" },
	{ "zero", TRAIT_ELIDES_DATA, false, "reads are zeros, writes are dropped" },
	{ "zero", TRAIT_IN_MEMORY, true, "nothing is stored at all" },
	{ "zero", TRAIT_ALTERS_IO, false, "reads are zeros, writes are dropped" },
	{ "error", TRAIT_ALTERS_IO, false, "every I/O fails" },
	{ "flakey", TRAIT_ALTERS_IO, false, "I/O fails or is dropped from time to time" },
	{ "delay", TRAIT_ALTERS_IO, false, "I/O is held back for a set time" },
	{ "dust", TRAIT_ALTERS_IO, false, "reads of chosen blocks fail" },
	{ "log-writes", TRAIT_ALTERS_IO, false, "every write is made twice, the second as a log" },
	{ "snapshot", TRAIT_COPY_ON_WRITE, false, "what is overwritten is copied first" },
	{ "snapshot-origin", TRAIT_COPY_ON_WRITE, false, "what is overwritten is copied first" },
	{ "clone", TRAIT_ALTERS_IO, false, "blocks are still fetched from another device" },
};

/* The next word of a table and its length; NULL at the end. */
static const char *next_target(const char **table, size_t *len)
{
	const char *word = *table + strspn(*table, " ");

	*len = strcspn(word, " ");
	*table = word + *len;
	return *len ? word : NULL;
}

static bool is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && strncmp(word, name, len) == 0;
}

/* How many of the table's targets are of this type; *all: how many there are. */
static size_t count_targets(const char *table, const char *name, size_t *all)
{
	const char *word;
	size_t len, count = 0;

	for (*all = 0; (word = next_target(&table, &len)); (*all)++)
		count += is_word(word, len, name);
	return count;
}

char *dm_target_main(const char *table)
{
	const char *rest = table, *word;
	size_t len;

	while ((word = next_target(&rest, &len)))
		if (!is_word(word, len, "linear"))
			return xstrndup(word, len);
	word = next_target(&table, &len);
	return word ? xstrndup(word, len) : NULL;
}

void dm_target_traits(
	struct layer *layer, const char *table, enum known_by known, const char *source)
{
	for (size_t i = 0; i < ARRAY_SIZE(target_traits); i++) {
		const struct target_trait *row = &target_traits[i];
		size_t all, count = count_targets(table, row->target, &all);

		if (count == 0 || (row->whole && count < all))
			continue;
		layer_set_trait(layer, row->trait, ANSWER_YES, known, "%s (%s)", source, row->why);
	}
}

bool dm_target_stands_on_nothing(const char *type)
{
	return strcmp(type, "zero") == 0 || strcmp(type, "error") == 0;
}
