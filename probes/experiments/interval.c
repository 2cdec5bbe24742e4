// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/experiments/interval.h"

#include <string.h>
#include <sys/syscall.h>

#include "core/interrupt.h"
#include "core/random.h"
#include "engine/engine.h"
#include "probes/witnesses/residency.h"

/* Once before each act: what a thread of the kernel writes for us is charged to no cgroup. */
#define QUIET_NS (30ULL * 1000 * 1000)

/* What a trace says needs one that was whole: the first that was not is told. */
static void trace_failed(const struct experiment_view *view, int r)
{
	struct experiment_state *state = &view->trace->state;

	if (state->why_not)
		return;
	if (r == -EOVERFLOW)
		experiment_skip(state, "events were lost: the buffers were too small for them");
	else
		experiment_skip(state, "tracing: %s", strerror(-r));
}

static bool trace_begin(const struct experiment_view *view)
{
	int r;

	if (!view->instance || view->scratch.fd < 0)
		return false;
	r = trace_instance_begin(view->instance, view->scratch.fd, view->witnesses.stack);
	if (r < 0)
		trace_failed(view, r);
	return r == 0;
}

static void trace_end(const struct experiment_view *view, struct ledger *ledger)
{
	int r = trace_instance_end(view->instance, view->witnesses.stack, ledger);

	if (r < 0)
		trace_failed(view, r);
	else
		view->trace->intervals++;
}

int interval_observe(const struct experiment_view *view, int (*act)(void *context), void *context,
	struct ledger *ledger)
{
	_cleanup_free_ struct reading *before = xmalloc(sizeof(*before));
	_cleanup_free_ struct reading *after = xmalloc(sizeof(*after));
	bool traced;
	int r = witnesses_background(&view->witnesses, QUIET_NS, ledger->background);

	if (r < 0)
		return r;
	traced = trace_begin(view);
	witnesses_read(&view->witnesses, before);
	r = act(context);
	witnesses_read(&view->witnesses, after);
	if (r < 0)
		return r; /* what is still recorded is thrown away by the next one */
	ledger_diff(before, after, view->witnesses.stack->count, ledger);
	if (traced)
		trace_end(view, ledger);
	return 0;
}

static int transfer(void *context)
{
	struct transfer_act *act = context;
	const uint64_t until = clock_now() + TRANSFER_NS;

	for (uint64_t done = 0; done < act->size; done += act->block) {
		off_t at = (off_t)(act->offset + done);
		ssize_t n;

		if (interrupted())
			return -EINTR;
		if (done >= TRANSFER_BYTES_MIN && clock_now() > until) {
			act->size = done;
			break;
		}
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

uint64_t transfer_size(const struct experiments *experiments, uint64_t wanted)
{
	const struct ledger *write = &experiments->direct.write;
	uint64_t size;

	if (!experiments->direct.state.done || !write->ns || !write->asked.bytes)
		return wanted;
	size = (uint64_t)((double)write->asked.bytes * TRANSFER_NS / (double)write->ns);
	size = size / TRANSFER_BYTES_MIN * TRANSFER_BYTES_MIN;
	return MIN(MAX(size, (uint64_t)TRANSFER_BYTES_MIN), wanted);
}

int interval_transfer(
	const struct experiment_view *view, struct transfer_act *act, struct ledger *ledger)
{
	uint64_t end = act->offset + act->size;
	int r;

	residency_read(act->fd, end, &ledger->before);
	if (!act->write)
		extents_read(act->fd, end, &ledger->extents);
	r = interval_observe(view, transfer, act, ledger);
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
