// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_notes.h"

#include <string.h>

#include "core/text.h"
#include "report/wrap.h"

static bool same_target(const struct measurement *a, const struct measurement *b)
{
	return strcmp(a->target, b->target) == 0;
}

static bool same_message(const struct finding *a, const struct finding *b)
{
	return strcmp(a->message ?: "", b->message ?: "") == 0;
}

/* As a reason somewhere in the report, or as a note further up; figures differ by round. */
static bool said(const struct result *result, const struct measurement *m, const struct finding *f)
{
	const struct measurement *end = result->measurement + result->measurements;

	for (const struct measurement *o = result->measurement; o < end; o++)
		for (size_t i = 0; i < o->findings.count; i++) {
			const struct finding *other = &o->findings.item[i];
			bool before = o < m || (o == m && other < f);

			if (other->kind == f->kind &&
				(same_target(o, m) || same_message(other, f)) &&
				(other->severity != SEVERITY_NOTE || before))
				return true;
		}
	return false;
}

/* A word about one of several targets names it, unless it holds for all of them. */
static bool only_here(
	const struct result *result, const struct measurement *m, const struct finding *f)
{
	const struct measurement *end = result->measurement + result->measurements;
	bool other_target = false;

	for (const struct measurement *o = result->measurement; o < end; o++) {
		if (same_target(o, m))
			continue;
		other_target = true;
		for (size_t i = 0; i < o->findings.count; i++)
			if (o->findings.item[i].kind == f->kind &&
				same_message(&o->findings.item[i], f))
				return false;
	}
	return other_target;
}

void text_notes(FILE *out, const struct result *result)
{
	const struct measurement *end = result->measurement + result->measurements;

	for (const struct measurement *m = result->measurement; m < end; m++)
		for (size_t i = 0; i < m->findings.count; i++) {
			const struct finding *f = &m->findings.item[i];
			_cleanup_free_ char *text = NULL;
			bool here;

			if (f->severity != SEVERITY_NOTE || said(result, m, f))
				continue;
			here = only_here(result, m, f);
			text = xasprintf("%s%s%s: %s", f->kind->head.id, here ? " on " : "",
				here ? m->target : "",
				f->message ? f->message : f->kind->head.summary);
			wrap_print(out, "  note  ", 8, text);
		}
}
