// SPDX-License-Identifier: GPL-2.0-or-later
#include "witness_tree.h"

#include <dirent.h>
#include <sys/resource.h>

#include "core/scratch.h"

static size_t entries(const char *path)
{
	size_t count = 0;
	DIR *d = opendir(path);

	assert_non_null(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count - 2;
}

static void test_umask_does_not_forbid_the_direct_descriptor(void **state)
{
	mode_t before = umask(0777);
	struct scratch scratch = SCRATCH_CLOSED;
	struct tree tree;
	struct stat st;
	int fd, r;

	umask(before);
	tree_setup(&tree);
	fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	umask(0777);
	r = scratch_create(fd, NULL, &scratch);
	umask(before);
	assert_int_equal(r, 0);
	assert_int_equal(fstat(scratch.fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_not_equal(scratch.direct_errno, EACCES);
	scratch_close(&scratch);
	close(fd);
	tree_teardown(&tree);
}

static void test_scratch_file_has_no_name_and_two_descriptors(void **state)
{
	struct scratch scratch = SCRATCH_CLOSED;
	struct stat a, b;
	struct tree tree;
	char text[6] = "";
	int fd;

	tree_setup(&tree);
	fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(scratch_create(fd, NULL, &scratch), 0);
	assert_int_equal(entries(tree.path), 0);
	assert_int_equal(pwrite(scratch.fd, "proof", 5, 0), 5);
	assert_int_equal(pread(scratch.fd, text, 5, 0), 5);
	assert_string_equal(text, "proof");
	assert_int_equal(fstat(scratch.fd, &a), 0);
	assert_int_equal(a.st_nlink, 0);
	assert_int_equal(a.st_mode & 0777, 0600);
	if (scratch.direct_fd >= 0) {
		assert_int_equal(fstat(scratch.direct_fd, &b), 0);
		assert_int_equal(a.st_ino, b.st_ino);
		assert_true(fcntl(scratch.direct_fd, F_GETFL) & O_DIRECT);
		assert_int_equal(scratch.direct_errno, 0);
	} else {
		assert_int_not_equal(scratch.direct_errno, 0);
	}
	assert_false(fcntl(scratch.fd, F_GETFL) & O_DIRECT);
	scratch_close(&scratch);
	assert_int_equal(scratch.fd, -1);
	assert_int_equal(scratch.direct_fd, -1);
	close(fd);
	tree_teardown(&tree);
}

static void test_failure_leaves_the_result_untouched(void **state)
{
	struct scratch scratch = { .fd = 1234, .direct_fd = 5678, .direct_errno = 9 };
	struct tree tree;
	int fd;

	tree_setup(&tree);
	tree_file(&tree, "file", "x");
	fd = openat(tree.root.fd, "file", O_RDONLY | O_CLOEXEC);
	assert_int_equal(scratch_create(fd, NULL, &scratch), -ENOTDIR);
	assert_int_equal(scratch.fd, 1234);
	assert_int_equal(scratch.direct_fd, 5678);
	assert_int_equal(scratch.direct_errno, 9);
	close(fd);
	tree_teardown(&tree);
}

static void test_unwritable_directory_is_an_error(void **state)
{
	struct scratch scratch = SCRATCH_CLOSED;
	_cleanup_close_ int fd = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		print_message("skipped: no /proc here\n");
		skip();
	}
	assert_true(scratch_create(fd, NULL, &scratch) < 0);
	assert_int_equal(scratch.fd, -1);
}

/* That would be told as "O_DIRECT was refused". */
static void test_too_many_open_files_are_no_refusal_of_direct_io(void **state)
{
	struct scratch scratch = SCRATCH_CLOSED;
	struct rlimit before, one_more;
	struct tree tree;
	int fd, r;

	tree_setup(&tree);
	fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	one_more = before;
	one_more.rlim_cur = (rlim_t)fd + 2;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &one_more), 0);
	r = scratch_create(fd, NULL, &scratch);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(r, -EMFILE);
	assert_int_equal(scratch.fd, -1);
	assert_int_equal(entries(tree.path), 0);
	close(fd);
	tree_teardown(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scratch_file_has_no_name_and_two_descriptors),
		cmocka_unit_test(test_umask_does_not_forbid_the_direct_descriptor),
		cmocka_unit_test(test_too_many_open_files_are_no_refusal_of_direct_io),
		cmocka_unit_test(test_failure_leaves_the_result_untouched),
		cmocka_unit_test(test_unwritable_directory_is_an_error),
	};

	return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
