// SPDX-License-Identifier: GPL-2.0-or-later
// device-write, buffered-write and metadata-op: where the bytes were when the timer stopped.
#include "rules_write_case.h"

static void scene_zfs(struct scene *s)
{
	stack_append(&s->stack, LAYER_DATASET, 0, "zfs", "tank/data");
	stack_append(&s->stack, LAYER_POOL, 1, "pool", "tank");
	scene_disk(s, 2);
}

static struct layer *layer_of(struct scene *s, const char *name)
{
	return &s->stack.layer[scene_index(s, name)];
}

static void nothing_arrived(struct scene *s)
{
	scene_all_written(s, 0);
	s->ledger.machine.pages_dirtied = PAGES;
}

static void nothing_arrived_buffered(struct scene *s)
{
	nothing_arrived(s);
	s->ledger.asked.direct = s->evidence.conduct.direct = false;
}

/* 321 MiB at the disk meanwhile, and none of them ours. */
static void neighbour_writes_instead(struct scene *s)
{
	nothing_arrived(s);
	scene_reading(s, "vda1")->ours_known = false;
	scene_reading(s, "vda1")->total.write_bytes = 321 * MIB;
	scene_reading(s, "vda")->total.write_bytes = 321 * MIB;
}

static void neighbour_writes_beside(struct scene *s)
{
	scene_reading(s, "vda")->total.write_bytes += 321 * MIB;
}

/* Others dirty what they like: no whole multiple of our pages. */
static void neighbour_dirties(struct scene *s)
{
	s->ledger.machine.pages_dirtied = PAGES * 5 / 2;
}

static void one_percent_less(struct scene *s)
{
	scene_all_written(s, ASKED - ASKED / 100);
}

static void fallback(struct scene *s)
{
	s->ledger.machine.pages_dirtied = PAGES + 45;
}

static void fallback_twice(struct scene *s)
{
	s->ledger.machine.pages_dirtied = 2 * PAGES + 90;
}

/* Pages of 64 KiB: sixteen times fewer, and the same lie. */
static void fallback_large_pages(struct scene *s)
{
	s->ledger.machine.page_bytes = 64 * KIB;
	s->ledger.machine.pages_dirtied = ASKED / (64 * KIB) + 3;
}

static void journalled_data(struct scene *s)
{
	layer_set_trait(&s->stack.layer[0], TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED,
		"mount option data=journal");
}

static void pages_left(struct scene *s)
{
	scene_residency(&s->ledger.before, 0);
	scene_residency(&s->ledger.after, PAGES);
}

static void few_bytes(struct scene *s)
{
	s->ledger.asked.bytes = s->ledger.asked.distinct_bytes = 64 * KIB;
	s->ledger.asked.ios = 16;
	scene_all_written(s, 64 * KIB);
	s->ledger.machine.pages_dirtied = 16;
}

/* The second pass over a block with O_DIRECT is a write of its own. */
static void rewritten(struct scene *s)
{
	s->ledger.asked.bytes = 2 * ASKED;
	scene_all_written(s, 2 * ASKED);
}

static void rewritten_and_merged(struct scene *s)
{
	s->ledger.asked.bytes = 2 * ASKED;
}

static void loop_buffered(struct scene *s)
{
	layer_set_trait(layer_of(s, "loop3"), TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED,
		"sys/block/loop3/loop/dio = 0");
}

static void loop_mode_unknown(struct scene *s)
{
	layer_set_trait(
		layer_of(s, "loop3"), TRAIT_HONOURS_DIRECT, ANSWER_UNKNOWN, KNOWN_NOT, "none");
}

static void compressed(struct scene *s)
{
	layer_set_trait(&s->stack.layer[0], TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_DECLARED,
		"mount option compress=zstd");
	scene_all_written(s, 7 * MIB);
}

static void compression_on_incompressible(struct scene *s)
{
	layer_set_trait(&s->stack.layer[0], TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_DECLARED,
		"mount option compress=zstd");
	s->ledger.extents = (struct extents){
		.known = true, .written_bytes = ASKED, .count = 2, .source = "FIEMAP"
	};
}

static void lazy_init(struct scene *s)
{
	scene_all_written(s, ASKED + 64 * MIB);
}

static void little_more(struct scene *s)
{
	scene_all_written(s, ASKED + 10 * MIB);
}

static void dead_counter(struct scene *s)
{
	layer_set_trait(layer_of(s, "vda"), TRAIT_COUNTED, ANSWER_NO, KNOWN_MEASURED, "iostats");
}

