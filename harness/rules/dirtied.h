/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_DIRTIED_H
#define IOPROOF_DIRTIED_H

/* Page-cache pages that the whole machine dirtied, beside what a ledger's writes would dirty. */

#include "model/finding.h"
#include "model/ledger.h"

/* Pages that so many bytes fill. */
uint64_t dirtied_pages_of(const struct ledger *ledger, uint64_t bytes);

/*
 * Pages that entered the page cache for the file (or, with its inode number, for the one beneath)
 * for each page asked for; 0 when it was not traced. Where the kernel does not say how large a
 * folio is, this is the least.
 */
double cache_added_ratio(const struct ledger *ledger);
/* "4,096 pages entered the page cache ...": message, values and source of a finding about it. */
void cache_added_report(const struct ledger *ledger, const char *did, struct finding *finding);

#endif
