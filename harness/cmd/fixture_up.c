// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/fixture_up.h"

#include <fcntl.h>
#include <string.h>

#include "cmd/run_ground.h"
#include "core/interrupt.h"
#include "fixtures/lasting_store.h"
#include "probes/stack/stack_probe.h"
#include "report/progress.h"

struct building {
	const struct fixture_options *options;
	struct progress progress;
};

static void on_build(
	void *context, size_t fixture, const char *phase, uint64_t done, uint64_t total)
{
	struct building *b = context;

	if (total)
		progress_show(&b->progress, false, "image: %ju of %ju MiB", (uintmax_t)(done / MIB),
			(uintmax_t)(total / MIB));
	else
		progress_show(&b->progress, true, "%s: %s", b->options->name[fixture], phase);
}

static int up(const struct sysroot *root, struct building *b, int scratch,
	const struct lasting_voice *voice, struct error *error)
{
	const struct fixture_options *o = b->options;
	const struct fixture_place place = { .fd = scratch, .name = o->scratch, .force = o->force };
	const struct fixture_progress progress = { on_build, b };
	struct lasting_wish wish[FIXTURE_ARGUMENTS_MAX];

	for (size_t i = 0; i < o->count; i++)
		wish[i] = (struct lasting_wish){ o->name[i], &o->spec[i] };
	return lasting_up(root, wish, o->count, &place, &progress, voice, error);
}

/* The measurements are made by others, who will not be told; so it is said before. */
static void judge_ground(const struct sysroot *root, const struct fixture_options *o, int scratch,
	const struct lasting_voice *voice)
{
	struct findings findings = { 0 };
	struct stack stack = { 0 };
	uint64_t need = 0;

	for (size_t i = 0; i < o->count; i++)
		need += fixture_spec_bytes(&o->spec[i]);
	if (stack_probe_fd(root, scratch, &stack, NULL) == 0)
		ground_judge(root, &stack, o->scratch, need, &findings);
	if (findings.count) {
		_cleanup_free_ char *text =
			xasprintf("%s: %s. Better: %s", findings.item[0].kind->head.id,
				findings.item[0].message, findings.item[0].remedy);

		voice->say(voice->context, text);
	}
	findings_free(&findings);
	stack_free(&stack);
}

int fixture_up(const struct sysroot *root, const struct fixture_options *options,
	const struct lasting_voice *voice, struct error *error)
{
	_cleanup_close_ int scratch = open(options->scratch, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct building b = { .options = options };
	int r;

	if (scratch < 0)
		return error_set(
			error, errno, "--scratch %s: %s", options->scratch, strerror(errno));
	judge_ground(root, options, scratch, voice);
	progress_init(&b.progress, options->progress);
	r = up(root, &b, scratch, voice, error);
	progress_clear(&b.progress);
	for (size_t i = 0; i < options->count && r == 0; i++)
		printf("/" LASTING_DIRECTORY "/%s/" LASTING_MOUNT "\n", options->name[i]);
	return r;
}
