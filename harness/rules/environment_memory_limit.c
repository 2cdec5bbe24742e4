// SPDX-License-Identifier: GPL-2.0-or-later
// A cgroup limits the memory that this process may fill, the page cache included.
#include "rules/rules.h"

static const struct finding_kind memory_limit_kind = {
	.head = { .id = "memory-limit",
		.summary = "a cgroup limits memory, and the page cache counts towards it" },
	.meaning = "Cached pages are charged to the cgroup that reads or writes them. A "
		   "file larger than the limit never becomes warm, buffered writes stall "
		   "earlier than on the whole machine, and a cold case may be colder than "
		   "elsewhere.",
	.established = "memory.max and memory.high (v2) or memory.limit_in_bytes (v1) of this "
		       "group and those above it; the lowest counts.",
	.example = "A file of 256 MiB read three times in a group limited to 64 MiB: "
		   "256 MiB came from the disk each time, at 1.1 to 1.2 GB/s. Without "
		   "the limit the second and third time read nothing from it, at 4.1 "
		   "and 4.7 GB/s.",
	.touches = "A note for all claims: page-cache-read, device-read, "
		   "buffered-write, device-write, durable-write and metadata-op. "
		   "page-cache-read is refused by cache-not-warm where the file does "
		   "not fit.",
	.remedy = "Keep size= well below the limit, or raise it: `docker run --memory`, "
		  "`systemctl set-property UNIT MemoryMax= MemoryHigh=`.",
};
FINDING_REGISTER(memory_limit_kind);

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct environment *e = evidence->environment;
	const struct known_limit *limit = e ? &e->memory.limit : NULL;
	struct finding *finding;

	if (!limit || !limit->set || (e->memory_bytes && limit->value >= e->memory_bytes))
		return;
	finding = finding_add(findings, &memory_limit_kind, SEVERITY_NOTE, NULL);
	if (e->memory_bytes)
		finding_message(finding,
			"this process and its page cache may use %llu MiB of %llu MiB",
			(unsigned long long)(limit->value / MIB),
			(unsigned long long)(e->memory_bytes / MIB));
	else
		finding_message(finding, "this process and its page cache may use %llu MiB",
			(unsigned long long)(limit->value / MIB));
	finding_source(finding, "%s", limit->source);
	finding_observe_u64(finding, "limit_bytes", limit->value);
	if (e->memory_bytes)
		finding_observe_u64(finding, "memory_bytes", e->memory_bytes);
}

static const struct rule memory_limit_rule = {
	.head = { .id = "memory-limit", .order = 310, .summary = "limits on memory are told" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(memory_limit_rule);
