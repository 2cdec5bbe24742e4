/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_WATCHDOG_H
#define IOPROOF_WATCHDOG_H

/*
 * A file server that stops answering (FUSE, NFS) holds whoever asked it, and a signal does not free
 * a request that is on its way. Only the end of the process does; and it leaves nothing behind.
 */

#include "core/base.h"

struct watchdog;

/*
 * Unless it is stopped before so many seconds have passed, `text` is written to stderr as it is and
 * the process ends with status 1. NULL: no thread could be had, nothing is watched.
 */
struct watchdog *watchdog_start(unsigned seconds, const char *text);
/* NULL is fine. */
void watchdog_stop(struct watchdog *watchdog);

#endif
