/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_MOUNT_TABLE_H
#define IOPROOF_MOUNT_TABLE_H

/*
 * /proc/self/mountinfo (proc_pid_mountinfo(5)) by libmount, and what libmount does not keep: option
 * strings as the kernel wrote them. Everything comes through the sysroot door.
 */

#include <libmount.h>

#include "core/sysroot.h"

struct mount_table {
	struct libmnt_table *libmount;
	char *text; /* the file as read */
};

/* file: "proc/self/mountinfo". What sysroot_read() says; -EINVAL: nothing in it parses. */
int mount_table_read(const struct sysroot *root, const char *file, struct mount_table *ret);
/* The same from text that was read already. */
int mount_table_parse(const char *text, struct mount_table *ret);
/* A table without a line, for a machine that shows none. */
int mount_table_none(struct mount_table *ret);
void mount_table_free(struct mount_table *table);
#define MOUNT_TABLE_EMPTY                                                                          \
	{                                                                                          \
		NULL, NULL                                                                         \
	}

/* NULL: no such mount here. */
struct libmnt_fs *mount_table_by_id(const struct mount_table *table, uint64_t id);
/* The first mount with this number in field 3; NULL: none. */
struct libmnt_fs *mount_table_by_device(const struct mount_table *table, dev_t device);
/*
 * Where an absolute path leads, by the table alone: from the root mount down, at each component
 * into the mount that covers it, as often as something is mounted there. Links are not followed.
 * NULL: the table has no root.
 */
struct libmnt_fs *mount_table_by_path(const struct mount_table *table, const char *path);

/*
 * Superblock options as the kernel wrote them, still escaped; libmount decodes the whole string,
 * which turns an escaped comma into a separator, and stops at a blank, which cifs does not escape.
 */
char *mount_raw_options(const struct mount_table *table, struct libmnt_fs *fs);
/*
 * The decoded value of one option of such a string, "" for a bare word; NULL when it is not there.
 * `index` counts repeated options from 0.
 */
char *mount_option(const char *raw_options, const char *name, unsigned index);
/* Per-mount and superblock options, each once, "ro" when either says so. */
char *mount_options_merged(struct libmnt_fs *fs, const char *raw_options);

/* One left-to-right pass; only a backslash and exactly three octal digits are an escape. */
char *mount_unescape(const char *s, size_t len);

#endif
