/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_RULES_CASE_H
#define IOPROOF_RULES_CASE_H

/*
 * Evidence for tests of rules: stacks as machines have them, and the ledger an honest read of
 * 256 MiB leaves on each. A test takes an honest one, spoils one thing, and looks at the findings.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the ones above first. */
#include <cmocka.h>

#include "model/measurement.h"

#define ASKED (256 * MIB)
#define PAGES (ASKED / 4096)

struct scene {
	struct stack stack;
	struct environment environment;
	struct ledger ledger;
	struct evidence evidence;
};

static inline struct layer *scene_block(struct scene *s, enum layer_kind kind, unsigned level,
	const char *type, const char *name, dev_t device)
{
	struct layer *layer = stack_append(&s->stack, kind, level, type, name);

	layer->device = device;
	layer->sysfs = xasprintf("sys/block/%s", name);
	layer_set_trait(layer, TRAIT_COUNTED, ANSWER_YES, KNOWN_MEASURED, "calibration");
	if (kind == LAYER_LOOP)
		layer_set_trait(
			layer, TRAIT_HONOURS_DIRECT, ANSWER_YES, KNOWN_DECLARED, "loop/dio = 1");
	if (kind == LAYER_DISK)
		layer_set_trait(layer, TRAIT_VIRTUAL, ANSWER_YES, KNOWN_INFERRED, "virtio_blk");
	return layer;
}

static inline void scene_disk(struct scene *s, unsigned level)
{
	scene_block(s, LAYER_PART, level, "partition", "vda1", 0xfd01);
	scene_block(s, LAYER_DISK, level + 1, "virtio_blk", "vda", 0xfd00);
}

static inline void scene_plain(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	scene_disk(s, 1);
}

static inline void scene_loop(struct scene *s, unsigned level)
{
	scene_block(s, LAYER_LOOP, level, "loop", "loop3", 0x703);
	stack_append(&s->stack, LAYER_FILE, level + 1, "file", "(image)");
	stack_append(&s->stack, LAYER_FS, level + 2, "ext4", "ext4");
	scene_disk(s, level + 3);
}

static inline void scene_fixture(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "ext4", "ext4");
	scene_loop(s, 1);
}

static inline void scene_ntfs(struct scene *s)
{
	stack_append(&s->stack, LAYER_FUSE, 0, "fuseblk", "ntfs-3g");
	scene_loop(s, 1);
}

static inline void scene_bindfs(struct scene *s)
{
	stack_append(&s->stack, LAYER_FUSE, 0, "fuse.bindfs", "bindfs");
	stack_append(&s->stack, LAYER_FS, 1, "ext4", "ext4");
	scene_disk(s, 2);
	for (size_t i = 1; i < s->stack.count; i++)
		s->stack.layer[i].inferred = true;
}

static inline void scene_sshfs(struct scene *s)
{
	stack_append(&s->stack, LAYER_FUSE, 0, "fuse.sshfs", "sshfs");
	stack_append(&s->stack, LAYER_HIDDEN, 1, "server", "what the server does");
}

static inline void scene_tmpfs(struct scene *s)
{
	struct layer *layer = stack_append(&s->stack, LAYER_FS, 0, "tmpfs", "tmpfs");

	layer_set_trait(layer, TRAIT_IN_MEMORY, ANSWER_YES, KNOWN_DECLARED, "type tmpfs");
	stack_append(&s->stack, LAYER_MEMORY, 1, "memory", "memory");
}

/* btrfs over a partition and a whole disk: the branches differ in depth. */
static inline void scene_btrfs(struct scene *s)
{
	stack_append(&s->stack, LAYER_FS, 0, "btrfs", "btrfs");
	scene_block(s, LAYER_PART, 1, "partition", "vda1", 0xfd01);
	scene_block(s, LAYER_DISK, 1, "virtio_blk", "vdb", 0xfd10);
	scene_block(s, LAYER_DISK, 2, "virtio_blk", "vda", 0xfd00);
}

static inline int scene_index(const struct scene *s, const char *name)
{
	for (size_t i = 0; i < s->stack.count; i++)
		if (strcmp(s->stack.layer[i].name, name) == 0)
			return (int)i;
	fail_msg("no layer %s", name);
	return -1;
}

static inline struct layer_reading *scene_reading(struct scene *s, const char *name)
{
	return &s->ledger.layer[scene_index(s, name)];
}

/* What this layer read in the interval; ours as well, where a private cgroup is there. */
static inline void scene_reads(struct scene *s, const char *name, uint64_t bytes)
{
	struct layer_reading *reading = scene_reading(s, name);

	reading->known = true;
	reading->total = (struct transfer){ .reads = bytes / (128 * KIB), .read_bytes = bytes };
	reading->ours_known = s->environment.private_cgroup;
	if (reading->ours_known)
		reading->ours = reading->total;
}

