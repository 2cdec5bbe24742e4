// SPDX-License-Identifier: GPL-2.0-or-later
// A cache below the lowest disk answers what was read before.
#include "rules/below_horizon.h"
#include "rules/rules.h"

static const struct finding_kind read_cache_kind = {
	.head = { .id = "read-cache-below-horizon",
		.summary = "below a virtual disk a cache answers what was read before" },
	.meaning = "Blocks that nobody had read for long took longer than blocks read a moment "
		   "before, although both reads left this machine in full. So something outside it "
		   "keeps what was read: the page cache of the host, or a cache of the storage. A "
		   "number from data that was written or read lately is then that cache's, not the "
		   "medium's.",
	.established =
		"4 KiB direct reads of old, non-resident blocks, each beside a re-read of a block "
		"that was touched 16 steps before, in random order, compared pair by pair, in "
		"several places of the disk.",
	.example = "QEMU guest, first reads against re-reads: ratio 0.99 to 1.00 with "
		   "`cache=none`, 1.69 to 1.70 with `cache=writeback`, and 1.01 when the "
		   "same blocks were read a second time.",
	.touches = "Flags device-read.",
	.remedy = "On the host, open the disk without its cache (QEMU: `cache=none`); else "
		  "measure with data much larger than the host's memory, or say that the number "
		  "includes the host's cache.",
};
FINDING_REGISTER(read_cache_kind);

static const struct finding_kind penalty_kind = {
	.head = { .id = "first-touch-penalty",
		.summary = "some blocks took longer when they were read for the first time" },
	.meaning =
		"First reads were slower than second ones, but in one place of the disk only, or "
		"on a kind of volume that fetches its blocks from a snapshot at the first touch. "
		"That is no proof of a cache. A number from blocks that were never read on this "
		"machine may hold this cost.",
	.established = "The same comparison of first reads and re-reads as for "
		       "read-cache-below-horizon.",
	.example = "A cloud microVM: most old files 1.01 to 1.02, and one that nobody had "
		   "read lately, where 10.8 % of the first reads took more than twice the "
		   "re-reads' 95th percentile: 5.3 ms against 0.14 ms.",
	.touches = "A note for device-read.",
	.remedy = "Read the whole disk or file once beforehand (`dd if=FILE of=/dev/null bs=1M "
		  "iflag=direct`) and measure then.",
};
FINDING_REGISTER(penalty_kind);

static const struct finding_kind device_cache_kind = {
	.head = { .id = "device-cache",
		.summary = "the disk or its controller has a cache of its own" },
	.meaning = "A disk that is not known to be virtual answered re-reads faster than first "
		   "reads, or took longer to flush the more was written. Disks and controllers "
		   "have memory for that; it belongs to the device that is measured.",
	.established = "First reads of old blocks against re-reads; the time of a flush after 0 to "
		       "64 MiB of direct writes.",
	.example = "A drive with 256 MiB of memory on its board answers a re-read from "
		   "there, and a flush takes the longer the more it still holds. Whoever "
		   "bought the drive bought that memory too.",
	.touches = "A note for device-read, device-write and durable-write.",
	.remedy = "Measure with more data than the disk's cache holds (its data sheet; "
		  "controllers: some GiB).",
};
FINDING_REGISTER(device_cache_kind);

static unsigned regions_shown(const struct first_touch_experiment *touch)
{
	unsigned shown = 0;

	for (unsigned i = 0; i < MIN(touch->regions, (unsigned)FIRST_TOUCH_REGIONS); i++)
		shown += touch_region_shows(&touch->region[i]);
	return shown;
}

static void say(const struct first_touch_experiment *touch, const struct finding_kind *kind,
	enum severity severity, struct findings *findings)
{
	const char *device = touch->device ? touch->device : "the disk";
	unsigned shown = regions_shown(touch);
	struct finding *finding = finding_add(findings, kind, severity, touch->device);

	finding_message(finding,
		"first reads of old blocks of %s took %.2f times as long as second ones (%.1f %% "
		"of them far longer), in %u of %u places",
		device, touch->ratio, 100 * touch->slow_share, shown, touch->regions);
	finding_source(finding, "%u pairs of direct 4 KiB reads at %s", touch->pairs, device);
	finding_observe_real(finding, "ratio", touch->ratio);
	finding_observe_real(finding, "ratio_low", touch->ratio_low);
	finding_observe_real(finding, "ratio_high", touch->ratio_high);
	finding_observe_real(finding, "slow_share", touch->slow_share);
	finding_observe_u64(finding, "places", touch->regions);
	finding_observe_u64(finding, "places_slower", shown);
	finding_observe_u64(finding, "pairs", touch->pairs);
	finding_observe_u64(finding, "reread_median_ns", touch->retouch_median_ns);
}

static void judge_touch(const struct first_touch_experiment *touch, struct findings *findings)
{
	enum touch_answer answer = touch_answer_of(touch);

	if (answer == TOUCH_CACHED && !touch->device_virtual)
		say(touch, &device_cache_kind, SEVERITY_NOTE, findings);
	else if (read_cache_shown(touch))
		say(touch, &read_cache_kind, SEVERITY_FLAG, findings);
	else if (answer == TOUCH_CACHED || answer == TOUCH_ONE_REGION)
		say(touch, &penalty_kind, SEVERITY_NOTE, findings);
}

/* A disk's own write cache shows itself by its flush. */
static void judge_flush(const struct flush_scaling_experiment *flush, struct findings *findings)
{
	struct finding *finding;

	finding = finding_add(findings, &device_cache_kind, SEVERITY_NOTE, flush->device);
	flush_say(flush, finding);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct experiments *e = evidence->experiments;

	if (!e)
		return;
	if (evidence->claim == CLAIM_DEVICE_READ)
		judge_touch(&e->first_touch, findings);
	else if ((evidence->claim == CLAIM_DEVICE_WRITE ||
			 evidence->claim == CLAIM_DURABLE_WRITE) &&
		!disk_is_virtual(evidence->stack) &&
		flush_shape_of(&e->flush_scaling) == FLUSH_GROWS)
		judge_flush(&e->flush_scaling, findings);
}

static const struct rule below_horizon_reads_rule = {
	.head = { .id = "below-horizon-reads",
		.order = 180,
		.summary = "a read cache below the lowest disk, shown by first reads" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(below_horizon_reads_rule);
