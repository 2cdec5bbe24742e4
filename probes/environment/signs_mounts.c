// SPDX-License-Identifier: GPL-2.0-or-later
// What the mount table says of containers: where the root filesystem and the small files that an
// engine binds come from; and where it looks like a whole machine's instead.
#include <fnmatch.h>
#include <string.h>

#include "probes/environment/signs.h"

/* Where engines keep root filesystems. fnmatch(3) without flags: `*` takes slashes. */
static const struct {
	const char *pattern, *name;
} roots[] = {
	{ "*/docker/overlay2/*", "docker" },
	{ "*/docker/rootfs/*", "docker" },
	{ "*/docker/fuse-overlayfs/*", "docker" },
	{ "*/docker/btrfs/subvolumes/*", "docker" },
	{ "*/@docker/btrfs/subvolumes/*", "docker" },
	{ "*/docker/vfs/dir/*", "docker" },
	{ "*/docker/aufs/*", "docker" },
	{ "*/docker/zfs/*", "docker" },
	{ "*/var-lib-docker/overlay2/*", "docker" },
	{ "*/docker/image/*", "docker" },
	{ "/dev/mapper/docker-*", "docker" },
	{ "*/buildkit/*", "buildkit" },
	{ "*/containers/storage/overlay/*", "containers-storage" },
	{ "*/containers/storage/overlay2/*", "containers-storage" },
	{ "*/containers/storage/vfs/*", "containers-storage" },
	{ "*/containers/storage/btrfs/*", "containers-storage" },
	{ "*/io.containerd.snapshotter.*", "containerd" },
	{ "*/var/lib/lxc/*", "lxc" },
	{ "*/lxd/storage-pools/*", "lxc" },
	{ "*/incus/storage-pools/*", "lxc" },
	{ "*/lxd/containers/*", "lxc" },
	/* LXD's pool as the root of a filesystem of its own; "containers/storage" is podman's */
	{ "/containers/[!/]*/rootfs*", "lxc" },
	{ "*/subvol-[0-9]*-disk-[0-9]*", "lxc" }, /* Proxmox on ZFS */
	{ "*/lib/machines/*", "systemd-nspawn" },
	{ "/dev/ploop*", "openvz" },
	/* It stays in the first pid namespace by default. */
	{ "*/apptainer/mnt/session/*", "singularity" },
	{ "*/singularity/mnt/session/*", "singularity" },
};

/* Files that an engine binds over the image's: by field 4 of their mount. */
static const struct {
	const char *point, *pattern, *name;
} binds[] = {
	{ "/etc/hosts", "*/overlay-containers/*/userdata/hosts", "podman" },
	{ "/etc/resolv.conf", "*/overlay-containers/*/userdata/resolv.conf", "containers-storage" },
	{ "/etc/hostname", "*/overlay-containers/*/userdata/hostname", "containers-storage" },
	{ "/run/.containerenv", "*/userdata/.containerenv", "podman" },
	{ "/etc/hostname", "*/io.containerd.grpc.v1.cri/sandboxes/*", "containerd" },
	{ "/etc/resolv.conf", "*/io.containerd.grpc.v1.cri/sandboxes/*", "containerd" },
	{ "/etc/hosts", "*/pods/*/etc-hosts", "kubernetes" },
	/* kind, minikube and k3d: a node that is itself a container, its data in a volume */
	{ "/etc/hosts", "*/docker/volumes/*/kubelet/pods/*", "docker" },
	{ "/etc/hosts", "*/containers/storage/volumes/*/kubelet/pods/*", "podman" },
	{ "/dev/termination-log", "*", "kubernetes" },
	{ "/etc/hosts", "*/buildkit/executor/*", "buildkit" },
	{ "/etc/resolv.conf", "*/buildkit/executor/*", "buildkit" },
};

static void from_root_path(struct signs *signs, const char *what, const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		if (fnmatch(roots[i].pattern, path, 0) == 0 &&
			!(strcmp(roots[i].name, "lxc") == 0 && strstr(path, "containers/storage/")))
			signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, roots[i].name,
				"proc/self/mountinfo: %s of / is %.*s", what, SIGN_VALUE_MAX, path);
}

/* An overlay's directories stand in its options. */
static void from_overlay(struct signs *signs, const struct mount_sign *root)
{
	static const char *const names[] = { "upperdir=", "lowerdir=" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *at = strstr(root->options, names[i]);
		_cleanup_free_ char *path = NULL;

		if (!at)
			continue;
		at += strlen(names[i]);
		path = xstrndup(at, strcspn(at, ",:"));
		from_root_path(signs, i ? "lowerdir" : "upperdir", path);
		return;
	}
}

/*
 * Docker's data directory may be anywhere, but below it the small files of a container always lie
 * in containers/ID/, ID being 64 hexadecimal digits.
 */
static void from_docker_binds(struct signs *signs, const struct mount_sign *mount)
{
	static const char part[] = "/containers/";
	const char *base = strrchr(mount->point, '/'), *at = strstr(mount->root, part);

	if (!at || strncmp(mount->point, "/etc/", strlen("/etc/")) != 0)
		return;
	at += strlen(part);
	if (strspn(at, "0123456789abcdef") == 64 && strcmp(at + 64, base) == 0)
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "docker",
			"proc/self/mountinfo: %s is bound from %.*s", mount->point, SIGN_VALUE_MAX,
			mount->root);
}

