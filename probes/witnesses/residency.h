/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RESIDENCY_H
#define IOPROOF_RESIDENCY_H

/* The page cache of one file: how much of it is there, and how to empty it for this file alone. */

#include "model/ledger.h"

/*
 * cachestat(2) (6.5+) where it tells the truth, else mincore(2). Overlay: cachestat counts 0, since
 * the cache hangs on the upper file, and mincore is right for the owner. mincore tells everyone but
 * the owner (and root) that all is resident: then `known` is ANSWER_NO.
 */
void residency_read(int fd, uint64_t size, struct residency *ret);

/*
 * Writes back and drops this file's pages (fdatasync, POSIX_FADV_DONTNEED, a few times), then reads
 * the residency back into *ret. 0 even when pages stayed: the caller looks. Negative: an I/O error.
 */
int residency_evict(int fd, uint64_t size, struct residency *ret);

/* FIEMAP over [0, size), synced first; `known` false where the filesystem has none. */
void extents_read(int fd, uint64_t size, struct extents *ret);

#endif
