// SPDX-License-Identifier: GPL-2.0-or-later
// durable-write: a flush after the data at every leaf that needs one, and honest twins let be.
#include "rules_write_case.h"

static struct layer *layer_of(struct scene *s, const char *name)
{
	return &s->stack.layer[scene_index(s, name)];
}

/* Stacks. */

static void named_fs(struct scene *s, const char *type)
{
	stack_append(&s->stack, LAYER_FS, 0, type, type);
	scene_disk(s, 1);
}

static void scene_xfs(struct scene *s)
{
	named_fs(s, "xfs");
}

static void scene_md(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "xfs", "xfs");
	scene_block(s, LAYER_MD, 1, "raid0", "md0", 0x900);
	scene_block(s, LAYER_DISK, 2, "sd", "sda", 0x800);
	scene_block(s, LAYER_DISK, 2, "sd", "sdb", 0x810);
}

static void scene_crypt(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	scene_block(s, LAYER_CRYPT, 1, "dm-crypt", "dm-0", 0xfe00);
	scene_disk(s, 2);
}

static void scene_lvm(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	scene_block(s, LAYER_LVM, 1, "linear", "dm-1", 0xfe01);
	scene_block(s, LAYER_DISK, 2, "sd", "sda", 0x800);
	scene_block(s, LAYER_DISK, 2, "sd", "sdb", 0x810);
}

static void scene_volatile_overlay(struct scene *s)
{
	struct layer *layer = stack_append(&s->stack, LAYER_FS, 0, "overlay", "overlay");

	layer_set_trait(
		layer, TRAIT_PASSES_FLUSH, ANSWER_NO, KNOWN_DECLARED, "mount option volatile");
	stack_append(&s->stack, LAYER_OVERLAY_UPPER, 1, "directory", "/upper");
	stack_append(&s->stack, LAYER_FS, 2, "ext4", "ext4");
	scene_disk(s, 3);
}

/* Honest twins. */

static void write_through(struct scene *s)
{
	scene_cache(s, "vda", ANSWER_NO);
	scene_flushes(s, "vda", 0);
}

static void eight_threads(struct scene *s)
{
	s->ledger.asked.threads = 8;
	scene_flushes(s, "vda", SYNCS / 4);
}

/* Half of the bytes at each disk, a flush at both. */
static void striped(struct scene *s)
{
	scene_writes(s, "sda", ASKED / 2);
	scene_writes(s, "sdb", ASKED / 2);
}

static void mirrored(struct scene *s)
{
	scene_writes(s, "sda", ASKED);
	scene_writes(s, "sdb", ASKED);
}

static void one_disk_of_volume(struct scene *s)
{
	scene_writes(s, "sdb", 0);
	scene_flushes(s, "sdb", 0);
}

/* dm-crypt writes from its own threads: nobody is charged; quiet intervals tell. */
static void charged_to_nobody(struct scene *s)
{
	scene_reading(s, "vda")->ours = (struct transfer){ 0 };
	scene_reading(s, "vda1")->ours_known = false;
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.background[i] = (struct background){ .known = s->stack.layer[i].sysfs };
}

static void buffered_loop(struct scene *s)
{
	layer_set_trait(layer_of(s, "loop3"), TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED,
		"sys/block/loop3/loop/dio = 0");
	charged_to_nobody(s);
}

static void buffered_loop_unbounded(struct scene *s)
{
	buffered_loop(s);
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.background[i].known = false;
}

static void buffered_loop_among_neighbours(struct scene *s)
{
	buffered_loop(s);
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.background[i].write_bytes_per_s = 500e6;
}

/* Each fsync of 4 KiB also writes a journal: five times the bytes, and honest. */
static void small_records(struct scene *s)
{
	s->ledger.asked.bytes = s->ledger.asked.distinct_bytes = 4096 * (uint64_t)SYNCS;
	scene_all_written(s, 5 * s->ledger.asked.bytes);
	s->ledger.machine.pages_dirtied = 2 * SYNCS;
}

static void neighbour_beside(struct scene *s)
{
	scene_reading(s, "vda")->total.write_bytes += 300 * MIB;
	scene_reading(s, "vda")->flushes += 100;
}

static void batches(struct scene *s)
{
	s->ledger.asked.syncs = 16;
	scene_flushes(s, "vda", 16);
}

static void clean_syncs_too(struct scene *s)
{
	s->ledger.asked.syncs = 3 * SYNCS;
	scene_flushes(s, "vda", SYNCS);
}

/* Liars. */

static void no_flush(struct scene *s)
{
	scene_all_flushed(s, 0);
}

static void half_the_flushes(struct scene *s)
{
	scene_flushes(s, "vda", SYNCS / 2);
}

