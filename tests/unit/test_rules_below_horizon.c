// SPDX-License-Identifier: GPL-2.0-or-later
// The signatures of cache modes (figures of QEMU guests), and the findings that follow.
#include "rules_case.h"

#include "rules/below_horizon.h"

#define MS(x) ((uint64_t)((x)*1000000))

struct below {
	struct scene scene;
	struct experiments experiments;
	struct measurement measurement;
	const struct measurement *sibling;
};

static void set_touch(struct experiments *e, double ratio, double slow_share)
{
	struct first_touch_experiment *t = &e->first_touch;

	t->state.done = true;
	t->device_virtual = true;
	t->device = t->device ? t->device : xstrdup("vda");
	t->regions = FIRST_TOUCH_REGIONS;
	for (unsigned i = 0; i < FIRST_TOUCH_REGIONS; i++)
		t->region[i] = (struct first_touch_region){ .pairs = 200,
			.ratio = ratio,
			.ratio_low = ratio - 0.02,
			.ratio_high = ratio + 0.02,
			.slow_share = slow_share };
	t->pairs = 200 * FIRST_TOUCH_REGIONS;
	t->ratio = ratio;
	t->ratio_low = ratio - 0.01;
	t->ratio_high = ratio + 0.01;
	t->slow_share = slow_share;
	t->retouch_median_ns = 100000;
}

static void set_flush(
	struct experiments *e, const double ms[FLUSH_SCALING_STEPS], enum answer volatile_cache)
{
	struct flush_scaling_experiment *f = &e->flush_scaling;

	f->state.done = true;
	f->device = f->device ? f->device : xstrdup("vda");
	for (unsigned i = 0; i < FLUSH_SCALING_STEPS; i++)
		f->ns[i] = MS(ms[i]);
	f->write_ns = MS(0.1);
	f->volatile_cache = volatile_cache;
	f->flush_counted = volatile_cache == ANSWER_YES;
}

static const double grows[] = { 0.4, 1.2, 2.3, 7.7, 30 };
static const double flat[] = { 0.2, 0.4, 0.4, 0.5, 0.5 };
static const double nothing[] = { 0.01, 0.01, 0.01, 0.02, 0.02 };
static const double one_slow[] = { 0.2, 0.4, 0.4, 0.5, 30 };
static const double noisy[] = { 5.9, 12.8, 6.8, 7.4, 4.0 };
static const double some_slow[] = { 5.9, 12.8, 0.3, 7.4, 0.4 };
static const double row_of_slow[] = { 0.5, 16, 0.4, 15, 35 };
static const double busy[] = { 24, 19, 26, 22, 25 };

