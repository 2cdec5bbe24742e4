// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules_case.h"

#include "model/stack_difference.h"

static void build(struct stack *stack)
{
	struct layer *layer = stack_append(stack, LAYER_FS, 0, "ext4", "ext4");

	layer->options = xstrdup("rw,relatime");
	layer = stack_append(stack, LAYER_LOOP, 1, "loop", "loop3");
	layer_set_trait(layer, TRAIT_HONOURS_DIRECT, ANSWER_YES, KNOWN_DECLARED, "loop/dio = 1");
}

static void nothing(struct stack *stack)
{
	stack->layer[0].mount_id = 77; /* a mount namespace of our own numbers them anew */
}

static void direct_io_off(struct stack *stack)
{
	layer_set_trait(
		&stack->layer[1], TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED, "loop/dio = 0");
}

static void remounted(struct stack *stack)
{
	free(stack->layer[0].options);
	stack->layer[0].options = xstrdup("rw,relatime,nobarrier");
}

static void mounted_over(struct stack *stack)
{
	stack->layer[0].kind = LAYER_FUSE;
	free(stack->layer[0].name);
	stack->layer[0].name = xstrdup("fuse");
}

static void grown(struct stack *stack)
{
	stack_append(stack, LAYER_DISK, 2, "virtio_blk", "vda");
}

static void test_each_change_names_its_layer(void **state)
{
	static const struct {
		void (*change)(struct stack *stack);
		const char *layer, *what;
	} row[] = {
		{ nothing, NULL, NULL },
		{ direct_io_off, "loop3", "honours-o-direct was yes and is no" },
		{ remounted, "ext4",
			"its mount options were rw,relatime and are rw,relatime,nobarrier" },
		{ mounted_over, "ext4", "it was ext4 and is fuse" },
		{ grown, "loop3", "there were 2 layers and are 3" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		_cleanup_(stack_difference_free) struct stack_difference found = { 0 };
		_cleanup_(stack_free) struct stack before = { 0 }, after = { 0 };

		build(&before);
		build(&after);
		row[i].change(&after);
		assert_int_equal(stack_difference(&before, &after, &found), row[i].what != NULL);
		if (!row[i].what)
			continue;
		assert_string_equal(found.layer, row[i].layer);
		assert_string_equal(found.what, row[i].what);
	}
}

static void test_changed_stack_flags_every_claim(void **state)
{
	struct experiments experiments = {
		.changed = { (char *)"loop3", (char *)"honours-o-direct was yes and is no" },
	};

	for (int claim = 0; claim < CLAIM_COUNT; claim++) {
		_cleanup_(findings_free) struct findings findings = { 0 };
		struct stack stack = { 0 };
		struct environment environment = { 0 };
		const struct evidence evidence = { .claim = (enum claim)claim,
			.stack = &stack,
			.environment = &environment,
			.experiments = &experiments };
		const struct finding *found;

		assert_int_equal(rules_judge(RULE_TARGET, &evidence, &findings), 0);
		found = findings_find(&findings, "stack-changed");
		assert_non_null(found);
		assert_int_equal(found->severity, SEVERITY_FLAG);
		assert_string_equal(found->layer, "loop3");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_change_names_its_layer),
		cmocka_unit_test(test_changed_stack_flags_every_claim),
	};

	return cmocka_run_group_tests_name("stack difference", tests, NULL, NULL);
}
