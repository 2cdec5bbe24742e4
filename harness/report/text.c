// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text.h"

#include <inttypes.h>
#include <string.h>

#include "core/text.h"
#include "report/text_notes.h"
#include "report/wrap.h"

#define FINDING_INDENT 6

/* Rates in MB/s: fewer digits the larger they are. */
static char *rate(double bytes_per_s)
{
	double mb = bytes_per_s / 1e6;

	return text_grouped(mb, mb < 10 ? 2 : mb < 100 ? 1 : 0);
}

static char *value_text(const struct measurement *m, double value)
{
	return strcmp(m->unit, "B/s") == 0 ? rate(value) : text_grouped(value, value < 100);
}

/* "trusted, down to vda", "trusted, page cache", "flagged", "REFUSED". */
static char *verdict_text(const struct measurement *m, const struct stack *stack)
{
	_cleanup_free_ char *horizon = stack_horizon_name(stack);

	if (m->verdict == VERDICT_REFUSED)
		return xstrdup("REFUSED");
	if (m->verdict == VERDICT_FLAGGED)
		return xstrdup("flagged");
	if (m->claim == CLAIM_PAGE_CACHE_READ)
		return xstrdup("trusted, page cache");
	return xasprintf("trusted, down to %s", horizon ? horizon : "(nothing)");
}

static void row(
	FILE *out, const struct measurement *m, const struct stack *stack, bool show_refused)
{
	_cleanup_free_ char *median = value_text(m, m->median), *low = value_text(m, m->low);
	_cleanup_free_ char *high = value_text(m, m->high), *verdict = verdict_text(m, stack);
	_cleanup_free_ char *safe = text_terminal(verdict), *interval = NULL;
	bool withheld = m->verdict == VERDICT_REFUSED && !show_refused;

	interval = m->has_interval && !withheld ? xasprintf("%s - %s", low, high) : xstrdup("-");
	if (withheld)
		fprintf(out, "  %-10s %9s  %17s  %6s   %s\n", m->case_id, "-", interval, "-", safe);
	else
		fprintf(out, "  %-10s %9s  %17s  %4.0f %%   %s%s\n", m->case_id, median, interval,
			m->spread * 100, safe,
			m->verdict == VERDICT_REFUSED ? " (shown on request)" : "");
}

/* What a kind means and how to lift it is said once a report, its figures each time. */
static void finding(FILE *out, const struct finding *f, size_t samples, bool explain, bool remedy)
{
	_cleanup_free_ char *text = xasprintf(
		"%s: %s", f->kind->head.id, f->message ? f->message : f->kind->head.summary);

	wrap_print(out, "    ", FINDING_INDENT, text);
	if (f->rounds && f->rounds < samples)
		fprintf(out, "%*s(in %u of %zu rounds)\n", FINDING_INDENT, "", f->rounds, samples);
	if (!explain)
		return;
	if (f->message)
		wrap_print(out, "      ", FINDING_INDENT, f->kind->head.summary);
	if (f->remedy && remedy)
		wrap_print(out, "      Fix: ", FINDING_INDENT + 2, f->remedy);
}

static bool said_before(
	const struct result *result, const struct measurement *m, const struct finding *f)
{
	for (const struct measurement *o = result->measurement; o < m; o++)
		for (size_t i = 0; i < o->findings.count; i++)
			if (o->findings.item[i].kind == f->kind &&
				o->findings.item[i].severity != SEVERITY_NOTE)
				return true;
	return false;
}

/* The reasons for a verdict stand under its row, the gravest first; notes wait for the end.
 * Remedies that would not help are left out. */
static void reasons(FILE *out, const struct result *result, const struct measurement *m)
{
	const struct finding *settling = findings_settling(&m->findings);

	for (int severity = SEVERITY_REFUSE; severity > SEVERITY_NOTE; severity--)
		for (size_t i = 0; i < m->findings.count; i++) {
			const struct finding *f = &m->findings.item[i];

			if ((int)f->severity == severity)
				finding(out, f, m->samples, !said_before(result, m, f),
					!settling || f->kind == settling->kind);
		}
}

