// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_probe.h"

#include "report/json_part.h"

static json_t *claims_document(const struct licence *licence)
{
	json_t *array = json_array();

	for (int c = 0; c < CLAIM_COUNT; c++) {
		json_t *object = json_object();

		json_set(object, "claim", json_text(claim_name((enum claim)c)));
		json_set(object, "verdict", json_text(verdict_name(licence->claim[c].verdict)));
		json_set(object, "findings", findings_document(&licence->claim[c].findings));
		json_array_append_new(array, object);
	}
	return array;
}

/* The answer, and under "..._at" the layer that it is about. */
static void set_direct(json_t *document, const char *key, const struct experiments *experiments,
	const struct claim_licence *claim, bool write)
{
	_cleanup_free_ char *at = xasprintf("%s_at", key);
	const char *layer;
	enum direct_answer answer = licence_direct_answer(experiments, claim, write, &layer);

	json_set(document, key, json_text(direct_answer_name(answer)));
	json_set(document, at, json_text(layer));
}

json_t *probe_document(const struct environment *environment, const struct target_report *target,
	const struct licence *licence)
{
	json_t *document = json_object(), *tool = json_object(), *targets = json_array();
	const struct experiments *experiments = target->experiments;
	const struct claim_licence *claim = licence->claim;

	json_set(tool, "name", json_text("ioproof"));
	json_set(tool, "version", json_text(IOPROOF_VERSION));
	json_array_append_new(targets, target_document(target));
	json_set(document, "schema", json_text(PROBE_SCHEMA));
	json_set(document, "tool", tool);
	json_set(document, "environment", environment_document(environment));
	json_set(document, "targets", targets);
	set_direct(document, "direct_reads", experiments, &claim[CLAIM_DEVICE_READ], false);
	set_direct(document, "direct_writes", experiments, &claim[CLAIM_DEVICE_WRITE], true);
	json_set(document, "claims", claims_document(licence));
	return document;
}
