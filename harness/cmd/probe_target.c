// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/probe_target.h"

#include <fcntl.h>
#include <libgen.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/probe_hang.h"
#include "core/text.h"
#include "core/watchdog.h"
#include "probes/environment/environment_probe.h"
#include "probes/experiments/experiment.h"
#include "probes/stack/stack_probe.h"

/* A file is tried by its directory, unless the file alone is mounted there from elsewhere. */
static void open_parent(const struct sysroot *root, const char *path, struct probe_target *t)
{
	_cleanup_free_ char *copy = realpath(path, NULL);
	uint64_t of_file, of_directory;

	if (!copy) {
		t->why_not = xasprintf("%s cannot be resolved: %s", path, strerror(errno));
		return;
	}
	t->directory = open(dirname(copy), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (t->directory < 0) {
		t->why_not = xasprintf("its directory cannot be opened: %s", strerror(errno));
		return;
	}
	if (root->calls->mount_id(AT_FDCWD, path, &of_file) == 0 &&
		root->calls->mount_id(t->directory, "", &of_directory) == 0 &&
		of_file == of_directory)
		return;
	close_fd(&t->directory);
	t->why_not = xstrdup("it is a mount of its own, and a file cannot hold another file");
}

static void open_directory(const char *path, struct probe_target *t)
{
	t->directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (t->directory < 0)
		t->why_not = xasprintf("it cannot be opened: %s", strerror(errno));
}

static const char *advice(int reason)
{
	if (reason != EPERM && reason != EACCES)
		return "";
	return geteuid() == 0 ? " (a container or a security policy forbids it)" : " (try sudo)";
}

static void open_device(const char *path, struct probe_target *t)
{
	t->device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (t->device < 0)
		t->why_not = xasprintf("the device cannot be opened for reading: %s%s",
			strerror(errno), advice(errno));
}

static void open_for_experiments(
	const struct sysroot *root, const char *path, struct probe_target *t)
{
	struct statx st;
	int r = root->calls->status(path, &st);

	if (r < 0)
		t->why_not = xasprintf("it cannot be looked at: %s", strerror(-r));
	else if (S_ISDIR(st.stx_mode))
		open_directory(path, t);
	else if (S_ISREG(st.stx_mode))
		open_parent(root, path, t);
	else if (S_ISBLK(st.stx_mode))
		open_device(path, t);
	else
		t->why_not = xstrdup("it is neither a directory, a file nor a block device");
}

/* A mistyped path would be answered by the filesystem that it is missing from. */
static int check_path(const struct sysroot *root, const char *path, struct error *error)
{
	struct statx seen;
	struct stat st;
	int reason = -root->calls->status(path, &seen);

	if (!*path)
		return error_set(
			error, ENOENT, "an empty path leads nowhere: give a file or directory");
	if (reason != ENOENT && reason != ENOTDIR && reason != ELOOP)
		return 0;
	return error_set(error, reason, "%s: %s%s", path,
		lstat(path, &st) == 0 ? "a link that leads nowhere: " : "", strerror(reason));
}

static int probe_stack(
	const struct sysroot *root, const char *path, struct probe_target *t, struct error *error)
{
	struct sysroot by_table = *root;
	_cleanup_free_ char *absolute = NULL;
	int r;

	if (!t->hangs)
		return stack_probe_path(root, path, &t->report.stack, error);
	by_table.calls = probe_calls_by_table();
	by_table.live = false; /* or links in the path would be followed */
	r = probe_path_absolute(path, &absolute);
	if (r < 0)
		return error_set(error, -r, "%s: %s", path, strerror(-r));
	return stack_probe_path(&by_table, absolute, &t->report.stack, error);
}

int probe_target_open(
	const struct probe_options *options, struct probe_target *ret, struct error *error)
{
	int r = sysroot_open(options->sysroot, &ret->machine.root, error);

	ret->hangs = !options->sysroot && probe_path_hangs(options->path, PROBE_HANG_MS);
	if (r == 0 && ret->machine.root.live && !ret->hangs)
		r = check_path(&ret->machine.root, options->path, error);
	if (r == 0)
		r = probe_stack(&ret->machine.root, options->path, ret, error);
	if (r < 0)
		return r;
	environment_probe(&ret->machine.root, &ret->machine.environment);
	ret->report.experiments = xcalloc(1, sizeof(*ret->report.experiments));
	ret->report.id = xstrdup(options->path);
	ret->report.path = xstrdup(options->path);
	if (options->passive)
		ret->why_not = xstrdup("passive");
	else if (ret->hangs)
		ret->why_not = xstrdup("it does not answer: its server hangs");
	else
		open_for_experiments(&ret->machine.root, options->path, ret);
	return 0;
}

static void announce_experiments(FILE *out, const struct probe_target *t, unsigned seconds)
{
	_cleanup_free_ char *safe = text_terminal(t->report.path);

	if (!out)
		return;
	if (t->directory >= 0)
		fprintf(out,
			"trying it for about %u s: at most 128 MiB in one unnamed file in %s\n",
			seconds, safe);
	else
		fprintf(out, "trying it for about %u s: reading %s\n", seconds, safe);
	fflush(out);
}

/* Only when asked for: it slows what is traced, and may mount tracefs (for this process alone). */
static void open_trace(struct probe_target *t)
{
	struct run_machine *m = &t->machine;
	struct error why;

	t->report.experiments->trace.asked = true;
	trace_instance_collect(&m->root);
	if (trace_instance_open(&m->root, m->guardian, &m->trace, &why) < 0)
		experiment_skip(&t->report.experiments->trace.state, "%s", why.text);
}

/* Every part says why it was not made, unless it has a reason of its own. */
static void skip_all(struct experiments *e, const char *why)
{
	struct experiment_state *state[EXPERIMENT_STATES];

	if (!e->trace.asked)
		experiment_skip(&e->trace.state, "not asked for: --trace");
	experiments_states(e, state);
	for (size_t i = 0; i < ARRAY_SIZE(state); i++)
		if (!state[i]->done && !state[i]->why_not)
			experiment_skip(state[i], "%s", why);
}

/* Anyone may switch a loop device meanwhile (losetup --direct-io); what holds is how it is left. */
static void look_at_loops_again(struct probe_target *t)
{
	struct stack *stack = &t->report.stack;

	for (size_t i = 0; i < stack->count; i++) {
		struct layer *layer = &stack->layer[i];
		uint64_t direct;

		if (layer->kind != LAYER_LOOP || !layer->sysfs ||
			layer_trait(layer, TRAIT_HONOURS_DIRECT) != ANSWER_YES ||
			sysroot_read_u64(&t->machine.root, &direct, "%s/loop/dio", layer->sysfs) <
				0 ||
			direct)
			continue;
		layer_set_trait(layer, TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED,
			"%s/loop/dio = 0 after the experiments, 1 before", layer->sysfs);
	}
}

/* Far more than the slowest disk takes for 128 MiB: it has stopped. */
#define SILENCE_SECONDS 60

static int watched_experiments(
	const struct probe_options *options, struct probe_target *target, unsigned seconds)
{
	_cleanup_free_ char *path = text_terminal(options->path);
	_cleanup_free_ char *text = xasprintf(
		"ioproof: %s: what is asked there has not been answered for %d s; given up. "
		"`ioproof probe --passive` asks nothing\n",
		path, SILENCE_SECONDS);
	struct watchdog *watchdog = watchdog_start(SILENCE_SECONDS, text);
	int r = run_experiments(&target->machine, target->directory, target->device, seconds,
		&target->report.stack, target->report.experiments);

	watchdog_stop(watchdog);
	return r;
}

/* Once more as at first: what was tried must be what is there when the answer is given. */
static void look_again(
	const struct probe_options *options, const struct stack *before, struct probe_target *t)
{
	struct stack_difference *changed = &t->report.experiments->changed;
	_cleanup_(stack_free) struct stack after = { 0 };
	struct error why = { .text = "" };

	if (stack_probe_path(&t->machine.root, options->path, &after, &why) < 0)
		*changed = (struct stack_difference){ xstrdup(options->path),
			xasprintf("it cannot be looked at any more: %s", why.text) };
	else
		stack_difference(before, &after, changed);
}

int probe_target_try(const struct probe_options *options, struct probe_target *target,
	FILE *announce, struct error *error)
{
	struct run_machine *m = &target->machine;
	const unsigned seconds = options->quick ? EXPERIMENT_SECONDS_QUICK : EXPERIMENT_SECONDS;
	_cleanup_(stack_free) struct stack before = { 0 };
	int r = 0;

	if (target->directory >= 0 || target->device >= 0) {
		announce_experiments(announce, target, seconds);
		stack_copy(&target->report.stack, &before);
		r = run_machine_watch(m, error);
		if (r == 0 && options->trace)
			open_trace(target);
		if (r == 0)
			r = watched_experiments(options, target, seconds);
		if (r == -EINTR)
			return error_set(error, EINTR, "interrupted; there is no answer");
		look_at_loops_again(target);
		if (r == 0)
			look_again(options, &before, target);
	}
	skip_all(target->report.experiments, target->why_not ? target->why_not : "it had no time");
	return r;
}

void probe_target_close(struct probe_target *target)
{
	close_fd(&target->directory);
	close_fd(&target->device);
	free(target->why_not);
	target_report_free(&target->report);
	run_machine_close(&target->machine);
}
