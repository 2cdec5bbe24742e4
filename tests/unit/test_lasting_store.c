// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>

#include "fixtures/lasting.h"
#include "fixtures/lasting_store.h"
#include "synthetic.h"

struct place {
	struct synthetic machine;
	struct sysroot root;
};

static int setup(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));
	_cleanup_free_ char *run = NULL;

	synthetic_make(&p->machine);
	run = xasprintf("%s/run", p->machine.directory);
	p->root = (struct sysroot)SYSROOT_CLOSED;
	*state = p;
	return mkdir(run, 0755) || sysroot_open(p->machine.directory, &p->root, NULL);
}

static int teardown(void **state)
{
	struct place *p = *state;

	sysroot_close(&p->root);
	synthetic_remove(&p->machine);
	free(p);
	return 0;
}

static struct lasting_entry reserve(struct place *p, const char *name)
{
	struct lasting_entry entry = LASTING_ENTRY_CLOSED;
	struct error error;
	bool made;

	assert_int_equal(lasting_entry_lock(&p->root, name, true, 0, &entry, &made, &error), 0);
	return entry;
}

static void test_names_that_lead_elsewhere_are_refused(void **state)
{
	static const char *const bad[] = { "", ".", "..", ".a", "-a", "a/b", "a b", "a\nb", "a*",
		"\xc3\xa9", "a\\", "$a",
		"12345678901234567890123456789012345678901234567890123456789012345" };
	static const char *const good[] = { "a", "_a", "0", "a.b-c_D9",
		"1234567890123456789012345678901234567890123456789012345678901234" };
	struct error error;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(lasting_name_check(bad[i], &error), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(lasting_name_check(good[i], &error), 0);
}

static void test_name_is_reserved_once_and_the_directory_goes_with_the_last(void **state)
{
	struct place *p = *state;
	struct lasting_entry a = reserve(p, "a"), b = reserve(p, "b"), second;
	struct error error;
	bool made = true;

	assert_int_equal(
		lasting_entry_lock(&p->root, "a", true, 20, &second, &made, &error), -EBUSY);
	assert_false(made);
	assert_non_null(strstr(error.text, "another"));
	assert_int_equal(lasting_entry_remove(&a, &error), 0);
	assert_true(sysroot_exists(&p->root, LASTING_DIRECTORY "/b"));
	assert_int_equal(lasting_entry_remove(&b, &error), 0);
	assert_false(sysroot_exists(&p->root, LASTING_DIRECTORY));
	lasting_entry_close(&a);
	lasting_entry_close(&b);
	assert_int_equal(
		lasting_entry_lock(&p->root, "a", false, 0, &second, &made, &error), -ENOENT);
}

static void test_locker_is_named(void **state)
{
	struct place *p = *state;
	struct lasting_entry a = reserve(p, "a"), second;
	_cleanup_free_ char *locks = NULL;
	struct error error;
	struct stat st;
	bool made;

	assert_int_equal(fstat(a.fd, &st), 0);
	locks = xasprintf("1: POSIX  ADVISORY  WRITE 7 %02x:%02x:%ju 0 EOF\n"
			  "2: FLOCK  ADVISORY  WRITE 8 %02x:%02x:%ju 0 EOF\n"
			  "3: FLOCK  ADVISORY  WRITE 42 %02x:%02x:%ju 0 EOF\n",
		major(st.st_dev), minor(st.st_dev), (uintmax_t)st.st_ino, major(st.st_dev),
		minor(st.st_dev), (uintmax_t)st.st_ino + 1, major(st.st_dev), minor(st.st_dev),
		(uintmax_t)st.st_ino);
	synthetic_file(&p->machine, "proc/locks", locks);
	synthetic_file(&p->machine, "proc/42/comm", "ioproof\n");
	assert_int_equal(lasting_entry_locker(&p->root, &a), 42);
	assert_int_equal(
		lasting_entry_lock(&p->root, "a", true, 0, &second, &made, &error), -EBUSY);
	assert_non_null(strstr(error.text, "ioproof (pid 42)"));
	lasting_entry_close(&a);
}

static void test_link_in_place_of_the_store_is_refused(void **state)
{
	struct place *p = *state;
	struct lasting_entry entry;
	struct error error;
	bool made;

	synthetic_file(&p->machine, "elsewhere/x", "");
	synthetic_link(&p->machine, "run/ioproof", "../elsewhere");
	assert_true(lasting_entry_lock(&p->root, "a", true, 0, &entry, &made, &error) < 0);
	assert_non_null(strstr(error.text, "not a directory"));
	assert_false(sysroot_exists(&p->root, "elsewhere/a"));
}

static void test_store_that_others_may_write_to_is_refused(void **state)
{
	struct place *p = *state;
	_cleanup_free_ char *path = xasprintf("%s/run/ioproof", p->machine.directory);
	struct error error;
	int fd;

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0770), 0);
	assert_int_equal(lasting_store_open(&p->root, true, &fd, &error), -EPERM);
}

