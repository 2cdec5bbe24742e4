// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/experiments/empirical_stack.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "core/interrupt.h"
#include "core/random.h"
#include "core/scratch.h"
#include "engine/engine.h"
#include "probes/experiments/experiment.h"
#include "probes/stack/block_sysfs.h"
#include "probes/stack/stack_probe.h"
#include "probes/witnesses/block_stat.h"
#include "rules/thresholds.h"

#define MATCHES 3    /* in so many trials the bytes must agree */
#define WRITES_MAX 8 /* a neighbour spoils some */
#define READS_MAX 64 /* they cost no space */
#define DEVICES 256  /* more are not looked at */

/* Pieces of random size: who writes the same amount again and again does not match them. */
#define PIECE_STEP ((size_t)(4 * KIB))
#define PIECE_MIN ((size_t)(512 * KIB))
#define PIECE_MAX ((size_t)MIB)

/* Of the piece, in as much time as the last one took: who never rests may match by speed. */
#define QUIET_SHARE 0.25
#define QUIET_NS_MIN (2 * 1000000L)
#define QUIET_NS_MAX (50 * 1000000L)

struct candidate {
	char *name;
	uint64_t before, quiet;
	unsigned matches;
	bool refuted; /* moved less than was asked for */
	bool disk;    /* the last of a chain: no loop, dm or md */
};

static void candidates_free(struct candidate **list)
{
	for (struct candidate *c = *list; c && c->name; c++)
		free(c->name);
	free(*list);
}

/* Below /sys/devices/virtual: it stands on others, or is memory. */
static bool is_virtual(const struct sysroot *root, const char *name)
{
	_cleanup_free_ char *link = NULL;

	return sysroot_readlink(root, &link, "sys/block/%s", name) == 0 &&
		strstr(link, "devices/virtual/");
}

static bool is_memory(const char *name)
{
	return strncmp(name, "zram", 4) == 0 || strncmp(name, "ram", 3) == 0;
}

/* A layer that is proved already is not what is looked for below it. */
static bool is_known(const struct stack *stack, const char *name)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].device && !stack->layer[i].inferred &&
			strcmp(stack->layer[i].name, name) == 0)
			return true;
	return false;
}

static int candidates_list(
	const struct sysroot *root, const struct stack *stack, struct candidate **ret)
{
	_cleanup_(string_list_free) char **names = NULL;
	struct candidate *list = xcalloc(DEVICES + 1, sizeof(*list));
	size_t count = 0;
	int r = sysroot_list(root, &names, "sys/block");

	for (char **name = names; r == 0 && *name && count < DEVICES; name++)
		if (!is_memory(*name) && !is_known(stack, *name))
			list[count++] = (struct candidate){ .name = xstrdup(*name),
				.disk = !is_virtual(root, *name) };
	*ret = list;
	return r;
}

/* One way to make bytes cross the device: a synced write, or a direct read. */
struct trial {
	const struct scratch *scratch;
	struct random data;
	char *piece;
	size_t size;
	off_t at, end; /* of this piece, and of all that was written */
	long took_ns;  /* the last one */
	bool reads;
};

static uint64_t moved_so_far(const struct sysroot *root, const char *name, bool reads)
{
	_cleanup_free_ char *sysfs = xasprintf("sys/block/%s", name);
	struct block_stat stat;

	if (block_stat_read(root, sysfs, &stat) < 0)
		return 0;
	return reads ? stat.transfer.read_bytes : stat.transfer.write_bytes;
}

static int move_piece(struct trial *t)
{
	const ssize_t size = (ssize_t)t->size;

	if (t->reads)
		return pread(t->scratch->direct_fd, t->piece, t->size, t->at) == size ? 0 : -EIO;
	if (pwrite(t->scratch->fd, t->piece, t->size, t->at) != size)
		return errno ? -errno : -ENOSPC;
	t->end += size;
	return syscall(SYS_fsync, t->scratch->fd) < 0 ? -errno : 0;
}

/* Writes follow one another; reads are somewhere in what was written. */
static void prepare_piece(struct trial *t)
{
	t->size = PIECE_MIN +
		PIECE_STEP * random_below(&t->data, (PIECE_MAX - PIECE_MIN) / PIECE_STEP + 1);
	t->at = t->end;
	if (t->reads)
		t->at = (off_t)(PIECE_STEP *
			random_below(&t->data, ((size_t)t->end - t->size) / PIECE_STEP + 1));
	else
		random_fill(&t->data, t->piece, t->size);
}

/* What moves while nothing is asked for. */
static void watch_quiet(const struct sysroot *root, const struct trial *t, struct candidate *list)
{
	const struct timespec pause = { .tv_nsec =
						MIN(MAX(t->took_ns, QUIET_NS_MIN), QUIET_NS_MAX) };

	for (struct candidate *c = list; c->name; c++)
		c->before = moved_so_far(root, c->name, t->reads);
	nanosleep(&pause, NULL);
	for (struct candidate *c = list; c->name; c++)
		c->quiet = moved_so_far(root, c->name, t->reads) - c->before;
}

