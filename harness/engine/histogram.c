// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/histogram.h"

#include <math.h>
#include <string.h>

void histogram_reset(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

/* The middle of the values that share a bucket. */
static uint64_t bucket_middle(unsigned index)
{
	unsigned shift = index >> HISTOGRAM_SUB_BITS;
	uint64_t low;

	if (shift == 0)
		return index;
	shift--;
	low = ((1ULL << HISTOGRAM_SUB_BITS) + (index & ((1U << HISTOGRAM_SUB_BITS) - 1))) << shift;
	return low + ((1ULL << shift) >> 1);
}

int histogram_percentile(const struct histogram *h, double q, uint64_t *ret)
{
	uint64_t rank, seen = 0;

	/* The largest of n samples exceeds the q-quantile with probability 1 - q^n. */
	if (h->count == 0 || (double)h->count < log(0.05) / log(q))
		return -ENODATA;
	rank = (uint64_t)ceil(q * (double)h->count);
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= rank) {
			*ret = MIN(MAX(bucket_middle(i), h->min), h->max);
			return 0;
		}
	}
	return -ERANGE;
}
