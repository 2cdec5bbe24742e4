// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters on real layers, beside what was asked for; the tolerance is for metadata. */
#include "witness_rig.h"

static void test_direct_read_through_direct_loop_reaches_the_disk(void **state)
{
	struct interval i;
	struct rig rig;
	int fd, direct;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	rig_enter_cgroup(&rig);
	fd = data_cold(&rig);
	direct = data_open(&rig, "data", O_DIRECT);
	interval_begin(&i, &rig);
	read_all(direct, rig.block, DATA);
	interval_end(&i, "direct read");
	assert_in_range(i.ledger.layer[LOOP].total.read_bytes, DATA, DATA + DATA / 50);
	assert_true(i.ledger.layer[DISK].total.read_bytes >= DATA); /* others share the disk */
	assert_true(i.ledger.machine.disks_known);
	assert_true(i.ledger.machine.disks.read_bytes >= DATA);
	assert_in_range(i.ledger.process.read_bytes, DATA, DATA + DATA / 50);
	if (rig.attributed) {
		uint64_t bytes;
		bool attributed;

		assert_in_range(ours_read(&i, LOOP), DATA, DATA + MIB);
		assert_in_range(ours_read(&i, DISK), DATA, DATA + MIB);
		assert_int_equal(
			ledger_level_bytes(&i.ledger, &rig.stack, DISK, false, &bytes, &attributed),
			0);
		assert_true(attributed);
		assert_int_equal(bytes, ours_read(&i, DISK));
	}
	close(direct);
	close(fd);
	rig_teardown(&rig);
}

static void test_buffered_read_with_readahead_is_ours(void **state)
{
	struct interval i;
	struct rig rig;
	int fd;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	rig_enter_cgroup(&rig);
	fd = data_cold(&rig);
	interval_begin(&i, &rig);
	read_all(fd, rig.block, DATA);
	interval_end(&i, "buffered read");
	assert_in_range(i.ledger.layer[LOOP].total.read_bytes, DATA, DATA + DATA / 50);
	if (rig.attributed) {
		assert_in_range(ours_read(&i, LOOP), DATA, DATA + MIB);
		assert_in_range(ours_read(&i, DISK), DATA, DATA + MIB);
	}
	close(fd);
	rig_teardown(&rig);
}

static void test_write_and_fsync_through_direct_loop_is_ours(void **state)
{
	struct interval i;
	struct rig rig;
	int fd;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	rig_enter_cgroup(&rig);
	fd = data_open(&rig, "written", 0);
	interval_begin(&i, &rig);
	fill(fd, rig.block, DATA);
	assert_int_equal(fsync(fd), 0);
	interval_end(&i, "write and fsync");
	assert_in_range(i.ledger.layer[LOOP].total.write_bytes, DATA, DATA + DATA / 50);
	assert_true(i.ledger.layer[DISK].total.write_bytes >= DATA);
	assert_true(i.ledger.layer[LOOP].flushes_known);
	assert_true(i.ledger.layer[LOOP].flushes >= 1);
	assert_true(i.ledger.layer[DISK].flushes >= 1);
	assert_true(i.ledger.machine.pages_dirtied >= DATA / (uint64_t)sysconf(_SC_PAGESIZE));
	if (rig.attributed) {
		assert_in_range(ours_written(&i, LOOP), DATA, DATA + MIB);
		assert_in_range(ours_written(&i, DISK), DATA, DATA + MIB);
	}
	close(fd);
	rig_teardown(&rig);
}

static void test_buffered_loop_answers_the_second_read_itself(void **state)
{
	struct interval i;
	struct rig rig;
	int fd, direct;

	if (!requirements_met() || !rig_setup(&rig, false, "ext4", NULL))
		skip();
	rig_enter_cgroup(&rig);
	fd = data_cold(&rig);
	direct = data_open(&rig, "data", O_DIRECT);
	read_all(direct, rig.block, DATA);
	interval_begin(&i, &rig);
	read_all(direct, rig.block, DATA);
	interval_end(&i, "buffered loop, second");
	assert_in_range(i.ledger.layer[LOOP].total.read_bytes, DATA, DATA + DATA / 50);
	if (rig.attributed) {
		assert_in_range(ours_read(&i, LOOP), DATA, DATA + MIB);
		assert_in_range(ours_read(&i, DISK), 0, MIB);
	}
	close(direct);
	close(fd);
	rig_teardown(&rig);
}

