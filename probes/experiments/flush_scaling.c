// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long a flush takes after so much was written with O_DIRECT. A cache below the disk that
 * honours flushes has the more to do the more was written; where a flush is ignored, or nothing is
 * held back, it takes as long after 64 MiB as after nothing.
 *
 * Every step writes to blocks that were allocated and never written, so that each sync carries the
 * same small change of metadata, and costs of the filesystem are alike in all of them.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include "core/interrupt.h"
#include "engine/engine.h"
#include "probes/experiments/interval.h"
#include "rules/thresholds.h"
#include "stats/stats.h"

#define START ((off_t)(64 * MIB)) /* beyond what other experiments write to the same file */
#define CHUNK ((size_t)MIB)
#define BLOCK ((size_t)4096)
/* Of the step without data, one block each: what chance alone does to a flush is seen in them. */
#define EMPTY_REPEATS 25
#define EMPTY_REPEATS_MIN 5
#define EMPTY_NS (150ULL * 1000 * 1000)
#define OVERWRITES 32
#define OVERWRITE_NS (50ULL * 1000 * 1000)
#define TIME_NS (800ULL * 1000 * 1000)

struct scaling {
	const struct experiment_view *view;
	struct flush_scaling_experiment *result;
	unsigned char *buffer; /* CHUNK random bytes */
	uint64_t serial;       /* makes each block differ from all others */
	off_t at;
	uint64_t written, syncs, until_ns;
	struct reading start, before_last_sync, end;
	uint64_t written_before_last_sync;
};

/* Room for the steps up to this one; half of what is free stays free. */
static int step_limit(int fd, unsigned *ret)
{
	struct statvfs fs;
	uint64_t room, sum = 0;

	if (fstatvfs(fd, &fs) != 0)
		return -errno;
	room = (uint64_t)fs.f_bavail * fs.f_frsize / 2;
	for (unsigned i = 0; i < FLUSH_SCALING_STEPS; i++) {
		sum += flush_scaling_mib[i] * MIB;
		if (sum + MIB > room)
			return i > 1 ? 0 : -ENOSPC;
		*ret = i;
	}
	return 0;
}

/* A filesystem without fallocate(2) allocates while it writes, which is no sync's time either. */
static int allocate(struct scaling *s, unsigned last)
{
	off_t size = EMPTY_REPEATS * BLOCK;
	int fd = s->view->scratch.fd;

	for (unsigned i = 0; i <= last; i++)
		size += (off_t)(flush_scaling_mib[i] * MIB);
	if (fallocate(fd, 0, START, size) != 0 && errno != EOPNOTSUPP)
		return -errno;
	return syscall(SYS_fsync, fd) == 0 ? 0 : -errno;
}

static int write_fresh(struct scaling *s, size_t size)
{
	for (size_t i = 0; i < size; i += BLOCK) {
		s->serial++;
		memcpy(s->buffer + i, &s->serial, sizeof(s->serial));
	}
	if (pwrite(s->view->scratch.direct_fd, s->buffer, size, s->at) != (ssize_t)size)
		return errno ? -errno : -ENOSPC;
	s->at += (off_t)size;
	s->written += size;
	return 0;
}

static int sync_timed(struct scaling *s, uint64_t *ns)
{
	uint64_t start = clock_now();

	if (syscall(SYS_fdatasync, s->view->scratch.direct_fd) != 0)
		return -errno;
	*ns = clock_now() - start;
	s->syncs++;
	return 0;
}

