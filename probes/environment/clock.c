// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "probes/environment/environment_probe.h"

#define BATCHES 8
#define READINGS 64 /* a batch: 2 us with a good clock, 0.1 ms with a bad one */

#define CLOCKSOURCE "sys/devices/system/clocksource/clocksource0/"

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

/* The quietest batch: an interruption only ever adds. */
static uint64_t reading_ns(void)
{
	uint64_t best = UINT64_MAX;

	for (unsigned batch = 0; batch < BATCHES; batch++) {
		uint64_t start = now(), end = start;

		for (unsigned i = 0; i < READINGS; i++)
			end = now();
		best = MIN(best, end - start);
	}
	return MAX(best / READINGS, 1);
}

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	const struct sysroot *root = sources->root;
	struct environment_clock *clock = &environment->clock;

	(void)sysroot_read_line(root, &clock->source, CLOCKSOURCE "current_clocksource");
	(void)sysroot_read_line(root, &clock->available, CLOCKSOURCE "available_clocksource");
	if (root->live)
		clock->reading_ns = (struct known_count){ true, reading_ns() };
}

static const struct environment_probe clock_probe = {
	.head = { "clock", 25, "clock source, and what one reading costs" },
	.probe = probe,
};
REGISTER(environment_probes, clock_probe);
