// SPDX-License-Identifier: GPL-2.0-or-later
// The filesystem wrote more than the workload and its syncs explain.
#include "core/text.h"
#include "rules/levels.h"
#include "rules/rules.h"

static const struct finding_kind background_writes_kind = {
	.head = { .id = "background-writes",
		.summary = "the filesystem wrote more than the workload asked for" },
	.meaning =
		"While the timer ran, the filesystem did work of its own: finishing inode tables "
		"(lazy init), trimming, journalling data twice, writing back what was written "
		"before. It took time on the same device, so the number is partly about that.",
	.established =
		"Bytes written at the topmost block layer that is ours alone, a loop device or one "
		"with a private cgroup, beyond those asked for, a copy on each device, and what "
		"each sync may write to a journal.",
	.example = "ext4 made with default options wrote 256 MiB of inode tables within 10 s of "
		   "its first mount, without anybody writing a file. With `data=journal` every "
		   "byte is written twice.",
	.touches = "Flags device-read, device-write and durable-write.",
	.remedy = "Make the filesystem ready first: `mkfs.ext4 -E "
		  "lazy_itable_init=0,lazy_journal_init=0`, mount with `nodiscard`, and `sync` "
		  "before measuring.",
};
FINDING_REGISTER(background_writes_kind);

/* Where nobody else writes; false: there is no such level, and a surplus is foreign-io's. */
static bool written_by_us(const struct evidence *e, struct level_sum *top, uint64_t *ret)
{
	struct level_sum level[STACK_LAYERS_MAX];

	if (levels_read(e->stack, e->ledger, level) == 0 || level[0].dead || level[0].inferred ||
		level[0].below_fuse)
		return false;
	*top = level[0];
	if (top->layer->kind != LAYER_LOOP && !top->attributed)
		return false;
	*ret = top->layer->kind == LAYER_LOOP ? top->total.write_bytes : top->moved.write_bytes;
	return true;
}

static void say(const struct evidence *e, const struct level_sum *top, uint64_t written,
	uint64_t extra, struct findings *findings)
{
	_cleanup_free_ char *all = text_bytes(written);
	_cleanup_free_ char *asked =
		text_bytes(e->ledger->asked.write ? e->ledger->asked.bytes : 0);
	_cleanup_free_ char *more = text_bytes(extra);
	struct finding *finding =
		finding_add(findings, &background_writes_kind, SEVERITY_FLAG, top->layer->name);

	finding_message(finding, "asked to write %s with %llu syncs, %s wrote %s: %s unexplained",
		asked, (unsigned long long)e->ledger->asked.syncs, top->layer->name, all, more);
	finding_source(
		finding, "%s/stat", top->layer->sysfs ? top->layer->sysfs : top->layer->name);
	finding_observe_u64(finding, "written_bytes", written);
	finding_observe_u64(finding, "unexplained_bytes", extra);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct asked *asked = &evidence->ledger->asked;
	struct level_sum top = { 0 };
	uint64_t written, explained;

	if (!claim_of_device_or_durable(evidence->claim) ||
		!written_by_us(evidence, &top, &written))
		return;
	explained = asked->write ? levels_written_at_most(asked, &top) : 0;
	if (written <= explained || written - explained <= BACKGROUND_WRITES_FLOOR ||
		share_of(written - explained, asked->bytes) <= BACKGROUND_WRITES_MAX)
		return;
	say(evidence, &top, written, written - explained, findings);
}

static const struct rule background_writes_rule = {
	.head = { .id = "background-writes",
		.order = 165,
		.summary = "what is written must be the workload's" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(background_writes_rule);

/* A fixture that still wrote when the wait for its rest was over. */
static void judge_rest(const struct evidence *evidence, struct findings *findings)
{
	const struct fixture_facts *fixture = evidence->fixture;
	_cleanup_free_ char *bytes = NULL;
	struct finding *finding;

	if (!fixture || !fixture->rest_known || fixture->at_rest)
		return;
	bytes = text_bytes(fixture->restless_bytes);
	finding = finding_add(findings, &background_writes_kind,
		claim_of_device_or_durable(evidence->claim) ? SEVERITY_FLAG : SEVERITY_NOTE, NULL);
	finding_message(finding,
		"the fixture still wrote (%s) when the wait for its rest was given up", bytes);
	finding_source(finding, "the loop devices' stat after a sync");
	finding_observe_u64(finding, "restless_bytes", fixture->restless_bytes);
}

static const struct rule fixture_at_rest_rule = {
	.head = { .id = "fixture-at-rest",
		.order = 166,
		.summary = "a fixture must have come to rest before it is measured" },
	.scope = RULE_TARGET,
	.judge = judge_rest,
};
RULE_REGISTER(fixture_at_rest_rule);