static void threads_no_flush(struct scene *s)
{
	s->ledger.asked.threads = 8;
	scene_flushes(s, "vda", 0);
}

static void loop_flushes_disk_not(struct scene *s)
{
	scene_flushes(s, "vda", 0);
}

static void second_disk_not_flushed(struct scene *s)
{
	striped(s);
	scene_flushes(s, "sdb", 0);
}

static void nobarrier(struct scene *s)
{
	layer_set_trait(&s->stack.layer[0], TRAIT_PASSES_FLUSH, ANSWER_NO, KNOWN_DECLARED,
		"mount option nobarrier");
	no_flush(s);
}

/* A neighbour's flushes at the same disk hide nothing. */
static void nobarrier_and_neighbour(struct scene *s)
{
	nobarrier(s);
	scene_flushes(s, "vda", 5000);
}

static void nobarrier_on_write_through(struct scene *s)
{
	nobarrier(s);
	write_through(s);
}

static void eatmydata(struct scene *s)
{
	scene_all_written(s, 0);
	no_flush(s);
}

static void cache_overridden(struct scene *s)
{
	write_through(s);
	layer_set_trait(layer_of(s, "vda"), TRAIT_CACHE_OVERRIDDEN, ANSWER_YES, KNOWN_DECLARED,
		"sys/block/vda/cache_type = write back");
}

static void loop_overridden(struct scene *s)
{
	scene_cache(s, "loop3", ANSWER_NO);
	scene_flushes(s, "loop3", 0);
	layer_set_trait(layer_of(s, "loop3"), TRAIT_CACHE_OVERRIDDEN, ANSWER_YES, KNOWN_INFERRED,
		"sys/block/loop3/queue/write_cache = write through");
}

static void fua(struct scene *s)
{
	layer_set_trait(layer_of(s, "vda"), TRAIT_FUA, ANSWER_YES, KNOWN_DECLARED, "queue/fua = 1");
	no_flush(s);
}

static void fua_and_no_bytes(struct scene *s)
{
	fua(s);
	scene_all_written(s, 0);
}

static void loop_keeps_them(struct scene *s)
{
	buffered_loop(s);
	scene_writes(s, "vda1", 0);
	scene_writes(s, "vda", 0);
	scene_flushes(s, "vda", 0);
}

static void server_ignores_fsync(struct scene *s)
{
	scene_cache(s, "vda", ANSWER_YES);
	scene_flushes(s, "vda", 0);
}

static void server_syncs_each_tenth_time(struct scene *s)
{
	server_ignores_fsync(s);
	scene_flushes(s, "vda", SYNCS / 10);
}

/* Not known. */

static void flushes_unknown(struct scene *s)
{
	scene_reading(s, "vda")->flushes_known = false;
}

static void cache_unknown(struct scene *s)
{
	scene_cache(s, "vda", ANSWER_UNKNOWN);
	scene_flushes(s, "vda", 0);
}

static void cache_unknown_and_flushed(struct scene *s)
{
	scene_cache(s, "vda", ANSWER_UNKNOWN);
}

static void no_sync(struct scene *s)
{
	s->ledger.asked.syncs = 0;
}

static void nothing_written(struct scene *s)
{
	s->ledger.asked.bytes = s->ledger.asked.distinct_bytes = 0;
}

static void no_cgroup(struct scene *s)
{
	scene_no_cgroup(s);
}

static const struct write_row twins[] = {
	{ "ext4 on a virtio disk", scene_plain, CLAIM_DURABLE_WRITE, NULL, NULL, 0, NULL },
	{ "xfs on a virtio disk", scene_xfs, CLAIM_DURABLE_WRITE, NULL, NULL, 0, NULL },
	{ "btrfs on two disks", scene_btrfs, CLAIM_DURABLE_WRITE, NULL, NULL, 0, NULL },
	{ "ext4 fixture", scene_fixture, CLAIM_DURABLE_WRITE, NULL, NULL, 0, NULL },
	{ "a disk that writes through", scene_plain, CLAIM_DURABLE_WRITE, write_through, NULL, 0,
		NULL },
	{ "nobarrier on one of those", scene_plain, CLAIM_DURABLE_WRITE, nobarrier_on_write_through,
		NULL, 0, NULL },
	{ "eight threads share flushes", scene_plain, CLAIM_DURABLE_WRITE, eight_threads, NULL, 0,
		NULL },
	{ "md stripe", scene_md, CLAIM_DURABLE_WRITE, striped, NULL, 0, NULL },
	{ "md mirror", scene_md, CLAIM_DURABLE_WRITE, mirrored, NULL, 0, NULL },
	{ "dm-crypt", scene_crypt, CLAIM_DURABLE_WRITE, charged_to_nobody, NULL, 0, NULL },
	{ "a volume, all on one of its disks", scene_lvm, CLAIM_DURABLE_WRITE, one_disk_of_volume,
		NULL, 0, NULL },
	{ "a buffered loop that is flushed", scene_fixture, CLAIM_DURABLE_WRITE, buffered_loop,
		NULL, 0, NULL },
	{ "4 KiB records with a journal", scene_plain, CLAIM_DURABLE_WRITE, small_records, NULL, 0,
		NULL },
	{ "4 KiB records on a fixture", scene_fixture, CLAIM_DURABLE_WRITE, small_records, NULL, 0,
		NULL },
	{ "a neighbour told apart", scene_plain, CLAIM_DURABLE_WRITE, neighbour_beside, NULL, 0,
		NULL },
	{ "a sync every 16 records", scene_plain, CLAIM_DURABLE_WRITE, batches, NULL, 0, NULL },
	{ "syncs with nothing to sync", scene_plain, CLAIM_DURABLE_WRITE, clean_syncs_too, NULL, 0,
		NULL },
	{ "cache not known, and flushed", scene_plain, CLAIM_DURABLE_WRITE,
		cache_unknown_and_flushed, NULL, 0, NULL },
};

