/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_MEASUREMENT_H
#define IOPROOF_MEASUREMENT_H

/* One arm's numbers with their proof, and the document that carries all of them. */

#include "engine/histogram.h"
#include "model/evidence.h"

struct sample {
	unsigned round; /* from 0 */
	unsigned order; /* position within its round, from 0 */
	double value;   /* in the measurement's unit */
	uint64_t bytes, ios, errors, short_ios;
	uint64_t ns; /* the timed part */
	struct ledger ledger;
	struct findings findings;
};

struct measurement {
	char *target;         /* target id */
	const char *workload; /* registered ids; static */
	const char *case_id;
	json_t *parameters; /* object: what the workload was told, bytes as integers */
	enum claim claim;
	struct conduct conduct;
	const char *metric; /* "throughput" */
	const char *unit;   /* "B/s" */
	bool higher_is_better;
	struct sample *sample;
	size_t samples;
	struct findings findings; /* merged from the rounds, the target and the measurement rules */
	enum verdict verdict;
	struct histogram *latency; /* per I/O over all rounds; NULL: none */
	/* By stats; interval only where `has_interval`. */
	double median, low, high, spread;
	bool has_interval;
};

/* A yes/no experiment: "misaligned". */
struct check {
	char *target;
	const char *workload;
	const char *check;
	char *answer; /* one word: "EINVAL", "success", "short" */
	json_t *observed;
};

/* A measurement that was to be made and was not. */
struct missing {
	char *target;
	const char *workload, *case_id;
	char *reason;
};

struct target_report {
	char *id;
	char *path;
	json_t *fixture;                    /* object or NULL */
	struct fixture_facts fixture_facts; /* of it */
	struct stack stack;
	struct findings findings;        /* inherited by each of its measurements */
	struct experiments *experiments; /* made before its measurements; NULL: none */
};

struct result {
	char **command;
	size_t command_count;
	uint64_t seed;
	int64_t started_at; /* seconds since the epoch */
	struct environment environment;
	struct target_report *target;
	size_t targets;
	struct measurement *measurement;
	size_t measurements;
	struct check *check;
	size_t checks;
	struct missing *missing;
	size_t missings;
	bool complete;
	enum verdict verdict; /* the worst measurement */
};

/* Append one; its contents now belong to the result. */
void result_add_missing(struct result *result, const struct missing *missing);
void result_add_check(struct result *result, const struct check *check);
void measurement_free(struct measurement *measurement);
void target_report_free(struct target_report *target);
void result_free(struct result *result);

#endif
