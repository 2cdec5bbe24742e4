/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_SCRATCH_H
#define IOPROOF_SCRATCH_H

/*
 * A file without a name in a directory that may be anyone's: O_TMPFILE where the filesystem has it;
 * elsewhere (FUSE, NFS) created O_EXCL | O_NOFOLLOW under a random name that the guardian has been
 * told, opened a second time for direct I/O, and unlinked at once.
 *
 * Both descriptors stay open for the file's life: a FUSE filesystem may drop its page cache at each
 * open, and O_DIRECT set later by fcntl(2) would never reach its server.
 */

#include "core/guardian.h"

struct scratch {
	int fd;           /* O_RDWR, buffered */
	int direct_fd;    /* O_RDWR | O_DIRECT; -1 when refused */
	int direct_errno; /* why it was refused */
};

#define SCRATCH_CLOSED                                                                             \
	{                                                                                          \
		.fd = -1, .direct_fd = -1                                                          \
	}

/* guardian may be NULL: then a kill between creation and unlinking can leave the name behind. */
int scratch_create(int dirfd, struct guardian *guardian, struct scratch *ret);
void scratch_close(struct scratch *scratch);

#endif
