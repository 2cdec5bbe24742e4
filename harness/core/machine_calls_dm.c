// SPDX-License-Identifier: GPL-2.0-or-later
/* Device-mapper's own answer: which targets a mapping is made of (dm-ioctl.h of the kernel). */
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "core/machine_calls_dm.h"
#include "core/text.h"

/* Room for the reply: some hundreds of targets. */
#define REPLY_BYTES ((size_t)(64 * KIB))
#define TARGETS_MAX 512

/* The type alone is copied: parameters may be a key (dm-crypt). */
static int read_types(const char *reply, size_t size, uint32_t count, char **ret)
{
	_cleanup_free_ char *types = xstrdup("");
	size_t at = 0;

	for (uint32_t i = 0; i < MIN(count, (uint32_t)TARGETS_MAX); i++) {
		struct dm_target_spec spec;

		if (at > size || size - at < sizeof(spec))
			return -EBADMSG;
		memcpy(&spec, reply + at, sizeof(spec));
		text_append(&types, " ", "%.*s",
			(int)strnlen(spec.target_type, sizeof(spec.target_type)), spec.target_type);
		if (i + 1 < count && spec.next <= at)
			break;
		at = spec.next; /* from the beginning of the data */
	}
	*ret = take_pointer(types);
	return 0;
}

int machine_dm_targets(dev_t device, char **ret)
{
	_cleanup_close_ int fd = open("/dev/mapper/control", O_RDWR | O_CLOEXEC | O_NOCTTY);
	_cleanup_free_ struct dm_ioctl *ioc = NULL;
	struct stat st;
	size_t start;
	int r;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISCHR(st.st_mode))
		return -ENOTTY;
	ioc = xcalloc(1, REPLY_BYTES);
	ioc->version[0] = DM_VERSION_MAJOR; /* any minor: the calls used are as old as 4.0 */
	ioc->data_size = REPLY_BYTES;
	ioc->data_start = sizeof(*ioc);
	ioc->flags = DM_STATUS_TABLE_FLAG | DM_NOFLUSH_FLAG;
	ioc->dev = (uint64_t)device;
	if (ioctl(fd, DM_TABLE_STATUS, ioc) < 0)
		return -errno;
	start = ioc->data_start;
	if (ioc->target_count == 0 || start >= REPLY_BYTES)
		return -ENODATA;
	r = read_types((const char *)ioc + start, REPLY_BYTES - start, ioc->target_count, ret);
	/* what was read may hold keys */
	explicit_bzero(ioc, REPLY_BYTES);
	return r;
}
