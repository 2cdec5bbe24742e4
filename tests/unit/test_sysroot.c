// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>

#include "synthetic.h"

struct fixture {
	struct synthetic machine;
	struct sysroot root;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	synthetic_make(&f->machine);
	f->root = (struct sysroot)SYSROOT_CLOSED;
	*state = f;
	return sysroot_open(f->machine.directory, &f->root, NULL);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	sysroot_close(&f->root);
	synthetic_remove(&f->machine);
	free(f);
	return 0;
}

static void test_attribute_loses_its_line_end(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *line = NULL;

	synthetic_file(&f->machine, "sys/a", "write back \t\nsecond\n");
	assert_int_equal(sysroot_read_line(&f->root, &line, "sys/%s", "a"), 0);
	assert_string_equal(line, "write back");
}

static void test_empty_attribute_is_no_data(void **state)
{
	struct fixture *f = *state;
	char *line = NULL;

	synthetic_file(&f->machine, "sys/a", "\n");
	assert_int_equal(sysroot_read_line(&f->root, &line, "sys/a"), -ENODATA);
	assert_int_equal(sysroot_read_line(&f->root, &line, "sys/none"), -ENOENT);
	assert_null(line);
}

static void test_number_must_be_alone(void **state)
{
	static const struct {
		const char *text;
		int r;
	} rows[] = { { "-1\n", -EINVAL }, { "1 2\n", -EINVAL }, { "0x1\n", -EINVAL },
		{ "18446744073709551616\n", -ERANGE }, { "12\n", 0 } };
	struct fixture *f = *state;
	uint64_t value = 7;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		synthetic_file(&f->machine, "n", rows[i].text);
		assert_int_equal(sysroot_read_u64(&f->root, &value, "n"), rows[i].r);
		assert_int_equal(value, rows[i].r ? 7 : 12);
	}
}

static void test_read_stops_at_the_limit(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *big = xmalloc(10001);
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	memset(big, 'x', 10000);
	big[10000] = '\0';
	synthetic_file(&f->machine, "big", big);
	assert_int_equal(sysroot_read(&f->root, 9999, &text, &len, "big"), -EFBIG);
	assert_null(text);
	assert_int_equal(sysroot_read(&f->root, 10000, &text, &len, "big"), 0);
	assert_int_equal(len, 10000);
	assert_int_equal(text[len], '\0');
}

static void test_link_cannot_leave_the_record(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *line = NULL;
	_cleanup_free_ char *target = NULL;

	synthetic_file(&f->machine, "etc/inside", "ours\n");
	synthetic_link(&f->machine, "sys/absolute", "/etc/inside");
	synthetic_link(&f->machine, "sys/up", "../../../../../../etc/passwd");
	assert_int_equal(sysroot_read_line(&f->root, &line, "sys/absolute"), 0);
	assert_string_equal(line, "ours");
	assert_false(sysroot_exists(&f->root, "sys/up"));
	assert_int_equal(sysroot_readlink(&f->root, &target, "sys/up"), 0);
	assert_string_equal(target, "../../../../../../etc/passwd");
	free(target);
	target = NULL;
	assert_int_equal(sysroot_readlink(&f->root, &target, "etc/inside"), -EINVAL);
	assert_null(target);
}

static void test_what_is_no_regular_file_is_not_opened(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *fifo = synthetic_path(&f->machine, "sys/fifo");
	char *line = NULL;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(sysroot_read_line(&f->root, &line, "sys/fifo"), -EINVAL);
	assert_int_equal(sysroot_read_line(&f->root, &line, "sys"), -EINVAL);
}

static void test_list_is_sorted_and_without_dots(void **state)
{
	struct fixture *f = *state;
	_cleanup_(string_list_free) char **names = NULL;

	synthetic_file(&f->machine, "d/b", "");
	synthetic_file(&f->machine, "d/a", "");
	synthetic_file(&f->machine, "d/c/x", "");
	assert_int_equal(sysroot_list(&f->root, &names, "d"), 0);
	assert_string_equal(names[0], "a");
	assert_string_equal(names[1], "b");
	assert_string_equal(names[2], "c");
	assert_null(names[3]);
	string_list_free(&names);
	assert_int_equal(sysroot_list(&f->root, &names, "d/a"), -ENOTDIR);
	assert_null(names);
}

static void test_record_answers_no_calls(void **state)
{
	struct fixture *f = *state;
	uint64_t id = 0;

	assert_false(f->root.live);
	assert_int_equal(f->root.calls->mount_id(AT_FDCWD, "/", &id), -EOPNOTSUPP);
	assert_int_equal(id, 0);
}

static void test_missing_record_is_named(void **state)
{
	struct sysroot root = SYSROOT_CLOSED;
	struct error error = { "" };

	assert_int_equal(sysroot_open("/nonexistent/record", &root, &error), -ENOENT);
	assert_non_null(strstr(error.text, "/nonexistent/record"));
	assert_int_equal(root.fd, -1);
}

static void test_live_machine_tells_its_mount(void **state)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	_cleanup_free_ char *text = NULL;
	size_t len = 0;

	assert_int_equal(sysroot_open(NULL, &root, NULL), 0);
	assert_true(root.live);
	assert_string_equal(root.prefix, "/");
	if (!sysroot_exists(&root, "proc/self/mountinfo")) {
		print_message("no /proc here\n");
		skip();
	}
	assert_int_equal(
		sysroot_read(&root, SYSROOT_FILE_MAX, &text, &len, "proc/self/mountinfo"), 0);
	assert_int_equal(len, strlen(text));
	assert_true(len > 0);
}

int main(void)
{
#define WITH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		WITH(test_attribute_loses_its_line_end),
		WITH(test_empty_attribute_is_no_data),
		WITH(test_number_must_be_alone),
		WITH(test_read_stops_at_the_limit),
		WITH(test_link_cannot_leave_the_record),
		WITH(test_what_is_no_regular_file_is_not_opened),
		WITH(test_list_is_sorted_and_without_dots),
		WITH(test_record_answers_no_calls),
		cmocka_unit_test(test_missing_record_is_named),
		cmocka_unit_test(test_live_machine_tells_its_mount),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
