// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "stats/stats.h"

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *sorted_copy(const double *value, size_t count)
{
	double *copy = xreallocarray(NULL, count, sizeof(*copy));

	memcpy(copy, value, count * sizeof(*copy));
	qsort(copy, count, sizeof(*copy), compare_doubles);
	return copy;
}

double stats_median(const double *value, size_t count)
{
	_cleanup_free_ double *sorted = sorted_copy(value, count);
	size_t middle = count / 2;

	if (count % 2)
		return sorted[middle];
	return sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
}

/*
 * The interval from rank k to n + 1 - k misses the median when fewer than k of n fair coins fall on
 * one side: 2 P(X <= k - 1). Terms are added as logarithms, because 2^-n leaves a double at n 1075.
 */
int stats_median_ranks(size_t count, double confidence, size_t *low, size_t *high)
{
	const long double rounding = 1e-12L; /* a coverage that equals the confidence is enough */
	long double term = -(long double)count * logl(2), tail = 0;
	size_t rank = 0;

	while (rank < (count + 1) / 2) {
		tail += expl(term);
		if (1 - 2 * tail < (long double)confidence - rounding)
			break;
		term += logl((long double)(count - rank)) - logl((long double)(rank + 1));
		rank++;
	}
	if (rank == 0)
		return -ENODATA;
	*low = rank;
	*high = count + 1 - rank;
	return 0;
}

int stats_median_interval(
	const double *value, size_t count, double confidence, double *low, double *high)
{
	_cleanup_free_ double *sorted = NULL;
	size_t first, last;
	int r;

	r = stats_median_ranks(count, confidence, &first, &last);
	if (r < 0)
		return r;
	sorted = sorted_copy(value, count);
	*low = sorted[first - 1];
	*high = sorted[last - 1];
	return 0;
}

double stats_spread(const double *value, size_t count)
{
	double smallest = value[0], largest = value[0], median = stats_median(value, count);

	for (size_t i = 1; i < count; i++) {
		smallest = fmin(smallest, value[i]);
		largest = fmax(largest, value[i]);
	}
	if (largest == smallest)
		return 0;
	return median == 0 ? INFINITY : (largest - smallest) / median;
}
