/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_CLAIM_H
#define IOPROOF_CLAIM_H

/* What a number says it measured. Each claim is one registered descriptor (section `claims`). */

#include "core/registry.h"

enum claim {
	CLAIM_PAGE_CACHE_READ,
	CLAIM_DEVICE_READ,
	CLAIM_BUFFERED_WRITE,
	CLAIM_DEVICE_WRITE,
	CLAIM_DURABLE_WRITE,
	CLAIM_METADATA_OP,
	CLAIM_COUNT,
};

struct claim_kind {
	struct registered head; /* id "device-read"; order = the enum */
	enum claim claim;
};

extern const struct registry registry_claims;

const char *claim_name(enum claim claim);
/* -ENOENT: no such claim. */
int claim_parse(const char *name, enum claim *ret);

#endif
