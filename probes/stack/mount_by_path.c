// SPDX-License-Identifier: GPL-2.0-or-later
// Where a path leads by the mount table alone; sorted once, because tables of 50,000 lines exist.
#include <string.h>

#include "probes/stack/mount_table.h"

struct entry {
	const char *point;
	int parent, id;
	size_t place; /* in the table; of mounts that look alike the last one covers the others */
	struct libmnt_fs *fs;
};

struct sorted {
	struct entry *entry;
	size_t count;
	int *id; /* by number */
};

static void sorted_free(struct sorted *sorted)
{
	free(sorted->entry);
	free(sorted->id);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int order = strcmp(x->point, y->point);

	if (order == 0)
		order = (x->parent > y->parent) - (x->parent < y->parent);
	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int compare_ids(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static struct sorted sort_table(const struct mount_table *table)
{
	const size_t size = (size_t)mnt_table_get_nents(table->libmount) + 1;
	struct sorted s = { xcalloc(size, sizeof(*s.entry)), 0, xcalloc(size, sizeof(*s.id)) };
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	while (iter && s.count < size && mnt_table_next_fs(table->libmount, iter, &fs) == 0) {
		const char *point = mnt_fs_get_target(fs);

		s.id[s.count] = mnt_fs_get_id(fs);
		s.entry[s.count] = (struct entry){ point ? point : "", mnt_fs_get_parent_id(fs),
			mnt_fs_get_id(fs), s.count, fs };
		s.count++;
	}
	mnt_free_iter(iter);
	qsort(s.entry, s.count, sizeof(*s.entry), compare_entries);
	qsort(s.id, s.count, sizeof(*s.id), compare_ids);
	return s;
}

/* How many entries stand before this key. */
static size_t entries_before(const struct sorted *s, const struct entry *key)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_entries(&s->entry[middle], key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last one on this point of the mount `parent`; NULL: nothing is mounted there. */
static const struct entry *mounted_on(
	const struct sorted *s, const struct entry *parent, const char *point)
{
	const struct entry key = { point, parent->id, 0, SIZE_MAX, NULL };

	for (size_t i = entries_before(s, &key); i-- > 0;) {
		const struct entry *e = &s->entry[i];

		if (e->parent != parent->id || strcmp(e->point, point) != 0)
			break;
		if (e->fs != parent->fs)
			return e;
	}
	return NULL;
}

/* As the root's is, its parent lies outside of this namespace, or it is its own. */
static const struct entry *parentless_on(const struct sorted *s, const char *point)
{
	const struct entry key = { point, INT32_MIN, 0, 0, NULL };
	const struct entry *found = NULL;

	for (size_t i = entries_before(s, &key); i < s->count; i++) {
		const struct entry *e = &s->entry[i];

		if (strcmp(e->point, point) != 0)
			break;
		if ((!found || e->place > found->place) &&
			(e->parent == e->id ||
				!bsearch(&e->parent, s->id, s->count, sizeof(*s->id), compare_ids)))
			found = e;
	}
	return found;
}

/* Descends into whatever covers this point, mount upon mount. Ids of a hostile table may loop. */
static const struct entry *topmost_on(
	const struct sorted *s, const struct entry *e, const char *point)
{
	size_t left = s->count;
	const struct entry *next;

	while (left-- > 0 && (next = e ? mounted_on(s, e, point) : parentless_on(s, point)))
		e = next;
	return e;
}

struct libmnt_fs *mount_table_by_path(const struct mount_table *table, const char *path)
{
	_cleanup_(sorted_free) struct sorted sorted = sort_table(table);
	_cleanup_free_ char *point = xcalloc(strlen(path) + 2, 1);
	/* In a chroot "/" is not listed; what is mounted further down is. */
	const struct entry *e = topmost_on(&sorted, NULL, "/");
	size_t used = 0;

	while (*path) {
		size_t len;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (!len)
			break;
		point[used++] = '/';
		memcpy(point + used, path, len);
		used += len;
		path += len;
		e = topmost_on(&sorted, e, point);
	}
	return e ? e->fs : NULL;
}
