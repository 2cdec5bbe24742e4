/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_FINDING_H
#define IOPROOF_FINDING_H

/*
 * A finding is what a rule says about one number: a stable id, how grave it is, at which layer, the
 * values observed and where they were read, and what to do about it.
 *
 * What never changes of it (its `finding_kind`) is registered (section `findings`) by the file of
 * the rule that says it.
 */

#include <jansson.h>

#include "core/registry.h"

/* The order is the order of gravity. */
enum severity { SEVERITY_NOTE, SEVERITY_FLAG, SEVERITY_REFUSE };
enum verdict { VERDICT_TRUSTED, VERDICT_FLAGGED, VERDICT_REFUSED };

struct finding_kind {
	struct registered head;  /* id "loop-backing-cached"; summary: what it means, in one line */
	const char *meaning;     /* a paragraph: what it means and why it spoils a number */
	const char *established; /* how ioproof knows: witness, experiment, declaration */
	const char *example;     /* a real one, in a few lines with its figures */
	const char *touches;     /* the claims it refuses, flags or only notes */
	const char *remedy;      /* what to do, a command where there is one */
	bool settles;            /* while it stands, the remedies of other findings do not help */
};

#define FINDING_REGISTER(object) REGISTER(findings, object)
extern const struct registry registry_findings;

struct finding {
	const struct finding_kind *kind;
	enum severity severity;
	char *layer;      /* name of the layer it holds at; NULL: not of one layer */
	char *message;    /* one line with the figures that prove it */
	json_t *observed; /* object: the same figures; bytes end in _bytes, times in _ns */
	char *source;     /* where they were read: "sys/block/vda/stat, blkio cgroup" */
	char *remedy;     /* kind->remedy, or one that names this machine's things */
	unsigned rounds;  /* in how many rounds of a measurement it was found; 0: not of a round */
};

struct findings {
	struct finding *item;
	size_t count;
};

/*
 * Adds a finding and returns it for details; layer is copied and may be NULL. The pointer holds
 * until the next call. The remedy starts as the kind's.
 */
struct finding *finding_add(struct findings *findings, const struct finding_kind *kind,
	enum severity severity, const char *layer);
void finding_message(struct finding *finding, const char *fmt, ...) PRINTF(2, 3);
void finding_source(struct finding *finding, const char *fmt, ...) PRINTF(2, 3);
void finding_remedy(struct finding *finding, const char *fmt, ...) PRINTF(2, 3);
void finding_observe_u64(struct finding *finding, const char *key, uint64_t value);
void finding_observe_real(struct finding *finding, const char *key, double value);
void finding_observe_text(struct finding *finding, const char *key, const char *value);

/*
 * Merges one round's findings into a measurement's: the same id at the same layer is counted, and
 * the graver one's details stay.
 */
void findings_merge(struct findings *into, const struct findings *from);
/*
 * Copies findings that belong to no round (of a target, of the measurement rules). One that is
 * there already at the same layer is not doubled; the graver one's details stay.
 */
void findings_append(struct findings *into, const struct findings *from);
void findings_free(struct findings *findings);
const struct finding *findings_find(const struct findings *findings, const char *id);
/* The one that refuses and settles the matter; NULL: none does. */
const struct finding *findings_settling(const struct findings *findings);
/* The first of the worst ones; NULL: there are only notes. */
const struct finding *findings_gravest(const struct findings *findings);
/* The worst finding decides; none is trusted. Notes do not flag. */
enum verdict findings_verdict(const struct findings *findings);

const char *severity_name(enum severity severity); /* "note", "flag", "refuse" */
const char *verdict_name(enum verdict verdict);    /* "trusted", "flagged", "refused" */

#endif
