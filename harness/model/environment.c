// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/environment.h"

#include <linux/capability.h>
#include <string.h>

/* In the order in which a reader misses them. */
const struct capability_use capability_uses[] = {
	{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN",
		"no fixture (loop devices, mounts) and no private cgroup: whose bytes a device "
		"counted is not proved" },
	{ CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH",
		"files and devices of other users stay closed: their residency, loop backing files "
		"and "
		"disk contents cannot be looked at" },
	{ CAP_SYS_RAWIO, "CAP_SYS_RAWIO",
		"a disk cannot be asked for its own write cache setting" },
	{ CAP_MKNOD, "CAP_MKNOD", "a loop device whose node is missing from /dev cannot be used" },
	{ CAP_PERFMON, "CAP_PERFMON",
		"block and page-cache tracepoints stay closed: FUA writes are not seen" },
	{ CAP_BPF, "CAP_BPF", "no filter in the kernel for tracepoints" },
	{ 0, NULL, NULL },
};

const struct environment_item *environment_list_find(
	const struct environment_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->item[i].name, name) == 0)
			return &list->item[i];
	return NULL;
}

static void item_add_evidence(struct environment_item *item, const char *evidence)
{
	for (size_t i = 0; i < item->evidences; i++)
		if (strcmp(item->evidence[i], evidence) == 0)
			return;
	item->evidence =
		xreallocarray(item->evidence, item->evidences + 1, sizeof(*item->evidence));
	item->evidence[item->evidences++] = xstrdup(evidence);
}

void environment_list_add(
	struct environment_list *list, const char *kind, const char *name, const char *evidence)
{
	struct environment_item *item = NULL;

	for (size_t i = 0; i < list->count && !item; i++)
		if (strcmp(list->item[i].name, name) == 0)
			item = &list->item[i];
	if (!item) {
		list->item = xreallocarray(list->item, list->count + 1, sizeof(*list->item));
		item = &list->item[list->count++];
		*item = (struct environment_item){ .kind = xstrdup(kind), .name = xstrdup(name) };
	}
	item_add_evidence(item, evidence);
}

void environment_conflict_add(struct environment *environment, const char *subject, const char *one,
	const char *other, const char *belief)
{
	struct environment *e = environment;

	e->conflict = xreallocarray(e->conflict, e->conflicts + 1, sizeof(*e->conflict));
	e->conflict[e->conflicts++] = (struct environment_conflict){ xstrdup(subject), xstrdup(one),
		xstrdup(other), xstrdup(belief) };
}

static void list_copy(const struct environment_list *list, struct environment_list *ret)
{
	*ret = (struct environment_list){ .known = list->known, .decisive = list->decisive };
	for (size_t i = 0; i < list->count; i++)
		for (size_t j = 0; j < list->item[i].evidences; j++)
			environment_list_add(ret, list->item[i].kind, list->item[i].name,
				list->item[i].evidence[j]);
}

static void list_free(struct environment_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct environment_item *item = &list->item[i];

		for (size_t j = 0; j < item->evidences; j++)
			free(item->evidence[j]);
		free(item->evidence);
		free(item->kind);
		free(item->name);
	}
	free(list->item);
}

/* Every string outside of the lists: copied and freed alike. */
static void each_string(struct environment *e, void (*act)(char **string))
{
	char **const string[] = { &e->kernel, &e->machine, &e->private_cgroup_missing,
		&e->cpu.model, &e->cpu.governor, &e->cpu.quota.source, &e->clock.source,
		&e->clock.available, &e->memory.limit.source, &e->privileges.seccomp,
		&e->io.source };

	for (size_t i = 0; i < ARRAY_SIZE(string); i++)
		act(string[i]);
}

static void string_copy(char **string)
{
	*string = xstrdup(*string);
}

static void string_free(char **string)
{
	free(*string);
}

void environment_copy(const struct environment *environment, struct environment *ret)
{
	const struct environment *e = environment;

	*ret = *e;
	each_string(ret, string_copy);
	list_copy(&e->virtualization, &ret->virtualization);
	list_copy(&e->container, &ret->container);
	ret->conflict = NULL;
	ret->conflicts = 0;
	for (size_t i = 0; i < e->conflicts; i++)
		environment_conflict_add(ret, e->conflict[i].subject, e->conflict[i].one,
			e->conflict[i].other, e->conflict[i].belief);
}

void environment_free(struct environment *environment)
{
	struct environment *e = environment;

	each_string(e, string_free);
	list_free(&e->virtualization);
	list_free(&e->container);
	for (size_t i = 0; i < e->conflicts; i++) {
		free(e->conflict[i].subject);
		free(e->conflict[i].one);
		free(e->conflict[i].other);
		free(e->conflict[i].belief);
	}
	free(e->conflict);
	*e = (struct environment){ 0 };
}
