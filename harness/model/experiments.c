// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/experiments.h"

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

void experiments_free(struct experiments *experiments)
{
	struct experiment_state *state[] = {
		&experiments->direct.state,
		&experiments->cached.state,
		&experiments->flush.state,
		&experiments->elision.state,
		&experiments->first_touch.state,
		&experiments->flush_scaling.state,
		&experiments->empirical.state,
		&experiments->trace.state,
	};

	for (size_t i = 0; i < ARRAY_SIZE(state); i++)
		free(state[i]->why_not);
	free(experiments->first_touch.device);
	free(experiments->flush_scaling.device);
	free(experiments->empirical.device);
	*experiments = (struct experiments){ 0 };
}
