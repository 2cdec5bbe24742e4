// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/mount_table.h"

#include <string.h>

/*
 * libmount replaces the source "/dev/root" by what it finds in *this* machine's /dev and /sys; on a
 * record that is another machine's. It does not know this spelling.
 */
#define DEV_ROOT " /dev/root "
#define DEV_ROOT_MASKED " /dev/ROOT "

static void mask_dev_root(char *text)
{
	for (char *p = text; (p = strstr(p, DEV_ROOT)); p++)
		memcpy(p, DEV_ROOT_MASKED, strlen(DEV_ROOT_MASKED));
}

static void unmask_dev_root(struct libmnt_table *table)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	while (iter && mnt_table_next_fs(table, iter, &fs) == 0) {
		const char *source = mnt_fs_get_source(fs);

		if (source && strcmp(source, "/dev/ROOT") == 0)
			mnt_fs_set_source(fs, "/dev/root");
	}
	mnt_free_iter(iter);
}

/* A line that does not parse is skipped: one odd mount must not hide all the others. */
static int skip_line(struct libmnt_table *table, const char *file, int line)
{
	return 1;
}

int mount_table_parse(const char *text, struct mount_table *ret)
{
	_cleanup_free_ char *masked = xstrdup(text);
	_cleanup_(mount_table_free) struct mount_table table = MOUNT_TABLE_EMPTY;
	_cleanup_file_ FILE *file = NULL;

	if (!*text)
		return -EINVAL;
	mask_dev_root(masked);
	table.text = xstrdup(text);
	table.libmount = mnt_new_table();
	file = fmemopen(masked, strlen(masked), "r");
	if (!table.libmount || !file)
		return -ENOMEM;
	mnt_table_set_parser_errcb(table.libmount, skip_line);
	if (mnt_table_parse_stream(table.libmount, file, "/proc/self/mountinfo") < 0 ||
		mnt_table_is_empty(table.libmount))
		return -EINVAL;
	unmask_dev_root(table.libmount);
	*ret = table;
	table = (struct mount_table)MOUNT_TABLE_EMPTY;
	return 0;
}

int mount_table_read(const struct sysroot *root, const char *file, struct mount_table *ret)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int r = sysroot_read(root, SYSROOT_FILE_MAX, &text, &len, "%s", file);

	return r < 0 ? r : mount_table_parse(text, ret);
}

int mount_table_none(struct mount_table *ret)
{
	struct libmnt_table *libmount = mnt_new_table();

	if (!libmount)
		return -ENOMEM;
	*ret = (struct mount_table){ libmount, xstrdup("") };
	return 0;
}

void mount_table_free(struct mount_table *table)
{
	if (table->libmount)
		mnt_unref_table(table->libmount);
	free(table->text);
	*table = (struct mount_table)MOUNT_TABLE_EMPTY;
}

struct libmnt_fs *mount_table_by_id(const struct mount_table *table, uint64_t id)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (iter && !found && mnt_table_next_fs(table->libmount, iter, &fs) == 0)
		if ((uint64_t)mnt_fs_get_id(fs) == id)
			found = fs;
	mnt_free_iter(iter);
	return found;
}

struct libmnt_fs *mount_table_by_device(const struct mount_table *table, dev_t device)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs, *found = NULL;

	while (iter && !found && mnt_table_next_fs(table->libmount, iter, &fs) == 0)
		if (mnt_fs_get_devno(fs) == device)
			found = fs;
	mnt_free_iter(iter);
	return found;
}

/* The line of a mount, from its number on. */
static const char *find_line(const char *text, int id)
{
	char number[16];
	size_t len = (size_t)snprintf(number, sizeof(number), "%d ", id);

	for (const char *line = text; line && *line;) {
		if (strncmp(line, number, len) == 0)
			return line;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return NULL;
}

char *mount_raw_options(const struct mount_table *table, struct libmnt_fs *fs)
{
	const char *line = find_line(table->text, mnt_fs_get_id(fs));
	const char *p = line;
	size_t end = line ? strcspn(line, "\n") : 0;

	/* six fields, optional fields up to the lone "-", then type and source */
	for (int field = 0; p && field < 6; field++) {
		p = memchr(p, ' ', (size_t)(line + end - p));
		p = p ? p + 1 : NULL;
	}
	if (p && strncmp(p, "- ", 2) != 0) {
		p = memmem(p, (size_t)(line + end - p), " - ", 3);
		p = p ? p + 1 : NULL;
	}
	for (int field = 0; p && field < 3; field++) {
		p = memchr(p, ' ', (size_t)(line + end - p));
		p = p ? p + 1 : NULL;
	}
	return p ? xstrndup(p, (size_t)(line + end - p)) : xstrdup("");
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

char *mount_unescape(const char *s, size_t len)
{
	char *ret = xmalloc(len + 1);
	size_t out = 0;

	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' && i + 3 < len && is_octal(s[i + 1]) && is_octal(s[i + 2]) &&
			is_octal(s[i + 3])) {
			ret[out++] = (char)((s[i + 1] - '0') << 6 | (s[i + 2] - '0') << 3 |
				(s[i + 3] - '0'));
			i += 3;
		} else {
			ret[out++] = s[i];
		}
	}
	ret[out] = '\0';
	return ret;
}

char *mount_option(const char *raw_options, const char *name, unsigned index)
{
	size_t len = strlen(name);

	for (const char *p = raw_options; *p;) {
		size_t item = strcspn(p, ",");

		if (item >= len && strncmp(p, name, len) == 0 && (item == len || p[len] == '=')) {
			if (index-- == 0)
				return item == len ? xstrdup("")
						   : mount_unescape(p + len + 1, item - len - 1);
		}
		p += item + (p[item] == ',');
	}
	return NULL;
}

static bool has_item(const char *list, const char *item, size_t len)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ",");

		if (n == len && strncmp(p, item, len) == 0)
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

static void append_items(char *out, const char *items, bool read_only)
{
	char *end = out + strlen(out);

	for (const char *p = items; *p;) {
		size_t n = strcspn(p, ",");

		if (n && !has_item(out, p, n) && !(read_only && n == 2 && !strncmp(p, "rw", 2))) {
			if (end > out)
				*end++ = ',';
			end = mempcpy(end, p, n);
			*end = '\0';
		}
		p += n + (p[n] == ',');
	}
}

char *mount_options_merged(struct libmnt_fs *fs, const char *raw_options)
{
	const char *mount = mnt_fs_get_vfs_options(fs);
	char *ret;

	mount = mount ? mount : "";
	ret = xcalloc(strlen(mount) + strlen(raw_options) + 8, 1);
	append_items(ret, mount, has_item(raw_options, "ro", 2));
	append_items(ret, raw_options, has_item(mount, "ro", 2));
	return ret;
}
