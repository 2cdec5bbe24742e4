// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/witnesses/block_stat.h"

#include <ctype.h>

#include "probes/witnesses/witness.h"

#define SECTOR 512
#define FIELDS_MIN 11
#define FIELDS_MAX 17

/* Field numbers of stat.rst, from 1 as there. */
enum { READ_IOS = 1, READ_SECTORS = 3, WRITE_IOS = 5, WRITE_SECTORS = 7, FLUSH_IOS = 16 };

/* Up to FIELDS_MAX numbers; a later kernel may append more. Returns how many, or -EINVAL. */
static int fields_parse(const char *text, uint64_t field[FIELDS_MAX + 1])
{
	int n = 0;

	for (const char *p = text; n < FIELDS_MAX;) {
		char *end;

		while (isspace((unsigned char)*p))
			p++;
		if (*p == '\0')
			break;
		if (!isdigit((unsigned char)*p))
			return -EINVAL;
		errno = 0;
		field[++n] = strtoull(p, &end, 10);
		if (errno != 0)
			return -EINVAL;
		p = end;
	}
	return n;
}

int block_stat_parse(const char *text, struct block_stat *ret)
{
	uint64_t field[FIELDS_MAX + 1] = { 0 };
	int n = fields_parse(text, field);

	if (n < FIELDS_MIN || field[READ_SECTORS] > UINT64_MAX / SECTOR ||
		field[WRITE_SECTORS] > UINT64_MAX / SECTOR)
		return -EINVAL;
	*ret = (struct block_stat){
		.transfer = { .reads = field[READ_IOS],
			.read_bytes = field[READ_SECTORS] * SECTOR,
			.writes = field[WRITE_IOS],
			.write_bytes = field[WRITE_SECTORS] * SECTOR },
		.has_flushes = n >= FLUSH_IOS,
		.flushes = field[FLUSH_IOS],
	};
	return 0;
}

int block_stat_read(const struct sysroot *root, const char *sysfs, struct block_stat *ret)
{
	_cleanup_free_ char *text = NULL;
	int r = sysroot_read_line(root, &text, "%s/stat", sysfs);

	return r < 0 ? r : block_stat_parse(text, ret);
}

static void read_layers(const struct witness_view *view, struct reading *reading)
{
	for (size_t i = 0; i < view->stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *layer = &view->stack->layer[i];
		struct layer_reading *to = &reading->layer[i];
		struct block_stat stat;

		if (!layer->sysfs || block_stat_read(view->root, layer->sysfs, &stat) < 0)
			continue;
		to->known = true;
		to->total = stat.transfer;
		to->flushes_known = stat.has_flushes && layer_counts_flushes(layer);
		to->flushes = to->flushes_known ? stat.flushes : 0;
	}
}

static const struct witness block_statistics = {
	.head = { .id = "block-statistics",
		.summary = "transfers and flushes of each block layer of the stack" },
	.read = read_layers,
};
REGISTER(witnesses, block_statistics);
