// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/watchdog.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

struct watchdog {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stopped;
	struct timespec end;
	bool stop;
	char *text;
};

static void *watch(void *argument)
{
	struct watchdog *w = argument;
	bool late = false;

	pthread_mutex_lock(&w->lock);
	while (!w->stop && !late)
		late = pthread_cond_timedwait(&w->stopped, &w->lock, &w->end) == ETIMEDOUT;
	if (!w->stop) {
		(void)!write(STDERR_FILENO, w->text, strlen(w->text));
		_exit(1);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void watchdog_free(struct watchdog *w)
{
	pthread_cond_destroy(&w->stopped);
	pthread_mutex_destroy(&w->lock);
	free(w->text);
	free(w);
}

struct watchdog *watchdog_start(unsigned seconds, const char *text)
{
	struct watchdog *w = xcalloc(1, sizeof(*w));
	pthread_condattr_t clock;

	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC); /* setting the time must not end us */
	pthread_cond_init(&w->stopped, &clock);
	pthread_condattr_destroy(&clock);
	w->text = xstrdup(text);
	clock_gettime(CLOCK_MONOTONIC, &w->end);
	w->end.tv_sec += seconds;
	if (pthread_create(&w->thread, NULL, watch, w) == 0)
		return w;
	watchdog_free(w);
	return NULL;
}

void watchdog_stop(struct watchdog *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->stopped);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	watchdog_free(w);
}
