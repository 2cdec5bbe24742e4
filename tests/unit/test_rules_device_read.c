// SPDX-License-Identifier: GPL-2.0-or-later
// device-read: each lie is caught at its layer, and the honest twin beside it is not accused.
#include "rules_case.h"

static void nothing_read(struct scene *s)
{
	scene_all_read(s, 0);
}

static void nothing_read_before_resident(struct scene *s)
{
	scene_all_read(s, 0);
	scene_residency(&s->ledger.before, 0);
}

static void one_percent_less(struct scene *s)
{
	scene_all_read(s, ASKED - ASKED / 100);
}

static void three_percent_less(struct scene *s)
{
	scene_all_read(s, ASKED - 3 * ASKED / 100);
}

/* 321 MiB at the disk, none of them ours. */
static void neighbour_reads_instead(struct scene *s)
{
	nothing_read(s);
	scene_reading(s, "vda")->total.read_bytes = 321 * MIB;
	scene_reading(s, "vda1")->total.read_bytes = 321 * MIB;
}

/* The cgroup counts whole disks only, as the kernel does. */
static void neighbour_reads_instead_of_disk(struct scene *s)
{
	neighbour_reads_instead(s);
	scene_reading(s, "vda1")->ours_known = false;
}

static void neighbour_reads_beside(struct scene *s)
{
	scene_reading(s, "vda")->total.read_bytes += 321 * MIB;
}

static void direct_left_pages(struct scene *s)
{
	scene_residency(&s->ledger.after, PAGES);
}

/* Someone else reads a tenth of the same file meanwhile. */
static void neighbour_left_pages(struct scene *s)
{
	scene_residency(&s->ledger.after, PAGES / 10);
}

static void declared_not_direct(struct scene *s)
{
	layer_set_trait(&s->stack.layer[0], TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED,
		"STATX_DIOALIGN = 0/0");
}

static void loop_swallows(struct scene *s)
{
	scene_reads(s, "vda1", 0);
	scene_reads(s, "vda", 0);
}

static void loop_buffered(struct scene *s)
{
	layer_set_trait(&s->stack.layer[scene_index(s, "loop3")], TRAIT_HONOURS_DIRECT, ANSWER_NO,
		KNOWN_DECLARED, "sys/block/loop3/loop/dio = 0");
}

static void loop_switched_meanwhile(struct scene *s)
{
	s->ledger.layer[scene_index(s, "loop3")].loop_direct = ANSWER_NO;
}

static void loop_buffered_and_swallows(struct scene *s)
{
	loop_buffered(s);
	loop_swallows(s);
}

static void loop_dead_and_swallowed(struct scene *s)
{
	layer_set_trait(&s->stack.layer[scene_index(s, "loop3")], TRAIT_COUNTED, ANSWER_NO,
		KNOWN_MEASURED, "calibration");
	nothing_read(s);
}

static void small_direct_blocks(struct scene *s)
{
	s->ledger.asked.ios = 8192;
	s->ledger.asked.bytes = s->ledger.asked.distinct_bytes = 8192 * 4 * KIB;
	s->ledger.extents.written_bytes = s->ledger.asked.bytes;
	scene_all_read(s, s->ledger.asked.bytes);
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.layer[i].total.reads = s->ledger.layer[i].ours.reads = 8192;
}

/* Measured: 8,192 direct reads were 17 I/Os at the disk under a loop device with a cache. */
static void readahead_below_loop(struct scene *s)
{
	small_direct_blocks(s);
	scene_reading(s, "vda1")->total.reads = scene_reading(s, "vda1")->ours.reads = 17;
	scene_reading(s, "vda")->total.reads = scene_reading(s, "vda")->ours.reads = 17;
}

static void readahead_above_disk(struct scene *s)
{
	small_direct_blocks(s);
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.layer[i].total.reads = s->ledger.layer[i].ours.reads = 17;
}

