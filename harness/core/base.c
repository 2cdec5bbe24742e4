// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/base.h"

#include <string.h>

static void *must(void *p)
{
	static const char message[] = "ioproof: out of memory\n";

	if (p)
		return p;
	(void)!write(STDERR_FILENO, message, sizeof(message) - 1);
	_exit(1); /* the guardian and the kernel clean up */
}

void *xmalloc(size_t size)
{
	return must(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return must(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	return must(reallocarray(p, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return s ? must(strdup(s)) : NULL;
}

char *xstrndup(const char *s, size_t n)
{
	return s ? must(strndup(s, n)) : NULL;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	return must(s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

int error_set(struct error *error, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (error) {
		va_start(ap, fmt);
		vsnprintf(error->text, sizeof(error->text), fmt, ap);
		va_end(ap);
	}
	return -errnum;
}
