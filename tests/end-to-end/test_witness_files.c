// SPDX-License-Identifier: GPL-2.0-or-later
/* Extents and residency on real filesystems. */
#include "witness_rig.h"

static void test_extents_on_a_real_filesystem(void **state)
{
	struct extents written, allocated, sparse;
	struct rig rig;
	int fd;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	fd = data_cold(&rig);
	extents_read(fd, DATA, &written);
	close(fd);
	fd = data_open(&rig, "allocated", 0);
	assert_int_equal(fallocate(fd, 0, 0, 16 * MIB), 0);
	extents_read(fd, 16 * MIB, &allocated);
	close(fd);
	fd = data_open(&rig, "sparse", 0);
	assert_int_equal(ftruncate(fd, 16 * MIB), 0);
	extents_read(fd, 16 * MIB, &sparse);
	close(fd);
	assert_int_equal(written.written_bytes, DATA);
	assert_int_equal(written.unwritten_bytes + written.hole_bytes + written.encoded_bytes, 0);
	assert_int_equal(allocated.unwritten_bytes, 16 * MIB);
	assert_int_equal(allocated.written_bytes, 0);
	assert_true(sparse.known);
	assert_int_equal(sparse.hole_bytes, 16 * MIB);
	rig_teardown(&rig);
}

static void test_compressed_extents_are_encoded(void **state)
{
	const char *const btrfs[] = { "mkfs.btrfs", "--version", NULL };
	_cleanup_free_ char *zeros = xcalloc(1, BLOCK);
	struct extents extents;
	struct rig rig;
	int fd;

	if (!requirements_met())
		skip();
	if (run(btrfs) != 0) {
		print_message("skipped: no mkfs.btrfs\n");
		skip();
	}
	if (!rig_setup(&rig, true, "btrfs", "compress=zstd,nodiscard"))
		skip();
	fd = data_open(&rig, "zeros", 0);
	fill(fd, zeros, 4 * MIB);
	extents_read(fd, 4 * MIB, &extents);
	close(fd);
	assert_true(extents.known);
	assert_int_equal(extents.encoded_bytes, 4 * MIB);
	assert_int_equal(extents.written_bytes, 0);
	rig_teardown(&rig);
}

/* As a stranger: what this process learns of a file that belongs to root. */
static void stranger_reads(const char *path, uint64_t size, struct residency *ret)
{
	int pipes[2], status;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		struct residency residency = { 0 };
		int fd;

		if (setgid(65534) != 0 || setuid(65534) != 0)
			_exit(1);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		residency_read(fd, size, &residency);
		residency.source = NULL;
		_exit(write(pipes[1], &residency, sizeof(residency)) != sizeof(residency));
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], ret, sizeof(*ret)), (ssize_t)sizeof(*ret));
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void overlay_mount(const struct rig *rig, const char *merged)
{
	static const char *const part[] = { "upper", "work", "merged" };
	_cleanup_free_ char *options = xasprintf("lowerdir=%s,upperdir=%s/upper,workdir=%s/work",
		rig->tree.path, rig->mount_point, rig->mount_point);

	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", rig->mount_point, part[i]);

		assert_int_equal(mkdir(path, 0755), 0);
	}
	assert_int_equal(chmod(rig->tree.path, 0755), 0);
	assert_int_equal(mount("overlay", merged, "overlay", 0, options), 0);
}

static void test_residency_on_an_overlay_is_true_or_unknown(void **state)
{
	struct residency owner, evicted, stranger, stranger_cold;
	_cleanup_free_ char *merged = NULL, *path = NULL;
	struct rig rig;
	int fd;

	if (!requirements_met() || !rig_setup(&rig, true, "ext4", NULL))
		skip();
	merged = xasprintf("%s/merged", rig.mount_point);
	path = xasprintf("%s/file", merged);
	overlay_mount(&rig, merged);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	fill(fd, rig.block, 8 * MIB);
	residency_read(fd, 8 * MIB, &owner);
	stranger_reads(path, 8 * MIB, &stranger);
	assert_int_equal(residency_evict(fd, 8 * MIB, &evicted), 0);
	stranger_reads(path, 8 * MIB, &stranger_cold);
	close(fd);
	assert_int_equal(umount(merged), 0);
	assert_int_equal(owner.known, ANSWER_YES);
	assert_string_equal(owner.source, "mincore");
	assert_int_equal(owner.resident, owner.pages);
	assert_int_equal(evicted.known, ANSWER_YES);
	assert_int_equal(evicted.resident, 0);
	assert_int_equal(stranger.known, ANSWER_NO);
	assert_int_equal(stranger_cold.known, ANSWER_NO);
	rig_teardown(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extents_on_a_real_filesystem),
		cmocka_unit_test(test_compressed_extents_are_encoded),
		cmocka_unit_test(test_residency_on_an_overlay_is_true_or_unknown),
	};

	return cmocka_run_group_tests_name("files on real layers", tests, rig_private_mounts, NULL);
}
