// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/run_plan.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "fixtures/filesystem.h"

/* A filesystem keeps some of its image to itself; this much more than the data is enough. */
#define FIXTURE_MARGIN (128 * MIB)

static const char default_fixture[] = "ext4";

/* Ids name targets in the document, so the second of a kind is told apart. */
static char *unique_id(const struct run_plan *plan, const char *id)
{
	unsigned before = 0;

	for (size_t i = 0; i < plan->targets; i++) {
		const char *other = plan->target[i].target.id;

		before += strncmp(other, id, strlen(id)) == 0 &&
			(!other[strlen(id)] || other[strlen(id)] == '#');
	}
	return before ? xasprintf("%s#%u", id, before + 1) : xstrdup(id);
}

static struct run_target *target_append(struct run_plan *plan, const char *id, const char *path)
{
	_cleanup_free_ char *own_id = unique_id(plan, id);
	struct run_target *t;

	plan->target = xreallocarray(plan->target, plan->targets + 1, sizeof(*plan->target));
	t = &plan->target[plan->targets++];
	*t = (struct run_target){ .named = -1 };
	t->target = (struct target){
		.id = take_pointer(own_id), .path = xstrdup(path), .directory = -1, .file = -1
	};
	return t;
}

static int open_directory(const char *path, const char *option, int *ret, struct error *error)
{
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return error_set(error, errno, "%s %s: %s", option, path, strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode)) {
		close(fd);
		return error_set(error, ENOTDIR, "%s %s: not a directory; name a directory%s",
			option, path,
			S_ISREG(st.st_mode) ? ", or read the file: read-path:file=PATH" : "");
	}
	*ret = fd;
	return 0;
}

static void add_file(struct run_plan *plan, int workload, const char *path)
{
	target_append(plan, path, path)->named = workload;
}

static int add_fixture(struct run_plan *plan, const char *text, struct error *error)
{
	struct fixture_spec spec;
	int r = fixture_spec_parse(text, &spec, error);

	if (r < 0)
		return r;
	target_append(plan, text, plan->options->scratch)->spec = spec;
	return 0;
}

/* First: a spec that a shell took apart leaves words that would be called unknown workloads. */
static int check_specs(const struct run_options *o, struct error *error)
{
	int r = 0;

	for (size_t i = 0; i < o->filesystems && r == 0; i++) {
		struct fixture_spec spec;

		r = fixture_spec_parse(o->fs[i], &spec, error);
		if (r == 0)
			fixture_spec_free(&spec);
	}
	return r;
}

static int add_workload(struct run_plan *plan, const char *text, struct error *error)
{
	struct run_workload w;
	int r = workload_parse(text, plan->options->quick, &w.workload, &w.parameters, error);

	if (r < 0)
		return r;
	plan->workload = xreallocarray(plan->workload, plan->workloads + 1, sizeof(w));
	plan->workload[plan->workloads++] = w;
	return 0;
}

/* The existing file that a workload was told to work on, NULL for data of our own. */
static const char *workload_file(const struct run_workload *w)
{
	const char *key = w->workload->file_parameter;

	return key ? parameter_find(w->workload, w->parameters, key)->text : NULL;
}

/* Whether some workload wants a directory to make its data in. */
static int add_workloads(struct run_plan *plan, bool *need_directory, struct error *error)
{
	int r = 0;

	for (const char *const *text = plan->options->workload; *text && r == 0; text++)
		r = add_workload(plan, *text, error);
	for (size_t i = 0; i < plan->workloads && r == 0; i++) {
		const char *file = workload_file(&plan->workload[i]);

		if (file)
			add_file(plan, (int)i, file);
		else
			*need_directory = true;
	}
	return r;
}

static int add_targets(struct run_plan *plan, struct error *error)
{
	const struct run_options *o = plan->options;
	int r = 0;

	for (size_t i = 0; i < o->ons; i++)
		target_append(plan, o->on[i], o->on[i]);
	for (size_t i = 0; i < o->filesystems && r == 0; i++)
		r = add_fixture(plan, o->fs[i], error);
	if (r == 0 && o->ons + o->filesystems == 0) {
		plan->default_fixture = true;
		r = add_fixture(plan, default_fixture, error);
	}
	return r;
}

/* Side by side they are of one size, which each of them can have (xfs: 300 MiB). */
static uint64_t size_least(const struct run_plan *plan)
{
	uint64_t least = plan->options->quick ? 256 * MIB : GIB;

	for (size_t t = 0; t < plan->targets; t++) {
		const struct fixture_spec *spec = &plan->target[t].spec;

		if (spec->text && !spec->size_given)
			least = MAX(least, filesystem_find(spec->fstype)->size_min(spec));
	}
	return least;
}

