// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "model/ledger.h"

#define ALL(n)                                                                                     \
	{                                                                                          \
		(n), (n)*1000, (n) + 1, (n)*1000 + 1                                               \
	}

static void test_a_loop_that_was_buffered_once_was_not_direct(void **state)
{
	static const struct {
		enum answer before, after, wanted;
	} row[] = {
		{ ANSWER_YES, ANSWER_YES, ANSWER_YES },
		{ ANSWER_YES, ANSWER_NO, ANSWER_NO },
		{ ANSWER_NO, ANSWER_YES, ANSWER_NO },
		{ ANSWER_YES, ANSWER_UNKNOWN, ANSWER_UNKNOWN },
		{ ANSWER_UNKNOWN, ANSWER_NO, ANSWER_NO },
		{ ANSWER_UNKNOWN, ANSWER_UNKNOWN, ANSWER_UNKNOWN },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct reading before = { .ns = 1 }, after = { .ns = 2 };
		struct ledger ledger = { 0 };

		before.layer[0].loop_direct = row[i].before;
		after.layer[0].loop_direct = row[i].after;
		ledger_diff(&before, &after, 1, &ledger);
		assert_int_equal(ledger.layer[0].loop_direct, row[i].wanted);
	}
}

static void test_differences_of_transfers(void **state)
{
	static const struct {
		const char *what;
		struct layer_reading before, after;
		bool known, flushes_known, ours_known;
		struct transfer total, ours;
		uint64_t flushes;
	} row[] = {
		{ "all moved", { true, ALL(5), true, 7, true, ALL(1), ANSWER_UNKNOWN },
			{ true, ALL(9), true, 10, true, ALL(3), ANSWER_UNKNOWN }, true, true, true,
			{ 4, 4000, 4, 4000 }, { 2, 2000, 2, 2000 }, 3 },
		{ "nothing moved", { true, ALL(5), true, 7, true, ALL(1), ANSWER_UNKNOWN },
			{ true, ALL(5), true, 7, true, ALL(1), ANSWER_UNKNOWN }, true, true, true,
			{ 0 }, { 0 }, 0 },
		{ "not read before", { false, { 0 }, false, 0, false, { 0 }, ANSWER_UNKNOWN },
			{ true, ALL(9), true, 10, true, ALL(3), ANSWER_UNKNOWN }, false, false,
			false, { 0 }, { 0 }, 0 },
		{ "not read after", { true, ALL(5), true, 7, true, ALL(1), ANSWER_UNKNOWN },
			{ false, { 0 }, false, 0, false, { 0 }, ANSWER_UNKNOWN }, false, false,
			false, { 0 }, { 0 }, 0 },
		{ "only the sectors ran backwards",
			{ true, ALL(5), true, 7, true, ALL(1), ANSWER_UNKNOWN },
			{ true, ALL(4), true, 10, true, ALL(3), ANSWER_UNKNOWN }, false, true, true,
			{ 0 }, { 2, 2000, 2, 2000 }, 3 },
		{ "one of four ran backwards",
			{ true, { 5, 5, 5, 5 }, false, 0, false, { 0 }, ANSWER_UNKNOWN },
			{ true, { 6, 6, 6, 4 }, false, 0, false, { 0 }, ANSWER_UNKNOWN }, false,
			false, false, { 0 }, { 0 }, 0 },
		{ "flushes ran backwards", { true, ALL(5), true, 7, false, { 0 }, ANSWER_UNKNOWN },
			{ true, ALL(6), true, 6, false, { 0 }, ANSWER_UNKNOWN }, true, false, false,
			{ 1, 1000, 1, 1000 }, { 0 }, 0 },
		{ "ours ran backwards", { true, ALL(5), false, 0, true, ALL(3), ANSWER_UNKNOWN },
			{ true, ALL(6), false, 0, true, ALL(2), ANSWER_UNKNOWN }, true, false,
			false, { 1, 1000, 1, 1000 }, { 0 }, 0 },
		{ "a counter of 32 bits wrapped",
			{ .known = true, .total = { 5, UINT32_MAX - 10ULL, 5, 5 } },
			{ .known = true, .total = { 6, 100, 5, 5 } }, false, false, false, { 0 },
			{ 0 }, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct reading before = { .ns = 100 }, after = { .ns = 350 };
		struct ledger ledger = { .asked.bytes = 42 };

		print_message("  %s\n", row[i].what);
		before.layer[0] = row[i].before;
		after.layer[0] = row[i].after;
		ledger_diff(&before, &after, 1, &ledger);
		assert_int_equal(ledger.ns, 250);
		assert_int_equal(ledger.layers, 1);
		assert_int_equal(ledger.asked.bytes, 42);
		assert_int_equal(ledger.layer[0].known, row[i].known);
		assert_int_equal(ledger.layer[0].flushes_known, row[i].flushes_known);
		assert_int_equal(ledger.layer[0].ours_known, row[i].ours_known);
		assert_int_equal(ledger.layer[0].flushes, row[i].flushes);
		assert_memory_equal(&ledger.layer[0].total, &row[i].total, sizeof(row[i].total));
		assert_memory_equal(&ledger.layer[0].ours, &row[i].ours, sizeof(row[i].ours));
	}
}

static void test_process_and_machine_differences(void **state)
{
	struct reading before = { .process = { true, 1, 2, 3, 4 },
		.machine = { true, ALL(2), true, 10 } };
	struct reading after = { .process = { true, 11, 22, 33, 44 },
		.machine = { true, ALL(5), true, 30 } };
	struct ledger ledger = { 0 };

	ledger_diff(&before, &after, 0, &ledger);
	assert_true(ledger.process.known);
	assert_int_equal(ledger.process.rchar, 10);
	assert_int_equal(ledger.process.wchar, 20);
	assert_int_equal(ledger.process.read_bytes, 30);
	assert_int_equal(ledger.process.write_bytes, 40);
	assert_true(ledger.machine.disks_known);
	assert_int_equal(ledger.machine.disks.read_bytes, 3000);
	assert_true(ledger.machine.dirtied_known);
	assert_int_equal(ledger.machine.pages_dirtied, 20);

	after.process.write_bytes = 3; /* another process's counters */
	after.machine.pages_dirtied = 9;
	after.machine.disks.reads = 1; /* a disk was pulled */
	ledger_diff(&before, &after, 0, &ledger);
	assert_false(ledger.process.known);
	assert_int_equal(ledger.process.rchar, 0);
	assert_false(ledger.machine.dirtied_known);
	assert_false(ledger.machine.disks_known);
	assert_int_equal(ledger.machine.disks.read_bytes, 0);
}

static void test_layers_beyond_the_bound_are_left_out(void **state)
{
	static const struct reading before, after;
	struct ledger ledger = { 0 };

	ledger_diff(&before, &after, STACK_LAYERS_MAX + 5, &ledger);
	assert_int_equal(ledger.layers, STACK_LAYERS_MAX);
}

/* ext4 (level 0) over two siblings (level 1) over one disk (level 2) that both lie on. */
struct world {
	struct layer layer[5];
	struct stack stack;
	struct ledger ledger;
};

static void world_make(struct world *w)
{
	*w = (struct world){ .layer = { { .kind = LAYER_FS, .level = 0 },
				     { .kind = LAYER_LOOP, .level = 1, .device = 71 },
				     { .kind = LAYER_LOOP, .level = 1, .device = 72 },
				     { .kind = LAYER_DISK, .level = 2, .device = 8 },
				     { .kind = LAYER_DISK, .level = 2, .device = 8 } } };
	w->stack = (struct stack){ w->layer, ARRAY_SIZE(w->layer) };
	w->ledger.layers = ARRAY_SIZE(w->layer);
	for (size_t i = 1; i < ARRAY_SIZE(w->layer); i++)
		w->ledger.layer[i] = (struct layer_reading){ .known = true,
			.total = { 10, 1000, 20, 2000 },
			.ours_known = true,
			.ours = { 1, 100, 2, 200 } };
}

static void test_siblings_are_summed_and_ours_where_known(void **state)
{
	struct world w;
	uint64_t n = 0;
	bool attributed = false;

	world_make(&w);
	assert_int_equal(ledger_level_bytes(&w.ledger, &w.stack, 1, false, &n, &attributed), 0);
	assert_int_equal(n, 200);
	assert_true(attributed);
	assert_int_equal(ledger_level_bytes(&w.ledger, &w.stack, 1, true, &n, &attributed), 0);
	assert_int_equal(n, 400);
	assert_int_equal(ledger_level_ios(&w.ledger, &w.stack, 1, false, &n, &attributed), 0);
	assert_int_equal(n, 2);
	assert_int_equal(ledger_level_ios(&w.ledger, &w.stack, 1, true, &n, &attributed), 0);
	assert_int_equal(n, 4);
}

static void test_one_member_not_ours_makes_the_level_anybodys(void **state)
{
	struct world w;
	uint64_t n = 0;
	bool attributed = true;

	world_make(&w);
	w.ledger.layer[2].ours_known = false;
	assert_int_equal(ledger_level_bytes(&w.ledger, &w.stack, 1, false, &n, &attributed), 0);
	assert_int_equal(n, 2000);
	assert_false(attributed);
}

static void test_level_with_a_missing_member_has_no_data(void **state)
{
	struct world w;
	uint64_t n = 77;
	bool attributed = true;

	world_make(&w);
	w.ledger.layer[1].ours_known = false;
	w.ledger.layer[2].known = false;
	assert_int_equal(
		ledger_level_bytes(&w.ledger, &w.stack, 1, false, &n, &attributed), -ENODATA);
	assert_int_equal(
		ledger_level_ios(&w.ledger, &w.stack, 0, false, &n, &attributed), -ENODATA);
	assert_int_equal(
		ledger_level_ios(&w.ledger, &w.stack, 9, false, &n, &attributed), -ENODATA);
	assert_int_equal(n, 77);
	assert_true(attributed);
}

static void test_a_device_under_two_members_counts_once(void **state)
{
	struct world w;
	uint64_t n = 0;
	bool attributed;

	world_make(&w);
	assert_int_equal(ledger_level_bytes(&w.ledger, &w.stack, 2, false, &n, &attributed), 0);
	assert_int_equal(n, 100);
}

static void test_a_dead_counter_has_no_data_but_the_cgroup_still_has(void **state)
{
	struct world w;
	uint64_t n = 0;
	bool attributed = false;

	world_make(&w);
	w.layer[1].traits[TRAIT_COUNTED].answer = ANSWER_NO;
	assert_int_equal(ledger_level_bytes(&w.ledger, &w.stack, 1, false, &n, &attributed), 0);
	assert_true(attributed);
	w.ledger.layer[2].ours_known = false;
	assert_int_equal(
		ledger_level_bytes(&w.ledger, &w.stack, 1, false, &n, &attributed), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_loop_that_was_buffered_once_was_not_direct),
		cmocka_unit_test(test_differences_of_transfers),
		cmocka_unit_test(test_process_and_machine_differences),
		cmocka_unit_test(test_layers_beyond_the_bound_are_left_out),
		cmocka_unit_test(test_siblings_are_summed_and_ours_where_known),
		cmocka_unit_test(test_one_member_not_ours_makes_the_level_anybodys),
		cmocka_unit_test(test_level_with_a_missing_member_has_no_data),
		cmocka_unit_test(test_a_device_under_two_members_counts_once),
		cmocka_unit_test(test_a_dead_counter_has_no_data_but_the_cgroup_still_has),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
