// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/wrap.h"

#include <string.h>

#include "core/text.h"

/* Columns, not bytes: continuation bytes of UTF-8 take none. */
static unsigned width(const char *s, size_t bytes)
{
	unsigned n = 0;

	for (size_t i = 0; i < bytes; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n;
}

void wrap_print(FILE *out, const char *lead, unsigned indent, const char *text)
{
	_cleanup_free_ char *safe = text_terminal(text);
	unsigned column = width(lead, strlen(lead));
	bool first = true;

	fputs(lead, out);
	for (const char *word = safe; *word;) {
		size_t bytes = strcspn(word, " ");
		unsigned columns = width(word, bytes);

		if (!first && column + 1 + columns > TEXT_COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			first = true;
		}
		fprintf(out, "%s%.*s", first ? "" : " ", (int)bytes, word);
		column += columns + !first;
		first = false;
		word += bytes;
		word += strspn(word, " ");
	}
	fputc('\n', out);
}
