// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the ones above first. */
#include <cmocka.h>
#include <math.h>

#include "model/finding.h"

static const struct finding_kind lie = { .head = { .id = "test-lie", .summary = "a lie" },
	.remedy = "do not" };
static const struct finding_kind other = { .head = { .id = "test-other", .summary = "another" },
	.remedy = "neither" };

static struct findings one(const struct finding_kind *kind, enum severity severity,
	const char *layer, const char *text)
{
	struct findings findings = { 0 };
	struct finding *finding = finding_add(&findings, kind, severity, layer);

	finding_message(finding, "%s", text);
	finding_source(finding, "here");
	finding_observe_u64(finding, "asked_bytes", 4096);
	return findings;
}

static void test_new_finding_starts_with_its_kinds_texts(void **state)
{
	_cleanup_(findings_free) struct findings findings = { 0 };
	struct finding *finding = finding_add(&findings, &lie, SEVERITY_FLAG, "vda");

	assert_string_equal(finding->message, "a lie");
	assert_string_equal(finding->remedy, "do not");
	assert_string_equal(finding->layer, "vda");
	assert_int_equal(finding->rounds, 0);
	finding_remedy(finding, "use %s", "vdb");
	assert_string_equal(finding->remedy, "use vdb");
}

static void test_rounds_that_say_the_same_are_counted(void **state)
{
	_cleanup_(findings_free) struct findings all = { 0 };

	for (int round = 0; round < 3; round++) {
		_cleanup_(findings_free) struct findings f =
			one(&lie, SEVERITY_FLAG, "vda", "flagged");

		findings_merge(&all, &f);
	}
	assert_int_equal(all.count, 1);
	assert_int_equal(all.item[0].rounds, 3);
}

static void test_merge_keeps_the_graver_details_whatever_the_order(void **state)
{
	_cleanup_(findings_free) struct findings flag = one(&lie, SEVERITY_FLAG, "vda", "flagged");
	_cleanup_(findings_free) struct findings refuse =
		one(&lie, SEVERITY_REFUSE, "vda", "refused");
	_cleanup_(findings_free) struct findings up = { 0 }, down = { 0 };

	findings_merge(&up, &flag);
	findings_merge(&up, &refuse);
	findings_merge(&down, &refuse);
	findings_merge(&down, &flag);
	assert_int_equal(up.count, 1);
	assert_string_equal(up.item[0].message, "refused");
	assert_int_equal(up.item[0].rounds, 2);
	assert_string_equal(down.item[0].message, "refused");
	assert_int_equal(down.item[0].rounds, 2);
	assert_int_equal(findings_verdict(&up), VERDICT_REFUSED);
}

static void test_other_layers_and_other_kinds_stay_apart(void **state)
{
	_cleanup_(findings_free) struct findings a = one(&lie, SEVERITY_NOTE, "vda", "1");
	_cleanup_(findings_free) struct findings b = one(&lie, SEVERITY_NOTE, NULL, "2");
	_cleanup_(findings_free) struct findings c = one(&other, SEVERITY_NOTE, "vda", "3");
	_cleanup_(findings_free) struct findings all = { 0 };

	findings_merge(&all, &a);
	findings_merge(&all, &b);
	findings_merge(&all, &c);
	assert_int_equal(all.count, 3);
	assert_int_equal(findings_verdict(&all), VERDICT_TRUSTED);
}

static void test_one_round_that_repeats_itself_is_one_round(void **state)
{
	_cleanup_(findings_free) struct findings twice = one(&lie, SEVERITY_NOTE, NULL, "1");
	_cleanup_(findings_free) struct findings all = { 0 };

	finding_add(&twice, &lie, SEVERITY_FLAG, NULL);
	findings_merge(&all, &twice);
	assert_int_equal(all.count, 1);
	assert_int_equal(all.item[0].rounds, 1);
	assert_int_equal(all.item[0].severity, SEVERITY_FLAG);
}

static void test_appended_findings_belong_to_no_round(void **state)
{
	_cleanup_(findings_free) struct findings target = one(&lie, SEVERITY_FLAG, "vda", "1");
	_cleanup_(findings_free) struct findings all = { 0 };

	findings_append(&all, &target);
	findings_append(&all, &target);
	assert_int_equal(all.count, 1);
	assert_int_equal(all.item[0].rounds, 0);
	assert_true(all.item[0].observed != target.item[0].observed);
}

static void test_worst_finding_decides(void **state)
{
	_cleanup_(findings_free) struct findings f = { 0 };

	assert_int_equal(findings_verdict(&f), VERDICT_TRUSTED);
	finding_add(&f, &lie, SEVERITY_FLAG, NULL);
	assert_int_equal(findings_verdict(&f), VERDICT_FLAGGED);
	finding_add(&f, &other, SEVERITY_NOTE, NULL);
	assert_int_equal(findings_verdict(&f), VERDICT_FLAGGED);
	assert_ptr_equal(findings_find(&f, "test-other"), &f.item[1]);
	assert_null(findings_find(&f, "test-none"));
}

static void test_observed_values_always_fit_json(void **state)
{
	_cleanup_(findings_free) struct findings f = { 0 };
	struct finding *finding = finding_add(&f, &lie, SEVERITY_FLAG, NULL);

	finding_observe_u64(finding, "huge_bytes", UINT64_MAX);
	finding_observe_real(finding, "share", NAN);
	finding_observe_text(finding, "source", "bad \xff name");
	finding_observe_text(finding, "absent", NULL);
	assert_true(
		json_integer_value(json_object_get(finding->observed, "huge_bytes")) == INT64_MAX);
	assert_true(json_is_null(json_object_get(finding->observed, "share")));
	assert_true(json_is_string(json_object_get(finding->observed, "source")));
	assert_true(json_is_null(json_object_get(finding->observed, "absent")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_finding_starts_with_its_kinds_texts),
		cmocka_unit_test(test_rounds_that_say_the_same_are_counted),
		cmocka_unit_test(test_merge_keeps_the_graver_details_whatever_the_order),
		cmocka_unit_test(test_other_layers_and_other_kinds_stay_apart),
		cmocka_unit_test(test_one_round_that_repeats_itself_is_one_round),
		cmocka_unit_test(test_appended_findings_belong_to_no_round),
		cmocka_unit_test(test_worst_finding_decides),
		cmocka_unit_test(test_observed_values_always_fit_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
