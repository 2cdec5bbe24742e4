// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run_build.h"

#include <string.h>
#include <sys/statvfs.h>

#include "core/text.h"
#include "probes/environment/environment_probe.h"
#include "probes/experiments/empirical_stack.h"
#include "probes/experiments/experiment.h"
#include "probes/stack/stack_probe.h"

#define CALIBRATION_BYTES MIB

static const char fixture_remedy[] =
	"run as root (sudo ioproof run); start a container (docker run, podman run) with "
	"--privileged, or --cap-add SYS_ADMIN --cap-add MKNOD --security-opt apparmor=unconfined "
	"--device /dev/loop-control --device-cgroup-rule 'b 7:* rmw'";

int run_machine_open(struct run_machine *ret, struct error *error)
{
	int r = sysroot_open(NULL, &ret->root, error);

	if (r == 0)
		environment_probe(&ret->root, &ret->environment);
	return r;
}

int run_machine_watch(struct run_machine *m, struct error *error)
{
	struct error why;
	int r = guardian_start(&m->guardian);

	if (r < 0)
		return error_set(error, -r, "starting the guardian process: %s", strerror(-r));
	private_cgroup_collect(&m->root);
	if (private_cgroup_enter(&m->root, m->guardian, &m->cgroup, &why) < 0)
		m->environment.private_cgroup_missing = xstrdup(why.text);
	else
		m->environment.private_cgroup = true;
	return 0;
}

void run_machine_close(struct run_machine *machine)
{
	trace_instance_close(machine->trace);
	private_cgroup_leave(machine->cgroup);
	guardian_stop(machine->guardian);
	environment_free(&machine->environment);
	sysroot_close(&machine->root);
	*machine = (struct run_machine)RUN_MACHINE_EMPTY;
}

/* Errors of a machine that does not let fixtures be built, as against a fixture that went wrong. */
static bool not_allowed(int r)
{
	return r == -EPERM || r == -EACCES || r == -ENODEV || r == -EOPNOTSUPP || r == -ENOENT;
}

static void note_fallback(struct run_target *t, int r, const struct error *why)
{
	const struct registered *kind = registry_find(&registry_findings, "missing-privilege");
	struct finding *f = finding_add(
		&t->findings, registry_entry(kind, struct finding_kind), SEVERITY_FLAG, NULL);

	finding_message(f,
		"no filesystem of our own could be built here (%s), so %s was measured as it is",
		why->text, t->target.path);
	finding_observe_text(f, "fixture_error", why->text);
	finding_source(f, "building the default fixture");
	/* a missing mkfs or /proc: the message names it, and privileges do not help */
	finding_remedy(f, "%s",
		r == -ENOENT ? "install or mount what is missing and run again" : fixture_remedy);
}

static int check_space(const struct run_plan *plan, size_t t, struct error *error)
{
	const struct target *target = &plan->target[t].target;
	uint64_t need = run_plan_space(plan, t), free_bytes;
	struct statvfs st;

	if (!need)
		return 0;
	if (fstatvfs(target->directory, &st) < 0)
		return error_set(error, errno, "%s: %s", target->path, strerror(errno));
	free_bytes = (uint64_t)st.f_bavail * st.f_frsize;
	if (st.f_flag & ST_RDONLY)
		return error_set(error, EROFS,
			"%s is on a read-only filesystem; choose a writable directory, or read a "
			"file: read-path:file=PATH",
			target->path);
	/* FUSE servers that do not know answer zero blocks. */
	if (st.f_blocks && free_bytes < need) {
		_cleanup_free_ char *want = text_bytes(need), *have = text_bytes(free_bytes);

		return error_set(error, ENOSPC,
			"%s: %s of data do not fit, %s are free; lower size= or choose another "
			"directory",
			target->path, want, have);
	}
	return 0;
}

static int take_directory(
	const struct run_machine *machine, struct run_plan *plan, size_t t, struct error *error)
{
	struct target *target = &plan->target[t].target;
	int r = check_space(plan, t, error);

	if (r < 0)
		return r;
	return stack_probe_fd(&machine->root, target->directory, &target->stack, error);
}

/* Mount points of what lies under the plan's directories and files: they must stay in sight. */
struct keep {
	const char **path; /* NULL-terminated, each malloc'ed */
	size_t count;
};

