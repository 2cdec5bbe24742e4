// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data that weighs nothing: the same amount of incompressible bytes and of zeros, written buffered
 * (where compression acts) and synced; what was stored, and what moved at the level that moved
 * least.
 */
#include <string.h>
#include <sys/stat.h>

#include "core/random.h"
#include "engine/engine.h"
#include "probes/experiments/interval.h"

#define SIZE (4 * MIB)
#define BLOCK ((size_t)(256 * KIB))

static int stored_bytes(int fd, uint64_t *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret = (uint64_t)st.st_blocks * 512;
	return 0;
}

/* The least of all block levels that count; false: none does. Anybody's bytes: fewer still tell. */
static bool moved_bytes(const struct ledger *ledger, const struct stack *stack, uint64_t *ret)
{
	bool known = false;

	for (unsigned level = 0; level < stack_levels(stack); level++) {
		uint64_t sum = 0;
		bool counted = false;

		for (size_t i = 0; i < stack->count; i++)
			if (stack->layer[i].level == level && ledger->layer[i].known) {
				sum += ledger->layer[i].total.write_bytes;
				counted = true;
			}
		if (counted && (!known || sum < *ret))
			*ret = sum;
		known |= counted;
	}
	return known;
}

static int one_kind(const struct experiment_view *view, struct transfer_act *act, bool *known,
	uint64_t *moved, uint64_t *stored)
{
	_cleanup_free_ struct ledger *ledger = xcalloc(1, sizeof(*ledger));
	uint64_t before, after;
	int r = stored_bytes(act->fd, &before);

	if (r == 0)
		r = interval_transfer(view, act, ledger);
	if (r == 0)
		r = stored_bytes(act->fd, &after);
	if (r < 0)
		return r;
	*known = moved_bytes(ledger, view->witnesses.stack, moved);
	*stored = after > before ? after - before : 0;
	return 0;
}

static int make(const struct experiment_view *view, struct experiments *experiments)
{
	struct elision_experiment *e = &experiments->elision;
	struct random data;
	struct transfer_act act = { .fd = view->scratch.fd,
		.block = BLOCK,
		.size = transfer_size(experiments, SIZE),
		.offset = 16 * MIB, /* behind what the other experiments wrote */
		.write = true,
		.sync = true,
		.data = &data };
	int r;

	act.buffer = buffer_allocate(BLOCK);
	random_seed(&data, random_fresh_seed());
	r = one_kind(view, &act, &e->moved_known, &e->moved_random, &e->stored_random);
	e->size = act.size;
	act.data = NULL;
	act.offset += SIZE;
	memset(act.buffer, 0, BLOCK);
	if (r == 0)
		r = one_kind(view, &act, &e->moved_known, &e->moved_zeros, &e->stored_zeros);
	if (r == 0 && act.size != e->size)
		experiment_skip(&e->state, "it is too slow to compare zeros with data in the time");
	buffer_free(act.buffer, BLOCK);
	return r;
}

static const struct experiment elision = {
	.head = { "elision", 40, "are zeros stored and moved like data" },
	.written_bytes = 2 * SIZE,
	.state = offsetof(struct experiments, elision.state),
	.needs_file = true,
	.act = "writing",
	.make = make,
};
REGISTER(experiments, elision);
