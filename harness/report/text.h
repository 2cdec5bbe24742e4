/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_REPORT_TEXT_H
#define IOPROOF_REPORT_TEXT_H

/* What people read, in 80 columns: plain words, the figures that prove them, a remedy to paste. */

#include "model/measurement.h"

/*
 * "PATH on ext4 (vda, virtio disk), in a VM (kvm)", the layers, and how far they can be checked.
 * Without a path: the layers alone. Without an environment: nothing of the machine.
 */
void text_stack(FILE *out, const char *path, const struct stack *stack,
	const struct environment *environment);
/*
 * "in a container (docker), in a VM (kvm, firecracker)"; malloc'ed. Names are systemd-detect-virt's
 * or ours, safe to print. What could not be looked at "cannot be told".
 */
char *environment_sentence(const struct environment *environment);
/* Tables, findings and checks of a finished run. */
void text_result(FILE *out, const struct result *result, bool show_refused);

#endif
