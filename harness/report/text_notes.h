/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TEXT_NOTES_H
#define IOPROOF_TEXT_NOTES_H

#include "model/measurement.h"

/* What need not worry anybody but should be known, each said once for the whole report. */
void text_notes(FILE *out, const struct result *result);

#endif
