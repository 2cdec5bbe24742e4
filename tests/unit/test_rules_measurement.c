// SPDX-License-Identifier: GPL-2.0-or-later
// Rules over a whole measurement: layers that cannot be counted, rounds, direct against warm.
#include "rules_case.h"

#define ROUNDS 6

struct pair {
	struct scene direct, warm;
	struct sample sample[2][ROUNDS];
	struct measurement measurement[2];
	const struct measurement *sibling[2];
};

static void fill(struct measurement *m, struct sample *sample, const struct scene *s, uint64_t ns)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		sample[i] = (struct sample){
			.round = i, .bytes = ASKED, .ios = 256, .ns = ns + i, .ledger = s->ledger
		};
	*m = (struct measurement){ .workload = "read-path",
		.claim = s->evidence.claim,
		.conduct = s->evidence.conduct,
		.sample = sample,
		.samples = ROUNDS };
}

/* A direct and a warm measurement on one target; the direct one is under judgement. */
static void pair_make(
	struct pair *p, void (*build)(struct scene *), uint64_t direct_ns, uint64_t warm_ns)
{
	scene_honest(&p->direct, build, SCENE_DIRECT);
	scene_honest(&p->warm, build, SCENE_WARM);
	fill(&p->measurement[0], p->sample[0], &p->direct, direct_ns);
	fill(&p->measurement[1], p->sample[1], &p->warm, warm_ns);
	p->sibling[0] = &p->measurement[0];
	p->sibling[1] = &p->measurement[1];
	p->direct.evidence.ledger = NULL;
	p->direct.evidence.measurement = &p->measurement[0];
	p->direct.evidence.sibling = p->sibling;
	p->direct.evidence.siblings = 2;
}

static void pair_free(struct pair *p)
{
	stack_free(&p->direct.stack);
	stack_free(&p->warm.stack);
}

static void pair_judge(struct pair *p, struct findings *ret)
{
	*ret = (struct findings){ 0 };
	scene_judge(&p->direct, RULE_MEASUREMENT, ret);
}

static void test_honest_measurement_is_trusted_with_its_horizon_named(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_fixture, 300000000, 30000000);
	pair_judge(&p, &findings);
	assert_nothing_above_note(&findings);
	assert_severity(&findings, "unproved-below-horizon", SEVERITY_NOTE);
	assert_string_equal(findings_find(&findings, "unproved-below-horizon")->layer, "vda");
	assert_int_equal(findings_verdict(&findings), VERDICT_TRUSTED);
	findings_free(&findings);
	pair_free(&p);
}

static void test_physical_disk_has_no_note_below_it(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_plain, 300000000, 30000000);
	layer_set_trait(&p.direct.stack.layer[scene_index(&p.direct, "vda")], TRAIT_VIRTUAL,
		ANSWER_NO, KNOWN_INFERRED, "ata");
	pair_judge(&p, &findings);
	assert_int_equal(findings.count, 0);
	findings_free(&findings);
	pair_free(&p);
}

static void scene_mirror(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	scene_block(s, LAYER_MD, 1, "raid1", "md0(raid1)", 0x900);
	scene_block(s, LAYER_DISK, 2, "virtio_blk", "vdb", 0xfd10);
	scene_block(s, LAYER_DISK, 2, "sd", "sda", 0x800);
}

/* Whichever of them comes last. */
static void test_array_with_one_virtual_disk_is_noted_with_all_its_disks(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_mirror, 300000000, 30000000);
	layer_set_trait(&p.direct.stack.layer[scene_index(&p.direct, "sda")], TRAIT_VIRTUAL,
		ANSWER_NO, KNOWN_INFERRED, "ata");
	pair_judge(&p, &findings);
	assert_severity(&findings, "unproved-below-horizon", SEVERITY_NOTE);
	assert_string_equal(findings_find(&findings, "unproved-below-horizon")->layer, "vdb+sda");
	findings_free(&findings);
	pair_free(&p);
}

static void set_all_disks(struct pair *p, uint64_t bytes)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		p->sample[0][i].ledger.machine.disks.read_bytes = bytes;
}

