// SPDX-License-Identifier: GPL-2.0-or-later
// Marks that container engines leave: files, the `container=` variable, cgroup paths, kernel names.
#include <ctype.h>
#include <string.h>

#include "probes/environment/signs.h"

/* systemd's container interface (CONTAINER_INTERFACE): the manager names itself. */
static const char *manager_name(const char *value)
{
	static const char *const names[] = { "lxc", "lxc-libvirt", "systemd-nspawn", "docker",
		"podman", "rkt", "openvz", "proot", "pouch", "flatpak" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strcmp(value, names[i]) == 0)
			return names[i];
	return "container-other";
}

/* Base images carry `container=oci` or docker's file along into machines made from them. */
static enum sign_weight manager_weight(const char *name)
{
	static const char *const carried[] = { "docker", "podman", "flatpak", "container-other" };

	for (size_t i = 0; i < ARRAY_SIZE(carried); i++)
		if (strcmp(name, carried[i]) == 0)
			return SIGN_MARKER;
	return SIGN_STRONG;
}

static void add_manager(struct signs *signs, const char *where, const char *value)
{
	const char *name = manager_name(value);

	/* WSL sets it for systemd's sake; the kernel's name says the same and more. */
	if (!*value || strcmp(value, "wsl") == 0)
		return;
	signs_add(signs, SIGN_CONTAINER, manager_weight(name), name, "%s: %.*s", where,
		SIGN_VALUE_MAX, value);
}

/* One variable of an environ file, which separates by NUL. Nothing else of it is kept. */
static bool from_environ(struct signs *signs, const struct sysroot *root, const char *file)
{
	_cleanup_free_ char *text = NULL, *where = NULL;
	static const char variable[] = "container=";
	size_t length, at = 0;

	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, &length, "%s", file) < 0)
		return false;
	while (at < length && strncmp(text + at, variable, strlen(variable)) != 0)
		at += strlen(text + at) + 1;
	if (at < length) {
		where = xasprintf("%s: container", file);
		add_manager(signs, where, text + at + strlen(variable));
	}
	return true;
}

/* Podman leaves the file empty or names itself in it; buildah always does: engine="buildah-1.3". */
static void from_containerenv(struct signs *signs, const struct sysroot *root)
{
	static const char *const file = "run/.containerenv";
	_cleanup_free_ char *text = NULL;

	if (!sysroot_exists(root, "%s", file))
		return;
	if (sysroot_read(root, SYSROOT_ATTRIBUTE_MAX, &text, NULL, "%s", file) == 0 &&
		strstr(text, "engine=\"buildah"))
		signs_add(signs, SIGN_CONTAINER, SIGN_MARKER, "buildah", "/%s: engine is buildah",
			file);
	else
		signs_add(signs, SIGN_CONTAINER, SIGN_MARKER, "podman", "/%s exists", file);
}

/* OpenVZ's containers have the first directory, its machine has both. */
static void from_openvz(struct signs *signs, const struct sysroot *root)
{
	if (sysroot_exists(root, "proc/vz") && !sysroot_exists(root, "proc/bc"))
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "openvz",
			"proc/vz exists, proc/bc does not");
}

