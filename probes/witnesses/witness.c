// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/witness.h"

#include <time.h>

#include "core/interrupt.h"

REGISTRY_DEFINE(witnesses, "witnesses");

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Straight over the set: their order does not matter, and sorting would cost at each reading. */
void witnesses_read(const struct witness_view *view, struct reading *ret)
{
	*ret = (struct reading){ .ns = now_ns() };
	for (const struct registered *const *m = registry_witnesses.start;
		m < registry_witnesses.stop; m++)
		registry_entry(*m, struct witness)->read(view, ret);
}

static int sleep_ns(uint64_t ns)
{
	struct timespec left = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (!interrupted()) {
		if (nanosleep(&left, &left) == 0)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
	return -EINTR;
}

/* What others moved: everybody's, less what is known to be ours. */
static struct background background_rate(const struct layer_reading *moved, double seconds)
{
	uint64_t reads = moved->total.read_bytes, writes = moved->total.write_bytes;

	if (!moved->known || seconds <= 0)
		return (struct background){ 0 };
	if (moved->ours_known) {
		reads -= MIN(reads, moved->ours.read_bytes);
		writes -= MIN(writes, moved->ours.write_bytes);
	}
	return (struct background){ true, (double)reads / seconds, (double)writes / seconds };
}

int witnesses_background(const struct witness_view *view, uint64_t ns,
	struct background background[STACK_LAYERS_MAX])
{
	_cleanup_free_ struct reading *reading = xcalloc(2, sizeof(*reading));
	_cleanup_free_ struct ledger *ledger = xcalloc(1, sizeof(*ledger));
	int r;

	witnesses_read(view, &reading[0]);
	r = sleep_ns(ns);
	if (r < 0)
		return r;
	witnesses_read(view, &reading[1]);
	ledger_diff(&reading[0], &reading[1], view->stack->count, ledger);
	for (size_t i = 0; i < STACK_LAYERS_MAX; i++)
		background[i] = background_rate(&ledger->layer[i], (double)ledger->ns / 1e9);
	return 0;
}
