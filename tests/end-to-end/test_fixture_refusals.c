// SPDX-License-Identifier: GPL-2.0-or-later
/* Fixtures that cannot be: each refusal names the thing and leaves nothing. Needs root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/end-to-end/fixture_place.h"

static void test_option_that_the_kernel_refuses_is_named(void **state)
{
	struct place p;

	place_open(&p);
	must_fail("ext4:SIZE=16M,nosuchoption", &p, EINVAL, "`nosuchoption`");
	must_fail("ext4:SIZE=16M,nodelalloc,data=sideways", &p, EINVAL, "`data=sideways`");
	must_fail("ext4:SIZE=16M,commit=soon", &p, EINVAL, "`commit=soon`");
	place_close(&p);
}

static void test_option_that_does_not_hold_is_an_error(void **state)
{
	struct place p;

	place_open(&p);
	/* The later one wins in the kernel: the first was not honoured. */
	must_fail("ext4:SIZE=16M,relatime,noatime", &p, EINVAL, "speak about the same thing");
	must_fail("ext4:SIZE=16M,commit=30,commit=31", &p, EINVAL, "`commit=30`");
	must_fail("ext4:SIZE=16M,data=journal,dioread_nolock", &p, EINVAL, "does not hold");
	place_close(&p);
}

static void test_no_space_says_how_much(void **state)
{
	struct place p;

	place_open(&p);
	place_mount(&p, "test", "tmpfs", 0, "size=64m");
	must_fail("ext4:SIZE=64M", &p, ENOSPC, "67108864");
	must_fail("ext4", &p, ENOSPC, "at most 80 %");
	must_fail("ext4:SIZE=4096T", &p, ENOSPC, "--scratch");
	fixture_destroy(must_build("ext4:SIZE=48M", &p));
	place_close(&p);
}

static void test_read_only_scratch_is_named(void **state)
{
	struct place p;

	place_open(&p);
	place_mount(&p, "test", "tmpfs", MS_RDONLY, "size=64m");
	must_fail("ext4:SIZE=16M", &p, EROFS, "read-only");
	place_close(&p);
}

/* bindfs has no O_TMPFILE: a kill would leave a name behind. */
static void test_scratch_without_unnamed_files_is_refused(void **state)
{
	_cleanup_(subprocess_result_free) struct subprocess_result result = { 0 };
	struct place under, p;
	const char *const argv[] = { "bindfs", under.path, p.path, NULL };
	const struct subprocess bindfs = { .argv = argv };

	place_open(&under);
	place_open(&p);
	if (subprocess_run(&bindfs, &result) < 0 || result.status) {
		place_close(&p);
		place_close(&under);
		print_message("skipped: bindfs cannot be run here\n");
		skip();
	}
	p.mounted = true;
	close(p.fd);
	p.fd = open(p.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must_fail("ext4:SIZE=16M", &p, EOPNOTSUPP, "O_TMPFILE");
	place_close(&p);
	place_close(&under);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_option_that_the_kernel_refuses_is_named),
		cmocka_unit_test(test_option_that_does_not_hold_is_an_error),
		cmocka_unit_test(test_no_space_says_how_much),
		cmocka_unit_test(test_read_only_scratch_is_named),
		cmocka_unit_test(test_scratch_without_unnamed_files_is_refused),
	};

	return run_where_fixtures_can_be_built(tests);
}