static void unwritten(struct scene *s)
{
	nothing_read(s);
	s->ledger.extents.written_bytes = 0;
	s->ledger.extents.unwritten_bytes = ASKED;
}

static void half_holes(struct scene *s)
{
	scene_all_read(s, ASKED / 2);
	s->ledger.extents.written_bytes = s->ledger.extents.hole_bytes = ASKED / 2;
}

static void one_hole(struct scene *s)
{
	s->ledger.extents.written_bytes = ASKED - 4096;
	s->ledger.extents.hole_bytes = 4096;
}

static void compressed(struct scene *s)
{
	scene_all_read(s, 7 * MIB);
	s->ledger.extents.written_bytes = 0;
	s->ledger.extents.encoded_bytes = ASKED;
}

static void compression_on_incompressible(struct scene *s)
{
	layer_set_trait(
		&s->stack.layer[0], TRAIT_ELIDES_DATA, ANSWER_YES, KNOWN_DECLARED, "compress=zstd");
}

static void image_compressed(struct scene *s)
{
	for (size_t i = 0; i < s->stack.count; i++)
		if (s->stack.layer[i].level == 3)
			layer_set_trait(&s->stack.layer[i], TRAIT_ELIDES_DATA, ANSWER_YES,
				KNOWN_DECLARED, "compress=zstd");
	loop_swallows(s);
}

static void still_resident(struct scene *s)
{
	scene_residency(&s->ledger.before, PAGES / 2);
}

static void few_pages_resident(struct scene *s)
{
	scene_residency(&s->ledger.before, PAGES / 200);
}

static void zram_disk(struct scene *s)
{
	layer_set_trait(&s->stack.layer[scene_index(s, "vda")], TRAIT_IN_MEMORY, ANSWER_YES,
		KNOWN_INFERRED, "zram");
}

static void half_of_each_branch(struct scene *s)
{
	scene_reads(s, "vda1", ASKED / 2);
	scene_reads(s, "vda", ASKED / 2);
	scene_reads(s, "vdb", ASKED / 2);
}

static void one_branch_missing(struct scene *s)
{
	half_of_each_branch(s);
	scene_reads(s, "vdb", 0);
}

/* A thin volume answers for blocks that were never written. */
static void scene_thin(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	scene_block(s, LAYER_LVM, 1, "thin", "dm-0", 0xfe00);
	scene_block(s, LAYER_DISK, 2, "virtio_blk", "vda", 0xfd00);
}

static void volume_only(struct scene *s)
{
	scene_reads(s, "vda", 0);
}

static void all_dead(struct scene *s)
{
	for (size_t i = 0; i < s->stack.count; i++)
		layer_set_trait(&s->stack.layer[i], TRAIT_COUNTED, ANSWER_NO, KNOWN_DECLARED,
			"queue/iostats = 0");
}

static void all_dead_zero(struct scene *s)
{
	scene_all_read(s, 0);
	s->ledger.process.read_bytes = ASKED;
	all_dead(s);
}

static void all_dead_and_cached(struct scene *s)
{
	scene_all_read(s, 0);
	all_dead(s);
}

/* Nobody calibrated: a counter that did not move at all may be dead. */
static void uncalibrated_zero(struct scene *s)
{
	all_dead_zero(s);
	for (size_t i = 0; i < s->stack.count; i++)
		layer_set_trait(
			&s->stack.layer[i], TRAIT_COUNTED, ANSWER_UNKNOWN, KNOWN_NOT, "none");
}

