// SPDX-License-Identifier: GPL-2.0-or-later
#include "witness_tree.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "core/guardian.h"

#define POLL_MS 10
#define POLLS_MAX 500

static int directory_open(const struct tree *tree)
{
	int fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static bool gone_soon(const struct tree *tree, const char *name)
{
	for (int i = 0; i < POLLS_MAX; i++) {
		if (!tree_has(tree, name))
			return true;
		poll(NULL, 0, POLL_MS);
	}
	return false;
}

static void test_what_is_still_noted_is_removed_at_the_end(void **state)
{
	struct guardian *guardian;
	struct tree tree;
	int fd;

	tree_setup(&tree);
	assert_int_equal(guardian_start(&guardian), 0);
	fd = directory_open(&tree);
	assert_int_equal(guardian_note(guardian, fd, "file", false), 0);
	assert_int_equal(guardian_note(guardian, fd, "directory", true), 0);
	assert_int_equal(guardian_note(guardian, fd, "never-made", false), 0);
	tree_file(&tree, "file", "x");
	tree_file(&tree, "bystander", "x");
	assert_int_equal(mkdirat(fd, "directory", 0700), 0);
	guardian_stop(guardian);
	assert_false(tree_has(&tree, "file"));
	assert_false(tree_has(&tree, "directory"));
	assert_true(tree_has(&tree, "bystander"));
	close(fd);
	tree_teardown(&tree);
}

static void test_forgotten_names_are_left_alone(void **state)
{
	struct guardian *guardian;
	struct tree tree, other;
	int fd, other_fd;

	tree_setup(&tree);
	tree_setup(&other);
	assert_int_equal(guardian_start(&guardian), 0);
	fd = directory_open(&tree);
	other_fd = directory_open(&other);
	guardian_note(guardian, fd, "same-name", false);
	guardian_note(guardian, other_fd, "same-name", false);
	tree_file(&tree, "same-name", "x");
	tree_file(&other, "same-name", "x");
	assert_int_equal(guardian_forget(guardian, fd, "same-name"), 0);
	guardian_stop(guardian);
	assert_true(tree_has(&tree, "same-name"));
	assert_false(tree_has(&other, "same-name"));
	close(fd);
	close(other_fd);
	tree_teardown(&tree);
	tree_teardown(&other);
}

static void test_names_that_leave_the_directory_are_refused(void **state)
{
	static const char *const bad[] = { "", ".", "..", "a/b", "/etc/passwd" };
	struct guardian *guardian;
	char too_long[300];
	struct tree tree;
	int fd;

	tree_setup(&tree);
	assert_int_equal(guardian_start(&guardian), 0);
	fd = directory_open(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(guardian_note(guardian, fd, bad[i], false), -EINVAL);
	memset(too_long, 'x', sizeof(too_long) - 1);
	too_long[sizeof(too_long) - 1] = '\0';
	assert_int_equal(guardian_note(guardian, fd, too_long, false), -EINVAL);
	assert_int_equal(guardian_note(guardian, -1, "name", false), -EBADF);
	guardian_stop(guardian);
	close(fd);
	tree_teardown(&tree);
}

/* The child does not come back: it dies by SIGKILL with everything noted and made. */
static pid_t doomed_start(const struct tree *tree)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct guardian *guardian;
		int fd = open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (guardian_start(&guardian) != 0 ||
			guardian_note(guardian, fd, "file", false) != 0 ||
			guardian_note(guardian, fd, "directory", true) != 0 ||
			mkdirat(fd, "directory", 0700) != 0 ||
			openat(fd, "file", O_CREAT | O_EXCL | O_WRONLY, 0600) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	return pid;
}

static void test_killed_run_leaves_nothing_noted_behind(void **state)
{
	struct tree tree;
	int status;
	pid_t pid;

	tree_setup(&tree);
	pid = doomed_start(&tree);
	for (int i = 0; i < POLLS_MAX && !tree_has(&tree, "file"); i++)
		poll(NULL, 0, POLL_MS);
	assert_true(tree_has(&tree, "file"));
	assert_true(tree_has(&tree, "directory"));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(gone_soon(&tree, "file"));
	assert_true(gone_soon(&tree, "directory"));
	tree_teardown(&tree);
}

static void test_kill_between_note_and_making_is_covered(void **state)
{
	struct tree tree;

	tree_setup(&tree);
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t pid = doomed_start(&tree);

		poll(NULL, 0, i % 4);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(gone_soon(&tree, "file"));
		assert_true(gone_soon(&tree, "directory"));
	}
	tree_teardown(&tree);
}

/* A pipe's reader sees the end of file only when nobody else holds the other end. */
static void test_guardian_holds_no_descriptor_of_the_run(void **state)
{
	struct guardian *guardian;
	struct pollfd reader;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(guardian_start(&guardian), 0);
	close(pipes[1]);
	reader = (struct pollfd){ .fd = pipes[0], .events = POLLIN };
	assert_int_equal(poll(&reader, 1, 5000), 1);
	assert_true(reader.revents & POLLHUP);
	close(pipes[0]);
	guardian_stop(guardian);
}

static void test_guardian_survives_terminal_signals_of_its_old_group(void **state)
{
	struct tree tree;
	int status;
	pid_t pid;

	tree_setup(&tree);
	pid = fork();
	if (pid == 0) {
		struct guardian *guardian;
		int fd = open(tree.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		setpgid(0, 0);
		if (guardian_start(&guardian) != 0 ||
			guardian_note(guardian, fd, "file", false) != 0)
			_exit(1);
		close(openat(fd, "file", O_CREAT | O_EXCL | O_WRONLY, 0600));
		for (;;)
			pause();
	}
	for (int i = 0; i < POLLS_MAX && !tree_has(&tree, "file"); i++)
		poll(NULL, 0, POLL_MS);
	kill(-pid, SIGINT); /* as a terminal does */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_true(gone_soon(&tree, "file"));
	tree_teardown(&tree);
}

static void test_stopping_none_is_fine(void **state)
{
	guardian_stop(NULL);
	assert_true(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_still_noted_is_removed_at_the_end),
		cmocka_unit_test(test_forgotten_names_are_left_alone),
		cmocka_unit_test(test_names_that_leave_the_directory_are_refused),
		cmocka_unit_test(test_killed_run_leaves_nothing_noted_behind),
		cmocka_unit_test(test_kill_between_note_and_making_is_covered),
		cmocka_unit_test(test_guardian_holds_no_descriptor_of_the_run),
		cmocka_unit_test(test_guardian_survives_terminal_signals_of_its_old_group),
		cmocka_unit_test(test_stopping_none_is_fine),
	};

	return cmocka_run_group_tests_name("guardian", tests, NULL, NULL);
}
