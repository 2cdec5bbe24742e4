// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/fixture_options.h"

#include <getopt.h>
#include <string.h>

#include "cmd/command.h"
#include "fixtures/lasting_store.h"

enum { OPT_SCRATCH = 256, OPT_FORCE, OPT_PROGRESS, OPT_JSON };

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "scratch", required_argument, NULL, OPT_SCRATCH },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "progress", required_argument, NULL, OPT_PROGRESS },
	{ "json", required_argument, NULL, OPT_JSON },
	{ 0 },
};

static const char *const actions[] = {
	[FIXTURE_UP] = "up",
	[FIXTURE_DOWN] = "down",
	[FIXTURE_LIST] = "list",
	[FIXTURE_GC] = "gc",
};

static int take(struct fixture_options *o, char *const *argv, int option, struct error *error)
{
	switch (option) {
	case 'h':
		return 1;
	case OPT_SCRATCH:
		o->scratch = optarg;
		return *optarg ? 0 : error_set(error, EINVAL, "--scratch: an empty name");
	case OPT_FORCE:
		o->force = true;
		return 0;
	case OPT_PROGRESS:
		return command_progress(optarg, &o->progress, error);
	case OPT_JSON:
		o->json = optarg;
		return *optarg ? 0 : error_set(error, EINVAL, "--json: an empty name");
	default:
		return command_option_refused("fixture", argv, option, error);
	}
}

static int take_action(struct fixture_options *o, const char *word, struct error *error)
{
	for (size_t i = 0; word && i < ARRAY_SIZE(actions); i++)
		if (strcmp(word, actions[i]) == 0) {
			o->action = (enum fixture_action)i;
			return 0;
		}
	if (!word)
		return error_set(error, EINVAL, "fixture: up, down, list or gc?");
	return error_set(error, EINVAL, "fixture %s: there is only up, down, list and gc", word);
}

static int take_up(struct fixture_options *o, int argc, char *const *argv, struct error *error)
{
	int r = 0;

	if (argc == 0 || argc % 2)
		return error_set(error, EINVAL,
			"fixture up: %s; write NAME SPEC, as in `ioproof fixture up data ext4`",
			argc ? "a name without a SPEC" : "nothing to build");
	for (int i = 0; i < argc && r == 0; i += 2) {
		o->name[o->count] = argv[i];
		r = fixture_spec_parse(argv[i + 1], &o->spec[o->count], error);
		if (r == 0)
			o->count++;
	}
	return r;
}

static int take_arguments(
	struct fixture_options *o, int argc, char *const *argv, struct error *error)
{
	const char *action = actions[o->action];
	int r = 0;

	if (argc > FIXTURE_ARGUMENTS_MAX)
		return error_set(error, EINVAL, "fixture %s: %d arguments at most", action,
			FIXTURE_ARGUMENTS_MAX);
	switch (o->action) {
	case FIXTURE_UP:
		r = take_up(o, argc, argv, error);
		break;
	case FIXTURE_DOWN:
		if (argc == 0)
			return error_set(error, EINVAL, "fixture down: give the NAME of a fixture");
		for (int i = 0; i < argc; i++)
			o->name[o->count++] = argv[i];
		break;
	default:
		if (argc)
			return error_set(
				error, EINVAL, "fixture %s: takes no `%s`", action, argv[0]);
	}
	for (size_t i = 0; i < o->count && r == 0; i++)
		r = lasting_name_check(o->name[i], error);
	return r;
}

static int check_options(const struct fixture_options *o, struct error *error)
{
	const char *action = actions[o->action];

	if (o->action != FIXTURE_UP && (o->force || o->progress || strcmp(o->scratch, ".") != 0))
		return error_set(error, EINVAL,
			"fixture %s: --scratch, --force and --progress are for `up`", action);
	if (o->action != FIXTURE_LIST && o->json)
		return error_set(error, EINVAL, "fixture %s: --json is for `list`", action);
	return 0;
}

int fixture_options_parse(int argc, char **argv, struct fixture_options *ret, struct error *error)
{
	struct fixture_options o = { .scratch = "." };
	int option, r = 0;

	optind = 0;
	while (r == 0 && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1)
		r = take(&o, argv, option, error);
	if (r)
		return r;
	r = take_action(&o, argv[optind], error);
	if (r == 0)
		r = check_options(&o, error);
	if (r == 0)
		r = take_arguments(&o, argc - optind - 1, argv + optind + 1, error);
	if (r < 0) {
		fixture_options_free(&o);
		return r;
	}
	*ret = o;
	return 0;
}

void fixture_options_free(struct fixture_options *options)
{
	for (size_t i = 0; i < options->count; i++)
		fixture_spec_free(&options->spec[i]);
}
