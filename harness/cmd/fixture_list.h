/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FIXTURE_LIST_H
#define IOPROOF_FIXTURE_LIST_H

/* `ioproof fixture list`: a table, and the document ioproof.fixtures/1. */

#include <jansson.h>

#include "fixtures/lasting.h"

#define FIXTURES_SCHEMA "ioproof.fixtures/1"

/* A new reference; never NULL. `partial`: without the right to read the notes. */
json_t *fixtures_document(const struct lasting *list, size_t count, bool partial);
/* One line a fixture, and its reason below. */
void fixtures_table(FILE *out, const struct lasting *list, size_t count);

#endif
