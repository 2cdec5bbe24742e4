/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_JSON_EXPERIMENTS_H
#define IOPROOF_JSON_EXPERIMENTS_H

#include <jansson.h>

#include "model/experiments.h"

/* What each experiment did and saw, as a target of a document carries it; a new reference. */
json_t *experiments_document(const struct experiments *experiments, const struct stack *stack);

#endif
