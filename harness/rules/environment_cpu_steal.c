// SPDX-License-Identifier: GPL-2.0-or-later
// The hypervisor gives processor time of this machine to others.
#include "rules/rules.h"

static const struct finding_kind cpu_steal_kind = {
	.head = { .id = "cpu-steal", .summary = "the hypervisor takes processor time away" },
	.meaning = "Steal is time in which this machine wanted to run and another one did. "
		   "It lengthens I/Os that wait for a processor, and it comes and goes "
		   "with the neighbours.",
	.established = "The eighth number of the cpu line in /proc/stat, as a share of all "
		       "time since boot.",
	.example = "A busy cloud machine of two processors had lost 0.6 % of its time "
		   "since boot: below the 1 % from which it is said.",
	.touches = "A note for all claims: page-cache-read, device-read, "
		   "buffered-write, device-write, durable-write and metadata-op.",
	.remedy = "Measure on several occasions, or on a machine with processors of its "
		  "own.",
};
FINDING_REGISTER(cpu_steal_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct environment *e = evidence->environment;
	struct finding *finding;

	if (!e || !e->cpu.steal_known || e->cpu.steal_share <= STEAL_SHARE_MAX)
		return;
	finding = finding_add(findings, &cpu_steal_kind, SEVERITY_NOTE, NULL);
	finding_message(finding, "%.1f %% of all processor time since boot went to others",
		100 * e->cpu.steal_share);
	finding_source(finding, "proc/stat");
	finding_observe_real(finding, "steal_share", e->cpu.steal_share);
}

static const struct rule cpu_steal_rule = {
	.head = { .id = "cpu-steal", .order = 330, .summary = "time stolen since boot is told" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(cpu_steal_rule);
