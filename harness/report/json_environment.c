// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json.h"
#include "report/json_part.h"

static json_t *known_count(const struct known_count *count)
{
	return count->known ? json_count(count->value) : json_null();
}

static json_t *yes_no(enum yes_no answer)
{
	return answer == YES_NO_UNKNOWN ? json_null() : json_boolean(answer == YES_NO_YES);
}

/* Unknown, none, or the value: "limited" says which of the first two a null value is. */
static json_t *limit_document(const struct known_limit *limit, const char *key, json_t *value)
{
	json_t *object = json_object();

	json_set(object, "limited", limit->known ? json_boolean(limit->set) : json_null());
	json_set(object, key, value);
	json_set(object, "source", json_text(limit->source));
	return object;
}

static json_t *limit_count(const struct known_limit *limit)
{
	return limit->set ? json_count(limit->value) : json_null();
}

static json_t *list_document(const struct environment_list *list)
{
	json_t *array;

	if (!list->known)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < list->count; i++) {
		const struct environment_item *item = &list->item[i];
		json_t *object = json_object(), *evidence = json_array();

		for (size_t j = 0; j < item->evidences; j++)
			json_array_append_new(evidence, json_text(item->evidence[j]));
		json_set(object, "kind", json_text(item->kind));
		json_set(object, "name", json_text(item->name));
		json_set(object, "evidence", evidence);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *cpu_document(const struct environment *e)
{
	const struct environment_cpu *cpu = &e->cpu;
	json_t *object = json_object(), *throttled = json_object();

	json_set(throttled, "periods", known_count(&cpu->periods));
	json_set(throttled, "throttled_periods", known_count(&cpu->throttled_periods));
	json_set(throttled, "throttled_ns", known_count(&cpu->throttled_ns));
	json_set(object, "architecture", json_text(e->machine));
	json_set(object, "online", e->cpus ? json_count(e->cpus) : json_null());
	json_set(object, "model", json_text(cpu->model));
	json_set(object, "governor", json_text(cpu->governor));
	json_set(object, "quota",
		limit_document(&cpu->quota, "cpus",
			cpu->quota.set ? json_number((double)cpu->quota.value / 1000)
				       : json_null()));
	json_set(object, "throttled", throttled);
	json_set(object, "steal_share",
		cpu->steal_known ? json_number(cpu->steal_share) : json_null());
	return object;
}

static json_t *memory_document(const struct environment *e)
{
	const struct environment_memory *memory = &e->memory;
	json_t *object = json_object(), *dirty = json_object();

	json_set(dirty, "ratio", known_count(&memory->dirty_ratio));
	json_set(dirty, "bytes", known_count(&memory->dirty_bytes));
	json_set(dirty, "background_ratio", known_count(&memory->dirty_background_ratio));
	json_set(dirty, "background_bytes", known_count(&memory->dirty_background_bytes));
	json_set(
		object, "total_bytes", e->memory_bytes ? json_count(e->memory_bytes) : json_null());
	json_set(object, "available_bytes", known_count(&memory->available_bytes));
	json_set(object, "limit",
		limit_document(&memory->limit, "bytes", limit_count(&memory->limit)));
	json_set(object, "charged_bytes", known_count(&memory->charged_bytes));
	json_set(object, "dirty", dirty);
	return object;
}

static json_t *clock_document(const struct environment_clock *clock)
{
	json_t *object = json_object();

	json_set(object, "source", json_text(clock->source));
	json_set(object, "available", json_text(clock->available));
	json_set(object, "reading_ns", known_count(&clock->reading_ns));
	return object;
}

static json_t *capabilities_document(const struct environment *e, bool missing)
{
	json_t *array;

	if (!e->cap_known)
		return json_null();
	array = json_array();
	for (const struct capability_use *use = capability_uses; use->name; use++) {
		bool held = e->privileges.capabilities >> use->bit & 1;

		if (held && !missing)
			json_array_append_new(array, json_text(use->name));
		if (!held && missing)
			json_array_append_new(array,
				json_pack(
					"{s:s, s:s}", "capability", use->name, "cost", use->cost));
	}
	return array;
}

static json_t *privileges_document(const struct environment *e)
{
	const struct environment_privileges *privileges = &e->privileges;
	json_t *object = json_object();

	json_set(object, "uid", json_count(e->uid));
	json_set(object, "cap_sys_admin",
		e->cap_known ? json_boolean(e->cap_sys_admin) : json_null());
	json_set(object, "held", capabilities_document(e, false));
	json_set(object, "missing", capabilities_document(e, true));
	json_set(object, "seccomp", json_text(privileges->seccomp));
	json_set(object, "no_new_privileges", yes_no(privileges->no_new_privileges));
	json_set(object, "user_namespace", yes_no(privileges->user_namespace));
	return object;
}

static json_t *cgroup_document(const struct environment *e)
{
	json_t *object = json_object();

	json_set(object, "private", json_boolean(e->private_cgroup));
	json_set(object, "missing", json_text(e->private_cgroup_missing));
	json_set(object, "io", limit_document(&e->io, "throttles", limit_count(&e->io)));
	return object;
}

static json_t *pressure_document(const struct environment_pressure *pressure)
{
	json_t *object;

	if (!pressure->known)
		return json_null();
	object = json_object();
	json_set(object, "some_avg10", json_number(pressure->some_avg10));
	json_set(object, "full_avg10", json_number(pressure->full_avg10));
	return object;
}

static json_t *conflicts_document(const struct environment *e)
{
	json_t *array = json_array();

	for (size_t i = 0; i < e->conflicts; i++) {
		const struct environment_conflict *conflict = &e->conflict[i];
		json_t *object = json_object();

		json_set(object, "subject", json_text(conflict->subject));
		json_set(object, "signals",
			json_pack("[o, o]", json_text(conflict->one), json_text(conflict->other)));
		json_set(object, "belief", json_text(conflict->belief));
		json_array_append_new(array, object);
	}
	return array;
}

json_t *environment_document(const struct environment *environment)
{
	const struct environment *e = environment;
	json_t *object = json_object();

	json_set(object, "virtualization", list_document(&e->virtualization));
	json_set(object, "container", list_document(&e->container));
	json_set(object, "contradictions", conflicts_document(e));
	json_set(object, "kernel", json_text(e->kernel));
	json_set(object, "cpu", cpu_document(e));
	json_set(object, "memory", memory_document(e));
	json_set(object, "clock", clock_document(&e->clock));
	json_set(object, "io_pressure", pressure_document(&e->io_pressure));
	json_set(object, "memory_pressure", pressure_document(&e->memory_pressure));
	json_set(object, "cpu_pressure", pressure_document(&e->cpu_pressure));
	json_set(object, "privileges", privileges_document(e));
	json_set(object, "cgroup", cgroup_document(e));
	return object;
}
