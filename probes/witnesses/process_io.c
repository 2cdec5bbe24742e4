// SPDX-License-Identifier: GPL-2.0-or-later
/* What the kernel charged to this process (Documentation/filesystems/proc.rst, /proc/PID/io). */
#include "probes/witnesses/named_numbers.h"
#include "probes/witnesses/witness.h"

static void read_process(const struct witness_view *view, struct reading *reading)
{
	_cleanup_free_ char *text = NULL;
	struct process_reading p = { .known = true };

	if (sysroot_read(view->root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "proc/self/io") < 0)
		return;
	if (named_number(text, "rchar", &p.rchar) < 0 ||
		named_number(text, "wchar", &p.wchar) < 0 ||
		named_number(text, "read_bytes", &p.read_bytes) < 0 ||
		named_number(text, "write_bytes", &p.write_bytes) < 0)
		return;
	reading->process = p;
}

static const struct witness process_io = {
	.head = { .id = "process-io", .summary = "bytes charged to this process" },
	.read = read_process,
};
REGISTER(witnesses, process_io);
