/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_BELOW_HORIZON_H
#define IOPROOF_BELOW_HORIZON_H

/* What first touch and flush scaling say of a cache below the lowest disk. Pure. */

#include "model/experiments.h"
#include "model/finding.h"

enum touch_answer {
	TOUCH_UNKNOWN,    /* not made, or too little to tell */
	TOUCH_EVEN,       /* first reads take as long as second ones everywhere */
	TOUCH_ONE_REGION, /* slower, in one region alone */
	TOUCH_CACHED,     /* slower in two or more */
};

enum flush_shape {
	FLUSH_UNKNOWN, /* not made, or neither */
	FLUSH_FLAT,    /* costs the same whatever was written before */
	FLUSH_GROWS,   /* with what was written */
};

/* A region shows a cache: its ratio's interval, or its share of slow first touches. */
bool touch_region_shows(const struct first_touch_region *region);
/*
 * A read cache of what serves a virtual disk was shown, and nothing else explains the figures: no
 * volume whose blocks are fetched at the first touch.
 */
bool read_cache_shown(const struct first_touch_experiment *touch);
enum touch_answer touch_answer_of(const struct first_touch_experiment *touch);
enum flush_shape flush_shape_of(const struct flush_scaling_experiment *flush);

/* cache_mode_classify() of model/experiments.h: CANNOT_TELL for all but virtual disks. */

/* What lies below is a machine's or a service's; unknown is not. */
bool disk_is_virtual(const struct stack *stack);
/* Message, source and observed values of a finding about the time of flushes. */
void flush_say(const struct flush_scaling_experiment *flush, struct finding *finding);

#endif