static void keep_layers(const struct run_machine *machine, int fd, struct keep *keep)
{
	struct stack stack = { 0 };

	if (fd >= 0)
		(void)stack_probe_fd(&machine->root, fd, &stack, NULL);
	for (size_t i = 0; i < stack.count; i++) {
		if (!stack.layer[i].mount_point)
			continue;
		keep->path = xreallocarray(keep->path, keep->count + 2, sizeof(*keep->path));
		keep->path[keep->count++] = xstrdup(stack.layer[i].mount_point);
		keep->path[keep->count] = NULL;
	}
	stack_free(&stack);
}

static void keep_free(struct keep *keep)
{
	for (size_t i = 0; i < keep->count; i++)
		free((void *)keep->path[i]);
	free(keep->path);
}

static int build_specs(const struct run_machine *machine, const struct run_plan *plan,
	const struct fixture_spec *const *spec, size_t count,
	const struct fixture_progress *progress, struct fixture **ret, struct error *error)
{
	_cleanup_(keep_free) struct keep keep = { 0 };
	struct fixture_place place = { .fd = plan->scratch,
		.name = plan->scratch_name,
		.at_rest = true,
		.force = plan->options->force };

	keep_layers(machine, plan->scratch, &keep);
	for (size_t i = 0; i < plan->targets; i++)
		keep_layers(machine,
			MAX(plan->target[i].target.file, plan->target[i].target.directory), &keep);
	place.keep = keep.path;
	return fixtures_build(&machine->root, spec, count, &place, progress, ret, error);
}

int run_build_fixtures(const struct run_machine *machine, struct run_plan *plan,
	const struct fixture_progress *progress, struct error *error)
{
	const struct fixture_spec *spec[RUN_TARGETS_MAX];
	struct fixture *fixture[RUN_TARGETS_MAX];
	struct run_target *target[RUN_TARGETS_MAX];
	size_t count = 0;
	int r;

	for (size_t i = 0; i < plan->targets; i++)
		if (plan->target[i].spec.text) {
			target[count] = &plan->target[i];
			spec[count++] = &plan->target[i].spec;
		}
	r = count ? build_specs(machine, plan, spec, count, progress, fixture, error) : 0;
	if (r < 0 && plan->default_fixture && not_allowed(r)) {
		run_plan_fall_back(plan);
		note_fallback(target[0], r, error);
		return 0;
	}
	for (size_t i = 0; i < count && r == 0; i++) {
		target[i]->fixture = fixture[i];
		target[i]->target.directory = fixture_directory(fixture[i]);
	}
	return r;
}

int run_experiments(const struct run_machine *machine, int directory, int device, unsigned seconds,
	struct stack *stack, struct experiments *ret)
{
	const struct witness_view view = { &machine->root, stack, machine->cgroup };
	int r = 0;

	if (directory >= 0)
		r = empirical_stack(&view, directory, machine->guardian, stack, &ret->empirical);
	/* A calibration that failed leaves the counters as declared. */
	if (r == 0 && directory >= 0 &&
		witnesses_calibrate(&view, directory, CALIBRATION_BYTES, stack) == -EINTR)
		r = -EINTR;
	return r < 0 ? r
		     : experiments_make(&view, machine->trace, directory, device, machine->guardian,
			       seconds, ret);
}

int run_build_target(
	const struct run_machine *machine, struct run_plan *plan, size_t t, struct error *error)
{
	const unsigned seconds =
		plan->options->quick ? EXPERIMENT_SECONDS_QUICK : EXPERIMENT_SECONDS;
	struct run_target *rt = &plan->target[t];
	struct target *target = &rt->target;
	int r;

	target->guardian = machine->guardian;
	if (target->file >= 0)
		r = stack_probe_fd(&machine->root, target->file, &target->stack, error);
	else if (rt->fixture)
		r = stack_probe_fd(&machine->root, target->directory, &target->stack, error);
	else
		r = take_directory(machine, plan, t, error);
	if (r < 0)
		return r;
	stack_copy(&target->stack, &rt->before);
	rt->experiments = xcalloc(1, sizeof(*rt->experiments));
	return run_experiments(
		machine, target->directory, -1, seconds, &target->stack, rt->experiments);
}

void run_look_again(const struct run_machine *machine, const struct run_target *target,
	struct stack_difference *ret)
{
	const int fd = target->target.file >= 0 ? target->target.file : target->target.directory;
	_cleanup_(stack_free) struct stack after = { 0 };
	struct error why = { .text = "" };

	if (stack_probe_fd(&machine->root, fd, &after, &why) < 0)
		*ret = (struct stack_difference){ xstrdup(target->target.id),
			xasprintf("it cannot be looked at any more: %s", why.text) };
	else
		stack_difference(&target->before, &after, ret);
}
