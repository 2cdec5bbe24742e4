/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_CONCLUDE_H
#define IOPROOF_CONCLUDE_H

/* From samples to a measurement: summary, findings of all rounds, verdict. Pure. */

#include "model/measurement.h"

/*
 * Fills median, interval, spread, findings and verdict of every measurement, then the result's.
 * Measurements without samples are dropped, and make the result incomplete.
 */
int conclude(struct result *result);

#endif