static void test_direct_as_fast_as_warm_over_fuse_is_flagged(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_sshfs, 31000000, 30000000);
	pair_judge(&p, &findings);
	assert_severity(&findings, "direct-not-slower-than-warm", SEVERITY_FLAG);
	assert_severity(&findings, "fuse-layer", SEVERITY_FLAG);
	findings_free(&findings);
	pair_free(&p);
}

static void test_direct_as_fast_as_warm_is_refused_when_no_disk_moved(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_sshfs, 31000000, 30000000);
	set_all_disks(&p, 0);
	pair_judge(&p, &findings);
	assert_severity(&findings, "direct-not-slower-than-warm", SEVERITY_REFUSE);
	findings_free(&findings);
	pair_free(&p);
}

static void test_slow_direct_over_fuse_is_flagged_for_the_server_alone(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_sshfs, 300000000, 30000000);
	set_all_disks(&p, 0);
	pair_judge(&p, &findings);
	assert_null(findings_find(&findings, "direct-not-slower-than-warm"));
	assert_severity(&findings, "fuse-layer", SEVERITY_FLAG);
	assert_int_equal(findings_verdict(&findings), VERDICT_FLAGGED);
	findings_free(&findings);
	pair_free(&p);
}

static void test_fast_disk_that_is_counted_is_not_accused(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_plain, 31000000, 30000000);
	pair_judge(&p, &findings);
	assert_nothing_above_note(&findings);
	findings_free(&findings);
	pair_free(&p);
}

static void test_refused_direct_io_needs_no_round(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_sshfs, 300000000, 30000000);
	p.measurement[0].samples = 0;
	p.direct.evidence.conduct.direct_errno = EINVAL;
	pair_judge(&p, &findings);
	assert_severity(&findings, "direct-io-unsupported", SEVERITY_REFUSE);
	assert_null(findings_find(&findings, "too-few-rounds"));
	findings_free(&findings);
	pair_free(&p);
}

static void test_five_rounds_are_too_few_and_six_are_not(void **state)
{
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_plain, 300000000, 30000000);
	p.measurement[0].samples = 5;
	pair_judge(&p, &findings);
	assert_severity(&findings, "too-few-rounds", SEVERITY_FLAG);
	findings_free(&findings);
	p.measurement[0].samples = 6;
	pair_judge(&p, &findings);
	assert_null(findings_find(&findings, "too-few-rounds"));
	findings_free(&findings);
	pair_free(&p);
}

static void test_fresh_data_on_a_virtual_disk_is_a_note(void **state)
{
	static const struct finding_kind shown = { .head.id = "read-cache-below-horizon" };
	struct findings findings;
	struct pair p;

	pair_make(&p, scene_plain, 300000000, 30000000);
	p.direct.evidence.conduct.recently_written = true;
	pair_judge(&p, &findings);
	assert_severity(&findings, "recently-written", SEVERITY_NOTE);
	findings_free(&findings);
	finding_add(&p.measurement[0].findings, &shown, SEVERITY_FLAG, "vda");
	pair_judge(&p, &findings);
	assert_severity(&findings, "recently-written", SEVERITY_FLAG);
	findings_free(&findings);
	findings_free(&p.measurement[0].findings);
	pair_free(&p);
}

static void scene_nfs(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "nfs4", "nfs4");
	stack_append(&s->stack, LAYER_REMOTE, 1, "server", "nas:/export");
}

static void scene_hidden(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	stack_append(&s->stack, LAYER_HIDDEN, 1, "device", "8:1");
}

static void scene_loop_hidden(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	scene_block(s, LAYER_LOOP, 1, "loop", "loop3", 0x703);
	stack_append(&s->stack, LAYER_HIDDEN, 2, "file", "backing file");
}

static void scene_unknown(struct scene *s)
{
	stack_append(&s->stack, LAYER_UNKNOWN, 0, "weirdfs", "weirdfs");
}

static void scene_hypervisor(struct scene *s)
{
	scene_plain(s);
	stack_append(&s->stack, LAYER_HIDDEN, 3, "hypervisor", "hypervisor");
}

