// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats/stats.h"

void schedule_round(uint64_t seed, unsigned round, unsigned *order, size_t arms)
{
	/* An odd multiplier keeps the rounds of one seed apart before the generator mixes them. */
	uint64_t stream = seed ^ ((uint64_t)round + 1) * 0xd1342543de82ef95ULL;
	struct random r;

	for (size_t i = 0; i < arms; i++)
		order[i] = (unsigned)i;
	random_seed(&r, stream);
	random_shuffle(&r, order, arms);
}