static void test_link_in_place_of_a_fixture_is_refused(void **state)
{
	struct place *p = *state;
	struct lasting_entry b = reserve(p, "b"), entry;
	struct error error;
	bool made;

	synthetic_link(&p->machine, "run/ioproof/a", "b");
	assert_true(lasting_entry_lock(&p->root, "a", true, 0, &entry, &made, &error) < 0);
	assert_true(lasting_entry_open(&p->root, "a", &entry, &error) < 0);
	lasting_entry_close(&b);
}

static void test_note_is_read_whole_or_not_at_all(void **state)
{
	struct place *p = *state;
	struct lasting_entry a = reserve(p, "a");
	_cleanup_free_ char *text = NULL, *big = xcalloc(1, 65 * KIB + 1), *path = NULL;
	json_t *note = json_pack("{s:i}", "a", 1);
	struct error error;
	size_t len;

	assert_int_equal(lasting_entry_read(&a, &text, &len), -ENOENT);
	assert_int_equal(lasting_entry_write(&a, note, &error), 0);
	assert_int_equal(lasting_entry_read(&a, &text, &len), 0);
	assert_non_null(strstr(text, "\"a\""));
	assert_false(sysroot_exists(&p->root, LASTING_DIRECTORY "/a/" LASTING_STATE ".new"));
	json_decref(note);
	memset(big, ' ', 65 * KIB);
	synthetic_file(&p->machine, LASTING_DIRECTORY "/a/" LASTING_STATE, big);
	free(take_pointer(text));
	assert_int_equal(lasting_entry_read(&a, &text, &len), -EFBIG);
	path = synthetic_path(&p->machine, LASTING_DIRECTORY "/a/" LASTING_STATE);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(lasting_entry_read(&a, &text, &len), -EINVAL);
	assert_int_equal(unlink(path), 0);
	synthetic_link(&p->machine, LASTING_DIRECTORY "/a/" LASTING_STATE, "/etc/passwd");
	assert_int_equal(lasting_entry_read(&a, &text, &len), -ELOOP);
	lasting_entry_close(&a);
}

static void test_what_is_not_ours_is_not_removed(void **state)
{
	struct place *p = *state;
	struct lasting_entry a = reserve(p, "a");
	struct error error;

	synthetic_file(&p->machine, LASTING_DIRECTORY "/a/thesis.tex", "x");
	assert_int_equal(lasting_entry_remove(&a, &error), -ENOTEMPTY);
	assert_non_null(strstr(error.text, "not ours"));
	assert_true(sysroot_exists(&p->root, LASTING_DIRECTORY "/a/thesis.tex"));
	lasting_entry_close(&a);
}

/* On a record nothing can be asked of mounts: what is there is listed, and nothing fails. */
static void test_list_and_gc_of_no_fixtures_are_empty(void **state)
{
	struct place *p = *state;
	struct lasting *list = NULL;
	size_t count = 1;
	bool partial = true;
	struct error error;

	assert_int_equal(lasting_list(&p->root, &list, &count, &partial, &error), 0);
	assert_int_equal(count, 0);
	assert_false(partial);
	assert_int_equal(lasting_gc(&p->root, NULL, &error), 0);
}

static void test_half_built_fixture_is_dead_once_nobody_has_its_lock(void **state)
{
	struct place *p = *state;
	struct lasting_entry a = reserve(p, "a");
	struct lasting *list = NULL;
	size_t count = 0;
	bool partial;
	struct error error;

	lasting_entry_close(&a);
	assert_int_equal(lasting_list(&p->root, &list, &count, &partial, &error), 0);
	assert_int_equal(count, 1);
	assert_int_equal(list[0].status, LASTING_DEAD);
	lasting_free(list, count);
	assert_int_equal(lasting_gc(&p->root, NULL, &error), 0);
	assert_false(sysroot_exists(&p->root, LASTING_DIRECTORY));
}

static void test_gc_leaves_what_somebody_works_on(void **state)
{
	struct place *p = *state;
	struct lasting_entry a = reserve(p, "a");
	struct error error;

	assert_int_equal(lasting_gc(&p->root, NULL, &error), 0);
	assert_true(sysroot_exists(&p->root, LASTING_DIRECTORY "/a"));
	lasting_entry_close(&a);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_names_that_lead_elsewhere_are_refused),
		TEST(test_name_is_reserved_once_and_the_directory_goes_with_the_last),
		TEST(test_locker_is_named),
		TEST(test_link_in_place_of_the_store_is_refused),
		TEST(test_store_that_others_may_write_to_is_refused),
		TEST(test_link_in_place_of_a_fixture_is_refused),
		TEST(test_note_is_read_whole_or_not_at_all),
		TEST(test_what_is_not_ours_is_not_removed),
		TEST(test_list_and_gc_of_no_fixtures_are_empty),
		TEST(test_half_built_fixture_is_dead_once_nobody_has_its_lock),
		TEST(test_gc_leaves_what_somebody_works_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