static void from_files(struct signs *signs, const struct sysroot *root)
{
	static const char *const managers[] = { "run/host/container-manager",
		"run/systemd/container" };
	static const struct {
		const char *file, *name;
	} files[] = {
		{ ".dockerenv", "docker" },
		{ "run/.toolboxenv", "podman" },
		{ ".singularity.d", "singularity" },
		{ ".flatpak-info", "flatpak" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (sysroot_exists(root, "%s", files[i].file))
			signs_add(signs, SIGN_CONTAINER, SIGN_MARKER, files[i].name, "/%s exists",
				files[i].file);
	for (size_t i = 0; i < ARRAY_SIZE(managers); i++) {
		_cleanup_free_ char *value = NULL;

		if (sysroot_read_line(root, &value, "%s", managers[i]) == 0)
			add_manager(signs, managers[i], value);
	}
	from_containerenv(signs, root);
	from_openvz(signs, root);
}

/* Numbers in proc/self/status that patched kernels give to a process in their containers. */
static void from_status(struct signs *signs, const char *status)
{
	static const struct {
		const char *field, *name;
	} fields[] = {
		{ "envID", "openvz" },
		{ "VxID", "linux-vserver" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		_cleanup_free_ char *value = colon_value(status, fields[i].field);

		if (value && strspn(value, "0") < strspn(value, "0123456789"))
			signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, fields[i].name,
				"proc/self/status: %s is %.*s", fields[i].field, SIGN_VALUE_MAX,
				value);
	}
}

/* PRoot makes no namespaces: it traces its processes. */
static void from_tracer(struct signs *signs, const struct sysroot *root, const char *status)
{
	_cleanup_free_ char *tracer = colon_value(status, "TracerPid"), *name = NULL;

	if (!tracer || !*tracer || tracer[strspn(tracer, "0123456789")] ||
		sysroot_read_line(root, &name, "proc/%s/comm", tracer) < 0)
		return;
	if (strncmp(name, "proot", strlen("proot")) == 0)
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "proot",
			"proc/%s/comm: %.*s traces this process", tracer, SIGN_VALUE_MAX, name);
}

static const struct text_sign kernels[] = {
	{ "proc/sys/kernel/osrelease", "*[Mm]icrosoft*", SIGN_CONTAINER, "wsl" },
	{ "proc/sys/kernel/osrelease", "*WSL*", SIGN_CONTAINER, "wsl" },
	{ "proc/sys/kernel/osrelease", "*-gvisor*", SIGN_CONTAINER, "gvisor" },
	{ "proc/version", "*#1 SMP Sun Jan 10 15:06:54 PST 2016*", SIGN_CONTAINER, "gvisor" },
	{ "proc/version", "*gVisor*", SIGN_CONTAINER, "gvisor" },
};

/* Kata's guest boots into its agent; only the word is quoted. */
static void from_command_line(struct signs *signs, const struct sysroot *root)
{
	_cleanup_free_ char *line = NULL;

	if (sysroot_read_line(root, &line, "proc/cmdline") < 0)
		return;
	if (strstr(line, "systemd.unit=kata-containers.target"))
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "kata",
			"proc/cmdline: systemd.unit=kata-containers.target");
	else if (strstr(line, "agent.log_vport="))
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "kata",
			"proc/cmdline: agent.log_vport=");
}

void signs_from_markers(struct signs *signs, const struct environment_sources *sources)
{
	const struct sysroot *root = sources->root;

	from_files(signs, root);
	if (!from_environ(signs, root, "proc/1/environ"))
		(void)from_environ(signs, root, "proc/self/environ");
	(void)signs_match_files(signs, root, kernels, ARRAY_SIZE(kernels));
	from_command_line(signs, root);
	if (sources->status) {
		from_status(signs, sources->status);
		from_tracer(signs, root, sources->status);
	}
}

/*
 * Directories that an engine makes for each container. The engine's own service ("docker.service",
 * "containerd.service") is no container.
 */
static const struct {
	const char *part, *name;
	bool id; /* at least twelve hexadecimal digits follow */
} groups[] = {
	{ "/docker/", "docker", true },
	{ "/docker-", "docker", true },
	{ "/docker/buildkit/", "docker", false },
	{ "/buildkit/", "buildkit", false },
	{ "/actions_job/", "docker", true }, /* GitHub's runner renames docker's */
	{ "/libpod-", "podman", true },
	{ "/crio-", "crio", true },
	{ "/cri-containerd-", "containerd", true },
	{ ":cri-containerd:", "containerd", true },
	{ "/nerdctl-", "containerd", true },
	{ "/kubepods/", "kubernetes", false },
	{ "/kubepods.slice/", "kubernetes", false },
	{ "/kubepods-", "kubernetes", false },
	{ "/kubelet-kubepods", "kubernetes", false }, /* kind's */
	{ "/k8s.io/", "kubernetes", true },
	{ "/lxc/", "lxc", false },
	{ "/lxc.payload.", "lxc", false },
	{ "/lxc.payload/", "lxc", false },
	{ "/garden/", "garden", false },
	{ ".libvirt-lxc", "lxc-libvirt", false },
	{ "/machine-lxc\\x2d", "lxc-libvirt", false },
	{ ".scope/payload", "systemd-nspawn", false },
	{ "/systemd-nspawn@", "systemd-nspawn", false },
};

