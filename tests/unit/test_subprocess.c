// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "core/interrupt.h"
#include "core/subprocess.h"

#define RUN(result, ...)                                                                           \
	({                                                                                         \
		const char *const argv_[] = { __VA_ARGS__, NULL };                                 \
		const struct subprocess subprocess_ = { .argv = argv_ };                           \
		subprocess_run(&subprocess_, result);                                              \
	})

static void test_status_and_both_outputs_come_back(void **state)
{
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };

	assert_int_equal(RUN(&result, "sh", "-c", "echo out; echo err >&2; exit 7"), 0);
	assert_int_equal(result.status, 7);
	assert_string_equal(result.out, "out\n");
	assert_string_equal(result.err, "err\n");
}

static void test_death_by_signal_is_128_and_the_signal(void **state)
{
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };

	assert_int_equal(RUN(&result, "sh", "-c", "kill -TERM $$"), 0);
	assert_int_equal(result.status, 128 + SIGTERM);
}

static void test_missing_program_leaves_the_result_alone(void **state)
{
	struct subprocess_result result = { .status = 77 };

	assert_int_equal(RUN(&result, "no-such-program-here"), -ENOENT);
	assert_int_equal(RUN(&result, "/no/such/program"), -ENOENT);
	assert_int_equal(result.status, 77);
	assert_null(result.out);
}

static void test_output_is_cut_and_the_rest_dropped(void **state)
{
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };

	assert_int_equal(RUN(&result, "head", "-c", "1000000", "/dev/zero"), 0);
	assert_int_equal(result.status, 0);
	subprocess_result_free(&result);
	assert_int_equal(RUN(&result, "sh", "-c", "yes | head -c 1000000"), 0);
	assert_int_equal(result.status, 0);
	assert_int_equal(strlen(result.out), SUBPROCESS_OUTPUT_MAX);
}

static void test_arguments_are_not_a_shell_s(void **state)
{
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };

	assert_int_equal(RUN(&result, "printf", "%s", "$(id); `id` > x"), 0);
	assert_string_equal(result.out, "$(id); `id` > x");
}

static void test_environment_is_ours_with_c_locale_and_without_preload(void **state)
{
	static const char *const argv[] = { "env", NULL };
	static const char *const more[] = { "IOPROOF_TEST=new", "IOPROOF_OTHER=2", NULL };
	const struct subprocess subprocess = { .argv = argv, .environment = more };
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };

	setenv("IOPROOF_TEST", "old", 1);
	setenv("LC_ALL", "de_DE.UTF-8", 1);
	setenv("LD_LIBRARY_PATH", "/nowhere", 1);
	setenv("MKE2FS_DEVICE_SECTSIZE", "8192", 1);
	assert_int_equal(subprocess_run(&subprocess, &result), 0);
	unsetenv("LD_LIBRARY_PATH");
	unsetenv("MKE2FS_DEVICE_SECTSIZE");
	assert_null(strstr(result.out, "MKE2FS_DEVICE_SECTSIZE"));
	assert_non_null(strstr(result.out, "IOPROOF_TEST=new\n"));
	assert_null(strstr(result.out, "IOPROOF_TEST=old\n"));
	assert_non_null(strstr(result.out, "IOPROOF_OTHER=2\n"));
	assert_non_null(strstr(result.out, "LC_ALL=C\n"));
	assert_null(strstr(result.out, "de_DE"));
	assert_null(strstr(result.out, "LD_LIBRARY_PATH"));
}

static void test_only_named_descriptors_are_inherited(void **state)
{
	_cleanup_close_ int kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int leaky = open("/dev/null", O_RDONLY);
	_cleanup_free_ char *script =
		xasprintf("test -e /proc/self/fd/%d && "
			  "test ! -e /proc/self/fd/%d && readlink /proc/self/fd/0",
			kept, leaky);
	const char *const argv[] = { "sh", "-c", script, NULL };
	const int keep[] = { kept, -1 };
	const struct subprocess subprocess = { .argv = argv, .keep = keep };
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };

	assert_int_equal(subprocess_run(&subprocess, &result), 0);
	assert_int_equal(result.status, 0);
	assert_string_equal(result.out, "/dev/null\n");
	assert_int_equal(fcntl(kept, F_GETFD), FD_CLOEXEC);
}

