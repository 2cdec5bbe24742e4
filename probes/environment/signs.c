// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/environment/signs.h"

#include <fnmatch.h>
#include <string.h>

void signs_add(struct signs *signs, enum sign_class class, enum sign_weight weight,
	const char *name, const char *fmt, ...)
{
	va_list ap;

	if (signs->count == SIGNS_MAX)
		return;
	va_start(ap, fmt);
	signs->item[signs->count++] = (struct sign){ class, weight, name, xvasprintf(fmt, ap) };
	va_end(ap);
}

void signs_free(struct signs *signs)
{
	for (size_t i = 0; i < signs->count; i++)
		free(signs->item[i].evidence);
	free(signs->virtual_evidence);
	free(signs->host_evidence);
	free(signs->nested_pid_evidence);
}

const struct sign *signs_find(const struct signs *signs, enum sign_class class, const char *name)
{
	for (size_t i = 0; i < signs->count; i++)
		if (signs->item[i].class == class &&
			(!name || strcmp(signs->item[i].name, name) == 0))
			return &signs->item[i];
	return NULL;
}

bool signs_match_files(
	struct signs *signs, const struct sysroot *root, const struct text_sign *table, size_t rows)
{
	_cleanup_free_ char *text = NULL;
	const char *file = NULL;
	bool any = false;

	for (const struct text_sign *row = table; row < table + rows; row++) {
		if (!file || strcmp(file, row->file) != 0) {
			free_pointer(&text);
			text = NULL;
			file = row->file;
			if (sysroot_read_line(root, &text, "%s", file) < 0)
				text = NULL;
		}
		if (!text)
			continue;
		any = true;
		if (fnmatch(row->pattern, text, 0) == 0)
			signs_add(signs, row->class, SIGN_STRONG, row->name, "%s: %.*s", file,
				SIGN_VALUE_MAX, text);
	}
	return any;
}
