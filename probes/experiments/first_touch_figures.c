// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/experiments/first_touch_figures.h"

#include <math.h>

#include "stats/stats.h"

static int compare_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void read_again(const struct touch_pair *pair, size_t pairs, struct touch_figures *ret)
{
	_cleanup_free_ uint64_t *again = xreallocarray(NULL, pairs, sizeof(*again));

	for (size_t i = 0; i < pairs; i++)
		again[i] = pair[i].again_ns;
	qsort(again, pairs, sizeof(*again), compare_ns);
	ret->again_median_ns = again[pairs / 2];
	ret->again_p95_ns = again[pairs * 95 / 100];
}

/* Readings of the clock may be equal: a read takes a nanosecond at least. */
static double log_ns(uint64_t ns)
{
	return log((double)MAX(ns, (uint64_t)1));
}

static void read_ratio(const struct touch_pair *pair, size_t pairs, struct first_touch_region *ret)
{
	_cleanup_free_ double *ratio = xreallocarray(NULL, pairs, sizeof(*ratio));
	double low = -INFINITY, high = INFINITY;

	for (size_t i = 0; i < pairs; i++)
		ratio[i] = log_ns(pair[i].first_ns) - log_ns(pair[i].again_ns);
	(void)stats_median_interval(ratio, pairs, 0.95, &low, &high);
	ret->ratio = exp(stats_median(ratio, pairs));
	ret->ratio_low = exp(low);
	ret->ratio_high = exp(high);
}

void first_touch_figures(const struct touch_pair *pair, size_t pairs, struct touch_figures *ret)
{
	size_t slow = 0, slow_again = 0;

	*ret = (struct touch_figures){ .region.pairs = (unsigned)pairs };
	read_again(pair, pairs, ret);
	read_ratio(pair, pairs, &ret->region);
	for (size_t i = 0; i < pairs; i++) {
		slow += pair[i].first_ns > 2 * ret->again_p95_ns;
		slow_again += pair[i].again_ns > 2 * ret->again_p95_ns;
	}
	ret->region.slow_share = (double)slow / (double)pairs;
	ret->region.slow_share_again = (double)slow_again / (double)pairs;
}

static int compare_places(const void *a, const void *b)
{
	const struct touch_pair *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

unsigned first_touch_regions(
	struct touch_pair *pair, size_t pairs, struct first_touch_region ret[FIRST_TOUCH_REGIONS])
{
	size_t parts = MAX(pairs / TOUCH_REGION_PAIRS, (size_t)2);

	if (pairs < TOUCH_PAIRS_LEAST)
		return 0;
	parts = MIN(parts, (size_t)FIRST_TOUCH_REGIONS);
	qsort(pair, pairs, sizeof(*pair), compare_places);
	for (size_t i = 0; i < parts; i++) {
		size_t from = pairs * i / parts, to = pairs * (i + 1) / parts;
		struct touch_figures figures;

		first_touch_figures(&pair[from], to - from, &figures);
		ret[i] = figures.region;
	}
	return (unsigned)parts;
}
