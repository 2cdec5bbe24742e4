// SPDX-License-Identifier: GPL-2.0-or-later
#include "witness_tree.h"

#include "probes/witnesses/witness.h"

#define STAT_LOOP "10 0 200 0 30 0 400 0 0 0 0 0 0 0 0 5 0\n"
#define STAT_DISK "1 0 2 0 3 0 4 0 0 0 0 0 0 0 0 6 0\n"
#define STAT_PART "7 0 8 0 9 0 10 0 0 0 0 0 0 0 0 11 0\n"
#define STAT_OLD "1 0 100 0 1 0 100 0 0 0 0\n"

/* Two disks, one of them a machine's NVMe, among devices that are none. */
static void machine_make(const struct tree *tree)
{
	tree_file(tree, "sys/devices/pci/vda/stat", STAT_DISK);
	tree_file(tree, "sys/devices/pci/nvme0/nvme0n1/stat", STAT_OLD);
	tree_file(tree, "sys/devices/virtual/block/loop0/stat", STAT_LOOP);
	tree_file(tree, "sys/devices/virtual/block/strange0/stat", STAT_LOOP);
	tree_link(tree, "sys/block/vda", "../devices/pci/vda");
	tree_link(tree, "sys/block/nvme0n1", "../devices/pci/nvme0/nvme0n1");
	tree_link(tree, "sys/block/loop0", "../devices/virtual/block/loop0");
	tree_link(tree, "sys/block/strange0", "../devices/virtual/block/strange0");
	tree_file(tree, "sys/block/dm-0/stat", STAT_LOOP); /* a record made without links */
	tree_file(tree, "sys/block/md127/stat", STAT_LOOP);
	tree_file(tree, "sys/block/zram0/stat", STAT_LOOP);
	tree_file(tree, "sys/block/nbd3/stat", STAT_LOOP);
	tree_file(tree, "sys/class/block/vda1/stat", STAT_PART);
	tree_file(tree, "proc/vmstat", "nr_free_pages 1\nnr_dirtied 1234\nnr_written 5\n");
	tree_file(tree, "proc/self/io",
		"rchar: 1\nwchar: 2\nsyscr: 9\nsyscw: 9\nread_bytes: 3\nwrite_bytes: 4\n"
		"cancelled_write_bytes: 0\n");
}

static void block_append(struct stack *stack, enum layer_kind kind, unsigned level,
	const char *name, const char *sysfs)
{
	struct layer *layer = stack_append(stack, kind, level, "block", name);

	layer->sysfs = xstrdup(sysfs);
	layer->device = 1;
}

static void stack_make(struct stack *stack)
{
	stack_append(stack, LAYER_FS, 0, "ext4", "ext4");
	block_append(stack, LAYER_LOOP, 1, "loop0", "sys/block/loop0");
	block_append(stack, LAYER_PART, 2, "vda1", "sys/class/block/vda1");
	block_append(stack, LAYER_DISK, 3, "vda", "sys/block/vda");
	block_append(stack, LAYER_DISK, 3, "vdz", "sys/block/vdz");
}

static void test_each_witness_fills_its_part(void **state)
{
	struct stack stack = { 0 };
	struct reading r;
	struct tree tree;

	tree_setup(&tree);
	machine_make(&tree);
	stack_make(&stack);
	witnesses_read(&(struct witness_view){ &tree.root, &stack, NULL }, &r);

	assert_false(r.layer[0].known);
	assert_true(r.layer[1].known);
	assert_int_equal(r.layer[1].total.reads, 10);
	assert_int_equal(r.layer[1].total.read_bytes, 200 * 512);
	assert_int_equal(r.layer[1].total.writes, 30);
	assert_int_equal(r.layer[1].total.write_bytes, 400 * 512);
	assert_true(r.layer[1].flushes_known);
	assert_int_equal(r.layer[1].flushes, 5);
	assert_true(r.layer[2].known);
	assert_false(r.layer[2].flushes_known); /* a partition */
	assert_int_equal(r.layer[3].flushes, 6);
	assert_false(r.layer[4].known); /* its stat is not there */
	assert_false(r.layer[1].ours_known);

	assert_true(r.process.known);
	assert_int_equal(r.process.rchar, 1);
	assert_int_equal(r.process.write_bytes, 4);
	assert_true(r.machine.dirtied_known);
	assert_int_equal(r.machine.pages_dirtied, 1234);
	assert_true(r.machine.disks_known);
	assert_int_equal(r.machine.disks.read_bytes, (2 + 100) * 512);
	assert_int_equal(r.machine.disks.write_bytes, (4 + 100) * 512);
	stack_free(&stack);
	tree_teardown(&tree);
}

