// SPDX-License-Identifier: GPL-2.0-or-later
// What becomes of a flush below the lowest disk.
#include "rules/below_horizon.h"
#include "rules/rules.h"

static const struct finding_kind write_cache_kind = {
	.head = { .id = "write-cache-below-horizon",
		.summary = "below a virtual disk a cache holds writes back until a flush" },
	.meaning =
		"A flush took the longer the more had been written, so writes are answered by a "
		"cache outside this machine and reach the medium when it is flushed, or later. A "
		"rate of writes without the flush is that cache's. A sync does flush it: its "
		"work was seen.",
	.established = "The time of fdatasync(2) after 0, 1, 4, 16 and 64 MiB of direct writes, "
		       "with flushes counted at the disk.",
	.example = "QEMU guest with `cache=writeback`: a flush took 0.4 ms after nothing and "
		   "1.2, 2.3, 7.7 and 27 to 33 ms after 1, 4, 16 and 64 MiB. With "
		   "`cache=none` 0.2 to 0.5 ms throughout.",
	.touches = "Flags device-write; a note for durable-write.",
	.remedy = "Take the closing sync into the timed part (fio: `end_fsync=1`, dd: "
		  "`conv=fsync`), or open the disk on the host without its cache (QEMU: "
		  "`cache=none`).",
};
FINDING_REGISTER(write_cache_kind);

static const struct finding_kind flush_ignored_kind = {
	.head = { .id = "flush-ignored-below-horizon",
		.summary = "below a virtual disk a cache answers, and a flush costs nothing" },
	.meaning =
		"The disk says that it has a volatile write cache, a cache outside this machine "
		"was seen to answer reads, and a flush takes no longer after 64 MiB of writes than "
		"after none. Either the flush is ignored (QEMU: `cache=unsafe`), and what was "
		"synced is lost when the host fails; or the cache below writes through or keeps "
		"its data by battery. That cannot be told apart from inside.",
	.established = "First reads of old blocks slower than re-reads, and the time of "
		       "fdatasync(2) after 0 to 64 MiB of direct writes, with flushes counted at "
		       "the disk.",
	.example = "QEMU guest with `cache=unsafe`: first reads 1.35 to 1.38 times as slow "
		   "as re-reads, so a cache is there, and a flush takes 0.2 ms whether "
		   "nothing or 64 MiB had been written.",
	.touches = "Flags device-write and durable-write.",
	.remedy = "Look at the host: QEMU's `cache=` of this disk (`virsh dumpxml GUEST`), or what "
		  "the provider says of flushes.",
};
FINDING_REGISTER(flush_ignored_kind);

static const struct finding_kind flush_unproved_kind = {
	.head = { .id = "flush-unproved-below-horizon",
		.summary = "what becomes of a flush below the lowest disk is not known" },
	.meaning = "The machine did its part: a flush left it, or the disk declares that it has no "
		   "volatile cache. A flush that costs little is ignored, not needed (the writes "
		   "bypass caches or are written through) or covered by a battery, and no "
		   "counter of this machine tells these apart.",
	.established = "The time of fdatasync(2) after 0 to 64 MiB of direct writes, with flushes "
		       "counted at the disk.",
	.example = "Two QEMU guests, a flush after nothing and after 64 MiB: 0.2 and 0.5 ms with "
		   "`cache=none`, 0.2 and 0.2 ms with `cache=unsafe`. The first keeps what was "
		   "synced when the host fails, the second loses it; these times do not say "
		   "which is which.",
	.touches = "A note for durable-write.",
	.remedy = "Only pulling the plug proves durability; else the data sheet (power loss "
		  "protection), or the host's configuration of the disk.",
};
FINDING_REGISTER(flush_unproved_kind);

/* A slow disk may not get through them all. */
static unsigned last_step_made(const struct flush_scaling_experiment *flush)
{
	unsigned last = FLUSH_SCALING_STEPS - 1;

	while (last && !flush->ns[last])
		last--;
	return last;
}

void flush_say(const struct flush_scaling_experiment *flush, struct finding *finding)
{
	const unsigned last = last_step_made(flush);
	const char *device = flush->device ? flush->device : "the disk";

	finding_message(finding,
		"a flush at %s took %.2f ms after a block and %.2f ms after %u MiB", device,
		(double)flush->ns[0] / 1e6, (double)flush->ns[last] / 1e6, flush_scaling_mib[last]);
	finding_source(
		finding, "fdatasync(2) after direct writes; flushes of sys/block/%s/stat", device);
	for (unsigned i = 0; i < FLUSH_SCALING_STEPS; i++) {
		char key[32];

		snprintf(key, sizeof(key), "flush_after_%u_mib_ns", flush_scaling_mib[i]);
		if (flush->ns[i])
			finding_observe_u64(finding, key, flush->ns[i]);
	}
	finding_observe_u64(finding, "write_4k_ns", flush->write_ns);
	finding_observe_text(finding, "volatile_cache", answer_name(flush->volatile_cache));
}

bool disk_is_virtual(const struct stack *stack)
{
	const struct layer *disk = stack_horizon(stack);

	return disk && layer_trait(disk, TRAIT_VIRTUAL) == ANSWER_YES;
}

static void say_unproved(const struct flush_scaling_experiment *flush, struct findings *findings)
{
	struct finding *finding;

	/* A flush that was due and not counted has findings of its own. */
	if (flush->volatile_cache != ANSWER_NO && !flush->flush_counted)
		return;
	finding = finding_add(findings, &flush_unproved_kind, SEVERITY_NOTE, flush->device);
	flush_say(flush, finding);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct experiments *e = evidence->experiments;
	bool durable = evidence->claim == CLAIM_DURABLE_WRITE;
	struct finding *finding = NULL;

	if (!e || !e->flush_scaling.state.done ||
		(!durable && evidence->claim != CLAIM_DEVICE_WRITE))
		return;
	if (flush_shape_of(&e->flush_scaling) == FLUSH_GROWS) {
		if (disk_is_virtual(evidence->stack))
			finding = finding_add(findings, &write_cache_kind,
				durable ? SEVERITY_NOTE : SEVERITY_FLAG, e->flush_scaling.device);
	} else if (cache_mode_classify(e) == CACHE_MODE_FLUSH_IGNORED) {
		finding = finding_add(
			findings, &flush_ignored_kind, SEVERITY_FLAG, e->flush_scaling.device);
	} else if (durable) {
		say_unproved(&e->flush_scaling, findings);
	}
	if (finding)
		flush_say(&e->flush_scaling, finding);
}

static const struct rule below_horizon_flush_rule = {
	.head = { .id = "below-horizon-flush",
		.order = 181,
		.summary = "write caches and flushes below the lowest disk, shown by time" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(below_horizon_flush_rule);