static const struct scene_row lies[] = {
	{ "cold, 0 bytes at the loop", scene_fixture, SCENE_COLD, nothing_read_before_resident,
		"served-from-page-cache", SEVERITY_REFUSE, "ext4" },
	{ "cold, 0 bytes at a plain disk", scene_plain, SCENE_COLD, nothing_read,
		"served-from-page-cache", SEVERITY_REFUSE, "ext4" },
	{ "cold, 3 % missing", scene_plain, SCENE_COLD, three_percent_less,
		"served-from-page-cache", SEVERITY_REFUSE, "ext4" },
	{ "cold, a neighbour's bytes instead of ours", scene_plain, SCENE_COLD,
		neighbour_reads_instead, "served-from-page-cache", SEVERITY_REFUSE, "ext4" },
	{ "direct, the same where partitions are not attributed", scene_plain, SCENE_DIRECT,
		neighbour_reads_instead_of_disk, "direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "cold, counters dead, /proc/self/io says 0", scene_plain, SCENE_COLD, all_dead_and_cached,
		"served-from-page-cache", SEVERITY_REFUSE, "ext4" },
	{ "cold, one branch of btrfs missing", scene_btrfs, SCENE_COLD, one_branch_missing,
		"served-from-page-cache", SEVERITY_REFUSE, "btrfs" },
	{ "direct, 0 bytes at a plain disk", scene_plain, SCENE_DIRECT, nothing_read,
		"direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "direct, ntfs-3g over a loop, 0 bytes", scene_ntfs, SCENE_DIRECT, nothing_read,
		"direct-io-swallowed", SEVERITY_REFUSE, "ntfs-3g" },
	{ "cold, ntfs-3g over a loop, 0 bytes", scene_ntfs, SCENE_COLD, nothing_read,
		"served-from-page-cache", SEVERITY_REFUSE, "ntfs-3g" },
	{ "direct, bindfs, 0 at the disk and at all disks", scene_bindfs, SCENE_DIRECT,
		nothing_read, "direct-io-swallowed", SEVERITY_REFUSE, "bindfs" },
	{ "cold, bindfs, 0 at the disk and at all disks", scene_bindfs, SCENE_COLD, nothing_read,
		"served-from-page-cache", SEVERITY_REFUSE, "bindfs" },
	{ "direct, all bytes at the disk and all pages left behind", scene_plain, SCENE_DIRECT,
		direct_left_pages, "direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "direct, declared without direct I/O", scene_plain, SCENE_DIRECT, declared_not_direct,
		"direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "direct, 4 KiB, 17 I/Os at the first device", scene_plain, SCENE_DIRECT,
		readahead_above_disk, "direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "direct, bytes at the loop and not at the disk", scene_fixture, SCENE_DIRECT,
		loop_swallows, "loop-backing-cached", SEVERITY_REFUSE, "loop3" },
	{ "direct, loop without direct I/O, bytes match", scene_fixture, SCENE_DIRECT,
		loop_buffered, "loop-backing-cached", SEVERITY_REFUSE, "loop3" },
	{ "direct, loop switched to buffered, bytes match", scene_fixture, SCENE_DIRECT,
		loop_switched_meanwhile, "loop-backing-cached", SEVERITY_REFUSE, "loop3" },
	{ "cold, loop without direct I/O, 0 at the disk", scene_fixture, SCENE_COLD,
		loop_buffered_and_swallows, "loop-backing-cached", SEVERITY_REFUSE, "loop3" },
	{ "direct, 4 KiB, 8192 I/Os at the loop and 17 at the disk", scene_fixture, SCENE_DIRECT,
		readahead_below_loop, "loop-backing-cached", SEVERITY_REFUSE, "loop3" },
	{ "direct, loop counter dead, 0 at the disk", scene_fixture, SCENE_DIRECT,
		loop_dead_and_swallowed, "direct-io-swallowed", SEVERITY_REFUSE, "ext4" },
	{ "direct, bytes at the volume and not at its disk", scene_thin, SCENE_DIRECT, volume_only,
		"bytes-missing-below", SEVERITY_REFUSE, "dm-0" },
	{ "direct, never written", scene_plain, SCENE_DIRECT, unwritten, "unwritten-extents",
		SEVERITY_REFUSE, NULL },
	{ "cold, half of it holes", scene_plain, SCENE_COLD, half_holes, "holes", SEVERITY_REFUSE,
		NULL },
	{ "cold, compressed to 7 MiB", scene_plain, SCENE_COLD, compressed, "data-elided",
		SEVERITY_REFUSE, NULL },
	{ "direct, the loop's image is compressed", scene_fixture, SCENE_DIRECT, image_compressed,
		"data-elided", SEVERITY_REFUSE, "ext4" },
	{ "cold, half resident before", scene_plain, SCENE_COLD, still_resident, "cache-not-cold",
		SEVERITY_REFUSE, NULL },
	{ "direct on tmpfs", scene_tmpfs, SCENE_DIRECT, NULL, "memory-backed", SEVERITY_REFUSE,
		"tmpfs" },
	{ "cold on zram", scene_plain, SCENE_COLD, zram_disk, "memory-backed", SEVERITY_REFUSE,
		"vda" },
};

