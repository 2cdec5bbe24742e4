// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the engine costs: cached random 4 KiB reads through engine_read(), with a clock reading and
 * a histogram insertion for each, beside a bare pread(2) loop over the same offsets. Interleaved
 * pairs, medians, one ratio; the goal is printed beside it and never fails the build.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>

#include "core/random.h"
#include "core/scratch.h"
#include "engine/engine.h"
#include "stats/stats.h"

#define FILE_SIZE (256 * MIB)
#define BLOCK_SIZE ((size_t)4096)
#define READS 400000
#define PAIRS 15
#define GOAL 0.90

static uint64_t bare_loop(const struct read_plan *plan)
{
	uint64_t start = clock_now();

	for (uint64_t i = 0; i < plan->count; i++)
		if (pread(plan->fd, plan->buffer, plan->block_size, (off_t)plan->offsets[i]) !=
			(ssize_t)plan->block_size)
			return 0;
	return clock_now() - start;
}

static uint64_t engine_loop(const struct read_plan *plan, struct histogram *latency)
{
	struct io_result io = { 0 };

	histogram_reset(latency);
	return engine_read(plan, latency, &io) == 0 ? io.ns : 0;
}

static int fill(int fd, char *buffer)
{
	struct random random;

	random_seed(&random, 1);
	for (uint64_t done = 0; done < FILE_SIZE; done += BLOCK_SIZE) {
		random_fill(&random, buffer, BLOCK_SIZE);
		if (pwrite(fd, buffer, BLOCK_SIZE, (off_t)done) != (ssize_t)BLOCK_SIZE)
			return -1;
	}
	return 0;
}

static int compare(const struct read_plan *plan, struct histogram *latency)
{
	double bare[PAIRS], engine[PAIRS], ratio[PAIRS];

	bare_loop(plan);
	for (int i = 0; i < PAIRS; i++) {
		uint64_t a, b;

		/* Who goes first alternates, so that drift falls on both. */
		b = i % 2 ? engine_loop(plan, latency) : 0;
		a = bare_loop(plan);
		b = b ? b : engine_loop(plan, latency);
		if (!a || !b)
			return 1;
		bare[i] = READS * 1e9 / (double)a;
		engine[i] = READS * 1e9 / (double)b;
		ratio[i] = engine[i] / bare[i];
	}
	printf("cached 4 KiB random reads: bare pread %.0f/s, engine %.0f/s, ratio %.3f (goal "
	       "%.2f)\n",
		stats_median(bare, PAIRS), stats_median(engine, PAIRS), stats_median(ratio, PAIRS),
		GOAL);
	return 0;
}

int main(void)
{
	struct read_plan plan = {
		.block_size = BLOCK_SIZE, .file_size = FILE_SIZE, .count = READS
	};
	_cleanup_(scratch_close) struct scratch scratch = SCRATCH_CLOSED;
	_cleanup_free_ struct histogram *latency = xmalloc(sizeof(*latency));
	_cleanup_free_ uint64_t *offsets = xcalloc(READS, sizeof(*offsets));
	_cleanup_close_ int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct random random;
	cpu_set_t first;
	int r;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	(void)sched_setaffinity(0, sizeof(first), &first);
	plan.buffer = buffer_allocate(BLOCK_SIZE);
	if (scratch_create(here, NULL, &scratch) < 0 || fill(scratch.fd, plan.buffer) < 0) {
		perror("bench_read: data");
		return 1;
	}
	random_seed(&random, 2);
	for (size_t i = 0; i < READS; i++)
		offsets[i] = random_below(&random, FILE_SIZE / BLOCK_SIZE) * BLOCK_SIZE;
	plan.fd = scratch.fd;
	plan.offsets = offsets;
	r = compare(&plan, latency);
	buffer_free(plan.buffer, BLOCK_SIZE);
	return r;
}
