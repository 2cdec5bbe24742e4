// SPDX-License-Identifier: GPL-2.0-or-later
#include "witness_tree.h"

#include <sys/statfs.h>

#include "probes/witnesses/residency.h"

#define SIZE (4 * MIB)
#define TMPFS_MAGIC_NUMBER 0x01021994

struct file {
	struct tree tree;
	int fd;
};

static void file_setup(struct file *file)
{
	tree_setup(&file->tree);
	file->fd = openat(file->tree.root.fd, "data", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(file->fd >= 0);
}

static void file_teardown(struct file *file)
{
	close(file->fd);
	tree_teardown(&file->tree);
}

static void fill(int fd, uint64_t offset, uint64_t size)
{
	_cleanup_free_ char *block = xmalloc(MIB);

	memset(block, 0x5a, MIB);
	for (uint64_t done = 0; done < size; done += MIB)
		assert_int_equal(pwrite(fd, block, MIN(MIB, size - done), (off_t)(offset + done)),
			MIN(MIB, size - done));
}

static void test_eviction_empties_a_resident_file(void **state)
{
	struct residency before, after;
	struct statfs fs;
	struct file file;

	file_setup(&file);
	fill(file.fd, 0, SIZE + 100);
	residency_read(file.fd, SIZE + 100, &before);
	assert_int_equal(residency_evict(file.fd, SIZE + 100, &after), 0);
	fstatfs(file.fd, &fs);
	file_teardown(&file);
	if (fs.f_type == TMPFS_MAGIC_NUMBER || before.known != ANSWER_YES) {
		print_message("skipped: the temporary directory has no page cache to evict from\n");
		skip();
	}
	assert_int_equal(before.pages, SIZE / (uint64_t)sysconf(_SC_PAGESIZE) + 1);
	assert_int_equal(before.resident, before.pages);
	assert_int_equal(after.known, ANSWER_YES);
	assert_int_equal(after.pages, before.pages);
	assert_int_equal(after.resident, 0);
	assert_int_equal(after.dirty, 0);
}

static void test_empty_file_is_known_and_has_no_pages(void **state)
{
	struct residency r;
	struct extents e;
	struct file file;

	file_setup(&file);
	residency_read(file.fd, 0, &r);
	extents_read(file.fd, 0, &e);
	assert_int_equal(r.pages, 0);
	assert_int_equal(r.resident, 0);
	assert_int_equal(e.written_bytes + e.unwritten_bytes + e.hole_bytes, 0);
	file_teardown(&file);
}

static void test_bad_descriptor_is_unknown(void **state)
{
	struct residency r;
	struct extents e;

	residency_read(-1, SIZE, &r);
	extents_read(-1, SIZE, &e);
	assert_int_equal(r.known, ANSWER_UNKNOWN);
	assert_false(e.known);
	assert_int_equal(residency_evict(-1, SIZE, &r), -EBADF);
}

/* [0,1M) written, [1M,2M) hole, [2M,3M) allocated only, [3M,4M) written but for its second half. */
static void test_extents_tell_written_unwritten_and_holes(void **state)
{
	struct extents e;
	struct file file;

	file_setup(&file);
	fill(file.fd, 0, MIB);
	if (fallocate(file.fd, 0, 2 * MIB, MIB) == 0)
		fill(file.fd, 3 * MIB, MIB / 2);
	assert_int_equal(ftruncate(file.fd, SIZE), 0);
	extents_read(file.fd, SIZE, &e);
	file_teardown(&file);
	if (!e.known || e.unwritten_bytes == 0) {
		print_message("skipped: no FIEMAP or no fallocate in the temporary directory\n");
		skip();
	}
	assert_int_equal(e.written_bytes, MIB + MIB / 2);
	assert_int_equal(e.unwritten_bytes, MIB);
	assert_int_equal(e.hole_bytes, MIB + MIB / 2);
	assert_int_equal(e.encoded_bytes, 0);
	assert_true(e.count >= 3);
	assert_string_equal(e.source, "FIEMAP");
}

/* More pieces than one batch holds; the last ones lie beyond the range that is asked for. */
static void test_extents_of_a_file_in_many_pieces(void **state)
{
	enum { PIECES = 700, BEYOND = 40 };
	char block[4096];
	struct extents e;
	struct file file;

	file_setup(&file);
	memset(block, 1, sizeof(block));
	for (int i = 0; i < PIECES + BEYOND; i++)
		assert_int_equal(pwrite(file.fd, block, sizeof(block), (off_t)i * 16384),
			(ssize_t)sizeof(block));
	extents_read(file.fd, PIECES * 16384, &e);
	file_teardown(&file);
	if (!e.known) {
		print_message("skipped: no FIEMAP in the temporary directory\n");
		skip();
	}
	assert_int_equal(e.written_bytes, PIECES * 4096);
	assert_int_equal(e.hole_bytes, PIECES * 12288);
	assert_int_equal(e.count, PIECES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eviction_empties_a_resident_file),
		cmocka_unit_test(test_empty_file_is_known_and_has_no_pages),
		cmocka_unit_test(test_bad_descriptor_is_unknown),
		cmocka_unit_test(test_extents_tell_written_unwritten_and_holes),
		cmocka_unit_test(test_extents_of_a_file_in_many_pieces),
	};

	return cmocka_run_group_tests_name("witness residency", tests, NULL, NULL);
}
