// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run leaves behind, however it ends: nothing. */
#include "witness_rig.h"

/* A run that is killed inside its group, holding a mount's descriptor and working directory. */
static pid_t doomed_start(const struct rig *rig, bool guarded, int *ready)
{
	int pipes[2];
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		struct guardian *guardian = NULL;
		struct private_cgroup *cgroup;
		int fd = open(rig->mount_point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (chdir(rig->mount_point) != 0 || (guarded && guardian_start(&guardian) != 0) ||
			(guarded && guardian_note(guardian, fd, "noted", false) != 0) ||
			openat(fd, "noted", O_CREAT | O_WRONLY, 0600) < 0 ||
			private_cgroup_enter(&rig->root, guardian, &cgroup, NULL) != 0)
			_exit(write(pipes[1], "n", 1) != 1);
		if (write(pipes[1], "y", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(pipes[1]);
	*ready = pipes[0];
	return pid;
}

static bool doomed_ready(int ready)
{
	char answer = 'n';

	assert_int_equal(read(ready, &answer, 1), 1);
	close(ready);
	return answer == 'y';
}

static int poll_until_gone(const struct rig *rig, pid_t pid)
{
	int ms = 0;

	for (; ms < 5000 && group_left(&rig->root, pid); ms += 5)
		poll(NULL, 0, 5);
	return ms;
}

static void test_killed_run_leaves_no_cgroup_and_pins_no_mount(void **state)
{
	_cleanup_free_ char *noted = NULL;
	struct rig rig;
	int ready;
	pid_t pid;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	noted = xasprintf("%s/noted", rig.mount_point);
	pid = doomed_start(&rig, true, &ready);
	if (!doomed_ready(ready)) {
		waitpid(pid, NULL, 0);
		rig_teardown(&rig);
		print_message("skipped: no private cgroup here\n");
		skip();
	}
	assert_true(group_left(&rig.root, pid));
	assert_int_equal(access(noted, F_OK), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	print_message("  group gone after %d ms\n", poll_until_gone(&rig, pid));
	assert_false(group_left(&rig.root, pid));
	assert_int_equal(access(noted, F_OK), -1);
	rig_teardown(&rig); /* umount: EBUSY if a guardian sat on it */
}

static void test_guardian_alive_pins_neither_mount_nor_loop(void **state)
{
	struct guardian *guardian;
	struct rig rig;
	int home, fd;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	home = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = data_open(&rig, "held", 0);
	assert_int_equal(chdir(rig.mount_point), 0);
	assert_int_equal(guardian_start(&guardian), 0);
	assert_int_equal(fchdir(home), 0);
	close(fd);
	poll(NULL, 0, 50);
	assert_int_equal(umount(rig.mount_point), 0);
	rig.mounted = false;
	guardian_stop(guardian);
	close(home);
	rig_teardown(&rig);
}

static void test_next_run_collects_what_an_unguarded_death_left(void **state)
{
	struct rig rig;
	int ready;
	pid_t pid;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	pid = doomed_start(&rig, false, &ready);
	if (!doomed_ready(ready)) {
		waitpid(pid, NULL, 0);
		rig_teardown(&rig);
		print_message("skipped: no private cgroup here\n");
		skip();
	}
	private_cgroup_collect(&rig.root);
	assert_true(group_left(&rig.root, pid)); /* it lives */
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(group_left(&rig.root, pid));
	for (int i = 0; i < 100 && group_left(&rig.root, pid); i++) {
		private_cgroup_collect(&rig.root);
		poll(NULL, 0, 10);
	}
	assert_false(group_left(&rig.root, pid));
	rig_teardown(&rig);
}

/* Without O_TMPFILE the file has a name for an instant. */
static void test_scratch_on_fuse_leaves_no_name(void **state)
{
	struct scratch scratch = SCRATCH_CLOSED;
	_cleanup_free_ char *through = NULL;
	_cleanup_(string_list_free) char **names = NULL;
	struct guardian *guardian;
	struct rig rig;
	int fd;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	through = tree_path(&rig.tree, "through");
	assert_int_equal(mkdir(through, 0755), 0);
	if (run((const char *const[]){ "bindfs", rig.mount_point, through, NULL }) != 0) {
		rig_teardown(&rig);
		print_message("skipped: no bindfs\n");
		skip();
	}
	assert_int_equal(guardian_start(&guardian), 0);
	fd = open(through, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(scratch_create(fd, guardian, &scratch), 0);
	assert_int_equal(pwrite(scratch.fd, "proof", 5, 0), 5);
	print_message("  direct: fd %d, errno %d\n", scratch.direct_fd, scratch.direct_errno);
	scratch_close(&scratch);
	close(fd);
	guardian_stop(guardian);
	for (int i = 0; i < 100 && umount(through) != 0; i++)
		poll(NULL, 0, 20);
	poll(NULL, 0, 200);
	assert_int_equal(sysroot_list(&rig.root, &names, "%s", rig.mount_point + 1), 0);
	assert_string_equal(names[0], "lost+found");
	assert_null(names[1]);
	rig_teardown(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_run_leaves_no_cgroup_and_pins_no_mount),
		cmocka_unit_test(test_guardian_alive_pins_neither_mount_nor_loop),
		cmocka_unit_test(test_next_run_collects_what_an_unguarded_death_left),
		cmocka_unit_test(test_scratch_on_fuse_leaves_no_name),
	};

	return cmocka_run_group_tests_name("leftovers of a run", tests, rig_private_mounts, NULL);
}
