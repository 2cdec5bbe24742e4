// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "core/random.h"
#include "engine/histogram.h"

static int setup(void **state)
{
	struct histogram *h = xmalloc(sizeof(*h));

	histogram_reset(h);
	*state = h;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void test_every_value_falls_into_a_bucket_of_its_octave(void **state)
{
	for (unsigned shift = 0; shift < HISTOGRAM_OCTAVES; shift++) {
		uint64_t v = 1ULL << shift;

		assert_true(histogram_index(v) < HISTOGRAM_BUCKETS);
		assert_true(histogram_index(v - 1) <= histogram_index(v));
		if (shift > HISTOGRAM_SUB_BITS)
			assert_int_equal(histogram_index(v) - histogram_index(v / 2),
				1 << HISTOGRAM_SUB_BITS);
	}
	assert_int_equal(histogram_index((1ULL << HISTOGRAM_OCTAVES) - 1), HISTOGRAM_BUCKETS - 1);
}

static void test_a_percentile_is_within_eight_per_mille(void **state)
{
	for (uint64_t value = 1; value < 1ULL << 38; value = value * 3 / 2 + 1) {
		struct histogram *h = *state;
		uint64_t found;

		histogram_reset(h);
		for (int i = 0; i < 100; i++)
			histogram_insert(h, value);
		/* Extremes that do not clamp the answer. */
		h->min = 0;
		h->max = UINT64_MAX;
		assert_int_equal(histogram_percentile(h, 0.5, &found), 0);
		assert_true(fabs((double)found - (double)value) <= 0.008 * (double)value);
	}
}

static void test_the_median_of_a_ramp_is_its_middle(void **state)
{
	struct histogram *h = *state;
	uint64_t found;

	for (uint64_t v = 1; v <= 10000; v++)
		histogram_insert(h, v);
	assert_int_equal(histogram_percentile(h, 0.5, &found), 0);
	assert_in_range(found, 4960, 5040);
	assert_int_equal(h->min, 1);
	assert_int_equal(h->max, 10000);
}

static void test_p99_needs_299_samples(void **state)
{
	struct histogram *h = *state;
	uint64_t found = 42;

	for (int i = 0; i < 298; i++)
		histogram_insert(h, 1000);
	assert_int_equal(histogram_percentile(h, 0.99, &found), -ENODATA);
	assert_int_equal(found, 42);
	histogram_insert(h, 1000);
	assert_int_equal(histogram_percentile(h, 0.99, &found), 0);
	assert_int_equal(found, 1000);
}

static void test_what_lies_above_is_overflow_and_not_the_last_bucket(void **state)
{
	struct histogram *h = *state;
	uint64_t found;

	for (int i = 0; i < 60; i++)
		histogram_insert(h, 1ULL << HISTOGRAM_OCTAVES);
	for (int i = 0; i < 40; i++)
		histogram_insert(h, 10);
	assert_int_equal(h->overflow, 60);
	assert_int_equal(h->bucket[HISTOGRAM_BUCKETS - 1], 0);
	assert_int_equal(histogram_percentile(h, 0.5, &found), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_value_falls_into_a_bucket_of_its_octave),
		cmocka_unit_test_setup_teardown(
			test_a_percentile_is_within_eight_per_mille, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_the_median_of_a_ramp_is_its_middle, setup, teardown),
		cmocka_unit_test_setup_teardown(test_p99_needs_299_samples, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_what_lies_above_is_overflow_and_not_the_last_bucket, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
