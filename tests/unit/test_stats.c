// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the ones above first. */
#include <cmocka.h>
#include <math.h>

#include "stats/stats.h"

static void test_median_is_the_middle_of_odd_and_between_even_counts(void **state)
{
	const double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };

	assert_true(stats_median(odd, 3) == 3);
	assert_true(stats_median(even, 4) == 2.5);
	assert_true(stats_median(one, 1) == 7);
	assert_true(odd[0] == 5 && odd[2] == 3); /* the caller's order stays */
}

/* Conover's table, and n = 5, where no pair of ranks covers 95 %. */
static void test_ranks_of_95_percent_are_those_of_the_tables(void **state)
{
	static const struct {
		size_t count, low, high;
	} rows[] = { { 6, 1, 6 }, { 7, 1, 7 }, { 8, 1, 8 }, { 9, 2, 8 }, { 10, 2, 9 },
		{ 15, 4, 12 }, { 20, 6, 15 }, { 30, 10, 21 }, { 50, 18, 33 }, { 100, 40, 61 } };
	size_t low = 99, high = 99;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(stats_median_ranks(rows[i].count, 0.95, &low, &high), 0);
		assert_int_equal(low, rows[i].low);
		assert_int_equal(high, rows[i].high);
	}
	low = high = 99;
	for (size_t n = 0; n < STATS_INTERVAL_MIN; n++)
		assert_int_equal(stats_median_ranks(n, 0.95, &low, &high), -ENODATA);
	assert_int_equal(low, 99);
	assert_int_equal(high, 99);
}

static void test_ranks_that_just_reach_the_confidence_are_taken(void **state)
{
	size_t low, high;

	/* 1 - 2 / 2^n exactly. */
	for (size_t n = 2; n < 40; n++) {
		assert_int_equal(stats_median_ranks(n, 1 - ldexp(1, 1 - (int)n), &low, &high), 0);
		assert_int_equal(low, 1);
		assert_int_equal(high, n);
	}
}

static void test_ranks_of_many_samples_do_not_underflow(void **state)
{
	size_t low, high;
	double expected = 50000 - 1.96 * sqrt(100000) / 2;

	assert_int_equal(stats_median_ranks(100000, 0.95, &low, &high), 0);
	assert_true(fabs((double)low - expected) < 3);
	assert_int_equal(low + high, 100001);
}

static void test_interval_takes_the_values_at_the_ranks(void **state)
{
	const double value[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	double low = -1, high = -1;

	assert_int_equal(stats_median_interval(value, 10, 0.95, &low, &high), 0);
	assert_true(low == 2 && high == 9);
	low = high = -1;
	assert_int_equal(stats_median_interval(value, 5, 0.95, &low, &high), -ENODATA);
	assert_true(low == -1 && high == -1);
}

static void test_spread_is_the_range_over_the_median(void **state)
{
	const double value[] = { 90, 100, 120 }, same[] = { 5, 5 }, zero[] = { -1, 0, 1 };

	assert_true(fabs(stats_spread(value, 3) - 0.3) < 1e-12);
	assert_true(stats_spread(same, 2) == 0);
	assert_true(stats_spread(value, 1) == 0);
	assert_true(isinf(stats_spread(zero, 3)));
}

static void test_schedule_holds_each_arm_once_and_repeats_for_a_seed(void **state)
{
	unsigned first[5], again[5], seen;

	for (unsigned round = 0; round < 50; round++) {
		schedule_round(42, round, first, 5);
		schedule_round(42, round, again, 5);
		assert_memory_equal(first, again, sizeof(first));
		seen = 0;
		for (unsigned i = 0; i < 5; i++)
			seen |= 1U << first[i];
		assert_int_equal(seen, 0x1f);
	}
}

/* Every arm comes first about equally often: 3,000 rounds of 3 arms, 1,000 +- 5 standard errors. */
static void test_schedule_favours_no_arm(void **state)
{
	unsigned order[3], leads[3] = { 0 };

	for (unsigned round = 0; round < 3000; round++) {
		schedule_round(1, round, order, 3);
		leads[order[0]]++;
	}
	for (unsigned i = 0; i < 3; i++)
		assert_in_range(leads[i], 870, 1130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_is_the_middle_of_odd_and_between_even_counts),
		cmocka_unit_test(test_ranks_of_95_percent_are_those_of_the_tables),
		cmocka_unit_test(test_ranks_that_just_reach_the_confidence_are_taken),
		cmocka_unit_test(test_ranks_of_many_samples_do_not_underflow),
		cmocka_unit_test(test_interval_takes_the_values_at_the_ranks),
		cmocka_unit_test(test_spread_is_the_range_over_the_median),
		cmocka_unit_test(test_schedule_holds_each_arm_once_and_repeats_for_a_seed),
		cmocka_unit_test(test_schedule_favours_no_arm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
