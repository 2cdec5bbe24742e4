// SPDX-License-Identifier: GPL-2.0-or-later
// page-cache-read, and whose bytes a device counted.
#include "rules_case.h"

static void half_resident(struct scene *s)
{
	scene_residency(&s->ledger.before, PAGES / 2);
}

static void two_pages_gone(struct scene *s)
{
	scene_residency(&s->ledger.before, PAGES - 2);
}

static void we_fetched(struct scene *s)
{
	s->ledger.process.read_bytes = 16 * MIB;
}

static void our_cgroup_fetched(struct scene *s)
{
	scene_reads(s, "vda1", 16 * MIB);
	scene_reads(s, "vda", 16 * MIB);
}

/* Measured: an honest warm read beside a neighbour showed 18-21 % "device bytes". */
static void neighbour_fetched(struct scene *s)
{
	scene_reading(s, "vda")->total.read_bytes = ASKED / 5;
}

static void neighbour_fetched_unattributed(struct scene *s)
{
	neighbour_fetched(s);
	scene_no_cgroup(s);
}

static void used_direct(struct scene *s)
{
	s->ledger.asked.direct = true;
}

static void residency_not_truthful(struct scene *s)
{
	s->ledger.before.known = ANSWER_NO;
}

static void process_unknown(struct scene *s)
{
	s->ledger.process.known = false;
}

static void extents_unknown(struct scene *s)
{
	s->ledger.extents.known = false;
}

static void loop_mode_unknown(struct scene *s)
{
	layer_set_trait(&s->stack.layer[scene_index(s, "loop3")], TRAIT_HONOURS_DIRECT,
		ANSWER_UNKNOWN, KNOWN_NOT, "none");
}

static void cached_on_memory(struct scene *s)
{
	s->ledger.machine.disks_known = false;
}

static void quiet_root(struct scene *s)
{
	scene_unprivileged(s, 1e6);
	s->environment = (struct environment){ .cap_known = true, .cap_sys_admin = true };
}

static void busy_root(struct scene *s)
{
	scene_unprivileged(s, 100e6);
	s->environment = (struct environment){ .cap_known = true, .cap_sys_admin = true };
}

static void quiet_then_surplus(struct scene *s)
{
	quiet_root(s);
	scene_reading(s, "vda")->total.read_bytes = 321 * MIB;
}

static void surplus_of_readahead(struct scene *s)
{
	quiet_then_surplus(s);
	s->ledger.asked.ios = ASKED / 4096;
}

static void unprivileged_quiet(struct scene *s)
{
	scene_unprivileged(s, 0);
}

static void unprivileged_unknown(struct scene *s)
{
	scene_unprivileged(s, 0);
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.background[i].known = false;
}

static void neighbour_beside(struct scene *s)
{
	scene_reading(s, "vda")->total.read_bytes += 100 * MIB;
}

