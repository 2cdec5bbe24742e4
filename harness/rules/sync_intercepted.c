// SPDX-License-Identifier: GPL-2.0-or-later
// The C library's fsync is not the kernel's: something was loaded between the two.
#include "core/text.h"
#include "rules/flushes.h"
#include "rules/levels.h"
#include "rules/rules.h"

static const struct finding_kind sync_intercepted_kind = {
	.head = { .id = "sync-intercepted",
		.summary = "the C library's fsync does less than the system call's" },
	.meaning =
		"A library loaded before the C library (LD_PRELOAD, /etc/ld.so.preload) answers "
		"fsync itself and never asks the kernel. It is meant for test machines and hides "
		"in container images. Every program started here has \"durable\" writes that are "
		"not.",
	.established =
		"The same writes, synced once by the raw system call and once by the library's "
		"function: flushes at the disks, bytes that arrived there, and the time of both.",
	.example = "Under eatmydata 100 library fsyncs sent 0 flushes and moved nothing; 100 raw "
		   "system calls after the same writes sent 200. The program reported 1.4 GB/s of "
		   "synced writes.",
	.touches = "Refuses durable-write.",
	.remedy = "Start the program without it: `env -u LD_PRELOAD ioproof ...`; look into "
		  "/etc/ld.so.preload and at `ENV LD_PRELOAD` in the image.",
};
FINDING_REGISTER(sync_intercepted_kind);

struct strength {
	uint64_t flushes; /* the most at any leaf */
	uint64_t bytes;   /* written at the lowest level that counts */
	const struct layer *layer;
};

static struct strength strength_of(const struct stack *stack, const struct ledger *ledger)
{
	struct leaf leaf[STACK_LAYERS_MAX];
	struct level_sum level[STACK_LAYERS_MAX];
	struct strength ret = { 0 };
	size_t count = leaves_read(stack, ledger, leaf);

	for (size_t i = 0; i < count; i++)
		if (leaf[i].known && leaf[i].flushes >= ret.flushes) {
			ret.flushes = leaf[i].flushes;
			ret.layer = leaf[i].layer;
		}
	count = levels_read(stack, ledger, level);
	if (count && !level[count - 1].dead) {
		ret.bytes = level[count - 1].moved.write_bytes;
		ret.layer = ret.layer ? ret.layer : level[count - 1].layer;
	}
	return ret;
}

static bool much_less(uint64_t library, uint64_t raw, uint64_t enough)
{
	return raw >= enough && (double)library < LIBRARY_SYNC_MIN * (double)enough;
}

/*
 * An answer without the kernel takes no time. Without this sign a neighbour's flushes during one of
 * the two intervals would accuse a library that is honest.
 */
static bool much_faster(const struct flush_experiment *x)
{
	return (double)x->fsync_library_ns < LIBRARY_SYNC_MIN * (double)x->fsync_raw_ns;
}

static void say(const struct flush_experiment *x, const struct strength *raw,
	const struct strength *library, struct findings *findings)
{
	_cleanup_free_ char *raw_bytes = text_bytes(raw->bytes);
	_cleanup_free_ char *library_bytes = text_bytes(library->bytes);
	struct finding *finding =
		finding_add(findings, &sync_intercepted_kind, SEVERITY_REFUSE, NULL);

	finding_message(finding,
		"%u fsyncs of the C library: %llu flushes, %s at %s; of the system call: %llu, %s",
		x->syncs, (unsigned long long)library->flushes, library_bytes,
		raw->layer ? raw->layer->name : "the disk", (unsigned long long)raw->flushes,
		raw_bytes);
	finding_source(finding, "flush experiment: syscall(SYS_fsync) against fsync(3)");
	finding_observe_u64(finding, "syncs", x->syncs);
	finding_observe_u64(finding, "library_flushes", library->flushes);
	finding_observe_u64(finding, "raw_flushes", raw->flushes);
	finding_observe_u64(finding, "library_written_bytes", library->bytes);
	finding_observe_u64(finding, "raw_written_bytes", raw->bytes);
	finding_observe_u64(finding, "library_sync_ns", x->fsync_library_ns);
	finding_observe_u64(finding, "raw_sync_ns", x->fsync_raw_ns);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct flush_experiment *x =
		evidence->experiments ? &evidence->experiments->flush : NULL;
	struct strength raw, library;
	uint64_t written;

	if (evidence->claim != CLAIM_DURABLE_WRITE || !x || !x->state.done || x->syncs == 0)
		return;
	raw = strength_of(evidence->stack, &x->fsync_raw);
	library = strength_of(evidence->stack, &x->fsync_library);
	written = (uint64_t)((double)x->fsync_raw.asked.bytes * BYTES_SHARE_MIN);
	if (much_faster(x) &&
		(much_less(library.flushes, raw.flushes, x->syncs) ||
			much_less(library.bytes, raw.bytes, written)))
		say(x, &raw, &library, findings);
}

static const struct rule sync_intercepted_rule = {
	.head = { .id = "sync-intercepted",
		.order = 103,
		.summary = "the C library's fsync must do what the system call does" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(sync_intercepted_rule);
