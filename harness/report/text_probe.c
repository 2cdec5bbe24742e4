// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_probe.h"

#include <string.h>

#include "core/text.h"
#include "report/wrap.h"

#define LABEL_WIDTH 15

static void line(FILE *out, const char *label, const char *fmt, ...) PRINTF(3, 4);

static void line(FILE *out, const char *label, const char *fmt, ...)
{
	char lead[64];
	_cleanup_free_ char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	snprintf(lead, sizeof(lead), "  %-*s", LABEL_WIDTH - 2, label);
	wrap_print(out, lead, LABEL_WIDTH, text);
}

static char *misaligned_text(int result)
{
	if (result == DIRECT_MISALIGNED_SHORT)
		return xstrdup("a misaligned read gets a part");
	if (result == 0)
		return xstrdup("a misaligned read succeeds");
	return xasprintf("a misaligned read is refused (%s)", strerrorname_np(result));
}

/* layer: where it was cached, or NULL. */
static char *direct_text(enum direct_answer answer, const char *layer)
{
	if (answer == DIRECT_CACHED_BELOW && layer)
		return xasprintf("answered by a cache at %s", layer);
	return xstrdup(answer == DIRECT_CACHED_BELOW ? "answered by a cache below"
			: answer == DIRECT_FALLBACK  ? "buffered"
			: answer == DIRECT_UNKNOWN   ? "cannot tell"
						     : direct_answer_name(answer));
}

static void direct_line(
	FILE *out, const struct experiments *e, const struct claim_licence claim[CLAIM_COUNT])
{
	const struct direct_experiment *d = &e->direct;
	const char *read_at, *write_at;
	enum direct_answer read =
		licence_direct_answer(e, &claim[CLAIM_DEVICE_READ], false, &read_at);
	enum direct_answer write =
		licence_direct_answer(e, &claim[CLAIM_DEVICE_WRITE], true, &write_at);
	_cleanup_free_ char *reads = direct_text(read, read_at);
	_cleanup_free_ char *writes = direct_text(write, write_at);
	_cleanup_free_ char *misaligned = misaligned_text(d->misaligned_read.address);

	if (!d->state.done)
		line(out, "O_DIRECT", "not tested: %s", d->state.why_not);
	else if (d->open_errno)
		line(out, "O_DIRECT", "unsupported: open says %s", strerror(d->open_errno));
	else
		line(out, "O_DIRECT", "reads %s, writes %s; %s", reads, writes, misaligned);
}

/* "loop0 32, vda 32" */
static char *flushes_text(const struct stack *stack, const struct ledger *ledger)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < stack->count && i < STACK_LAYERS_MAX; i++)
		if (ledger->layer[i].known && ledger->layer[i].flushes_known)
			text_append(&text, ", ", "%s %ju", stack->layer[i].name,
				(uintmax_t)ledger->layer[i].flushes);
	return text;
}

static void flush_line(FILE *out, const struct stack *stack, const struct flush_experiment *f)
{
	_cleanup_free_ char *fsync_time = text_duration(f->fsync_raw_ns), *seen = NULL;
	_cleanup_free_ char *fdatasync_time = text_duration(f->fdatasync_raw_ns);

	if (!f->state.done) {
		line(out, "fsync", "not tested: %s", f->state.why_not);
		return;
	}
	seen = flushes_text(stack, &f->fsync_raw);
	line(out, "fsync", "%s, fdatasync %s; %u syncs, %s%s", fsync_time, fdatasync_time, f->syncs,
		*seen ? "flushes seen: " : "no layer here counts flushes", seen);
}

static void elision_line(FILE *out, const struct elision_experiment *e)
{
	_cleanup_free_ char *size = text_bytes(e->size), *moved = text_bytes(e->moved_zeros);
	_cleanup_free_ char *stored = text_bytes(e->stored_zeros);

	if (!e->state.done)
		line(out, "zeros", "not tested: %s", e->state.why_not);
	else if (e->moved_known)
		line(out, "zeros", "%s written: %s moved, %s stored", size, moved, stored);
	else
		line(out, "zeros", "%s written: %s stored; no device to count", size, stored);
}

