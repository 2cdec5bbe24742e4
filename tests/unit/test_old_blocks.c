// SPDX-License-Identifier: GPL-2.0-or-later
// Where first touch reads, and what its pairs say.
#include <fcntl.h>
#include <math.h>
#include <time.h>

#include "synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
/* cmocka wants the ones above first. */
#include <cmocka.h>

#include "engine/engine.h"
#include "probes/experiments/first_touch_figures.h"
#include "probes/experiments/old_blocks.h"

#define DAY (24L * 3600)
#define NOW (1000L * DAY)

static void test_file_is_old_from_before_the_start_or_from_a_day_ago(void **state)
{
	assert_true(old_enough(AGE_OLD, NOW - DAY - 1, NOW - 10 * DAY, NOW));
	assert_true(old_enough(AGE_OLD, NOW - 3600, NOW - 60, NOW));
	assert_false(old_enough(AGE_OLD, NOW - 3600, NOW - 10 * DAY, NOW));
}

static void test_file_of_the_last_minutes_is_never_old(void **state)
{
	assert_false(old_enough(AGE_OLD, NOW - 60, NOW - 10, NOW));
	assert_false(old_enough(AGE_OLD, NOW + DAY, NOW - 10, NOW)); /* a clock set back */
}

static void test_young_file_from_before_the_start_is_second_choice(void **state)
{
	assert_true(old_enough(AGE_BEFORE_BOOT, NOW - 60, NOW - 10, NOW));
	assert_false(old_enough(AGE_BEFORE_BOOT, NOW - 9, NOW - 10, NOW));
	assert_false(old_enough(AGE_BEFORE_BOOT, NOW - 12, NOW - 10, NOW));
}

static size_t spread(struct old_piece *piece, size_t pieces, size_t max, struct old_block **block)
{
	struct random random;

	random_seed(&random, 7);
	return old_blocks_spread(piece, pieces, max, &random, block);
}

static void test_blocks_are_spread_over_all_pieces_in_order_of_place(void **state)
{
	struct old_piece piece[] = { { .fd = 2, .offset = 0, .physical = 1 << 30, .blocks = 1000 },
		{ .fd = 1, .offset = 8192, .physical = 4096, .blocks = 1000 } };
	struct old_block *block;
	size_t count = spread(piece, 2, 100, &block);

	assert_int_equal(count, 100);
	for (size_t i = 0; i < count; i++) {
		uint64_t start = i < 50 ? 8192 : 0;
		uint64_t at = (block[i].offset - start) / OLD_BLOCK;

		assert_int_equal(block[i].fd, i < 50 ? 1 : 2);
		assert_int_equal(block[i].place, i);
		assert_int_equal((block[i].offset - start) % OLD_BLOCK, 0);
		assert_in_range(at, i % 50 * 20, i % 50 * 20 + 19);
	}
	free(block);
}

static void test_no_block_is_taken_twice_where_there_is_little(void **state)
{
	struct old_piece piece[] = { { .fd = 1, .offset = 0, .physical = 0, .blocks = 10 },
		{ .fd = 1, .offset = 1 << 20, .physical = 1 << 20, .blocks = 3 } };
	struct old_block *block;
	size_t count = spread(piece, 2, 1000, &block);

	assert_int_equal(count, 13);
	for (size_t i = 1; i < count; i++)
		assert_true(block[i].offset > block[i - 1].offset);
	free(block);
}

static void test_neighbours_are_left_out_where_there_is_enough(void **state)
{
	struct old_piece piece = { .fd = 1, .blocks = 4000 };
	struct old_block *block;

	assert_int_equal(spread(&piece, 1, 5000, &block), 1000);
	free(block);
}

static void test_nothing_gives_no_block(void **state)
{
	struct old_block *block;

	assert_int_equal(spread(NULL, 0, 100, &block), 0);
	free(block);
}

