/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_SYNTHETIC_H
#define IOPROOF_SYNTHETIC_H

/* A small machine in a temporary directory, for tests: write files and links, then open it. */

#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sysroot.h"

struct synthetic {
	char directory[64];
};

static inline void synthetic_make(struct synthetic *machine)
{
	strcpy(machine->directory, "/tmp/ioproof-test-XXXXXX");
	if (!mkdtemp(machine->directory))
		abort();
}

static inline char *synthetic_path(const struct synthetic *machine, const char *path)
{
	char *full = xasprintf("%s/%s", machine->directory, path);

	for (char *c = full + strlen(machine->directory) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(full, 0755);
		*c = '/';
	}
	return full;
}

static inline void synthetic_file(
	const struct synthetic *machine, const char *path, const char *text)
{
	_cleanup_free_ char *full = synthetic_path(machine, path);
	_cleanup_file_ FILE *file = fopen(full, "w");

	if (!file || fputs(text, file) < 0)
		abort();
}

static inline void synthetic_link(
	const struct synthetic *machine, const char *path, const char *target)
{
	_cleanup_free_ char *full = synthetic_path(machine, path);

	if (symlink(target, full) < 0)
		abort();
}

static inline int synthetic_unlink(
	const char *path, const struct stat *st, int type, struct FTW *walk)
{
	return remove(path);
}

static inline void synthetic_remove(struct synthetic *machine)
{
	nftw(machine->directory, synthetic_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
