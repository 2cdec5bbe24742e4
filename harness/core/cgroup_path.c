// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/cgroup_path.h"

#include <string.h>

#include "core/text.h"

/* One line, "ID:CONTROLLERS:PATH"; NULL: another hierarchy's. */
static const char *path_in_line(char *line, int version, const char *controller)
{
	const char *id = strsep(&line, ":"), *controllers = strsep(&line, ":");

	if (!line)
		return NULL;
	if (version == 2)
		return strcmp(id, "0") == 0 && !*controllers ? line : NULL;
	return text_has_word(controllers, controller, ',') ? line : NULL;
}

char *cgroup_own_path(const char *text, int version, const char *controller)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		const char *path = path_in_line(line, version, controller);

		if (path)
			return xstrdup(path);
	}
	return NULL;
}

const char *cgroup_path_below(const char *path, const char *mount_root)
{
	size_t length = strcmp(mount_root, "/") == 0 ? 0 : strlen(mount_root);

	if (strncmp(path, mount_root, length) != 0 || (path[length] != '/' && path[length] != '\0'))
		return NULL;
	return strcmp(path + length, "/") == 0 ? "" : path + length;
}
