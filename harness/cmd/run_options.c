// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run_options.h"

#include <getopt.h>

#include "cmd/command.h"
#include "core/text.h"

enum {
	OPT_ON = 256,
	OPT_FS,
	OPT_SCRATCH,
	OPT_ROUNDS,
	OPT_QUICK,
	OPT_SEED,
	OPT_JSON,
	OPT_REFUSED,
	OPT_FORCE,
	OPT_PROGRESS
};

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "on", required_argument, NULL, OPT_ON },
	{ "fs", required_argument, NULL, OPT_FS },
	{ "scratch", required_argument, NULL, OPT_SCRATCH },
	{ "rounds", required_argument, NULL, OPT_ROUNDS },
	{ "quick", no_argument, NULL, OPT_QUICK },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "show-refused", no_argument, NULL, OPT_REFUSED },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ 0 },
};

static const char *const default_workloads[] = { "read-path", NULL };

static int add(const char *list[], size_t *count, const char *value, const char *option,
	struct error *error)
{
	if (!*value)
		return error_set(error, EINVAL, "%s: an empty name", option);
	if (*count == RUN_TARGETS_MAX)
		return error_set(error, EINVAL, "%s: %d at most", option, RUN_TARGETS_MAX);
	list[(*count)++] = value;
	return 0;
}

static int set_rounds(struct run_options *o, const char *value, struct error *error)
{
	uint64_t n;

	if (text_parse_u64(value, &n) < 0 || n == 0 || n > RUN_ROUNDS_MAX)
		return error_set(
			error, EINVAL, "--rounds=%s: takes 1 to %d", value, RUN_ROUNDS_MAX);
	o->rounds = (unsigned)n;
	return 0;
}

static int set_seed(struct run_options *o, const char *value, struct error *error)
{
	if (text_parse_u64(value, &o->seed) < 0 || o->seed > INT64_MAX)
		return error_set(error, EINVAL, "--seed=%s: takes a number below 2^63", value);
	o->seed_given = true;
	return 0;
}

static int take(struct run_options *o, char *const *argv, int option, struct error *error)
{
	switch (option) {
	case 'h':
		return 1;
	case OPT_ON:
		return add(o->on, &o->ons, optarg, "--on", error);
	case OPT_FS:
		return add(o->fs, &o->filesystems, optarg, "--fs", error);
	case OPT_SCRATCH:
		o->scratch = optarg;
		return 0;
	case OPT_ROUNDS:
		return set_rounds(o, optarg, error);
	case OPT_QUICK:
		o->quick = true;
		return 0;
	case OPT_SEED:
		return set_seed(o, optarg, error);
	case OPT_JSON:
		o->json = optarg;
		return 0;
	case OPT_FORCE:
		o->force = true;
		return 0;
	case OPT_REFUSED:
		o->show_refused = true;
		return 0;
	case OPT_PROGRESS:
		return command_progress(optarg, &o->progress, error);
	default:
		return command_option_refused("run", argv, option, error);
	}
}

int run_options_parse(int argc, char **argv, struct run_options *ret, struct error *error)
{
	struct run_options o = { .scratch = ".", .workload = default_workloads };
	int option, r = 0;

	optind = 0;
	while (r == 0 && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1)
		r = take(&o, argv, option, error);
	if (r)
		return r;
	if (!*o.scratch)
		return error_set(error, EINVAL, "--scratch: an empty name");
	if (optind < argc)
		o.workload = (const char *const *)argv + optind;
	if (!o.rounds)
		o.rounds = o.quick ? RUN_ROUNDS_QUICK : RUN_ROUNDS_DEFAULT;
	*ret = o;
	return 0;
}
