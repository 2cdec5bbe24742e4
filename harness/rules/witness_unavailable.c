// SPDX-License-Identifier: GPL-2.0-or-later
// What could not be checked because a witness is dead, absent or not truthful here.
#include "core/text.h"
#include "rules/attribution.h"
#include "rules/flushes.h"

static const struct finding_kind witness_unavailable_kind = {
	.head = { .id = "witness-unavailable",
		.summary = "a counter that the claim needs is dead or cannot be read" },
	.meaning = "The claim rests on a counter that says nothing here: a block layer without I/O "
		   "statistics, page-cache residency that cannot be asked for, a filesystem that "
		   "does not list its extents. The number is neither refuted nor proved.",
	.established =
		"A calibration write that the counter did not follow, `queue/iostats`, or the "
		"error of the call that asks.",
	.example = "`echo 0 > /sys/block/loop0/queue/iostats` freezes the sectors of loop0 "
		   "(not its flushes), and the setting survives reattaching: an honest read "
		   "then counts 0 B, exactly as a lie does.",
	.touches = "Flags the claims that needed the counter.",
	.remedy =
		"Switch statistics on (`echo 1 > /sys/block/DEVICE/queue/iostats`), run as root or "
		"as the file's owner, and where /sys or /proc is masked outside the container.",
};
FINDING_REGISTER(witness_unavailable_kind);

static struct finding *flag(struct findings *findings, const char *layer, const char *source)
{
	struct finding *finding =
		finding_add(findings, &witness_unavailable_kind, SEVERITY_FLAG, layer);

	finding_source(finding, "%s", source);
	return finding;
}

/* A block layer that is surely there and whose counter proves nothing. */
static bool needs_counter(const struct evidence *e, size_t index)
{
	const struct layer *layer = &e->stack->layer[index];

	return layer_kind_is_block(layer->kind) && !layer->inferred &&
		!layer_counter_alive(layer, &e->ledger->layer[index]);
}

static bool named_before(const struct evidence *e, size_t index)
{
	const struct stack *stack = e->stack;

	for (size_t i = 0; i < index; i++)
		if (stack->layer[i].device &&
			stack->layer[i].device == stack->layer[index].device && needs_counter(e, i))
			return true;
	return false;
}

static void judge_counters(const struct evidence *e, struct findings *findings)
{
	for (size_t i = 0; i < e->stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *layer = &e->stack->layer[i];
		const char *source = layer->traits[TRAIT_COUNTED].source;
		struct finding *finding;

		if (!needs_counter(e, i) || named_before(e, i))
			continue;
		finding = flag(findings, layer->name, source ? source : "stat of the device");
		finding_message(finding, "%s: its I/O counter %s", layer->name,
			e->ledger->layer[i].known ? "stands still" : "cannot be read");
		finding_observe_text(finding, "counted", "no");
	}
}

static void judge_loops(const struct evidence *e, struct findings *findings)
{
	for (size_t i = 0; i < e->stack->count; i++) {
		const struct layer *layer = &e->stack->layer[i];
		struct finding *finding;

		if (layer->kind != LAYER_LOOP ||
			layer_trait(layer, TRAIT_HONOURS_DIRECT) != ANSWER_UNKNOWN)
			continue;
		finding = flag(findings, layer->name, "loop/dio");
		finding_message(finding, "%s: whether it bypasses its file's cache is not known",
			layer->name);
		finding_observe_text(finding, "direct_io", "unknown");
	}
}

/* A server, another machine or memory under the path has a finding of its own that says so. */
static bool explained(const struct stack *stack)
{
	static const enum layer_kind kinds[] = { LAYER_FUSE, LAYER_REMOTE, LAYER_SHARE,
		LAYER_UNKNOWN, LAYER_MEMORY };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (stack_find(stack, kinds[i]))
			return true;
	return false;
}

/* A dead counter has been named already; this is a stack with none that could have counted. */
static bool nothing_could_count(const struct evidence *e)
{
	struct level_sum level[STACK_LAYERS_MAX];
	size_t levels = levels_read(e->stack, e->ledger, level);

	for (size_t i = 0; i < levels; i++)
		if (!level[i].inferred)
			return false;
	return true;
}

static void list_attribution(const struct evidence *e, char **list)
{
	if (attribution_judge(e).state == ATTRIBUTION_UNKNOWN &&
		!attribution_lacks_privilege(e->environment))
		text_append(list, "; ", "whose bytes the device counted (%s)",
			attribution_missing(e->environment));
}

static void list_device_read(const struct evidence *e, char **list)
{
	if (e->conduct.temperature == TEMPERATURE_COLD && e->ledger->before.known != ANSWER_YES)
		text_append(list, "; ", "whether the file was in the page cache before");
	if (!explained(e->stack)) {
		if (nothing_could_count(e))
			text_append(list, "; ",
				"any device: no block layer under the path could be counted");
		if (!e->ledger->extents.known)
			text_append(
				list, "; ", "whether the file's blocks were written (no FIEMAP)");
	}
	list_attribution(e, list);
}

