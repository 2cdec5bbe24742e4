// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/stack_difference.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static char *trait_difference(const struct layer *before, const struct layer *after)
{
	for (int i = 0; i < TRAIT_COUNT; i++) {
		enum trait_id id = (enum trait_id)i;

		if (layer_trait(before, id) != layer_trait(after, id))
			return xasprintf("%s was %s and is %s", trait_name(id),
				answer_name(layer_trait(before, id)),
				answer_name(layer_trait(after, id)));
	}
	return NULL;
}

/* NULL: none. */
static char *layer_difference(const struct layer *before, const struct layer *after)
{
	if (before->kind != after->kind || before->device != after->device ||
		!same_text(before->type, after->type) || !same_text(before->name, after->name))
		return xasprintf("it was %s and is %s", before->name, after->name);
	if (!same_text(before->options, after->options))
		return xasprintf("its mount options were %s and are %s",
			before->options ? before->options : "none",
			after->options ? after->options : "none");
	return trait_difference(before, after);
}

bool stack_difference(
	const struct stack *before, const struct stack *after, struct stack_difference *ret)
{
	const size_t both = MIN(before->count, after->count);
	const struct layer *last = both ? &before->layer[both - 1] : NULL;

	for (size_t i = 0; i < both; i++) {
		char *what = layer_difference(&before->layer[i], &after->layer[i]);

		if (!what)
			continue;
		*ret = (struct stack_difference){ xstrdup(before->layer[i].name), what };
		return true;
	}
	if (before->count == after->count)
		return false;
	*ret = (struct stack_difference){ xstrdup(last ? last->name : "none"),
		xasprintf("there were %zu layers and are %zu", before->count, after->count) };
	return true;
}

void stack_difference_free(struct stack_difference *difference)
{
	free(difference->layer);
	free(difference->what);
	*difference = (struct stack_difference){ 0 };
}