static void unprivileged(struct scene *s)
{
	scene_unprivileged(s, 0);
}

static void hidden_disk(struct scene *s)
{
	stack_free(&s->stack);
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	stack_append(&s->stack, LAYER_HIDDEN, 1, "device", "8:1");
}

static void says_reads(struct scene *s)
{
	s->ledger.asked.write = false;
}

static void already_dirty(struct scene *s)
{
	s->ledger.machine.pages_dirtied = 3;
}

static void dirtied_unknown(struct scene *s)
{
	s->ledger.machine.dirtied_known = false;
}

static void used_direct(struct scene *s)
{
	s->ledger.asked.direct = true;
}

static void synced(struct scene *s)
{
	s->ledger.asked.syncs = 1;
}

static void on_tmpfs(struct scene *s)
{
	s->ledger.machine.pages_dirtied = 0;
}

static const struct write_row rows[] = {
	{ "direct on a disk", scene_plain, CLAIM_DEVICE_WRITE, NULL, NULL, 0, NULL },
	{ "direct in a fixture", scene_fixture, CLAIM_DEVICE_WRITE, NULL, NULL, 0, NULL },
	{ "direct on btrfs, two disks", scene_btrfs, CLAIM_DEVICE_WRITE, NULL, NULL, 0, NULL },
	{ "one percent less", scene_plain, CLAIM_DEVICE_WRITE, one_percent_less, NULL, 0, NULL },
	{ "written twice, direct", scene_plain, CLAIM_DEVICE_WRITE, rewritten, NULL, 0, NULL },
	{ "a neighbour told apart", scene_plain, CLAIM_DEVICE_WRITE, neighbour_writes_beside, NULL,
		0, NULL },
	{ "too little to tell by pages", scene_plain, CLAIM_DEVICE_WRITE, few_bytes, NULL, 0,
		NULL },
	{ "incompressible under compression", scene_plain, CLAIM_DEVICE_WRITE,
		compression_on_incompressible, NULL, 0, NULL },
	{ "four percent of background", scene_fixture, CLAIM_DEVICE_WRITE, little_more, NULL, 0,
		NULL },

	{ "swallowed", scene_plain, CLAIM_DEVICE_WRITE, nothing_arrived, "direct-io-swallowed",
		SEVERITY_REFUSE, "ext4" },
	{ "swallowed by a server", scene_bindfs, CLAIM_DEVICE_WRITE, nothing_arrived,
		"direct-io-swallowed", SEVERITY_REFUSE, "bindfs" },
	{ "swallowed beside a neighbour", scene_plain, CLAIM_DEVICE_WRITE, neighbour_writes_instead,
		"direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "merged in a cache", scene_plain, CLAIM_DEVICE_WRITE, rewritten_and_merged,
		"direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "buffered, not arrived", scene_plain, CLAIM_DEVICE_WRITE, nothing_arrived_buffered,
		"absorbed-by-page-cache", SEVERITY_REFUSE, "ext4" },
	{ "fallback", scene_plain, CLAIM_DEVICE_WRITE, fallback, "direct-io-fallback",
		SEVERITY_FLAG, "ext4" },
	{ "fallback in two layers", scene_fixture, CLAIM_DEVICE_WRITE, fallback_twice,
		"direct-io-fallback", SEVERITY_FLAG, "ext4" },
	{ "fallback, 64 KiB pages", scene_plain, CLAIM_DEVICE_WRITE, fallback_large_pages,
		"direct-io-fallback", SEVERITY_FLAG, "ext4" },
	{ "pages dirtied, by whom is not known", scene_plain, CLAIM_DEVICE_WRITE, neighbour_dirties,
		"direct-io-undecided", SEVERITY_FLAG, "ext4" },
	{ "data=journal", scene_plain, CLAIM_DEVICE_WRITE, journalled_data, "direct-io-fallback",
		SEVERITY_FLAG, "ext4" },
	{ "pages left behind", scene_plain, CLAIM_DEVICE_WRITE, pages_left, "direct-io-fallback",
		SEVERITY_FLAG, "ext4" },
	{ "loop with a cache", scene_fixture, CLAIM_DEVICE_WRITE, loop_buffered,
		"loop-backing-cached", SEVERITY_REFUSE, "loop3" },
	{ "loop of unknown mode", scene_fixture, CLAIM_DEVICE_WRITE, loop_mode_unknown,
		"witness-unavailable", SEVERITY_FLAG, "loop3" },
	{ "compressed away", scene_plain, CLAIM_DEVICE_WRITE, compressed, "data-elided",
		SEVERITY_REFUSE, "ext4" },
	{ "memory", scene_tmpfs, CLAIM_DEVICE_WRITE, NULL, "memory-backed", SEVERITY_REFUSE,
		"tmpfs" },
	{ "a quarter of background", scene_fixture, CLAIM_DEVICE_WRITE, lazy_init,
		"background-writes", SEVERITY_FLAG, "loop3" },
	{ "dead counter", scene_plain, CLAIM_DEVICE_WRITE, dead_counter, "witness-unavailable",
		SEVERITY_FLAG, "vda" },
	{ "unprivileged", scene_plain, CLAIM_DEVICE_WRITE, unprivileged, "missing-privilege",
		SEVERITY_FLAG, "vda" },
	{ "hidden disk", scene_plain, CLAIM_DEVICE_WRITE, hidden_disk, "unknown-layer",
		SEVERITY_FLAG, "8:1" },
	{ "a ledger of reads", scene_plain, CLAIM_DEVICE_WRITE, says_reads, "witness-unavailable",
		SEVERITY_FLAG, NULL },

	{ "buffered on a disk", scene_plain, CLAIM_BUFFERED_WRITE, NULL, NULL, 0, NULL },
	{ "buffered on tmpfs", scene_tmpfs, CLAIM_BUFFERED_WRITE, on_tmpfs, NULL, 0, NULL },
	{ "buffered, memory's rate", scene_plain, CLAIM_BUFFERED_WRITE, NULL, "memory-speed",
		SEVERITY_NOTE, NULL },
	{ "buffered, pages dirty before", scene_plain, CLAIM_BUFFERED_WRITE, already_dirty,
		"writes-not-buffered", SEVERITY_REFUSE, NULL },
	{ "buffered, by O_DIRECT", scene_plain, CLAIM_BUFFERED_WRITE, used_direct,
		"writes-not-buffered", SEVERITY_REFUSE, NULL },
	{ "buffered, with a sync", scene_plain, CLAIM_BUFFERED_WRITE, synced, "writes-not-buffered",
		SEVERITY_FLAG, NULL },
	{ "buffered, nr_dirtied not known", scene_plain, CLAIM_BUFFERED_WRITE, dirtied_unknown,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "buffered by a server", scene_sshfs, CLAIM_BUFFERED_WRITE, NULL, "witness-unavailable",
		SEVERITY_FLAG, NULL },
	{ "buffered by ZFS", scene_zfs, CLAIM_BUFFERED_WRITE, NULL, "witness-unavailable",
		SEVERITY_FLAG, NULL },

	{ "names", scene_plain, CLAIM_METADATA_OP, NULL, "closing-sync", SEVERITY_NOTE, NULL },
	{ "names with a sync", scene_plain, CLAIM_METADATA_OP, synced, "closing-sync",
		SEVERITY_NOTE, NULL },
	{ "names on tmpfs", scene_tmpfs, CLAIM_METADATA_OP, NULL, NULL, 0, NULL },
};

