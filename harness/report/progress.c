// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/progress.h"

#include "core/text.h"
#include "engine/engine.h"

#define SHOW_EVERY_NS (100ULL * 1000 * 1000)

void progress_init(struct progress *progress, bool plain)
{
	*progress = (struct progress){ .on = plain || isatty(STDERR_FILENO) };
	progress->rewrite = progress->on && !plain;
}

void progress_show(struct progress *progress, bool force, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL, *safe = NULL;
	uint64_t now;
	va_list ap;

	if (!progress->on)
		return;
	now = clock_now();
	if (!force && now - progress->shown_ns < SHOW_EVERY_NS)
		return;
	progress->shown_ns = now;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	safe = text_terminal(text);
	fprintf(stderr, progress->rewrite ? "\r%.78s\033[K" : "%s\n", safe);
}

void progress_clear(struct progress *progress)
{
	if (progress->rewrite)
		fputs("\r\033[K", stderr);
	fflush(stderr);
}