static void first_touch_line(FILE *out, const struct first_touch_experiment *f)
{
	_cleanup_free_ char *again = text_duration(f->retouch_median_ns);

	if (!f->state.done)
		line(out, "first touch", "cannot tell: %s", f->state.why_not);
	else
		line(out, "first touch",
			"%.2f times a second read (95 %%: %.2f - %.2f; second %s), %.1f %% far "
			"slower; %u pairs in %u places",
			f->ratio, f->ratio_low, f->ratio_high, again, f->slow_share * 100, f->pairs,
			f->regions);
}

static void flush_scaling_line(FILE *out, const struct flush_scaling_experiment *f)
{
	_cleanup_free_ char *text = xstrdup("");

	if (!f->state.done) {
		line(out, "flush time", "cannot tell: %s", f->state.why_not);
		return;
	}
	for (size_t i = 0; i < FLUSH_SCALING_STEPS; i++) {
		_cleanup_free_ char *time = text_duration(f->ns[i]), *before = text;

		text = f->ns[i] ? xasprintf("%s%s%s after %u MiB", before, *before ? ", " : "",
					  time, flush_scaling_mib[i])
				: xstrdup(before);
	}
	line(out, "flush time", "%s", text);
}

static char *adds_text(const struct cache_adds *adds)
{
	_cleanup_free_ char *beneath = NULL;

	if (!adds->known)
		return xstrdup("not known");
	beneath = adds->pages_elsewhere
		? xasprintf(" and %ju beneath", (uintmax_t)adds->pages_elsewhere)
		: xstrdup("");
	if (adds->folios && !adds->orders_known)
		return xasprintf("%ju folios%s", (uintmax_t)adds->folios, beneath);
	return xasprintf("%ju%s", (uintmax_t)adds->pages, beneath);
}

/* "vda 16", of those whose writes were seen. */
static char *fua_text(const struct stack *stack, const struct ledger *ledger)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < stack->count && i < STACK_LAYERS_MAX; i++)
		if (ledger->layer[i].fua_known)
			text_append(&text, ", ", "%s %ju", stack->layer[i].name,
				(uintmax_t)ledger->layer[i].fua_writes);
	return text;
}

/* Only where it was asked for. */
static void trace_line(FILE *out, const struct stack *stack, const struct experiments *e)
{
	_cleanup_free_ char *read = adds_text(&e->direct.read.adds);
	_cleanup_free_ char *write = adds_text(&e->direct.write.adds);
	_cleanup_free_ char *buffered = adds_text(&e->cached.write.adds);
	_cleanup_free_ char *fua = fua_text(stack, &e->flush.fsync_raw);

	if (!e->trace.state.done && e->trace.state.why_not && !e->trace.intervals)
		line(out, "traced", "nothing: %s", e->trace.state.why_not);
	if (!e->trace.intervals)
		return;
	line(out, "traced",
		"pages into the cache: direct reads %s, direct writes %s (buffered ones %s)%s%s",
		read, write, buffered, *fua ? "; FUA writes of the syncs: " : "", fua);
	if (e->trace.state.why_not)
		line(out, "", "not all of it: %s", e->trace.state.why_not);
}

/* One reason for all experiments is said once. */
static const char *nothing_tried(const struct experiments *e)
{
	const struct experiment_state *state[] = { &e->direct.state, &e->flush.state,
		&e->elision.state, &e->first_touch.state, &e->flush_scaling.state };

	for (size_t i = 0; i < ARRAY_SIZE(state); i++)
		if (state[i]->done || !state[i]->why_not ||
			strcmp(state[i]->why_not, state[0]->why_not) != 0)
			return NULL;
	return state[0]->why_not;
}

/* Presence can be shown, absence cannot; and a flush that costs nothing may need nothing. */
static const char *mode_limits(enum cache_mode mode)
{
	return mode == CACHE_MODE_BYPASSED
		? " (none was seen; one that holds all of the disk looks the same)"
		: mode == CACHE_MODE_FLUSH_IGNORED
		? " (or not needed: it takes no longer after 64 MiB than after none)"
		: "";
}

