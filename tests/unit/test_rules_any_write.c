// SPDX-License-Identifier: GPL-2.0-or-later
// Whatever the evidence of writes, rules end, and nothing is trusted that lacks its proof.
#include "rules_write_case.h"

#include "core/random.h"

#define CASES 30000

static bool coin(struct random *r, uint64_t one_in)
{
	return random_below(r, one_in) == 0;
}

static uint64_t some_bytes(struct random *r)
{
	static const uint64_t bytes[] = { 0, 4096, ASKED / 2, ASKED - ASKED / 50, ASKED, ASKED,
		ASKED, ASKED * 2, INT64_MAX / 4 };

	return bytes[random_below(r, ARRAY_SIZE(bytes))];
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
		level += !coin(r, 3);
	}
}

static void random_traits(struct random *r, struct scene *s)
{
	for (size_t i = 0; i < s->stack.count; i++)
		for (unsigned t = 0; t < TRAIT_COUNT; t++)
			if (coin(r, 25))
				s->stack.layer[i].traits[t].answer =
					(enum answer)random_below(r, 3);
}

static void random_layer(struct random *r, struct scene *s, size_t i)
{
	struct layer_reading *layer = &s->ledger.layer[i];

	layer->known = !coin(r, 12);
	layer->ours_known = !coin(r, 3);
	if (coin(r, 3))
		layer->ours.write_bytes = some_bytes(r);
	layer->total = layer->ours;
	if (coin(r, 3))
		layer->total.write_bytes += some_bytes(r);
	layer->flushes_known = !coin(r, 12);
	if (coin(r, 3))
		layer->flushes = random_below(r, 3 * SYNCS);
	s->ledger.background[i].known = coin(r, 2);
	s->ledger.background[i].write_bytes_per_s = (double)random_below(r, 1000) * 1e5;
}

static void random_asked(struct random *r, struct asked *asked)
{
	if (coin(r, 10))
		asked->bytes = asked->distinct_bytes = some_bytes(r);
	if (coin(r, 10))
		asked->ios = random_below(r, 100000);
	if (coin(r, 6))
		asked->syncs = random_below(r, 3 * SYNCS);
	if (coin(r, 4))
		asked->threads = (unsigned)random_below(r, 9);
	if (coin(r, 6))
		asked->direct = !asked->direct;
	if (coin(r, 20))
		asked->write = false;
}

static void random_scene(struct random *r, struct scene *s)
{
	static void (*const stacks[])(struct scene *) = { scene_plain, scene_fixture, scene_ntfs,
		scene_bindfs, scene_tmpfs, scene_btrfs };
	static const enum claim claims[] = { CLAIM_BUFFERED_WRITE, CLAIM_DEVICE_WRITE,
		CLAIM_DURABLE_WRITE, CLAIM_METADATA_OP };

	scene_honest_write(s, stacks[random_below(r, ARRAY_SIZE(stacks))],
		claims[random_below(r, ARRAY_SIZE(claims))]);
	if (coin(r, 3)) {
		stack_free(&s->stack);
		random_stack(r, s);
	}
	random_traits(r, s);
	for (size_t i = 0; i < s->stack.count; i++)
		random_layer(r, s, i);
	random_asked(r, &s->ledger.asked);
	s->ledger.machine.dirtied_known = !coin(r, 10);
	if (coin(r, 3))
		s->ledger.machine.pages_dirtied = random_below(r, 3 * PAGES);
	s->ledger.machine.disks_known = coin(r, 2);
	s->ledger.machine.disks.write_bytes = some_bytes(r);
	s->environment.private_cgroup = coin(r, 2);
	s->environment.cap_sys_admin = coin(r, 2);
}

static bool sure(const struct scene *s, size_t i)
{
	return !s->stack.layer[i].inferred && s->stack.layer[i].kind != LAYER_OVERLAY_LOWER;
}

/* Of every trusted claim about a device: a live counter, no server, no memory, nothing unknown. */
static void check_reached_a_device(const struct scene *s)
{
	bool counted = false;

	for (size_t i = 0; i < s->stack.count; i++) {
		const struct layer *layer = &s->stack.layer[i];
		const struct layer_reading *reading = &s->ledger.layer[i];

		if (layer->kind >= LAYER_LOOP && layer->kind <= LAYER_DISK &&
			layer->kind != LAYER_FILE && reading->known &&
			layer_trait(layer, TRAIT_COUNTED) != ANSWER_NO)
			counted = true;
		if (layer->kind != LAYER_OVERLAY_LOWER)
			assert_int_not_equal(layer_trait(layer, TRAIT_IN_MEMORY), ANSWER_YES);
	}
	assert_true(counted);
	assert_true(s->ledger.asked.write);
	assert_true(s->ledger.asked.distinct_bytes > 0);
	assert_null(stack_find(&s->stack, LAYER_UNKNOWN));
	assert_null(stack_find(&s->stack, LAYER_FUSE));
	assert_null(stack_find(&s->stack, LAYER_REMOTE));
	assert_null(stack_find(&s->stack, LAYER_SHARE));
}

/* On real stacks of one branch each block layer alone carries all. */
static void check_bytes(const struct scene *s)
{
	if (s->stack.count == 0 || strcmp(s->stack.layer[0].name, "ext4") != 0)
		return;
	for (size_t i = 0; i < s->stack.count; i++)
		if (s->stack.layer[i].sysfs)
			assert_true((double)s->ledger.layer[i].total.write_bytes >=
				0.97 * (double)s->ledger.asked.distinct_bytes);
}

