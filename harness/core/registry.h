/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_REGISTRY_H
#define IOPROOF_REGISTRY_H

/*
 * Sets that a file joins by ending in its descriptor: no table names the members.
 *
 * A descriptor is a `static const struct KIND` whose first member is `struct registered head`;
 * REGISTER() puts a pointer to it into the linker section of its kind. (Pointers, because the
 * linker may pad between structs of different files.) The files must be linked as objects: out of a
 * `.a` nothing references them and the set silently comes out empty, so an empty set is an error.
 */

#include "core/base.h"

struct registered {
	const char *id;      /* stable; unique in its set; what people type and read */
	int order;           /* sorts before the id; 0 where the order does not matter */
	const char *summary; /* one line for `ioproof list` */
};

/* One section a kind. The name is a C identifier, so that the linker gives __start_ and __stop_. */
#define REGISTER(section_name, object)                                                             \
	static const struct registered *const registered_##object                                  \
		__attribute__((used, retain, section(#section_name))) = &(object).head

struct registry {
	const char *name;                      /* as in `ioproof list NAME` */
	const struct registered *const *start; /* the linker's; both NULL when the set is empty */
	const struct registered *const *stop;
};

/* Defines `const struct registry registry_NAME` over one section; once a kind. */
#define REGISTRY_DEFINE(section_name, plural)                                                      \
	extern const struct registered *const __start_##section_name[] __attribute__((weak));      \
	extern const struct registered *const __stop_##section_name[] __attribute__((weak));       \
	const struct registry registry_##section_name = { plural, __start_##section_name,          \
		__stop_##section_name }

struct registry_view {
	const struct registered **member; /* sorted by (order, id) */
	size_t count;
};

/* -ENOENT: the set is empty (a broken link). -EEXIST: two members share an id. */
int registry_view(const struct registry *registry, struct registry_view *ret);
void registry_view_free(struct registry_view *view);
/* NULL when no member has this id. */
const struct registered *registry_find(const struct registry *registry, const char *id);

#define registry_for_each(m, view)                                                                 \
	for (const struct registered **m = (view)->member; m < (view)->member + (view)->count; m++)

/* From the head back to the whole descriptor. */
#define registry_entry(head_pointer, type)                                                         \
	((const type *)((const char *)(head_pointer)-offsetof(type, head)))

#endif