static void test_layers_above_the_horizon_are_flagged_and_below_it_are_not(void **state)
{
	static const struct {
		void (*build)(struct scene *s);
		const char *id; /* NULL: no flag */
	} rows[] = {
		{ scene_nfs, "network-layer" },
		{ scene_hidden, "unknown-layer" },
		{ scene_loop_hidden, "unknown-layer" },
		{ scene_unknown, "unknown-layer" },
		{ scene_ntfs, "fuse-layer" },
		{ scene_hypervisor, NULL },
		{ scene_btrfs, NULL },
	};
	struct findings findings;
	struct pair p;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		pair_make(&p, rows[i].build, 300000000, 30000000);
		pair_judge(&p, &findings);
		if (rows[i].id)
			assert_severity(&findings, rows[i].id, SEVERITY_FLAG);
		else
			assert_nothing_above_note(&findings);
		findings_free(&findings);
		pair_free(&p);
	}
}

static void test_device_without_any_counter_is_never_silent(void **state)
{
	struct findings findings = { 0 };
	struct scene s;

	scene_honest(&s, scene_hidden, SCENE_DIRECT);
	scene_judge(&s, RULE_ROUND, &findings);
	assert_severity(&findings, "witness-unavailable", SEVERITY_FLAG);
	findings_free(&findings);
	stack_free(&s.stack);
}

/* What a finding leaves to read: every kind has its texts, and its id is told by one file only. */
static void test_every_kind_says_what_it_means_and_what_to_do(void **state)
{
	struct registry_view view;

	assert_int_equal(registry_view(&registry_findings, &view), 0);
	registry_for_each(member, &view) {
		const struct finding_kind *kind = registry_entry(*member, struct finding_kind);

		assert_true(strlen(kind->head.summary) > 10);
		assert_true(strlen(kind->meaning) > 60);
		assert_true(strlen(kind->established) > 20);
		assert_true(strlen(kind->remedy) > 20);
	}
	registry_view_free(&view);
}

static void test_rules_and_claims_are_registered(void **state)
{
	static const char *const rule[] = { "served-from-page-cache", "direct-io-swallowed",
		"direct-io-unsupported", "direct-not-slower-than-warm", "loop-backing-cached",
		"memory-backed", "unwritten-extents", "data-elided", "cache-state", "fuse-layer",
		"network-layer", "unknown-layer", "missing-privilege", "witness-unavailable",
		"foreign-io", "recently-written", "unproved-below-horizon", "too-few-rounds" };
	enum claim claim;

	for (size_t i = 0; i < ARRAY_SIZE(rule); i++)
		assert_non_null(registry_find(&registry_rules, rule[i]));
	for (int i = 0; i < CLAIM_COUNT; i++) {
		assert_int_equal(claim_parse(claim_name((enum claim)i), &claim), 0);
		assert_int_equal(claim, i);
	}
	assert_int_equal(claim_parse("fast-read", &claim), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest_measurement_is_trusted_with_its_horizon_named),
		cmocka_unit_test(test_physical_disk_has_no_note_below_it),
		cmocka_unit_test(test_array_with_one_virtual_disk_is_noted_with_all_its_disks),
		cmocka_unit_test(test_direct_as_fast_as_warm_over_fuse_is_flagged),
		cmocka_unit_test(test_direct_as_fast_as_warm_is_refused_when_no_disk_moved),
		cmocka_unit_test(test_slow_direct_over_fuse_is_flagged_for_the_server_alone),
		cmocka_unit_test(test_fast_disk_that_is_counted_is_not_accused),
		cmocka_unit_test(test_refused_direct_io_needs_no_round),
		cmocka_unit_test(test_five_rounds_are_too_few_and_six_are_not),
		cmocka_unit_test(test_fresh_data_on_a_virtual_disk_is_a_note),
		cmocka_unit_test(test_layers_above_the_horizon_are_flagged_and_below_it_are_not),
		cmocka_unit_test(test_device_without_any_counter_is_never_silent),
		cmocka_unit_test(test_every_kind_says_what_it_means_and_what_to_do),
		cmocka_unit_test(test_rules_and_claims_are_registered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
