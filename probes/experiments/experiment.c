// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/experiments/experiment.h"

#include <string.h>

#include "engine/engine.h"

REGISTRY_DEFINE(experiments, "experiments");

void experiment_skip(struct experiment_state *state, const char *fmt, ...)
{
	va_list ap;

	free(state->why_not);
	va_start(ap, fmt);
	state->why_not = xvasprintf(fmt, ap);
	va_end(ap);
	state->done = false;
}

/* scratch: what kept the scratch file from being made. */
static int experiment_make(const struct experiment *experiment, const struct experiment_view *view,
	int scratch, struct experiments *experiments)
{
	struct experiment_state *state = (void *)((char *)experiments + experiment->state);
	int r;

	if (experiment->needs_file && view->scratch.fd < 0) {
		if (view->device_fd >= 0)
			experiment_skip(state, "a block device is only read");
		else
			experiment_skip(state, "no file of our own can be made there: %s",
				strerror(-scratch));
		return 0;
	}
	r = experiment->make(view, experiments);
	if (r == -EINTR)
		return r;
	if (r < 0)
		experiment_skip(state, "%s: %s", experiment->act, strerror(-r));
	state->done = !state->why_not;
	return 0;
}

int experiments_make(const struct witness_view *witnesses, struct trace_instance *instance,
	int directory, int device_fd, struct guardian *guardian, unsigned seconds,
	struct experiments *ret)
{
	struct experiment_view view = {
		.witnesses = *witnesses,
		.directory = directory,
		.scratch = SCRATCH_CLOSED,
		.device_fd = device_fd,
		.deadline_ns = clock_now() + seconds * 1000000000ULL,
		.instance = instance,
		.trace = &ret->trace,
	};
	struct registry_view all;
	int scratch = -EOPNOTSUPP, r = registry_view(&registry_experiments, &all);

	if (r < 0)
		return r;
	if (directory >= 0)
		scratch = scratch_create(directory, guardian, &view.scratch);
	registry_for_each(member, &all)
		if (r == 0)
			r = experiment_make(
				registry_entry(*member, struct experiment), &view, scratch, ret);
	ret->trace.state.done = ret->trace.intervals && !ret->trace.state.why_not;
	scratch_close(&view.scratch);
	registry_view_free(&all);
	return r;
}