static void test_writes_by_table(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		write_row_check(&rows[i]);
}

static void judge_with(struct scene *s, const struct experiments *x, struct findings *ret)
{
	s->evidence.experiments = x;
	scene_judge_whole(s, ret);
}

/* ext4 and xfs say what alignment direct I/O needs: others' pages do not cast doubt on them. */
static void test_neighbours_pages_do_not_accuse_declared_direct_io(void **state)
{
	struct experiments x = { 0 };
	struct findings findings = { 0 };
	struct scene s;

	x.direct.state.done = true;
	x.direct.alignment_declared = true;
	x.direct.memory_alignment = 4;
	scene_honest_write(&s, scene_plain, CLAIM_DEVICE_WRITE);
	neighbour_dirties(&s);
	judge_with(&s, &x, &findings);
	assert_nothing_above_note(&findings);
	findings_free(&findings);
	fallback(&s); /* one interval, as in a licence */
	s.evidence.experiments = &x;
	assert_int_equal(rules_judge(RULE_TARGET, &s.evidence, &findings), 0);
	assert_nothing_above_note(&findings);
	findings_free(&findings);
	stack_free(&s.stack);
}

/* Rounds beside neighbours; only the quietest counts. */
static void judge_rounds(const uint64_t *dirtied, size_t rounds, const char *wanted)
{
	struct sample sample[6] = { 0 };
	struct measurement m = { .claim = CLAIM_DEVICE_WRITE, .sample = sample, .samples = rounds };
	struct findings findings = { 0 };
	struct scene s;

	scene_honest_write(&s, scene_plain, CLAIM_DEVICE_WRITE);
	for (size_t i = 0; i < rounds; i++) {
		sample[i].ledger = s.ledger;
		sample[i].ledger.machine.pages_dirtied = dirtied[i];
	}
	s.evidence.ledger = NULL;
	s.evidence.measurement = &m;
	assert_int_equal(rules_judge(RULE_TARGET, &s.evidence, &findings), 0);
	if (wanted)
		assert_severity(&findings, wanted, SEVERITY_FLAG);
	else
		assert_nothing_above_note(&findings);
	findings_free(&findings);
	stack_free(&s.stack);
}