/* Reads the whole disk's file again and again, uncached, until it is killed. */
static pid_t neighbour_start(const struct rig *rig)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = open(rig->image, O_RDONLY | O_DIRECT | O_CLOEXEC);

		for (;;)
			for (uint64_t at = 0; at < IMAGE; at += BLOCK)
				if (pread(fd, rig->block, BLOCK, (off_t)at) < 0)
					_exit(1);
	}
	return pid;
}

static void test_noisy_neighbour_does_not_touch_our_figures(void **state)
{
	struct interval i;
	struct rig rig;
	int fd, direct;
	pid_t neighbour;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	neighbour = neighbour_start(&rig); /* before we move: it stays in the old group */
	rig_enter_cgroup(&rig);
	fd = data_cold(&rig);
	direct = data_open(&rig, "data", O_DIRECT);
	interval_begin(&i, &rig);
	read_all(direct, rig.block, DATA);
	poll(NULL, 0, 100); /* let it be seen */
	interval_end(&i, "beside a neighbour");
	kill(neighbour, SIGKILL);
	waitpid(neighbour, NULL, 0);
	assert_true(i.ledger.layer[DISK].total.read_bytes > DATA + 2 * MIB);
	if (rig.attributed) {
		assert_in_range(ours_read(&i, LOOP), DATA, DATA + MIB);
		assert_in_range(ours_read(&i, DISK), DATA, DATA + MIB);
	}
	close(direct);
	close(fd);
	rig_teardown(&rig);
}

static void iostats_set(const struct rig *rig, const char *value)
{
	_cleanup_free_ char *path =
		xasprintf("/sys/block/%s/queue/iostats", rig->stack.layer[LOOP].name);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_int_equal(write(fd, value, 1), 1);
}

static void calibrated(const struct rig *rig, struct stack *stack)
{
	struct witness_view view = { &rig->root, stack, rig->cgroup };
	_cleanup_close_ int fd = open(rig->mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(witnesses_calibrate(&view, fd, 4 * MIB, stack), 0);
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].sysfs)
			print_message("  %s: %s\n", stack->layer[i].name,
				stack->layer[i].traits[TRAIT_COUNTED].source);
}

static void check_calibration(bool direct, bool with_cgroup)
{
	struct rig rig;
	struct trait *loop, *disk;

	if (!rig_setup(&rig, direct, "ext4", NULL))
		skip();
	if (with_cgroup)
		rig_enter_cgroup(&rig);
	loop = &rig.stack.layer[LOOP].traits[TRAIT_COUNTED];
	disk = &rig.stack.layer[DISK].traits[TRAIT_COUNTED];
	calibrated(&rig, &rig.stack);
	assert_int_equal(loop->answer, ANSWER_YES);
	assert_int_equal(loop->known_by, KNOWN_MEASURED);
	assert_int_equal(disk->answer, ANSWER_YES);
	assert_int_equal(disk->known_by, KNOWN_MEASURED);
	iostats_set(&rig, "0");
	calibrated(&rig, &rig.stack);
	iostats_set(&rig, "1"); /* it would outlive the detaching */
	assert_int_equal(loop->answer, ANSWER_NO);
	assert_int_equal(disk->answer, ANSWER_YES);
	rig_teardown(&rig);
}

static void test_calibration_tells_live_from_dead_counters(void **state)
{
	if (!requirements_met())
		skip();
	check_calibration(true, true);
	check_calibration(true, false);
	check_calibration(false, true);
}

static void test_background_shows_a_neighbour(void **state)
{
	struct background background[STACK_LAYERS_MAX];
	struct rig rig;
	pid_t neighbour;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	neighbour = neighbour_start(&rig);
	rig_enter_cgroup(&rig);
	poll(NULL, 0, 50);
	assert_int_equal(
		witnesses_background(&(struct witness_view){ &rig.root, &rig.stack, rig.cgroup },
			300000000, background),
		0);
	kill(neighbour, SIGKILL);
	waitpid(neighbour, NULL, 0);
	print_message(
		"  background at the disk: %.0f MB/s\n", background[DISK].read_bytes_per_s / 1e6);
	assert_true(background[DISK].known);
	assert_true(background[DISK].read_bytes_per_s > 1e6);
	assert_true(background[LOOP].read_bytes_per_s < 1e6);
	rig_teardown(&rig);
}

