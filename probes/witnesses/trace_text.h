/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TRACE_TEXT_H
#define IOPROOF_TRACE_TEXT_H

/*
 * What a tracing instance's `trace` file says, with the option `nocontext-info`: one event a line
 * (Documentation/trace/ftrace.rst, events.rst). Pure.
 *
 *   mm_filemap_add_to_page_cache: dev 254:0 ino a7c5a1 pfn=0x136718 ofs=0 order=0
 *   block_rq_issue: 254,0 WFS 4096 () 20684944 + 8 be,0,4 [dd]
 *
 * `order` is missing on older kernels. The letters of a request (blk_fill_rwbs() in the kernel):
 * first "F" where a flush goes before it, then what it is ("W"), then "F" where it is forced.
 */

#include "model/ledger.h"

struct trace_disk {
	dev_t device;
	uint64_t writes, fua_writes; /* the latter among the former */
};

struct trace_counts {
	/* in: which inode, on which filesystems it is the file itself, which disks */
	uint64_t inode;
	dev_t own[2];
	struct trace_disk disk[STACK_LAYERS_MAX];
	size_t disks;
	/* out: */
	struct cache_adds adds;
	uint64_t events;
};

/*
 * Adds up; counts->adds.known is the caller's. -EINVAL: a line that is no such event: its text
 * cannot be trusted. -EOVERFLOW: the kernel says that events were lost.
 */
int trace_text_count(const char *text, struct trace_counts *counts);
/* Events that one CPU kept and lost, by its `stats`. -EINVAL: not understood. */
int trace_text_stats(const char *text, uint64_t *kept, uint64_t *lost);

#endif
