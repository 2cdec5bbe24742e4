// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/trace_text.h"

#include <inttypes.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "probes/witnesses/named_numbers.h"

#define ORDER_MAX 30 /* a terabyte folio is no folio */

static bool own_device(const struct trace_counts *counts, dev_t device)
{
	for (size_t i = 0; i < ARRAY_SIZE(counts->own); i++)
		if (counts->own[i] && counts->own[i] == device)
			return true;
	return false;
}

static int count_add(const char *line, struct trace_counts *counts)
{
	unsigned major_number, minor_number, order = 0;
	const char *tail;
	uint64_t inode;

	if (sscanf(line, " dev %u:%u ino %" SCNx64 " ", &major_number, &minor_number, &inode) != 3)
		return -EINVAL;
	tail = strstr(line, " order=");
	if (tail && (sscanf(tail, " order=%u", &order) != 1 || order > ORDER_MAX))
		return -EINVAL;
	counts->events++;
	if (inode != counts->inode)
		return 0;
	counts->adds.orders_known |= tail != NULL;
	if (!own_device(counts, makedev(major_number, minor_number))) {
		counts->adds.pages_elsewhere += 1ULL << order;
		return 0;
	}
	counts->adds.folios++;
	counts->adds.pages += 1ULL << order;
	return 0;
}

static int count_request(const char *line, struct trace_counts *counts)
{
	unsigned major_number, minor_number;
	char letters[16];
	const char *what;

	if (sscanf(line, " %u,%u %15s ", &major_number, &minor_number, letters) != 3)
		return -EINVAL;
	what = letters[0] == 'F' ? letters + 1 : letters;
	counts->events++;
	for (size_t i = 0; i < counts->disks && what[0] == 'W'; i++)
		if (counts->disk[i].device == makedev(major_number, minor_number)) {
			counts->disk[i].writes++;
			counts->disk[i].fua_writes += what[1] == 'F';
		}
	return 0;
}

static int count_line(const char *line, struct trace_counts *counts)
{
	static const struct {
		const char *name;
		int (*count)(const char *line, struct trace_counts *counts);
	} event[] = {
		{ "mm_filemap_add_to_page_cache:", count_add },
		{ "block_rq_issue:", count_request },
	};

	if (line[0] == '\0' || line[0] == '#')
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(event); i++)
		if (strncmp(line, event[i].name, strlen(event[i].name)) == 0)
			return event[i].count(line + strlen(event[i].name), counts);
	return strncmp(line, "CPU:", 4) == 0 && strstr(line, "[LOST ") ? -EOVERFLOW : -EINVAL;
}

int trace_text_count(const char *text, struct trace_counts *counts)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *line;
	int r = 0;

	while (r == 0 && (line = strsep(&rest, "\n")))
		r = count_line(line, counts);
	return r;
}

int trace_text_stats(const char *text, uint64_t *kept, uint64_t *lost)
{
	/* `dropped events` came later than the others. */
	static const char *const losses[] = { "overrun", "commit overrun", "dropped events" };
	uint64_t entries, sum = 0;

	if (named_number(text, "entries", &entries) < 0)
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(losses); i++) {
		uint64_t one;
		int r = named_number(text, losses[i], &one);

		if (r < 0 && (i == 0 || r != -ENOENT))
			return -EINVAL;
		sum += r == 0 ? one : 0;
	}
	*kept = entries;
	*lost = sum;
	return 0;
}
