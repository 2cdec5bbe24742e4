// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/near.h"

#include <string.h>

#include "core/text.h"

#define TEXT_MAX 64U /* ids are shorter; what people paste may not be */
#define NEAR_MAX 3
#define TEXT_MIN 3 /* a shorter part is contained in too many ids */

unsigned near_distance(const char *a, const char *b)
{
	unsigned row[TEXT_MAX + 1];
	unsigned la = (unsigned)strnlen(a, TEXT_MAX), lb = (unsigned)strnlen(b, TEXT_MAX);

	for (unsigned j = 0; j <= lb; j++)
		row[j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = MIN(replaced, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[lb];
}

/* A third of the text mistyped is still near; a part of an id is nearer than that. */
static bool is_near(const char *id, const char *text, unsigned *rank)
{
	unsigned len = (unsigned)strnlen(text, TEXT_MAX);

	*rank = near_distance(id, text);
	if (*rank <= MAX(len / 3, 1U))
		return true;
	*rank += TEXT_MAX;
	return len >= TEXT_MIN && (strstr(id, text) || strstr(text, id));
}

static void insert(const char *id, unsigned rank, const char *best[NEAR_MAX],
	unsigned ranks[NEAR_MAX], size_t *count)
{
	size_t at = *count;

	while (at > 0 && ranks[at - 1] > rank)
		at--;
	if (at == NEAR_MAX)
		return;
	if (*count < NEAR_MAX)
		(*count)++;
	for (size_t i = *count - 1; i > at; i--) {
		best[i] = best[i - 1];
		ranks[i] = ranks[i - 1];
	}
	best[at] = id;
	ranks[at] = rank;
}

char *near_members(const struct registry *set, const char *text)
{
	_cleanup_(registry_view_free) struct registry_view view = { 0 };
	const char *best[NEAR_MAX];
	unsigned ranks[NEAR_MAX], rank;
	size_t count = 0;
	char *list = NULL;

	if (registry_view(set, &view) < 0)
		return NULL;
	registry_for_each(member, &view)
		if (is_near((*member)->id, text, &rank))
			insert((*member)->id, rank, best, ranks, &count);
	for (size_t i = 0; i < count; i++)
		text_append(&list, ", ", "%s", best[i]);
	return list;
}
