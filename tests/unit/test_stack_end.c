// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/sysmacros.h>

#include "model/stack.h"
#include "probes/experiments/empirical_stack.h"

static struct stack end_of(unsigned minor_number)
{
	struct stack end = { 0 };

	stack_append(&end, LAYER_DISK, 0, "disk", "vdx")->device = makedev(254, minor_number);
	stack_append(&end, LAYER_HIDDEN, 1, "hidden", "what the host serves it from");
	return end;
}

static void test_hidden_layers_give_way_to_the_device_that_moved(void **state)
{
	_cleanup_(stack_free) struct stack stack = { 0 }, end = end_of(1);

	stack_append(&stack, LAYER_FS, 0, "overlay", "overlay");
	stack_append(&stack, LAYER_OVERLAY_UPPER, 1, "overlay-upper", "/upper");
	stack_append(&stack, LAYER_HIDDEN, 2, "hidden", "cannot be seen");
	stack_end_with(&stack, &end);
	assert_int_equal(stack.count, 4);
	assert_string_equal(stack.layer[2].name, "vdx");
	assert_int_equal(stack.layer[2].level, 2);
	assert_true(stack.layer[2].by_bytes);
	assert_int_equal(stack.layer[3].kind, LAYER_HIDDEN);
	assert_false(stack.layer[1].by_bytes);
	assert_ptr_equal(stack_horizon(&stack), &stack.layer[2]);
}

static void test_inferred_layers_on_the_same_device_are_confirmed(void **state)
{
	_cleanup_(stack_free) struct stack stack = { 0 }, end = end_of(1);

	stack_append(&stack, LAYER_FUSE, 0, "fuse", "fuse");
	stack_append(&stack, LAYER_FS, 1, "ext4", "ext4")->inferred = true;
	stack_append(&stack, LAYER_DISK, 2, "disk", "vdx")->inferred = true;
	stack.layer[2].device = makedev(254, 1);
	stack_end_with(&stack, &end);
	assert_int_equal(stack.count, 3);
	assert_false(stack.layer[1].inferred);
	assert_true(stack.layer[1].by_bytes);
	assert_true(stack.layer[2].by_bytes);
}

static void test_inferred_layers_on_another_device_are_replaced(void **state)
{
	_cleanup_(stack_free) struct stack stack = { 0 }, end = end_of(2);

	stack_append(&stack, LAYER_FUSE, 0, "fuse", "fuse");
	stack_append(&stack, LAYER_FS, 1, "ext4", "ext4")->inferred = true;
	stack_append(&stack, LAYER_DISK, 2, "disk", "vda")->inferred = true;
	stack.layer[2].device = makedev(254, 1);
	stack_end_with(&stack, &end);
	assert_int_equal(stack.count, 3);
	assert_string_equal(stack.layer[1].name, "vdx");
	assert_int_equal(stack.layer[1].level, 1);
}

static struct stack loop_stack(void)
{
	struct stack stack = { 0 };
	struct layer *loop;

	stack_append(&stack, LAYER_FS, 0, "ext4", "ext4");
	loop = stack_append(&stack, LAYER_LOOP, 1, "loop", "loop0");
	loop->device = makedev(7, 0);
	loop->sysfs = xstrdup("sys/block/loop0");
	stack_append(&stack, LAYER_FILE, 2, "file", "/image");
	stack_append(&stack, LAYER_FS, 3, "overlay", "overlay");
	return stack;
}

static void test_hidden_end_below_a_loop_device_is_looked_for(void **state)
{
	_cleanup_(stack_free) struct stack stack = loop_stack();

	stack_append(&stack, LAYER_HIDDEN, 4, "hidden", "filesystem of the upper directory");
	assert_true(empirical_stack_is_needed(&stack));
}

static void test_guessed_end_below_a_loop_device_is_looked_for(void **state)
{
	_cleanup_(stack_free) struct stack stack = loop_stack();
	struct layer *disk = stack_append(&stack, LAYER_DISK, 4, "disk", "vdx");

	disk->device = makedev(254, 1);
	disk->sysfs = xstrdup("sys/block/vdx");
	disk->inferred = true;
	assert_true(empirical_stack_is_needed(&stack));
}

static void test_disk_or_memory_below_a_loop_device_is_the_end(void **state)
{
	_cleanup_(stack_free) struct stack stack = loop_stack(), memory = loop_stack();
	struct layer *disk = stack_append(&stack, LAYER_DISK, 4, "disk", "vdx");

	disk->device = makedev(254, 1);
	disk->sysfs = xstrdup("sys/block/vdx");
	stack_append(&stack, LAYER_HIDDEN, 5, "hidden", "what the host serves the disk from");
	assert_false(empirical_stack_is_needed(&stack));
	stack_append(&memory, LAYER_MEMORY, 4, "tmpfs", "memory");
	assert_false(empirical_stack_is_needed(&memory));
}

static void test_horizon_names_all_members_of_its_level(void **state)
{
	_cleanup_(stack_free) struct stack stack = { 0 };
	_cleanup_free_ char *name = NULL;

	stack_append(&stack, LAYER_FS, 0, "btrfs", "btrfs");
	stack_append(&stack, LAYER_DISK, 1, "disk", "sda")->device = makedev(8, 0);
	stack_append(&stack, LAYER_DISK, 1, "disk", "sdb")->device = makedev(8, 16);
	name = stack_horizon_name(&stack);
	assert_string_equal(name, "sda+sdb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden_layers_give_way_to_the_device_that_moved),
		cmocka_unit_test(test_inferred_layers_on_the_same_device_are_confirmed),
		cmocka_unit_test(test_inferred_layers_on_another_device_are_replaced),
		cmocka_unit_test(test_hidden_end_below_a_loop_device_is_looked_for),
		cmocka_unit_test(test_guessed_end_below_a_loop_device_is_looked_for),
		cmocka_unit_test(test_disk_or_memory_below_a_loop_device_is_the_end),
		cmocka_unit_test(test_horizon_names_all_members_of_its_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
