// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <string.h>
#include <sys/wait.h>

#include "core/watchdog.h"

/* What a child that is watched for a second says and how it ends when it takes that long. */
static int run(int milliseconds, char said[64])
{
	int out[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct watchdog *w;

		dup2(out[1], STDERR_FILENO);
		close(out[0]);
		close(out[1]);
		w = watchdog_start(1, "late\n");
		poll(NULL, 0, milliseconds);
		watchdog_stop(w);
		_exit(42);
	}
	close(out[1]);
	n = read(out[0], said, 63);
	said[n > 0 ? n : 0] = '\0';
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_who_is_late_ends_with_the_text(void **state)
{
	char said[64];

	assert_int_equal(run(20000, said), 1);
	assert_string_equal(said, "late\n");
}

static void test_who_is_in_time_hears_nothing(void **state)
{
	char said[64];

	assert_int_equal(run(10, said), 42);
	assert_string_equal(said, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_is_late_ends_with_the_text),
		cmocka_unit_test(test_who_is_in_time_hears_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
