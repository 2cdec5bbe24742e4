// SPDX-License-Identifier: GPL-2.0-or-later
// "Cold" from a resident file, "warm" from one that is not.
#include <string.h>

#include "core/text.h"
#include "rules/levels.h"
#include "rules/rules.h"

static const struct finding_kind cache_not_cold_kind = {
	.head = { .id = "cache-not-cold",
		.summary = "the case says cold, and the file was in the page cache" },
	.meaning =
		"Evicting a file is a request that the kernel may ignore (dirty pages, pages "
		"mapped or locked by someone, tmpfs, containers where drop_caches is read-only). "
		"The file was still resident when the read began, so it was not cold.",
	.established = "Pages of the file in the page cache just before the interval (cachestat, "
		       "mincore), read back after the eviction.",
	.example = "128 MiB just written and then \"evicted\" (`dd iflag=nocache count=0`): "
		   "dirty pages cannot be, all 32,768 stayed, and the cold read ran at 6.0 "
		   "GB/s. After a sync the same command worked: 567 MB/s.",
	.touches = "Refuses the number whose case says cold.",
	.remedy = "See who holds it (`fuser -v FILE`), write it back and evict it (`sync FILE; dd "
		  "if=FILE iflag=nocache count=0`), and check with `fincore FILE`.",
};
FINDING_REGISTER(cache_not_cold_kind);

static const struct finding_kind cache_not_warm_kind = {
	.head = { .id = "cache-not-warm",
		.summary = "the case says warm, and the page cache did not hold the file" },
	.meaning = "A warm read is one that the page cache answers. Here part of the file was not "
		   "resident, or devices were read for it, so the number mixes memory and device. "
		   "A cgroup memory limit smaller than the file never lets it warm up.",
	.established = "Pages of the file in the page cache just before the interval; bytes that "
		       "were fetched for this process meanwhile (/proc/self/io, a private cgroup).",
	.example = "A file of 128 MiB in a cgroup with memory for 64 MiB: after every pass "
		   "15,872 of 32,768 pages were resident, and the second pass was as slow as "
		   "the first (1.1 against 1.2 GB/s; 6 GB/s without the limit).",
	.touches = "Refuses page-cache-read and every case that says warm.",
	.remedy = "Read a file that fits: `read-path:size=64M`. See the limits with `free -m` and "
		  "`cat /sys/fs/cgroup/memory.max`.",
};
FINDING_REGISTER(cache_not_warm_kind);

static void judge_residency(const struct evidence *e, const struct finding_kind *kind, bool wrong,
	struct findings *findings)
{
	const struct residency *before = &e->ledger->before;
	struct finding *finding;

	if (!wrong)
		return;
	finding = finding_add(findings, kind, SEVERITY_REFUSE, NULL);
	finding_message(finding, "%llu of %llu pages (%.1f %%) were resident before the read",
		(unsigned long long)before->resident, (unsigned long long)before->pages,
		100 * share_of(before->resident, before->pages));
	finding_source(finding, "%s", before->source ? before->source : "page cache residency");
	finding_observe_u64(finding, "resident_pages", before->resident);
	finding_observe_u64(finding, "file_pages", before->pages);
}

static double resident_share(const struct ledger *ledger)
{
	return share_of(ledger->before.resident, ledger->before.pages);
}

/* The commands with this file's name, ready to be pasted; of our own file nobody knows one. */
static void name_file(const char *file, struct finding *finding)
{
	_cleanup_free_ char *word = file ? text_shell_word(file) : NULL;

	if (word)
		finding_remedy(finding,
			"See who holds it: `fuser -v %s`; write it back and evict it: `sync %s; dd "
			"if=%s iflag=nocache count=0`; then `fincore %s` has to say 0 pages.",
			word, word, word, word);
	else
		finding_remedy(finding,
			"The file was made for this run: its filesystem keeps what it is asked to "
			"evict (memory, some network and FUSE mounts), or is still writing. `sync` "
			"and "
			"run again, or read a file of yours: `read-path:file=FILE`.");
}

static void judge_cold(const struct evidence *e, struct findings *findings)
{
	size_t said = findings->count;

	judge_residency(
		e, &cache_not_cold_kind, resident_share(e->ledger) > RESIDENT_COLD_MAX, findings);
	if (findings->count > said)
		name_file(e->file, &findings->item[said]);
}

/*
 * Bytes fetched for this process: the larger of /proc/self/io and our own at the topmost block
 * layer. Anybody's reads at a device prove nothing against a warm read.
 */
static uint64_t fetched_for_us(const struct evidence *e, const char **source)
{
	const struct process_reading *process = &e->ledger->process;
	struct level_sum level[STACK_LAYERS_MAX];
	size_t levels = levels_read(e->stack, e->ledger, level);
	uint64_t fetched = process->known ? process->read_bytes : 0;

	*source = "proc/self/io read_bytes";
	for (size_t i = 0; i < levels; i++) {
		if (level[i].dead || !level[i].attributed || level[i].inferred)
			continue;
		if (level[i].moved.read_bytes > fetched) {
			fetched = level[i].moved.read_bytes;
			*source = "private cgroup";
		}
		break;
	}
	return fetched;
}

static void judge_fetched(const struct evidence *e, struct findings *findings)
{
	const char *source;
	uint64_t fetched = fetched_for_us(e, &source), asked = e->ledger->asked.distinct_bytes;
	_cleanup_free_ char *part = text_bytes(fetched), *whole = text_bytes(asked);
	struct finding *finding;

	if (asked == 0 || share_of(fetched, asked) <= WARM_FETCHED_MAX)
		return;
	finding = finding_add(findings, &cache_not_warm_kind, SEVERITY_REFUSE, NULL);
	finding_message(finding, "asked %s, and %s were fetched from devices for it", whole, part);
	finding_source(finding, "%s", source);
	finding_observe_u64(finding, "asked_bytes", asked);
	finding_observe_u64(finding, "fetched_bytes", fetched);
}

static void judge_bypassed(const struct evidence *e, struct findings *findings)
{
	struct finding *finding;

	if (!e->ledger->asked.direct)
		return;
	finding = finding_add(findings, &cache_not_warm_kind, SEVERITY_REFUSE, NULL);
	finding_message(finding, "the reads used O_DIRECT, which goes round the page cache");
	finding_source(finding, "the flags of the file");
}

static void judge_warm(const struct evidence *e, struct findings *findings)
{
	bool known = e->ledger->before.known == ANSWER_YES && e->ledger->before.pages;
	size_t said = findings->count;

	judge_residency(e, &cache_not_warm_kind,
		known && resident_share(e->ledger) < RESIDENT_WARM_MIN, findings);
	if (findings->count == said)
		judge_fetched(e, findings);
	if (findings->count == said)
		judge_bypassed(e, findings);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	if (evidence->claim == CLAIM_PAGE_CACHE_READ ||
		evidence->conduct.temperature == TEMPERATURE_WARM)
		judge_warm(evidence, findings);
	else if (evidence->conduct.temperature == TEMPERATURE_COLD &&
		evidence->ledger->before.known == ANSWER_YES)
		judge_cold(evidence, findings);
}

static const struct rule cache_state_rule = {
	.head = { .id = "cache-state",
		.order = 100,
		.summary = "the page cache must be as cold or as warm as the case says" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(cache_state_rule);