static void test_masked_machine_is_unknown_not_zero(void **state)
{
	struct stack stack = { 0 };
	struct reading r;
	struct tree tree;

	tree_setup(&tree);
	stack_make(&stack);
	tree_file(&tree, "proc/self/io", "rchar: 1\nwchar: 2\n"); /* no task I/O accounting */
	tree_file(&tree, "proc/vmstat", "nr_free_pages 1\n");
	witnesses_read(&(struct witness_view){ &tree.root, &stack, NULL }, &r);
	for (size_t i = 0; i < STACK_LAYERS_MAX; i++)
		assert_false(r.layer[i].known);
	assert_false(r.process.known);
	assert_false(r.machine.disks_known);
	assert_false(r.machine.dirtied_known);
	assert_true(r.ns > 0);
	stack_free(&stack);
	tree_teardown(&tree);
}

static void test_machine_with_a_disk_that_cannot_be_read_is_unknown(void **state)
{
	struct stack stack = { 0 };
	struct reading r;
	struct tree tree;

	tree_setup(&tree);
	machine_make(&tree);
	tree_file(&tree, "sys/block/sdx/stat", "garbage\n");
	witnesses_read(&(struct witness_view){ &tree.root, &stack, NULL }, &r);
	assert_false(r.machine.disks_known);
	tree_teardown(&tree);
}

static void test_still_machine_has_no_background(void **state)
{
	struct background background[STACK_LAYERS_MAX];
	struct stack stack = { 0 };
	struct tree tree;

	tree_setup(&tree);
	machine_make(&tree);
	stack_make(&stack);
	assert_int_equal(witnesses_background(&(struct witness_view){ &tree.root, &stack, NULL },
				 1000000, background),
		0);
	assert_false(background[0].known);
	assert_true(background[1].known);
	assert_true(background[1].read_bytes_per_s == 0);
	assert_true(background[1].write_bytes_per_s == 0);
	assert_false(background[4].known);
	stack_free(&stack);
	tree_teardown(&tree);
}

/* The record's counters stand still whatever is written: that is what a dead counter looks like. */
static void test_calibration_of_still_counters(void **state)
{
	struct stack stack = { 0 };
	struct tree tree;

	tree_setup(&tree);
	machine_make(&tree);
	stack_make(&stack);
	tree_file(&tree, "sys/block/vda/queue/iostats", "1\n");
	assert_int_equal(witnesses_calibrate(&(struct witness_view){ &tree.root, &stack, NULL },
				 tree.root.fd, MIB, &stack),
		0);
	assert_int_equal(layer_trait(&stack.layer[0], TRAIT_COUNTED), ANSWER_UNKNOWN);
	assert_int_equal(layer_trait(&stack.layer[3], TRAIT_COUNTED), ANSWER_NO);
	assert_int_equal(stack.layer[3].traits[TRAIT_COUNTED].known_by, KNOWN_MEASURED);
	assert_int_equal(layer_trait(&stack.layer[4], TRAIT_COUNTED), ANSWER_UNKNOWN);
	stack_free(&stack);
	tree_teardown(&tree);
}

static void test_declaration_stands_where_nothing_can_be_written(void **state)
{
	struct stack stack = { 0 };
	struct tree tree;

	tree_setup(&tree);
	machine_make(&tree);
	stack_make(&stack);
	tree_file(&tree, "sys/block/vda/queue/iostats", "1\n");
	tree_file(&tree, "sys/block/loop0/queue/iostats", "0\n");
	assert_int_equal(witnesses_calibrate(&(struct witness_view){ &tree.root, &stack, NULL }, -1,
				 MIB, &stack),
		0);
	assert_int_equal(layer_trait(&stack.layer[1], TRAIT_COUNTED), ANSWER_NO);
	assert_int_equal(layer_trait(&stack.layer[3], TRAIT_COUNTED), ANSWER_YES);
	assert_int_equal(stack.layer[3].traits[TRAIT_COUNTED].known_by, KNOWN_DECLARED);
	stack_free(&stack);
	tree_teardown(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_witness_fills_its_part),
		cmocka_unit_test(test_masked_machine_is_unknown_not_zero),
		cmocka_unit_test(test_machine_with_a_disk_that_cannot_be_read_is_unknown),
		cmocka_unit_test(test_still_machine_has_no_background),
		cmocka_unit_test(test_calibration_of_still_counters),
		cmocka_unit_test(test_declaration_stands_where_nothing_can_be_written),
	};

	return cmocka_run_group_tests_name("witness readings", tests, NULL, NULL);
}