static const struct write_row liars[] = {
	{ "no flush", scene_plain, CLAIM_DURABLE_WRITE, no_flush, "flush-not-sent", SEVERITY_REFUSE,
		"vda" },
	{ "half of the flushes", scene_plain, CLAIM_DURABLE_WRITE, half_the_flushes,
		"flush-not-sent", SEVERITY_REFUSE, "vda" },
	{ "eight threads, no flush", scene_plain, CLAIM_DURABLE_WRITE, threads_no_flush,
		"flush-not-sent", SEVERITY_REFUSE, "vda" },
	{ "the loop is flushed, its disk not", scene_fixture, CLAIM_DURABLE_WRITE,
		loop_flushes_disk_not, "flush-not-sent", SEVERITY_REFUSE, "vda" },
	{ "one disk of a stripe is not flushed", scene_md, CLAIM_DURABLE_WRITE,
		second_disk_not_flushed, "flush-not-sent", SEVERITY_REFUSE, "sdb" },
	{ "nobarrier", scene_plain, CLAIM_DURABLE_WRITE, nobarrier, "flush-not-sent",
		SEVERITY_REFUSE, "ext4" },
	{ "nobarrier beside a neighbour", scene_plain, CLAIM_DURABLE_WRITE, nobarrier_and_neighbour,
		"flush-not-sent", SEVERITY_REFUSE, "ext4" },
	{ "volatile overlay", scene_volatile_overlay, CLAIM_DURABLE_WRITE, NULL, "flush-not-sent",
		SEVERITY_REFUSE, "overlay" },
	{ "eatmydata: no flush", scene_plain, CLAIM_DURABLE_WRITE, eatmydata, "flush-not-sent",
		SEVERITY_REFUSE, "vda" },
	{ "eatmydata: no bytes", scene_plain, CLAIM_DURABLE_WRITE, eatmydata,
		"absorbed-by-page-cache", SEVERITY_REFUSE, "ext4" },
	{ "write_cache switched on a disk", scene_plain, CLAIM_DURABLE_WRITE, cache_overridden,
		"write-cache-overridden", SEVERITY_REFUSE, "vda" },
	{ "write_cache switched on a loop", scene_fixture, CLAIM_DURABLE_WRITE, loop_overridden,
		"write-cache-overridden", SEVERITY_REFUSE, "loop3" },
	{ "FUA, not observed", scene_plain, CLAIM_DURABLE_WRITE, fua, "fua-unproved", SEVERITY_FLAG,
		"vda" },
	{ "FUA, and no bytes", scene_plain, CLAIM_DURABLE_WRITE, fua_and_no_bytes, "flush-not-sent",
		SEVERITY_REFUSE, "vda" },
	{ "a buffered loop that keeps them", scene_fixture, CLAIM_DURABLE_WRITE, loop_keeps_them,
		"loop-backing-cached", SEVERITY_REFUSE, "loop3" },
	{ "memory", scene_tmpfs, CLAIM_DURABLE_WRITE, NULL, "memory-backed", SEVERITY_REFUSE,
		"tmpfs" },
	{ "a server", scene_bindfs, CLAIM_DURABLE_WRITE, NULL, "fuse-layer", SEVERITY_FLAG,
		"bindfs" },
	{ "a server that ignores fsync", scene_bindfs, CLAIM_DURABLE_WRITE, server_ignores_fsync,
		"flush-not-sent", SEVERITY_FLAG, "vda" },
	{ "a server that syncs each tenth time", scene_bindfs, CLAIM_DURABLE_WRITE,
		server_syncs_each_tenth_time, "flush-not-sent", SEVERITY_FLAG, "vda" },
	{ "a server elsewhere", scene_sshfs, CLAIM_DURABLE_WRITE, NULL, "fuse-layer", SEVERITY_FLAG,
		"sshfs" },
	{ "a buffered loop, others unbounded", scene_fixture, CLAIM_DURABLE_WRITE,
		buffered_loop_unbounded, "witness-unavailable", SEVERITY_FLAG, NULL },
	{ "a buffered loop, a busy disk", scene_fixture, CLAIM_DURABLE_WRITE,
		buffered_loop_among_neighbours, "foreign-io", SEVERITY_FLAG, "vda" },
	{ "flushes not counted", scene_plain, CLAIM_DURABLE_WRITE, flushes_unknown,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "cache not known, not flushed", scene_plain, CLAIM_DURABLE_WRITE, cache_unknown,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "no sync", scene_plain, CLAIM_DURABLE_WRITE, no_sync, "witness-unavailable",
		SEVERITY_FLAG, NULL },
	{ "nothing written", scene_plain, CLAIM_DURABLE_WRITE, nothing_written,
		"witness-unavailable", SEVERITY_FLAG, NULL },
	{ "nobody's cgroup", scene_plain, CLAIM_DURABLE_WRITE, no_cgroup, "witness-unavailable",
		SEVERITY_FLAG, NULL },
};

