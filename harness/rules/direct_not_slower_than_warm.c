// SPDX-License-Identifier: GPL-2.0-or-later
// Where no device can be counted: a direct read as fast as the page cache is hardly a device's.
#include "model/measurement.h"
#include "rules/deficit.h"
#include "stats/stats.h"

static const struct finding_kind direct_not_slower_than_warm_kind = {
	.head = { .id = "direct-not-slower-than-warm",
		.summary =
			"direct reads are as fast as cached ones, and no device can be counted" },
	.meaning =
		"Under this path no device can be counted, so nothing shows where the bytes came "
		"from. They came as fast as the same file does out of the page cache, which few "
		"devices can: a cache has probably answered. With another sign of a cache the "
		"number is refused.",
	.established = "The medians of the direct and of the warm case of the same workload on the "
		       "same target; bytes at all disks of this machine; declared caches.",
	.example = "ntfs-3g on a loop device: the first direct read of 200 MB 733 MB/s, the "
		   "second 3.5 GB/s, as memory does. Where the device beneath cannot be "
		   "counted, that is the only sign.",
	.touches = "Flags device-read; refuses it with any other sign of a cache.",
	.remedy = "Measure the filesystem or the machine that serves this mount: "
		  "`ioproof run --on DIR` there.",
};
FINDING_REGISTER(direct_not_slower_than_warm_kind);

/* Median of bytes per nanosecond, whatever the metric is; 0 when there is none. */
static double median_rate(const struct measurement *m)
{
	_cleanup_free_ double *rate = xcalloc(m->samples, sizeof(*rate));
	size_t count = 0;

	for (size_t i = 0; i < m->samples; i++)
		if (m->sample[i].ns && m->sample[i].bytes)
			rate[count++] = share_of(m->sample[i].bytes, m->sample[i].ns);
	return count ? stats_median(rate, count) : 0;
}

static bool device_counted(const struct evidence *e)
{
	struct level_sum level[STACK_LAYERS_MAX];

	for (size_t i = 0; i < e->measurement->samples; i++) {
		size_t levels = levels_read(e->stack, &e->measurement->sample[i].ledger, level);

		for (size_t l = 0; l < levels; l++)
			if (!level[l].dead && !level[l].inferred)
				return true;
	}
	return false;
}

static const struct measurement *warm_sibling(const struct evidence *e)
{
	for (size_t i = 0; i < e->siblings; i++)
		if (e->sibling[i]->claim == CLAIM_PAGE_CACHE_READ && e->sibling[i]->samples)
			return e->sibling[i];
	return NULL;
}

static bool no_disk_moved(const struct measurement *m)
{
	for (size_t i = 0; i < m->samples; i++)
		if (deficit_at_all_disks(&m->sample[i].ledger))
			return true;
	return false;
}

/* Another sign of a cache, in words; NULL: none. */
static const char *other_sign(const struct evidence *e)
{
	if (no_disk_moved(e->measurement))
		return "no disk of this machine read that much meanwhile";
	if (stack_find_trait(e->stack, TRAIT_CACHES_READS, ANSWER_YES))
		return "a layer is known to cache reads";
	return NULL;
}

static void say(const struct evidence *e, double direct, double warm, struct findings *findings)
{
	const char *sign = other_sign(e);
	struct finding *finding = finding_add(findings, &direct_not_slower_than_warm_kind,
		sign ? SEVERITY_REFUSE : SEVERITY_FLAG,
		e->stack->count ? e->stack->layer[0].name : NULL);

	finding_message(finding, "direct %.0f MB/s, warm %.0f MB/s, and no device to count%s%s",
		direct * 1e3, warm * 1e3, sign ? "; " : "", sign ? sign : "");
	finding_source(finding, "medians of the two cases");
	finding_observe_real(finding, "direct_bytes_per_s", direct * 1e9);
	finding_observe_real(finding, "warm_bytes_per_s", warm * 1e9);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct measurement *warm;
	double direct_rate, warm_rate;

	if (evidence->claim != CLAIM_DEVICE_READ || !evidence->conduct.direct ||
		evidence->conduct.direct_errno || device_counted(evidence))
		return;
	warm = warm_sibling(evidence);
	if (!warm)
		return;
	direct_rate = median_rate(evidence->measurement);
	warm_rate = median_rate(warm);
	if (direct_rate > 0 && warm_rate > 0 && direct_rate >= DIRECT_TO_WARM_MIN * warm_rate)
		say(evidence, direct_rate, warm_rate, findings);
}

static const struct rule direct_not_slower_than_warm_rule = {
	.head = { .id = "direct-not-slower-than-warm",
		.order = 90,
		.summary = "direct reads against cached ones, where no device can be counted" },
	.scope = RULE_MEASUREMENT,
	.judge = judge,
};
RULE_REGISTER(direct_not_slower_than_warm_rule);
