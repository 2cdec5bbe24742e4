// SPDX-License-Identifier: GPL-2.0-or-later
// Fewer rounds than an interval of 95 % needs.
#include "model/measurement.h"
#include "rules/rules.h"
#include "stats/stats.h"

static const struct finding_kind too_few_rounds_kind = {
	.head = { .id = "too-few-rounds", .summary = "fewer rounds than a 95 % interval needs" },
	.meaning =
		"With fewer than six rounds not even the smallest and the largest value enclose "
		"the median with 95 % confidence. The number has no interval and takes no part in "
		"a ranking.",
	.established = "The count of rounds, against the order-statistic interval of the median.",
	.example = "Three rounds of three filesystems on loop images said that ext4 is 3.2 "
		   "times faster than xfs. Repeated three times, the difference was gone.",
	.touches = "Flags every claim; there is no interval and no ranking.",
	.remedy = "`ioproof run --rounds 10` (6 at least).",
};
FINDING_REGISTER(too_few_rounds_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	size_t rounds = evidence->measurement->samples;
	struct finding *finding;

	/* No rounds at all: O_DIRECT was refused, and that is the finding. */
	if (rounds >= STATS_INTERVAL_MIN || evidence->conduct.direct_errno)
		return;
	finding = finding_add(findings, &too_few_rounds_kind, SEVERITY_FLAG, NULL);
	finding_message(finding, "%zu rounds, %d are needed for a 95 %% interval", rounds,
		STATS_INTERVAL_MIN);
	finding_source(finding, "the run");
	finding_observe_u64(finding, "rounds", rounds);
	finding_observe_u64(finding, "needed", STATS_INTERVAL_MIN);
}

static const struct rule too_few_rounds_rule = {
	.head = { .id = "too-few-rounds", .order = 170, .summary = "an interval needs six rounds" },
	.scope = RULE_MEASUREMENT,
	.judge = judge,
};
RULE_REGISTER(too_few_rounds_rule);
