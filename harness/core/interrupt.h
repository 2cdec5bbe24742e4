/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_INTERRUPT_H
#define IOPROOF_INTERRUPT_H

/*
 * SIGINT, SIGTERM and SIGHUP only raise a flag; loops look at it between two I/Os and unwind with
 * -EINTR, so that every owner cleans up and the partial result is still written. System calls are
 * interrupted (no SA_RESTART). A second signal of the same kind ends the process as it would any
 * other. A SIGHUP that was ignored when we started stays so. SIGPIPE and
 * SIGXFSZ are ignored: a closed pipe and a file size limit are errors of the write.
 */

#include <stdbool.h>

void interrupt_install(void);
bool interrupted(void);

#endif
