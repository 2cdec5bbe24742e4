// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/disk_transport.h"

#include <fnmatch.h>
#include <string.h>

static char *link_name(const struct sysroot *root, const char *sysfs, const char *link)
{
	_cleanup_free_ char *target = NULL;
	const char *name;

	if (sysroot_readlink(root, &target, "%s/%s", sysfs, link) < 0)
		return NULL;
	name = strrchr(target, '/');
	return xstrdup(name ? name + 1 : target);
}

static bool is_address(const char *name, unsigned *host)
{
	unsigned channel, target, lun;

	return sscanf(name, "%9u:%9u:%9u:%9u", host, &channel, &target, &lun) == 4;
}

/* device is a link to H:C:T:L, and has a directory of the same name for each class. */
static bool scsi_host(const struct sysroot *root, const char *sysfs, unsigned *ret)
{
	static const char *const classes[] = { "scsi_disk", "scsi_device" };
	_cleanup_free_ char *address = link_name(root, sysfs, "device");

	if (address && is_address(address, ret))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		_cleanup_(string_list_free) char **names = NULL;

		if (sysroot_list(root, &names, "%s/device/%s", sysfs, classes[i]) == 0 &&
			names[0] && is_address(names[0], ret))
			return true;
	}
	return false;
}

/*
 * "sd" is only the upper half of a SCSI disk's driver; the host adapter's is the one that tells:
 * scsi_hostH has a proc_name.
 */
static char *scsi_host_driver(const struct sysroot *root, const char *sysfs)
{
	char *driver;
	unsigned host;

	if (!scsi_host(root, sysfs, &host) ||
		sysroot_read_line(root, &driver, "sys/class/scsi_host/host%u/proc_name", host) < 0)
		return NULL;
	if (strcmp(driver, "<NULL>") != 0 && strcmp(driver, "(null)") != 0)
		return driver;
	free(driver);
	return NULL;
}

/*
 * The directory of an NVMe disk's controller, "device"; with native multipath that is a subsystem,
 * whose controllers stand in it.
 */
static char *nvme_controller(const struct sysroot *root, const char *sysfs)
{
	_cleanup_(string_list_free) char **names = NULL;
	const char *name = strrchr(sysfs, '/');

	if (!name || fnmatch("nvme[0-9]*n[0-9]*", name + 1, 0) != 0)
		return NULL;
	if (sysroot_exists(root, "%s/device/transport", sysfs) ||
		sysroot_list(root, &names, "%s/device", sysfs) < 0)
		return xasprintf("%s/device", sysfs);
	for (char **entry = names; *entry; entry++)
		if (fnmatch("nvme[0-9]*", *entry, 0) == 0 &&
			sysroot_exists(root, "%s/device/%s/transport", sysfs, *entry))
			return xasprintf("%s/device/%s", sysfs, *entry);
	return xasprintf("%s/device", sysfs);
}

char *disk_driver(const struct sysroot *root, const char *sysfs)
{
	_cleanup_free_ char *controller = NULL;
	char *driver = link_name(root, sysfs, "device/driver");

	if (driver && (strcmp(driver, "sd") == 0 || strcmp(driver, "sr") == 0)) {
		char *host = scsi_host_driver(root, sysfs);

		if (host) {
			free(driver);
			return host;
		}
	}
	if (driver)
		return driver;
	/* NVMe: the namespace's device is the controller, whose device is the function. */
	controller = nvme_controller(root, sysfs);
	return controller ? link_name(root, controller, "device/driver")
			  : link_name(root, sysfs, "device/device/driver");
}

/* A local controller says "pcie", Apple's "apple-nvme", or nothing. */
static int find_fabrics(const struct sysroot *root, const char *sysfs, struct disk_remote *ret)
{
	_cleanup_free_ char *controller = nvme_controller(root, sysfs);
	_cleanup_free_ char *transport = NULL, *address = NULL;

	if (!controller || sysroot_read_line(root, &transport, "%s/transport", controller) < 0 ||
		strcmp(transport, "pcie") == 0 || strcmp(transport, "apple-nvme") == 0)
		return -ENOENT;
	(void)sysroot_read_line(root, &address, "%s/address", controller);
	ret->what = strcmp(transport, "loop") == 0
		? xstrdup("NVMe target of this machine (loop)")
		: xasprintf("NVMe target over %s%s%s", transport, address ? ", " : "",
			  address ? address : "");
	ret->source = xasprintf("%s/transport = %s", controller, transport);
	return 0;
}

/* Of the sessions the one whose device lies beneath this host. */
static char *iscsi_target(const struct sysroot *root, unsigned host)
{
	_cleanup_(string_list_free) char **sessions = NULL;
	_cleanup_free_ char *part = xasprintf("/host%u/", host);
	char *name, *only = NULL;
	size_t count = 0;

	if (sysroot_list(root, &sessions, "sys/class/iscsi_session") < 0)
		return NULL;
	for (char **session = sessions; *session; session++) {
		_cleanup_free_ char *path = NULL;

		if (sysroot_read_line(
			    root, &name, "sys/class/iscsi_session/%s/targetname", *session) < 0)
			continue;
		if (sysroot_readlink(root, &path, "sys/class/iscsi_session/%s", *session) == 0 &&
			strstr(path, part)) {
			free(only);
			return name;
		}
		free(only);
		only = name;
		count++;
	}
	if (count == 1)
		return only; /* a record may have no links; one session is the one */
	free(only);
	return NULL;
}

/* What scsi_transport_iscsi, scsi_transport_fc and scsi_transport_srp of the kernel register. */
static int find_scsi(const struct sysroot *root, const char *sysfs, struct disk_remote *ret)
{
	static const struct {
		const char *class, *what;
	} classes[] = {
		{ "iscsi_host", "iSCSI target" },
		{ "fc_host", "Fibre Channel target" },
		{ "srp_host", "SRP target" },
	};
	_cleanup_free_ char *driver = NULL, *target = NULL;
	unsigned host;

	if (!scsi_host(root, sysfs, &host))
		return -ENOENT;
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++) {
		if (!sysroot_exists(root, "sys/class/%s/host%u", classes[i].class, host))
			continue;
		target = i == 0 ? iscsi_target(root, host) : NULL;
		ret->what = xasprintf(
			"%s%s%s", classes[i].what, target ? " " : "", target ? target : "");
		ret->source = xasprintf("sys/class/%s/host%u exists", classes[i].class, host);
		return 0;
	}
	driver = scsi_host_driver(root, sysfs);
	if (!driver || fnmatch("iscsi*", driver, 0) != 0)
		return -ENOENT;
	target = iscsi_target(root, host);
	ret->what = xasprintf("iSCSI target%s%s", target ? " " : "", target ? target : "");
	ret->source = xasprintf("sys/class/scsi_host/host%u/proc_name = %s", host, driver);
	return 0;
}

int disk_remote_find(const struct sysroot *root, const char *sysfs, struct disk_remote *ret)
{
	return find_fabrics(root, sysfs, ret) == 0 ? 0 : find_scsi(root, sysfs, ret);
}
