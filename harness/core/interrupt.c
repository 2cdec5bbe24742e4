// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t raised;

static void note_signal(int number)
{
	raised = 1;
}

void interrupt_install(void)
{
	static const int asks_to_stop[] = { SIGINT, SIGTERM, SIGHUP };
	/* The second of a kind ends us at once: a call may be stuck, and nothing stays behind. */
	struct sigaction action = { .sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, normal = { .sa_handler = SIG_DFL };
	struct sigaction inherited;
	bool hangup_ignored =
		sigaction(SIGHUP, NULL, &inherited) == 0 && inherited.sa_handler == SIG_IGN;

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(asks_to_stop) / sizeof(asks_to_stop[0]); i++)
		sigaction(asks_to_stop[i], &action, NULL);
	/* nohup(1) has asked for it. */
	if (hangup_ignored)
		sigaction(SIGHUP, &ignore, NULL);
	/* Whoever ignores it when starting us would let nobody wait for a child. */
	sigaction(SIGCHLD, &normal, NULL);
	sigaction(SIGPIPE, &ignore, NULL);
	/* A file size limit (ulimit -f) then is EFBIG, which names the file, and not a death. */
	sigaction(SIGXFSZ, &ignore, NULL);
}

bool interrupted(void)
{
	return raised;
}
