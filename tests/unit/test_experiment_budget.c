// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/experiments/experiment.h"

/* What calibration and the search for a hidden disk write before them. */
#define BEFORE (4 * MIB)

static void test_experiments_together_write_no_more_than_is_promised(void **state)
{
	_cleanup_(registry_view_free) struct registry_view all = { 0 };
	uint64_t sum = BEFORE;

	assert_int_equal(registry_view(&registry_experiments, &all), 0);
	registry_for_each(member, &all)
		sum += registry_entry(*member, struct experiment)->written_bytes;
	assert_in_range(sum, BEFORE + 1, EXPERIMENTS_WRITTEN_MAX);
}

static void test_each_experiment_has_a_state_of_its_own(void **state)
{
	_cleanup_(registry_view_free) struct registry_view all = { 0 };

	assert_int_equal(registry_view(&registry_experiments, &all), 0);
	for (size_t i = 0; i < all.count; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(
				registry_entry(all.member[i], struct experiment)->state,
				registry_entry(all.member[j], struct experiment)->state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_experiments_together_write_no_more_than_is_promised),
		cmocka_unit_test(test_each_experiment_has_a_state_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
