// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/claim.h"

#include <string.h>

REGISTRY_DEFINE(claims, "claims");

#define CLAIM_DEFINE(object, value, name, text)                                                    \
	static const struct claim_kind object = {                                                  \
		.head = { .id = (name), .order = (value), .summary = (text) },                     \
		.claim = (value),                                                                  \
	};                                                                                         \
	REGISTER(claims, object)

CLAIM_DEFINE(page_cache_read, CLAIM_PAGE_CACHE_READ, "page-cache-read",
	"the bytes came from this machine's page cache");
CLAIM_DEFINE(device_read, CLAIM_DEVICE_READ, "device-read",
	"the bytes came from the device, through every layer");
CLAIM_DEFINE(buffered_write, CLAIM_BUFFERED_WRITE, "buffered-write",
	"the bytes went to memory; writing them back is not in the time");
CLAIM_DEFINE(device_write, CLAIM_DEVICE_WRITE, "device-write",
	"the bytes reached the device before the timer stopped");
CLAIM_DEFINE(durable_write, CLAIM_DURABLE_WRITE, "durable-write",
	"the bytes reached the device, and a flush followed them");
CLAIM_DEFINE(metadata_op, CLAIM_METADATA_OP, "metadata-op",
	"names and inodes changed; it says whether the closing sync is in the time");

static const struct claim_kind *claim_entry(const struct registered *member)
{
	return registry_entry(member, struct claim_kind);
}

const char *claim_name(enum claim claim)
{
	const struct registry *all = &registry_claims;

	for (const struct registered *const *m = all->start; m < all->stop; m++)
		if (claim_entry(*m)->claim == claim)
			return (*m)->id;
	return "unknown";
}

int claim_parse(const char *name, enum claim *ret)
{
	const struct registered *member = registry_find(&registry_claims, name);

	if (!member)
		return -ENOENT;
	*ret = claim_entry(member)->claim;
	return 0;
}