static void test_relative_members_of_path_are_skipped(void **state)
{
	char directory[] = "/tmp/ioproof-test-XXXXXX", name[64];
	_cleanup_free_ char *saved = xstrdup(getenv("PATH")), *found = NULL, *cwd = getcwd(NULL, 0);
	int fd;

	assert_non_null(mkdtemp(directory));
	snprintf(name, sizeof(name), "%s/ioproof-tool", directory);
	fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
	close(fd);
	assert_int_equal(chdir(directory), 0);
	setenv("PATH", ".::relative:/nonexistent", 1);
	assert_int_equal(subprocess_find("ioproof-tool", &found), -ENOENT);
	setenv("PATH", directory, 1);
	assert_int_equal(subprocess_find("ioproof-tool", &found), 0);
	assert_string_equal(found, name);
	setenv("PATH", saved, 1);
	assert_int_equal(chdir(cwd), 0);
	unlink(name);
	rmdir(directory);
}

/* mkfs is in /usr/sbin, which an ordinary user's PATH does not have. */
static void test_system_directories_are_searched_without_being_in_path(void **state)
{
	_cleanup_free_ char *saved = xstrdup(getenv("PATH")), *found = NULL;

	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(subprocess_find("sh", &found), 0);
	setenv("PATH", saved, 1);
}

static bool gone(pid_t pid)
{
	for (int i = 0; i < 500; i++) {
		if (kill(pid, 0) < 0 && errno == ESRCH)
			return true;
		usleep(10000);
	}
	return false;
}

static pid_t read_pid(int fd)
{
	pid_t pid = 0;

	assert_int_equal(read(fd, &pid, sizeof(pid)), sizeof(pid));
	return pid;
}

/* The shell's parent is us; it tells its own number through a kept pipe, as text. */
static void test_child_dies_with_a_killed_parent(void **state)
{
	int p[2];
	pid_t parent, child;
	char text[32] = "";

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	parent = fork();
	if (parent == 0) {
		_cleanup_free_ char *script = xasprintf("echo $$ >&%d; exec sleep 60", p[1]);
		const char *const argv[] = { "sh", "-c", script, NULL };
		const int keep[] = { p[1], -1 };
		const struct subprocess subprocess = { .argv = argv, .keep = keep };
		struct subprocess_result result;

		subprocess_run(&subprocess, &result);
		_exit(1);
	}
	assert_true(read(p[0], text, sizeof(text) - 1) > 0);
	child = (pid_t)atoi(text);
	assert_true(child > 1);
	kill(parent, SIGKILL);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	assert_true(gone(child));
	close(p[0]);
	close(p[1]);
}

/* In a process of its own, because an interrupt cannot be taken back. */
static void test_interrupt_kills_and_reaps_the_child(void **state)
{
	int p[2], status;
	pid_t pid;

	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		struct subprocess_result result;
		int r;

		interrupt_install();
		pid = getpid();
		if (write(p[1], &pid, sizeof(pid)) < 0)
			_exit(2);
		r = RUN(&result, "sleep", "60");
		/* Nothing is left to wait for. */
		if (r == -EINTR && waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD &&
			interrupted())
			_exit(0);
		_exit(1);
	}
	assert_int_equal(read_pid(p[0]), pid);
	usleep(100000);
	kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(p[0]);
	close(p[1]);
}

static void test_a_grandchild_that_keeps_the_output_open_does_not_hold_us(void **state)
{
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	assert_int_equal(RUN(&result, "sh", "-c", "sleep 3 & echo done"), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert_string_equal(result.out, "done\n");
	assert_true(b.tv_sec - a.tv_sec < 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status_and_both_outputs_come_back),
		cmocka_unit_test(test_death_by_signal_is_128_and_the_signal),
		cmocka_unit_test(test_missing_program_leaves_the_result_alone),
		cmocka_unit_test(test_output_is_cut_and_the_rest_dropped),
		cmocka_unit_test(test_arguments_are_not_a_shell_s),
		cmocka_unit_test(test_environment_is_ours_with_c_locale_and_without_preload),
		cmocka_unit_test(test_only_named_descriptors_are_inherited),
		cmocka_unit_test(test_relative_members_of_path_are_skipped),
		cmocka_unit_test(test_system_directories_are_searched_without_being_in_path),
		cmocka_unit_test(test_child_dies_with_a_killed_parent),
		cmocka_unit_test(test_interrupt_kills_and_reaps_the_child),
		cmocka_unit_test(test_a_grandchild_that_keeps_the_output_open_does_not_hold_us),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
