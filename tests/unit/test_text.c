// SPDX-License-Identifier: GPL-2.0-or-later
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/text.h"

static void check(char *got, const char *wanted)
{
	_cleanup_free_ char *text = got;

	assert_string_equal(text, wanted);
}

static void test_terminal_escapes_what_moves_the_cursor(void **state)
{
	check(text_terminal("plain \xc3\xa9 text\\x"), "plain \xc3\xa9 text\\x");
	check(text_terminal("a\033[2Jb\n\r\t\x7f"), "a\\x1b[2Jb\\x0a\\x0d\\x09\\x7f");
	check(text_terminal("\xc2\x9b"), "\\xc2\\x9b");                   /* C1: CSI */
	check(text_terminal("\xe2\x80\xae"), "\\xe2\\x80\\xae");          /* override */
	check(text_terminal("\xe2\x80\xa8"), "\\xe2\\x80\\xa8");          /* line separator */
	check(text_terminal("\xff\xc3"), "\\xff\\xc3");                   /* not UTF-8 */
	check(text_terminal("\xc0\xaf"), "\\xc0\\xaf");                   /* overlong */
	check(text_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80");          /* surrogate */
	check(text_terminal("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); /* beyond U+10FFFF */
	check(text_terminal("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
	check(text_terminal(NULL), "(none)");
}

static void test_megabytes_of_a_name_are_cut_short(void **state)
{
	_cleanup_free_ char *name = xmalloc(MIB + 1), *shown = NULL;

	memset(name, '\033', MIB);
	name[MIB] = '\0';
	shown = text_terminal(name);
	assert_int_equal(strlen(shown), 4 * 16 * KIB + 3);
	assert_string_equal(shown + strlen(shown) - 7, "\\x1b...");
}

static void test_utf8_escapes_invalid_bytes_only(void **state)
{
	check(text_utf8("a\033\n\xc3\xa9"), "a\033\n\xc3\xa9");
	check(text_utf8("\xc3("), "\\xc3(");
	check(text_utf8("\xf0\x9f\x98"), "\\xf0\\x9f\\x98");
}

static void test_sizes_are_binary_whatever_the_suffix(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} rows[] = {
		{ "0", 0 },
		{ "4096", 4096 },
		{ "4096B", 4096 },
		{ "4k", 4096 },
		{ "4K", 4096 },
		{ "4KB", 4096 },
		{ "4KiB", 4096 },
		{ "4kib", 4096 },
		{ "256M", 256 * MIB },
		{ "1G", GIB },
		{ "2T", 2048 * GIB },
		{ "7E", 7ULL << 60 },
		{ "9223372036854775807", INT64_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		uint64_t bytes = 1;

		assert_int_equal(text_parse_size(rows[i].text, &bytes), 0);
		assert_int_equal(bytes, rows[i].bytes);
	}
}

static void test_what_is_no_size_is_refused_and_leaves_the_result(void **state)
{
	static const char *const bad[] = { "", " 4k", "-1", "+1", "k", "1.5G", "4kk", "4ki", "4x",
		"0x10", "4 k", "4k ", "1e3" };
	static const char *const big[] = { "8E", "9223372036854775808", "18446744073709551616",
		"99999999999999999999999G", "8388608T" };
	uint64_t bytes = 42;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(text_parse_size(bad[i], &bytes), -EINVAL);
	for (size_t i = 0; i < ARRAY_SIZE(big); i++)
		assert_int_equal(text_parse_size(big[i], &bytes), -ERANGE);
	assert_int_equal(bytes, 42);
}

static void test_plain_numbers(void **state)
{
	uint64_t value = 42;

	assert_int_equal(text_parse_u64("", &value), -EINVAL);
	assert_int_equal(text_parse_u64("-1", &value), -EINVAL);
	assert_int_equal(text_parse_u64("1 ", &value), -EINVAL);
	assert_int_equal(text_parse_u64("18446744073709551616", &value), -ERANGE);
	assert_int_equal(value, 42);
	assert_int_equal(text_parse_u64("18446744073709551615", &value), 0);
	assert_int_equal(value, UINT64_MAX);
}

static void test_bytes_are_shown_short(void **state)
{
	check(text_bytes(0), "0 B");
	check(text_bytes(1023), "1023 B");
	check(text_bytes(1024), "1 KiB");
	check(text_bytes(1536 * MIB), "1.5 GiB");
	check(text_bytes(256 * MIB), "256 MiB");
	check(text_bytes(GIB - 1), "1 GiB");
	check(text_bytes(UINT64_MAX), "16 EiB");
}

static void test_thousands_are_grouped(void **state)
{
	check(text_grouped(1102.4, 0), "1 102");
	check(text_grouped(0, 0), "0");
	check(text_grouped(999, 0), "999");
	check(text_grouped(1234567.891, 2), "1 234 567.89");
	check(text_grouped(-123456, 0), "-123 456");
	check(text_grouped(1.0 / 0.0, 0), "inf");
}

static void test_durations_are_shown_short(void **state)
{
	check(text_duration(0), "0 ns");
	check(text_duration(150), "150 ns");
	check(text_duration(38000), "38 us");
	check(text_duration(1500), "1.5 us");
	check(text_duration(999700), "1 ms");
	check(text_duration(120000000), "120 ms");
	check(text_duration(3100000000ULL), "3.1 s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terminal_escapes_what_moves_the_cursor),
		cmocka_unit_test(test_megabytes_of_a_name_are_cut_short),
		cmocka_unit_test(test_utf8_escapes_invalid_bytes_only),
		cmocka_unit_test(test_sizes_are_binary_whatever_the_suffix),
		cmocka_unit_test(test_what_is_no_size_is_refused_and_leaves_the_result),
		cmocka_unit_test(test_plain_numbers),
		cmocka_unit_test(test_bytes_are_shown_short),
		cmocka_unit_test(test_thousands_are_grouped),
		cmocka_unit_test(test_durations_are_shown_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
