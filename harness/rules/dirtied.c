// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/dirtied.h"
#include "rules/rules.h"

#define PAGE_BYTES 4096 /* where the witness did not say */

uint64_t dirtied_pages_of(const struct ledger *ledger, uint64_t bytes)
{
	uint64_t page = ledger->machine.page_bytes;

	return bytes / (page ? page : PAGE_BYTES);
}

static uint64_t added_pages(const struct cache_adds *adds)
{
	return adds->known ? adds->pages + adds->pages_elsewhere : 0;
}

double cache_added_ratio(const struct ledger *ledger)
{
	return share_of(
		added_pages(&ledger->adds), dirtied_pages_of(ledger, ledger->asked.distinct_bytes));
}

void cache_added_report(const struct ledger *ledger, const char *did, struct finding *finding)
{
	const struct cache_adds *adds = &ledger->adds;
	uint64_t asked = dirtied_pages_of(ledger, ledger->asked.distinct_bytes);

	finding_message(finding,
		"%llu pages were %s with O_DIRECT, and %llu entered the page cache%s",
		(unsigned long long)asked, did, (unsigned long long)added_pages(adds),
		adds->pages_elsewhere > adds->pages ? " of a file beneath" : "");
	finding_source(finding, "tracing: mm_filemap_add_to_page_cache, by inode");
	finding_observe_u64(finding, "asked_pages", asked);
	finding_observe_u64(finding, "added_pages", adds->pages);
	finding_observe_u64(finding, "added_elsewhere_pages", adds->pages_elsewhere);
}
