// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/dirtied.h"

#define PAGE_BYTES 4096 /* where the witness did not say */

uint64_t dirtied_pages_of(const struct ledger *ledger, uint64_t bytes)
{
	uint64_t page = ledger->machine.page_bytes;

	return bytes / (page ? page : PAGE_BYTES);
}
