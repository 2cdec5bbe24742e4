// SPDX-License-Identifier: GPL-2.0-or-later
// Direct writes that went through the page cache and were written out at once.
#include "model/measurement.h"
#include "rules/deficit.h"
#include "rules/dirtied.h"

static const struct finding_kind direct_io_fallback_kind = {
	.head = { .id = "direct-io-fallback",
		.summary = "direct writes were buffered first, then written" },
	.meaning =
		"The filesystem took O_DIRECT, copied the data into the page cache, and wrote it "
		"out before it returned. The bytes did reach the device, but the number holds a "
		"copy and the cache's bookkeeping: it is not what O_DIRECT costs on this device.",
	.established =
		"Pages dirtied on this machine (`nr_dirtied` in /proc/vmstat) during direct "
		"writes: an honest one dirties a few for metadata, a buffered one all of its "
		"pages. Or pages of the file left in the cache; the filesystem's own declaration.",
	.example = "btrfs with data checksums (since Linux 6.14): 64 MiB written with O_DIRECT "
		   "dirtied about 16,400 pages, as many as the data has; 2 to 45 on ext4, xfs and "
		   "on a btrfs file with `chattr +C`. All 64 MiB were at the disk each time.",
	.touches = "Flags device-write and durable-write that use O_DIRECT.",
	.remedy = "On btrfs use a file without checksums (`chattr +C` on the empty directory), on "
		  "ext4 mount without `data=journal`; or claim a buffered write with fsync.",
};
FINDING_REGISTER(direct_io_fallback_kind);

static const struct finding_kind direct_io_undecided_kind = {
	.head = { .id = "direct-io-undecided",
		.summary = "whether direct writes were buffered first could not be told" },
	.meaning = "A direct write that is buffered first shows in the pages that the machine "
		   "dirtied meanwhile. Here so many were that it may have been, and not in the "
		   "proportion that would show it: other programs wrote at the same time.",
	.established = "Pages dirtied on this machine (`nr_dirtied` in /proc/vmstat) during direct "
		       "writes, in the round with the fewest, on a filesystem that does not "
		       "declare its direct I/O (statx STATX_DIOALIGN).",
	.example = "16 MiB written with O_DIRECT on btrfs with data checksums, four times beside "
		   "busy neighbours: 6,264, 8,767, 4,132 and 4,401 pages dirtied for 4,096 "
		   "written. The third alone shows that each page was buffered once.",
	.touches = "Flags device-write and durable-write that use O_DIRECT.",
	.remedy = "Repeat it on a quiet machine, or with more rounds: one quiet round decides. "
		  "As root, `ioproof probe --trace DIR` asks the page cache itself.",
};
FINDING_REGISTER(direct_io_undecided_kind);

static struct finding *flag(const struct evidence *e, struct findings *findings)
{
	const struct layer *fs = stack_filesystem(e->stack);

	return finding_add(findings, &direct_io_fallback_kind, SEVERITY_FLAG, fs ? fs->name : NULL);
}

static bool judge_declared(const struct evidence *e, struct findings *findings)
{
	const struct layer *fs = stack_filesystem(e->stack);
	const struct trait *trait = fs ? &fs->traits[TRAIT_HONOURS_DIRECT] : NULL;
	struct finding *finding;

	if (!trait || trait->answer != ANSWER_NO)
		return false;
	finding = flag(e, findings);
	finding_message(finding, "%s takes O_DIRECT and does not honour it (%s)", fs->name,
		trait->source ? trait->source : known_by_name(trait->known_by));
	finding_source(finding, "%s", trait->source ? trait->source : "the filesystem");
	finding_observe_text(finding, "honours_o_direct", answer_name(trait->answer));
	return true;
}

/* The whole number of layers that buffered, as the ratio suggests; 0: none, or others dirtied. */
static unsigned buffering_layers(double ratio)
{
	for (unsigned n = 1; n <= DIRECT_BUFFERING_LAYERS_MAX; n++)
		if (ratio >= n * (1 - DIRECT_DIRTIED_WINDOW) &&
			ratio <= n * (1 + DIRECT_DIRTIED_WINDOW))
			return n;
	return 0;
}

/* Pages dirtied for each page written; 0: not known, or too few to tell. */
static double dirtied_ratio(const struct ledger *ledger)
{
	uint64_t pages = dirtied_pages_of(ledger, ledger->asked.bytes);

	if (!ledger->machine.dirtied_known || pages < DIRTIED_PAGES_MIN)
		return 0;
	return (double)ledger->machine.pages_dirtied / (double)pages;
}

