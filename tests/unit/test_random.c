// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/random.h"

/* First outputs of the authors' splitmix64 for the seed 1234567. */
static void test_seed_expands_by_splitmix64(void **state)
{
	struct random r;

	random_seed(&r, 1234567);
	assert_true(r.state[0] == 6457827717110365317u);
	assert_true(r.state[1] == 3203168211198807973u);
	assert_true(r.state[2] == 9817491932198370423u);
	assert_true(r.state[3] == 4593380528125082431u);
}

/* First outputs of the authors' xoshiro256** for the state 1, 2, 3, 4. */
static void test_sequence_is_xoshiro256starstar(void **state)
{
	static const uint64_t expected[] = { 11520u, 0u, 1509978240u, 1215971899390074240u,
		1216172134540287360u, 607988272756665600u };
	struct random r = { { 1, 2, 3, 4 } };

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_true(random_next(&r) == expected[i]);
}

static void test_same_seed_gives_same_schedule(void **state)
{
	unsigned a[50], b[50], seen[50] = { 0 };
	struct random r, s;

	for (unsigned i = 0; i < 50; i++)
		a[i] = b[i] = i;
	random_seed(&r, 7);
	random_seed(&s, 7);
	random_shuffle(&r, a, 50);
	random_shuffle(&s, b, 50);
	assert_memory_equal(a, b, sizeof(a));
	for (unsigned i = 0; i < 50; i++)
		seen[a[i]]++;
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(seen[i], 1);
}

/* 60,000 shuffles of 3: each of the 6 orders 10,000 times, within five standard deviations (91). */
static void test_every_order_is_equally_likely(void **state)
{
	unsigned count[27] = { 0 };
	struct random r;

	random_seed(&r, 42);
	for (int i = 0; i < 60000; i++) {
		unsigned items[] = { 0, 1, 2 };

		random_shuffle(&r, items, 3);
		count[items[0] * 9 + items[1] * 3 + items[2]]++;
	}
	for (size_t i = 0; i < ARRAY_SIZE(count); i++)
		if (count[i])
			assert_in_range(count[i], 9544, 10456);
}

static void test_below_stays_below(void **state)
{
	struct random r;

	random_seed(&r, 3);
	for (int i = 0; i < 1000; i++) {
		assert_true(random_below(&r, 1) == 0);
		assert_true(random_below(&r, 7) < 7);
		assert_true(random_below(&r, (1ULL << 63) + 1) <= 1ULL << 63);
	}
}

static void test_fill_writes_every_byte_and_no_more(void **state)
{
	for (size_t size = 0; size < 40; size++) {
		unsigned char buffer[48], touched[48] = { 0 };
		struct random r;

		random_seed(&r, size);
		for (int round = 0; round < 20; round++) {
			memset(buffer, 0, sizeof(buffer));
			random_fill(&r, buffer, size);
			for (size_t i = 0; i < sizeof(buffer); i++)
				touched[i] |= buffer[i];
		}
		for (size_t i = 0; i < sizeof(buffer); i++)
			assert_true((touched[i] != 0) == (i < size));
	}
}

/* Byte counts of 1 MiB: 4,096 each, six standard deviations (64) aside. */
static void test_fill_is_incompressible(void **state)
{
	unsigned count[256] = { 0 };
	_cleanup_free_ unsigned char *buffer = xmalloc(MIB);
	struct random r;

	random_seed(&r, 1);
	random_fill(&r, buffer, MIB);
	for (size_t i = 0; i < MIB; i++)
		count[buffer[i]]++;
	for (size_t i = 0; i < 256; i++)
		assert_in_range(count[i], 4096 - 384, 4096 + 384);
}

static void test_fresh_seeds_differ(void **state)
{
	assert_true(random_fresh_seed() != random_fresh_seed());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seed_expands_by_splitmix64),
		cmocka_unit_test(test_sequence_is_xoshiro256starstar),
		cmocka_unit_test(test_same_seed_gives_same_schedule),
		cmocka_unit_test(test_every_order_is_equally_likely),
		cmocka_unit_test(test_below_stays_below),
		cmocka_unit_test(test_fill_writes_every_byte_and_no_more),
		cmocka_unit_test(test_fill_is_incompressible),
		cmocka_unit_test(test_fresh_seeds_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
