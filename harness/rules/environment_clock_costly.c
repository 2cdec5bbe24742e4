// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the clock costs as much as a fast I/O.
#include "rules/rules.h"

static const struct finding_kind clock_costly_kind = {
	.head = { .id = "clock-costly", .summary = "reading the clock is slow on this machine" },
	.meaning = "Every timed I/O pays for reading the clock. Where the kernel cannot "
		   "answer that from user space (hpet, acpi_pm, some hypervisors' clocks), "
		   "a reading costs as much as a cached read itself, and latencies of "
		   "cached I/O are the clock's.",
	.established = "The quietest of eight batches of clock_gettime(2), and "
		       "clocksource0/current_clocksource.",
	.example = "The same machine, its clock read from user space and by a system "
		   "call: 26 and 278 ns. A cached read of 4 KiB takes about 1,000 ns.",
	.touches = "A note for all claims: page-cache-read, device-read, "
		   "buffered-write, device-write, durable-write and metadata-op. It "
		   "matters most for the latencies of page-cache-read.",
	.remedy = "Choose a faster clock source where the machine offers one: `cat "
		  "/sys/devices/system/clocksource/clocksource0/available_clocksource`, "
		  "then boot with clocksource=tsc.",
};
FINDING_REGISTER(clock_costly_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct environment *e = evidence->environment;
	struct finding *finding;

	if (!e || !e->clock.reading_ns.known || e->clock.reading_ns.value < CLOCK_READING_SLOW_NS)
		return;
	finding = finding_add(findings, &clock_costly_kind, SEVERITY_NOTE, NULL);
	finding_message(finding, "one reading of the clock (%s) takes %llu ns",
		e->clock.source ? e->clock.source : "source unknown",
		(unsigned long long)e->clock.reading_ns.value);
	finding_source(finding, "clock_gettime(CLOCK_MONOTONIC)");
	finding_observe_u64(finding, "reading_ns", e->clock.reading_ns.value);
}

static const struct rule clock_costly_rule = {
	.head = { .id = "clock-costly", .order = 340, .summary = "a slow clock is told" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(clock_costly_rule);