static void say_dirtied(const struct ledger *ledger, struct finding *finding, const char *more)
{
	uint64_t pages = dirtied_pages_of(ledger, ledger->asked.bytes);

	finding_message(finding, "%llu pages written with O_DIRECT, and %llu pages were dirtied%s",
		(unsigned long long)pages, (unsigned long long)ledger->machine.pages_dirtied, more);
	finding_source(finding, "proc/vmstat nr_dirtied");
	finding_observe_u64(finding, "written_pages", pages);
	finding_observe_u64(finding, "pages_dirtied", ledger->machine.pages_dirtied);
}

/* A filesystem that declares what alignment its direct I/O needs has direct I/O (statx(2)). */
static bool declares_direct(const struct evidence *e)
{
	return e->experiments && e->experiments->direct.alignment_declared &&
		e->experiments->direct.memory_alignment;
}

static size_t rounds_of(const struct evidence *e)
{
	return e->measurement ? e->measurement->samples : 1;
}

/*
 * A trace says it of this file alone, whatever others dirty. That nothing entered is an answer only
 * where buffered writes were seen to, and no server stands between, whose file has its own number.
 */
static bool trace_settles(const struct evidence *e, const struct ledger *ledger)
{
	return ledger->adds.known && e->experiments && e->experiments->cached.state.done &&
		cache_added_ratio(&e->experiments->cached.write) >= DIRECT_LEFT_RESIDENT &&
		!stack_find(e->stack, LAYER_FUSE);
}

static bool judge_traced(
	const struct evidence *e, const struct ledger *ledger, struct findings *findings)
{
	if (cache_added_ratio(ledger) < DIRECT_LEFT_RESIDENT)
		return trace_settles(e, ledger);
	cache_added_report(ledger, "written", flag(e, findings));
	return true;
}

static bool judge_dirtied(
	const struct evidence *e, const struct ledger *ledger, struct findings *findings)
{
	const struct layer *fs = stack_filesystem(e->stack);
	double ratio = dirtied_ratio(ledger);

	if (ratio < DIRECT_DIRTIED_MIN)
		return false;
	/* there, one interval in which a neighbour dirtied as many pages is no proof */
	if (declares_direct(e) && rounds_of(e) < DIRECT_DIRTIED_ROUNDS_MIN)
		return false;
	if (buffering_layers(ratio))
		say_dirtied(ledger, flag(e, findings), "");
	else if (!declares_direct(e))
		say_dirtied(ledger,
			finding_add(findings, &direct_io_undecided_kind, SEVERITY_FLAG,
				fs ? fs->name : NULL),
			", by whom is not known");
	return true;
}

static void judge_left_pages(
	const struct evidence *e, const struct ledger *ledger, struct findings *findings)
{
	const struct residency *before = &ledger->before, *after = &ledger->after;
	struct finding *finding;
	uint64_t grown;

	if (before->known != ANSWER_YES || after->known != ANSWER_YES ||
		after->resident <= before->resident)
		return;
	grown = after->resident - before->resident;
	if (share_of(grown, after->pages) < DIRECT_LEFT_RESIDENT)
		return;
	finding = flag(e, findings);
	finding_message(finding, "direct writes left %llu of %llu pages in the page cache",
		(unsigned long long)after->resident, (unsigned long long)after->pages);
	finding_source(finding, "%s", after->source ? after->source : "page cache residency");
	finding_observe_u64(finding, "resident_before_pages", before->resident);
	finding_observe_u64(finding, "resident_after_pages", after->resident);
}

/* Others only add to the count: the round with the fewest is the truest. A licence has but one. */
static const struct ledger *quietest(const struct evidence *e)
{
	const struct measurement *m = e->measurement;
	const struct ledger *best = m && m->samples ? &m->sample[0].ledger : e->ledger;

	for (size_t i = 1; m && i < m->samples; i++)
		if (dirtied_ratio(&m->sample[i].ledger) < dirtied_ratio(best))
			best = &m->sample[i].ledger;
	return best;
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct evidence round = *evidence;

	round.ledger = quietest(evidence);
	if (!claim_of_device_write(evidence->claim) || !round.ledger ||
		!round.ledger->asked.write || !round.ledger->asked.direct ||
		deficit_find(&round).culprit != CULPRIT_NONE)
		return;
	if (!judge_declared(evidence, findings) &&
		!judge_traced(evidence, round.ledger, findings) &&
		!judge_dirtied(evidence, round.ledger, findings))
		judge_left_pages(evidence, round.ledger, findings);
}

static const struct rule direct_io_fallback_rule = {
	.head = { .id = "direct-io-fallback",
		.order = 65,
		.summary = "direct writes must not dirty the page cache" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(direct_io_fallback_rule);
