// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/run_name.h"

#include <fcntl.h>
#include <string.h>

#include "core/text.h"

#define NAME_PREFIX "ioproof."

/* Field 2 may hold spaces and parentheses. */
static int start_time(const struct sysroot *root, const char *pid, uint64_t *ret)
{
	_cleanup_free_ char *stat = NULL;
	unsigned long long value;
	char *p;
	int r = sysroot_read_line(root, &stat, "proc/%s/stat", pid);

	if (r < 0)
		return r;
	p = strrchr(stat, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p || sscanf(p, " %llu", &value) != 1)
		return -EINVAL;
	*ret = value;
	return 0;
}

int run_name_own(const struct sysroot *root, char **ret)
{
	uint64_t started;
	int r = start_time(root, "self", &started);

	if (r < 0)
		return r;
	*ret = xasprintf(NAME_PREFIX "%d.%llu", (int)getpid(), (unsigned long long)started);
	return 0;
}

static bool is_dead(const struct sysroot *root, const char *name)
{
	_cleanup_free_ char *pid = NULL;
	uint64_t pid_number, named, started;
	const char *dot;
	int r;

	if (strncmp(name, NAME_PREFIX, strlen(NAME_PREFIX)) != 0)
		return false;
	name += strlen(NAME_PREFIX);
	dot = strchr(name, '.');
	if (!dot)
		return false;
	pid = xstrndup(name, (size_t)(dot - name));
	if (text_parse_u64(pid, &pid_number) < 0 || text_parse_u64(dot + 1, &named) < 0)
		return false;
	r = start_time(root, pid, &started);
	return r == -ENOENT || r == -ESRCH || (r == 0 && started != named);
}

void run_name_collect(const struct sysroot *root, int dirfd)
{
	_cleanup_(string_list_free) char **names = NULL;
	struct sysroot door = *root;

	door.fd = dirfd;
	if (sysroot_list(&door, &names, ".") < 0)
		return;
	for (char **name = names; *name; name++)
		if (is_dead(root, *name))
			unlinkat(dirfd, *name, AT_REMOVEDIR);
}