static void from_binds(struct signs *signs, const struct mount_sign *mount)
{
	for (size_t i = 0; i < ARRAY_SIZE(binds); i++)
		if (strcmp(mount->point, binds[i].point) == 0 &&
			fnmatch(binds[i].pattern, mount->root, 0) == 0)
			signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, binds[i].name,
				"proc/self/mountinfo: %s is bound from %.*s", mount->point,
				SIGN_VALUE_MAX, mount->root);
}

/* LXC shows its own numbers in /proc; a mount at /var/lib/lxcfs is a whole machine's service. */
static void from_lxcfs(struct signs *signs, const struct mount_sign *mount)
{
	if (strcmp(mount->type, "fuse.lxcfs") == 0 && strncmp(mount->point, "/proc/", 6) == 0)
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "lxc",
			"proc/self/mountinfo: fuse.lxcfs on %s", mount->point);
}

static void from_points(struct signs *signs, const struct mount_sign *mount)
{
	static const struct {
		const char *prefix, *name;
	} points[] = {
		{ "/dev/lxd", "lxc" },
		{ "/dev/.lxd-mounts", "lxc" },
		{ "/dev/incus", "lxc" },
		{ "/run/host/incoming", "systemd-nspawn" },
		{ "/run/systemd/nspawn/incoming", "systemd-nspawn" },
		{ "/run/secrets/kubernetes.io/serviceaccount", "kubernetes" },
		{ "/var/run/secrets/kubernetes.io/serviceaccount", "kubernetes" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		if (strcmp(mount->point, points[i].prefix) == 0)
			signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, points[i].name,
				"proc/self/mountinfo: %s is mounted", mount->point);
}

/* gVisor's files come over 9p from descriptors that the sandbox was given. */
static void from_gofer(struct signs *signs, const struct mount_sign *root)
{
	if (strcmp(root->type, "9p") == 0 && strstr(root->options, "trans=fd") &&
		strstr(root->options, "rfdno="))
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "gvisor",
			"proc/self/mountinfo: / is 9p with trans=fd,rfdno=");
}

/* Kata shares a container's files with its guest: its root, or where that is a disk the rest. */
static void from_kata(struct signs *signs, const struct mount_sign *mount)
{
	static const char *const sources[] = { "kataShared", "none.kata" };

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (strcmp(mount->source, sources[i]) == 0)
			signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "kata",
				"proc/self/mountinfo: source of %s is %s", mount->point,
				sources[i]);
}

/* What only one kind of container has for a root: OpenVZ's simfs, bubblewrap's directory. */
static void from_root_type(struct signs *signs, const struct mount_sign *root)
{
	if (strcmp(root->type, "simfs") == 0)
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "openvz",
			"proc/self/mountinfo: / is simfs");
	if (strcmp(root->type, "tmpfs") == 0 && strcmp(root->root, "/newroot") == 0)
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "bubblewrap",
			"proc/self/mountinfo: / is /newroot of a tmpfs");
}

/* Runtimes that follow the OCI specification cover these, so that /proc gives nothing away. */
static bool is_masked(const struct mount_signs *mounts)
{
	static const char *const masked[] = { "/proc/kcore", "/proc/keys", "/proc/timer_list",
		"/proc/sys", "/proc/sysrq-trigger" };
	size_t found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(masked); i++)
		found += mount_sign_at(mounts, masked[i]) != NULL;
	return found >= 3;
}

/*
 * A whole filesystem of a block device on /, and the kernel's own /dev: no engine gives that to a
 * container, not even to a privileged one.
 */
static bool is_whole_machine(const struct mount_signs *mounts, const struct mount_sign *root)
{
	const struct mount_sign *dev = mount_sign_at(mounts, "/dev");

	return dev && strcmp(dev->type, "devtmpfs") == 0 && strcmp(dev->root, "/") == 0 &&
		strcmp(root->root, "/") == 0 && strncmp(root->source, "/dev/", 5) == 0;
}

void signs_from_mounts(struct signs *signs, const struct environment_sources *sources)
{
	const struct mount_signs *mounts = &sources->mounts;
	const struct mount_sign *root = mount_sign_at(mounts, "/");

	signs->looked |= mounts->known;
	signs->decisive |= root != NULL;
	for (size_t i = 0; i < mounts->count; i++) {
		from_docker_binds(signs, &mounts->item[i]);
		from_binds(signs, &mounts->item[i]);
		from_lxcfs(signs, &mounts->item[i]);
		from_points(signs, &mounts->item[i]);
		from_kata(signs, &mounts->item[i]);
	}
	if (is_masked(mounts))
		signs_add(signs, SIGN_CONTAINER, SIGN_STRONG, "container-other",
			"proc/self/mountinfo: parts of /proc are covered as OCI runtimes do");
	if (!root)
		return;
	from_root_path(signs, "the directory", root->root);
	from_root_path(signs, "the source", root->source);
	from_overlay(signs, root);
	from_gofer(signs, root);
	from_root_type(signs, root);
	if (is_whole_machine(mounts, root) && !signs->host_evidence)
		signs->host_evidence = xasprintf("proc/self/mountinfo: / is all of %s and /dev is "
						 "the kernel's own (devtmpfs)",
			root->source);
}