static const struct scene_row honest[] = {
	{ "cold on a fixture", scene_fixture, SCENE_COLD, NULL, NULL, 0, NULL },
	{ "direct on a fixture", scene_fixture, SCENE_DIRECT, NULL, NULL, 0, NULL },
	{ "cold on a plain disk", scene_plain, SCENE_COLD, NULL, NULL, 0, NULL },
	{ "direct on a plain disk", scene_plain, SCENE_DIRECT, NULL, NULL, 0, NULL },
	{ "cold, 1 % less", scene_plain, SCENE_COLD, one_percent_less, NULL, 0, NULL },
	{ "cold, a few pages resident", scene_plain, SCENE_COLD, few_pages_resident, NULL, 0,
		NULL },
	{ "direct beside a busy neighbour, told apart", scene_fixture, SCENE_DIRECT,
		neighbour_reads_beside, NULL, 0, NULL },
	{ "direct, a neighbour reads some of the file", scene_plain, SCENE_DIRECT,
		neighbour_left_pages, NULL, 0, NULL },
	{ "direct, 4 KiB blocks", scene_fixture, SCENE_DIRECT, small_direct_blocks, NULL, 0, NULL },
	{ "direct, one hole of 4 KiB", scene_plain, SCENE_DIRECT, one_hole, NULL, 0, NULL },
	{ "direct, compression on and data incompressible", scene_plain, SCENE_DIRECT,
		compression_on_incompressible, NULL, 0, NULL },
	{ "direct on a thin volume, written", scene_thin, SCENE_DIRECT, NULL, NULL, 0, NULL },
	{ "cold, btrfs over branches of different depth", scene_btrfs, SCENE_COLD,
		half_of_each_branch, NULL, 0, NULL },
};

static void test_each_lie_is_refused_at_its_layer(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++)
		scene_row_check(&lies[i]);
}

static void test_honest_reads_are_not_accused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(honest); i++)
		scene_row_check(&honest[i]);
}

static void judged(struct scene *s, void (*build)(struct scene *), enum scene_case which,
	void (*spoil)(struct scene *), struct findings *ret)
{
	*ret = (struct findings){ 0 };
	scene_honest(s, build, which);
	if (spoil)
		spoil(s);
	scene_judge(s, RULE_ROUND, ret);
	stack_free(&s->stack);
}

static void test_dead_counter_is_flagged_and_never_refused(void **state)
{
	void (*const spoil[])(struct scene *) = { all_dead_zero, uncalibrated_zero };
	struct findings findings;
	struct scene s;

	for (size_t i = 0; i < ARRAY_SIZE(spoil); i++) {
		judged(&s, scene_plain, SCENE_DIRECT, spoil[i], &findings);
		assert_severity(&findings, "witness-unavailable", SEVERITY_FLAG);
		assert_int_equal(findings_verdict(&findings), VERDICT_FLAGGED);
		findings_free(&findings);
	}
}

/* A few others count at the disk under bindfs: the counters prove nothing either way. */
static void neighbour_under_bindfs(struct scene *s)
{
	nothing_read(s);
	scene_reading(s, "vda")->total.read_bytes = 321 * MIB;
	scene_reading(s, "vda1")->total.read_bytes = 321 * MIB;
	s->ledger.machine.disks.read_bytes = 321 * MIB;
}

