// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/cgroup_counters.h"

#include <string.h>
#include <sys/sysmacros.h>

/* The next line that begins so ("8:0 "), past its beginning; NULL when there is none. */
static const char *line_after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	for (const char *line = text; line && *line;) {
		if (strncmp(line, prefix, length) == 0)
			return line + length;
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return NULL;
}

/* "NAME12" into 12; NAME carries its own space or equals sign. */
static int value_after(const char *word, const char *name, uint64_t *ret)
{
	size_t length = strlen(name);
	char *end;

	if (strncmp(word, name, length) != 0)
		return -ENOENT;
	if (word[length] < '0' || word[length] > '9')
		return -EINVAL;
	errno = 0;
	*ret = strtoull(word + length, &end, 10);
	return errno == 0 && strchr(" \n", *end) ? 0 : -EINVAL;
}

int cgroup_v1_parse(const char *text, dev_t device, struct cgroup_pair *ret)
{
	struct cgroup_pair pair = { 0 };
	int read = -ENOENT, write = -ENOENT;
	const char *line = text;
	char prefix[32];

	snprintf(prefix, sizeof(prefix), "%u:%u ", major(device), minor(device));
	while ((line = line_after(line, prefix))) {
		if (read == -ENOENT)
			read = value_after(line, "Read ", &pair.read);
		if (write == -ENOENT)
			write = value_after(line, "Write ", &pair.write);
		line = strchr(line, '\n');
		if (!line)
			break;
		line++;
	}
	if (read == -ENOENT && write == -ENOENT)
		return -ENOENT;
	if (read < 0 || write < 0)
		return -EINVAL;
	*ret = pair;
	return 0;
}

bool cgroup_v1_counts(const char *text)
{
	const char *total = line_after(text, "Total ");

	return total && strtoull(total, NULL, 10) > 0;
}

static const char *next_word(const char *p)
{
	p += strcspn(p, " \n");
	return *p == ' ' ? p + 1 : NULL;
}

int cgroup_v2_parse(const char *text, dev_t device, struct transfer *ret)
{
	struct transfer t = { 0 };
	const struct {
		const char *name;
		uint64_t *value;
	} key[] = { { "rbytes=", &t.read_bytes }, { "wbytes=", &t.write_bytes },
		{ "rios=", &t.reads }, { "wios=", &t.writes } };
	unsigned found = 0;
	char prefix[32];
	const char *line;

	snprintf(prefix, sizeof(prefix), "%u:%u ", major(device), minor(device));
	line = line_after(text, prefix);
	if (!line)
		return -ENOENT;
	for (const char *word = line; word; word = next_word(word))
		for (size_t i = 0; i < ARRAY_SIZE(key); i++)
			if (value_after(word, key[i].name, key[i].value) == 0)
				found |= 1U << i;
	if (found == 0) /* a line of other statistics alone (io.cost, io.latency) */
		return -ENOENT;
	if (found != (1U << ARRAY_SIZE(key)) - 1)
		return -EINVAL;
	*ret = t;
	return 0;
}
