/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TEST_WITNESS_TREE_H
#define IOPROOF_TEST_WITNESS_TREE_H

/* A small machine made of files in a temporary directory, for tests of witnesses. */

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core/sysroot.h"

struct tree {
	char path[4096];
	struct sysroot root;
};

static inline int tree_remove_one(
	const char *path, const struct stat *st, int flag, struct FTW *where)
{
	return remove(path);
}

static inline void tree_setup(struct tree *tree)
{
	const char *base = getenv("TMPDIR");

	snprintf(
		tree->path, sizeof(tree->path), "%s/ioproof-test-XXXXXX", base ? base : "/var/tmp");
	assert_non_null(mkdtemp(tree->path));
	assert_int_equal(sysroot_open(tree->path, &tree->root, NULL), 0);
}

static inline void tree_teardown(struct tree *tree)
{
	sysroot_close(&tree->root);
	assert_int_equal(nftw(tree->path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline char *tree_path(const struct tree *tree, const char *name)
{
	return xasprintf("%s/%s", tree->path, name);
}

/* The directories above `path`, itself left out. */
static inline void tree_parents(char *path, size_t from)
{
	for (char *p = path + from + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
}

static inline void tree_file(const struct tree *tree, const char *name, const char *text)
{
	_cleanup_free_ char *path = tree_path(tree, name);
	FILE *f;

	tree_parents(path, strlen(tree->path));
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static inline void tree_link(const struct tree *tree, const char *name, const char *to)
{
	_cleanup_free_ char *path = tree_path(tree, name);

	tree_parents(path, strlen(tree->path));
	assert_int_equal(symlink(to, path), 0);
}

static inline bool tree_has(const struct tree *tree, const char *name)
{
	_cleanup_free_ char *path = tree_path(tree, name);
	struct stat st;

	return lstat(path, &st) == 0;
}

#endif
