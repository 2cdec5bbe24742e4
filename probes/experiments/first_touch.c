// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First touch against re-touch: 4 KiB direct reads of old blocks, each beside a re-read of one that
 * was touched some steps ago, the two in random order. A disk without a cache below answers both
 * alike; drift, warm-up and neighbours meet both alike. Two passes one after the other would see
 * them as a cache. Reads only.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "core/interrupt.h"
#include "engine/engine.h"
#include "probes/experiments/first_touch_figures.h"
#include "probes/experiments/interval.h"
#include "probes/experiments/old_blocks.h"
#include "rules/thresholds.h"

#define WALK_NS (150ULL * 1000 * 1000)
#define TOUCH_NS (900ULL * 1000 * 1000)

#define LAG 16        /* steps between a block's first touch and its second */
#define WARM_UP 32    /* first touches that are not paired */
#define PAIRS_MAX 160 /* of a region: ratios are then known to a few per cent */
#define BLOCKS_MIN ((size_t)256)
#define BLOCKS_MAX ((size_t)FIRST_TOUCH_REGIONS * (WARM_UP + PAIRS_MAX))
#define RAW_BLOCKS_MAX (8 * BLOCKS_MAX) /* most of them may be zeros */

/* Blocks that lie together: those that were touched stand in front. */
struct region {
	struct old_block *block;
	size_t count, next, seen;
	struct touch_pair pair[PAIRS_MAX];
	size_t pairs;
};

struct touching {
	struct old_blocks blocks;
	struct random random;
	unsigned char *buffer;
	struct region *region; /* FIRST_TOUCH_REGIONS */
	size_t regions;
	uint64_t until_ns;
	uint64_t reads;
};

static bool is_zero(const unsigned char *buffer)
{
	return buffer[0] == 0 && memcmp(buffer, buffer + 1, OLD_BLOCK - 1) == 0;
}

/* 1: read; 0: read, and it proves nothing. */
static int touch(struct touching *t, const struct old_block *block, uint64_t *ns)
{
	uint64_t start = clock_now();
	ssize_t n = pread(block->fd, t->buffer, OLD_BLOCK, (off_t)block->offset);

	*ns = clock_now() - start;
	t->reads++;
	if (n < 0)
		return -errno;
	if (n != (ssize_t)OLD_BLOCK)
		return -EIO;
	return !(t->blocks.raw && is_zero(t->buffer));
}

/* A new block and an old one, in random order; 0: the new one proves nothing. */
static int touch_pair(struct touching *t, const struct old_block *new, const struct old_block *old,
	struct touch_pair *pair)
{
	bool old_first = random_next(&t->random) >> 63;
	int again = 1, first;

	pair->place = new->place;
	if (old_first)
		again = touch(t, old, &pair->again_ns);
	if (again < 0)
		return again;
	first = touch(t, new, &pair->first_ns);
	if (first > 0 && !old_first)
		again = touch(t, old, &pair->again_ns);
	return again < 0 ? again : first;
}

static void shuffle(struct random *random, struct old_block *block, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = (size_t)random_below(random, i);
		struct old_block swapped = block[i - 1];

		block[i - 1] = block[j];
		block[j] = swapped;
	}
}

/* One step in one region: false when it has no more to give. */
static int step(struct touching *t, struct region *region)
{
	const size_t lag = MAX(LAG / t->regions, (size_t)1);
	const struct old_block *new = &region->block[region->next];
	bool warm = region->seen >= MAX(WARM_UP / t->regions, lag);
	uint64_t unused;
	int r;

	if (region->next == region->count || region->pairs == PAIRS_MAX)
		return 0;
	region->next++;
	r = warm ? touch_pair(
			   t, new, &region->block[region->seen - lag], &region->pair[region->pairs])
		 : touch(t, new, &unused);
	if (r < 0)
		return r;
	region->pairs += r > 0 && warm;
	if (r > 0)
		region->block[region->seen++] = *new;
	return 1;
}

