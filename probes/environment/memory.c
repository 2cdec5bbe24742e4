// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <string.h>

#include "probes/environment/cgroup_limits.h"

static bool meminfo(const char *text, const char *name, uint64_t *ret)
{
	_cleanup_free_ char *value = colon_value(text, name);
	uint64_t kib;

	if (!value || sscanf(value, "%" SCNu64 " kB", &kib) != 1 || kib > UINT64_MAX / KIB)
		return false;
	*ret = kib * KIB;
	return true;
}

/* v1 writes "no limit" as the largest multiple of a page below 2^63. */
#define LIMIT_NONE_V1 (1ULL << 62)

static bool parse_limit(const struct sysroot *root, const char *directory, int version,
	const char *text, uint64_t *ret)
{
	uint64_t value;

	if (sscanf(text, "%" SCNu64, &value) != 1 || value >= LIMIT_NONE_V1)
		return false;
	*ret = value;
	return true;
}

static const struct cgroup_limit_kind limit = { "memory", "memory.limit_in_bytes", "memory.max",
	parse_limit };

/*
 * Above memory.high a group is slowed down until it has given memory back, page cache first
 * (Linux' documentation, cgroup-v2): no more than that stays cached.
 */
static const struct cgroup_limit_kind high = { "memory", "memory.limit_in_bytes", "memory.high",
	parse_limit };

static void probe_limit(const struct environment_sources *sources, struct known_limit *ret)
{
	struct known_limit lower = { 0 };

	cgroup_limit_read(sources, &limit, ret);
	cgroup_limit_read(sources, &high, &lower);
	if (lower.set && (!ret->set || lower.value < ret->value)) {
		free(ret->source);
		*ret = lower;
	} else {
		free(lower.source);
	}
}

static void probe_charged(
	const struct environment_sources *sources, struct environment_memory *memory)
{
	int version;
	_cleanup_free_ char *text = cgroup_file_read(
		sources, "memory", "memory.usage_in_bytes", "memory.current", &version);

	if (text && sscanf(text, "%" SCNu64, &memory->charged_bytes.value) == 1)
		memory->charged_bytes.known = true;
}

static void probe_dirty(const struct sysroot *root, const char *name, struct known_count *ret)
{
	ret->known = sysroot_read_u64(root, &ret->value, "proc/sys/vm/dirty_%s", name) == 0;
}

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	const struct sysroot *root = sources->root;
	struct environment_memory *memory = &environment->memory;
	_cleanup_free_ char *text = NULL;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "proc/meminfo") == 0) {
		(void)meminfo(text, "MemTotal", &environment->memory_bytes);
		memory->available_bytes.known =
			meminfo(text, "MemAvailable", &memory->available_bytes.value);
	}
	probe_limit(sources, &memory->limit);
	probe_charged(sources, memory);
	probe_dirty(root, "ratio", &memory->dirty_ratio);
	probe_dirty(root, "bytes", &memory->dirty_bytes);
	probe_dirty(root, "background_ratio", &memory->dirty_background_ratio);
	probe_dirty(root, "background_bytes", &memory->dirty_background_bytes);
}

static const struct environment_probe memory_probe = {
	.head = { "memory", 30, "memory, its cgroup limit, limits of dirty pages" },
	.probe = probe,
};
REGISTER(environment_probes, memory_probe);
