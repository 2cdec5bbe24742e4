// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_experiments.h"

#include <string.h>

#include "report/json_part.h"

/* What every experiment says: whether it was made, and if not, why. */
static json_t *experiment_object(const struct experiment_state *state)
{
	json_t *object = json_object();

	json_set(object, "made", json_boolean(state->done));
	json_set(object, "why_not", state->done ? json_null() : json_text(state->why_not));
	return object;
}

static json_t *errno_word(int error)
{
	return error ? json_text(strerrorname_np(error)) : json_null();
}

static json_t *misaligned_word(int result)
{
	return result == DIRECT_MISALIGNED_SHORT ? json_text("short")
		: result == 0                    ? json_text("success")
						 : errno_word(result);
}

static json_t *misaligned_document(const struct direct_misaligned *misaligned)
{
	json_t *object = json_object();

	json_set(object, "address", misaligned_word(misaligned->address));
	json_set(object, "length", misaligned_word(misaligned->length));
	json_set(object, "offset", misaligned_word(misaligned->offset));
	return object;
}

static json_t *direct_document(const struct direct_experiment *d, const struct stack *stack)
{
	json_t *object = experiment_object(&d->state), *declared = json_null();

	if (!d->state.done)
		return object;
	if (d->alignment_declared) {
		declared = json_object();
		json_set(declared, "memory_bytes", json_count(d->memory_alignment));
		json_set(declared, "offset_bytes", json_count(d->offset_alignment));
	}
	json_set(object, "open_error", errno_word(d->open_errno));
	json_set(object, "read_error", errno_word(d->read_errno));
	json_set(object, "write_error", errno_word(d->write_errno));
	json_set(object, "declared", declared);
	json_set(object, "misaligned", misaligned_document(&d->misaligned_read));
	json_set(object, "misaligned_write", misaligned_document(&d->misaligned_write));
	json_set(object, "read", ledger_document(&d->read, stack));
	json_set(object, "write", ledger_document(&d->write, stack));
	return object;
}

static json_t *cached_document(const struct cached_experiment *c, const struct stack *stack)
{
	json_t *object = experiment_object(&c->state);

	if (!c->state.done)
		return object;
	json_set(object, "write", ledger_document(&c->write, stack));
	json_set(object, "cold_read", ledger_document(&c->cold_read, stack));
	json_set(object, "warm_read", ledger_document(&c->warm_read, stack));
	return object;
}

static json_t *flush_document(const struct flush_experiment *f, const struct stack *stack)
{
	json_t *object = experiment_object(&f->state);

	if (!f->state.done)
		return object;
	json_set(object, "syncs", json_count(f->syncs));
	json_set(object, "fsync_ns", json_count(f->fsync_raw_ns));
	json_set(object, "fdatasync_ns", json_count(f->fdatasync_raw_ns));
	json_set(object, "library_fsync_ns", json_count(f->fsync_library_ns));
	json_set(object, "fsync", ledger_document(&f->fsync_raw, stack));
	json_set(object, "fdatasync", ledger_document(&f->fdatasync_raw, stack));
	json_set(object, "library_fsync", ledger_document(&f->fsync_library, stack));
	return object;
}

static json_t *elision_document(const struct elision_experiment *e)
{
	json_t *object = experiment_object(&e->state);

	if (!e->state.done)
		return object;
	json_set(object, "size_bytes", json_count(e->size));
	json_set(object, "moved_random_bytes",
		e->moved_known ? json_count(e->moved_random) : json_null());
	json_set(object, "moved_zeros_bytes",
		e->moved_known ? json_count(e->moved_zeros) : json_null());
	json_set(object, "stored_random_bytes", json_count(e->stored_random));
	json_set(object, "stored_zeros_bytes", json_count(e->stored_zeros));
	return object;
}

static json_t *first_touch_document(const struct first_touch_experiment *f)
{
	json_t *object = experiment_object(&f->state), *regions = json_array();

	for (unsigned i = 0; f->state.done && i < f->regions; i++) {
		const struct first_touch_region *region = &f->region[i];
		json_t *one = json_object();

		json_set(one, "pairs", json_count(region->pairs));
		json_set(one, "ratio", json_number(region->ratio));
		json_set(one, "ratio_low", json_number(region->ratio_low));
		json_set(one, "ratio_high", json_number(region->ratio_high));
		json_set(one, "slow_share", json_number(region->slow_share));
		json_array_append_new(regions, one);
	}
	json_set(object, "regions", regions);
	if (!f->state.done)
		return object;
	json_set(object, "device", json_text(f->device));
	json_set(object, "pairs", json_count(f->pairs));
	json_set(object, "ratio", json_number(f->ratio));
	json_set(object, "ratio_low", json_number(f->ratio_low));
	json_set(object, "ratio_high", json_number(f->ratio_high));
	json_set(object, "slow_share", json_number(f->slow_share));
	json_set(object, "retouch_median_ns", json_count(f->retouch_median_ns));
	json_set(object, "retouch_p95_ns", json_count(f->retouch_p95_ns));
	return object;
}

static json_t *flush_scaling_document(const struct flush_scaling_experiment *f)
{
	json_t *object = experiment_object(&f->state), *steps = json_array();

	for (unsigned i = 0; f->state.done && i < FLUSH_SCALING_STEPS; i++) {
		json_t *step = json_object();

		json_set(step, "written_bytes", json_count(flush_scaling_mib[i] * MIB));
		json_set(step, "flush_ns", f->ns[i] ? json_count(f->ns[i]) : json_null());
		json_array_append_new(steps, step);
	}
	json_set(object, "steps", steps);
	if (!f->state.done)
		return object;
	json_set(object, "device", json_text(f->device));
	json_set(object, "empty_flush_max_ns", json_count(f->empty_max_ns));
	json_set(object, "empty_flush_p90_ns", json_count(f->empty_p90_ns));
	json_set(object, "write_4k_ns", json_count(f->write_ns));
	json_set(object, "flush_counted", json_boolean(f->flush_counted));
	json_set(object, "volatile_cache", json_text(answer_name(f->volatile_cache)));
	return object;
}

static json_t *empirical_document(const struct empirical_experiment *e)
{
	json_t *object = experiment_object(&e->state);

	json_set(object, "trials", json_count(e->trials));
	json_set(object, "device", json_text(e->device));
	return object;
}

static json_t *trace_document(const struct trace_experiment *t)
{
	json_t *object = experiment_object(&t->state);

	json_set(object, "intervals", json_count(t->intervals));
	return object;
}

json_t *experiments_document(const struct experiments *experiments, const struct stack *stack)
{
	json_t *object = json_object();

	json_set(object, "direct", direct_document(&experiments->direct, stack));
	json_set(object, "cached", cached_document(&experiments->cached, stack));
	json_set(object, "flush", flush_document(&experiments->flush, stack));
	json_set(object, "elision", elision_document(&experiments->elision));
	json_set(object, "first_touch", first_touch_document(&experiments->first_touch));
	json_set(object, "flush_scaling", flush_scaling_document(&experiments->flush_scaling));
	json_set(object, "empirical", empirical_document(&experiments->empirical));
	json_set(object, "trace", trace_document(&experiments->trace));
	json_set(object, "cache_mode_below",
		json_text(cache_mode_name(cache_mode_classify(experiments))));
	return object;
}
