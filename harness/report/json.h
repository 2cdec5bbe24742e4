/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_REPORT_JSON_H
#define IOPROOF_REPORT_JSON_H

/*
 * The result document, `ioproof.result/1`; its schema is harness/manual/result.schema.json.
 *
 * Bytes, counts and nanoseconds are integers (capped at 2^63 - 1), rates are reals in base units.
 * What could not be known is null, never zero. Strings from outside are made valid UTF-8.
 * A refused measurement carries null where its numbers would be and no samples; they stand under
 * `withheld`, where no reader finds them by accident.
 */

#include <jansson.h>

#include "model/measurement.h"

#define RESULT_SCHEMA "ioproof.result/1"

/* A new reference; never NULL. */
json_t *result_document(const struct result *result);
/* Writes a document, which it takes, and a newline, and flushes. -EIO or what the stream said. */
int document_write(json_t *document, FILE *stream);

/* Parts, for other documents (`probe --json`); new references, never NULL. */
json_t *environment_document(const struct environment *environment);
json_t *target_document(const struct target_report *target);
json_t *findings_document(const struct findings *findings);

#endif
