// SPDX-License-Identifier: GPL-2.0-or-later
// A cgroup throttles block I/O.
#include "rules/rules.h"

static const struct finding_kind io_throttled_kind = {
	.head = { .id = "io-throttled", .summary = "a cgroup throttles block I/O" },
	.meaning = "A throttle on a device delays I/Os beyond a rate. What is measured "
		   "then is the throttle: the number is true here, and says nothing of the "
		   "device.",
	.established = "io.max (v2) or blkio.throttle.* (v1) of this group and those above it.",
	.example = "A throttle of 52,428,800 B/s on a disk: fio measured 52.6 MB/s, "
		   "and of 2,000 operations a second 1,998. The disk does many times "
		   "that.",
	.touches = "A note for all claims: page-cache-read, device-read, "
		   "buffered-write, device-write, durable-write and metadata-op.",
	.remedy = "Measure without it: `docker run` without --device-read-bps and its "
		  "kin, `systemctl set-property UNIT IOReadBandwidthMax=`.",
};
FINDING_REGISTER(io_throttled_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct environment *e = evidence->environment;
	struct finding *finding;

	if (!e || !e->io.set)
		return;
	finding = finding_add(findings, &io_throttled_kind, SEVERITY_NOTE, NULL);
	finding_message(
		finding, "a throttle is set for %llu device(s)", (unsigned long long)e->io.value);
	finding_source(finding, "%s", e->io.source);
	finding_observe_u64(finding, "throttles", e->io.value);
}

static const struct rule io_throttled_rule = {
	.head = { .id = "io-throttled",
		.order = 350,
		.summary = "throttles on block I/O are told" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(io_throttled_rule);