static void test_modes_have_their_signatures(void **state)
{
	static const struct {
		double ratio;
		const double *flush;
		enum answer volatile_cache;
		enum cache_mode mode;
	} rows[] = {
		{ 1.70, grows, ANSWER_YES, CACHE_MODE_WRITEBACK },
		{ 1.36, flat, ANSWER_YES, CACHE_MODE_FLUSH_IGNORED },
		{ 1.50, nothing, ANSWER_NO, CACHE_MODE_WRITETHROUGH },
		{ 0.99, flat, ANSWER_YES, CACHE_MODE_BYPASSED },
		{ 0.99, nothing, ANSWER_NO, CACHE_MODE_BYPASSED },
		/* a cache that holds all already, or the disk's own */
		{ 1.00, grows, ANSWER_YES, CACHE_MODE_CANNOT_TELL },
		{ 1.09, flat, ANSWER_YES, CACHE_MODE_CANNOT_TELL },
		/* slow first flushes, as on a busy machine */
		{ 1.36, some_slow, ANSWER_YES, CACHE_MODE_FLUSH_IGNORED },
		/* flat, and far from free */
		{ 1.36, noisy, ANSWER_YES, CACHE_MODE_CANNOT_TELL },
		{ 1.00, noisy, ANSWER_NO, CACHE_MODE_BYPASSED },
		{ 1.00, busy, ANSWER_NO, CACHE_MODE_BYPASSED },
		{ 1.50, busy, ANSWER_NO, CACHE_MODE_WRITETHROUGH },
		/* neither flat nor growing */
		{ 1.70, row_of_slow, ANSWER_YES, CACHE_MODE_CANNOT_TELL },
		{ 1.70, one_slow, ANSWER_YES, CACHE_MODE_CANNOT_TELL },
		{ 1.70, busy, ANSWER_YES, CACHE_MODE_CANNOT_TELL },
		{ 1.00, busy, ANSWER_YES, CACHE_MODE_CANNOT_TELL },
		/* the queue and the device contradict each other */
		{ 1.70, flat, ANSWER_UNKNOWN, CACHE_MODE_CANNOT_TELL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct experiments e = { 0 };

		set_touch(&e, rows[i].ratio, 0.01);
		set_flush(&e, rows[i].flush, rows[i].volatile_cache);
		assert_string_equal(
			cache_mode_name(cache_mode_classify(&e)), cache_mode_name(rows[i].mode));
		experiments_free(&e);
	}
}

/* QEMU `unsafe`, busy machine: the last flush was slow, and one after nothing was too. */
static void test_slow_flush_among_slow_ones_is_no_write_cache(void **state)
{
	static const double by_chance[] = { 1.2, 2.0, 1.6, 2.6, 11 };
	struct experiments e = { 0 };

	set_touch(&e, 1.36, 0.01);
	set_flush(&e, by_chance, ANSWER_YES);
	e.flush_scaling.empty_p90_ns = MS(2.2);
	e.flush_scaling.empty_max_ns = MS(2.4);
	assert_int_equal(flush_shape_of(&e.flush_scaling), FLUSH_GROWS);
	e.flush_scaling.empty_max_ns = MS(6);
	assert_int_equal(flush_shape_of(&e.flush_scaling), FLUSH_UNKNOWN);
	e.flush_scaling.empty_max_ns = MS(2.8);
	e.flush_scaling.empty_p90_ns = MS(2.7);
	assert_int_equal(flush_shape_of(&e.flush_scaling), FLUSH_UNKNOWN);
	experiments_free(&e);
}

static void make_ignored(struct experiments *e)
{
	*e = (struct experiments){ 0 };
	set_touch(e, 1.36, 0.01);
	set_flush(e, flat, ANSWER_YES);
}

static void expect_cannot_tell(struct experiments *e)
{
	assert_int_equal(cache_mode_classify(e), CACHE_MODE_CANNOT_TELL);
	experiments_free(e);
}

static void test_mode_is_not_named_without_both_experiments(void **state)
{
	struct experiments e = { 0 };

	expect_cannot_tell(&e);
	make_ignored(&e);
	e.first_touch.state.done = false;
	expect_cannot_tell(&e);
	make_ignored(&e);
	e.flush_scaling.state.done = false;
	expect_cannot_tell(&e);
	make_ignored(&e);
	e.flush_scaling.ns[FLUSH_SCALING_STEPS - 1] = 0; /* not reached */
	expect_cannot_tell(&e);
}

static void test_mode_is_not_named_for_physical_or_different_disks(void **state)
{
	struct experiments e;

	make_ignored(&e);
	e.first_touch.device_virtual = false;
	expect_cannot_tell(&e);
	make_ignored(&e);
	e.flush_scaling.device[2] = 'b';
	expect_cannot_tell(&e);
}

/* Its slow first reads may be those of a snapshot, which says nothing of flushes. */
static void test_mode_is_not_named_for_a_volume_that_may_hydrate(void **state)
{
	struct experiments e;

	make_ignored(&e);
	e.first_touch.may_hydrate = true;
	expect_cannot_tell(&e);
}

/* Ratio 1.03, and a fifth of the blocks came from far away: seen on a cloud's virtual machine. */
static void test_mode_is_not_named_by_few_slow_blocks(void **state)
{
	struct experiments e;

	make_ignored(&e);
	set_touch(&e, 1.03, 0.18);
	assert_int_equal(touch_answer_of(&e.first_touch), TOUCH_CACHED);
	expect_cannot_tell(&e);
}

/* QEMU's NVMe under `writethrough`: declared as write back, and a flush has nothing to do. */
static void test_flush_is_not_called_ignored_where_writes_wait(void **state)
{
	struct experiments e;

	make_ignored(&e);
	assert_int_equal(cache_mode_classify(&e), CACHE_MODE_FLUSH_IGNORED);
	e.flush_scaling.write_ns = 3 * e.first_touch.retouch_median_ns;
	expect_cannot_tell(&e);
}

static void test_uncounted_flushes_name_no_mode(void **state)
{
	struct experiments e;

	make_ignored(&e);
	e.flush_scaling.flush_counted = false;
	expect_cannot_tell(&e);
}

static void test_few_pairs_show_nothing(void **state)
{
	struct experiments e;

	make_ignored(&e);
	for (unsigned i = 0; i < FIRST_TOUCH_REGIONS; i++)
		e.first_touch.region[i].pairs = 10;
	assert_int_not_equal(touch_answer_of(&e.first_touch), TOUCH_CACHED);
	set_touch(&e, 1, 0);
	e.first_touch.pairs = 60;
	assert_int_equal(touch_answer_of(&e.first_touch), TOUCH_UNKNOWN);
	experiments_free(&e);
}

static void test_share_of_slow_first_reads_shows_a_cache_alone(void **state)
{
	struct experiments e = { 0 };

	set_touch(&e, 1.01, 0.108);
	assert_int_equal(touch_answer_of(&e.first_touch), TOUCH_CACHED);
	experiments_free(&e);
}

/* Heavy tails put as many re-touches there. */
static void test_slow_first_reads_that_chance_explains_show_nothing(void **state)
{
	struct experiments e = { 0 };

	set_touch(&e, 1.0, 0.05);
	for (unsigned i = 0; i < FIRST_TOUCH_REGIONS; i++)
		e.first_touch.region[i].slow_share_again = 0.03;
	assert_int_equal(touch_answer_of(&e.first_touch), TOUCH_UNKNOWN);
	experiments_free(&e);
}

static void test_one_slower_region_is_not_called_a_cache(void **state)
{
	struct experiments e = { 0 };

	set_touch(&e, 1.01, 0.01);
	e.first_touch.region[3].ratio_low = 1.4;
	assert_int_equal(touch_answer_of(&e.first_touch), TOUCH_ONE_REGION);
	experiments_free(&e);
}

/* Hostile or broken figures must not lead beyond the array. */
static void test_more_regions_than_there_are_is_survived(void **state)
{
	struct experiments e = { 0 };

	set_touch(&e, 1.5, 0);
	e.first_touch.regions = 1000;
	assert_int_equal(touch_answer_of(&e.first_touch), TOUCH_CACHED);
	experiments_free(&e);
}

static void below_make(struct below *b, enum claim claim, double ratio, const double *flush)
{
	*b = (struct below){ 0 };
	scene_honest(&b->scene, scene_plain, SCENE_DIRECT);
	set_touch(&b->experiments, ratio, 0.01);
	set_flush(&b->experiments, flush, ANSWER_YES);
	b->measurement = (struct measurement){ .workload = "read-path", .claim = claim };
	b->sibling = &b->measurement;
	b->scene.evidence.claim = claim;
	b->scene.evidence.experiments = &b->experiments;
	b->scene.evidence.ledger = NULL;
	b->scene.evidence.measurement = &b->measurement;
	b->scene.evidence.sibling = &b->sibling;
	b->scene.evidence.siblings = 1;
}

static void set_physical(struct below *b)
{
	b->experiments.first_touch.device_virtual = false;
	layer_set_trait(&b->scene.stack.layer[scene_index(&b->scene, "vda")], TRAIT_VIRTUAL,
		ANSWER_NO, KNOWN_INFERRED, "ata");
}

static void below_judge(struct below *b, struct findings *ret)
{
	*ret = (struct findings){ 0 };
	scene_judge(&b->scene, RULE_MEASUREMENT, ret);
}

static void below_free(struct below *b, struct findings *findings)
{
	findings_free(findings);
	stack_free(&b->scene.stack);
	experiments_free(&b->experiments);
}

/* Judges one case; id NULL: none of ours is said. */
static void expect(struct below *b, const char *id, enum severity severity)
{
	static const char *const ours[] = { "read-cache-below-horizon", "first-touch-penalty",
		"device-cache", "write-cache-below-horizon", "flush-ignored-below-horizon",
		"flush-unproved-below-horizon" };
	struct findings findings;

	below_judge(b, &findings);
	if (id)
		assert_severity(&findings, id, severity);
	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (!id || strcmp(ours[i], id) != 0)
			assert_null(findings_find(&findings, ours[i]));
	below_free(b, &findings);
}

static void test_read_cache_flags_device_reads_of_virtual_disks(void **state)
{
	struct below b;

	below_make(&b, CLAIM_DEVICE_READ, 1.7, grows);
	expect(&b, "read-cache-below-horizon", SEVERITY_FLAG);
	below_make(&b, CLAIM_DEVICE_READ, 1.0, flat);
	expect(&b, NULL, SEVERITY_NOTE);
	below_make(&b, CLAIM_PAGE_CACHE_READ, 1.7, grows);
	expect(&b, NULL, SEVERITY_NOTE);
}

static void test_physical_disk_has_a_cache_of_its_own(void **state)
{
	struct below b;

	below_make(&b, CLAIM_DEVICE_READ, 1.7, flat);
	set_physical(&b);
	expect(&b, "device-cache", SEVERITY_NOTE);
	below_make(&b, CLAIM_DEVICE_WRITE, 1.0, grows);
	set_physical(&b);
	expect(&b, "device-cache", SEVERITY_NOTE);
}

static void test_single_place_and_cloud_volumes_have_a_penalty_only(void **state)
{
	struct below b;

	below_make(&b, CLAIM_DEVICE_READ, 1.0, flat);
	b.experiments.first_touch.region[0].ratio_low = 2;
	expect(&b, "first-touch-penalty", SEVERITY_NOTE);
	below_make(&b, CLAIM_DEVICE_READ, 3.0, flat);
	b.experiments.first_touch.may_hydrate = true;
	expect(&b, "first-touch-penalty", SEVERITY_NOTE);
}

static void test_growing_flush_flags_writes_and_is_noted_for_durable_ones(void **state)
{
	struct below b;

	below_make(&b, CLAIM_DEVICE_WRITE, 1.0, grows);
	expect(&b, "write-cache-below-horizon", SEVERITY_FLAG);
	below_make(&b, CLAIM_DURABLE_WRITE, 1.7, grows);
	expect(&b, "write-cache-below-horizon", SEVERITY_NOTE);
}

/* What was just written is in a cache that has been shown: no longer a mere possibility. */
static void test_fresh_data_above_a_cache_that_was_shown_is_flagged(void **state)
{
	static const struct {
		const char *name;
		double ratio;
		bool hydrates, physical, one_place, old;
		int severity; /* -1: not said */
	} row[] = {
		{ "no cache seen", 1.0, false, false, false, false, SEVERITY_NOTE },
		{ "a cache shown", 1.7, false, false, false, false, SEVERITY_FLAG },
		{ "a cache shown, and old data", 1.7, false, false, false, true, -1 },
		{ "a volume that fetches its blocks", 1.7, true, false, false, false,
			SEVERITY_NOTE },
		{ "slower in one place alone", 1.0, false, false, true, false, SEVERITY_NOTE },
		{ "a physical disk", 1.7, false, true, false, false, -1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct findings findings;
		struct below b;

		print_message("  %s\n", row[i].name);
		below_make(&b, CLAIM_DEVICE_READ, row[i].ratio, flat);
		b.experiments.first_touch.may_hydrate = row[i].hydrates;
		if (row[i].physical)
			set_physical(&b);
		if (row[i].one_place)
			b.experiments.first_touch.region[0].ratio_low = 2;
		b.scene.evidence.conduct.recently_written = !row[i].old;
		below_judge(&b, &findings);
		if (row[i].severity >= 0)
			assert_severity(
				&findings, "recently-written", (enum severity)row[i].severity);
		else
			assert_null(findings_find(&findings, "recently-written"));
		below_free(&b, &findings);
	}
}

/* A slow disk's 64 MiB were not reached: 0 ms would be a lie. */
static void test_flush_times_are_those_of_the_steps_that_were_made(void **state)
{
	static const double unfinished[] = { 3.4, 3.6, 2.3, 15.6, 0 };
	const struct finding *finding;
	struct findings findings;
	struct below b;

	below_make(&b, CLAIM_DURABLE_WRITE, 1.0, unfinished);
	below_judge(&b, &findings);
	finding = findings_find(&findings, "flush-unproved-below-horizon");
	assert_non_null(finding);
	assert_string_equal(finding->message,
		"a flush at vda took 3.40 ms after a block and 15.60 ms after 16 MiB");
	below_free(&b, &findings);
}

static void test_ignored_flush_flags_writes_and_durable_ones(void **state)
{
	struct below b;

	below_make(&b, CLAIM_DEVICE_WRITE, 1.4, flat);
	expect(&b, "flush-ignored-below-horizon", SEVERITY_FLAG);
	below_make(&b, CLAIM_DURABLE_WRITE, 1.4, flat);
	expect(&b, "flush-ignored-below-horizon", SEVERITY_FLAG);
}

static void test_flat_flush_without_a_cache_is_unproved(void **state)
{
	struct below b;

	below_make(&b, CLAIM_DURABLE_WRITE, 1.0, flat);
	expect(&b, "flush-unproved-below-horizon", SEVERITY_NOTE);
	below_make(&b, CLAIM_DURABLE_WRITE, 1.0, nothing);
	b.experiments.flush_scaling.volatile_cache = ANSWER_NO;
	b.experiments.flush_scaling.flush_counted = false;
	expect(&b, "flush-unproved-below-horizon", SEVERITY_NOTE);
	below_make(&b, CLAIM_DEVICE_WRITE, 1.0, flat);
	expect(&b, NULL, SEVERITY_NOTE);
}

static void test_without_experiments_nothing_is_said(void **state)
{
	struct below b;

	below_make(&b, CLAIM_DURABLE_WRITE, 1.4, flat);
	b.scene.evidence.experiments = NULL;
	expect(&b, NULL, SEVERITY_NOTE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes_have_their_signatures),
		cmocka_unit_test(test_slow_flush_among_slow_ones_is_no_write_cache),
		cmocka_unit_test(test_mode_is_not_named_without_both_experiments),
		cmocka_unit_test(test_mode_is_not_named_for_physical_or_different_disks),
		cmocka_unit_test(test_mode_is_not_named_for_a_volume_that_may_hydrate),
		cmocka_unit_test(test_mode_is_not_named_by_few_slow_blocks),
		cmocka_unit_test(test_flush_is_not_called_ignored_where_writes_wait),
		cmocka_unit_test(test_uncounted_flushes_name_no_mode),
		cmocka_unit_test(test_few_pairs_show_nothing),
		cmocka_unit_test(test_share_of_slow_first_reads_shows_a_cache_alone),
		cmocka_unit_test(test_slow_first_reads_that_chance_explains_show_nothing),
		cmocka_unit_test(test_one_slower_region_is_not_called_a_cache),
		cmocka_unit_test(test_more_regions_than_there_are_is_survived),
		cmocka_unit_test(test_read_cache_flags_device_reads_of_virtual_disks),
		cmocka_unit_test(test_physical_disk_has_a_cache_of_its_own),
		cmocka_unit_test(test_single_place_and_cloud_volumes_have_a_penalty_only),
		cmocka_unit_test(test_growing_flush_flags_writes_and_is_noted_for_durable_ones),
		cmocka_unit_test(test_fresh_data_above_a_cache_that_was_shown_is_flagged),
		cmocka_unit_test(test_flush_times_are_those_of_the_steps_that_were_made),
		cmocka_unit_test(test_ignored_flush_flags_writes_and_durable_ones),
		cmocka_unit_test(test_flat_flush_without_a_cache_is_unproved),
		cmocka_unit_test(test_without_experiments_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
