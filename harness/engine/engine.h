/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_ENGINE_H
#define IOPROOF_ENGINE_H

/*
 * The timed loops. Inside them: no allocation, no printing, no first-touch page fault; buffers come
 * from buffer_allocate(), which has touched every page.
 */

#include "engine/histogram.h"

/* CLOCK_MONOTONIC in nanoseconds: the time that no one sets. */
uint64_t clock_now(void);

/* Page-aligned (4 KiB at least, so that O_DIRECT is content), touched; NULL never. */
void *buffer_allocate(size_t size);
/* The same for a size that a user chose: NULL when there is not so much memory. */
void *buffer_try_allocate(size_t size);
void buffer_free(void *buffer, size_t size);

struct read_plan {
	int fd;
	void *buffer; /* block_size bytes */
	size_t block_size;
	uint64_t file_size;      /* sequential plans stop here */
	const uint64_t *offsets; /* `count` byte offsets; NULL: 0, block_size, 2 * block_size... */
	uint64_t count;          /* I/Os to issue */
};

struct io_result {
	uint64_t bytes; /* completed */
	uint64_t ios;   /* completed in full, or short at the end of the file */
	uint64_t short_ios;
	uint64_t errors;
	int first_errno;
	uint64_t ns;
};

/*
 * One pread(2) a block, one clock reading a block. Stops at the first error (counted, -errno
 * returned as well) and on interrupt (-EINTR). The last block of a file may be shorter.
 * latency may be NULL.
 */
int engine_read(const struct read_plan *plan, struct histogram *latency, struct io_result *ret);

#endif
