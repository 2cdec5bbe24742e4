/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FIXTURE_UP_H
#define IOPROOF_FIXTURE_UP_H

/* `ioproof fixture up`: progress on stderr, then the mount points alone on stdout. */

#include "cmd/fixture_options.h"

int fixture_up(const struct sysroot *root, const struct fixture_options *options,
	const struct lasting_voice *voice, struct error *error);

#endif
