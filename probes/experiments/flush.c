// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Flushes by experiment: small writes, each followed by a sync, against the flush counters of every
 * layer; by the system call and by the C library's function, which a preloaded library may have
 * taken over (eatmydata).
 */
#include <sys/syscall.h>

#include "engine/engine.h"
#include "probes/experiments/interval.h"

#define SYNCS 16
#define BLOCK ((size_t)4096)

struct sync_act {
	int fd;
	int (*sync)(int fd);
	char *buffer;
	uint64_t ns[SYNCS]; /* of each sync alone */
};

static int raw_fsync(int fd)
{
	return (int)syscall(SYS_fsync, fd);
}

static int raw_fdatasync(int fd)
{
	return (int)syscall(SYS_fdatasync, fd);
}

static int write_and_sync(void *context)
{
	struct sync_act *act = context;

	for (unsigned i = 0; i < SYNCS; i++) {
		uint64_t start;

		act->buffer[0] = (char)(act->buffer[0] + 1);
		if (pwrite(act->fd, act->buffer, BLOCK, (off_t)(i * BLOCK)) != (ssize_t)BLOCK)
			return errno ? -errno : -ENOSPC;
		start = clock_now();
		if (act->sync(act->fd) < 0)
			return -errno;
		act->ns[i] = clock_now() - start;
	}
	return 0;
}

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int one_kind(const struct experiment_view *view, struct sync_act *act, int (*sync)(int fd),
	struct ledger *ledger, uint64_t *median_ns)
{
	int r;

	act->sync = sync;
	r = interval_observe(view, write_and_sync, act, ledger);
	if (r < 0)
		return r;
	ledger->asked = (struct asked){
		.bytes = SYNCS * BLOCK,
		.distinct_bytes = SYNCS * BLOCK,
		.ios = SYNCS,
		.syncs = SYNCS,
		.write = true,
	};
	qsort(act->ns, SYNCS, sizeof(*act->ns), compare_ns);
	*median_ns = act->ns[SYNCS / 2];
	return 0;
}

static int make(const struct experiment_view *view, struct experiments *experiments)
{
	struct flush_experiment *f = &experiments->flush;
	struct sync_act act = { .fd = view->scratch.fd };
	int r;

	act.buffer = buffer_allocate(BLOCK);
	f->syncs = SYNCS;
	r = one_kind(view, &act, raw_fsync, &f->fsync_raw, &f->fsync_raw_ns);
	if (r == 0)
		r = one_kind(view, &act, raw_fdatasync, &f->fdatasync_raw, &f->fdatasync_raw_ns);
	if (r == 0)
		r = one_kind(view, &act, fsync, &f->fsync_library, &f->fsync_library_ns);
	buffer_free(act.buffer, BLOCK);
	return r;
}

static const struct experiment flush = {
	.head = { "flush", 30, "does a sync reach every volatile cache" },
	.written_bytes = 3 * SYNCS * BLOCK,
	.state = offsetof(struct experiments, flush.state),
	.needs_file = true,
	.act = "write and sync",
	.make = make,
};
REGISTER(experiments, flush);
