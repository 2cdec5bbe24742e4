// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/named_numbers.h"

#include <ctype.h>
#include <string.h>

static int number_parse(const char *p, uint64_t *ret)
{
	unsigned long long value;
	char *end;

	while (*p == ' ' || *p == '\t')
		p++;
	if (!isdigit((unsigned char)*p))
		return -EINVAL;
	errno = 0;
	value = strtoull(p, &end, 10);
	if (errno != 0 || (*end != '\n' && *end != '\0'))
		return -EINVAL;
	*ret = value;
	return 0;
}

int named_number(const char *text, const char *name, uint64_t *ret)
{
	size_t length = strlen(name);

	for (const char *line = text; line && *line;) {
		const char *p = line + length;

		if (strncmp(line, name, length) == 0 && (*p == ':' || *p == ' '))
			return number_parse(*p == ':' ? p + 1 : p, ret);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return -ENOENT;
}
