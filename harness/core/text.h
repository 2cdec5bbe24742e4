/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_TEXT_H
#define IOPROOF_TEXT_H

/*
 * Strings from outside (mount names, models, option strings) on their way out, and numbers with
 * units both ways. Everything returned is malloc'ed.
 */

#include "core/base.h"

/*
 * Safe for a terminal: printable UTF-8 passes, control characters (C0, DEL, C1), bidirectional
 * overrides and invalid bytes become \xNN, a backslash stays as it is; 16 KiB are enough of
 * anything. NULL gives "(none)".
 */
char *text_terminal(const char *s);
/* Valid UTF-8 for JSON: only invalid bytes become \xNN. (JSON escapes the rest itself.) */
char *text_utf8(const char *s);

/*
 * "4096", "4k", "256M", "1G", "2T", also "KiB"/"kib"/"KB": all binary, as fio and dd read them.
 * -EINVAL: not a size; -ERANGE: does not fit 63 bits. Zero is a size.
 */
int text_parse_size(const char *s, uint64_t *ret);
/* A plain decimal number, nothing before or after. */
int text_parse_u64(const char *s, uint64_t *ret);

/* Whether a list with this separator ("cpu,blkio", "io memory") has the word, whole. */
bool text_has_word(const char *list, const char *word, char separator);

/* Makes a malloc'ed list (or NULL) longer by one; the separator stands between two. */
void text_append(char **list, const char *separator, const char *fmt, ...) PRINTF(3, 4);

/* "256 MiB", "1.5 GiB", "0 B": what people read for a count of bytes. */
char *text_bytes(uint64_t bytes);
/* "1 102" for 1102.4 with digits = 0; thin groups of three, fixed decimals. */
char *text_grouped(double value, int digits);
/* "3.1 s", "120 ms", "38 us", "150 ns". */
char *text_duration(uint64_t ns);
/* One word for the shell, in single quotes. */
char *text_shell_word(const char *s);

#endif
