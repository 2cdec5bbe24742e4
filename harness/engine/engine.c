// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/engine.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "core/interrupt.h"

uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

void *buffer_try_allocate(size_t size)
{
	void *buffer = mmap(NULL, size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (buffer == MAP_FAILED)
		return NULL;
	/* MAP_POPULATE may be cut short without an error, and zero pages may be shared. */
	memset(buffer, 0xa5, size);
	return buffer;
}

void *buffer_allocate(size_t size)
{
	void *buffer = buffer_try_allocate(size);

	/* ends the process like any other allocation */
	return buffer ? buffer : xmalloc(SIZE_MAX);
}

void buffer_free(void *buffer, size_t size)
{
	if (buffer)
		munmap(buffer, size);
}

/* What a block at this offset should return: less only where the file ends. */
static size_t block_expected(const struct read_plan *plan, uint64_t offset)
{
	uint64_t left = offset < plan->file_size ? plan->file_size - offset : 0;

	return (size_t)MIN((uint64_t)plan->block_size, left);
}

static bool account(const struct read_plan *plan, uint64_t offset, ssize_t n, struct io_result *r)
{
	if (n < 0) {
		r->errors++;
		r->first_errno = errno;
		return false;
	}
	r->bytes += (uint64_t)n;
	r->ios++;
	if ((size_t)n < block_expected(plan, offset))
		r->short_ios++;
	return n > 0;
}

int engine_read(const struct read_plan *plan, struct histogram *latency, struct io_result *ret)
{
	struct io_result r = { 0 };
	const uint64_t start = clock_now();
	uint64_t before = start, after = start;

	for (uint64_t i = 0; i < plan->count && !interrupted(); i++) {
		uint64_t offset = plan->offsets ? plan->offsets[i] : i * plan->block_size;
		ssize_t n = pread(plan->fd, plan->buffer, plan->block_size, (off_t)offset);

		after = clock_now();
		if (!account(plan, offset, n, &r))
			break;
		if (latency)
			histogram_insert(latency, after - before);
		before = after;
	}
	r.ns = after - start;
	*ret = r;
	if (r.errors)
		return -r.first_errno;
	return interrupted() ? -EINTR : 0;
}
