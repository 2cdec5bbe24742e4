// SPDX-License-Identifier: GPL-2.0-or-later
// From signs to a list of the containers around this process, outermost first.
#include <string.h>

#include "probes/environment/signs.h"

#define CONTAINER_OTHER "container-other"

/* Outermost first: what may hold what. `engine`: a stray marker may add one name at most. */
static const struct {
	const char *name, *kind;
	bool engine;
} order[] = {
	{ "wsl", "subsystem", false },
	{ "openvz", "container", true },
	{ "linux-vserver", "container", true },
	{ "lxc-libvirt", "container", true },
	{ "lxc", "container", true },
	{ "systemd-nspawn", "container", true },
	{ "gvisor", "sandbox", false },
	{ "kata", "sandbox", false },
	{ "docker", "container", true },
	{ "buildkit", "container", true },
	{ "buildah", "container", true },
	{ "podman", "container", true },
	{ "pouch", "container", true },
	{ "rkt", "container", true },
	{ "crio", "container", true },
	{ "containerd", "container", true },
	{ "garden", "container", true },
	{ "singularity", "container", true },
	{ "proot", "container", true },
	{ "flatpak", "sandbox", false },
	{ "bubblewrap", "sandbox", false },
	{ "kubernetes", "orchestrator", false },
	{ CONTAINER_OTHER, "container", false },
};

static bool has_strong(const struct signs *signs, const char *name)
{
	for (size_t i = 0; i < signs->count; i++)
		if (signs->item[i].weight == SIGN_STRONG && strcmp(signs->item[i].name, name) == 0)
			return true;
	return false;
}

static bool has_strong_engine(const struct signs *signs)
{
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (order[i].engine && has_strong(signs, order[i].name))
			return true;
	return has_strong(signs, "containers-storage");
}

/* Some container, whoever made it: a stray marker may be right there. */
static bool has_strong_container(const struct signs *signs)
{
	return has_strong_engine(signs) || has_strong(signs, CONTAINER_OTHER) ||
		has_strong(signs, "kubernetes");
}

/*
 * Podman, buildah and CRI-O share their storage. Docker keeps its images in containerd on newer
 * versions, and builds with BuildKit; a pod on such a machine has Kubernetes' own mounts as well.
 * Flatpak is built on bubblewrap.
 */
static const char *resolved_name(const struct signs *signs, const char *name)
{
	if (strcmp(name, "containers-storage") == 0 && signs_find(signs, SIGN_CONTAINER, "buildah"))
		return "buildah";
	if (strcmp(name, "containers-storage") == 0)
		return has_strong(signs, "kubernetes") ? "crio" : "podman";
	if (strcmp(name, "buildkit") == 0 && has_strong(signs, "docker"))
		return "docker";
	if (strcmp(name, "bubblewrap") == 0 && signs_find(signs, SIGN_CONTAINER, "flatpak"))
		return "flatpak";
	if (strcmp(name, "containerd") == 0 && has_strong(signs, "docker") &&
		!has_strong(signs, "kubernetes"))
		return "docker";
	return name;
}

/* A marker adds evidence to what is proved, or stands alone where nothing speaks against it. */
static bool believed(const struct signs *signs, const struct sign *sign)
{
	const char *name = sign->name;

	if (sign->weight == SIGN_STRONG || has_strong(signs, name))
		return true;
	/* podman sets container=oci or podman, and its storage has no name of its own */
	if (has_strong(signs, "containers-storage") &&
		(strcmp(name, "podman") == 0 || strcmp(name, "buildah") == 0))
		return true;
	if (strcmp(name, CONTAINER_OTHER) == 0)
		return !signs->host_evidence || has_strong_container(signs);
	if (has_strong_engine(signs))
		return false;
	return !signs->host_evidence || has_strong_container(signs);
}

static void add_name(const struct signs *signs, size_t row, struct environment_list *list)
{
	for (size_t i = 0; i < signs->count; i++)
		if (believed(signs, &signs->item[i]) &&
			strcmp(resolved_name(signs, signs->item[i].name), order[row].name) == 0)
			environment_list_add(
				list, order[row].kind, order[row].name, signs->item[i].evidence);
}

/* "Some container" is said only where no engine is named; else it is evidence for that one. */
static void add_other(const struct signs *signs, struct environment_list *list)
{
	const char *kind = list->count ? list->item[list->count - 1].kind : "container";
	const char *name = list->count ? list->item[list->count - 1].name : CONTAINER_OTHER;

	for (size_t i = 0; i < signs->count; i++)
		if (strcmp(signs->item[i].name, CONTAINER_OTHER) == 0 &&
			believed(signs, &signs->item[i]))
			environment_list_add(list, kind, name, signs->item[i].evidence);
	if (signs->nested_pid_evidence && (list->count || !signs->host_evidence))
		environment_list_add(list, kind, name, signs->nested_pid_evidence);
}

static void add_conflicts(const struct signs *signs, struct environment *environment)
{
	for (size_t i = 0; i < signs->count; i++) {
		const struct sign *sign = &signs->item[i];
		const char *against = signs->host_evidence;

		if (believed(signs, sign))
			continue;
		for (size_t j = 0; j < signs->count && !against; j++)
			if (signs->item[j].weight == SIGN_STRONG)
				against = signs->item[j].evidence;
		environment_conflict_add(environment, "container", sign->evidence,
			against ? against : "other signs",
			signs->host_evidence
				? "no such container: a marker stays behind when a machine is made "
				  "from an image"
				: "no such container: only its marker is here, and another engine "
				  "has proof");
	}
}

void container_decide(const struct signs *signs, struct environment *environment)
{
	struct environment_list *list = &environment->container;

	list->known = signs->looked;
	list->decisive = signs->decisive;
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (strcmp(order[i].name, CONTAINER_OTHER) != 0)
			add_name(signs, i, list);
	add_other(signs, list);
	add_conflicts(signs, environment);
}

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	_cleanup_(signs_free) struct signs signs = { 0 };

	signs_from_namespaces(&signs, sources);
	signs_from_mounts(&signs, sources);
	signs_from_cgroups(&signs, sources);
	signs_from_markers(&signs, sources);
	container_decide(&signs, environment);
}

static const struct environment_probe container = {
	.head = { "container", 60, "containers, by mounts, cgroups, namespaces and markers" },
	.probe = probe,
};
REGISTER(environment_probes, container);
