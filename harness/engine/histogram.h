/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_HISTOGRAM_H
#define IOPROOF_HISTOGRAM_H

/*
 * Latencies in logarithmic buckets: 64 an octave, from 1 ns to 2^40 ns (18 minutes). A percentile
 * is within 0.8 % of the true value (half a bucket). What lies above is counted as overflow, never
 * moved into the last bucket.
 */

#include "core/base.h"

#define HISTOGRAM_SUB_BITS 6
#define HISTOGRAM_OCTAVES 40
#define HISTOGRAM_BUCKETS ((HISTOGRAM_OCTAVES - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t count;
	uint64_t overflow;
	uint64_t min, max; /* exact */
	uint64_t bucket[HISTOGRAM_BUCKETS];
};

/* Index of a value below 2^HISTOGRAM_OCTAVES; values below 64 have a bucket each. */
static inline unsigned histogram_index(uint64_t ns)
{
	unsigned shift;

	if (ns < (1U << HISTOGRAM_SUB_BITS))
		return (unsigned)ns;
	shift = 63U - (unsigned)__builtin_clzll(ns) - HISTOGRAM_SUB_BITS;
	return ((shift + 1) << HISTOGRAM_SUB_BITS) + (unsigned)(ns >> shift) -
		(1U << HISTOGRAM_SUB_BITS);
}

static inline void histogram_insert(struct histogram *h, uint64_t ns)
{
	h->count++;
	if (ns < h->min)
		h->min = ns;
	if (ns > h->max)
		h->max = ns;
	if (ns >> HISTOGRAM_OCTAVES)
		h->overflow++;
	else
		h->bucket[histogram_index(ns)]++;
}

void histogram_reset(struct histogram *h);
/*
 * The value below which a share q (0 < q < 1) of the samples lies, as the middle of its bucket.
 * -ENODATA: too few samples for it: fewer than ln(0.05)/ln(q), where not even the largest one
 * bounds it with 95 % (299 for p99); -ERANGE: it lies in the overflow.
 */
int histogram_percentile(const struct histogram *h, double q, uint64_t *ret);

#endif
