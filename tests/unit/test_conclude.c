// SPDX-License-Identifier: GPL-2.0-or-later
// What one target shows about a disk holds for every target that stands on it.
#include "rules_case.h"

#include "engine/conclude.h"

static void add_target(struct result *result, const char *id, const char *disk)
{
	struct target_report *t;

	result->target =
		xreallocarray(result->target, result->targets + 1, sizeof(*result->target));
	t = &result->target[result->targets++];
	*t = (struct target_report){ .id = xstrdup(id), .path = xstrdup("/x") };
	stack_append(&t->stack, LAYER_FS, 0, "ext4", "ext4");
	stack_append(&t->stack, LAYER_DISK, 1, "virtio_blk", disk);
}

static void add_measurement(struct result *result, const char *target, enum claim claim)
{
	struct measurement *m;

	result->measurement = xreallocarray(
		result->measurement, result->measurements + 1, sizeof(*result->measurement));
	m = &result->measurement[result->measurements++];
	*m = (struct measurement){ .target = xstrdup(target),
		.workload = "read-path",
		.case_id = "direct",
		.claim = claim };
	m->sample = xcalloc(1, sizeof(*m->sample));
	m->sample[m->samples++].value = 1;
}

static bool says_read_cache(const struct result *result, size_t measurement)
{
	return findings_find(
		&result->measurement[measurement].findings, "read-cache-below-horizon");
}

static void test_read_cache_below_a_disk_holds_for_all_that_stand_on_it(void **state)
{
	const struct registered *kind =
		registry_find(&registry_findings, "read-cache-below-horizon");
	struct result result = { .complete = true };

	add_target(&result, "one", "vda");
	add_target(&result, "two", "vda");
	add_target(&result, "other", "vdb");
	add_measurement(&result, "two", CLAIM_DEVICE_READ);
	add_measurement(&result, "other", CLAIM_DEVICE_READ);
	add_measurement(&result, "two", CLAIM_PAGE_CACHE_READ);
	add_measurement(&result, "one", CLAIM_DEVICE_READ);
	finding_add(&result.target[0].findings, registry_entry(kind, struct finding_kind),
		SEVERITY_FLAG, "vda");
	assert_int_equal(conclude(&result), 0);
	assert_true(says_read_cache(&result, 3));
	assert_true(says_read_cache(&result, 0));
	assert_false(says_read_cache(&result, 1));
	assert_false(says_read_cache(&result, 2));
	assert_int_equal(result.measurement[0].verdict, VERDICT_FLAGGED);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(
		test_read_cache_below_a_disk_holds_for_all_that_stand_on_it) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
