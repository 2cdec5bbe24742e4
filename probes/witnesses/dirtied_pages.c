// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages dirtied on the whole machine since boot: each layer that buffers a write dirties them. */
#include <unistd.h>

#include "probes/witnesses/named_numbers.h"
#include "probes/witnesses/witness.h"

static void read_vmstat(const struct witness_view *view, struct reading *reading)
{
	_cleanup_free_ char *text = NULL;
	uint64_t pages;

	if (sysroot_read(view->root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "proc/vmstat") < 0 ||
		named_number(text, "nr_dirtied", &pages) < 0)
		return;
	reading->machine.dirtied_known = true;
	reading->machine.pages_dirtied = pages;
	reading->machine.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
}

static const struct witness dirtied_pages = {
	.head = { .id = "dirtied-pages", .summary = "page-cache pages dirtied on this machine" },
	.read = read_vmstat,
};
REGISTER(witnesses, dirtied_pages);
