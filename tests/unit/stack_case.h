/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_STACK_CASE_H
#define IOPROOF_STACK_CASE_H

/* One made-up machine and the stack that the probe says of it. Include after cmocka.h. */

#include "probes/stack/stack_probe.h"
#include "synthetic.h"

struct stack_case {
	struct synthetic machine;
	struct sysroot root;
	struct stack stack;
};

static inline int stack_case_setup(void **state)
{
	struct stack_case *c = xcalloc(1, sizeof(*c));

	synthetic_make(&c->machine);
	c->root = (struct sysroot)SYSROOT_CLOSED;
	*state = c;
	return sysroot_open(c->machine.directory, &c->root, NULL);
}

static inline int stack_case_teardown(void **state)
{
	struct stack_case *c = *state;

	stack_free(&c->stack);
	sysroot_close(&c->root);
	synthetic_remove(&c->machine);
	free(c);
	return 0;
}

/* A block device: its directory in sysfs and its number. */
static inline void stack_case_disk(struct stack_case *c, const char *name, const char *number)
{
	_cleanup_free_ char *dev = xasprintf("sys/block/%s/dev", name);
	_cleanup_free_ char *line = xasprintf("%s\n", number);

	synthetic_file(&c->machine, dev, line);
}

static inline void stack_case_attribute(
	struct stack_case *c, const char *name, const char *attribute, const char *value)
{
	_cleanup_free_ char *path = xasprintf("sys/block/%s/%s", name, attribute);

	synthetic_file(&c->machine, path, value);
}

static inline void stack_case_slave(struct stack_case *c, const char *name, const char *slave)
{
	_cleanup_free_ char *path = xasprintf("sys/block/%s/slaves/%s", name, slave);
	_cleanup_free_ char *target = xasprintf("../../%s", slave);

	synthetic_link(&c->machine, path, target);
}

static inline void stack_case_probe(struct stack_case *c, const char *mountinfo, const char *path)
{
	struct error error = { "" };

	synthetic_file(&c->machine, "proc/self/mountinfo", mountinfo);
	stack_free(&c->stack);
	if (stack_probe_path(&c->root, path, &c->stack, &error) < 0)
		fail_msg("%s", error.text);
}

/* One mount at "/" with these last fields: "ext4 /dev/sda1 rw,sync". */
static inline void stack_case_mount(struct stack_case *c, const char *number, const char *rest)
{
	_cleanup_free_ char *line = xasprintf("1 0 %s / / rw - %s\n", number, rest);

	stack_case_probe(c, line, "/x");
}

/* "fs:ext4 part:sda1 disk:sda hidden", a '*' after what was inferred. */
static inline void stack_case_check(const struct stack_case *c, const char *wanted)
{
	_cleanup_free_ char *seen = xstrdup("");

	for (size_t i = 0; i < c->stack.count; i++) {
		const struct layer *layer = &c->stack.layer[i];
		bool free_text = layer->kind == LAYER_HIDDEN || layer->kind == LAYER_MEMORY ||
			layer->kind == LAYER_REMOTE || layer->kind == LAYER_CLOUD ||
			layer->kind == LAYER_SHARE;
		char *more = xasprintf("%s%s%s%s%s%s", seen, i ? " " : "",
			layer_kind_name(layer->kind), free_text ? "" : ":",
			free_text ? "" : layer->name, layer->inferred ? "*" : "");

		free(seen);
		seen = more;
	}
	assert_string_equal(seen, wanted);
}

#endif
