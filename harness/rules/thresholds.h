/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_THRESHOLDS_H
#define IOPROOF_THRESHOLDS_H

/*
 * Every constant that decides a verdict, with its reason. "Measured" refers to Linux 6.18 on a
 * virtual machine. They are first proposals: one moves only with evidence, and its reason with it.
 */

#include "core/base.h"

/*
 * A level that saw fewer than this share of the distinct bytes asked refutes a device claim. The
 * missing 2 % cover what may honestly not be read again (pages left resident, see
 * RESIDENT_COLD_MAX; an inline tail; a last sector), and are the most by which a lie can then
 * inflate a rate. Measured: a private cgroup counts 64.0 of 64 MiB, honest reads never fell short.
 */
#define BYTES_SHARE_MIN 0.98

/* Warm: so much of the file is resident beforehand. A page or two may be reclaimed meanwhile. */
#define RESIDENT_WARM_MIN 0.99

/* Cold: at most so much is resident beforehand; smaller than what BYTES_SHARE_MIN forgives. */
#define RESIDENT_COLD_MAX 0.01

/* Warm: this process may fetch so much from devices: the pages that RESIDENT_WARM_MIN forgives. */
#define WARM_FETCHED_MAX 0.01

/* A read range may hold so many blocks that were never written: they shift a rate by as much. */
#define UNWRITTEN_SHARE_MAX 0.01

/* The same for extents that are stored encoded (compressed, inline). */
#define ENCODED_SHARE_MAX 0.01

/*
 * Others' bytes at a shared device, as a share of the bytes asked, above which whose bytes were
 * counted is open. 5 % is the smallest difference that ten rounds usually tell from noise.
 */
#define FOREIGN_SHARE_MAX 0.05

/*
 * Reading so much of a file with O_DIRECT must not leave it in the page cache. An honest direct
 * read leaves 0 pages; one that is buffered leaves all; half can be no neighbour's accident.
 */
#define DIRECT_LEFT_RESIDENT 0.5

/* What others moved is worth a note from here on, where a private cgroup tells it apart. */
#define FOREIGN_NOTE_MIN MIB

/*
 * I/Os are counted beside bytes only for direct I/O of blocks up to this size: larger ones are
 * split by queue limits (`max_sectors_kb`), and buffered reads are merged by readahead on purpose.
 */
#define SMALL_BLOCK_BYTES (64 * KIB)

/*
 * Fewer I/Os than this share of those asked: something between reads ahead. Issued one after the
 * other they cannot be merged, so honest is 1.0; measured 17 for 8,192 (0.002) through a loop
 * device with a cache. Half leaves room for deeper queues.
 */
#define IOS_SHARE_MIN 0.5
/* With fewer I/Os than this the share means little. */
#define IOS_COUNT_MIN 64

/*
 * Buffered blocks from this size on are read without much surplus: readahead runs at most one
 * window (`read_ahead_kb`, 128 KiB by default) beyond them. Below, a surplus is expected
 * amplification.
 */
#define READAHEAD_BYTES (128 * KIB)

/*
 * A direct rate above this share of the cached rate is "not slower". Cached reads scatter by up to
 * 20 % between rounds; the same bound as the steady-state window of SNIA's SSS PTS.
 */
#define DIRECT_TO_WARM_MIN 0.8

/*
 * First touch against re-touch, a region at a time: the catalogue's proposal. A lower bound of the
 * ratio's 95 % interval above 1.10, or 5 % of first touches beyond twice the re-touches' 95th
 * percentile, beyond which fewer than 5 % of re-touches lie by definition.
 */
#define TOUCH_RATIO_CACHED 1.10
#define TOUCH_SLOW_SHARE_CACHED 0.05
/* That share must be no chance: so many standard deviations above the re-touches' own. */
#define TOUCH_SLOW_SIGMAS 3.0
/* Of a region: the interval and the deviation above widen by themselves where there are few. */
#define TOUCH_PAIRS_MIN 20
/* "No cache seen" asks for more, in all regions together. */
#define TOUCH_PAIRS_EVEN_MIN 120
/* One region may have met a neighbour; two separate ones seldom do. */
#define TOUCH_REGIONS_MIN 2

/*
 * Time of a flush after 64 MiB against the fastest of all steps. Emptying a cache of 64 MiB in less
 * than 4 ms would take 16 GB/s; 7 ms is 9 GB/s. When even the fastest is slow, the machine is so
 * busy or the disk so slow that this work might hide in it. Measured (QEMU 7.2, virtio, image on
 * ext4, 7 to 9 processes on two cores): `unsafe` 1.6 to 2.2 ms after 64 MiB, `none` 2 to 15 ms,
 * `writeback` 23 to 41 ms.
 */
#define FLUSH_FLAT_NS (4 * 1000 * 1000ULL)
#define FLUSH_BASE_MAX_NS (10 * 1000 * 1000ULL)
/*
 * The fastest flush beside a re-read that a cache answers. Where nobody carries it out it took 3 to
 * 6 times as long (QEMU 7.2 `unsafe`, 3 to 5 processes on two cores); on an overlay of a cloud's
 * disk 30 times, 3.9 ms beside 0.13 ms whatever was written: a round trip to somewhere, and not
 * nothing.
 */
