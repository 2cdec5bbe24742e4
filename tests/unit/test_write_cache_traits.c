// SPDX-License-Identifier: GPL-2.0-or-later
// What the queue says of a write cache against what the device itself declares.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the ones above first. */
#include <cmocka.h>

#include "probes/stack/stack_probe.h"
#include "synthetic.h"

struct machine {
	const char *name;
	const char *disk;      /* "vda"; "loop0" is attached */
	const char *device;    /* "254:0" */
	const char *queue;     /* queue/write_cache */
	const char *fua;       /* queue/fua; NULL: none */
	const char *attribute; /* below the disk's directory; NULL: none */
	const char *value;
	enum answer overridden, takes_fua;
};

static const struct machine machines[] = {
	{ "virtio, write back", "vda", "254:0", "write back\n", "0\n", "cache_type", "write back\n",
		ANSWER_NO, ANSWER_NO },
	{ "virtio, writethrough below", "vda", "254:0", "write through\n", "0\n", "cache_type",
		"write through\n", ANSWER_NO, ANSWER_NO },
	{ "virtio, queue switched", "vda", "254:0", "write through\n", "0\n", "cache_type",
		"write back\n", ANSWER_YES, ANSWER_NO },
	{ "SCSI, queue switched", "sda", "8:0", "write through\n", "1\n",
		"device/scsi_disk/0:0:0:0/cache_type", "write back\n", ANSWER_YES, ANSWER_YES },
	{ "SCSI, no read cache", "sda", "8:0", "write through\n", "1\n",
		"device/scsi_disk/0:0:0:0/cache_type", "write back, no read (daft)\n", ANSWER_YES,
		ANSWER_YES },
	{ "SCSI, cache off", "sda", "8:0", "write through\n", "0\n",
		"device/scsi_disk/0:0:0:0/cache_type", "write through\n", ANSWER_NO, ANSWER_NO },
	{ "NVMe does not say", "nvme0n1", "259:0", "write back\n", "1\n", NULL, NULL,
		ANSWER_UNKNOWN, ANSWER_YES },
	{ "virtio says nonsense", "vda", "254:0", "write through\n", NULL, "cache_type", "banana\n",
		ANSWER_UNKNOWN, ANSWER_UNKNOWN },
	{ "loop, as made", "loop0", "7:0", "write back\n", "0\n", "ro", "0\n", ANSWER_NO,
		ANSWER_NO },
	{ "loop, switched", "loop0", "7:0", "write through\n", "0\n", "ro", "0\n", ANSWER_YES,
		ANSWER_NO },
	{ "loop, read-only", "loop0", "7:0", "write through\n", "0\n", "ro", "1\n", ANSWER_NO,
		ANSWER_NO },
};

static void put(const struct synthetic *tree, const struct machine *m, const char *attribute,
	const char *value)
{
	_cleanup_free_ char *path = xasprintf("sys/block/%s/%s", m->disk, attribute);

	if (value)
		synthetic_file(tree, path, value);
}

static void build(const struct synthetic *tree, const struct machine *m)
{
	_cleanup_free_ char *device = xasprintf("%s\n", m->device);
	_cleanup_free_ char *mount =
		xasprintf("1 0 %s / / rw - ext4 /dev/%s rw\n", m->device, m->disk);

	put(tree, m, "dev", device);
	put(tree, m, "queue/write_cache", m->queue);
	put(tree, m, "queue/fua", m->fua);
	if (strncmp(m->disk, "loop", 4) == 0)
		put(tree, m, "loop/backing_file", "/image\n");
	if (m->attribute)
		put(tree, m, m->attribute, m->value);
	synthetic_file(tree, "proc/self/mountinfo", mount);
}

static void check(const struct machine *m)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	struct synthetic tree;
	struct stack stack = { 0 };
	struct error error = { "" };
	const struct trait *trait;

	print_message("  %s\n", m->name);
	synthetic_make(&tree);
	build(&tree, m);
	assert_int_equal(sysroot_open(tree.directory, &root, NULL), 0);
	assert_int_equal(stack_probe_path(&root, "/x", &stack, &error), 0);
	assert_string_equal(stack.layer[1].name, m->disk);
	trait = &stack.layer[1].traits[TRAIT_CACHE_OVERRIDDEN];
	assert_string_equal(answer_name(trait->answer), answer_name(m->overridden));
	if (m->overridden == ANSWER_YES)
		assert_non_null(strstr(trait->source, "queue/write_cache = write through"));
	assert_string_equal(
		answer_name(layer_trait(&stack.layer[1], TRAIT_FUA)), answer_name(m->takes_fua));
	stack_free(&stack);
	synthetic_remove(&tree);
}

static void test_switched_queue_is_told_from_an_honest_one(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		check(&machines[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_switched_queue_is_told_from_an_honest_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
