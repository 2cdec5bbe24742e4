/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_LEDGER_H
#define IOPROOF_LEDGER_H

/*
 * What one measured interval moved, witness by witness, layer by layer, beside what was asked for.
 *
 * Witnesses fill a `struct reading` before and after the interval; ledger_diff() subtracts. Every
 * group carries `known`: a witness that could not be read is absent, never zero.
 */

#include "model/stack.h"

/* Completed transfers. Sectors of /sys/block/X/stat are 512 bytes whatever the device's are. */
struct transfer {
	uint64_t reads, read_bytes;
	uint64_t writes, write_bytes;
};

struct layer_reading {
	bool known;            /* `stat` of this block layer was read */
	struct transfer total; /* anybody's */
	bool flushes_known;
	uint64_t flushes; /* field 16, whole disks only, 5.5+ */
	bool ours_known;  /* a private cgroup counted for this device */
	struct transfer ours;
	/* Loop devices: whether it bypasses its file's cache; in a ledger NO if it did not once. */
	enum answer loop_direct;
	bool fua_known;      /* only in a ledger: its writes were traced */
	uint64_t fua_writes; /* write requests that reach the medium by themselves */
};

struct process_reading {
	bool known; /* /proc/self/io */
	uint64_t rchar, wchar, read_bytes, write_bytes;
};

/* Every whole disk of this machine together, in the stack or not: no loop, dm, md, zram, ram. */
struct machine_reading {
	bool disks_known;
	struct transfer disks;
	bool dirtied_known;
	uint64_t pages_dirtied; /* /proc/vmstat nr_dirtied */
	uint64_t page_bytes;    /* of one of these pages; 0 stands for 4096 */
};

struct reading {
	uint64_t ns;                                  /* CLOCK_MONOTONIC */
	struct layer_reading layer[STACK_LAYERS_MAX]; /* parallel to the stack's layers */
	struct process_reading process;
	struct machine_reading machine;
};

/* How much of a file is in the page cache. */
struct residency {
	enum answer known; /* YES: truthful; NO or UNKNOWN: `pages` and `resident` mean nothing */
	uint64_t pages, resident, dirty;
	const char *source; /* "cachestat", "mincore"; static */
};

/* What a file's extents say of the range that is read (FIEMAP). */
struct extents {
	bool known;
	uint64_t written_bytes;   /* mapped, initialised, plain */
	uint64_t unwritten_bytes; /* allocated by fallocate and never written */
	uint64_t hole_bytes;      /* not mapped at all */
	/* Compressed, encrypted, inline, or an earlier part's blocks again: none of its own. */
	uint64_t encoded_bytes;
	uint64_t count;     /* extents */
	const char *source; /* "FIEMAP"; static */
};

/*
 * What entered the page cache for one inode number, traced (mm_filemap_add_to_page_cache). An event
 * is a folio of one or more pages; where the kernel does not say how many, `pages` counts one each.
 */
struct cache_adds {
	bool known; /* traced, and no event was lost */
	bool orders_known;
	uint64_t folios, pages;   /* on the file's own filesystem */
	uint64_t pages_elsewhere; /* the same number on others: beneath an overlay or FUSE */
};

/* What the workload asked for in the interval. */
struct asked {
	uint64_t bytes;          /* completed, as the caller counts them */
	uint64_t distinct_bytes; /* each byte once */
	uint64_t ios;
	uint64_t syncs;
	unsigned threads; /* or requests in flight that sync at the same time; 0 stands for 1 */
	bool direct;      /* O_DIRECT was in force */
	bool write;
};

/* What others moved at a layer in quiet intervals around the measurement, as a rate. */
struct background {
	bool known;
	double read_bytes_per_s, write_bytes_per_s;
};

struct ledger {
	struct asked asked;
	uint64_t ns;   /* between the two readings */
	size_t layers; /* = stack->count */
	struct layer_reading layer[STACK_LAYERS_MAX];
	struct background background[STACK_LAYERS_MAX];
	struct process_reading process;
	struct machine_reading machine;
	struct residency before, after;
	struct extents extents;
	struct cache_adds adds;
};

/* Differences; a counter that ran backwards makes its group unknown. The rest is left alone. */
void ledger_diff(const struct reading *before, const struct reading *after, size_t layers,
	struct ledger *ledger);

/*
 * Bytes read (or written) at one level: the sum over its members, ours where every member's are
 * known, else anybody's. -ENODATA: some member has no counters. *attributed says which it was.
 */
int ledger_level_bytes(const struct ledger *ledger, const struct stack *stack, unsigned level,
	bool write, uint64_t *bytes, bool *attributed);
/* The same for completed I/Os. */
int ledger_level_ios(const struct ledger *ledger, const struct stack *stack, unsigned level,
	bool write, uint64_t *ios, bool *attributed);

#endif