/* The regions take turns, so that a busy moment meets all of them. */
static int touch_all(void *context)
{
	struct touching *t = context;
	bool more = true;

	while (more && clock_now() < t->until_ns) {
		more = false;
		for (size_t i = 0; i < t->regions; i++) {
			int r = interrupted() ? -EINTR : step(t, &t->region[i]);

			if (r < 0)
				return r;
			more |= r > 0;
		}
	}
	return 0;
}

static void regions_make(struct touching *t, uint64_t deadline_ns)
{
	const size_t count = t->blocks.count;
	uint64_t now = clock_now();

	t->regions = MIN(count / (BLOCKS_MIN / 2), (size_t)FIRST_TOUCH_REGIONS);
	for (size_t i = 0; i < t->regions; i++) {
		struct region *region = &t->region[i];

		region->block = &t->blocks.block[count * i / t->regions];
		region->count = count * (i + 1) / t->regions - count * i / t->regions;
		shuffle(&t->random, region->block, region->count);
	}
	/* Half of what is left, for another experiment follows. */
	if (deadline_ns > now)
		t->until_ns = now + MIN((deadline_ns - now) / 2, TOUCH_NS);
}

/* All pairs in one array; returns how many there are. */
static size_t pairs_gather(const struct touching *t, struct touch_pair *pair)
{
	size_t pairs = 0;

	for (size_t i = 0; i < t->regions; i++) {
		memcpy(&pair[pairs], t->region[i].pair, t->region[i].pairs * sizeof(*pair));
		pairs += t->region[i].pairs;
	}
	return pairs;
}

static void report(const struct touching *t, struct first_touch_experiment *ret)
{
	_cleanup_free_ struct touch_pair *pair =
		xcalloc((size_t)FIRST_TOUCH_REGIONS * PAIRS_MAX, sizeof(*pair));
	const size_t pairs = pairs_gather(t, pair);
	struct touch_figures figures;

	ret->regions = first_touch_regions(pair, pairs, ret->region);
	if (ret->regions == 0) {
		experiment_skip(&ret->state, "%zu pairs of reads in the time are too few%s", pairs,
			t->blocks.raw ? " (blocks of zeros do not count)" : "");
		return;
	}
	first_touch_figures(pair, pairs, &figures);
	ret->pairs = figures.region.pairs;
	ret->ratio = figures.region.ratio;
	ret->ratio_low = figures.region.ratio_low;
	ret->ratio_high = figures.region.ratio_high;
	ret->slow_share = figures.region.slow_share;
	ret->retouch_median_ns = figures.again_median_ns;
	ret->retouch_p95_ns = figures.again_p95_ns;
}

/* A cache between the blocks and the disk (bcache, dm-cache, FUSE) would be taken for one below. */
static bool reached_disk(const struct experiment_view *view, const struct layer *disk,
	const struct ledger *ledger, uint64_t reads)
{
	uint64_t ios;
	bool attributed;

	return ledger_level_ios(
		       ledger, view->witnesses.stack, disk->level, false, &ios, &attributed) < 0 ||
		layer_trait(disk, TRAIT_COUNTED) == ANSWER_NO ||
		(double)ios >= TOUCH_REACHED_MIN * (double)reads;
}

static int measure(const struct experiment_view *view, const struct layer *disk, struct touching *t,
	struct first_touch_experiment *ret)
{
	_cleanup_free_ struct ledger *ledger = xcalloc(1, sizeof(*ledger));
	int r;

	regions_make(t, view->deadline_ns);
	r = interval_observe(view, touch_all, t, ledger);
	if (r == -EINTR)
		return r;
	if (r < 0)
		experiment_skip(&ret->state, "direct reads of old blocks: %s", strerror(-r));
	else if (!reached_disk(view, disk, ledger, t->reads))
		experiment_skip(
			&ret->state, "something above %s answered part of the reads", disk->name);
	else
		report(t, ret);
	return 0;
}

/* The mount itself, not another one that lies over it. */
static int open_mount(const struct layer *layer)
{
	_cleanup_close_ int fd = open(
		layer->mount_point, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct statx x;

	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &x) != 0 ||
		!(x.stx_mask & STATX_MNT_ID) || x.stx_mnt_id != layer->mount_id)
		return -1;
	return take_fd(&fd);
}

