/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TRACE_INSTANCE_H
#define IOPROOF_TRACE_INSTANCE_H

/*
 * A tracing instance of our own (Documentation/trace/ftrace.rst, "Instances"): what entered the
 * page cache for one inode, and which writes were forced to the medium (FUA), which no counter
 * tells. Made only when a person asked for it; nothing that others trace is touched.
 *
 * It is made below /sys/kernel/tracing, or where that is not mounted on a tracefs mount that only
 * this process has and that goes with it (fsmount(2), 5.2). The instance is removed on close; after
 * SIGKILL by the guardian; when both died, by the next traced run.
 */

#include "core/guardian.h"
#include "core/sysroot.h"
#include "model/ledger.h"

struct trace_instance;

/*
 * Failure is normal (no privilege, no tracefs, no such events); error says what would lift it.
 * -EEXIST: the name is taken; -ENODEV: no tracefs or not the events.
 */
int trace_instance_open(const struct sysroot *root, struct guardian *guardian,
	struct trace_instance **ret, struct error *error);
/* Removes it. NULL is fine. */
void trace_instance_close(struct trace_instance *trace);
/* Removes instances of runs that are dead. For a traced run, which may mount tracefs. */
void trace_instance_collect(const struct sysroot *root);

/* Begins to record for a file and the disks of a stack that count flushes. */
int trace_instance_begin(struct trace_instance *trace, int fd, const struct stack *stack);
/*
 * Ends it and fills `adds` and the layers' `fua_*` of a ledger whose differences were taken.
 * A disk is known only where some write was seen there: bio-based ones issue no requests.
 * -EOVERFLOW: events were lost; then, and after any other error, all of it stays unknown.
 */
int trace_instance_end(
	struct trace_instance *trace, const struct stack *stack, struct ledger *ledger);

#endif
