/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_NAMED_NUMBERS_H
#define IOPROOF_NAMED_NUMBERS_H

/* Files of /proc with one "name number" or "name: number" a line (/proc/vmstat, /proc/PID/io). */

#include "core/base.h"

/* -ENOENT: no such line. -EINVAL: its value is not one decimal number of 64 bits. */
int named_number(const char *text, const char *name, uint64_t *ret);

#endif
