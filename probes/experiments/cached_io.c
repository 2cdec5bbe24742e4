// SPDX-License-Identifier: GPL-2.0-or-later
/* The page cache by experiment: a buffered write, the same bytes read cold, then warm. */
#include <sys/syscall.h>

#include "core/random.h"
#include "engine/engine.h"
#include "probes/experiments/interval.h"
#include "probes/witnesses/residency.h"

#define SIZE (8 * MIB)
#define BLOCK ((size_t)(256 * KIB))

static int write_read_read(const struct experiment_view *view, uint64_t size, void *buffer,
	struct cached_experiment *c)
{
	struct random data;
	struct transfer_act act = { .fd = view->scratch.fd,
		.buffer = buffer,
		.block = BLOCK,
		.size = size,
		.write = true,
		.data = &data };
	struct residency found;
	int r;

	random_seed(&data, random_fresh_seed());
	r = interval_transfer(view, &act, &c->write);
	if (r == 0 && syscall(SYS_fsync, act.fd) < 0)
		r = -errno;
	if (r == 0)
		r = residency_evict(act.fd, SIZE, &found);
	act.write = false;
	if (r == 0)
		r = interval_transfer(view, &act, &c->cold_read);
	if (r == 0)
		r = interval_transfer(view, &act, &c->warm_read);
	return r;
}

static int make(const struct experiment_view *view, struct experiments *experiments)
{
	struct cached_experiment *c = &experiments->cached;
	void *buffer;
	int r;

	buffer = buffer_allocate(BLOCK);
	r = write_read_read(view, transfer_size(experiments, SIZE), buffer, c);
	buffer_free(buffer, BLOCK);
	return r;
}

static const struct experiment cached_io = {
	.head = { "cached-io", 20, "what buffered writes, cold and warm reads move" },
	.written_bytes = SIZE,
	.state = offsetof(struct experiments, cached.state),
	.needs_file = true,
	.act = "buffered I/O",
	.make = make,
};
REGISTER(experiments, cached_io);