#define FLUSH_FREE_RATIO 12.0
#define FLUSH_GROWS_NS (7 * 1000 * 1000ULL)
#define FLUSH_GROWS_RATIO 2.5
/*
 * What 0, 1, 4 and 16 MiB cost of what 64 MiB did, above the fastest: 0, 0.02, 0.06 and 0.25 were
 * it in proportion. Measured under `writeback` with 3 to 9 processes on two cores: up to 0.24,
 * 0.29, 0.25, and 0.14 to 0.61.
 */
#define FLUSH_GROWTH_MIN 0, 0, 0, 0.08
#define FLUSH_GROWTH_MAX 0.35, 0.35, 0.45, 0.7

/*
 * Processor time that the hypervisor gave to others, as a share of all since boot: from 1 % on,
 * some round has met it.
 */
#define STEAL_SHARE_MAX 0.01

/*
 * One clock reading through the vDSO takes 13 to 27 ns (measured); from here on it is a system call
 * or an emulated timer, and each timed I/O pays for it.
 */
#define CLOCK_READING_SLOW_NS 100

/*
 * A direct write of 4 KiB, the fastest of 32, against the median re-read from a cache below. An
 * emulated NVMe says "write back" under `writethrough` as well; there a write waits for the medium.
 * Measured: `unsafe` and `writeback` 0.4 to 1.15, `writethrough` 1.4 to 2.5.
 */
#define WRITE_CACHED_RATIO 1.3

/* Layers that a figure names one by one; more of them are left out of the line. */
#define FIGURES_LAYERS_MAX 6

/*
 * Flushes counted against syncs that one thread made after writes. Each needs its own, so honest is
 * 1.0 or more (measured for 100 syncs at a loop device and at its disk: 200 on ext4, xfs and btrfs,
 * 101 for fdatasync of overwrites on ext4 and xfs); the 2 % cover a sync that found its data
 * written back already.
 */
#define FLUSHES_SHARE_MIN 0.98

/*
 * What a sync may write beside the data: journal or log blocks, copies of metadata, superblocks.
 * Measured for each of 100 records of 4 KiB with its fsync, data included: xfs 5 KiB, ext4 9 to 50
 * KiB, btrfs with duplicated metadata 70 to 140 KiB.
 */
#define SYNC_EXTRA_BYTES (256 * KIB)

/* More than this beyond the data and its syncs, as a share of the data: others' or background. */
#define BACKGROUND_WRITES_MAX 0.10
/* Below this a share of little data means little: one late journal commit. */
#define BACKGROUND_WRITES_FLOOR MIB

/*
 * O_DIRECT writes that dirtied pages for so much of their data were buffered first. Measured for
 * 64 MiB: 2 to 45 pages where honest, about 16,400 for each layer that buffers.
 */
#define DIRECT_DIRTIED_MIN 0.9
/*
 * The count is the whole machine's. Buffering dirties each page once a layer, so beside no
 * neighbour the ratio lies this close to a whole number (measured 16,429 of 16,384 and 4,132 of
 * 4,096); a neighbour's dirtying seldom does.
 */
#define DIRECT_DIRTIED_WINDOW 0.03
/* Rounds whose fewest is believed against a filesystem that declares its direct I/O. */
#define DIRECT_DIRTIED_ROUNDS_MIN 3
#define DIRECT_BUFFERING_LAYERS_MAX 3
/* With fewer pages of data the metadata's own pages weigh too much. */
#define DIRTIED_PAGES_MIN 256

/*
 * Buffered writes dirty a page for each page written. A tenth less covers what balance and
 * writeback do in between to pages that are written twice.
 */
#define BUFFERED_DIRTIED_MIN 0.9

/*
 * The C library's sync sent fewer flushes, or moved fewer bytes, than this share of what the same
 * number of raw system calls did, in less than this share of the time. Preloaded libraries send
 * none and take no time; honest pairs differ by a tenth.
 */
#define LIBRARY_SYNC_MIN 0.5

/*
 * An experiment counts as evidence about a disk only where so much of it was seen there; else a
 * cache above the disk would be taken for one below. Honest is 1.0.
 */
#define TOUCH_REACHED_MIN 0.95
#define SCALING_REACHED_MIN 0.90

/*
 * A disk stands for hidden layers when, in every trial, it moved at least the bytes asked for and
 * at most so many times them: a journal and metadata ride along, a neighbour rarely adds as much in
 * every trial.
 */
#define BY_BYTES_SURPLUS_MAX 1.5

/*
 * A counter is alive when it saw this share of a calibrating write: metadata, compression of a few
 * blocks or a neighbour do not decide.
 */
#define CALIBRATION_MOVED_MIN 0.5

/* Stored for zeros, as a share of what was stored for data that does not compress: elided. */
#define ZEROS_STORED_MIN 0.5

#endif
