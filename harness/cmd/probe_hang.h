/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_PROBE_HANG_H
#define IOPROOF_PROBE_HANG_H

/* A path behind a server that does not answer: a look at it would wait for ever. */

#include "core/sysroot.h"

#define PROBE_HANG_MS 1000 /* the passive answer is promised within 2 s */

/*
 * Whether a stat(2) of the path does not come back in so many milliseconds. A child process asks,
 * and is killed then; where even that must wait for the server, it goes when the server does.
 */
bool probe_path_hangs(const char *path, unsigned ms);

/*
 * What the mount table says without touching the path: machine calls that look at no file, and the
 * path from the root on. -errno: there is no name for the working directory.
 */
const struct machine_calls *probe_calls_by_table(void);
int probe_path_absolute(const char *path, char **ret);

#endif
