// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/registry.h"

struct thing {
	struct registered head;
	int value;
};

static const struct thing late = { { "a-late", 2, "sorts last by its order" }, 1 };
static const struct thing second = { { "b", 1, "sorts by id within an order" }, 2 };
static const struct thing first = { { "a", 1, "sorts first" }, 3 };
REGISTER(test_things, late);
REGISTER(test_things, second);
REGISTER(test_things, first);

static const struct thing one = { { "same", 0, "one" }, 1 };
static const struct thing other = { { "same", 5, "another with its id" }, 2 };
REGISTER(test_twins, one);
REGISTER(test_twins, other);

REGISTRY_DEFINE(test_things, "things");
REGISTRY_DEFINE(test_twins, "twins");
REGISTRY_DEFINE(test_nothing, "nothing");

static void test_members_are_sorted_by_order_and_id(void **state)
{
	static const char *const wanted[] = { "a", "b", "a-late" };
	struct registry_view view;

	assert_int_equal(registry_view(&registry_test_things, &view), 0);
	assert_int_equal(view.count, ARRAY_SIZE(wanted));
	for (size_t i = 0; i < view.count; i++)
		assert_string_equal(view.member[i]->id, wanted[i]);
	assert_int_equal(registry_entry(view.member[2], struct thing)->value, 1);
	registry_view_free(&view);
}

static void test_an_id_that_stands_twice_is_refused(void **state)
{
	struct registry_view view = { .count = 42 };

	assert_int_equal(registry_view(&registry_test_twins, &view), -EEXIST);
	assert_int_equal(view.count, 42);
}

static void test_an_empty_set_is_an_error(void **state)
{
	struct registry_view view;

	assert_int_equal(registry_view(&registry_test_nothing, &view), -ENOENT);
}

static void test_members_are_found_by_id(void **state)
{
	const struct registered *found = registry_find(&registry_test_things, "b");

	assert_ptr_equal(found, &second.head);
	assert_null(registry_find(&registry_test_things, "c"));
	assert_null(registry_find(&registry_test_nothing, "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members_are_sorted_by_order_and_id),
		cmocka_unit_test(test_an_id_that_stands_twice_is_refused),
		cmocka_unit_test(test_an_empty_set_is_an_error),
		cmocka_unit_test(test_members_are_found_by_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