static void compare(struct candidate *c, uint64_t moved, size_t size)
{
	c->refuted |= moved < size;
	c->matches += moved >= size && (double)moved <= BY_BYTES_SURPLUS_MAX * (double)size &&
		(double)c->quiet <= QUIET_SHARE * (double)size;
}

static int try_once(const struct sysroot *root, struct trial *t, struct candidate *list)
{
	uint64_t begin;
	int r;

	prepare_piece(t);
	watch_quiet(root, t, list);
	for (struct candidate *c = list; c->name; c++)
		c->before = moved_so_far(root, c->name, t->reads);
	begin = clock_now();
	r = move_piece(t);
	t->took_ns = (long)MIN(clock_now() - begin, (uint64_t)QUIET_NS_MAX);
	for (struct candidate *c = list; c->name && r == 0; c++)
		compare(c, moved_so_far(root, c->name, t->reads) - c->before, t->size);
	return r;
}

/* Disks before what stands on them: of two that moved the same bytes the lower one is the end. */
static const struct candidate *choose(const struct candidate *list)
{
	const struct candidate *found = NULL;
	unsigned disks = 0;

	for (const struct candidate *c = list; c->name; c++) {
		if (c->refuted || c->matches < MATCHES)
			continue;
		disks += c->disk;
		if (!found || (c->disk && !found->disk))
			found = c;
	}
	return disks > 1 ? NULL : found; /* mirrored, or a coincidence: not one end */
}

/* A loop device is the horizon where its backing file leads to what cannot be seen. */
static bool file_leads_nowhere(const struct stack *stack, const struct layer *loop)
{
	const struct layer *last = &stack->layer[stack->count - 1];

	return loop->kind == LAYER_LOOP && last > loop &&
		(last->kind == LAYER_HIDDEN || last->inferred);
}

bool empirical_stack_is_needed(const struct stack *stack)
{
	const struct layer *horizon = stack_horizon(stack);

	if (!horizon || horizon->kind == LAYER_MEMORY)
		return false;
	return !layer_is_block(horizon) || file_leads_nowhere(stack, horizon);
}

static int adopt(const struct sysroot *root, const char *name, struct stack *stack)
{
	_cleanup_free_ char *sysfs = xasprintf("sys/block/%s", name);
	_cleanup_(stack_free) struct stack below = { 0 };
	dev_t device;
	int r = block_read_dev(root, sysfs, &device);

	if (r == 0)
		r = stack_probe_device(root, device, &below, NULL);
	if (r == 0)
		stack_end_with(stack, &below);
	return r;
}

/* Until one device is left, or for so many trials. */
static int try_all(const struct sysroot *root, struct trial *t, struct candidate *list,
	struct empirical_experiment *ret, const struct candidate **found)
{
	const unsigned most = t->reads ? READS_MAX : WRITES_MAX;
	int r = 0;

	*found = NULL;
	for (struct candidate *c = list; c->name; c++) {
		c->matches = 0;
		c->refuted = false;
	}
	for (unsigned number = 0; number < most && r == 0 && !*found; number++) {
		r = interrupted() ? -EINTR : try_once(root, t, list);
		ret->trials += r == 0;
		*found = r == 0 ? choose(list) : NULL;
	}
	return r;
}

/* Writes first; a layer that ignores syncs shows its device only to reads past its caches. */
static int search(const struct sysroot *root, struct trial *t, struct candidate *list,
	struct empirical_experiment *ret, const struct candidate **found)
{
	int r = try_all(root, t, list, ret, found);

	if (r < 0 || *found || t->scratch->direct_fd < 0)
		return r;
	t->reads = true;
	r = try_all(root, t, list, ret, found);
	return r == -EINTR ? r : 0;
}

int empirical_stack(const struct witness_view *view, int directory, struct guardian *guardian,
	struct stack *stack, struct empirical_experiment *ret)
{
	_cleanup_(candidates_free) struct candidate *list = NULL;
	_cleanup_(scratch_close) struct scratch scratch = SCRATCH_CLOSED;
	struct trial trial = { .scratch = &scratch };
	const struct candidate *found = NULL;
	int r;

	if (!empirical_stack_is_needed(stack)) {
		experiment_skip(&ret->state, "not needed: the layers are known without it");
		return 0;
	}
	r = candidates_list(view->root, stack, &list);
	if (r == 0)
		r = scratch_create(directory, guardian, &scratch);
	if (r == 0) {
		trial.piece = buffer_allocate(PIECE_MAX);
		random_seed(&trial.data, random_fresh_seed());
		r = search(view->root, &trial, list, ret, &found);
		buffer_free(trial.piece, PIECE_MAX);
	}
	if (r < 0)
		return r == -EINTR ? r : 0;
	ret->state.done = true;
	if (found && adopt(view->root, found->name, stack) == 0)
		ret->device = xstrdup(found->name);
	return 0;
}
