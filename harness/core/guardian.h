/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_GUARDIAN_H
#define IOPROOF_GUARDIAN_H

/*
 * A small process that outlives a killed run and removes the few things that do not go with a file
 * descriptor: the private cgroup, and a scratch file in the instant between its creation and its
 * unlinking on filesystems without O_TMPFILE.
 *
 * It is forked before anything is made, in a session of its own, ignores terminal signals, and
 * waits on a socket. When the run ends, the other end closes, and it removes what is still noted.
 */

#include "core/base.h"

struct guardian;

int guardian_start(struct guardian **ret);
/* Notes a name below an open directory (file or empty directory). Call it before making it. */
int guardian_note(struct guardian *guardian, int dirfd, const char *name, bool directory);
/* It is gone (removed by us): forget it. */
int guardian_forget(struct guardian *guardian, int dirfd, const char *name);
/* Ends it, after it has removed what is still noted. NULL is fine. */
void guardian_stop(struct guardian *guardian);

#endif
