// SPDX-License-Identifier: GPL-2.0-or-later
// Where images of fixtures lie well, and where not.
#include "rules_case.h"

#include "rules/poor_ground.h"

static bool is_poor(void (*make)(struct stack *stack))
{
	struct stack stack = { 0 };
	_cleanup_free_ char *why = NULL;

	make(&stack);
	why = poor_ground_why(&stack);
	stack_free(&stack);
	return why != NULL;
}

static void disk(struct stack *s)
{
	stack_append(s, LAYER_FS, 0, "ext4", "ext4");
	stack_append(s, LAYER_DISK, 1, "virtio_blk", "vda");
	stack_append(s, LAYER_HIDDEN, 2, "hidden", "what the host serves the disk from");
}

static void memory(struct stack *s)
{
	stack_append(s, LAYER_FS, 0, "tmpfs", "tmpfs");
	stack_append(s, LAYER_MEMORY, 1, "memory", "memory");
}

static void fuse_over_disk(struct stack *s)
{
	stack_append(s, LAYER_FUSE, 0, "fuse.bindfs", "bindfs");
	stack_append(s, LAYER_FS, 1, "ext4", "ext4");
	stack_append(s, LAYER_DISK, 2, "virtio_blk", "vda");
}

static void network(struct stack *s)
{
	stack_append(s, LAYER_FS, 0, "nfs4", "nfs4");
	stack_append(s, LAYER_REMOTE, 1, "nfs4", "server:/export");
}

static void hidden_overlay(struct stack *s)
{
	stack_append(s, LAYER_FS, 0, "overlay", "overlay");
	stack_append(s, LAYER_HIDDEN, 1, "hidden", "filesystem of the upper directory");
}

static void loop(struct stack *s, enum answer direct)
{
	struct layer *layer;

	stack_append(s, LAYER_FS, 0, "ext4", "ext4");
	layer = stack_append(s, LAYER_LOOP, 1, "loop", "loop3");
	layer_set_trait(layer, TRAIT_HONOURS_DIRECT, direct, KNOWN_DECLARED, "loop/dio");
	stack_append(s, LAYER_FILE, 2, "file", "/image");
	stack_append(s, LAYER_FS, 3, "ext4", "ext4");
	stack_append(s, LAYER_DISK, 4, "virtio_blk", "vda");
}

static void buffered_loop(struct stack *s)
{
	loop(s, ANSWER_NO);
}

static void direct_loop(struct stack *s)
{
	loop(s, ANSWER_YES);
}

static void test_what_lies_above_a_disk_decides(void **state)
{
	assert_false(is_poor(disk));
	assert_false(is_poor(direct_loop));
	assert_true(is_poor(memory));
	assert_true(is_poor(fuse_over_disk));
	assert_true(is_poor(network));
	assert_true(is_poor(hidden_overlay));
	assert_true(is_poor(buffered_loop));
}

static void test_poor_ground_is_a_note(void **state)
{
	struct findings findings = { 0 };
	struct stack stack = { 0 };

	memory(&stack);
	assert_non_null(poor_ground_say(&stack, "/dev/shm", &findings));
	assert_int_equal(findings_verdict(&findings), VERDICT_TRUSTED);
	assert_non_null(strstr(findings.item[0].message, "/dev/shm"));
	findings_free(&findings);
	stack_free(&stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_lies_above_a_disk_decides),
		cmocka_unit_test(test_poor_ground_is_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
