// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "core/text.h"
#include "report/text.h"
#include "report/wrap.h"

static void append(char **text, const char *fmt, ...) PRINTF(2, 3);

static void append(char **text, const char *fmt, ...)
{
	_cleanup_free_ char *more = NULL, *before = *text;
	va_list ap;

	va_start(ap, fmt);
	more = xvasprintf(fmt, ap);
	va_end(ap);
	*text = xasprintf("%s%s", before ? before : "", more);
}

/* "loop0 (direct)", "vda (virtio_blk)", "ext4", "image file". */
static void append_layer(char **text, const struct layer *l)
{
	switch (l->kind) {
	case LAYER_LOOP:
		append(text, "%s (%s)", l->name,
			l->traits[TRAIT_HONOURS_DIRECT].answer == ANSWER_YES ? "direct"
				: l->traits[TRAIT_HONOURS_DIRECT].answer == ANSWER_NO
				? "buffered"
				: "mode unknown");
		break;
	case LAYER_FILE:
		append(text, "image");
		break;
	case LAYER_FS:
	case LAYER_FUSE:
		append(text, "%s", l->type);
		break;
	case LAYER_DISK:
		append(text, l->driver ? "%s (%s)" : "%s", l->name, l->driver);
		break;
	case LAYER_HIDDEN:
	case LAYER_UNKNOWN:
		append(text, "(%s: %s)", layer_kind_name(l->kind), l->name);
		break;
	case LAYER_LVM:
	case LAYER_DM:
		/* "lvm-thin vg-lv(dm-2)", "delay slow(dm-0)" */
		append(text, "%s %s",
			strcmp(l->type, "device-mapper") == 0 ? layer_kind_name(l->kind) : l->type,
			l->name);
		break;
	case LAYER_MEMORY:
		append(text, strcmp(l->name, "memory") == 0 ? "%s" : "memory %s", l->name);
		break;
	default:
		append(text, "%s %s", layer_kind_name(l->kind), l->name);
	}
	if (l->inferred)
		append(text, " (inferred)");
}

/* Layers of one level are joined by +, levels by an arrow. */
static char *chain(const struct stack *stack)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *l = &stack->layer[i];

		if (i)
			append(&text, l->level == l[-1].level ? " + " : " -> ");
		append_layer(&text, l);
	}
	return text;
}

/* What people call a disk by its driver; others stand by their name alone. */
static const char *disk_word(const struct layer *l)
{
	static const struct {
		const char *driver, *word;
	} words[] = {
		{ "virtio_blk", "virtio disk" },
		{ "nvme", "NVMe disk" },
		{ "ahci", "SATA disk" },
		{ "vbd", "Xen disk" },
		{ "virtio_scsi", "virtio SCSI disk" },
		{ "storvsc", "Hyper-V disk" },
		{ "hv_storvsc", "Hyper-V disk" },
		{ "vmw_pvscsi", "VMware disk" },
		{ "mmcblk", "flash card" },
		{ "usb-storage", "USB disk" },
		{ "uas", "USB disk" },
		{ "iscsi_tcp", "iSCSI disk" },
	};

	for (size_t i = 0; l->driver && i < ARRAY_SIZE(words); i++)
		if (strcmp(l->driver, words[i].driver) == 0)
			return words[i].word;
	return NULL;
}

/* "/srv on ext4 (vda, virtio disk), in a VM (kvm)" */
static char *place(
	const char *path, const struct stack *stack, const struct environment *environment)
{
	const struct layer *horizon = stack_horizon(stack), *fs = stack_filesystem(stack);
	_cleanup_free_ char *name = stack_horizon_name(stack), *around = NULL;
	const char *word = horizon ? disk_word(horizon) : NULL;
	char *text = xstrdup(path);

	if (fs && layer_is_block(fs)) /* a bare device needs no second name */
		append(&text, " (%s)", disk_word(fs) ? disk_word(fs) : fs->type);
	else if (fs)
		append(&text, " on %s", fs->type);
	if (fs && !layer_is_block(fs) && horizon && layer_is_block(horizon))
		append(&text, word ? " (%s, %s)" : " (%s)", name, word);
	if (environment) {
		around = environment_sentence(environment);
		append(&text, ", %s", around);
	}
	return text;
}

static char *reach(const struct stack *stack)
{
	const struct layer *horizon = stack_horizon(stack);
	_cleanup_free_ char *name = stack_horizon_name(stack);

	if (!horizon || !stack_filesystem(stack))
		return xstrdup("no layer could be found");
	if (horizon->kind == LAYER_MEMORY)
		return xstrdup("in memory: there is no device to check");
	if (layer_is_block(horizon))
		return xasprintf("can be checked down to %s", name);
	return xstrdup("no device below it can be counted");
}

/* What the chain has no room for: who answers, and where writes go instead. */
static void print_notes(FILE *out, const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++) {
		const struct layer *l = &stack->layer[i];
		_cleanup_free_ char *server = NULL, *elsewhere = NULL;

		if (l->server_pid)
			server = xasprintf("%s is answered by server pid %d (%s): %s", l->name,
				(int)l->server_pid, l->server_name ? l->server_name : "no name",
				l->server_source);
		else if (l->server_source)
			server = xasprintf("%s: %s", l->name, l->server_source);
		if (server)
			wrap_print(out, "  ", 4, server);
		if (layer_trait(l, TRAIT_WRITES_ELSEWHERE) != ANSWER_YES)
			continue;
		elsewhere = xasprintf("what is written through %s goes elsewhere: %s", l->name,
			l->traits[TRAIT_WRITES_ELSEWHERE].source);
		wrap_print(out, "  ", 4, elsewhere);
	}
}

void text_stack(FILE *out, const char *path, const struct stack *stack,
	const struct environment *environment)
{
	_cleanup_free_ char *first = path ? place(path, stack, environment) : NULL;
	_cleanup_free_ char *layers = chain(stack), *last = reach(stack);

	if (path)
		wrap_print(out, "", 2, first);
	wrap_print(out, "  ", 4, layers);
	print_notes(out, stack);
	if (path)
		wrap_print(out, "  ", 4, last);
}
