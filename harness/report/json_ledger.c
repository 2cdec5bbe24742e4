// SPDX-License-Identifier: GPL-2.0-or-later
// The evidence of one interval, and its sum over all rounds.
#include "report/json_part.h"

static json_t *transfer_document(const struct transfer *transfer)
{
	json_t *object = json_object();

	json_set(object, "reads", json_count(transfer->reads));
	json_set(object, "read_bytes", json_count(transfer->read_bytes));
	json_set(object, "writes", json_count(transfer->writes));
	json_set(object, "write_bytes", json_count(transfer->write_bytes));
	return object;
}

static json_t *layer_reading_document(const struct layer_reading *reading)
{
	json_t *object;

	if (!reading->known)
		return json_null();
	object = transfer_document(&reading->total);
	json_set(object, "flushes",
		reading->flushes_known ? json_count(reading->flushes) : json_null());
	json_set(object, "fua_writes",
		reading->fua_known ? json_count(reading->fua_writes) : json_null());
	json_set(object, "ours",
		reading->ours_known ? transfer_document(&reading->ours) : json_null());
	return object;
}

/* By name: a device that stands in two branches is one entry. Layers without counters have none. */
static json_t *layers_document(const struct ledger *ledger, const struct stack *stack)
{
	json_t *object = json_object();

	for (size_t i = 0; i < MIN(stack->count, (size_t)STACK_LAYERS_MAX); i++)
		if (stack->layer[i].device || ledger->layer[i].known)
			json_set(object, stack->layer[i].name,
				layer_reading_document(&ledger->layer[i]));
	return object;
}

static json_t *background_document(const struct ledger *ledger, const struct stack *stack)
{
	json_t *object = json_object();

	for (size_t i = 0; i < MIN(stack->count, (size_t)STACK_LAYERS_MAX); i++) {
		const struct background *quiet = &ledger->background[i];
		json_t *rate;

		if (!quiet->known)
			continue;
		rate = json_object();
		json_set(rate, "read_bytes_per_s", json_number(quiet->read_bytes_per_s));
		json_set(rate, "write_bytes_per_s", json_number(quiet->write_bytes_per_s));
		json_set(object, stack->layer[i].name, rate);
	}
	return object;
}

static json_t *asked_document(const struct asked *asked)
{
	json_t *object = json_object();

	json_set(object, "bytes", json_count(asked->bytes));
	json_set(object, "distinct_bytes", json_count(asked->distinct_bytes));
	json_set(object, "ios", json_count(asked->ios));
	json_set(object, "syncs", json_count(asked->syncs));
	json_set(object, "direct", json_boolean(asked->direct));
	json_set(object, "write", json_boolean(asked->write));
	return object;
}

static json_t *process_document(const struct process_reading *process)
{
	json_t *object;

	if (!process->known)
		return json_null();
	object = json_object();
	json_set(object, "rchar", json_count(process->rchar));
	json_set(object, "wchar", json_count(process->wchar));
	json_set(object, "read_bytes", json_count(process->read_bytes));
	json_set(object, "write_bytes", json_count(process->write_bytes));
	return object;
}

static json_t *machine_document(const struct machine_reading *machine)
{
	json_t *object = json_object();

	json_set(object, "disks",
		machine->disks_known ? transfer_document(&machine->disks) : json_null());
	json_set(object, "pages_dirtied",
		machine->dirtied_known ? json_count(machine->pages_dirtied) : json_null());
	return object;
}

static json_t *residency_document(const struct residency *residency)
{
	json_t *object;

	if (residency->known != ANSWER_YES)
		return json_null();
	object = json_object();
	json_set(object, "pages", json_count(residency->pages));
	json_set(object, "resident", json_count(residency->resident));
	json_set(object, "dirty", json_count(residency->dirty));
	json_set(object, "source", json_text(residency->source));
	return object;
}

static json_t *extents_document(const struct extents *extents)
{
	json_t *object;

	if (!extents->known)
		return json_null();
	object = json_object();
	json_set(object, "written_bytes", json_count(extents->written_bytes));
	json_set(object, "unwritten_bytes", json_count(extents->unwritten_bytes));
	json_set(object, "hole_bytes", json_count(extents->hole_bytes));
	json_set(object, "encoded_bytes", json_count(extents->encoded_bytes));
	json_set(object, "count", json_count(extents->count));
	json_set(object, "source", json_text(extents->source));
	return object;
}

