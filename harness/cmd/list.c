// SPDX-License-Identifier: GPL-2.0-or-later
/* `ioproof list`: what is registered, one line a member. */
#include <string.h>

#include "cmd/command.h"
#include "fixtures/filesystem.h"
#include "model/claim.h"
#include "model/evidence.h"
#include "probes/environment/environment_probe.h"
#include "probes/experiments/experiment.h"
#include "probes/stack/stack_walk.h"
#include "probes/witnesses/witness.h"
#include "workloads/workload.h"

static const struct {
	const char *word;
	const struct registry *sets[5]; /* shown one after the other, ends with NULL */
} lists[] = {
	{ "workloads", { &registry_workloads } },
	{ "claims", { &registry_claims } },
	{ "findings", { &registry_findings } },
	{ "rules", { &registry_rules } },
	{ "probes",
		{ &registry_layer_probes, &registry_environment_probes, &registry_witnesses,
			&registry_experiments } },
	{ "filesystems", { &registry_filesystems } },
};

static int list_set(const struct registry *set)
{
	struct registry_view view;
	int r = registry_view(set, &view);

	if (r < 0) {
		complain("%s: %s: this binary is broken", set->name, strerror(-r));
		return EXIT_FAILED;
	}
	registry_for_each(member, &view)
		printf("%-30s %s\n", (*member)->id, (*member)->summary);
	registry_view_free(&view);
	return EXIT_TRUSTED;
}

static int list_word(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		int status = EXIT_TRUSTED;

		if (strcmp(lists[i].word, word) != 0)
			continue;
		for (size_t j = 0; lists[i].sets[j] && status == EXIT_TRUSTED; j++)
			status = list_set(lists[i].sets[j]);
		return status;
	}
	complain("list: no list of \"%s\"; `ioproof list --help` names them", word);
	return EXIT_USAGE;
}

static int run(int argc, char **argv);

static const struct command list = {
	.head = { "list", 50, "Shows what this build knows" },
	.synopsis = "workloads | claims | findings | rules | probes | filesystems",
	.help = "Each line is an id and what it stands for; ids are stable.\n",
	.run = run,
};
REGISTER(commands, list);

static int run(int argc, char **argv)
{
	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		command_help(&list);
		return EXIT_TRUSTED;
	}
	return argc == 2 ? list_word(argv[1]) : command_usage(&list);
}
