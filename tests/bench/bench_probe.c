// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `ioproof probe --passive` costs as a whole process, beside the three tools whose questions
 * it answers: `findmnt -T PATH`, `lsblk` and `systemd-detect-virt` together. Interleaved pairs in
 * alternating order, medians, one ratio; the goal is printed beside it and never fails the build.
 */
#include "tests/bench/peer.h"

#define PAIRS 31
#define GOAL 1.0
#define PATH "."

static const char *const peers[][4] = {
	{ "findmnt", "-T", PATH, NULL },
	{ "lsblk", NULL },
	{ "systemd-detect-virt", NULL },
};

static double time_probe(const char *program)
{
	const char *const argv[] = { program, "probe", "--passive", PATH, NULL };
	uint64_t start = clock_now();

	return peer_run(argv) < 0 ? 0 : (double)(clock_now() - start);
}

static double time_peers(void)
{
	uint64_t start = clock_now();

	for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
		if (peer_run(peers[i]) < 0)
			return 0;
	return (double)(clock_now() - start);
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *program = peer_program(argv[0]);
	double probe[PAIRS], others[PAIRS], ratio[PAIRS];

	if (time_probe(program) <= 0 || time_peers() <= 0) {
		printf("probe --passive: not compared: %s, findmnt, lsblk or systemd-detect-virt "
		       "cannot be run\n",
			program);
		return 0;
	}
	for (int i = 0; i < PAIRS; i++) {
		others[i] = i % 2 ? time_peers() : 0;
		probe[i] = time_probe(program);
		others[i] = i % 2 ? others[i] : time_peers();
		if (probe[i] <= 0 || others[i] <= 0)
			return 1;
		ratio[i] = probe[i] / others[i];
	}
	printf("probe --passive: %.1f ms, findmnt + lsblk + systemd-detect-virt %.1f ms, ratio "
	       "%.3f (goal %.2f)\n",
		stats_median(probe, PAIRS) / 1e6, stats_median(others, PAIRS) / 1e6,
		stats_median(ratio, PAIRS), GOAL);
	return 0;
}
