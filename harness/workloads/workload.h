/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOPROOF_WORKLOAD_H
#define IOPROOF_WORKLOAD_H

/*
 * An experiment: cases that run on one target, in rounds. A workload is one file and one descriptor
 * (section `workloads`); the rounds (engine/rounds.h) call it and take the witness readings.
 */

#include "engine/engine.h"
#include "model/fixture_facts.h"
#include "model/measurement.h"

enum parameter_type { PARAMETER_SIZE, PARAMETER_NUMBER, PARAMETER_PATH };

struct parameter {
	const char *key; /* lower case */
	enum parameter_type type;
	const char *default_value; /* as typed; NULL: unset */
	const char *quick_value;   /* under --quick; NULL: the default */
	const char *summary;
};

/* Parsed values, parallel to the workload's parameters. */
struct parameter_value {
	uint64_t number; /* SIZE (bytes) and NUMBER */
	char *text;      /* PATH; NULL when unset */
};

struct workload_case {
	const char *id;
	const char *summary;
	enum claim claim;
	const char *metric, *unit;
	bool higher_is_better;
	struct conduct conduct;
};

/* Where a workload runs. */
struct target {
	char *id;
	char *path;    /* as people know it */
	int directory; /* open; files are made below it by descriptor only */
	int file;      /* O_PATH of a file that is already there and only read; -1: none */
	struct stack stack;
	struct fixture_facts fixture; /* preparation NULL: it was there before us */
	struct guardian *guardian;
};

struct workload;

struct workload_run {
	const struct workload *workload;
	const struct parameter_value *parameters;
	const struct target *target;
	uint64_t seed;
	void *state; /* the workload's own, between prepare and finish */
};

struct workload {
	struct registered head;
	const struct parameter *parameters; /* ends with key NULL */
	const struct workload_case *cases;  /* ends with id NULL */
	/* The parameter that names an existing file to use instead of data of our own, or NULL. */
	const char *file_parameter;
	/* Values that cannot be are wrong usage. May be NULL. */
	int (*check)(const struct parameter_value *parameters, struct error *error);
	/* Bytes of scratch space it needs below the target's directory. */
	uint64_t (*space)(const struct parameter_value *parameters);
	/* Data and buffers, outside every timer. */
	int (*prepare)(struct workload_run *run, struct error *error);
	/* Brings the state the case promises (evict, warm) and says what it found in the ledger. */
	int (*arrange)(struct workload_run *run, const struct workload_case *c,
		struct ledger *ledger, struct error *error);
	/*
	 * The timed part, between two witness readings. Fills value, bytes, ios, ns, errors of the
	 * sample and `asked` of its ledger; conduct's direct_errno when O_DIRECT was refused.
	 */
	int (*measure)(struct workload_run *run, const struct workload_case *c,
		struct sample *sample, struct conduct *conduct, struct histogram *latency,
		struct error *error);
	/* After the second reading: residency left behind and the like. */
	void (*observe)(
		struct workload_run *run, const struct workload_case *c, struct ledger *ledger);
	/* The yes/no experiments, once; appends to the result. May be NULL. */
	void (*checks)(struct workload_run *run, struct result *result);
	void (*finish)(struct workload_run *run);
};

extern const struct registry registry_workloads;

/*
 * `WORKLOAD[:key=value,...]`; values is malloc'ed, parallel to the workload's parameters. A PATH
 * may hold commas: it reaches to the end of the text, so it comes last.
 */
int workload_parse(const char *text, bool quick, const struct workload **ret,
	struct parameter_value **values, struct error *error);
/* The value of a parameter by its key, which must exist. */
const struct parameter_value *parameter_find(
	const struct workload *workload, const struct parameter_value *values, const char *key);
/* The values in force as a JSON object, unset ones left out; a new reference. */
json_t *parameters_describe(const struct workload *workload, const struct parameter_value *values);
void parameter_values_free(const struct workload *workload, struct parameter_value *values);

#endif
