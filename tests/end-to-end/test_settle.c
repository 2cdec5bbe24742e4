// SPDX-License-Identifier: GPL-2.0-or-later
/* A filesystem that is written to is not at rest; one that is left alone is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>

#include "fixtures/settle.h"
#include "tests/end-to-end/fixture_place.h"

static atomic_bool enough;

static void *keep_writing(void *directory)
{
	int fd = openat(*(int *)directory, "busy", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	char block[4096] = { 1 };

	while (!atomic_load(&enough))
		if (pwrite(fd, block, sizeof(block), 0) < 0 || fdatasync(fd) < 0)
			break;
	close(fd);
	return NULL;
}

static struct settled watch(const struct fixture *f, unsigned milliseconds)
{
	json_t *description = fixture_describe(f);
	const json_t *device = json_array_get(json_object_get(description, "devices"), 0);
	struct loop loop = LOOP_DETACHED;
	const struct loop *loops[] = { &loop };
	struct settled settled = { 0 };
	struct error error;

	snprintf(loop.name, sizeof(loop.name), "%s",
		json_string_value(json_object_get(device, "name")));
	assert_int_equal(
		settle(&root, fixture_directory(f), loops, 1, milliseconds, NULL, &settled, &error),
		0);
	json_decref(description);
	return settled;
}

static void test_rest_is_seen_and_so_is_a_writer(void **state)
{
	struct settled settled;
	struct fixture *f;
	pthread_t writer;
	struct place p;
	int directory;

	place_open(&p);
	f = must_build("ext4:SIZE=32M", &p);
	directory = fixture_directory(f);
	settled = watch(f, 10000);
	assert_true(settled.known && settled.still);
	assert_true(settled.ns >= SETTLE_STILL_MILLISECONDS * 1000000ULL);

	assert_int_equal(pthread_create(&writer, NULL, keep_writing, &directory), 0);
	settled = watch(f, 1500);
	atomic_store(&enough, true);
	pthread_join(writer, NULL);
	assert_true(settled.known && !settled.still);
	assert_true(settled.bytes >= 4096);
	assert_true(settled.ns >= 1500 * 1000000ULL);

	fixture_destroy(f);
	place_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(
		test_rest_is_seen_and_so_is_a_writer) };

	return run_where_fixtures_can_be_built(tests);
}
