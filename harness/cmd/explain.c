// SPDX-License-Identifier: GPL-2.0-or-later
/* `ioproof explain`: what a finding means, how it was established, and what to do about it. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/near.h"
#include "core/text.h"
#include "model/claim.h"
#include "report/wrap.h"

#define INDENT 2
#define ID_COLUMNS 31

static int explain_all(void)
{
	struct registry_view view;
	int r = registry_view(&registry_findings, &view);

	if (r < 0) {
		complain("%s: %s: this binary is broken", registry_findings.name, strerror(-r));
		return EXIT_FAILED;
	}
	registry_for_each(member, &view) {
		_cleanup_free_ char *lead = xasprintf("%-*s", ID_COLUMNS, (*member)->id);

		wrap_print(stdout, lead, ID_COLUMNS, (*member)->summary);
	}
	registry_view_free(&view);
	puts("\n`ioproof explain FINDING` tells all about one.");
	return EXIT_TRUSTED;
}

static void part(const char *title, const char *text)
{
	printf("\n%s\n", title);
	wrap_print(stdout, "  ", INDENT, text ? text : "(nothing is written about this yet)");
}

static void explain(const struct finding_kind *kind)
{
	printf("%s\n", kind->head.id);
	wrap_print(stdout, "", 0, kind->head.summary);
	part("What it means", kind->meaning);
	part("How it is established", kind->established);
	part("An example", kind->example);
	part("Which claims it touches", kind->touches);
	part("What to do", kind->remedy);
}

static int unknown(const char *id)
{
	const struct registered *claim = registry_find(&registry_claims, id);
	_cleanup_free_ char *near = near_members(&registry_findings, id);

	if (claim)
		complain("explain: %s is a claim, no finding: %s", id, claim->summary);
	else if (near)
		complain("explain: no finding \"%s\"; near it: %s", id, near);
	else
		complain("explain: no finding \"%s\"; `ioproof explain` names them all", id);
	return EXIT_USAGE;
}

static int run(int argc, char **argv);

static const struct command explain_command = {
	.head = { "explain", 45, "Tells what a finding means and what to do" },
	.synopsis = "[FINDING]",
	.help = "With a finding's id: what it means, how it is established, a real example, which\n"
		"claims it touches, and what to do. Without: all findings, one line each.\n\n"
		"Exit status: 0 done, 2 no such finding.\n",
	.run = run,
};
REGISTER(commands, explain_command);

static int run(int argc, char **argv)
{
	const struct registered *member;

	if (argc == 1)
		return explain_all();
	if (argc > 2)
		return command_usage(&explain_command);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		command_help(&explain_command);
		return EXIT_TRUSTED;
	}
	if (argv[1][0] == '-')
		return command_usage(&explain_command);
	member = registry_find(&registry_findings, argv[1]);
	if (!member)
		return unknown(argv[1]);
	explain(registry_entry(member, struct finding_kind));
	return EXIT_TRUSTED;
}
