// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/experiments/interval.h"

#include <sys/syscall.h>

#include "core/interrupt.h"
#include "core/random.h"
#include "probes/witnesses/residency.h"

/* Once before each act: what a thread of the kernel writes for us is charged to no cgroup. */
#define QUIET_NS (30ULL * 1000 * 1000)

int interval_observe(const struct experiment_view *view, int (*act)(void *context), void *context,
	struct ledger *ledger)
{
	_cleanup_free_ struct reading *before = xmalloc(sizeof(*before));
	_cleanup_free_ struct reading *after = xmalloc(sizeof(*after));
	int r = witnesses_background(&view->witnesses, QUIET_NS, ledger->background);

	if (r < 0)
		return r;
	witnesses_read(&view->witnesses, before);
	r = act(context);
	witnesses_read(&view->witnesses, after);
	if (r < 0)
		return r;
	ledger_diff(before, after, view->witnesses.stack->count, ledger);
	return 0;
}

static int transfer(void *context)
{
	const struct transfer_act *act = context;

	for (uint64_t done = 0; done < act->size; done += act->block) {
		off_t at = (off_t)(act->offset + done);
		ssize_t n;

		if (interrupted())
			return -EINTR;
		if (act->write && act->data)
			random_fill(act->data, act->buffer, act->block);
		n = act->write ? pwrite(act->fd, act->buffer, act->block, at)
			       : pread(act->fd, act->buffer, act->block, at);
		if (n < 0)
			return -errno;
		if ((size_t)n != act->block)
			return act->write ? -ENOSPC : -EIO;
	}
	return act->sync && syscall(SYS_fsync, act->fd) < 0 ? -errno : 0;
}

int interval_transfer(
	const struct experiment_view *view, const struct transfer_act *act, struct ledger *ledger)
{
	uint64_t end = act->offset + act->size;
	int r;

	residency_read(act->fd, end, &ledger->before);
	if (!act->write)
		extents_read(act->fd, end, &ledger->extents);
	r = interval_observe(view, transfer, (void *)act, ledger);
	if (r < 0)
		return r;
	residency_read(act->fd, end, &ledger->after);
	ledger->asked = (struct asked){
		.bytes = act->size,
		.distinct_bytes = act->size,
		.ios = act->size / act->block,
		.syncs = act->sync,
		.direct = act->direct,
		.write = act->write,
	};
	return 0;
}
