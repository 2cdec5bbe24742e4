// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/fixture_list.h"

#include <string.h>

#include "core/text.h"
#include "report/json_part.h"
#include "report/wrap.h"

static json_t *loops_document(const struct lasting_state *state)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < state->loops; i++)
		json_array_append_new(array, json_text(state->loop[i].name));
	return array;
}

static json_t *fixture_document(const struct lasting *l)
{
	const bool built = l->noted && l->state.loops;
	json_t *object = json_object();

	json_set(object, "name", json_text(l->name));
	json_set(object, "state", json_text(lasting_status_name(l->status)));
	json_set(object, "reason", json_text(l->reason));
	json_set(object, "mount_point", json_text(l->mount_point));
	json_set(object, "spec", json_text(l->state.spec));
	json_set(object, "filesystem", json_text(l->state.fstype));
	json_set(object, "label", json_text(l->state.label));
	json_set(object, "uuid", json_text(l->state.uuid));
	json_set(object, "scratch", json_text(l->state.scratch));
	json_set(object, "size_bytes", built ? json_count(l->state.size) : json_null());
	json_set(object, "loops", loops_document(&l->state));
	json_set(object, "started_at",
		l->noted ? json_count((uint64_t)l->state.started_at) : json_null());
	return object;
}

json_t *fixtures_document(const struct lasting *list, size_t count, bool partial)
{
	json_t *document = json_object(), *tool = json_object(), *fixtures = json_array();

	json_set(document, "schema", json_text(FIXTURES_SCHEMA));
	json_set(tool, "name", json_text("ioproof"));
	json_set(tool, "version", json_text(IOPROOF_VERSION));
	json_set(document, "tool", tool);
	json_set(document, "complete", json_boolean(!partial));
	for (size_t i = 0; i < count; i++)
		json_array_append_new(fixtures, fixture_document(&list[i]));
	json_set(document, "fixtures", fixtures);
	return document;
}

/* The devices of one that is dead may be anyone's by now. */
static char *loops_text(const struct lasting *l)
{
	const unsigned shown = l->status == LASTING_DEAD ? 0 : l->state.loops;
	char *all = xstrdup(shown ? "" : "-");

	for (unsigned i = 0; i < shown; i++)
		text_append(&all, ",", "%s", l->state.loop[i].name);
	return all;
}

/* The widest of a column decides. */
struct widths {
	int name, loops;
};

static void table_line(FILE *out, const struct widths *w, const struct lasting *l)
{
	_cleanup_free_ char *loops = loops_text(l), *size = NULL, *spec = NULL;

	/* With DEVICES= there are as many images. */
	size = l->state.loops ? text_bytes(l->state.size * l->state.loops) : xstrdup("-");
	spec = text_terminal(l->state.spec ? l->state.spec : "-");
	fprintf(out, "%-*s  %-8s  %-*s  %-8s  %s\n", w->name, l->name,
		lasting_status_name(l->status), w->loops, loops, size, spec);
}

static struct widths widths_of(const struct lasting *list, size_t count)
{
	struct widths w = { (int)strlen("NAME"), (int)strlen("LOOP") };

	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *loops = loops_text(&list[i]);

		w.name = MAX(w.name, (int)strlen(list[i].name));
		w.loops = MAX(w.loops, (int)strlen(loops));
	}
	return w;
}

void fixtures_table(FILE *out, const struct lasting *list, size_t count)
{
	const struct widths w = widths_of(list, count);

	if (count)
		fprintf(out, "%-*s  %-8s  %-*s  %-8s  %s\n", w.name, "NAME", "STATE", w.loops,
			"LOOP", "SIZE", "SPEC");
	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *safe = text_terminal(list[i].mount_point);

		table_line(out, &w, &list[i]);
		if (list[i].status == LASTING_UP)
			fprintf(out, "  on %s\n", safe);
		if (list[i].reason)
			wrap_print(out, "  ", 2, list[i].reason);
	}
}