static int compare_ns(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int step_empty(struct scaling *s)
{
	const uint64_t until = clock_now() + EMPTY_NS;
	double ns[EMPTY_REPEATS];
	unsigned count = 0;

	while (count < EMPTY_REPEATS && (count < EMPTY_REPEATS_MIN || clock_now() < until)) {
		uint64_t once = 0;
		int r = write_fresh(s, BLOCK);

		if (r == 0)
			r = sync_timed(s, &once);
		if (r < 0)
			return r;
		ns[count++] = (double)once;
	}
	qsort(ns, count, sizeof(*ns), compare_ns);
	s->result->ns[0] = (uint64_t)stats_median(ns, count);
	s->result->empty_p90_ns = (uint64_t)ns[(count - 1) * 9 / 10];
	s->result->empty_max_ns = (uint64_t)ns[count - 1];
	return 0;
}

/* How fast a write alone is answered: the first block once more, which changes no metadata. */
static int overwrite(struct scaling *s)
{
	const uint64_t until = clock_now() + OVERWRITE_NS;
	uint64_t fastest = UINT64_MAX;

	for (unsigned i = 0; i < OVERWRITES && (i == 0 || clock_now() < until); i++) {
		uint64_t start = clock_now();

		if (pwrite(s->view->scratch.direct_fd, s->buffer, BLOCK, START) != (ssize_t)BLOCK)
			return errno ? -errno : -EIO;
		fastest = MIN(fastest, clock_now() - start);
		s->written += BLOCK;
	}
	s->result->write_ns = fastest;
	return 0;
}

static int step_written(struct scaling *s, unsigned step)
{
	for (unsigned i = 0; i < flush_scaling_mib[step]; i++) {
		int r = interrupted() ? -EINTR : write_fresh(s, CHUNK);

		if (r < 0)
			return r;
	}
	s->written_before_last_sync = s->written;
	witnesses_read(&s->view->witnesses, &s->before_last_sync);
	return sync_timed(s, &s->result->ns[step]);
}

/* The next step writes four times as much: none is begun that would not end in time. */
static int steps_make(struct scaling *s, unsigned last)
{
	uint64_t began;
	int r = step_empty(s);

	if (r == 0)
		r = overwrite(s);
	began = clock_now();

	for (unsigned i = 1; r == 0 && i <= last; i++) {
		uint64_t now = clock_now();

		if (i > 1 && now + 4 * (now - began) > s->until_ns)
			break;
		began = now;
		r = step_written(s, i);
	}
	return r;
}

/* Data that waits above the disk for the sync would be taken for a cache below it. */
static bool writes_reached(const struct scaling *s, const struct layer *disk)
{
	_cleanup_free_ struct ledger *ledger = xcalloc(1, sizeof(*ledger));
	uint64_t bytes;
	bool attributed;

	ledger_diff(&s->start, &s->before_last_sync, s->view->witnesses.stack->count, ledger);
	return ledger_level_bytes(ledger, s->view->witnesses.stack, disk->level, true, &bytes,
		       &attributed) < 0 ||
		layer_trait(disk, TRAIT_COUNTED) == ANSWER_NO ||
		(double)bytes >= SCALING_REACHED_MIN * (double)s->written_before_last_sync;
}

static bool flushes_reached(const struct scaling *s, const struct layer *disk)
{
	_cleanup_free_ struct ledger *ledger = xcalloc(1, sizeof(*ledger));
	const struct stack *stack = s->view->witnesses.stack;

	ledger_diff(&s->start, &s->end, stack->count, ledger);
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].level == disk->level && layer_is_block(&stack->layer[i]) &&
			(!ledger->layer[i].flushes_known || ledger->layer[i].flushes < s->syncs))
			return false;
	return true;
}

/* virtio's own word beside the queue's: someone may have switched the queue. */
static enum answer declared_cache(const struct experiment_view *view, const struct layer *disk)
{
	_cleanup_free_ char *type = NULL;
	enum answer answer = layer_trait(disk, TRAIT_VOLATILE_CACHE);

	if (disk->sysfs &&
		sysroot_read_line(view->witnesses.root, &type, "%s/cache_type", disk->sysfs) == 0 &&
		(strcmp(type, "write back") == 0) != (answer == ANSWER_YES))
		return ANSWER_UNKNOWN;
	return answer;
}

static int measure(struct scaling *s, const struct layer *disk)
{
	struct experiment_state *state = &s->result->state;
	unsigned last = 0;
	int r = step_limit(s->view->scratch.fd, &last);

	if (r == 0)
		r = allocate(s, last);
	witnesses_read(&s->view->witnesses, &s->start);
	if (r == 0)
		r = steps_make(s, last);
	witnesses_read(&s->view->witnesses, &s->end);
	s->result->flush_counted = flushes_reached(s, disk);
	s->result->volatile_cache = declared_cache(s->view, disk);
	if (r < 0)
		return r;
	if (s->written_before_last_sync == 0)
		experiment_skip(state, "%s is too slow to tell in the time", disk->name);
	else if (!writes_reached(s, disk))
		experiment_skip(
			state, "direct writes did not reach %s before the sync", disk->name);
	return 0;
}

static int make(const struct experiment_view *view, struct experiments *experiments)
{
	struct flush_scaling_experiment *f = &experiments->flush_scaling;
	const struct layer *disk = stack_horizon(view->witnesses.stack);
	_cleanup_free_ struct scaling *s = NULL;
	struct random random;
	int r;

	if (!disk || disk->kind != LAYER_DISK || disk->inferred)
		experiment_skip(&f->state, "no disk can be seen beneath it");
	else if (view->scratch.direct_fd < 0)
		experiment_skip(
			&f->state, "O_DIRECT is refused: %s", strerror(view->scratch.direct_errno));
	if (f->state.why_not)
		return 0;
	s = xcalloc(1, sizeof(*s));
	*s = (struct scaling){ .view = view, .result = f, .at = START };
	s->until_ns = MIN(clock_now() + TIME_NS, view->deadline_ns);
	f->device = stack_horizon_name(view->witnesses.stack);
	s->buffer = buffer_allocate(CHUNK);
	random_seed(&random, random_fresh_seed());
	random_fill(&random, s->buffer, CHUNK);
	r = measure(s, disk);
	buffer_free(s->buffer, CHUNK);
	return r;
}

static const struct experiment flush_scaling = {
	.head = { .id = "flush-scaling",
		.order = 50,
		.summary = "the time of a flush after more and more direct writes" },
	.written_bytes = 85 * MIB + (EMPTY_REPEATS + OVERWRITES) * BLOCK,
	.state = offsetof(struct experiments, flush_scaling.state),
	.needs_file = true,
	.act = "direct writes and syncs",
	.make = make,
};
REGISTER(experiments, flush_scaling);
