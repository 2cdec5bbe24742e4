// SPDX-License-Identifier: GPL-2.0-or-later
/* The classic three: the same file read cold, warm, and past the page cache. */
#include <fcntl.h>
#include <linux/stat.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "core/interrupt.h"
#include "core/random.h"
#include "core/scratch.h"
#include "core/text.h"
#include "probes/witnesses/residency.h"
#include "workloads/workload.h"

enum { PARAM_SIZE, PARAM_BS, PARAM_FILE };

static const struct parameter parameters[] = {
	[PARAM_SIZE] = { "size", PARAMETER_SIZE, "256M", "64M", "bytes read in each round" },
	[PARAM_BS] = { "bs", PARAMETER_SIZE, "1M", NULL, "bytes of one read" },
	[PARAM_FILE] = { "file", PARAMETER_PATH, NULL, NULL,
		"read this file instead of data of our own (read-only; comes last)" },
	{ 0 },
};

static const struct workload_case cases[] = {
	{ "cold", "buffered, after the file's pages were dropped", CLAIM_DEVICE_READ, "throughput",
		"B/s", true, { .temperature = TEMPERATURE_COLD } },
	{ "warm", "buffered, with every page in the cache", CLAIM_PAGE_CACHE_READ, "throughput",
		"B/s", true, { .temperature = TEMPERATURE_WARM } },
	{ "direct", "O_DIRECT, aligned", CLAIM_DEVICE_READ, "throughput", "B/s", true,
		{ .direct = true, .temperature = TEMPERATURE_COLD } },
	{ 0 },
};

struct read_path {
	struct scratch data;
	uint64_t size;
	size_t block;
	void *buffer;
	struct extents extents;
};

static struct read_path *state_of(const struct workload_run *run)
{
	return run->state;
}

static uint64_t space(const struct parameter_value *p)
{
	return p[PARAM_FILE].text ? 0 : p[PARAM_SIZE].number;
}