/* A file of random data on the disk below the tests' directory, its pages dropped, of that age. */
static void make_file(const struct synthetic *machine, const char *path, size_t size, time_t age)
{
	_cleanup_free_ char *full = synthetic_path(machine, path);
	_cleanup_close_ int fd = open(full, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	_cleanup_free_ char *data = xmalloc(size);
	struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { 0 } };
	struct random random;

	random_seed(&random, 1);
	random_fill(&random, data, size);
	times[1].tv_sec = time(NULL) - age;
	assert_int_equal(write(fd, data, size), size);
	assert_int_equal(futimens(fd, times), 0);
	assert_int_equal(fsync(fd), 0);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

static size_t count_old(const struct synthetic *machine)
{
	_cleanup_close_ int directory =
		open(machine->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd[OLD_FILES_MAX];
	struct random random;
	size_t files = 99;

	random_seed(&random, 1);
	assert_int_equal(old_files_open(directory, AGE_OLD, clock_now() + 5000000000ULL, &random,
				 fd, &files),
		0);
	for (size_t i = 0; i < files; i++)
		close(fd[i]);
	return files;
}

/* The change time cannot be set: a file that was just made is new whatever it says of itself. */
static void test_file_that_only_pretends_to_be_old_is_not_taken(void **state)
{
	struct synthetic machine;

	synthetic_make(&machine);
	make_file(&machine, "a/pretender", 256 * KIB, 100 * DAY);
	assert_int_equal(count_old(&machine), 0);
	synthetic_remove(&machine);
}

static void test_walk_ends_in_time_among_links_pipes_and_deep_directories(void **state)
{
	struct synthetic machine;
	_cleanup_free_ char *pipe = NULL;

	synthetic_make(&machine);
	synthetic_link(&machine, "loop/again", ".");
	synthetic_link(&machine, "out", "/usr");
	synthetic_file(&machine, "a/b/c/d/e/f/g/h/i/j/k/l/m/small", "x");
	pipe = synthetic_path(&machine, "pipe");
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(count_old(&machine), 0);
	synthetic_remove(&machine);
}

static void fill(struct touch_pair *pair, size_t pairs, double ratio)
{
	struct random random;

	random_seed(&random, 3);
	for (size_t i = 0; i < pairs; i++) {
		uint64_t noise = random_below(&random, 20000);

		pair[i].again_ns = 100000 + noise;
		pair[i].first_ns = (uint64_t)(ratio * (double)(120000 - noise));
	}
}

static void test_equal_reads_have_a_ratio_of_one_within_their_interval(void **state)
{
	struct touch_figures figures;
	struct touch_pair pair[300];

	fill(pair, 300, 1);
	first_touch_figures(pair, 300, &figures);
	assert_true(figures.region.ratio_low < 1.01 && figures.region.ratio_high > 0.99);
	assert_true(fabs(figures.region.ratio - 1) < 0.03);
	assert_true(figures.region.slow_share == 0);
	assert_int_equal(figures.region.pairs, 300);
}

static void test_slower_first_reads_show_in_ratio_and_interval(void **state)
{
	struct touch_figures figures;
	struct touch_pair pair[300];

	fill(pair, 300, 1.7);
	first_touch_figures(pair, 300, &figures);
	assert_true(figures.region.ratio_low > 1.6 && figures.region.ratio_high < 1.8);
	assert_true(figures.region.ratio_low <= figures.region.ratio);
	assert_true(figures.again_median_ns > 105000 && figures.again_median_ns < 115000);
}

/* A tenth of the blocks comes from far away, the rest from where re-reads come from. */
static void test_few_very_slow_first_reads_show_in_their_share(void **state)
{
	struct touch_figures figures;
	struct touch_pair pair[300];

	fill(pair, 300, 1);
	for (size_t i = 0; i < 300; i += 10)
		pair[i].first_ns = 5000000;
	first_touch_figures(pair, 300, &figures);
	assert_true(fabs(figures.region.slow_share - 0.1) < 0.001);
	assert_true(figures.region.slow_share_again == 0);
	assert_true(figures.region.ratio < 1.05);
	assert_true(figures.again_p95_ns < 120000);
}

static void test_few_pairs_have_an_interval_without_bounds(void **state)
{
	struct touch_pair pair[] = { { 0, 0, 0 }, { 1, 1, 1 } };
	struct touch_figures figures;

	first_touch_figures(pair, 2, &figures);
	assert_true(figures.region.ratio == 1);
	assert_true(figures.region.ratio_low == 0 && isinf(figures.region.ratio_high));
}

/* The upper half of the disk is cached; pairs come in any order. */
static void test_regions_are_parts_of_the_disk_with_as_many_pairs(void **state)
{
	struct first_touch_region region[FIRST_TOUCH_REGIONS];
	struct touch_pair pair[400];

	fill(pair, 400, 1);
	for (size_t i = 0; i < 400; i++) {
		pair[i].place = i * 7 % 400;
		if (pair[i].place >= 200)
			pair[i].first_ns *= 2;
	}
	assert_int_equal(first_touch_regions(pair, 400, region), FIRST_TOUCH_REGIONS);
	for (unsigned i = 0; i < FIRST_TOUCH_REGIONS; i++) {
		assert_int_equal(region[i].pairs, 50);
		assert_true(i < 4 ? region[i].ratio < 1.2 : region[i].ratio > 1.8);
	}
}

static void test_few_pairs_make_few_regions(void **state)
{
	struct first_touch_region region[FIRST_TOUCH_REGIONS];
	struct touch_pair pair[130];

	fill(pair, 130, 1);
	for (size_t i = 0; i < 130; i++)
		pair[i].place = i;
	assert_int_equal(first_touch_regions(pair, 130, region), 3);
	assert_int_equal(region[0].pairs + region[1].pairs + region[2].pairs, 130);
	assert_int_equal(first_touch_regions(pair, 50, region), 2);
	assert_int_equal(first_touch_regions(pair, TOUCH_PAIRS_LEAST - 1, region), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_is_old_from_before_the_start_or_from_a_day_ago),
		cmocka_unit_test(test_file_of_the_last_minutes_is_never_old),
		cmocka_unit_test(test_young_file_from_before_the_start_is_second_choice),
		cmocka_unit_test(test_blocks_are_spread_over_all_pieces_in_order_of_place),
		cmocka_unit_test(test_no_block_is_taken_twice_where_there_is_little),
		cmocka_unit_test(test_neighbours_are_left_out_where_there_is_enough),
		cmocka_unit_test(test_nothing_gives_no_block),
		cmocka_unit_test(test_file_that_only_pretends_to_be_old_is_not_taken),
		cmocka_unit_test(test_walk_ends_in_time_among_links_pipes_and_deep_directories),
		cmocka_unit_test(test_equal_reads_have_a_ratio_of_one_within_their_interval),
		cmocka_unit_test(test_slower_first_reads_show_in_ratio_and_interval),
		cmocka_unit_test(test_few_very_slow_first_reads_show_in_their_share),
		cmocka_unit_test(test_regions_are_parts_of_the_disk_with_as_many_pairs),
		cmocka_unit_test(test_few_pairs_make_few_regions),
		cmocka_unit_test(test_few_pairs_have_an_interval_without_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
