/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_REPORT_JSON_PART_H
#define IOPROOF_REPORT_JSON_PART_H

/* Values of the result document: each returns a new reference, null for what is not known. */

#include <jansson.h>

#include "model/measurement.h"

json_t *json_text(const char *s);   /* valid UTF-8; NULL gives null */
json_t *json_count(uint64_t value); /* capped at 2^63 - 1 */
json_t *json_number(double value);  /* null for what JSON has no number for */
/* The key goes through UTF-8 as well. Takes the value. */
void json_set(json_t *object, const char *key, json_t *value);

json_t *stack_document(const struct stack *stack);
json_t *ledger_document(const struct ledger *ledger, const struct stack *stack);
/* Sums over all rounds; null where some round did not know. */
json_t *ledger_totals_document(const struct measurement *measurement, const struct stack *stack);

#endif
