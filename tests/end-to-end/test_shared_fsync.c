// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that fsync at the same time share journal commits: fewer flushes than syncs are honest
 * there, and none are not. One thread has no such excuse.
 */
#include "witness_rig.h"

#include <pthread.h>

#include "rules/rules.h"

#define THREADS 8
#define SYNCS_EACH 100
#define APPEND ((size_t)4096)

struct appender {
	pthread_t thread;
	int fd;
	const char *block;
	int error;
};

static void *append_and_sync(void *context)
{
	struct appender *a = context;

	for (int i = 0; i < SYNCS_EACH && !a->error; i++)
		if (write(a->fd, a->block, APPEND) != (ssize_t)APPEND || fsync(a->fd) != 0)
			a->error = errno ? errno : EIO;
	return NULL;
}

/* Threads enter the process's private cgroup with it, so their bytes are ours. */
static void append_by(struct rig *rig, unsigned threads, struct interval *i)
{
	struct appender appender[THREADS] = { 0 };

	for (unsigned t = 0; t < threads; t++) {
		_cleanup_free_ char *name = xasprintf("log.%u.%u", threads, t);

		appender[t] = (struct appender){ .fd = data_open(rig, name, O_APPEND),
			.block = rig->block };
	}
	interval_begin(i, rig);
	for (unsigned t = 0; t < threads; t++)
		assert_int_equal(
			pthread_create(&appender[t].thread, NULL, append_and_sync, &appender[t]),
			0);
	for (unsigned t = 0; t < threads; t++)
		assert_int_equal(pthread_join(appender[t].thread, NULL), 0);
	interval_end(i, threads > 1 ? "threads append and sync" : "one appends and syncs");
	for (unsigned t = 0; t < threads; t++) {
		assert_int_equal(appender[t].error, 0);
		close(appender[t].fd);
	}
	i->ledger.asked = (struct asked){
		.bytes = (uint64_t)threads * SYNCS_EACH * APPEND,
		.distinct_bytes = (uint64_t)threads * SYNCS_EACH * APPEND,
		.ios = threads * SYNCS_EACH,
		.syncs = threads * SYNCS_EACH,
		.threads = threads,
		.write = true,
	};
}

/* A disk's cache is volatile unless it says otherwise, as the stack's own walk has it. */
static void caches_are_volatile(struct rig *rig, enum answer disk)
{
	rig->stack.layer[LOOP].traits[TRAIT_VOLATILE_CACHE].answer = ANSWER_YES;
	rig->stack.layer[LOOP].traits[TRAIT_HONOURS_DIRECT].answer = ANSWER_YES;
	rig->stack.layer[DISK].traits[TRAIT_VOLATILE_CACHE].answer = disk;
}

static enum answer disk_is_volatile(const struct rig *rig)
{
	_cleanup_free_ char *mode = NULL;

	if (sysroot_read_line(
		    &rig->root, &mode, "%s/queue/write_cache", rig->stack.layer[DISK].sysfs) < 0)
		return ANSWER_UNKNOWN;
	return strcmp(mode, "write back") == 0 ? ANSWER_YES : ANSWER_NO;
}

/* The worst severity of the finding with this id, and -1 for none. */
static int said(const struct interval *i, const struct rig *rig, const char *id)
{
	struct environment environment = { .private_cgroup = rig->attributed };
	const struct evidence evidence = {
		.claim = CLAIM_DURABLE_WRITE,
		.stack = &rig->stack,
		.environment = &environment,
		.ledger = &i->ledger,
	};
	struct findings findings = { 0 };
	int worst = -1;

	assert_int_equal(rules_judge(RULE_ROUND, &evidence, &findings), 0);
	for (size_t f = 0; f < findings.count; f++) {
		const struct finding *finding = &findings.item[f];

		if (strcmp(finding->kind->head.id, id) != 0)
			continue;
		print_message("  %s at %s: %s\n", id, finding->layer, finding->message);
		worst = MAX(worst, (int)finding->severity);
	}
	findings_free(&findings);
	return worst;
}

static void test_eight_threads_that_share_flushes_are_not_accused(void **state)
{
	struct interval i = { 0 };
	struct rig rig;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	rig_enter_cgroup(&rig);
	caches_are_volatile(&rig, disk_is_volatile(&rig));
	append_by(&rig, THREADS, &i);
	assert_true(i.ledger.layer[LOOP].flushes_known);
	assert_in_range(i.ledger.layer[LOOP].flushes, 1, i.ledger.asked.syncs - 1);
	assert_int_equal(said(&i, &rig, "flush-not-sent"), -1);
	assert_int_equal(said(&i, &rig, "bytes-missing-below"), -1);
	/* the same figures from one thread are a lie */
	i.ledger.asked.threads = 1;
	i.ledger.layer[LOOP].flushes = i.ledger.asked.syncs / 4;
	assert_int_equal(said(&i, &rig, "flush-not-sent"), SEVERITY_REFUSE);
	rig_teardown(&rig);
}

static void test_one_thread_sends_a_flush_for_each_sync(void **state)
{
	struct interval i = { 0 };
	struct rig rig;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	rig_enter_cgroup(&rig);
	caches_are_volatile(&rig, disk_is_volatile(&rig));
	append_by(&rig, 1, &i);
	assert_true(i.ledger.layer[LOOP].flushes >= i.ledger.asked.syncs);
	assert_int_equal(said(&i, &rig, "flush-not-sent"), -1);
	rig_teardown(&rig);
}

static void refused_without_barriers(unsigned threads)
{
	struct interval i = { 0 };
	struct rig rig;

	if (!rig_setup(&rig, true, "ext4", "nobarrier"))
		skip();
	rig_enter_cgroup(&rig);
	caches_are_volatile(&rig, disk_is_volatile(&rig));
	append_by(&rig, threads, &i);
	assert_true(i.ledger.layer[LOOP].flushes_known);
	assert_int_equal(i.ledger.layer[LOOP].flushes, 0);
	assert_int_equal(said(&i, &rig, "flush-not-sent"), SEVERITY_REFUSE);
	rig_teardown(&rig);
}

static void test_eight_threads_without_any_flush_are_refused(void **state)
{
	if (!requirements_met())
		skip();
	refused_without_barriers(THREADS);
}

static void test_one_thread_without_any_flush_is_refused(void **state)
{
	if (!requirements_met())
		skip();
	refused_without_barriers(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eight_threads_that_share_flushes_are_not_accused),
		cmocka_unit_test(test_one_thread_sends_a_flush_for_each_sync),
		cmocka_unit_test(test_eight_threads_without_any_flush_are_refused),
		cmocka_unit_test(test_one_thread_without_any_flush_is_refused),
	};

	return cmocka_run_group_tests_name(
		"shared flushes on real layers", tests, rig_private_mounts, NULL);
}
