// SPDX-License-Identifier: GPL-2.0-or-later
/* `ioproof run`: targets, rounds, verdicts, report. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd/command.h"
#include "cmd/run_arms.h"
#include "cmd/run_ground.h"
#include "core/interrupt.h"
#include "core/random.h"
#include "core/text.h"
#include "engine/conclude.h"
#include "engine/engine.h"
#include "probes/stack/stack_probe.h"
#include "report/json.h"
#include "report/progress.h"
#include "report/text.h"
#include "report/wrap.h"

struct run {
	struct run_options options;
	struct run_machine machine;
	struct run_plan plan;
	struct run_arms arms;
	struct result result;
	struct progress progress;
	FILE *text;        /* stdout, or NULL under --json - */
	FILE *json;        /* NULL: not asked for */
	bool json_created; /* by this run, and nothing is in it yet */
	bool scratch_shown, machine_shown;
};

/*
 * Opened before anything is built: later, absolute paths below the scratch directory may be covered
 * by the private mount. Truncated only when there is something to write.
 */
static int open_json(struct run *run, struct error *error)
{
	const char *path = run->options.json;
	int fd;

	run->text = stdout;
	if (!path)
		return 0;
	if (strcmp(path, "-") == 0) {
		run->text = NULL;
		run->json = stdout;
		return 0;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
	run->json_created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
	run->json = fd < 0 ? NULL : fdopen(fd, "w");
	if (!run->json)
		return error_set(error, errno, "--json %s: %s", path, strerror(errno));
	return 0;
}

static void on_build(
	void *context, size_t fixture, const char *phase, uint64_t done, uint64_t total)
{
	struct run *run = context;

	if (total)
		progress_show(&run->progress, false, "image: %ju of %ju MiB",
			(uintmax_t)(done / MIB), (uintmax_t)(total / MIB));
	else
		progress_show(&run->progress, true, "%s", phase);
}

static void on_round(void *context, unsigned round, const struct arm *arm)
{
	struct run *run = context;

	progress_show(&run->progress, true, "round %u of %u: %s %s on %s", round + 1,
		run->options.rounds, arm->run->workload->head.id, arm->c->id, arm->run->target->id);
}

static void on_lost(void *context, const struct arm *arm, const struct error *error)
{
	struct run *run = context;

	progress_clear(&run->progress);
	complain("%s", error->text);
	run->result.complete = false;
	result_add_missing(&run->result,
		&(struct missing){ .target = xstrdup(arm->run->target->id),
			.workload = arm->run->workload->head.id,
			.case_id = arm->c->id,
			.reason = xstrdup(error->text) });
}

static void show_finding(struct run *run, const struct finding *finding)
{
	_cleanup_free_ char *message = text_terminal(finding->message);
	_cleanup_free_ char *remedy = text_terminal(finding->remedy);

	if (run->text)
		fprintf(run->text, "  %s: %s\n  Better: %s\n", finding->kind->head.id, message,
			remedy);
}

/* The first answer, before the first write: what lies under the place where a target will be. */
static void show_ground(struct run *run, struct run_target *t)
{
	const bool fixture = t->spec.text, again = fixture && run->scratch_shown;
	struct stack stack = { 0 };
	int fd = fixture ? run->plan.scratch : MAX(t->target.file, t->target.directory);

	if (stack_probe_fd(&run->machine.root, fd, &stack, NULL) == 0 && run->text && !again)
		text_stack(run->text, fixture ? run->plan.scratch_name : t->target.path, &stack,
			run->machine_shown ? NULL : &run->machine.environment);
	run->machine_shown = true;
	if (fixture) {
		ground_judge(&run->machine.root, &stack, run->plan.scratch_name,
			fixture_spec_bytes(&t->spec), &t->findings);
		if (!again && t->findings.count)
			show_finding(run, &t->findings.item[0]);
	}
	run->scratch_shown |= fixture;
	stack_free(&stack);
}

/* What will be written, how much and where, before it is. */
static void announce(struct run *run, const struct run_target *t, uint64_t space)
{
	_cleanup_free_ char *bytes = NULL, *line = NULL;

	if (!run->text)
		return;
	if (t->spec.text) {
		bytes = text_bytes(fixture_spec_bytes(&t->spec));
		line = xasprintf("building %s, %s, in %s (%s, %s, %s loop)", t->spec.text, bytes,
			t->target.path, t->spec.devices > 1 ? "unnamed images" : "unnamed image",
			image_preparation_name(t->spec.image),
			t->spec.loop_buffered ? "buffered" : "direct");
		wrap_print(run->text, "", 2, line);
	} else if (space) {
		bytes = text_bytes(space);
		line = xasprintf("writing %s in %s, and before it at most 128 MiB of experiments",
			bytes, t->target.path);
		wrap_print(run->text, "", 2, line);
	}
	fflush(run->text);
}

static void report_target(struct run *run, struct run_target *t)
{
	struct result *result = &run->result;
	struct target_report *report;

	if (t->fixture)
		t->target.fixture = fixture_facts(t->fixture);
	result->target =
		xreallocarray(result->target, result->targets + 1, sizeof(*result->target));
	report = &result->target[result->targets++];
	*report = (struct target_report){
		.id = xstrdup(t->target.id),
		.path = xstrdup(t->target.path),
		.fixture = t->fixture ? fixture_describe(t->fixture) : NULL,
		.fixture_facts = t->target.fixture,
	};
	report->experiments = take_pointer(t->experiments);
	stack_copy(&t->target.stack, &report->stack);
	findings_append(&report->findings, &t->findings);
	if (!run->text || !t->fixture)
		return;
	if (run->plan.targets > 1)
		wrap_print(run->text, "", 2, t->target.id);
	text_stack(run->text, NULL, &t->target.stack, NULL);
}

/* The fixture that was announced is not there: what is measured is said before it is. */
static void show_fallback(struct run *run)
{
	progress_clear(&run->progress);
	for (size_t i = 0; run->plan.fell_back && i < run->plan.targets; i++)
		if (run->text && run->plan.target[i].target.file < 0) {
			_cleanup_free_ char *path = text_terminal(run->plan.target[i].target.path);

			fprintf(run->text, "it cannot be built here: measuring %s as it is\n",
				path);
		}
}

/* What it cost before the first number: most of it writes the images. */
static void show_built(struct run *run, uint64_t ns)
{
	_cleanup_free_ char *took = text_duration(ns);
	size_t fixtures = 0;

	for (size_t i = 0; i < run->plan.targets; i++)
		fixtures += run->plan.target[i].fixture != NULL;
	progress_clear(&run->progress);
	if (run->text && fixtures)
		fprintf(run->text, "%zu built, proved and at rest after %s\n", fixtures, took);
}

static int build(struct run *run, struct error *error)
{
	const struct fixture_progress progress = { on_build, run };
	uint64_t start;
	int r;

	for (size_t i = 0; i < run->plan.targets; i++) {
		show_ground(run, &run->plan.target[i]);
		announce(run, &run->plan.target[i], run_plan_space(&run->plan, i));
	}
	start = clock_now();
	r = run_build_fixtures(&run->machine, &run->plan, &progress, error);
	show_built(run, clock_now() - start);
	show_fallback(run);
	for (size_t i = 0; i < run->plan.targets && r == 0; i++) {
		progress_show(
			&run->progress, true, "experiments on %s", run->plan.target[i].target.id);
		r = run_build_target(&run->machine, &run->plan, i, error);
		progress_clear(&run->progress);
		if (r == 0)
			report_target(run, &run->plan.target[i]);
	}
	progress_clear(&run->progress);
	return r;
}

static int measure(struct run *run, struct error *error)
{
	struct rounds rounds = {
		.rounds = run->options.rounds,
		.seed = run->result.seed,
		.environment = &run->result.environment,
		.progress = on_round,
		.lost = on_lost,
		.context = run,
	};
	int r;

	progress_show(&run->progress, true, "preparing data");
	r = run_arms_prepare(
		&run->machine, &run->plan, run->result.seed, &run->result, &run->arms, error);
	if (r < 0)
		return r;
	run_arms_check(&run->arms, &run->result);
	rounds.arm = run->arms.arm;
	rounds.arms = run->arms.arms;
	r = rounds_run(&rounds);
	/* report_target() made one of each, in this order. */
	for (size_t i = 0; i < run->result.targets; i++)
		run_look_again(&run->machine, &run->plan.target[i],
			&run->result.target[i].experiments->changed);
	progress_clear(&run->progress);
	return r;
}

/* A run that failed before it had a result leaves no empty document behind. */
static void discard_json(const struct run *run)
{
	struct stat named, ours;

	if (run->json && run->json_created && fstat(fileno(run->json), &ours) == 0 &&
		lstat(run->options.json, &named) == 0 && named.st_dev == ours.st_dev &&
		named.st_ino == ours.st_ino)
		unlink(run->options.json);
}

static int write_json(struct run *run, struct error *error)
{
	int r;

	if (!run->json)
		return 0;
	if (run->json != stdout && ftruncate(fileno(run->json), 0) < 0 && errno != EINVAL)
		return error_set(error, errno, "--json %s: %s", run->options.json, strerror(errno));
	run->json_created = false;
	r = document_write(result_document(&run->result), run->json);
	return r < 0 ? error_set(error, -r, "--json %s: %s", run->options.json, strerror(-r)) : 0;
}

static int report(struct run *run, struct error *error)
{
	int r = conclude(&run->result);

	if (r < 0)
		return error_set(error, -r, "judging the results: %s", strerror(-r));
	if (run->text)
		text_result(run->text, &run->result, run->options.show_refused);
	return write_json(run, error);
}

static void begin(struct run *run, int argc, char **argv)
{
	struct result *result = &run->result;

	result->started_at = (int64_t)time(NULL);
	result->seed = run->options.seed_given ? run->options.seed : random_fresh_seed() >> 32;
	result->complete = true;
	result->command_count = (size_t)argc + 1;
	result->command = xcalloc(result->command_count, sizeof(*result->command));
	result->command[0] = xstrdup("ioproof");
	for (int i = 0; i < argc; i++)
		result->command[i + 1] = xstrdup(argv[i]);
	environment_copy(&run->machine.environment, &result->environment);
	progress_init(&run->progress, run->options.progress);
}

static int execute(struct run *run, int argc, char **argv, struct error *error)
{
	int r = run_plan_open(&run->plan, error);

	if (r == 0)
		r = open_json(run, error);
	if (r == 0)
		r = run_machine_open(&run->machine, error);
	if (r == 0)
		r = run_machine_watch(&run->machine, error);
	if (r < 0)
		return r;
	begin(run, argc, argv);
	r = build(run, error);
	if (r == 0)
		r = measure(run, error);
	if (r == -EINTR || interrupted()) {
		progress_clear(&run->progress);
		run->result.complete = false;
		r = 0;
	}
	return r < 0 ? r : report(run, error);
}

static void run_close(struct run *run)
{
	discard_json(run);
	run_arms_close(&run->arms);
	run_plan_close(&run->plan);
	result_free(&run->result);
	run_machine_close(&run->machine);
	if (run->json && run->json != stdout)
		fclose(run->json);
}

static int exit_status(const struct result *result)
{
	return result->complete && result->measurements ? verdict_exit_status(result->verdict)
							: EXIT_FAILED;
}

static int command_run(int argc, char **argv);

static const struct command run_command = {
	.head = { "run", 20, "Measures, and proves or refuses each number" },
	.synopsis = "[OPTION]... [WORKLOAD[:key=value,...]]...",
	.help = "Without a word: builds an ext4 filesystem in the current directory (an unnamed\n"
		"image on a loop device with direct I/O), and runs read-path in it.\n\n"
		"  --on DIR             measure in this directory instead (may be repeated)\n"
		"  --fs SPEC            build this filesystem: FSTYPE[:item,...], an item being a\n"
		"                       mount option, +C, or SIZE=2G MKFS=\"...\" SECTOR=4096\n"
		"                       IMAGE=written|fallocated|sparse LOOP=direct|buffered\n"
		"                       DEVICES=2 LABEL=name (may be repeated: side by side)\n"
		"  --scratch DIR        where images lie (default: the current directory)\n"
		"  --force              let images take more than 80 % of what is free\n"
		"  --rounds N           rounds, each visiting every case once (default 10)\n"
		"  --quick              6 rounds and less data\n"
		"  --seed N             order of the rounds and data; shown with every result\n"
		"  --json FILE|-        write the result document (- : alone on stdout)\n"
		"  --show-refused       print refused values too\n"
		"  --progress=plain     progress on stderr, one line an event\n"
		"  -h, --help           this text\n\n"
		"Examples:\n"
		"  ioproof run --quick\n"
		"  ioproof run --fs ext4 --fs btrfs:nodatacow --fs btrfs:+C --fs xfs\n"
		"  ioproof run --fs 'btrfs:DEVICES=2,MKFS=\"-d raid1 -m raid1\"'\n"
		"  ioproof run --on /mnt/data read-path:size=1G,bs=128k\n"
		"  ioproof run read-path:file=/var/lib/images/disk.raw\n\n"
		"Exit status: 0 every number trusted, 1 failed or incomplete, 2 usage,\n"
		"3 at least one flagged, 4 at least one refused.\n",
	.run = command_run,
};
REGISTER(commands, run_command);

static int command_run(int argc, char **argv)
{
	struct run run = { .machine = RUN_MACHINE_EMPTY, .plan = RUN_PLAN_EMPTY };
	struct error error = { .text = "" };
	int status = EXIT_USAGE, r = run_options_parse(argc, argv, &run.options, &error);

	if (r == 1) {
		command_help(&run_command);
		return EXIT_TRUSTED;
	}
	if (r == 0)
		r = run_plan_parse(&run.options, &run.plan, &error);
	if (r == 0) {
		r = execute(&run, argc, argv, &error);
		status = r == 0 ? exit_status(&run.result) : EXIT_FAILED;
	}
	progress_clear(&run.progress);
	fflush(stdout); /* what was said before stands before, also in a pipe */
	if (r < 0)
		complain("%s", error.text[0] ? error.text : strerror(-r));
	else if (interrupted())
		complain("interrupted; the result is incomplete");
	progress_show(&run.progress, true, "taking down");
	run_close(&run);
	progress_clear(&run.progress);
	return status;
}
