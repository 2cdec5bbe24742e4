// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three filesystems of 1 GiB, without the writing of their images: `ioproof fixture up` (built at
 * once, proved, brought to rest) beside the shell pipeline that people write. Whole processes,
 * interleaved in alternating order, medians, one ratio; the goal is printed beside it and never
 * fails the build.
 */
#include "tests/bench/peer.h"

#define PAIRS 9
#define GOAL 1.0

static const char shell_up[] =
	"set -e; cd \"$1\"; for fs in ext4 xfs btrfs; do fallocate -l 1G $fs.img; "
	"l=$(losetup --direct-io=on --find --show $fs.img); echo $l >$fs.loop; case $fs in "
	"ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard $l;; "
	"*) mkfs.$fs -q -f -K $l;; esac; mkdir $fs; mount $l $fs; done";
static const char shell_down[] = "cd \"$1\"; for fs in ext4 xfs btrfs; do umount $fs; "
				 "losetup -d $(cat $fs.loop); rm -rf $fs $fs.img $fs.loop; done";

static double time_shell(const char *directory)
{
	const char *const up[] = { "sh", "-c", shell_up, "sh", directory, NULL };
	const char *const down[] = { "sh", "-c", shell_down, "sh", directory, NULL };
	uint64_t start = clock_now();
	int r = peer_run(up);
	double took = (double)(clock_now() - start);

	peer_run(down);
	return r == 0 ? took : 0;
}

static double time_ours(const char *program, const char *directory)
{
	const char *const up[] = { program, "fixture", "up", "--scratch", directory, "bench-ext4",
		"ext4:IMAGE=fallocated", "bench-xfs", "xfs:IMAGE=fallocated", "bench-btrfs",
		"btrfs:IMAGE=fallocated", NULL };
	const char *const down[] = { program, "fixture", "down", "bench-ext4", "bench-xfs",
		"bench-btrfs", NULL };
	uint64_t start = clock_now();
	int r = peer_run(up);
	double took = (double)(clock_now() - start);

	peer_run(down);
	return r == 0 ? took : 0;
}

static int compare(const char *program, const char *directory)
{
	double ours[PAIRS], shell[PAIRS], ratio[PAIRS];

	if (time_ours(program, directory) <= 0 || time_shell(directory) <= 0) {
		printf("fixture up: not compared: it needs root, loop devices, 3 GiB and mkfs of "
		       "ext4, xfs and btrfs\n");
		return 0;
	}
	for (int i = 0; i < PAIRS; i++) {
		shell[i] = i % 2 ? time_shell(directory) : 0;
		ours[i] = time_ours(program, directory);
		shell[i] = i % 2 ? shell[i] : time_shell(directory);
		if (ours[i] <= 0 || shell[i] <= 0)
			return 1;
		ratio[i] = ours[i] / shell[i];
	}
	printf("fixture up, three of 1 GiB: %.0f ms, fallocate + losetup + mkfs + mount %.0f ms, "
	       "ratio %.3f (goal %.2f)\n",
		stats_median(ours, PAIRS) / 1e6, stats_median(shell, PAIRS) / 1e6,
		stats_median(ratio, PAIRS), GOAL);
	return 0;
}

int main(int argc, char **argv)
{
	_cleanup_free_ char *program = peer_program(argv[0]);
	char directory[] = "/var/tmp/ioproof-bench-XXXXXX";
	int r;

	if (!mkdtemp(directory))
		return 1;
	r = compare(program, directory);
	rmdir(directory);
	return r;
}
