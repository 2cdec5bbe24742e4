/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_JSON_PROBE_H
#define IOPROOF_JSON_PROBE_H

/* `ioproof.probe/1`: environment, one target, its experiments and claims (probe.schema.json). */

#include "engine/licence.h"
#include "report/json.h"

#define PROBE_SCHEMA "ioproof.probe/1"

/* All new references, never NULL. */
json_t *probe_document(const struct environment *environment, const struct target_report *target,
	const struct licence *licence);

#endif
