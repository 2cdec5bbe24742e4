/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_OLD_BLOCKS_H
#define IOPROOF_OLD_BLOCKS_H

/*
 * Blocks of a disk that nobody is likely to have read or written lately: what a cache below the
 * disk does not hold. Either blocks of old files, or random blocks of the disk itself. Everything
 * is opened read-only, without following links or crossing mounts, and without changing access
 * times.
 */

#include "core/base.h"
#include "core/random.h"

#define OLD_BLOCK ((size_t)4096)
#define OLD_FILES_MAX 64

struct old_block {
	int fd; /* O_RDONLY | O_DIRECT */
	uint64_t offset;
	size_t place; /* from 0, as they lie on the disk */
};

struct old_blocks {
	int fd[OLD_FILES_MAX];
	size_t fds;
	struct old_block *block; /* in the order in which they lie on the disk */
	size_t count;
	bool raw; /* of the disk itself: one that is all zeros may never have been written */
};

/* A plain, written, block-aligned piece of a file. */
struct old_piece {
	int fd;
	uint64_t offset;   /* in the file */
	uint64_t physical; /* on the disk, as the filesystem counts */
	uint64_t blocks;
};

/* Which files are taken; none that is partly resident. */
enum old_age {
	AGE_OLD, /* changed some minutes ago, and before this machine started or a day ago */
	AGE_BEFORE_BOOT, /* changed before this machine started */
};

/*
 * Files of some size below a directory, on its filesystem. Looks no longer than until deadline_ns.
 * At most `max` blocks, spread evenly over all pieces. -ENODATA: fewer than `min`.
 */
int old_blocks_of_files(int directory, enum old_age age, uint64_t deadline_ns,
	struct random *random, size_t min, size_t max, struct old_blocks *ret);
/* `max` random blocks of a block device; takes the descriptor over when it succeeds. */
int old_blocks_of_device(int fd, struct random *random, size_t max, struct old_blocks *ret);
void old_blocks_free(struct old_blocks *blocks);

/*
 * Pure: sorts the pieces by place and takes at most `max` blocks, one at random out of each equal
 * share, so that they are spread over all of them and seldom neighbours.
 */
size_t old_blocks_spread(struct old_piece *piece, size_t pieces, size_t max, struct random *random,
	struct old_block **ret);
/* Pure: by when a file changed last; all in seconds since the epoch. */
bool old_enough(enum old_age age, int64_t changed, int64_t booted, int64_t now);

/* The files themselves (old_files.c), opened; the rest are closed. -EINTR: interrupted. */
int old_files_open(int directory, enum old_age age, uint64_t deadline_ns, struct random *random,
	int fd[OLD_FILES_MAX], size_t *ret);

#endif
