// SPDX-License-Identifier: GPL-2.0-or-later
// A quota stops this process when its share of a period is used up.
#include "rules/rules.h"

static const struct finding_kind cpu_throttled_kind = {
	.head = { .id = "cpu-throttled", .summary = "a cgroup limits processor time" },
	.meaning = "When the quota of a period is spent, every thread of the group stands "
		   "still until the next one, 100 ms by default. A stalled round looks "
		   "like slow storage, and the highest latencies are the scheduler's.",
	.established = "cpu.max (v2) or cpu.cfs_quota_us (v1) of this group and those above "
		       "it, and the throttled periods of cpu.stat.",
	.example = "A cached file of 256 MiB read in 1 MiB pieces with a quota of a "
		   "fifth of a processor: 2.1 to 2.8 GB/s instead of 4.1 to 4.7, and "
		   "single reads of 26 to 42 ms; the group was throttled in ten "
		   "periods, for 303 ms in all.",
	.touches = "A note for all claims: page-cache-read, device-read, "
		   "buffered-write, device-write, durable-write and metadata-op.",
	.remedy = "Measure without a quota: `docker run` without --cpus, `systemctl set-"
		  "property UNIT CPUQuota=`.",
};
FINDING_REGISTER(cpu_throttled_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct environment *e = evidence->environment;
	const struct known_limit *quota = e ? &e->cpu.quota : NULL;
	struct finding *finding;

	/* As many as there are processors is no limit. */
	if (!quota || !quota->set || (e->cpus && quota->value >= 1000ULL * e->cpus))
		return;
	finding = finding_add(findings, &cpu_throttled_kind, SEVERITY_NOTE, NULL);
	finding_message(finding,
		"this process may use %.2f of %u processors; %.1f %% of the "
		"group's periods so far were throttled",
		(double)quota->value / 1000, e->cpus,
		100 * share_of(e->cpu.throttled_periods.value, e->cpu.periods.value));
	finding_source(finding, "%s, cpu.stat", quota->source);
	finding_observe_real(finding, "quota_cpus", (double)quota->value / 1000);
	if (e->cpu.throttled_periods.known)
		finding_observe_u64(finding, "throttled_periods", e->cpu.throttled_periods.value);
}

static const struct rule cpu_throttled_rule = {
	.head = { .id = "cpu-throttled",
		.order = 320,
		.summary = "limits on processor time are told" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(cpu_throttled_rule);
