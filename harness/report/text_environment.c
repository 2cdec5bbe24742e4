// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "core/text.h"
#include "report/text.h"

/* "kvm, firecracker" */
static char *names(const struct environment_list *list)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < list->count; i++)
		text_append(&text, ", ", "%s", list->item[i].name);
	return text;
}

char *environment_sentence(const struct environment *environment)
{
	const struct environment_list *vm = &environment->virtualization;
	const struct environment_list *container = &environment->container;
	_cleanup_free_ char *vms = names(vm), *containers = names(container);

	if (container->count && vm->count)
		return xasprintf("in a container (%s), in a VM (%s)", containers, vms);
	if (container->count && vm->known && vm->decisive)
		return xasprintf("in a container (%s), not in a VM", containers);
	if (container->count)
		return xasprintf("in a container (%s); whether in a VM cannot be told", containers);
	if (vm->count)
		return xasprintf("in a VM (%s)", vms);
	if (vm->known && vm->decisive && container->known)
		return xstrdup("no sign of a VM or a container");
	return xstrdup("whether in a VM or a container cannot be told");
}