/* Opens through the descriptor, so that no name is looked up a second time. */
static int open_again(int file, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	/* O_NOATIME is for owners; a stranger's file is read with its ordinary atime update. */
	fd = open(path, flags | O_NOATIME | O_CLOEXEC);
	if (fd < 0 && errno == EPERM)
		fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_existing(struct read_path *s, const char *name, int file, struct error *error)
{
	struct stat st;

	/* Before it is opened for reading: a FIFO would wait, a device might act. */
	if (fstat(file, &st) < 0 || !S_ISREG(st.st_mode))
		return error_set(error, EINVAL, "%s: not a regular file; file= takes one", name);
	s->data.fd = open_again(file, O_RDONLY);
	if (s->data.fd < 0)
		return error_set(
			error, -s->data.fd, "%s: cannot be read: %s", name, strerror(-s->data.fd));
	if ((uint64_t)st.st_size < s->block)
		return error_set(error, EINVAL,
			"%s: %jd bytes, less than one block (bs=%zu); choose a larger file or "
			"bs=512",
			name, (intmax_t)st.st_size, s->block);
	s->size = MIN(s->size, (uint64_t)st.st_size);
	s->data.direct_fd = open_again(file, O_RDONLY | O_DIRECT);
	if (s->data.direct_fd < 0) {
		s->data.direct_errno = -s->data.direct_fd;
		s->data.direct_fd = -1;
	}
	return 0;
}

/* Incompressible, every block different: nothing below can store or serve fewer bytes. */
static int write_data(struct read_path *s, uint64_t seed, struct error *error)
{
	struct random random;

	random_seed(&random, seed);
	for (uint64_t done = 0; done < s->size;) {
		size_t n = (size_t)MIN((uint64_t)s->block, s->size - done);
		ssize_t written;

		if (interrupted())
			return -EINTR;
		random_fill(&random, s->buffer, n);
		written = pwrite(s->data.fd, s->buffer, n, (off_t)done);
		if (written <= 0)
			return error_set(error, written < 0 ? errno : ENOSPC,
				"writing the data: %s; %ju bytes are needed (size= sets it)",
				strerror(written < 0 ? errno : ENOSPC), (uintmax_t)s->size);
		done += (uint64_t)written;
	}
	if (fsync(s->data.fd) < 0)
		return error_set(error, errno, "writing the data: fsync: %s", strerror(errno));
	return 0;
}

static int create_data(struct read_path *s, const struct workload_run *run, struct error *error)
{
	int r = scratch_create(run->target->directory, run->target->guardian, &s->data);

	if (r < 0)
		return error_set(error, -r,
			"%s: no file can be made there: %s; choose a writable directory with --on "
			"or --scratch",
			run->target->path, strerror(-r));
	return write_data(s, run->seed, error);
}

static int check(const struct parameter_value *p, struct error *error)
{
	if (p[PARAM_BS].number < 512 || p[PARAM_BS].number > GIB)
		return error_set(
			error, EINVAL, "bs=%ju: takes 512 to 1G", (uintmax_t)p[PARAM_BS].number);
	if (p[PARAM_BS].number % 512)
		return error_set(error, EINVAL,
			"bs=%ju: takes a multiple of 512, or no direct read is possible",
			(uintmax_t)p[PARAM_BS].number);
	if (p[PARAM_SIZE].number < p[PARAM_BS].number)
		return error_set(error, EINVAL, "size=%ju is less than one block (bs=%ju)",
			(uintmax_t)p[PARAM_SIZE].number, (uintmax_t)p[PARAM_BS].number);
	return 0;
}

static void finish(struct workload_run *run)
{
	struct read_path *s = state_of(run);

	if (!s)
		return;
	scratch_close(&s->data);
	buffer_free(s->buffer, s->block);
	free(s);
	run->state = NULL;
}

static int prepare(struct workload_run *run, struct error *error)
{
	const struct parameter_value *p = run->parameters;
	struct read_path *s;
	int r;

	s = xcalloc(1, sizeof(*s));
	run->state = s;
	s->data = (struct scratch)SCRATCH_CLOSED;
	s->size = p[PARAM_SIZE].number;
	s->block = (size_t)p[PARAM_BS].number;
	s->buffer = buffer_try_allocate(s->block);
	if (!s->buffer)
		r = error_set(
			error, ENOMEM, "no memory for blocks of %zu bytes; lower bs=", s->block);
	else if (p[PARAM_FILE].text)
		r = open_existing(s, p[PARAM_FILE].text, run->target->file, error);
	else
		r = create_data(s, run, error);
	if (r == 0)
		extents_read(s->data.fd, s->size, &s->extents);
	else
		finish(run);
	return r;
}

static struct read_plan plan_of(const struct read_path *s, bool direct)
{
	return (struct read_plan){
		.fd = direct ? s->data.direct_fd : s->data.fd,
		.buffer = s->buffer,
		.block_size = s->block,
		.file_size = s->size,
		.count = (s->size + s->block - 1) / s->block,
	};
}

static bool resident_enough(const struct residency *r)
{
	return r->known == ANSWER_YES && r->resident == r->pages;
}

/* Reads until all is resident, twice at most: what does not stay then will not stay. */
static int warm_up(struct read_path *s, struct residency *found)
{
	struct read_plan plan = plan_of(s, false);
	struct io_result ignored;
	int r = 0;

	for (int pass = 0; pass < 2 && r == 0; pass++) {
		r = engine_read(&plan, NULL, &ignored);
		residency_read(s->data.fd, s->size, found);
		if (resident_enough(found))
			break;
	}
	return r;
}

static int arrange(struct workload_run *run, const struct workload_case *c, struct ledger *ledger,
	struct error *error)
{
	struct read_path *s = state_of(run);
	int r;

	if (c->conduct.temperature == TEMPERATURE_WARM)
		r = warm_up(s, &ledger->before);
	else
		r = residency_evict(s->data.fd, s->size, &ledger->before);
	ledger->extents = s->extents;
	if (r < 0 && r != -EINTR)
		return error_set(error, -r, "%s: before the %s reads: %s", run->target->path, c->id,
			strerror(-r));
	return r;
}

/* EINVAL and EOPNOTSUPP may come at the first read instead of at open. */
static bool direct_refused(const struct workload_case *c, int r, const struct io_result *io)
{
	return c->conduct.direct && io->bytes == 0 && (r == -EINVAL || r == -EOPNOTSUPP);
}

static void fill_sample(struct sample *sample, const struct io_result *io, bool direct)
{
	sample->bytes = io->bytes;
	sample->ios = io->ios;
	sample->errors = io->errors;
	sample->short_ios = io->short_ios;
	sample->ns = io->ns;
	sample->value = io->ns ? (double)io->bytes * 1e9 / (double)io->ns : 0;
	sample->ledger.asked = (struct asked){
		.bytes = io->bytes,
		.distinct_bytes = io->bytes,
		.ios = io->ios,
		.direct = direct,
	};
}

static int measure(struct workload_run *run, const struct workload_case *c, struct sample *sample,
	struct conduct *conduct, struct histogram *latency, struct error *error)
{
	struct read_path *s = state_of(run);
	struct read_plan plan = plan_of(s, c->conduct.direct);
	struct io_result io = { 0 };
	int r = 0;

	if (c->conduct.direct && s->data.direct_fd < 0)
		conduct->direct_errno = s->data.direct_errno;
	else
		r = engine_read(&plan, latency, &io);
	if (direct_refused(c, r, &io)) {
		conduct->direct_errno = -r;
		r = 0;
	}
	fill_sample(sample, &io, c->conduct.direct);
	conduct->recently_written = !run->parameters[PARAM_FILE].text;
	if (r < 0 && r != -EINTR)
		return error_set(error, -r, "%s: %s read at byte %ju: %s", run->target->path, c->id,
			(uintmax_t)io.bytes, strerror(-r));
	if (r == 0 && !conduct->direct_errno && io.bytes < s->size)
		return error_set(error, EIO,
			"%s: %s read %ju of %ju bytes; the file shrank under the reader",
			run->target->path, c->id, (uintmax_t)io.bytes, (uintmax_t)s->size);
	return r;
}

static void observe(struct workload_run *run, const struct workload_case *c, struct ledger *ledger)
{
	struct read_path *s = state_of(run);

	residency_read(s->data.fd, s->size, &ledger->after);
}

/* One word for what one misaligned read got. */
static const char *misaligned_answer(int fd, char *buffer, size_t length, off_t offset)
{
	ssize_t n = pread(fd, buffer, length, offset);

	if (n < 0)
		return strerrorname_np(errno);
	return (size_t)n == length ? "success" : "short";
}

static json_t *declared_alignment(int fd)
{
	struct statx stx;

	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) < 0 ||
		!(stx.stx_mask & STATX_DIOALIGN))
		return json_null();
	return json_pack("{s:I, s:I}", "memory_bytes", (json_int_t)stx.stx_dio_mem_align,
		"offset_bytes", (json_int_t)stx.stx_dio_offset_align);
}

