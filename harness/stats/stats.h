/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_STATS_H
#define IOPROOF_STATS_H

/* Pure functions over samples: no clock, no file, no global. */

#include "core/base.h"
#include "core/random.h"

/* Fewest values for which the range of all of them covers the median with 95 %: 6. */
#define STATS_INTERVAL_MIN 6

/* count > 0. */
double stats_median(const double *value, size_t count);

/*
 * Ranks (from 1) of the narrowest symmetric order-statistic interval that covers the median with at
 * least `confidence` (binomial, p = 1/2; Conover, Practical Nonparametric Statistics, 3.2):
 * n = 6: 1-6, 10: 2-9, 20: 6-15 at 0.95. -ENODATA: no pair of ranks reaches it.
 */
int stats_median_ranks(size_t count, double confidence, size_t *low, size_t *high);
/* The values at those ranks. */
int stats_median_interval(
	const double *value, size_t count, double confidence, double *low, double *high);
/* (largest - smallest) / median; 0 for one value; infinite when the median is 0 and they differ. */
double stats_spread(const double *value, size_t count);

/*
 * Randomized complete block: the arms of one round in random order. order[] gets arms entries; the
 * same seed and round give the same order, whatever ran before.
 */
void schedule_round(uint64_t seed, unsigned round, unsigned *order, size_t arms);

#endif
