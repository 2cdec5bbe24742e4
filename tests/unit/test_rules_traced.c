// SPDX-License-Identifier: GPL-2.0-or-later
/* What tracing shows and counters do not: pages of one file, and writes forced to the medium. */
#include "rules_write_case.h"

static void adds(struct ledger *ledger, uint64_t pages, uint64_t elsewhere)
{
	ledger->adds = (struct cache_adds){ .known = true,
		.orders_known = true,
		.folios = pages,
		.pages = pages,
		.pages_elsewhere = elsewhere };
}

static struct experiments *traced_experiments(bool buffered_seen)
{
	struct experiments *e = xcalloc(1, sizeof(*e));

	e->cached.state.done = e->direct.state.done = e->flush.state.done = true;
	e->cached.write.asked.distinct_bytes = ASKED;
	adds(&e->cached.write, buffered_seen ? PAGES : 0, 0);
	return e;
}

/* A licence: one interval, beside a neighbour that dirties pages in no proportion. */
static void judge_write(void (*build)(struct scene *s), bool buffered_seen, bool traced,
	uint64_t pages, uint64_t elsewhere, struct findings *ret)
{
	struct experiments *e = traced_experiments(buffered_seen);
	struct scene s;

	scene_honest_write(&s, build, CLAIM_DEVICE_WRITE);
	s.evidence.experiments = e;
	s.ledger.machine.pages_dirtied = PAGES + PAGES / 3;
	if (traced)
		adds(&s.ledger, pages, elsewhere);
	scene_judge(&s, RULE_TARGET, ret);
	stack_free(&s.stack);
	experiments_free(e);
	free(e);
}

static void test_what_a_neighbour_dirties_is_settled_by_a_trace(void **state)
{
	static const struct {
		const char *name;
		bool buffered_seen, traced;
		uint64_t pages, elsewhere;
		const char *finding;
	} row[] = {
		{ "not traced", false, false, 0, 0, "direct-io-undecided" },
		{ "traced, none entered", true, true, 0, 0, NULL },
		{ "traced, a few of metadata", true, true, 9, 0, NULL },
		{ "traced, all entered", true, true, PAGES, 0, "direct-io-fallback" },
		{ "traced, all entered, seen for the first time", false, true, PAGES, 0,
			"direct-io-fallback" },
		{ "traced, all entered in the file beneath", true, true, 0, PAGES,
			"direct-io-fallback" },
		{ "the event never comes here", false, true, 0, 0, "direct-io-undecided" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct findings f = { 0 };
		bool undecided, fallback;

		print_message("  %s\n", row[i].name);
		judge_write(scene_plain, row[i].buffered_seen, row[i].traced, row[i].pages,
			row[i].elsewhere, &f);
		undecided = findings_find(&f, "direct-io-undecided");
		fallback = findings_find(&f, "direct-io-fallback");
		assert_int_equal(undecided,
			row[i].finding && strcmp(row[i].finding, "direct-io-undecided") == 0);
		assert_int_equal(fallback,
			row[i].finding && strcmp(row[i].finding, "direct-io-fallback") == 0);
		findings_free(&f);
	}
}

static void test_a_trace_of_a_servers_file_proves_no_absence(void **state)
{
	struct findings f = { 0 };

	judge_write(scene_bindfs, true, true, 0, 0, &f);
	assert_non_null(findings_find(&f, "direct-io-undecided"));
	findings_free(&f);
}

static void test_pages_that_were_dropped_again_are_seen_in_the_trace(void **state)
{
	static const struct {
		uint64_t pages, elsewhere;
		bool swallowed;
	} row[] = { { 0, 0, false }, { 40, 0, false }, { PAGES, 0, true }, { 0, PAGES, true } };

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		struct findings f = { 0 };
		struct scene s;

		scene_honest(&s, scene_plain, SCENE_DIRECT);
		adds(&s.ledger, row[i].pages, row[i].elsewhere);
		scene_judge(&s, RULE_ROUND, &f);
		assert_int_equal(
			findings_find(&f, "direct-io-swallowed") != NULL, row[i].swallowed);
		findings_free(&f);
		stack_free(&s.stack);
	}
}

static void test_forced_writes_settle_what_flushes_leave_open(void **state)
{
	static const struct {
		const char *name;
		uint64_t flushes;
		bool traced;
		uint64_t forced;
		const char *finding;
	} row[] = {
		{ "not traced", 0, false, 0, "fua-unproved" },
		{ "each write forced", 0, true, SYNCS, NULL },
		{ "some flushed, the others forced", SYNCS / 2, true, SYNCS / 2, NULL },
		{ "half of them forced", 0, true, SYNCS / 2, "flush-not-sent" },
		{ "none forced", 0, true, 0, "flush-not-sent" },
		{ "all flushed", SYNCS, true, 0, NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		static const char *const ids[] = { "fua-unproved", "flush-not-sent" };
		struct findings f = { 0 };
		struct scene s;

		print_message("  %s\n", row[i].name);
		scene_honest_write(&s, scene_plain, CLAIM_DURABLE_WRITE);
		layer_set_trait(&s.stack.layer[scene_index(&s, "vda")], TRAIT_FUA, ANSWER_YES,
			KNOWN_DECLARED, "queue/fua = 1");
		scene_flushes(&s, "vda", row[i].flushes);
		scene_reading(&s, "vda")->fua_known = row[i].traced;
		scene_reading(&s, "vda")->fua_writes = row[i].forced;
		scene_judge(&s, RULE_ROUND, &f);
		for (size_t k = 0; k < ARRAY_SIZE(ids); k++)
			assert_int_equal(findings_find(&f, ids[k]) != NULL,
				row[i].finding && strcmp(row[i].finding, ids[k]) == 0);
		findings_free(&f);
		stack_free(&s.stack);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_neighbour_dirties_is_settled_by_a_trace),
		cmocka_unit_test(test_a_trace_of_a_servers_file_proves_no_absence),
		cmocka_unit_test(test_pages_that_were_dropped_again_are_seen_in_the_trace),
		cmocka_unit_test(test_forced_writes_settle_what_flushes_leave_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
