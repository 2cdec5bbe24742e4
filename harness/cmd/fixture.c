// SPDX-License-Identifier: GPL-2.0-or-later
/* `ioproof fixture`: filesystems that stay when the command ends. */
#include <string.h>

#include "cmd/command.h"
#include "cmd/fixture_list.h"
#include "cmd/fixture_up.h"
#include "core/text.h"
#include "report/json.h"

static void say_aside(void *context, const char *text)
{
	complain("%s", text);
}

static void say_out(void *context, const char *text)
{
	_cleanup_free_ char *safe = text_terminal(text);

	puts(safe);
}

/* Each is tried; what fails is said. */
static int down(const struct sysroot *root, const struct fixture_options *o, struct error *error)
{
	const struct lasting_voice voice = { say_aside, NULL };
	struct error why;
	int r = 0;

	for (size_t i = 0; i < o->count; i++) {
		int one = lasting_down(root, o->name[i], &voice, &why);

		if (one == 0)
			continue;
		if (r < 0)
			complain("%s", error->text);
		*error = why;
		r = one;
	}
	return r;
}

static int write_json(const char *path, json_t *document, struct error *error)
{
	_cleanup_file_ FILE *file = NULL;
	FILE *out = stdout;
	int r;

	if (strcmp(path, "-") != 0)
		out = file = fopen(path, "we");
	if (!out) {
		r = -errno;
		json_decref(document);
	} else {
		r = document_write(document, out);
	}
	return r < 0 ? error_set(error, -r, "--json %s: %s", path, strerror(-r)) : 0;
}

static int list(const struct sysroot *root, const struct fixture_options *o, struct error *error)
{
	struct lasting *list = NULL;
	size_t count = 0;
	bool partial;
	int r = lasting_list(root, &list, &count, &partial, error);

	if (r < 0)
		return r;
	if (!o->json || strcmp(o->json, "-") != 0)
		fixtures_table(stdout, list, count);
	if (o->json)
		r = write_json(o->json, fixtures_document(list, count, partial), error);
	if (partial) {
		fflush(stdout);
		complain("only root can read what was noted of fixtures (sudo); this is what the "
			 "mount table shows");
	}
	lasting_free(list, count);
	return r;
}

static int act(const struct sysroot *root, const struct fixture_options *o, struct error *error)
{
	const struct lasting_voice aside = { say_aside, NULL }, out = { say_out, NULL };

	switch (o->action) {
	case FIXTURE_UP:
		return fixture_up(root, o, &aside, error);
	case FIXTURE_DOWN:
		return down(root, o, error);
	case FIXTURE_LIST:
		return list(root, o, error);
	default:
		return lasting_gc(root, &out, error);
	}
}

static int command_run(int argc, char **argv);

static const struct command fixture = {
	.head = { "fixture", 30, "Builds filesystems that stay, and takes them down" },
	.synopsis = "up [OPTION]... NAME SPEC [NAME SPEC]... | down NAME... | list | gc",
	.help = "  up NAME SPEC ...     builds all at once, as `run --fs` does, and mounts each "
		"on\n"
		"                       /run/ioproof/NAME/mount; prints the mount points\n"
		"    --scratch DIR      where images lie (default: the current directory)\n"
		"    --force            let images take more than 80 % of what is free\n"
		"    --progress=plain   progress on stderr, one line an event\n"
		"  down NAME ...        unmounts; with it go the loop devices and the unnamed\n"
		"                       images. In use: says by whom, and leaves it\n"
		"  list                 what there is: up, building, dead (not mounted any more),\n"
		"                       foreign (not what was built; never touched)\n"
		"    --json FILE|-      write the document (- : alone on stdout)\n"
		"  gc                   removes what dead fixtures left\n"
		"  -h, --help           this text\n\n"
		"A reboot or umount(8) gives back everything as well; `gc` then clears the "
		"note.\n\n"
		"Examples:\n"
		"  ioproof fixture up data ext4:noatime,SIZE=2G\n"
		"  ioproof fixture up a ext4 b btrfs:+C c xfs --scratch /srv\n"
		"  install -d -o USER /run/ioproof/data/mount/USER   # it belongs to root\n"
		"  ioproof run --on /run/ioproof/data/mount\n"
		"  ioproof fixture down data\n\n"
		"Exit status: 0 done, 1 failed, 2 usage.\n",
	.run = command_run,
};
REGISTER(commands, fixture);

static int command_run(int argc, char **argv)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	struct fixture_options options = { 0 };
	struct error error = { .text = "" };
	int r = fixture_options_parse(argc, argv, &options, &error);

	if (r == 1) {
		command_help(&fixture);
		return EXIT_TRUSTED;
	}
	if (r < 0) {
		complain("%s", error.text);
		return EXIT_USAGE;
	}
	r = sysroot_open(NULL, &root, &error);
	if (r == 0)
		r = act(&root, &options, &error);
	fflush(stdout);
	if (r < 0)
		complain("%s", error.text[0] ? error.text : strerror(-r));
	fixture_options_free(&options);
	return r < 0 ? EXIT_FAILED : EXIT_TRUSTED;
}
