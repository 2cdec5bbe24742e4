// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "workloads/workload.h"

static const struct workload *workload;
static struct parameter_value *values;
static struct error error;

static int parse(const char *text, bool quick)
{
	int r;

	if (values)
		parameter_values_free(workload, values);
	values = NULL;
	r = workload_parse(text, quick, &workload, &values, &error);
	return r;
}

static uint64_t number(const char *key)
{
	return parameter_find(workload, values, key)->number;
}

static int teardown(void **state)
{
	if (values)
		parameter_values_free(workload, values);
	values = NULL;
	return 0;
}

static void test_defaults_hold_without_parameters(void **state)
{
	assert_int_equal(parse("read-path", false), 0);
	assert_string_equal(workload->head.id, "read-path");
	assert_int_equal(number("size"), 256 * MIB);
	assert_int_equal(number("bs"), MIB);
	assert_null(parameter_find(workload, values, "file")->text);
}

static void test_quick_reads_less(void **state)
{
	assert_int_equal(parse("read-path", true), 0);
	assert_int_equal(number("size"), 64 * MIB);
}

static void test_what_is_given_replaces_the_default(void **state)
{
	assert_int_equal(parse("read-path:size=1G,bs=4k", true), 0);
	assert_int_equal(number("size"), GIB);
	assert_int_equal(number("bs"), 4096);
}

static void test_a_path_reaches_to_the_end_commas_included(void **state)
{
	assert_int_equal(parse("read-path:bs=4k,file=/a,b=c", false), 0);
	assert_string_equal(parameter_find(workload, values, "file")->text, "/a,b=c");
	assert_int_equal(number("bs"), 4096);
}

static void test_wrong_words_name_the_thing(void **state)
{
	static const struct {
		const char *text, *names;
	} wrong[] = {
		{ "read-pth", "read-pth" },
		{ "", "workload" },
		{ "read-path:", "size, bs, file" },
		{ "read-path:size", "size, bs, file" },
		{ "read-path:sizes=1", "sizes" },
		{ "read-path:size=", "size=" },
		{ "read-path:size=-1", "-1" },
		{ "read-path:size=1Q", "1Q" },
		{ "read-path:size=99999999999T", "99999999999T" },
		{ "read-path:size=1M,,bs=4k", "size, bs, file" },
		{ "read-path:file=", "file=" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_true(parse(wrong[i].text, false) < 0);
		assert_non_null(strstr(error.text, wrong[i].names));
	}
}

static void test_description_holds_what_is_in_force(void **state)
{
	json_t *described;

	assert_int_equal(parse("read-path:size=1M,file=/x", false), 0);
	described = parameters_describe(workload, values);
	assert_int_equal(json_integer_value(json_object_get(described, "size")), MIB);
	assert_string_equal(json_string_value(json_object_get(described, "file")), "/x");
	json_decref(described);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_defaults_hold_without_parameters, teardown),
		cmocka_unit_test_teardown(test_quick_reads_less, teardown),
		cmocka_unit_test_teardown(test_what_is_given_replaces_the_default, teardown),
		cmocka_unit_test_teardown(test_a_path_reaches_to_the_end_commas_included, teardown),
		cmocka_unit_test_teardown(test_wrong_words_name_the_thing, teardown),
		cmocka_unit_test_teardown(test_description_holds_what_is_in_force, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