/* The filesystem nearest to the disk; else the target's directory, when it is on that one. */
static int open_lowest_filesystem(const struct experiment_view *view)
{
	const struct stack *stack = view->witnesses.stack;

	for (size_t i = stack->count; i-- > 0;) {
		const struct layer *layer = &stack->layer[i];
		int fd;

		if (layer->kind != LAYER_FS || layer->inferred)
			continue;
		fd = layer->mount_point ? open_mount(layer) : -1;
		if (fd < 0 && layer == stack_filesystem(stack) && view->directory >= 0)
			fd = openat(view->directory, ".",
				O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
		return fd;
	}
	return -1;
}

static int blocks_of_node(const char *path, dev_t device, struct touching *t)
{
	_cleanup_close_ int fd =
		open(path, O_RDONLY | O_DIRECT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int r;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !S_ISBLK(st.st_mode) || (device && st.st_rdev != device))
		return -ENOTBLK;
	r = old_blocks_of_device(fd, &t->random, RAW_BLOCKS_MAX, &t->blocks);
	if (r == 0)
		(void)take_fd(&fd);
	return r;
}

static int blocks_of_disk(const struct layer *disk, struct touching *t)
{
	_cleanup_free_ char *path = xasprintf("/dev/%s", disk->name);

	for (char *c = path; (c = strchr(c, '!'));)
		*c = '/';
	return blocks_of_node(path, disk->device, t);
}

static int blocks_find(
	const struct experiment_view *view, const struct layer *disk, struct touching *t)
{
	_cleanup_close_ int lowest = -1;
	char self[64];
	int r = -ENODATA;

	if (view->device_fd >= 0) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", view->device_fd);
		return blocks_of_node(self, 0, t);
	}
	lowest = open_lowest_filesystem(view);
	for (enum old_age age = AGE_OLD; r == -ENODATA && age <= AGE_BEFORE_BOOT; age++)
		if (lowest >= 0)
			r = old_blocks_of_files(lowest, age,
				MIN(clock_now() + WALK_NS, view->deadline_ns), &t->random,
				BLOCKS_MIN, BLOCKS_MAX, &t->blocks);
	return r == 0 || r == -EINTR ? r : blocks_of_disk(disk, t);
}

static int make(const struct experiment_view *view, struct experiments *experiments)
{
	struct first_touch_experiment *f = &experiments->first_touch;
	const struct layer *disk = stack_horizon(view->witnesses.stack);
	struct touching t = { 0 };
	int r;

	if (!disk || disk->kind != LAYER_DISK || disk->inferred) {
		experiment_skip(&f->state, "no disk can be seen beneath it");
		return 0;
	}
	f->device = stack_horizon_name(view->witnesses.stack);
	f->device_virtual = layer_trait(disk, TRAIT_VIRTUAL) == ANSWER_YES;
	f->may_hydrate = stack_find(view->witnesses.stack, LAYER_CLOUD) != NULL;
	random_seed(&t.random, random_fresh_seed());
	r = blocks_find(view, disk, &t);
	if (r == 0 && t.blocks.count >= BLOCKS_MIN) {
		t.buffer = buffer_allocate(OLD_BLOCK);
		t.region = buffer_allocate(FIRST_TOUCH_REGIONS * sizeof(*t.region));
		memset(t.region, 0, FIRST_TOUCH_REGIONS * sizeof(*t.region));
		r = measure(view, disk, &t, f);
		buffer_free(t.region, FIRST_TOUCH_REGIONS * sizeof(*t.region));
		buffer_free(t.buffer, OLD_BLOCK);
	} else if (r != -EINTR) {
		experiment_skip(&f->state, "not enough old data to tell");
		r = 0;
	}
	old_blocks_free(&t.blocks);
	return r;
}

static const struct experiment first_touch = {
	.head = { .id = "first-touch",
		.order = 40,
		.summary = "a read cache below the lowest disk: first reads of old blocks against "
			   "second ones" },
	.state = offsetof(struct experiments, first_touch.state),
	.act = "direct reads of old blocks",
	.make = make,
};
REGISTER(experiments, first_touch);
