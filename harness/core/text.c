// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Length of the well-formed sequence at s and its code point (RFC 3629), or 0. */
static size_t utf8_decode(const unsigned char *s, uint32_t *ret)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	uint32_t c;

	if (len <= 1) {
		*ret = s[0];
		return len;
	}
	if (s[0] > 0xf4)
		return 0;
	c = s[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < smallest[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return len;
}

/* What may move the cursor, reorder the line or start a new one. */
static bool upsets_terminal(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
		(c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/* No name is longer; a mount table may say one of a megabyte, many times. */
#define SHOWN_MAX ((size_t)(16 * KIB))
#define CUT_SHORT "..."

static char *escape(const char *s, bool terminal)
{
	const unsigned char *in = (const unsigned char *)s, *end = in + strnlen(s, SHOWN_MAX);
	char *ret = xmalloc(4 * (size_t)(end - in) + sizeof(CUT_SHORT) + 3);
	char *out = ret;

	while (in < end) {
		uint32_t c;
		size_t len = utf8_decode(in, &c);

		if (len && !(terminal && upsets_terminal(c))) {
			memcpy(out, in, len);
			out += len;
		} else {
			len = len ? len : 1;
			for (size_t i = 0; i < len; i++)
				out += sprintf(out, "\\x%02x", in[i]);
		}
		in += len;
	}
	memcpy(out, *in ? CUT_SHORT : "", *in ? sizeof(CUT_SHORT) : 1);
	return ret;
}

char *text_terminal(const char *s)
{
	return s ? escape(s, true) : xstrdup("(none)");
}

char *text_utf8(const char *s)
{
	return s ? escape(s, false) : xstrdup("(none)");
}

/* The power of 1024 that a suffix stands for; -EINVAL for anything else. */
static int suffix_shift(const char *suffix)
{
	static const char letters[] = "kmgtpe";
	const char *letter;

	if (!*suffix || strcasecmp(suffix, "b") == 0)
		return 0;
	letter = strchr(letters, tolower((unsigned char)*suffix));
	suffix++;
	if (!letter || (*suffix && strcasecmp(suffix, "b") != 0 && strcasecmp(suffix, "ib") != 0))
		return -EINVAL;
	return 10 * ((int)(letter - letters) + 1);
}

int text_parse_size(const char *s, uint64_t *ret)
{
	unsigned long long value;
	char *end;
	int shift;

	if (!isdigit((unsigned char)*s))
		return -EINVAL;
	errno = 0;
	value = strtoull(s, &end, 10);
	shift = suffix_shift(end);
	if (shift < 0)
		return shift;
	if (errno == ERANGE || value > ((uint64_t)INT64_MAX >> shift))
		return -ERANGE;
	*ret = (uint64_t)value << shift;
	return 0;
}

int text_parse_u64(const char *s, uint64_t *ret)
{
	unsigned long long value;

	if (!*s || s[strspn(s, "0123456789")])
		return -EINVAL;
	errno = 0;
	value = strtoull(s, NULL, 10);
	if (errno == ERANGE)
		return -ERANGE;
	*ret = value;
	return 0;
}

/* One decimal where it tells something, none where it is zero or the number is long. */
static char *short_number(double value, double whole_from, const char *unit)
{
	double tenths = round(value * 10);

	if (tenths >= 10 * whole_from || fmod(tenths, 10) == 0)
		return xasprintf("%.0f %s", round(value), unit);
	return xasprintf("%.1f %s", tenths / 10, unit);
}

void text_append(char **list, const char *separator, const char *fmt, ...)
{
	_cleanup_free_ char *before = *list, *item = NULL;
	const bool first = !before || !*before;
	va_list ap;

	va_start(ap, fmt);
	item = xvasprintf(fmt, ap);
	va_end(ap);
	*list = xasprintf("%s%s%s", first ? "" : before, first ? "" : separator, item);
}

char *text_bytes(uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)bytes;
	size_t unit = 0;

	/* 1023.96 would be shown as 1024 of the smaller unit */
	while (unit + 1 < ARRAY_SIZE(units) && value >= (unit ? 1023.95 : 1024)) {
		value /= 1024;
		unit++;
	}
	return short_number(value, 1024, units[unit]);
}

char *text_grouped(double value, int digits)
{
	_cleanup_free_ char *plain = xasprintf("%.*f", MAX(digits, 0), value);
	const char *in = plain;
	size_t whole;
	char *ret, *out;

	if (!isfinite(value))
		return xstrdup(plain);
	ret = out = xmalloc(2 * strlen(plain) + 1);
	if (*in == '-')
		*out++ = *in++;
	whole = strspn(in, "0123456789");
	for (size_t left = whole; left; left--) {
		*out++ = *in++;
		if (left > 1 && (left - 1) % 3 == 0)
			*out++ = ' ';
	}
	memcpy(out, in, strlen(in) + 1);
	return ret;
}

char *text_duration(uint64_t ns)
{
	if (ns < 1000)
		return short_number((double)ns, 10, "ns");
	if (ns < 999500)
		return short_number((double)ns / 1e3, 10, "us");
	if (ns < 999500000)
		return short_number((double)ns / 1e6, 10, "ms");
	return short_number((double)ns / 1e9, 100, "s");
}

bool text_has_word(const char *list, const char *word, char separator)
{
	size_t length = strlen(word);

	for (const char *p = list; p; p = strchr(p, separator)) {
		p += *p == separator;
		if (strncmp(p, word, length) == 0 && (p[length] == separator || p[length] == '\0'))
			return true;
	}
	return false;
}

char *text_shell_word(const char *s)
{
	char *word = xmalloc(4 * strlen(s) + 3), *at = word;

	*at++ = '\'';
	for (; *s; s++) {
		if (*s == '\'')
			at = stpcpy(at, "'\\'");
		*at++ = *s;
	}
	stpcpy(at, "'");
	return word;
}