void text_experiments(FILE *out, const struct stack *stack, const struct experiments *experiments,
	const struct licence *licence)
{
	const enum cache_mode mode = cache_mode_classify(experiments);
	const struct claim_licence *claim = licence->claim;
	const char *why = nothing_tried(experiments);

	fputc('\n', out);
	if (why) {
		_cleanup_free_ char *text = xasprintf("nothing was tried: %s", why);

		wrap_print(out, "  ", 4, text);
		return;
	}
	direct_line(out, experiments, claim);
	flush_line(out, stack, &experiments->flush);
	if (experiments->trace.asked)
		trace_line(out, stack, experiments);
	elision_line(out, &experiments->elision);
	first_touch_line(out, &experiments->first_touch);
	flush_scaling_line(out, &experiments->flush_scaling);
	line(out, "cache below", "%s%s", cache_mode_name(mode), mode_limits(mode));
	if (experiments->empirical.device)
		line(out, "moved bytes", "%s", experiments->empirical.device);
}

/* A note says its kind once; a reason again where its figures differ. */
static bool said(const struct licence *licence, int claim, const struct finding *f)
{
	for (int c = 0; c < CLAIM_COUNT; c++)
		for (size_t i = 0; i < licence->claim[c].findings.count; i++) {
			const struct finding *other = &licence->claim[c].findings.item[i];
			bool before = c < claim || (c == claim && other < f);

			if (other->kind != f->kind)
				continue;
			if (f->severity == SEVERITY_NOTE
					? before || other->severity != SEVERITY_NOTE
					: before && other->severity != SEVERITY_NOTE &&
						strcmp(other->message ?: "", f->message ?: "") == 0)
				return true;
		}
	return false;
}

static bool remedy_said(const struct licence *licence, int claim, const struct finding *f)
{
	for (int c = 0; c < claim; c++)
		for (size_t i = 0; i < licence->claim[c].findings.count; i++) {
			const struct finding *other = &licence->claim[c].findings.item[i];

			if (other->kind == f->kind && other->severity != SEVERITY_NOTE &&
				strcmp(other->remedy ?: "", f->remedy ?: "") == 0)
				return true;
		}
	return false;
}

static void finding_lines(
	FILE *out, const struct licence *licence, int claim, enum severity severity)
{
	const struct findings *findings = &licence->claim[claim].findings;
	const struct finding *settling = findings_settling(findings);

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->item[i];
		_cleanup_free_ char *text = NULL;

		if (f->severity != severity || said(licence, claim, f))
			continue;
		text = xasprintf("%s: %s", f->kind->head.id,
			f->message ? f->message : f->kind->head.summary);
		wrap_print(out, f->severity == SEVERITY_NOTE ? "  note  " : "  ", 8, text);
		if (f->severity != SEVERITY_NOTE && f->remedy && !remedy_said(licence, claim, f) &&
			(!settling || settling->kind == f->kind))
			wrap_print(out, "        Fix: ", 8, f->remedy);
	}
}

/* The gravest finding stands beside the verdict, the figures of each below the table. */
void text_licence(FILE *out, const struct licence *licence)
{
	static const char *const word[] = { "trusted", "flagged", "REFUSED" };
	const char *example = NULL;

	fputc('\n', out);
	for (int c = 0; c < CLAIM_COUNT; c++) {
		const struct finding *worst = findings_gravest(&licence->claim[c].findings);

		if (worst)
			fprintf(out, "  %-17s %-9s %s\n", claim_name((enum claim)c),
				word[licence->claim[c].verdict], worst->kind->head.id);
		else
			fprintf(out, "  %-17s %s\n", claim_name((enum claim)c),
				word[licence->claim[c].verdict]);
		if (worst && (!example || worst->severity == SEVERITY_REFUSE))
			example = worst->kind->head.id;
	}
	fputc('\n', out);
	for (int severity = SEVERITY_REFUSE; severity >= SEVERITY_NOTE; severity--)
		for (int c = 0; c < CLAIM_COUNT; c++)
			finding_lines(out, licence, c, (enum severity)severity);
	if (example)
		fprintf(out, "\nWhat a finding means:   ioproof explain %s\n", example);
}
