/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_BASE_H
#define IOPROOF_BASE_H

/*
 * What every file needs: cleanup by scope, owning moves, and errors.
 *
 * Errors are 0 or a negative errno; results leave through the last pointer, which a failed call
 * leaves untouched. Where a person must be told what to do, the call also takes a `struct error`.
 *
 * Memory is never refused: the x*() allocators end the process, as in util-linux. That is safe
 * here, because whatever must not stay behind (loop device, mount, unnamed image) is tied to a file
 * descriptor or a private namespace and goes with the process.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#define KIB (1024ULL)
#define MIB (1024ULL * KIB)
#define GIB (1024ULL * MIB)

#define PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _cleanup_free_ _cleanup_(free_pointer)
#define _cleanup_close_ _cleanup_(close_fd)
#define _cleanup_file_ _cleanup_(close_file)

static inline void free_pointer(void *p)
{
	free(*(void **)p);
}

/* Closes and forgets; errno survives, so that an error path may clean up before it returns. */
static inline void close_fd(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = saved;
}

static inline void close_file(FILE **f)
{
	if (*f)
		fclose(*f);
}

/* Move a pointer or a descriptor out of a variable that would clean it up. */
#define take_pointer(p)                                                                            \
	({                                                                                         \
		__auto_type taken_ = (p);                                                          \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
/* Array growth; the product is checked for overflow. */
void *xreallocarray(void *p, size_t count, size_t size);
/* NULL stays NULL. */
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) PRINTF(1, 2);
char *xvasprintf(const char *fmt, va_list ap);

/*
 * One line for a person: names the thing that failed and what to do about it, without a newline.
 * The text may quote hostile input; whoever prints it passes it through text_terminal() first.
 */
struct error {
	char text[768];
};

/* Fills the text and returns -errnum, so that `return error_set(...)` is one statement. */
int error_set(struct error *error, int errnum, const char *fmt, ...) PRINTF(3, 4);

#endif
