/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_WRAP_H
#define IOPROOF_WRAP_H

#include <stdio.h>

#define TEXT_COLUMNS 80

/*
 * Prints text broken at spaces into lines of at most TEXT_COLUMNS, each indented, the first one
 * after `lead` (which counts as the first line's indentation). Words that are longer stand alone.
 * The text is made safe for a terminal.
 */
void wrap_print(FILE *out, const char *lead, unsigned indent, const char *text);

#endif
