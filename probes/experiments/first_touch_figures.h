/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FIRST_TOUCH_FIGURES_H
#define IOPROOF_FIRST_TOUCH_FIGURES_H

/* What pairs of a first touch and a re-touch say. Pure. */

#include "model/experiments.h"

struct touch_pair {
	uint64_t first_ns, again_ns;
	size_t place; /* of the first, as they lie on the disk */
};

struct touch_figures {
	struct first_touch_region region;
	uint64_t again_p95_ns, again_median_ns;
};

/*
 * The ratio is that of the pairs: the exponential of the median of the log ratios, with the
 * order-statistic interval of that median; without one (fewer than STATS_INTERVAL_MIN pairs) from 0
 * to infinity. pairs > 0.
 */
void first_touch_figures(const struct touch_pair *pair, size_t pairs, struct touch_figures *ret);

/*
 * The same for up to FIRST_TOUCH_REGIONS parts of the disk with as many pairs each: at least
 * TOUCH_REGION_PAIRS where that leaves two parts. Sorts the pairs. Returns the number of parts: 0
 * for fewer than TOUCH_PAIRS_LEAST pairs.
 */
#define TOUCH_REGION_PAIRS 40
#define TOUCH_PAIRS_LEAST 48
unsigned first_touch_regions(
	struct touch_pair *pair, size_t pairs, struct first_touch_region ret[FIRST_TOUCH_REGIONS]);

#endif