/* How far the private cgroup's figures reach on other filesystems and through a buffered loop. */
static void attribution_of(const char *type, bool loop_direct)
{
	struct residency residency;
	struct interval i;
	struct rig rig;
	int fd, direct;

	if (!rig_setup(&rig, loop_direct, type, NULL))
		skip();
	print_message("  %s on a %s loop\n", type, loop_direct ? "direct" : "buffered");
	rig_enter_cgroup(&rig);
	fd = data_cold(&rig);
	direct = data_open(&rig, "data", O_DIRECT);
	interval_begin(&i, &rig);
	read_all(direct, rig.block, DATA);
	interval_end(&i, "direct read");
	assert_true(i.ledger.layer[LOOP].total.read_bytes >= DATA);
	assert_true(!rig.attributed || ours_read(&i, LOOP) >= DATA);
	assert_true(!rig.attributed || !loop_direct || ours_read(&i, DISK) >= DATA);
	/* btrfs may have answered a part of it through the page cache */
	assert_int_equal(residency_evict(fd, DATA, &residency), 0);
	interval_begin(&i, &rig);
	read_all(fd, rig.block, DATA);
	interval_end(&i, "buffered read");
	assert_true(i.ledger.layer[LOOP].total.read_bytes >= DATA);
	assert_true(!rig.attributed || ours_read(&i, LOOP) >= DATA);
	close(fd);
	fd = data_open(&rig, "written", 0);
	interval_begin(&i, &rig);
	fill(fd, rig.block, DATA);
	assert_int_equal(fsync(fd), 0);
	interval_end(&i, "write and fsync");
	assert_true(i.ledger.layer[LOOP].total.write_bytes >= DATA);
	assert_true(i.ledger.layer[DISK].total.write_bytes >= DATA);
	close(direct);
	close(fd);
	rig_teardown(&rig);
}

static void test_attribution_on_each_filesystem(void **state)
{
	static const char *const type[] = { "ext4", "xfs", "btrfs" };

	if (!requirements_met())
		skip();
	for (size_t i = 0; i < ARRAY_SIZE(type); i++) {
		_cleanup_free_ char *mkfs = xasprintf("mkfs.%s", type[i]);

		if (run((const char *const[]){ mkfs, "-V", NULL }) < 0) {
			print_message("  no %s here\n", mkfs);
			continue;
		}
		attribution_of(type[i], true);
		attribution_of(type[i], false);
	}
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_cost_of_a_reading(void **state)
{
	enum { READINGS = 1000 };
	struct reading reading;
	struct rig rig;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	for (int with = 0; with < 2; with++) {
		struct witness_view view;
		double start, first;

		if (with)
			rig_enter_cgroup(&rig);
		view = (struct witness_view){ &rig.root, &rig.stack, rig.cgroup };
		start = seconds_now();
		witnesses_read(&view, &reading);
		first = seconds_now() - start;
		start = seconds_now();
		for (int i = 0; i < READINGS; i++)
			witnesses_read(&view, &reading);
		print_message("  %s cgroup: first %.0f us, then %.0f us a reading\n",
			with ? "with" : "without", first * 1e6,
			(seconds_now() - start) / READINGS * 1e6);
	}
	assert_true(reading.layer[LOOP].known);
	rig_teardown(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_direct_read_through_direct_loop_reaches_the_disk),
		cmocka_unit_test(test_buffered_read_with_readahead_is_ours),
		cmocka_unit_test(test_write_and_fsync_through_direct_loop_is_ours),
		cmocka_unit_test(test_buffered_loop_answers_the_second_read_itself),
		cmocka_unit_test(test_noisy_neighbour_does_not_touch_our_figures),
		cmocka_unit_test(test_calibration_tells_live_from_dead_counters),
		cmocka_unit_test(test_background_shows_a_neighbour),
		cmocka_unit_test(test_attribution_on_each_filesystem),
		cmocka_unit_test(test_cost_of_a_reading),
	};

	return cmocka_run_group_tests_name(
		"witnesses on real layers", tests, rig_private_mounts, NULL);
}
