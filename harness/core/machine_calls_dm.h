/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_MACHINE_CALLS_DM_H
#define IOPROOF_MACHINE_CALLS_DM_H

#include "core/sysroot.h"

/* What machine_calls.dm_targets says on a live machine. */
int machine_dm_targets(dev_t device, char **ret);

#endif
