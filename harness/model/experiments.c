// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/experiments.h"

#include <string.h>

const unsigned flush_scaling_mib[FLUSH_SCALING_STEPS] = { 0, 1, 4, 16, 64 };

const char *direct_answer_name(enum direct_answer answer)
{
	static const char *const name[] = {
		[DIRECT_UNKNOWN] = "unknown",
		[DIRECT_HONOURED] = "honoured",
		[DIRECT_FALLBACK] = "fallback",
		[DIRECT_SWALLOWED] = "swallowed",
		[DIRECT_UNSUPPORTED] = "unsupported",
		[DIRECT_CACHED_BELOW] = "cached-below",
	};

	return name[answer];
}

const char *cache_mode_name(enum cache_mode mode)
{
	static const char *const name[] = {
		[CACHE_MODE_CANNOT_TELL] = "cannot tell",
		[CACHE_MODE_WRITEBACK] = "writeback",
		[CACHE_MODE_WRITETHROUGH] = "writethrough",
		[CACHE_MODE_BYPASSED] = "bypassed",
		[CACHE_MODE_FLUSH_IGNORED] = "flush ignored",
	};

	return name[mode];
}

void experiments_states(struct experiments *e, struct experiment_state *ret[EXPERIMENT_STATES])
{
	struct experiment_state *const states[EXPERIMENT_STATES] = { &e->direct.state,
		&e->cached.state, &e->flush.state, &e->elision.state, &e->first_touch.state,
		&e->flush_scaling.state, &e->empirical.state, &e->trace.state };

	memcpy(ret, states, sizeof(states));
}

void experiments_free(struct experiments *experiments)
{
	struct experiment_state *state[EXPERIMENT_STATES];

	experiments_states(experiments, state);
	for (size_t i = 0; i < ARRAY_SIZE(state); i++)
		free(state[i]->why_not);
	free(experiments->first_touch.device);
	free(experiments->flush_scaling.device);
	free(experiments->empirical.device);
	stack_difference_free(&experiments->changed);
	*experiments = (struct experiments){ 0 };
}
