// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "report/text.h"

/* "kvm, firecracker" */
static char *names(const struct environment_list *list)
{
	char *text = xstrdup("");

	for (size_t i = 0; i < list->count; i++) {
		char *longer = xasprintf("%s%s%s", text, i ? ", " : "", list->item[i].name);

		free(text);
		text = longer;
	}
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
