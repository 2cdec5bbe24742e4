/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_MOUNT_OPTIONS_H
#define IOPROOF_MOUNT_OPTIONS_H

/* What a mount was told, as traits: one table of all filesystem types. */

#include "model/stack.h"

/* Reads superblock options as the kernel wrote them into the traits of a mount's layer. */
void mount_options_read(struct layer *layer, const char *raw_options);

#endif
