// SPDX-License-Identifier: GPL-2.0-or-later
/* `ioproof probe`: what lies under a path, what it does, and which claims can be made there. */
#include <fcntl.h>
#include <string.h>

#include "cmd/command.h"
#include "cmd/probe_options.h"
#include "cmd/probe_target.h"
#include "core/interrupt.h"
#include "core/text.h"
#include "report/json_probe.h"
#include "report/text.h"
#include "report/text_probe.h"

static int command_run(int argc, char **argv);

static const struct command probe_command = {
	.head = { "probe", 10, "Shows every layer under a path, and what can be claimed there" },
	.synopsis = "[OPTION]... [PATH]",
	.help = "Names the layers under PATH (default: the current directory), down to the lowest\n"
		"that this machine shows; tries what they really do; and says which claims a\n"
		"number may make here (`ioproof list claims`).\n"
		"Writes at most 128 MiB, into one unnamed file in PATH's directory, for about\n"
		"3 s. PATH may be a block device, which is only read.\n\n"
		"  --passive            only what the machine declares; nothing is written\n"
		"  --quick              about 1 s of experiments\n"
		"  --trace              watch the page cache and forced writes as well, by a "
		"tracing\n"
		"                       instance of its own (as root; removed afterwards)\n"
		"  --require CLAIM,...  for scripts: exit status 3 or 4 unless all are trusted\n"
		"  --json FILE|-        write the document (- : alone on stdout)\n"
		"  --sysroot DIR        read a recorded machine instead of this one (passive)\n"
		"  -h, --help           this text\n\n"
		"Examples:\n"
		"  ioproof probe /srv\n"
		"  ioproof probe --require device-read,durable-write /srv && fio job.fio\n\n"
		"Exit status: 0 answered (with --require: all trusted), 1 failed, 2 usage,\n"
		"3 a required claim is flagged, 4 a required claim is refused.\n",
	.run = command_run,
};
REGISTER(commands, probe_command);

struct probe {
	struct probe_options options;
	struct probe_target target;
	struct licence licence;
	FILE *text; /* stdout, or NULL under --json - */
};

/* A record has no files: any path is answered for, a mistyped one too. */
static void show_mount_of_record(const struct probe *p)
{
	const struct stack *stack = &p->target.report.stack;
	_cleanup_free_ char *point = NULL;

	for (size_t i = 0; i < stack->count && !point; i++)
		if (stack->layer[i].mount_point)
			point = text_terminal(stack->layer[i].mount_point);
	if (point)
		fprintf(p->text, "  by the record's mount table: the mount on %s\n", point);
}

static void show_passive(const struct probe *p)
{
	if (!p->text)
		return;
	text_stack(
		p->text, p->options.path, &p->target.report.stack, &p->target.machine.environment);
	if (p->options.sysroot)
		show_mount_of_record(p);
	if (p->target.hangs)
		fputs("  it did not answer within a second: this is what the mount table says\n",
			p->text);
	fflush(p->text);
}

static int write_json(const struct probe *p, struct error *error)
{
	const char *path = p->options.json;
	_cleanup_file_ FILE *file = NULL;
	FILE *out = stdout;
	int r;

	if (!path)
		return 0;
	if (strcmp(path, "-") != 0)
		out = file = fopen(path, "we");
	if (!out)
		return error_set(error, errno, "--json %s: %s", path, strerror(errno));
	r = document_write(
		probe_document(&p->target.machine.environment, &p->target.report, &p->licence),
		out);
	return r < 0 ? error_set(error, -r, "--json %s: %s", path, strerror(-r)) : 0;
}

/* Also under --json -, where it goes with the errors: a gate that closes says why. */
static void say_required(const struct probe *p)
{
	for (int c = 0; c < CLAIM_COUNT; c++) {
		const struct claim_licence *claim = &p->licence.claim[c];
		const struct finding *why = findings_gravest(&claim->findings);

		if (!p->options.required[c] || claim->verdict == VERDICT_TRUSTED)
			continue;
		if (p->text)
			fflush(p->text);
		complain("--require: %s is %s here%s%s%s", claim_name((enum claim)c),
			verdict_name(claim->verdict), why ? " (" : "",
			why ? why->kind->head.id : "", why ? ")" : "");
	}
}

static int answer(struct probe *p, struct error *error)
{
	int r = probe_target_open(&p->options, &p->target, error);

	if (r < 0)
		return r;
	show_passive(p);
	r = probe_target_try(&p->options, &p->target, p->text, error);
	if (r == 0)
		r = licence_judge(&p->target.report.stack, &p->target.machine.environment,
			p->target.report.experiments, &p->licence);
	if (r < 0)
		return r;
	if (p->text && p->target.report.experiments->empirical.device) {
		fputs("\nby the bytes that moved, it is:\n", p->text);
		text_stack(p->text, p->options.path, &p->target.report.stack, NULL);
	}
	if (p->text && !p->options.passive)
		text_experiments(p->text, &p->target.report.stack, p->target.report.experiments,
			&p->licence);
	if (p->text)
		text_licence(p->text, &p->licence);
	say_required(p);
	return write_json(p, error);
}

/* The worst of the required claims. */
static int exit_status(const struct probe *p)
{
	enum verdict worst = VERDICT_TRUSTED;

	for (int c = 0; c < CLAIM_COUNT; c++)
		if (p->options.required[c])
			worst = MAX(worst, p->licence.claim[c].verdict);
	return verdict_exit_status(worst);
}

static int command_run(int argc, char **argv)
{
	struct probe p = { .target = PROBE_TARGET_EMPTY };
	struct error error = { .text = "" };
	int status, r = probe_options_parse(argc, argv, &p.options, &error);

	if (r == 1) {
		command_help(&probe_command);
		return EXIT_TRUSTED;
	}
	if (r < 0) {
		complain("%s", error.text);
		return EXIT_USAGE;
	}
	p.text = p.options.json && strcmp(p.options.json, "-") == 0 ? NULL : stdout;
	r = answer(&p, &error);
	if (r < 0)
		complain("%s", error.text[0] ? error.text : strerror(-r));
	status = r < 0 ? EXIT_FAILED : exit_status(&p);
	licence_free(&p.licence);
	probe_target_close(&p.target);
	return status;
}
