// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does each loop device still bypass its file's cache? The stack was walked before the first round,
 * and anyone may switch it since; where the image was not cached yet, no byte count shows it.
 */
#include "probes/witnesses/witness.h"

static void read_modes(const struct witness_view *view, struct reading *reading)
{
	for (size_t i = 0; i < view->stack->count && i < STACK_LAYERS_MAX; i++) {
		const struct layer *layer = &view->stack->layer[i];
		uint64_t direct;

		if (layer->kind == LAYER_LOOP && layer->sysfs &&
			sysroot_read_u64(view->root, &direct, "%s/loop/dio", layer->sysfs) == 0)
			reading->layer[i].loop_direct = direct ? ANSWER_YES : ANSWER_NO;
	}
}

static const struct witness loop_mode = {
	.head = { .id = "loop-mode", .summary = "whether loop devices bypass their file's cache" },
	.read = read_modes,
};
REGISTER(witnesses, loop_mode);
