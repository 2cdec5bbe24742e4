/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RULES_H
#define IOPROOF_RULES_H

/* What every rule file includes: it registers one rule and each kind of finding that it says. */

#include "model/evidence.h"
#include "rules/thresholds.h"

#define RULE_REGISTER(object) REGISTER(rules, object)

/* The bytes are said to come from, or to have reached, a device. */
static inline bool claim_of_device(enum claim claim)
{
	return claim == CLAIM_DEVICE_READ || claim == CLAIM_DEVICE_WRITE;
}

static inline bool claim_of_device_or_durable(enum claim claim)
{
	return claim_of_device(claim) || claim == CLAIM_DURABLE_WRITE;
}

/* The bytes are said to have reached a device. */
static inline bool claim_of_device_write(enum claim claim)
{
	return claim == CLAIM_DEVICE_WRITE || claim == CLAIM_DURABLE_WRITE;
}

static inline bool claim_of_read(enum claim claim)
{
	return claim == CLAIM_DEVICE_READ || claim == CLAIM_PAGE_CACHE_READ;
}

/* part of whole, 0 for an empty whole. */
static inline double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

#endif
