// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/finding.h"

#include <string.h>

#include "core/text.h"

REGISTRY_DEFINE(findings, "findings");

struct finding *finding_add(struct findings *findings, const struct finding_kind *kind,
	enum severity severity, const char *layer)
{
	struct finding *finding;

	findings->item =
		xreallocarray(findings->item, findings->count + 1, sizeof(*findings->item));
	finding = &findings->item[findings->count++];
	*finding = (struct finding){
		.kind = kind,
		.severity = severity,
		.layer = xstrdup(layer),
		.message = xstrdup(kind->head.summary),
		.observed = json_object(),
		.remedy = xstrdup(kind->remedy),
	};
	return finding;
}

static void replace(char **text, const char *fmt, va_list ap)
{
	char *fresh = xvasprintf(fmt, ap);

	free(*text);
	*text = fresh;
}

void finding_message(struct finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	replace(&finding->message, fmt, ap);
	va_end(ap);
}

void finding_source(struct finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	replace(&finding->source, fmt, ap);
	va_end(ap);
}

void finding_remedy(struct finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	replace(&finding->remedy, fmt, ap);
	va_end(ap);
}

void finding_observe_u64(struct finding *finding, const char *key, uint64_t value)
{
	json_object_set_new(
		finding->observed, key, json_integer((json_int_t)MIN(value, (uint64_t)INT64_MAX)));
}

/* JSON has no infinity and no NaN: json_real() refuses them, and null stands for "no number". */
void finding_observe_real(struct finding *finding, const char *key, double value)
{
	json_t *number = json_real(value);

	json_object_set_new(finding->observed, key, number ? number : json_null());
}

void finding_observe_text(struct finding *finding, const char *key, const char *value)
{
	_cleanup_free_ char *clean = value ? text_utf8(value) : NULL;

	json_object_set_new(finding->observed, key, clean ? json_string(clean) : json_null());
}

static void finding_clear(struct finding *finding)
{
	free(finding->layer);
	free(finding->message);
	free(finding->source);
	free(finding->remedy);
	json_decref(finding->observed);
}

static struct finding finding_copy(const struct finding *from)
{
	return (struct finding){
		.kind = from->kind,
		.severity = from->severity,
		.layer = xstrdup(from->layer),
		.message = xstrdup(from->message),
		.observed = json_deep_copy(from->observed),
		.source = xstrdup(from->source),
		.remedy = xstrdup(from->remedy),
		.rounds = from->rounds,
	};
}

static bool same_place(const struct finding *a, const struct finding *b)
{
	if (strcmp(a->kind->head.id, b->kind->head.id) != 0)
		return false;
	if (!a->layer || !b->layer)
		return a->layer == b->layer;
	return strcmp(a->layer, b->layer) == 0;
}

static struct finding *find_same(struct findings *findings, const struct finding *wanted)
{
	for (size_t i = 0; i < findings->count; i++)
		if (same_place(&findings->item[i], wanted))
			return &findings->item[i];
	return NULL;
}

/* Afterwards `into` holds the finding, with the graver one's details. */
static struct finding *absorb(struct findings *into, const struct finding *from)
{
	struct finding *known = find_same(into, from);
	unsigned rounds;

	if (!known) {
		into->item = xreallocarray(into->item, into->count + 1, sizeof(*into->item));
		known = &into->item[into->count++];
		*known = finding_copy(from);
	} else if (from->severity > known->severity) {
		rounds = known->rounds;
		finding_clear(known);
		*known = finding_copy(from);
		known->rounds = rounds;
	}
	return known;
}

/* A round may say the same thing of the same layer twice; it is still one round. */
static bool said_before(const struct findings *findings, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (same_place(&findings->item[i], &findings->item[index]))
			return true;
	return false;
}

void findings_merge(struct findings *into, const struct findings *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct finding *known = absorb(into, &from->item[i]);

		if (!said_before(from, i))
			known->rounds++;
	}
}

void findings_append(struct findings *into, const struct findings *from)
{
	for (size_t i = 0; i < from->count; i++)
		absorb(into, &from->item[i]);
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		finding_clear(&findings->item[i]);
	free(findings->item);
	*findings = (struct findings){ 0 };
}

const struct finding *findings_find(const struct findings *findings, const char *id)
{
	for (size_t i = 0; i < findings->count; i++)
		if (strcmp(findings->item[i].kind->head.id, id) == 0)
			return &findings->item[i];
	return NULL;
}

const struct finding *findings_settling(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->item[i].kind->settles &&
			findings->item[i].severity == SEVERITY_REFUSE)
			return &findings->item[i];
	return NULL;
}

const struct finding *findings_gravest(const struct findings *findings)
{
	const struct finding *worst = NULL;

	for (size_t i = 0; i < findings->count; i++)
		if (!worst || findings->item[i].severity > worst->severity)
			worst = &findings->item[i];
	return worst && worst->severity > SEVERITY_NOTE ? worst : NULL;
}

enum verdict findings_verdict(const struct findings *findings)
{
	enum severity worst = SEVERITY_NOTE;

	for (size_t i = 0; i < findings->count; i++)
		worst = MAX(worst, findings->item[i].severity);
	switch (worst) {
	case SEVERITY_REFUSE:
		return VERDICT_REFUSED;
	case SEVERITY_FLAG:
		return VERDICT_FLAGGED;
	case SEVERITY_NOTE:
		break;
	}
	return VERDICT_TRUSTED;
}

const char *severity_name(enum severity severity)
{
	static const char *const name[] = { "note", "flag", "refuse" };

	return name[severity];
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const name[] = { "trusted", "flagged", "refused" };

	return name[verdict];
}
