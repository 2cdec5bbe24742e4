// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * O_DIRECT by experiment: opened, declared, misaligned, written and read between counters. None of
 * these decides alone (open succeeds nearly everywhere, misaligned reads succeed on honest btrfs);
 * the rules put them together.
 */
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>

#include "core/random.h"
#include "engine/engine.h"
#include "probes/experiments/interval.h"
#include "probes/witnesses/residency.h"

#define SIZE (16 * MIB)
#define BLOCK ((size_t)MIB)
#define PAGE ((size_t)4096)

static void read_declared(int fd, struct direct_experiment *d)
{
	struct statx stx;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) < 0 ||
		!(stx.stx_mask & STATX_DIOALIGN))
		return;
	d->alignment_declared = true;
	d->memory_alignment = stx.stx_dio_mem_align;
	d->offset_alignment = stx.stx_dio_offset_align;
}

static int misaligned(int fd, bool write, char *buffer, size_t length, off_t offset)
{
	ssize_t n = write ? pwrite(fd, buffer, length, offset) : pread(fd, buffer, length, offset);

	if (n < 0)
		return errno;
	return (size_t)n == length ? 0 : DIRECT_MISALIGNED_SHORT;
}

/* The reads need data that was written: buffered, where O_DIRECT is refused. */
static int write_data(const struct experiment_view *view, void *buffer, struct direct_experiment *d)
{
	struct random data;
	struct transfer_act act = {
		.fd = view->scratch.direct_fd,
		.buffer = buffer,
		.block = BLOCK,
		.size = SIZE,
		.write = true,
		.direct = true,
		.data = &data,
	};
	int r;

	random_seed(&data, random_fresh_seed());
	r = act.fd < 0 ? -d->open_errno : interval_transfer(view, &act, &d->write);
	if (r != -EINVAL && r != -EOPNOTSUPP)
		return r;
	d->write_errno = -r;
	act.fd = view->scratch.fd;
	act.direct = false;
	return interval_transfer(view, &act, &d->write);
}

static int read_data(const struct experiment_view *view, void *buffer, struct direct_experiment *d)
{
	struct transfer_act act = {
		.fd = view->scratch.direct_fd,
		.buffer = buffer,
		.block = BLOCK,
		.size = d->write.asked.bytes,
		.direct = true,
	};
	struct residency before;
	int r = residency_evict(view->scratch.fd, SIZE, &before);

	if (r == 0)
		r = act.fd < 0 ? -d->open_errno : interval_transfer(view, &act, &d->read);
	if (r != -EINVAL && r != -EOPNOTSUPP)
		return r;
	d->read_errno = -r;
	return 0;
}

static struct direct_misaligned break_alignment(int fd, bool write, char *buffer)
{
	return (struct direct_misaligned){
		.address = misaligned(fd, write, buffer + 1, PAGE, 0),
		.length = misaligned(fd, write, buffer, PAGE - 1, 0),
		.offset = misaligned(fd, write, buffer, PAGE, 1),
	};
}

static int make(const struct experiment_view *view, struct experiments *experiments)
{
	struct direct_experiment *d = &experiments->direct;
	void *buffer;
	int r;

	d->open_errno = view->scratch.direct_errno;
	read_declared(view->scratch.fd, d);
	buffer = buffer_allocate(BLOCK);
	r = write_data(view, buffer, d);
	if (r == 0)
		r = read_data(view, buffer, d);
	if (r == 0 && view->scratch.direct_fd >= 0) {
		d->misaligned_read = break_alignment(view->scratch.direct_fd, false, buffer);
		d->misaligned_write = break_alignment(view->scratch.direct_fd, true, buffer);
	}
	buffer_free(buffer, BLOCK);
	return r;
}

static const struct experiment direct_io = {
	.head = { "direct-io", 10, "is O_DIRECT honoured, for reads and for writes" },
	.written_bytes = SIZE + 3 * PAGE,
	.state = offsetof(struct experiments, direct.state),
	.needs_file = true,
	.act = "direct I/O",
	.make = make,
};
REGISTER(experiments, direct_io);