static const struct scene_row rows[] = {
	{ "warm, honest", scene_plain, SCENE_WARM, NULL, NULL, 0, NULL },
	{ "warm, honest, fixture", scene_fixture, SCENE_WARM, NULL, NULL, 0, NULL },
	{ "warm, honest, two pages reclaimed", scene_plain, SCENE_WARM, two_pages_gone, NULL, 0,
		NULL },
	{ "warm, a neighbour reads the disk", scene_plain, SCENE_WARM, neighbour_fetched, NULL, 0,
		NULL },
	{ "warm, a neighbour, not told apart", scene_plain, SCENE_WARM,
		neighbour_fetched_unattributed, NULL, 0, NULL },
	{ "warm on tmpfs is honest", scene_tmpfs, SCENE_WARM, cached_on_memory, NULL, 0, NULL },
	{ "warm over bindfs is honest", scene_bindfs, SCENE_WARM, NULL, NULL, 0, NULL },
	{ "warm without list of extents", scene_plain, SCENE_WARM, extents_unknown, NULL, 0, NULL },
	{ "warm, half resident", scene_plain, SCENE_WARM, half_resident, "cache-not-warm",
		SEVERITY_REFUSE, NULL },
	{ "warm, fetched by us (process)", scene_plain, SCENE_WARM, we_fetched, "cache-not-warm",
		SEVERITY_REFUSE, NULL },
	{ "warm, fetched by us (cgroup)", scene_plain, SCENE_WARM, our_cgroup_fetched,
		"cache-not-warm", SEVERITY_REFUSE, NULL },
	{ "warm, by O_DIRECT", scene_plain, SCENE_WARM, used_direct, "cache-not-warm",
		SEVERITY_REFUSE, NULL },
	{ "warm, residency not truthful", scene_plain, SCENE_WARM, residency_not_truthful,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "warm, no /proc/self/io", scene_plain, SCENE_WARM, process_unknown, "witness-unavailable",
		SEVERITY_FLAG, NULL },
	{ "warm, unprivileged", scene_plain, SCENE_WARM, unprivileged_quiet, "missing-privilege",
		SEVERITY_NOTE, NULL },

	{ "cold, residency not truthful", scene_plain, SCENE_COLD, residency_not_truthful,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "cold, no list of extents", scene_plain, SCENE_COLD, extents_unknown,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "direct, loop mode unknown", scene_fixture, SCENE_DIRECT, loop_mode_unknown,
		"witness-unavailable", SEVERITY_FLAG, "loop3" },

	{ "cold, root without cgroup, quiet", scene_plain, SCENE_COLD, quiet_root, NULL, 0, NULL },
	{ "cold, root without cgroup, busy", scene_plain, SCENE_COLD, busy_root, "foreign-io",
		SEVERITY_FLAG, "vda" },
	{ "direct, quiet before and after, surplus between", scene_plain, SCENE_DIRECT,
		quiet_then_surplus, "foreign-io", SEVERITY_FLAG, "vda" },
	{ "cold, 4 KiB, surplus is readahead", scene_plain, SCENE_COLD, surplus_of_readahead, NULL,
		0, NULL },
	{ "cold, root without cgroup, nothing known", scene_plain, SCENE_COLD, scene_no_cgroup,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "cold, unprivileged, quiet", scene_plain, SCENE_COLD, unprivileged_quiet,
		"missing-privilege", SEVERITY_FLAG, "vda" },
	{ "direct, unprivileged, nothing known", scene_plain, SCENE_DIRECT, unprivileged_unknown,
		"missing-privilege", SEVERITY_FLAG, "vda" },
	{ "direct, neighbour told apart is a note", scene_plain, SCENE_DIRECT, neighbour_beside,
		"foreign-io", SEVERITY_NOTE, "vda" },
};

static void test_cache_reads_and_attribution_by_table(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		scene_row_check(&rows[i]);
}

static void test_unprivileged_finding_names_what_would_lift_it(void **state)
{
	struct findings findings = { 0 };
	const struct finding *finding;
	struct scene s;

	scene_honest(&s, scene_plain, SCENE_COLD);
	scene_unprivileged(&s, 0);
	s.environment.private_cgroup_missing = xstrdup("/sys/fs/cgroup is read-only");
	scene_judge(&s, RULE_ROUND, &findings);
	finding = findings_find(&findings, "missing-privilege");
	assert_non_null(finding);
	assert_non_null(strstr(finding->message, "/sys/fs/cgroup is read-only"));
	assert_non_null(strstr(finding->remedy, "sudo ioproof run"));
	assert_non_null(strstr(finding->remedy, "podman run --privileged"));
	assert_int_equal(findings_verdict(&findings), VERDICT_FLAGGED);
	findings_free(&findings);
	environment_free(&s.environment);
	stack_free(&s.stack);
}

static void test_tmpfs_is_a_note_for_cached_reads(void **state)
{
	struct findings findings = { 0 };
	struct scene s;

	scene_honest(&s, scene_tmpfs, SCENE_WARM);
	scene_judge(&s, RULE_ROUND, &findings);
	assert_severity(&findings, "memory-backed", SEVERITY_NOTE);
	assert_int_equal(findings_verdict(&findings), VERDICT_TRUSTED);
	findings_free(&findings);
	stack_free(&s.stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cache_reads_and_attribution_by_table),
		cmocka_unit_test(test_unprivileged_finding_names_what_would_lift_it),
		cmocka_unit_test(test_tmpfs_is_a_note_for_cached_reads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
