/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_DIRTIED_H
#define IOPROOF_DIRTIED_H

/* Page-cache pages that the whole machine dirtied, beside what a ledger's writes would dirty. */

#include "model/ledger.h"

/* Pages that so many bytes fill. */
uint64_t dirtied_pages_of(const struct ledger *ledger, uint64_t bytes);

#endif
