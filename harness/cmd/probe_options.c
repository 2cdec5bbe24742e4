// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/probe_options.h"

#include <getopt.h>
#include <string.h>

#include "cmd/command.h"

enum { OPT_PASSIVE = 256, OPT_QUICK, OPT_REQUIRE, OPT_JSON, OPT_SYSROOT, OPT_TRACE };

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ "passive", no_argument, NULL, OPT_PASSIVE },
	{ "quick", no_argument, NULL, OPT_QUICK },
	{ "require", required_argument, NULL, OPT_REQUIRE },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "sysroot", required_argument, NULL, OPT_SYSROOT },
	{ "trace", no_argument, NULL, OPT_TRACE },
	{ 0 },
};

static int require(struct probe_options *o, const char *list, struct error *error)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *rest = copy, *name;

	while ((name = strsep(&rest, ","))) {
		enum claim claim;

		if (claim_parse(name, &claim) < 0)
			return error_set(error, EINVAL,
				"--require: no claim \"%s\"; `ioproof list claims` shows them",
				name);
		o->required[claim] = true;
	}
	return 0;
}

static int take(struct probe_options *o, char *const *argv, int option, struct error *error)
{
	switch (option) {
	case 'h':
		return 1;
	case OPT_PASSIVE:
		o->passive = true;
		return 0;
	case OPT_QUICK:
		o->quick = true;
		return 0;
	case OPT_TRACE:
		o->trace = true;
		return 0;
	case OPT_REQUIRE:
		return require(o, optarg, error);
	case OPT_JSON:
		o->json = optarg;
		return 0;
	case OPT_SYSROOT:
		o->sysroot = optarg;
		o->passive = true; /* a record can only be read */
		return 0;
	default:
		return command_option_refused("probe", argv, option, error);
	}
}

int probe_options_parse(int argc, char **argv, struct probe_options *ret, struct error *error)
{
	struct probe_options o = { 0 };
	int option, r = 0;

	optind = 0;
	while (r == 0 && (option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1)
		r = take(&o, argv, option, error);
	if (r)
		return r;
	if (argc - optind > 1)
		return error_set(error, EINVAL, "probe takes one PATH; \"%s\" is one too many",
			argv[optind + 1]);
	if (o.trace && o.passive)
		return error_set(error, EINVAL, "--trace watches experiments, and %s makes none",
			o.sysroot ? "--sysroot" : "--passive");
	o.path = optind < argc ? argv[optind] : o.sysroot ? "/" : ".";
	*ret = o;
	return 0;
}