static void check_device_write(const struct scene *s)
{
	check_reached_a_device(s);
	check_bytes(s);
	for (size_t i = 0; i < s->stack.count; i++)
		if (s->stack.layer[i].kind == LAYER_LOOP)
			assert_int_equal(
				layer_trait(&s->stack.layer[i], TRAIT_HONOURS_DIRECT), ANSWER_YES);
}

/* The first layer of each device stands for it; a cache or volume may use one disk of several. */
static bool stands_for_itself(const struct scene *s, size_t index)
{
	for (size_t i = 0; i < s->stack.count; i++) {
		const struct layer *other = &s->stack.layer[i];

		if (i < index && other->device && other->device == s->stack.layer[index].device)
			return false;
		if (other->kind == LAYER_LVM || other->kind == LAYER_DM ||
			other->kind == LAYER_BCACHE)
			return false;
	}
	return true;
}

static void check_flushed(const struct scene *s)
{
	const struct asked *asked = &s->ledger.asked;
	uint64_t syncs = asked->ios < asked->syncs ? asked->ios : asked->syncs;
	uint64_t least = asked->threads > 1 || syncs == 0 ? 1 : syncs * 97 / 100;
	bool leaf = false;

	assert_true(asked->syncs > 0);
	for (size_t i = 0; i < s->stack.count; i++) {
		const struct layer *layer = &s->stack.layer[i];

		assert_true(
			!sure(s, i) || layer_trait(layer, TRAIT_CACHE_OVERRIDDEN) != ANSWER_YES);
		if (!layer_counts_flushes(layer))
			continue;
		leaf = true;
		if (layer_trait(layer, TRAIT_VOLATILE_CACHE) == ANSWER_NO ||
			!stands_for_itself(s, i))
			continue;
		assert_true(s->ledger.layer[i].flushes_known);
		assert_true(s->ledger.layer[i].flushes >= least);
	}
	assert_true(leaf);
}

/* Nothing above a leaf that needs a flush drops it. */
static void check_no_barrier(const struct scene *s)
{
	for (size_t i = 0; i < s->stack.count; i++)
		for (size_t j = 0; j < s->stack.count; j++)
			if (sure(s, i) && s->stack.layer[i].level < s->stack.layer[j].level &&
				layer_counts_flushes(&s->stack.layer[j]) &&
				stands_for_itself(s, j) &&
				layer_trait(&s->stack.layer[j], TRAIT_VOLATILE_CACHE) == ANSWER_YES)
				assert_int_not_equal(
					layer_trait(&s->stack.layer[i], TRAIT_PASSES_FLUSH),
					ANSWER_NO);
}

static void check_buffered_write(const struct scene *s)
{
	const struct layer *fs = stack_filesystem(&s->stack);

	assert_false(s->ledger.asked.direct);
	assert_int_equal(s->ledger.asked.syncs, 0);
	assert_true(s->ledger.asked.distinct_bytes > 0);
	assert_non_null(fs);
	if (layer_trait(fs, TRAIT_IN_MEMORY) == ANSWER_YES)
		return;
	assert_true(s->ledger.machine.dirtied_known);
	if (s->ledger.asked.distinct_bytes > MIB)
		assert_true((double)s->ledger.machine.pages_dirtied * 4096 >=
			0.89 * (double)s->ledger.asked.distinct_bytes);
}

static void check_trusted(const struct scene *s)
{
	switch (s->evidence.claim) {
	case CLAIM_BUFFERED_WRITE:
		check_buffered_write(s);
		break;
	case CLAIM_DEVICE_WRITE:
		check_device_write(s);
		break;
	case CLAIM_DURABLE_WRITE:
		check_reached_a_device(s);
		check_bytes(s);
		check_flushed(s);
		check_no_barrier(s);
		break;
	default:
		break;
	}
}

/* What is said is registered, and so explained and listed. */
static void check_registered(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->item[i];

		assert_ptr_equal(
			registry_find(&registry_findings, f->kind->head.id), &f->kind->head);
		assert_non_null(f->message);
		assert_non_null(f->source);
	}
}

static void test_no_write_is_trusted_that_lacks_its_proof(void **state)
{
	unsigned trusted[CLAIM_COUNT] = { 0 };
	struct random r;

	random_seed(&r, 7);
	for (unsigned i = 0; i < CASES; i++) {
		struct findings findings = { 0 };
		struct scene s;

		random_scene(&r, &s);
		scene_judge_whole(&s, &findings);
		check_registered(&findings);
		if (findings_verdict(&findings) == VERDICT_TRUSTED) {
			trusted[s.evidence.claim]++;
			check_trusted(&s);
		}
		findings_free(&findings);
		stack_free(&s.stack);
	}
	for (int claim = CLAIM_BUFFERED_WRITE; claim < CLAIM_COUNT; claim++) {
		print_message("  %s: %u trusted\n", claim_name((enum claim)claim), trusted[claim]);
		assert_true(trusted[claim] > 0);
	}
}

static void test_empty_stack_is_flagged(void **state)
{
	static const enum claim claims[] = { CLAIM_BUFFERED_WRITE, CLAIM_DEVICE_WRITE,
		CLAIM_DURABLE_WRITE };

	for (size_t i = 0; i < ARRAY_SIZE(claims); i++) {
		struct findings findings = { 0 };
		struct scene s;

		scene_honest_write(&s, scene_plain, claims[i]);
		stack_free(&s.stack);
		scene_judge_whole(&s, &findings);
		assert_int_equal(findings_verdict(&findings), VERDICT_FLAGGED);
		findings_free(&findings);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_write_is_trusted_that_lacks_its_proof),
		cmocka_unit_test(test_empty_stack_is_flagged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
