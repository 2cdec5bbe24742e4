// SPDX-License-Identifier: GPL-2.0-or-later
// What is known about a filesystem that was built for the measurement.
#include "rules_case.h"

static const struct fixture_facts honest = {
	.preparation = "written", .rest_known = true, .at_rest = true
};

static enum severity severity_of(
	const struct fixture_facts *fixture, enum claim claim, const char *id)
{
	struct scene scene = { 0 };
	struct findings findings = { 0 };
	enum severity severity = SEVERITY_NOTE;
	bool found = false;

	scene_fixture(&scene);
	scene.evidence = (struct evidence){ .claim = claim,
		.stack = &scene.stack,
		.environment = &scene.environment,
		.fixture = fixture };
	assert_int_equal(rules_judge(RULE_TARGET, &scene.evidence, &findings), 0);
	for (size_t i = 0; i < findings.count; i++)
		if (strcmp(findings.item[i].kind->head.id, id) == 0) {
			severity = findings.item[i].severity;
			found = true;
		}
	findings_free(&findings);
	stack_free(&scene.stack);
	return found ? severity : (enum severity) - 1;
}

#define NOT_SAID ((enum severity) - 1)

static void test_written_fixture_at_rest_is_not_accused(void **state)
{
	for (enum claim c = 0; c < CLAIM_COUNT; c++) {
		assert_int_equal(severity_of(&honest, c, "image-not-written"), NOT_SAID);
		assert_int_equal(severity_of(&honest, c, "background-writes"), NOT_SAID);
		assert_int_equal(severity_of(NULL, c, "image-not-written"), NOT_SAID);
		assert_int_equal(severity_of(NULL, c, "background-writes"), NOT_SAID);
	}
}

static void test_sparse_image_flags_writes_and_is_a_note_for_reads(void **state)
{
	struct fixture_facts sparse = honest;

	sparse.preparation = "sparse";
	sparse.unwritten_bytes = MIB;
	assert_int_equal(
		severity_of(&sparse, CLAIM_DEVICE_WRITE, "image-not-written"), SEVERITY_FLAG);
	assert_int_equal(
		severity_of(&sparse, CLAIM_DURABLE_WRITE, "image-not-written"), SEVERITY_FLAG);
	assert_int_equal(
		severity_of(&sparse, CLAIM_DEVICE_READ, "image-not-written"), SEVERITY_NOTE);
}

static void test_fixture_that_still_writes_flags_device_claims(void **state)
{
	struct fixture_facts restless = honest;

	restless.at_rest = false;
	assert_int_equal(
		severity_of(&restless, CLAIM_DEVICE_READ, "background-writes"), SEVERITY_FLAG);
	assert_int_equal(
		severity_of(&restless, CLAIM_PAGE_CACHE_READ, "background-writes"), SEVERITY_NOTE);
	restless.rest_known = false; /* no counters: the witnesses say so */
	assert_int_equal(severity_of(&restless, CLAIM_DEVICE_READ, "background-writes"), NOT_SAID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_fixture_at_rest_is_not_accused),
		cmocka_unit_test(test_sparse_image_flags_writes_and_is_a_note_for_reads),
		cmocka_unit_test(test_fixture_that_still_writes_flags_device_claims),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