/* What O_DIRECT reads get that break one alignment each: by address, by length, by offset. */
static void checks(struct workload_run *run, struct result *result)
{
	struct read_path *s = state_of(run);
	const size_t length = 4096;
	char *buffer = buffer_allocate(2 * length);
	const char *address = "unsupported", *size = address, *offset = address;
	struct check check = { .target = xstrdup(run->target->id),
		.workload = run->workload->head.id,
		.check = "misaligned" };

	if (s->data.direct_fd >= 0) {
		address = misaligned_answer(s->data.direct_fd, buffer + 1, length, 0);
		size = misaligned_answer(s->data.direct_fd, buffer, length - 1, 0);
		offset = misaligned_answer(s->data.direct_fd, buffer, length, 1);
	}
	check.answer =
		xstrdup(!strcmp(address, size) && !strcmp(address, offset) ? address : "mixed");
	check.observed = json_pack("{s:s, s:s, s:s, s:o}", "address", address, "length", size,
		"offset", offset, "declared", declared_alignment(s->data.fd));
	buffer_free(buffer, 2 * length);
	result_add_check(result, &check);
}

static const struct workload read_path = {
	.head = { "read-path", 10, "one file read cold, warm and with O_DIRECT" },
	.parameters = parameters,
	.cases = cases,
	.file_parameter = "file",
	.check = check,
	.space = space,
	.prepare = prepare,
	.arrange = arrange,
	.measure = measure,
	.observe = observe,
	.checks = checks,
	.finish = finish,
};
REGISTER(workloads, read_path);