static void disks_unknown_under_bindfs(struct scene *s)
{
	nothing_read(s);
	s->ledger.machine.disks_known = false;
}

/* The name was wrong: another disk serves it. */
static void other_disk_under_bindfs(struct scene *s)
{
	nothing_read(s);
	s->ledger.machine.disks.read_bytes = ASKED;
}

static void test_bindfs_is_refused_only_when_no_disk_saw_the_bytes(void **state)
{
	void (*const spoil[])(struct scene *) = { neighbour_under_bindfs,
		disks_unknown_under_bindfs, other_disk_under_bindfs };
	struct findings findings;
	struct scene s;

	for (size_t i = 0; i < ARRAY_SIZE(spoil); i++) {
		judged(&s, scene_bindfs, SCENE_DIRECT, spoil[i], &findings);
		assert_null(findings_find(&findings, "direct-io-swallowed"));
		assert_int_not_equal(findings_verdict(&findings), VERDICT_REFUSED);
		findings_free(&findings);
	}
}

/* The server is another process: its bytes are never ours, and 0 of ours is no lie. */
static void not_ours_below_fuse(struct scene *s)
{
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.layer[i].ours = (struct transfer){ 0 };
}

static void test_bytes_of_a_fuse_server_need_not_be_ours(void **state)
{
	struct findings findings;
	struct scene s;

	judged(&s, scene_ntfs, SCENE_COLD, not_ours_below_fuse, &findings);
	assert_int_not_equal(findings_verdict(&findings), VERDICT_REFUSED);
	findings_free(&findings);
}

static void test_missing_bytes_are_told_with_their_figures(void **state)
{
	const struct finding *finding;
	struct findings findings;
	struct scene s;

	judged(&s, scene_fixture, SCENE_DIRECT, loop_swallows, &findings);
	finding = findings_find(&findings, "loop-backing-cached");
	assert_non_null(finding);
	assert_string_equal(finding->message, "asked 256 MiB, loop3 256 MiB, vda1 0 B, vda 0 B");
	assert_int_equal(
		json_integer_value(json_object_get(finding->observed, "counted_bytes")), 0);
	assert_string_equal(finding->source, "sys/block/vda1/stat; private cgroup");
	findings_free(&findings);
}

/* Extents explain the missing bytes: no cache is accused on top. */
static void test_unwritten_file_is_not_called_cached(void **state)
{
	struct findings findings;
	struct scene s;

	judged(&s, scene_plain, SCENE_DIRECT, unwritten, &findings);
	assert_null(findings_find(&findings, "direct-io-swallowed"));
	findings_free(&findings);
	judged(&s, scene_plain, SCENE_COLD, half_holes, &findings);
	assert_null(findings_find(&findings, "served-from-page-cache"));
	findings_free(&findings);
}

static void asked_nothing(struct scene *s)
{
	s->ledger.asked = (struct asked){ 0 };
}

static void test_a_round_that_read_nothing_is_not_trusted(void **state)
{
	struct findings findings;
	struct scene s;

	judged(&s, scene_plain, SCENE_COLD, asked_nothing, &findings);
	assert_int_equal(findings_verdict(&findings), VERDICT_FLAGGED);
	findings_free(&findings);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_lie_is_refused_at_its_layer),
		cmocka_unit_test(test_honest_reads_are_not_accused),
		cmocka_unit_test(test_dead_counter_is_flagged_and_never_refused),
		cmocka_unit_test(test_bindfs_is_refused_only_when_no_disk_saw_the_bytes),
		cmocka_unit_test(test_bytes_of_a_fuse_server_need_not_be_ours),
		cmocka_unit_test(test_missing_bytes_are_told_with_their_figures),
		cmocka_unit_test(test_unwritten_file_is_not_called_cached),
		cmocka_unit_test(test_a_round_that_read_nothing_is_not_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
