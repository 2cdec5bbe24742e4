// SPDX-License-Identifier: GPL-2.0-or-later
/* FIEMAP (Documentation/filesystems/fiemap.rst) in batches of bounded size. */
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

#include "probes/witnesses/residency.h"

#define BATCH 256
#define EXTENTS_MAX (1 << 20) /* a file in more pieces than this is not judged */

union batch {
	struct fiemap map;
	char room[sizeof(struct fiemap) + BATCH * sizeof(struct fiemap_extent)];
};

/* Where the plain blocks lie: reflinks may let one block stand for many places of the file. */
struct span {
	uint64_t start, end;
};

struct spans {
	struct span *item;
	size_t count, room;
};

static void spans_free(struct spans *spans)
{
	free(spans->item);
}

/* A filesystem that names no address (0) says nothing about sharing. */
static void span_add(struct spans *spans, uint64_t physical, uint64_t length)
{
	if (physical == 0 || length == 0 || physical > UINT64_MAX - length)
		return;
	if (spans->count == spans->room) {
		spans->room = MAX(2 * spans->room, (size_t)BATCH);
		spans->item = xreallocarray(spans->item, spans->room, sizeof(*spans->item));
	}
	spans->item[spans->count++] = (struct span){ physical, physical + length };
}

static int span_compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* Bytes that lie where an earlier part of the file lies already: a device need not read them. */
static uint64_t spans_repeated(struct spans *spans)
{
	uint64_t repeated = 0, end = 0;

	if (spans->count)
		qsort(spans->item, spans->count, sizeof(*spans->item), span_compare);
	for (size_t i = 0; i < spans->count; i++) {
		const struct span *s = &spans->item[i];

		if (s->start < end)
			repeated += MIN(s->end, end) - s->start;
		end = MAX(end, s->end);
	}
	return repeated;
}

/*
 * Plain blocks, blocks that no write reached, and data that a reader does not find block for block.
 * UNKNOWN without DELALLOC is data at no address that the filesystem would name.
 */
static uint64_t *bucket(struct extents *extents, uint32_t flags)
{
	if (flags & FIEMAP_EXTENT_UNWRITTEN)
		return &extents->unwritten_bytes;
	if (flags &
		(FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED | FIEMAP_EXTENT_DATA_INLINE |
			FIEMAP_EXTENT_DATA_TAIL | FIEMAP_EXTENT_NOT_ALIGNED |
			FIEMAP_EXTENT_UNKNOWN))
		return &extents->encoded_bytes;
	return &extents->written_bytes;
}

/*
 * Adds one extent, cut to [*position, size), and the hole before it. False: still not allocated
 * although the file was synced (somebody is writing it), so nothing can be said.
 */
static bool extent_add(const struct fiemap_extent *e, uint64_t size, uint64_t *position,
	struct extents *extents, struct spans *spans)
{
	uint64_t *to = bucket(extents, e->fe_flags);
	uint64_t start = MAX(e->fe_logical, *position);
	uint64_t end = e->fe_length > UINT64_MAX - e->fe_logical ? UINT64_MAX
								 : e->fe_logical + e->fe_length;

	if (e->fe_flags & FIEMAP_EXTENT_DELALLOC)
		return false;
	start = MIN(start, size);
	end = MIN(MAX(end, start), size);
	extents->hole_bytes += start - *position;
	*to += end - start;
	if (to == &extents->written_bytes)
		span_add(spans, e->fe_physical + (start - e->fe_logical), end - start);
	extents->count++;
	*position = end;
	return true;
}

static int batch_fetch(int fd, uint64_t start, uint64_t size, union batch *batch)
{
	memset(&batch->map, 0, sizeof(batch->map));
	batch->map.fm_start = start;
	batch->map.fm_length = size - start;
	batch->map.fm_flags = start == 0 ? FIEMAP_FLAG_SYNC : 0;
	batch->map.fm_extent_count = BATCH;
	return ioctl(fd, FS_IOC_FIEMAP, &batch->map) == 0 ? 0 : -errno;
}

/* One batch; *more is false at the end of the file. */
static int batch_add(const struct fiemap *map, uint64_t size, uint64_t *position,
	struct extents *extents, struct spans *spans, bool *more)
{
	uint64_t before = *position;
	uint32_t count = MIN(map->fm_mapped_extents, (uint32_t)BATCH);

	*more = count == BATCH;
	for (uint32_t i = 0; i < count; i++) {
		if (!extent_add(&map->fm_extents[i], size, position, extents, spans))
			return -EAGAIN;
		if (map->fm_extents[i].fe_flags & FIEMAP_EXTENT_LAST)
			*more = false;
	}
	*more = *more && *position < size;
	/* A filesystem that answers without getting on would be asked for ever. */
	return *more && (*position == before || extents->count > EXTENTS_MAX) ? -EFBIG : 0;
}

static int extents_walk(int fd, uint64_t size, struct extents *extents)
{
	_cleanup_free_ union batch *batch = xmalloc(sizeof(*batch));
	_cleanup_(spans_free) struct spans spans = { 0 };
	uint64_t position = 0, repeated;
	bool more = size > 0;

	while (more) {
		int r = batch_fetch(fd, position, size, batch);

		if (r == 0)
			r = batch_add(&batch->map, size, &position, extents, &spans, &more);
		if (r < 0)
			return r;
	}
	extents->hole_bytes += size - position;
	repeated = spans_repeated(&spans);
	extents->written_bytes -= repeated;
	extents->encoded_bytes += repeated;
	return 0;
}

void extents_read(int fd, uint64_t size, struct extents *ret)
{
	struct extents extents = { .known = true, .source = "FIEMAP" };
	int r = extents_walk(fd, size, &extents);

	if (r == -EAGAIN) { /* written to between the sync and the look: once more */
		extents = (struct extents){ .known = true, .source = "FIEMAP" };
		r = extents_walk(fd, size, &extents);
	}
	*ret = r == 0 ? extents : (struct extents){ .source = "FIEMAP" };
}