static bool same_table(const struct measurement *a, const struct measurement *b)
{
	return a->workload == b->workload && strcmp(a->target, b->target) == 0 &&
		json_equal(a->parameters, b->parameters);
}

static char *parameters_text(const struct measurement *m)
{
	char *text = xstrdup("");
	const char *key;
	json_t *value;

	json_object_foreach(m->parameters, key, value) {
		char *number = json_is_integer(value)
			? text_bytes((uint64_t)json_integer_value(value))
			: xstrdup(json_string_value(value));
		char *longer = xasprintf("%s, %s %s", text, key, number);

		free(number);
		free(text);
		text = longer;
	}
	return text;
}

static void heading(FILE *out, const struct result *result, const struct measurement *m)
{
	_cleanup_free_ char *parameters = parameters_text(m), *line = NULL;

	line = xasprintf("%s on %s%s, %zu round%s, seed %" PRIu64, m->workload, m->target,
		parameters, m->samples, m->samples == 1 ? "" : "s", result->seed);
	fputc('\n', out);
	wrap_print(out, "", 2, line);
	fprintf(out, "  %-10s %9s  %17s  %6s   %s\n", "case",
		strcmp(m->unit, "B/s") == 0 ? "MB/s" : m->unit, "95 % interval", "spread",
		"verdict");
}

static const struct stack *stack_of(const struct result *result, const char *target)
{
	static const struct stack none;

	for (size_t i = 0; i < result->targets; i++)
		if (strcmp(result->target[i].id, target) == 0)
			return &result->target[i].stack;
	return &none;
}

static size_t table(
	FILE *out, const struct result *result, const struct measurement *first, bool show_refused)
{
	const struct measurement *end = result->measurement + result->measurements;
	const struct measurement *m = first;

	heading(out, result, first);
	for (; m < end && same_table(first, m); m++) {
		row(out, m, stack_of(result, m->target), show_refused);
		reasons(out, result, m);
	}
	return (size_t)(m - first);
}

/* EINVAL is what a disk says, and no error of the run. */
static const char *check_meaning(const struct check *c)
{
	static const struct {
		const char *answer, *meaning;
	} meanings[] = {
		{ "EINVAL", "a misaligned O_DIRECT read is refused, as a disk refuses it" },
		{ "success", "a misaligned O_DIRECT read succeeds; a disk would refuse it" },
		{ "short", "a misaligned O_DIRECT read gets a part; a disk would refuse it" },
		{ "mixed", "by address, length and offset the answers differ: --json shows each" },
	};

	for (size_t i = 0; strcmp(c->check, "misaligned") == 0 && i < ARRAY_SIZE(meanings); i++)
		if (strcmp(c->answer, meanings[i].answer) == 0)
			return meanings[i].meaning;
	return NULL;
}

static void check_lines(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->checks; i++) {
		const struct check *c = &result->check[i];
		const char *meaning = check_meaning(c);
		_cleanup_free_ char *line = xasprintf("%s on %s: %s%s%s%s", c->check, c->target,
			c->answer, meaning ? " (" : "", meaning ? meaning : "", meaning ? ")" : "");

		wrap_print(out, "  check ", 8, line);
	}
}

static void missing_lines(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->missings; i++) {
		const struct missing *m = &result->missing[i];
		_cleanup_free_ char *line =
			xasprintf("%s %s on %s: %s", m->workload, m->case_id, m->target, m->reason);

		wrap_print(out, "  not measured  ", 4, line);
	}
}

void text_result(FILE *out, const struct result *result, bool show_refused)
{
	bool refused = false;

	for (size_t i = 0; i < result->measurements;)
		i += table(out, result, &result->measurement[i], show_refused);
	for (size_t i = 0; i < result->measurements; i++)
		refused |= result->measurement[i].verdict == VERDICT_REFUSED;
	if (result->measurements)
		fputc('\n', out);
	text_notes(out, result);
	check_lines(out, result);
	missing_lines(out, result);
	if (refused && !show_refused)
		fputs("  (refused values are withheld; --show-refused prints them)\n", out);
	if (!result->complete)
		fputs("  The run is incomplete; what was measured stands above.\n", out);
}
