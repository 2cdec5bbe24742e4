// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/registry.h"

#include <string.h>

static int compare_members(const void *a, const void *b)
{
	const struct registered *x = *(const struct registered *const *)a;
	const struct registered *y = *(const struct registered *const *)b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* Quadratic on purpose: sets are small, and equal ids may stand apart once sorted by order. */
static bool has_duplicate(const struct registry_view *view)
{
	for (size_t i = 0; i < view->count; i++)
		for (size_t j = i + 1; j < view->count; j++)
			if (strcmp(view->member[i]->id, view->member[j]->id) == 0)
				return true;
	return false;
}

int registry_view(const struct registry *registry, struct registry_view *ret)
{
	struct registry_view view = { .count = (size_t)(registry->stop - registry->start) };

	if (view.count == 0)
		return -ENOENT;
	view.member = xcalloc(view.count, sizeof(*view.member));
	for (size_t i = 0; i < view.count; i++)
		view.member[i] = registry->start[i];
	if (has_duplicate(&view)) {
		registry_view_free(&view);
		return -EEXIST;
	}
	qsort(view.member, view.count, sizeof(*view.member), compare_members);
	*ret = view;
	return 0;
}

void registry_view_free(struct registry_view *view)
{
	free(view->member);
	*view = (struct registry_view){ 0 };
}

const struct registered *registry_find(const struct registry *registry, const char *id)
{
	for (const struct registered *const *m = registry->start; m < registry->stop; m++)
		if (strcmp((*m)->id, id) == 0)
			return *m;
	return NULL;
}