static bool is_id(const char *s)
{
	size_t digits = 0;

	while (isxdigit((unsigned char)s[digits]))
		digits++;
	return digits >= 12;
}

/* Every place is tried: a path may name several containers. */
static bool group_matches(const char *path, size_t row)
{
	size_t length = strlen(groups[row].part);

	for (const char *p = path; (p = strstr(p, groups[row].part)); p += length)
		if (!groups[row].id || is_id(p + length))
			return true;
	return false;
}

static void from_group(struct signs *signs, const char *where, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (!signs_find(signs, SIGN_CONTAINER, groups[i].name) && group_matches(path, i))
			signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, groups[i].name, "%s: %.*s",
				where, SIGN_VALUE_MAX, path);
}

/* Lines "7:blkio:/docker/ab12..." of cgroups(7); a control group namespace leaves only "/". */
static void from_cgroup_text(struct signs *signs, const char *file, char *text)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *path = strchr(line, ':');

		path = path ? strchr(path + 1, ':') : NULL;
		if (!path || strcmp(++path, "/") == 0)
			continue;
		from_group(signs, file, path);
	}
}

/* Which part of a hierarchy is mounted here: without a namespace of its own, a container's. */
static void from_cgroup_mounts(struct signs *signs, const struct mount_signs *mounts)
{
	for (size_t i = 0; i < mounts->count; i++)
		if (strncmp(mounts->item[i].type, "cgroup", strlen("cgroup")) == 0)
			from_group(signs, "proc/self/mountinfo: mounted control group",
				mounts->item[i].root);
}

void signs_from_cgroups(struct signs *signs, const struct environment_sources *sources)
{
	_cleanup_free_ char *own = xstrdup(sources->cgroup), *first = NULL;
	struct signs found = { 0 };

	if (own)
		from_cgroup_text(&found, "proc/self/cgroup", own);
	/* Ours may be of our own making; the first process was put where the engine wants. */
	if (sysroot_read(sources->root, SYSROOT_ATTRIBUTE_MAX, &first, NULL, "proc/1/cgroup") == 0)
		from_cgroup_text(&found, "proc/1/cgroup", first);
	from_cgroup_mounts(&found, &sources->mounts);
	signs->looked |= own || first;
	for (size_t i = 0; i < found.count; i++)
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, found.item[i].name, "%s",
			found.item[i].evidence);
	signs_free(&found);
}

/* As FIRST_PID_NAMESPACE. */
#define FIRST_UTS_NAMESPACE "uts:[4026531838]"
#define FIRST_IPC_NAMESPACE "ipc:[4026531839]"

static bool is_nested(const struct sysroot *root, const char *kind, const char *first)
{
	_cleanup_free_ char *name = NULL;

	return sysroot_readlink(root, &name, "proc/self/ns/%s", kind) == 0 && strchr(name, '[') &&
		strcmp(name, first) != 0;
}

void signs_from_namespaces(struct signs *signs, const struct environment_sources *sources)
{
	const struct sysroot *root = sources->root;
	_cleanup_free_ char *name = NULL;

	if (sysroot_readlink(root, &name, "proc/self/ns/pid") < 0 || strncmp(name, "pid:[", 5) != 0)
		return;
	signs->looked = true;
	if (strcmp(name, FIRST_PID_NAMESPACE) != 0) {
		signs->nested_pid_evidence =
			xasprintf("proc/self/ns/pid: %s is not the first pid namespace", name);
		return;
	}
	/* A container may share it (--pid=host), and still have a name and queues of its own. */
	if (!signs->host_evidence &&
		!(is_nested(root, "uts", FIRST_UTS_NAMESPACE) &&
			is_nested(root, "ipc", FIRST_IPC_NAMESPACE)))
		signs->host_evidence = xasprintf(
			"proc/self/ns/pid: %s is the machine's first pid namespace", name);
}
