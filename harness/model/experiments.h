/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_EXPERIMENTS_H
#define IOPROOF_EXPERIMENTS_H

/*
 * What the probe's experiments found out about one target, as plain data. Experiments measure;
 * what their figures mean is for rules, which are pure. An experiment that was not made says why.
 */

#include "model/ledger.h"
#include "model/stack_difference.h"

struct experiment_state {
	bool done;
	char *why_not; /* "no old blocks to read"; NULL when done */
};

/* How O_DIRECT fares, reads and writes apart. */
enum direct_answer {
	DIRECT_UNKNOWN,
	DIRECT_HONOURED,
	DIRECT_FALLBACK,     /* buffered first, then moved */
	DIRECT_SWALLOWED,    /* accepted, and served or absorbed by a cache above the devices */
	DIRECT_UNSUPPORTED,  /* refused at open or at the first I/O */
	DIRECT_CACHED_BELOW, /* honoured here, and answered by a cache at `where` */
};

#define DIRECT_MISALIGNED_SHORT (-1)

/* errno of an I/O that breaks one alignment each; 0: it succeeded; or SHORT. */
struct direct_misaligned {
	int address, length, offset;
};

struct direct_experiment {
	struct experiment_state state;
	int open_errno;          /* of open with O_DIRECT; 0: accepted */
	int read_errno;          /* of the first aligned direct read; 0: fine */
	int write_errno;         /* of the first aligned direct write */
	bool alignment_declared; /* statx STATX_DIOALIGN was answered; 0/0 then: no direct I/O */
	uint32_t memory_alignment, offset_alignment;
	struct direct_misaligned misaligned_read, misaligned_write;
	struct ledger read, write; /* of the same bytes, for the rules */
};

/* The same through the page cache: written, read cold, read warm. */
struct cached_experiment {
	struct experiment_state state;
	struct ledger write; /* without the sync that follows */
	struct ledger cold_read, warm_read;
};

struct flush_experiment {
	struct experiment_state state;
	unsigned syncs;          /* of each kind below, each after a 4 KiB write */
	struct ledger fsync_raw; /* syscall(SYS_fsync) */
	struct ledger fdatasync_raw;
	struct ledger fsync_library;                               /* the C library's fsync() */
	uint64_t fsync_raw_ns, fdatasync_raw_ns, fsync_library_ns; /* median of one sync */
};

/* Bytes moved at the leaf level for the same size of incompressible data and of zeros. */
struct elision_experiment {
	struct experiment_state state;
	uint64_t size;
	bool moved_known;
	uint64_t moved_random, moved_zeros;
	uint64_t stored_random, stored_zeros; /* st_blocks * 512 */
};

/*
 * First touch against re-touch, interleaved (4 KiB direct reads of old blocks): is there a read
 * cache below the horizon? Presence can be shown, absence cannot.
 */
#define FIRST_TOUCH_REGIONS 8
struct first_touch_region {
	unsigned pairs;
	double ratio;                 /* median of first/re-touch */
	double ratio_low, ratio_high; /* its 95 % interval */
	double slow_share;            /* first touches beyond twice the re-touch p95 */
	double slow_share_again;      /* re-touches beyond it: what chance alone does */
};

struct first_touch_experiment {
	struct experiment_state state;
	struct first_touch_region region[FIRST_TOUCH_REGIONS];
	unsigned regions;
	unsigned pairs; /* all together */
	double ratio, ratio_low, ratio_high, slow_share;
	uint64_t retouch_p95_ns, retouch_median_ns;
	char *device; /* the lowest counted layer, "vda" */
	bool device_virtual;
	bool may_hydrate; /* a cloud's volume: its first reads may fetch from a snapshot */
};

/* Time of a flush after so much was written direct: does a cache below do the work then? */
#define FLUSH_SCALING_STEPS 5 /* 0, 1, 4, 16, 64 MiB */
extern const unsigned flush_scaling_mib[FLUSH_SCALING_STEPS];
struct flush_scaling_experiment {
	struct experiment_state state;
	uint64_t ns[FLUSH_SCALING_STEPS]; /* the first: median of a few; 0: not reached */
	/* Of the flushes after nothing: the slowest, and what nine of ten stay below. */
	uint64_t empty_max_ns, empty_p90_ns;
	uint64_t write_ns;  /* of a 4 KiB direct write over an old one, the fastest of a few */
	bool flush_counted; /* the leaf counted at least a flush for each sync */
	enum answer volatile_cache; /* as the leaf's queue declares */
	char *device;
};

/* What a virtual disk is below, as first touch and flush scaling say together. */
enum cache_mode {
	CACHE_MODE_CANNOT_TELL,
	CACHE_MODE_WRITEBACK,     /* reads cached, flushes do work */
	CACHE_MODE_WRITETHROUGH,  /* reads cached, nothing to flush */
	CACHE_MODE_BYPASSED,      /* reads not cached; `none` and `directsync` */
	CACHE_MODE_FLUSH_IGNORED, /* reads cached, a flush is promised and costs nothing */
};

/* Below layers without a device: the disk that moved the bytes asked for, in repeated trials. */
struct empirical_experiment {
	struct experiment_state state;
	unsigned trials;
	char *device; /* NULL: none moved what was asked for, again and again */
};

/* Whether what happened was traced as well; why_not also when some of it could not be. */
struct trace_experiment {
	struct experiment_state state;
	bool asked;
	unsigned intervals; /* that were traced in full */
};

struct experiments {
	struct direct_experiment direct;
	struct cached_experiment cached;
	struct flush_experiment flush;
	struct elision_experiment elision;
	struct first_touch_experiment first_touch;
	struct flush_scaling_experiment flush_scaling;
	struct empirical_experiment empirical;
	struct trace_experiment trace;
	struct stack_difference
		changed; /* while they were made; all NULL: nothing, or not looked */
};

const char *direct_answer_name(enum direct_answer answer);
const char *cache_mode_name(enum cache_mode mode); /* "writeback", ..., "cannot tell" */
/* Pure; defined with the rules about what lies below the horizon. */
enum cache_mode cache_mode_classify(const struct experiments *experiments);
#define EXPERIMENT_STATES 8
/* The state of each part, for what is done to all of them alike. */
void experiments_states(struct experiments *e, struct experiment_state *ret[EXPERIMENT_STATES]);
void experiments_free(struct experiments *experiments);

#endif
