// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "rules/below_horizon.h"
#include "rules/rules.h"

/* Counts of rare events differ by more than TOUCH_SLOW_SIGMAS of their difference's deviation. */
static bool far_more_slow(const struct first_touch_region *region)
{
	double first = region->slow_share * region->pairs;
	double again = region->slow_share_again * region->pairs;

	return first - again > TOUCH_SLOW_SIGMAS * sqrt(first + again);
}

bool touch_region_shows(const struct first_touch_region *region)
{
	if (region->pairs < TOUCH_PAIRS_MIN)
		return false;
	return region->ratio_low > TOUCH_RATIO_CACHED ||
		(region->slow_share >= TOUCH_SLOW_SHARE_CACHED && far_more_slow(region));
}

static bool touch_is_even(const struct first_touch_experiment *touch)
{
	return touch->pairs >= TOUCH_PAIRS_EVEN_MIN && touch->ratio_high < TOUCH_RATIO_CACHED &&
		touch->slow_share < TOUCH_SLOW_SHARE_CACHED;
}

enum touch_answer touch_answer_of(const struct first_touch_experiment *touch)
{
	unsigned shown = 0, regions = MIN(touch->regions, (unsigned)FIRST_TOUCH_REGIONS);

	if (!touch->state.done)
		return TOUCH_UNKNOWN;
	for (unsigned i = 0; i < regions; i++)
		shown += touch_region_shows(&touch->region[i]);
	if (shown >= TOUCH_REGIONS_MIN)
		return TOUCH_CACHED;
	if (shown == 1)
		return TOUCH_ONE_REGION;
	return regions >= TOUCH_REGIONS_MIN && touch_is_even(touch) ? TOUCH_EVEN : TOUCH_UNKNOWN;
}

bool read_cache_shown(const struct first_touch_experiment *touch)
{
	return touch_answer_of(touch) == TOUCH_CACHED && touch->device_virtual &&
		!touch->may_hydrate;
}

/* Noise only ever adds: the fastest of the steps is nearest to what a flush costs anyway. */
static uint64_t fastest(const uint64_t ns[FLUSH_SCALING_STEPS])
{
	uint64_t least = ns[0];

	for (unsigned i = 1; i < FLUSH_SCALING_STEPS; i++)
		least = MIN(least, ns[i]);
	return least;
}

/*
 * All steps together: 16 MiB cost a part of what 64 MiB did, and less data not much. One slow
 * flush, or several in a row on a busy machine, seldom look like that.
 */
static bool steps_grow(const uint64_t ns[FLUSH_SCALING_STEPS], uint64_t base)
{
	static const double min[] = { FLUSH_GROWTH_MIN }, max[] = { FLUSH_GROWTH_MAX };
	const uint64_t whole = ns[FLUSH_SCALING_STEPS - 1] - base;

	for (size_t i = 0; i < ARRAY_SIZE(min); i++) {
		double share = share_of(ns[i] - base, whole);

		if (share < min[i] || share > max[i])
			return false;
	}
	return true;
}

/*
 * On a busy machine some flushes after nothing are slow too. What 64 MiB cost must stand out of all
 * of them by as much as out of the fastest, and what 16 MiB did out of nearly all.
 */
static bool chance_may_grow(const struct flush_scaling_experiment *flush)
{
	return flush->ns[FLUSH_SCALING_STEPS - 1] <= flush->empty_max_ns + FLUSH_GROWS_NS ||
		flush->ns[FLUSH_SCALING_STEPS - 2] <= flush->empty_p90_ns;
}

enum flush_shape flush_shape_of(const struct flush_scaling_experiment *flush)
{
	const uint64_t base = fastest(flush->ns), last = flush->ns[FLUSH_SCALING_STEPS - 1];

	if (!flush->state.done || base == 0)
		return FLUSH_UNKNOWN;
	if (last <= base + FLUSH_FLAT_NS)
		return base <= FLUSH_BASE_MAX_NS ? FLUSH_FLAT : FLUSH_UNKNOWN;
	if (last > base + FLUSH_GROWS_NS && (double)last > FLUSH_GROWS_RATIO * (double)base &&
		steps_grow(flush->ns, base) && !chance_may_grow(flush))
		return FLUSH_GROWS;
	return FLUSH_UNKNOWN;
}

static bool same_disk(const struct experiments *e)
{
	return e->first_touch.device && e->flush_scaling.device &&
		strcmp(e->first_touch.device, e->flush_scaling.device) == 0;
}

/*
 * What takes a write as fast as it answers a read from its cache has not waited for a medium. Else
 * it may write through, and a flush has nothing to do.
 */
static bool write_is_cached(const struct experiments *e)
{
	return (double)e->flush_scaling.write_ns <=
		WRITE_CACHED_RATIO * (double)e->first_touch.retouch_median_ns;
}

/* It costs next to nothing: no more than a few answers from the cache. */
static bool flush_is_free(const struct experiments *e)
{
	return (double)fastest(e->flush_scaling.ns) <=
		FLUSH_FREE_RATIO * (double)e->first_touch.retouch_median_ns;
}

static enum cache_mode mode_of_cached(const struct experiments *e)
{
	const struct flush_scaling_experiment *flush = &e->flush_scaling;

	if (flush->volatile_cache != ANSWER_YES || !flush->flush_counted)
		return CACHE_MODE_CANNOT_TELL;
	switch (flush_shape_of(flush)) {
	case FLUSH_GROWS:
		return CACHE_MODE_WRITEBACK;
	case FLUSH_FLAT:
		return write_is_cached(e) && flush_is_free(e) ? CACHE_MODE_FLUSH_IGNORED
							      : CACHE_MODE_CANNOT_TELL;
	case FLUSH_UNKNOWN:
		break;
	}
	return CACHE_MODE_CANNOT_TELL;
}

/* No flush is sent: what a sync takes is the filesystem's own work, and chance. */
static bool nothing_to_flush(const struct flush_scaling_experiment *flush)
{
	return flush->volatile_cache == ANSWER_NO && !flush->flush_counted;
}

/*
 * Only against a cache that holds all of the disk already, and so shows itself by its flush alone:
 * what does not grow is enough, flat or not.
 */
static bool holds_nothing(const struct flush_scaling_experiment *flush)
{
	const uint64_t base = fastest(flush->ns), last = flush->ns[FLUSH_SCALING_STEPS - 1];

	return flush->state.done && base != 0 && base <= FLUSH_BASE_MAX_NS &&
		last <= base + FLUSH_GROWS_NS;
}

enum cache_mode cache_mode_classify(const struct experiments *e)
{
	if (!e->first_touch.device_virtual || !same_disk(e))
		return CACHE_MODE_CANNOT_TELL;
	switch (touch_answer_of(&e->first_touch)) {
	case TOUCH_CACHED:
		/* A few very slow blocks among fast ones may come from a snapshot as well. */
		if (e->first_touch.may_hydrate || e->first_touch.ratio_low <= TOUCH_RATIO_CACHED)
			break;
		return nothing_to_flush(&e->flush_scaling) ? CACHE_MODE_WRITETHROUGH
							   : mode_of_cached(e);
	case TOUCH_EVEN:
		return nothing_to_flush(&e->flush_scaling) || holds_nothing(&e->flush_scaling)
			? CACHE_MODE_BYPASSED
			: CACHE_MODE_CANNOT_TELL;
	case TOUCH_ONE_REGION:
	case TOUCH_UNKNOWN:
		break;
	}
	return CACHE_MODE_CANNOT_TELL;
}
