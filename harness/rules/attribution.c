// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/attribution.h"

#include "rules/deficit.h"

static const struct level_sum *lowest_counted(const struct level_sum *level, size_t levels)
{
	while (levels-- > 0)
		if (!level[levels].dead && !level[levels].inferred && !level[levels].below_fuse)
			return &level[levels];
	return NULL;
}

/* Read and written per second by others at one level, each device once; false: some not known. */
static bool background_rate(const struct evidence *e, unsigned level, double *ret)
{
	double rate = 0;
	bool found = false;

	for (size_t i = 0; i < e->stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct background *quiet = &e->ledger->background[i];

		if (e->stack->layer[i].level != level ||
			!layer_kind_is_block(e->stack->layer[i].kind))
			continue;
		if (!quiet->known)
			return false;
		rate += quiet->read_bytes_per_s + quiet->write_bytes_per_s;
		found = true;
	}
	*ret = rate;
	return found;
}

/* Small buffered reads fetch more than was asked, by design: readahead. */
static bool surplus_is_foreign(const struct asked *asked)
{
	if (asked->write)
		return true;
	return asked->ios && (asked->direct || asked->bytes / asked->ios >= READAHEAD_BYTES);
}

static uint64_t excess(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* What all writers together moved beyond what this ledger's own writes may honestly cost. */
static uint64_t surplus(const struct evidence *e, const struct level_sum *level)
{
	const struct asked *asked = &e->ledger->asked;

	return excess(transfer_bytes(&level->total, asked),
		asked->write ? levels_written_at_most(asked, level) : asked->bytes);
}

static void judge_by_quiet(
	const struct evidence *e, const struct level_sum *level, struct attribution *ret)
{
	const struct asked *asked = &e->ledger->asked;
	double rate;

	if (!background_rate(e, level->level, &rate)) {
		ret->state = ATTRIBUTION_UNKNOWN;
		return;
	}
	ret->foreign_bytes = (uint64_t)(rate * (double)e->ledger->ns / 1e9);
	if (surplus_is_foreign(asked))
		ret->foreign_bytes = MAX(ret->foreign_bytes, surplus(e, level));
	ret->share = share_of(ret->foreign_bytes, asked->distinct_bytes);
	ret->state = ret->share > FOREIGN_SHARE_MAX ? ATTRIBUTION_FOREIGN : ATTRIBUTION_BOUNDED;
}

static void judge_by_cgroup(
	const struct evidence *e, const struct level_sum *level, struct attribution *ret)
{
	uint64_t writes = excess(level->total.write_bytes, level->moved.write_bytes);

	/* the journal's thread writes for us and is charged to nobody */
	if (e->ledger->asked.write)
		writes = MIN(writes, surplus(e, level));
	ret->state = ATTRIBUTION_OURS;
	ret->foreign_bytes = excess(level->total.read_bytes, level->moved.read_bytes) + writes;
	ret->share = share_of(ret->foreign_bytes, e->ledger->asked.distinct_bytes);
}

struct attribution attribution_judge(const struct evidence *evidence)
{
	struct attribution ret = { .asked_bytes = evidence->ledger->asked.distinct_bytes };
	struct level_sum level[STACK_LAYERS_MAX];
	const struct level_sum *lowest;

	if (!claim_of_device_or_durable(evidence->claim) || ret.asked_bytes == 0 ||
		deficit_find(evidence).culprit != CULPRIT_NONE)
		return ret;
	lowest = lowest_counted(level, levels_read(evidence->stack, evidence->ledger, level));
	if (!lowest)
		return ret;
	ret.layer = lowest->layer;
	if (lowest->attributed)
		judge_by_cgroup(evidence, lowest, &ret);
	else
		judge_by_quiet(evidence, lowest, &ret);
	return ret;
}

bool attribution_lacks_privilege(const struct environment *environment)
{
	if (!environment || environment->private_cgroup)
		return false;
	return environment->cap_known ? !environment->cap_sys_admin : environment->uid != 0;
}

const char *attribution_missing(const struct environment *environment)
{
	if (environment && environment->private_cgroup_missing)
		return environment->private_cgroup_missing;
	if (environment && environment->private_cgroup)
		return "threads of the kernel write for it, and no quiet interval bounds others";
	return "no private cgroup counted this process apart";
}
