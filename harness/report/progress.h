/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_PROGRESS_H
#define IOPROOF_PROGRESS_H

/*
 * Long work is announced on stderr: one line that is rewritten on a terminal, one line an event
 * with --progress=plain, nothing otherwise.
 */

#include "core/base.h"

struct progress {
	bool on;
	bool rewrite; /* a terminal */
	uint64_t shown_ns;
};

void progress_init(struct progress *progress, bool plain);
/* Shown at most ten times a second on a terminal; `force` shows it at once. */
void progress_show(struct progress *progress, bool force, const char *fmt, ...) PRINTF(3, 4);
/* Takes the rewritten line away before something else is printed. */
void progress_clear(struct progress *progress);

#endif
