// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever the evidence, rules end, and nothing is trusted that lacks what the claim demands.
#include "rules_case.h"

#include "core/random.h"

#define CASES 20000

static uint64_t some_bytes(struct random *r)
{
	static const uint64_t bytes[] = { 0, 4096, ASKED / 2, ASKED - ASKED / 50, ASKED, ASKED * 2,
		INT64_MAX / 4 };

	return bytes[random_below(r, ARRAY_SIZE(bytes))];
}

static bool coin(struct random *r, uint64_t one_in)
{
	return random_below(r, one_in) == 0;
}

static void random_stack(struct random *r, struct scene *s)
{
	unsigned level = 0;
	size_t layers = random_below(r, 9);

	for (size_t i = 0; i < layers; i++) {
		struct layer *layer = stack_append(&s->stack,
			(enum layer_kind)random_below(r, LAYER_KIND_COUNT), level, "type", "name");

		layer->device = (dev_t)random_below(r, 4);
		layer->inferred = coin(r, 6);
		for (unsigned t = 0; t < TRAIT_COUNT; t++)
			if (coin(r, 4))
				layer->traits[t].answer = (enum answer)random_below(r, 3);
		level += !coin(r, 3);
	}
}

static void random_ledger(struct random *r, struct scene *s)
{
	struct ledger *l = &s->ledger;

	for (size_t i = 0; i < s->stack.count; i++) {
		l->layer[i].known = !coin(r, 8);
		l->layer[i].ours_known = coin(r, 2);
		l->layer[i].ours.read_bytes = some_bytes(r);
		l->layer[i].ours.reads = random_below(r, 10000);
		/* Anybody's: ours and a neighbour's. */
		l->layer[i].total = l->layer[i].ours;
		if (coin(r, 2))
			l->layer[i].total.read_bytes += some_bytes(r);
		l->background[i].known = coin(r, 2);
		l->background[i].read_bytes_per_s = (double)random_below(r, 1000) * 1e5;
	}
	l->process.known = !coin(r, 4);
	l->process.read_bytes = some_bytes(r);
	l->machine.disks_known = coin(r, 2);
	l->machine.disks.read_bytes = some_bytes(r);
	l->before.known = (enum answer)random_below(r, 3);
	l->before.resident = random_below(r, PAGES + 1);
	if (coin(r, 2))
		l->before.resident = coin(r, 2) ? 0 : PAGES;
	l->extents.known = !coin(r, 4);
	if (coin(r, 4))
		l->extents.unwritten_bytes = some_bytes(r);
	if (coin(r, 4))
		l->asked.ios = 1 + random_below(r, 100000);
}

static void random_scene(struct random *r, struct scene *s)
{
	static void (*const build[])(struct scene *) = { scene_plain, scene_fixture, scene_ntfs,
		scene_bindfs, scene_tmpfs, scene_btrfs };
	bool real = coin(r, 2);

	scene_honest(
		s, build[random_below(r, ARRAY_SIZE(build))], (enum scene_case)random_below(r, 3));
	if (!real) {
		stack_free(&s->stack);
		random_stack(r, s);
	}
	random_ledger(r, s);
	s->environment.private_cgroup = coin(r, 2);
	s->environment.cap_sys_admin = coin(r, 2);
	if (coin(r, 10))
		s->evidence.environment = NULL;
}

static bool some_live_block_layer(const struct scene *s)
{
	for (size_t i = 0; i < s->stack.count; i++)
		if (s->ledger.layer[i].known && s->stack.layer[i].kind >= LAYER_LOOP &&
			s->stack.layer[i].kind <= LAYER_DISK &&
			layer_trait(&s->stack.layer[i], TRAIT_COUNTED) != ANSWER_NO)
			return true;
	return false;
}

/* On real stacks each level alone carries all that was asked; 4 % for both tolerances. */
static void check_bytes(const struct scene *s, const char *name)
{
	for (size_t i = 0; i < s->stack.count; i++) {
		const struct layer_reading *reading = &s->ledger.layer[i];

		if (strcmp(s->stack.layer[i].name, name) != 0)
			continue;
		assert_true(reading->total.read_bytes >= ASKED * 96 / 100);
		if (reading->ours_known)
			assert_true(reading->ours.read_bytes >= ASKED * 96 / 100);
	}
}

static void check_trusted_device_read(const struct scene *s)
{
	const struct ledger *l = &s->ledger;

	assert_true(some_live_block_layer(s));
	assert_int_equal(l->before.known, ANSWER_YES);
	assert_true(l->extents.known);
	assert_true(l->before.resident <= PAGES / 50);
	if (s->stack.count && strcmp(s->stack.layer[0].name, "ext4") == 0) {
		check_bytes(s, "loop3");
		check_bytes(s, "vda");
	}
	assert_null(stack_find(&s->stack, LAYER_UNKNOWN));
	assert_null(stack_find(&s->stack, LAYER_FUSE));
	for (size_t i = 0; i < s->stack.count; i++) {
		const struct layer *layer = &s->stack.layer[i];

		if (layer->kind == LAYER_LOOP && !layer->inferred)
			assert_int_equal(layer_trait(layer, TRAIT_HONOURS_DIRECT), ANSWER_YES);
		if (layer->kind != LAYER_OVERLAY_LOWER)
			assert_int_not_equal(layer_trait(layer, TRAIT_IN_MEMORY), ANSWER_YES);
	}
}

static void check_trusted_cached_read(const struct scene *s)
{
	assert_int_equal(s->ledger.before.known, ANSWER_YES);
	assert_true(s->ledger.before.resident >= PAGES * 99 / 100);
	assert_true(s->ledger.process.known);
	assert_true(s->ledger.process.read_bytes <= ASKED / 100);
}

/* Both scopes over one round, as a run would judge it. */
static enum verdict judge_all(struct scene *s)
{
	struct sample sample[6] = { 0 };
	struct measurement m = { .claim = s->evidence.claim, .sample = sample, .samples = 6 };
	const struct measurement *self = &m;
	struct findings findings = { 0 };
	enum verdict verdict;

	scene_judge(s, RULE_ROUND, &findings);
	for (size_t i = 0; i < ARRAY_SIZE(sample); i++)
		sample[i].ledger = s->ledger;
	s->evidence.measurement = &m;
	s->evidence.sibling = &self;
	s->evidence.siblings = 1;
	scene_judge(s, RULE_MEASUREMENT, &findings);
	verdict = findings_verdict(&findings);
	findings_free(&findings);
	return verdict;
}

static void test_nothing_is_trusted_that_lacks_what_the_claim_demands(void **state)
{
	unsigned trusted[2] = { 0 };
	struct random r;
	struct scene s;

	random_seed(&r, 1);
	for (unsigned i = 0; i < CASES; i++) {
		random_scene(&r, &s);
		if (judge_all(&s) == VERDICT_TRUSTED) {
			bool warm = s.evidence.claim == CLAIM_PAGE_CACHE_READ;

			trusted[warm]++;
			if (warm)
				check_trusted_cached_read(&s);
			else
				check_trusted_device_read(&s);
		}
		stack_free(&s.stack);
	}
	print_message("  trusted: %u device reads, %u cached reads of %u\n", trusted[0], trusted[1],
		CASES);
	assert_true(trusted[1] > 0);
}

static void test_empty_stack_is_flagged(void **state)
{
	struct scene s;

	scene_honest(&s, scene_plain, SCENE_DIRECT);
	stack_free(&s.stack);
	assert_int_equal(judge_all(&s), VERDICT_FLAGGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_trusted_that_lacks_what_the_claim_demands),
		cmocka_unit_test(test_empty_stack_is_flagged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
