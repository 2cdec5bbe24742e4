// SPDX-License-Identifier: GPL-2.0-or-later
/* Old container runtimes forbid statx(2): the way to the mount is then stat and the file handle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "probes/stack/stack_probe.h"

static int forbid_statx(int errnum)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_statx, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)errnum),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0
		? -errno
		: 0;
}

static char *filesystem_of_root(int errnum)
{
	struct sysroot root = SYSROOT_CLOSED;
	struct stack stack = { 0 };
	struct error error;
	char *type;

	if (errnum && forbid_statx(errnum) < 0)
		return NULL;
	if (sysroot_open(NULL, &root, &error) < 0 ||
		stack_probe_path(&root, "/", &stack, &error) < 0)
		return xstrdup(error.text);
	type = xstrdup(stack.count ? stack.layer[0].type : "nothing");
	stack_free(&stack);
	sysroot_close(&root);
	return type;
}

/* In a child: what is forbidden stays so. */
static void ask(int errnum, char answer[128])
{
	int fd[2], status;
	pid_t pid;

	assert_int_equal(pipe(fd), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		_cleanup_free_ char *type = filesystem_of_root(errnum);

		if (type)
			(void)!write(fd[1], type, strlen(type) + 1);
		_exit(type ? 0 : 77);
	}
	close(fd[1]);
	memset(answer, 0, 128);
	assert_true(read(fd[0], answer, 127) >= 0);
	close(fd[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
		print_message("no seccomp filter can be set here\n");
		skip();
	}
	assert_int_equal(status, 0);
}

static void test_root_is_found_without_statx(void **state)
{
	static const int answers[] = { EPERM, ENOSYS };
	char known[128], found[128];

	ask(0, known);
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		ask(answers[i], found);
		assert_string_equal(found, known);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_root_is_found_without_statx) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