static void test_quietest_round_decides_about_fallback(void **state)
{
	const uint64_t buffered[] = { 3 * PAGES / 2, 2 * PAGES + 900, PAGES + 36, PAGES * 4 };
	const uint64_t honest[] = { 3 * PAGES / 2, PAGES + 36, 45, PAGES * 4 };
	const uint64_t noisy[] = { 3 * PAGES / 2, PAGES * 4, PAGES * 5, PAGES * 6 };

	judge_rounds(buffered, ARRAY_SIZE(buffered), "direct-io-fallback");
	judge_rounds(honest, ARRAY_SIZE(honest), NULL);
	judge_rounds(noisy, ARRAY_SIZE(noisy), "direct-io-undecided");
}

static void test_elided_zeros_are_a_note(void **state)
{
	struct experiments x = { .elision = { .state.done = true,
					 .size = 16 * MIB,
					 .stored_random = 16 * MIB,
					 .stored_zeros = 512 * KIB } };
	struct findings findings = { 0 };
	struct scene s;

	scene_honest_write(&s, scene_plain, CLAIM_DEVICE_WRITE);
	judge_with(&s, &x, &findings);
	assert_severity(&findings, "data-elided", SEVERITY_NOTE);
	findings_free(&findings);
	stack_free(&s.stack);
}

/* xfs: the blocks were allocated ahead, by an earlier write. */
static void test_zeros_that_reached_the_device_are_not_elided(void **state)
{
	struct experiments x = { .elision = { .state.done = true,
					 .size = 4 * MIB,
					 .moved_known = true,
					 .moved_random = 4 * MIB,
					 .moved_zeros = 4 * MIB,
					 .stored_random = 8 * MIB,
					 .stored_zeros = 0 } };
	struct findings findings = { 0 };
	struct scene s;

	scene_honest_write(&s, scene_plain, CLAIM_DEVICE_WRITE);
	judge_with(&s, &x, &findings);
	assert_null(findings_find(&findings, "data-elided"));
	findings_free(&findings);
	stack_free(&s.stack);
}

static void test_message_says_how_much_was_written_where(void **state)
{
	struct findings findings = { 0 };
	const struct finding *finding;
	struct scene s;

	scene_honest_write(&s, scene_fixture, CLAIM_DEVICE_WRITE);
	scene_writes(&s, "vda1", 0);
	scene_writes(&s, "vda", 0);
	loop_buffered(&s);
	scene_judge_whole(&s, &findings);
	finding = findings_find(&findings, "loop-backing-cached");
	assert_non_null(finding);
	assert_non_null(
		strstr(finding->message, "asked 256 MiB, loop3 256 MiB, vda1 0 B, vda 0 B"));
	findings_free(&findings);
	stack_free(&s.stack);
}

static void test_closing_sync_is_said_inside_or_not(void **state)
{
	static const char *const wanted[] = { "no sync is inside the timer",
		"the closing sync is inside the timer" };

	for (unsigned syncs = 0; syncs < 2; syncs++) {
		struct findings findings = { 0 };
		struct scene s;

		scene_honest_write(&s, scene_plain, CLAIM_METADATA_OP);
		s.ledger.asked.syncs = syncs;
		scene_judge_whole(&s, &findings);
		assert_non_null(
			strstr(findings_find(&findings, "closing-sync")->message, wanted[syncs]));
		assert_int_equal(findings_verdict(&findings), VERDICT_TRUSTED);
		findings_free(&findings);
		stack_free(&s.stack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_by_table),
		cmocka_unit_test(test_neighbours_pages_do_not_accuse_declared_direct_io),
		cmocka_unit_test(test_quietest_round_decides_about_fallback),
		cmocka_unit_test(test_elided_zeros_are_a_note),
		cmocka_unit_test(test_zeros_that_reached_the_device_are_not_elided),
		cmocka_unit_test(test_message_says_how_much_was_written_where),
		cmocka_unit_test(test_closing_sync_is_said_inside_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