/* Folios are events; pages are null where the kernel does not say how many a folio has. */
static json_t *adds_document(const struct cache_adds *adds)
{
	json_t *object;

	if (!adds->known)
		return json_null();
	object = json_object();
	json_set(object, "folios", json_count(adds->folios));
	json_set(object, "pages",
		adds->orders_known || !adds->folios ? json_count(adds->pages) : json_null());
	json_set(object, "pages_elsewhere", json_count(adds->pages_elsewhere));
	return object;
}

static json_t *moved_document(const struct ledger *ledger, const struct stack *stack)
{
	json_t *object = json_object();

	json_set(object, "asked", asked_document(&ledger->asked));
	json_set(object, "ns", json_count(ledger->ns));
	json_set(object, "layers", layers_document(ledger, stack));
	json_set(object, "process", process_document(&ledger->process));
	json_set(object, "machine", machine_document(&ledger->machine));
	return object;
}

json_t *ledger_document(const struct ledger *ledger, const struct stack *stack)
{
	json_t *object = moved_document(ledger, stack);
	json_t *residency = json_object();

	json_set(object, "background", background_document(ledger, stack));
	json_set(residency, "before", residency_document(&ledger->before));
	json_set(residency, "after", residency_document(&ledger->after));
	json_set(object, "residency", residency);
	json_set(object, "extents", extents_document(&ledger->extents));
	json_set(object, "page_cache_adds", adds_document(&ledger->adds));
	return object;
}

static void add_transfer(struct transfer *sum, const struct transfer *more)
{
	sum->reads += more->reads;
	sum->read_bytes += more->read_bytes;
	sum->writes += more->writes;
	sum->write_bytes += more->write_bytes;
}

static void add_layer(struct layer_reading *sum, const struct layer_reading *more)
{
	sum->known &= more->known;
	sum->flushes_known &= more->flushes_known;
	sum->ours_known &= more->ours_known;
	add_transfer(&sum->total, &more->total);
	add_transfer(&sum->ours, &more->ours);
	sum->flushes += more->flushes;
}

static void add_process(struct process_reading *sum, const struct process_reading *more)
{
	sum->known &= more->known;
	sum->rchar += more->rchar;
	sum->wchar += more->wchar;
	sum->read_bytes += more->read_bytes;
	sum->write_bytes += more->write_bytes;
}

static void add_ledger(struct ledger *sum, const struct ledger *more)
{
	sum->asked.bytes += more->asked.bytes;
	sum->asked.distinct_bytes += more->asked.distinct_bytes;
	sum->asked.ios += more->asked.ios;
	sum->asked.syncs += more->asked.syncs;
	sum->ns += more->ns;
	for (size_t i = 0; i < STACK_LAYERS_MAX; i++)
		add_layer(&sum->layer[i], &more->layer[i]);
	add_process(&sum->process, &more->process);
	sum->machine.disks_known &= more->machine.disks_known;
	sum->machine.dirtied_known &= more->machine.dirtied_known;
	add_transfer(&sum->machine.disks, &more->machine.disks);
	sum->machine.pages_dirtied += more->machine.pages_dirtied;
}

/* The range of rounds: which pages were there is a state, and a sum of states means nothing. */
static json_t *residency_range(const struct measurement *m, bool after)
{
	const struct residency *first =
		after ? &m->sample[0].ledger.after : &m->sample[0].ledger.before;
	uint64_t low = first->resident, high = low;
	json_t *object;

	for (size_t i = 0; i < m->samples; i++) {
		const struct ledger *ledger = &m->sample[i].ledger;
		const struct residency *r = after ? &ledger->after : &ledger->before;

		if (r->known != ANSWER_YES)
			return json_null();
		low = MIN(low, r->resident);
		high = MAX(high, r->resident);
	}
	object = json_object();
	json_set(object, "pages", json_count(first->pages));
	json_set(object, "resident_min", json_count(low));
	json_set(object, "resident_max", json_count(high));
	json_set(object, "source", json_text(first->source));
	return object;
}

json_t *ledger_totals_document(const struct measurement *measurement, const struct stack *stack)
{
	_cleanup_free_ struct ledger *sum = NULL;
	json_t *object, *residency;

	if (measurement->samples == 0)
		return json_null();
	sum = xmalloc(sizeof(*sum));
	*sum = measurement->sample[0].ledger;
	for (size_t i = 1; i < measurement->samples; i++)
		add_ledger(sum, &measurement->sample[i].ledger);
	object = moved_document(sum, stack);
	residency = json_object();
	json_set(residency, "before", residency_range(measurement, false));
	json_set(residency, "after", residency_range(measurement, true));
	json_set(object, "residency", residency);
	json_set(object, "extents", extents_document(&sum->extents));
	return object;
}
