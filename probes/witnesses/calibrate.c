// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is each counter alive? `iostats` may be 0, survives the reattaching of a loop device, and older
 * bio-based devices count nothing: a write decides, not the file's presence.
 */
#include <string.h>
#include <sys/syscall.h>

#include "core/interrupt.h"
#include "core/random.h"
#include "core/scratch.h"
#include "probes/witnesses/witness.h"
#include "rules/thresholds.h"

#define CHUNK ((size_t)(256 * KIB))

/* A raw fsync(2): the C library's may be somebody else's. */
static int write_and_sync(int fd, size_t size)
{
	_cleanup_free_ char *chunk = xmalloc(CHUNK);
	struct random random;
	size_t done = 0;

	random_seed(&random, random_fresh_seed());
	while (done < size) {
		ssize_t n;

		if (interrupted())
			return -EINTR;
		random_fill(&random, chunk, CHUNK);
		n = pwrite(fd, chunk, MIN(CHUNK, size - done), (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return syscall(SYS_fsync, fd) == 0 ? 0 : -errno;
}

/*
 * Where a layer swallows syncs (overlay volatile, a FUSE server), the bytes are still in a cache
 * above the counters: a direct read has them written first, and moves as many itself.
 */
static void read_past_caches(int direct_fd, size_t size)
{
	_cleanup_free_ void *buffer = NULL;

	if (direct_fd < 0 || posix_memalign(&buffer, 4096, size))
		return;
	memset(buffer, 0, size);
	(void)!pread(direct_fd, buffer, size, 0);
}

static int exercise(int dirfd, size_t size)
{
	_cleanup_(scratch_close) struct scratch scratch = SCRATCH_CLOSED;
	int r = scratch_create(dirfd, NULL, &scratch);

	if (r == 0)
		r = write_and_sync(scratch.fd, size);
	if (r == 0)
		read_past_caches(scratch.direct_fd, size);
	return r;
}

/* `queue` stands in the disk's directory, one above a partition's. */
static void declare(const struct sysroot *root, struct layer *layer)
{
	static const char *const queue[] = { "queue", "../queue" };

	for (size_t i = 0; layer->sysfs && i < ARRAY_SIZE(queue); i++) {
		uint64_t keeps;

		if (sysroot_read_u64(root, &keeps, "%s/%s/iostats", layer->sysfs, queue[i]) < 0)
			continue;
		layer_set_trait(layer, TRAIT_COUNTED, keeps ? ANSWER_YES : ANSWER_NO,
			KNOWN_DECLARED, "%s/%s/iostats = %llu", layer->sysfs, queue[i],
			(unsigned long long)keeps);
		return;
	}
}

static uint64_t transferred(const struct transfer *t)
{
	return t->read_bytes + t->write_bytes;
}

struct level_moved {
	uint64_t total, ours;
	bool ours_known; /* of every member */
};

/*
 * A level's members share the data, in stripes or copies or not at all: whether enough moved is
 * asked of the level, and a member that stood still in a level that moved proves nothing.
 */
static struct level_moved level_moved(
	const struct ledger *ledger, const struct stack *stack, unsigned level)
{
	struct level_moved sum = { .ours_known = true };

	for (size_t i = 0; i < ledger->layers; i++) {
		const struct layer_reading *moved = &ledger->layer[i];

		if (stack->layer[i].level != level)
			continue;
		sum.total += moved->known ? transferred(&moved->total) : 0;
		sum.ours += moved->ours_known ? transferred(&moved->ours) : 0;
		sum.ours_known = sum.ours_known && moved->ours_known;
	}
	return sum;
}

/*
 * A neighbour cannot make a dead counter look alive, but where nothing of ours arrived (a private
 * cgroup says so) a still counter is not dead either: then the declaration stands.
 */
static void judge(const struct sysroot *root, const struct ledger *ledger, size_t size,
	size_t index, struct stack *stack)
{
	struct layer *layer = &stack->layer[index];
	const struct layer_reading *moved = &ledger->layer[index];
	struct level_moved level = level_moved(ledger, stack, layer->level);
	uint64_t enough = (uint64_t)((double)size * CALIBRATION_MOVED_MIN);
	bool alive = level.total >= enough;

	if (!moved->known || !layer->sysfs)
		return;
	if ((alive && transferred(&moved->total) == 0) ||
		(!alive && level.ours_known && level.ours < enough)) {
		declare(root, layer);
		return;
	}
	layer_set_trait(layer, TRAIT_COUNTED, alive ? ANSWER_YES : ANSWER_NO, KNOWN_MEASURED,
		"%s/stat moved %llu bytes while %zu were written and synced", layer->sysfs,
		(unsigned long long)transferred(&moved->total), size);
}

int witnesses_calibrate(
	const struct witness_view *view, int dirfd, size_t size, struct stack *stack)
{
	_cleanup_free_ struct reading *reading = xcalloc(2, sizeof(*reading));
	_cleanup_free_ struct ledger *ledger = xcalloc(1, sizeof(*ledger));
	size_t layers = MIN(stack->count, (size_t)STACK_LAYERS_MAX);
	int r;

	witnesses_read(view, &reading[0]);
	r = exercise(dirfd, size);
	if (r == -EINTR)
		return r;
	witnesses_read(view, &reading[1]);
	ledger_diff(&reading[0], &reading[1], layers, ledger);
	for (size_t i = 0; i < layers; i++) {
		if (r == 0)
			judge(view->root, ledger, size, i, stack);
		else if (layer_is_block(&stack->layer[i]))
			declare(view->root, &stack->layer[i]);
	}
	return 0;
}