static void test_honest_syncs_are_not_accused(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(twins); i++)
		write_row_check(&twins[i]);
}

static void test_syncs_without_a_flush_are_caught(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(liars); i++)
		write_row_check(&liars[i]);
}

static void test_reason_is_named_with_figures(void **state)
{
	struct findings findings = { 0 };
	const struct finding *finding;
	struct scene s;

	scene_honest_write(&s, scene_plain, CLAIM_DURABLE_WRITE);
	nobarrier(&s);
	scene_judge_whole(&s, &findings);
	finding = findings_find(&findings, "flush-not-sent");
	assert_non_null(finding);
	assert_string_equal(finding->message,
		"ext4 passes no flush on (mount option nobarrier): "
		"256 syncs, 0 flushes at vda");
	assert_non_null(strstr(finding->source, "sys/block/vda/stat"));
	findings_free(&findings);
	stack_free(&s.stack);
}

/* The experiment's three ledgers, all honest. */
static void flush_experiment(const struct scene *s, struct experiments *x)
{
	*x = (struct experiments){ .flush = { .state.done = true, .syncs = SYNCS } };
	x->flush.fsync_raw = x->flush.fdatasync_raw = x->flush.fsync_library = s->ledger;
	x->flush.fsync_raw_ns = x->flush.fsync_library_ns = 140000;
}

static void judge_experiment(struct scene *s, const struct experiments *x, const char *wanted)
{
	struct findings findings = { 0 };

	s->evidence.experiments = x;
	scene_judge_whole(s, &findings);
	if (wanted)
		assert_severity(&findings, wanted, SEVERITY_REFUSE);
	else
		assert_nothing_above_note(&findings);
	findings_free(&findings);
}

static void test_library_that_intercepts_fsync_is_caught(void **state)
{
	struct experiments x;
	struct scene s;
	int vda;

	scene_honest_write(&s, scene_plain, CLAIM_DURABLE_WRITE);
	vda = scene_index(&s, "vda");
	flush_experiment(&s, &x);
	judge_experiment(&s, &x, NULL);
	x.flush.fsync_library.layer[vda].flushes = 0;
	judge_experiment(&s, &x, NULL); /* as slow as the system call: a neighbour's flushes */
	x.flush.fsync_library_ns = 400;
	judge_experiment(&s, &x, "sync-intercepted");
	x.flush.state.done = false;
	judge_experiment(&s, &x, NULL);
	stack_free(&s.stack);
}

static void test_interception_above_write_through_shows_in_bytes(void **state)
{
	struct experiments x;
	struct scene s;
	int vda;

	scene_honest_write(&s, scene_plain, CLAIM_DURABLE_WRITE);
	write_through(&s);
	vda = scene_index(&s, "vda");
	flush_experiment(&s, &x);
	judge_experiment(&s, &x, NULL);
	x.flush.fsync_library_ns = 400;
	x.flush.fsync_library.layer[vda].total.write_bytes = 0;
	x.flush.fsync_library.layer[vda].ours.write_bytes = 0;
	judge_experiment(&s, &x, "sync-intercepted");
	stack_free(&s.stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_honest_syncs_are_not_accused),
		cmocka_unit_test(test_syncs_without_a_flush_are_caught),
		cmocka_unit_test(test_reason_is_named_with_figures),
		cmocka_unit_test(test_library_that_intercepts_fsync_is_caught),
		cmocka_unit_test(test_interception_above_write_through_shows_in_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