/* A fixture is as large as its workloads need, when nobody said how large. */
static int size_fixtures(struct run_plan *plan, struct error *error)
{
	const uint64_t least = size_least(plan);

	for (size_t t = 0; t < plan->targets; t++) {
		struct fixture_spec *spec = &plan->target[t].spec;
		uint64_t space = run_plan_space(plan, t), need = space + space / 8 + FIXTURE_MARGIN;

		if (!spec->text)
			continue;
		if (space > INT64_MAX / 2)
			return error_set(
				error, EINVAL, "size=%ju does not fit any image", (uintmax_t)space);
		if (!spec->size_given)
			spec->size = (MAX(need, least) + MIB - 1) / MIB * MIB;
		else if (spec->size < space)
			return error_set(error, EINVAL,
				"%s: the image is smaller than the data of the workloads (%ju "
				"MiB); raise SIZE= or lower size=",
				spec->text, (uintmax_t)(space / MIB));
	}
	return 0;
}

int run_plan_parse(const struct run_options *options, struct run_plan *ret, struct error *error)
{
	struct run_plan plan = RUN_PLAN_EMPTY;
	bool need_directory = false;
	int r;

	plan.options = options;
	plan.scratch_name = xstrdup(options->scratch);
	r = check_specs(options, error);
	if (r == 0)
		r = add_workloads(&plan, &need_directory, error);
	if (r == 0 && !need_directory && options->ons + options->filesystems)
		r = error_set(error, EINVAL,
			"file= reads a file where it lies; --on and --fs have nothing to do then");
	if (r == 0 && need_directory)
		r = add_targets(&plan, error);
	if (r == 0)
		r = size_fixtures(&plan, error);
	if (r < 0) {
		run_plan_close(&plan);
		return r;
	}
	*ret = plan;
	return 0;
}

static int open_target(struct run_plan *plan, struct run_target *t, struct error *error)
{
	if (t->spec.text)
		return plan->scratch >= 0
			? 0
			: open_directory(plan->scratch_name, "--scratch", &plan->scratch, error);
	if (t->named < 0)
		return open_directory(t->target.path, "--on", &t->target.directory, error);
	t->target.file = open(t->target.path, O_PATH | O_CLOEXEC);
	if (t->target.file < 0)
		return error_set(error, errno, "file=%s: %s", t->target.path, strerror(errno));
	return 0;
}

int run_plan_open(struct run_plan *plan, struct error *error)
{
	int r = 0;

	for (size_t i = 0; i < plan->targets && r == 0; i++)
		r = open_target(plan, &plan->target[i], error);
	return r;
}

bool run_plan_pairs(const struct run_plan *plan, size_t w, size_t t)
{
	if (workload_file(&plan->workload[w]))
		return plan->target[t].named == (int)w;
	return plan->target[t].named < 0;
}

uint64_t run_plan_space(const struct run_plan *plan, size_t t)
{
	uint64_t total = 0;

	for (size_t w = 0; w < plan->workloads; w++) {
		const struct run_workload *run = &plan->workload[w];
		uint64_t space = run->workload->space ? run->workload->space(run->parameters) : 0;

		if (run_plan_pairs(plan, w, t) && __builtin_add_overflow(total, space, &total))
			return UINT64_MAX;
	}
	return total;
}

void run_plan_fall_back(struct run_plan *plan)
{
	plan->fell_back = true;
	for (size_t i = 0; i < plan->targets; i++) {
		struct run_target *t = &plan->target[i];

		if (!t->spec.text)
			continue;
		fixture_spec_free(&t->spec);
		free(t->target.id);
		t->target.id = xstrdup(plan->scratch_name);
		t->target.directory = take_fd(&plan->scratch);
	}
}

static void target_close(struct run_target *t)
{
	/* A fixture's directory belongs to the fixture. */
	if (!t->fixture)
		close_fd(&t->target.directory);
	close_fd(&t->target.file);
	fixture_destroy(t->fixture);
	fixture_spec_free(&t->spec);
	findings_free(&t->findings);
	if (t->experiments)
		experiments_free(t->experiments);
	free(t->experiments);
	stack_free(&t->target.stack);
	stack_free(&t->before);
	free(t->target.id);
	free(t->target.path);
}

void run_plan_close(struct run_plan *plan)
{
	for (size_t i = 0; i < plan->targets; i++)
		target_close(&plan->target[i]);
	for (size_t i = 0; i < plan->workloads; i++)
		parameter_values_free(plan->workload[i].workload, plan->workload[i].parameters);
	close_fd(&plan->scratch);
	free(plan->scratch_name);
	free(plan->target);
	free(plan->workload);
	*plan = (struct run_plan)RUN_PLAN_EMPTY;
}
