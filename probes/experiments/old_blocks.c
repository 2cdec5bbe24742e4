// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/experiments/old_blocks.h"

#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "engine/engine.h"

#define EXTENTS_A_FILE 256                /* of a file in more pieces, the first ones do */
#define MAPPING_NS (100ULL * 1000 * 1000) /* beyond the walk's time */

/*
 * Out of so many blocks one is read. A neighbour is then seldom so near that reading ahead below
 * has fetched it already; with less data than that, nearer ones must do.
 */
#define BLOCKS_A_SHARE 4

union extent_map {
	struct fiemap map;
	char room[sizeof(struct fiemap) + EXTENTS_A_FILE * sizeof(struct fiemap_extent)];
};

struct pieces {
	struct old_piece *item;
	size_t count;
};

/* Its blocks lie as they are on the disk, and were written. */
static bool is_plain(const struct fiemap_extent *e)
{
	return !(e->fe_flags &
		(FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN |
			FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED |
			FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL |
			FIEMAP_EXTENT_NOT_ALIGNED));
}

/* Cut to whole blocks that end before the end of the file. */
static void add_extent(struct pieces *pieces, int fd, uint64_t size, const struct fiemap_extent *e)
{
	uint64_t start = (e->fe_logical + OLD_BLOCK - 1) / OLD_BLOCK * OLD_BLOCK;
	uint64_t end = MIN(e->fe_logical + e->fe_length, size) / OLD_BLOCK * OLD_BLOCK;

	if (!is_plain(e) || e->fe_logical > size || e->fe_length > UINT64_MAX / 2 || start >= end)
		return;
	pieces->item = xreallocarray(pieces->item, pieces->count + 1, sizeof(*pieces->item));
	pieces->item[pieces->count++] = (struct old_piece){
		.fd = fd,
		.offset = start,
		.physical = e->fe_physical + (start - e->fe_logical),
		.blocks = (end - start) / OLD_BLOCK,
	};
}

/* A filesystem without FIEMAP does not say which blocks were written: nothing of it is used. */
static void add_file(struct pieces *pieces, int fd)
{
	union extent_map extents;
	struct stat st;

	memset(&extents.map, 0, sizeof(extents.map));
	extents.map.fm_length = FIEMAP_MAX_OFFSET;
	extents.map.fm_extent_count = EXTENTS_A_FILE;
	if (fstat(fd, &st) != 0 || ioctl(fd, FS_IOC_FIEMAP, &extents.map) != 0)
		return;
	for (uint32_t i = 0; i < MIN(extents.map.fm_mapped_extents, (uint32_t)EXTENTS_A_FILE); i++)
		add_extent(pieces, fd, (uint64_t)st.st_size, &extents.map.fm_extents[i]);
}

static int compare_places(const void *a, const void *b)
{
	const struct old_piece *x = a, *y = b;

	return (x->physical > y->physical) - (x->physical < y->physical);
}

size_t old_blocks_spread(struct old_piece *piece, size_t pieces, size_t max, struct random *random,
	struct old_block **ret)
{
	uint64_t total = 0, before = 0;
	struct old_block *block;
	size_t count, p = 0;

	for (size_t i = 0; i < pieces; i++)
		total += piece[i].blocks;
	count = (size_t)MIN((uint64_t)max, MAX(total / BLOCKS_A_SHARE, MIN(total, max / 8)));
	if (pieces) /* NULL then, which qsort(3) does not take */
		qsort(piece, pieces, sizeof(*piece), compare_places);
	block = xcalloc(MAX(count, (size_t)1), sizeof(*block));
	for (size_t i = 0; i < count; i++) {
		uint64_t from = total / count * i + total % count * i / count;
		uint64_t to = total / count * (i + 1) + total % count * (i + 1) / count;
		uint64_t at = from + random_below(random, to - from);

		while (at - before >= piece[p].blocks)
			before += piece[p++].blocks;
		block[i] = (struct old_block){ .fd = piece[p].fd,
			.offset = piece[p].offset + (at - before) * OLD_BLOCK,
			.place = i };
	}
	*ret = block;
	return count;
}

int old_blocks_of_files(int directory, enum old_age age, uint64_t deadline_ns,
	struct random *random, size_t min, size_t max, struct old_blocks *ret)
{
	_cleanup_(old_blocks_free) struct old_blocks made = { 0 };
	struct pieces pieces = { 0 };
	int r = old_files_open(directory, age, deadline_ns, random, made.fd, &made.fds);

	if (r < 0)
		return r;
	deadline_ns += MAPPING_NS;
	for (size_t i = 0; i < made.fds && clock_now() < deadline_ns; i++)
		add_file(&pieces, made.fd[i]);
	made.count = old_blocks_spread(pieces.item, pieces.count, max, random, &made.block);
	free(pieces.item);
	if (made.count < min)
		return -ENODATA;
	*ret = made;
	made = (struct old_blocks){ 0 };
	return 0;
}

int old_blocks_of_device(int fd, struct random *random, size_t max, struct old_blocks *ret)
{
	struct old_blocks made = { .raw = true, .fds = 1 };
	struct old_piece whole = { .fd = fd };
	uint64_t size;

	if (ioctl(fd, BLKGETSIZE64, &size) != 0)
		return -errno;
	made.fd[0] = fd;
	whole.blocks = size / OLD_BLOCK;
	made.count = old_blocks_spread(&whole, 1, max, random, &made.block);
	*ret = made;
	return 0;
}

void old_blocks_free(struct old_blocks *blocks)
{
	for (size_t i = 0; i < blocks->fds; i++)
		close_fd(&blocks->fd[i]);
	free(blocks->block);
	*blocks = (struct old_blocks){ 0 };
}