static inline void scene_all_read(struct scene *s, uint64_t bytes)
{
	for (size_t i = 0; i < s->stack.count; i++)
		if (s->stack.layer[i].sysfs)
			scene_reads(s, s->stack.layer[i].name, bytes);
	s->ledger.machine.disks_known = true;
	s->ledger.machine.disks.read_bytes = bytes;
	s->ledger.process.read_bytes = bytes;
}

static inline void scene_residency(struct residency *r, uint64_t resident)
{
	*r = (struct residency){
		.known = ANSWER_YES, .pages = PAGES, .resident = resident, .source = "cachestat"
	};
}

enum scene_case { SCENE_COLD, SCENE_WARM, SCENE_DIRECT };

/* An honest read of 256 MiB in blocks of 1 MiB, as root with a private cgroup. */
static inline void scene_honest(
	struct scene *s, void (*build)(struct scene *s), enum scene_case which)
{
	bool warm = which == SCENE_WARM;

	*s = (struct scene){ 0 };
	build(s);
	s->environment.cap_known = s->environment.cap_sys_admin = true;
	s->environment.private_cgroup = true;
	s->ledger = (struct ledger){ .ns = 300000000, .layers = s->stack.count };
	s->ledger.asked = (struct asked){
		.bytes = ASKED, .distinct_bytes = ASKED, .ios = 256, .direct = which == SCENE_DIRECT
	};
	s->ledger.process.known = true;
	s->ledger.extents = (struct extents){
		.known = true, .written_bytes = ASKED, .count = 2, .source = "FIEMAP"
	};
	scene_all_read(s, warm ? 0 : ASKED);
	scene_residency(&s->ledger.before, warm ? PAGES : 0);
	scene_residency(&s->ledger.after, which == SCENE_DIRECT ? 0 : PAGES);
	s->evidence = (struct evidence){
		.claim = warm ? CLAIM_PAGE_CACHE_READ : CLAIM_DEVICE_READ,
		.conduct = { .direct = which == SCENE_DIRECT,
			.temperature = warm ? TEMPERATURE_WARM : TEMPERATURE_COLD },
		.stack = &s->stack,
		.environment = &s->environment,
		.ledger = &s->ledger,
	};
}

/* The same user without privileges: no cgroup, and quiet intervals that bound others. */
static inline void scene_unprivileged(struct scene *s, double background)
{
	s->environment = (struct environment){ .uid = 1000, .cap_known = true };
	for (size_t i = 0; i < s->stack.count; i++) {
		s->ledger.layer[i].ours_known = false;
		s->ledger.background[i] = (struct background){ .known = s->stack.layer[i].sysfs,
			.read_bytes_per_s = background };
	}
}

static inline void scene_no_cgroup(struct scene *s)
{
	s->environment.private_cgroup = false;
	for (size_t i = 0; i < s->stack.count; i++)
		s->ledger.layer[i].ours_known = false;
}

/* A measurement is judged by the rules about its target first, as conclude() does. */
static inline void scene_judge(struct scene *s, enum rule_scope scope, struct findings *ret)
{
	if (scope == RULE_MEASUREMENT)
		assert_int_equal(rules_judge(RULE_TARGET, &s->evidence, ret), 0);
	assert_int_equal(rules_judge(scope, &s->evidence, ret), 0);
}

static inline void assert_severity(
	const struct findings *findings, const char *id, enum severity severity)
{
	const struct finding *finding = findings_find(findings, id);

	if (!finding)
		fail_msg("no finding %s", id);
	assert_string_equal(severity_name(finding->severity), severity_name(severity));
	assert_non_null(finding->message);
	assert_non_null(finding->source);
	assert_non_null(finding->remedy);
}

static inline void assert_nothing_above_note(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->item[i].severity > SEVERITY_NOTE)
			fail_msg("%s: %s", findings->item[i].kind->head.id,
				findings->item[i].message);
}

/* What a row of a table expects; layer NULL: anywhere. */
static inline void assert_expected(
	const struct findings *findings, const char *id, enum severity severity, const char *layer)
{
	if (!id) {
		assert_nothing_above_note(findings);
		return;
	}
	assert_severity(findings, id, severity);
	if (layer)
		assert_string_equal(findings_find(findings, id)->layer, layer);
}

/* One lie, or one honest machine, a row. */
struct scene_row {
	const char *name;
	void (*build)(struct scene *s);
	enum scene_case which;
	void (*spoil)(struct scene *s); /* NULL: nothing */
	const char *id;                 /* NULL: nothing above a note */
	enum severity severity;
	const char *layer; /* where it must be found; NULL: not checked */
};

static inline void scene_row_check(const struct scene_row *row)
{
	struct findings findings = { 0 };
	struct scene s;

	print_message("  %s\n", row->name);
	scene_honest(&s, row->build, row->which);
	if (row->spoil)
		row->spoil(&s);
	scene_judge(&s, RULE_ROUND, &findings);
	assert_expected(&findings, row->id, row->severity, row->layer);
	findings_free(&findings);
	stack_free(&s.stack);
}

#endif