static void list_device_write(const struct evidence *e, char **list)
{
	if (nothing_could_count(e) && !explained(e->stack))
		text_append(
			list, "; ", "any device: no block layer under the path could be counted");
	list_attribution(e, list);
}

static void list_flush(const struct evidence *e, const struct leaf *leaf, char **list)
{
	enum answer cache = layer_trait(leaf->layer, TRAIT_VOLATILE_CACHE);

	if (leaf->guessed || cache == ANSWER_NO)
		return;
	if (!leaf->known)
		text_append(list, "; ", "how many flushes %s saw", leaf->layer->name);
	else if (cache == ANSWER_UNKNOWN && leaf->flushes < flushes_needed(&e->ledger->asked))
		text_append(list, "; ",
			"whether %s has a volatile cache (%llu flushes for %llu syncs)",
			leaf->layer->name, (unsigned long long)leaf->flushes,
			(unsigned long long)e->ledger->asked.syncs);
}

static void list_durable_write(const struct evidence *e, char **list)
{
	struct leaf leaf[STACK_LAYERS_MAX];
	size_t leaves = leaves_read(e->stack, e->ledger, leaf);
	bool sure = false;

	list_device_write(e, list);
	if (e->ledger->asked.syncs == 0)
		text_append(list, "; ", "whether anything was synced");
	for (size_t i = 0; i < leaves; i++) {
		sure |= !leaf[i].guessed;
		list_flush(e, &leaf[i], list);
	}
	if (!sure && !explained(e->stack))
		text_append(list, "; ", "any flush: no whole disk under the path could be seen");
}

static bool caches_itself(const struct layer *fs)
{
	return fs &&
		(fs->kind == LAYER_FUSE || fs->kind == LAYER_DATASET || fs->kind == LAYER_UNKNOWN ||
			fs->kind == LAYER_SHARE || fs->kind == LAYER_HIDDEN);
}

static void list_buffered_write(const struct evidence *e, char **list)
{
	const struct layer *fs = stack_filesystem(e->stack);

	if (!fs)
		text_append(list, "; ", "which filesystem took the writes");
	else if (layer_trait(fs, TRAIT_IN_MEMORY) == ANSWER_YES)
		return;
	else if (caches_itself(fs))
		text_append(list, "; ",
			"whether the page cache took the bytes: %s keeps a cache of its own",
			fs->name);
	else if (!e->ledger->machine.dirtied_known)
		text_append(list, "; ", "whether the page cache took the bytes (nr_dirtied)");
}

static void list_page_cache_read(const struct evidence *e, char **list)
{
	if (e->ledger->before.known != ANSWER_YES || e->ledger->before.pages == 0)
		text_append(list, "; ", "whether the file was in the page cache before");
	if (!e->ledger->process.known)
		text_append(list, "; ", "what was fetched for this process (/proc/self/io)");
}

static void list_claim(const struct evidence *e, char **list)
{
	static void (*const of_claim[])(const struct evidence *, char **) = {
		[CLAIM_PAGE_CACHE_READ] = list_page_cache_read,
		[CLAIM_DEVICE_READ] = list_device_read,
		[CLAIM_BUFFERED_WRITE] = list_buffered_write,
		[CLAIM_DEVICE_WRITE] = list_device_write,
		[CLAIM_DURABLE_WRITE] = list_durable_write,
		[CLAIM_METADATA_OP] = NULL,
	};

	if (!of_claim[e->claim])
		return;
	if (e->ledger->asked.distinct_bytes == 0)
		text_append(list, "; ", "anything: not one byte was %s",
			claim_of_read(e->claim) ? "read" : "written");
	else if (e->ledger->asked.write == claim_of_read(e->claim))
		text_append(list, "; ", "anything: the interval moved bytes the other way");
	else
		of_claim[e->claim](e, list);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct layer *fs = stack_filesystem(evidence->stack);
	_cleanup_free_ char *list = NULL;
	struct finding *finding;

	if (claim_of_device_or_durable(evidence->claim))
		judge_counters(evidence, findings);
	if (claim_of_device(evidence->claim))
		judge_loops(evidence, findings);
	list_claim(evidence, &list);
	if (!list)
		return;
	finding = flag(findings, NULL, "the witnesses of the interval");
	finding_message(finding, "not known: %s", list);
	finding_observe_text(finding, "not_known", list);
	if (evidence->claim != CLAIM_BUFFERED_WRITE || !caches_itself(fs))
		return;
	finding_remedy(finding,
		"No setting lifts this: the cache of %s is not counted. Claim a durable write "
		"instead (fsync inside the timer), or measure what it stands on.",
		fs->name);
}

static const struct rule witness_unavailable_rule = {
	.head = { .id = "witness-unavailable",
		.order = 140,
		.summary = "every witness that a claim needs must have spoken" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(witness_unavailable_rule);
