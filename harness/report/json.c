// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json.h"

#include <string.h>
#include <time.h>

#include "report/json_experiments.h"
#include "report/json_part.h"

static json_t *finding_document(const struct finding *finding)
{
	json_t *object = json_object();

	json_set(object, "id", json_text(finding->kind->head.id));
	json_set(object, "severity", json_text(severity_name(finding->severity)));
	json_set(object, "layer", json_text(finding->layer));
	json_set(object, "message", json_text(finding->message));
	json_set(object, "observed",
		finding->observed ? json_deep_copy(finding->observed) : json_object());
	json_set(object, "source", json_text(finding->source));
	json_set(object, "remedy", json_text(finding->remedy));
	json_set(object, "rounds", json_count(finding->rounds));
	return object;
}

json_t *findings_document(const struct findings *findings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < findings->count; i++)
		json_array_append_new(array, finding_document(&findings->item[i]));
	return array;
}

static json_t *horizon_document(const struct stack *stack)
{
	_cleanup_free_ char *horizon = stack_horizon_name(stack);

	return json_text(horizon);
}

json_t *target_document(const struct target_report *target)
{
	json_t *object = json_object();

	json_set(object, "id", json_text(target->id));
	json_set(object, "path", json_text(target->path));
	json_set(
		object, "fixture", target->fixture ? json_deep_copy(target->fixture) : json_null());
	json_set(object, "stack", stack_document(&target->stack));
	json_set(object, "horizon", horizon_document(&target->stack));
	json_set(object, "findings", findings_document(&target->findings));
	json_set(object, "experiments",
		target->experiments ? experiments_document(target->experiments, &target->stack)
				    : json_null());
	return object;
}

static json_t *percentile(const struct histogram *histogram, double q)
{
	uint64_t ns;

	return histogram_percentile(histogram, q, &ns) < 0 ? json_null() : json_count(ns);
}

static json_t *latency_document(const struct histogram *histogram)
{
	json_t *object;

	if (!histogram || histogram->count == 0)
		return json_null();
	object = json_object();
	json_set(object, "count", json_count(histogram->count));
	json_set(object, "overflow", json_count(histogram->overflow));
	json_set(object, "min", json_count(histogram->min));
	json_set(object, "p50", percentile(histogram, 0.5));
	json_set(object, "p90", percentile(histogram, 0.9));
	json_set(object, "p99", percentile(histogram, 0.99));
	json_set(object, "p99.9", percentile(histogram, 0.999));
	json_set(object, "max", json_count(histogram->max));
	return object;
}

static json_t *sample_document(const struct sample *sample, const struct stack *stack)
{
	json_t *object = json_object();

	json_set(object, "round", json_count(sample->round));
	json_set(object, "order", json_count(sample->order));
	json_set(object, "value", json_number(sample->value));
	json_set(object, "bytes", json_count(sample->bytes));
	json_set(object, "ios", json_count(sample->ios));
	json_set(object, "errors", json_count(sample->errors));
	json_set(object, "short_ios", json_count(sample->short_ios));
	json_set(object, "ns", json_count(sample->ns));
	json_set(object, "ledger", ledger_document(&sample->ledger, stack));
	json_set(object, "findings", findings_document(&sample->findings));
	return object;
}

static json_t *samples_document(const struct measurement *m, const struct stack *stack)
{
	json_t *array = json_array();

	for (size_t i = 0; i < m->samples; i++)
		json_array_append_new(array, sample_document(&m->sample[i], stack));
	return array;
}

/* The numbers: in the measurement itself, or under `withheld`. Without a sample there is none. */
static void set_numbers(json_t *object, const struct measurement *m, const struct stack *stack)
{
	bool any = m->samples > 0;

	json_set(object, "median", any ? json_number(m->median) : json_null());
	json_set(object, "ci95",
		any && m->has_interval
			? json_pack("[o,o]", json_number(m->low), json_number(m->high))
			: json_null());
	json_set(object, "spread", any ? json_number(m->spread) : json_null());
	json_set(object, "latency_ns", latency_document(m->latency));
	json_set(object, "samples", samples_document(m, stack));
}

static void set_withheld(json_t *object, const struct measurement *m, const struct stack *stack)
{
	json_t *withheld = json_object();

	set_numbers(withheld, m, stack);
	json_set(object, "median", json_null());
	json_set(object, "ci95", json_null());
	json_set(object, "spread", json_null());
	json_set(object, "latency_ns", json_null());
	json_set(object, "withheld", withheld);
}

static json_t *measurement_document(const struct measurement *m, const struct stack *stack)
{
	json_t *object = json_object();

	json_set(object, "target", json_text(m->target));
	json_set(object, "workload", json_text(m->workload));
	json_set(object, "case", json_text(m->case_id));
	json_set(object, "parameters",
		m->parameters ? json_deep_copy(m->parameters) : json_object());
	json_set(object, "claim", json_text(claim_name(m->claim)));
	json_set(object, "metric", json_text(m->metric));
	json_set(object, "unit", json_text(m->unit));
	json_set(object, "better", json_text(m->higher_is_better ? "higher" : "lower"));
	json_set(object, "verdict", json_text(verdict_name(m->verdict)));
	json_set(object, "horizon", horizon_document(stack));
	json_set(object, "findings", findings_document(&m->findings));
	json_set(object, "rounds", json_count(m->samples));
	json_set(object, "ledger", ledger_totals_document(m, stack));
	if (m->verdict == VERDICT_REFUSED)
		set_withheld(object, m, stack);
	else
		set_numbers(object, m, stack);
	return object;
}

static json_t *check_document(const struct check *check)
{
	json_t *object = json_object();

	json_set(object, "target", json_text(check->target));
	json_set(object, "workload", json_text(check->workload));
	json_set(object, "check", json_text(check->check));
	json_set(object, "answer", json_text(check->answer));
	json_set(object, "observed",
		check->observed ? json_deep_copy(check->observed) : json_object());
	return object;
}

static json_t *missing_document(const struct missing *missing)
{
	json_t *object = json_object();

	json_set(object, "target", json_text(missing->target));
	json_set(object, "workload", json_text(missing->workload));
	json_set(object, "case", json_text(missing->case_id));
	json_set(object, "reason", json_text(missing->reason));
	return object;
}

static const struct stack *stack_of(const struct result *result, const char *target)
{
	static const struct stack none;

	for (size_t i = 0; i < result->targets; i++)
		if (target && strcmp(result->target[i].id, target) == 0)
			return &result->target[i].stack;
	return &none;
}

/* RFC 3339 in UTC. */
static json_t *time_document(int64_t seconds)
{
	time_t t = (time_t)seconds;
	char text[64];
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return json_null();
	return json_string(text);
}

/* A seed is all 64 bits; above 2^63 - 1 it is written as decimal digits. */
static json_t *seed_document(uint64_t seed)
{
	char text[32];

	if (seed <= INT64_MAX)
		return json_integer((json_int_t)seed);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
	return json_string(text);
}

static void set_run(json_t *document, const struct result *result)
{
	json_t *tool = json_object(), *command = json_array();

	json_set(tool, "name", json_text("ioproof"));
	json_set(tool, "version", json_text(IOPROOF_VERSION));
	for (size_t i = 0; i < result->command_count; i++)
		json_array_append_new(command, json_text(result->command[i]));
	json_set(document, "schema", json_text(RESULT_SCHEMA));
	json_set(document, "tool", tool);
	json_set(document, "started_at", time_document(result->started_at));
	json_set(document, "command", command);
	json_set(document, "seed", seed_document(result->seed));
	json_set(document, "complete", json_boolean(result->complete));
	json_set(document, "verdict",
		result->measurements ? json_text(verdict_name(result->verdict)) : json_null());
}

json_t *result_document(const struct result *result)
{
	json_t *document = json_object(), *targets = json_array();
	json_t *measurements = json_array(), *checks = json_array(), *missing = json_array();

	for (size_t i = 0; i < result->targets; i++)
		json_array_append_new(targets, target_document(&result->target[i]));
	for (size_t i = 0; i < result->measurements; i++) {
		const struct measurement *m = &result->measurement[i];

		json_array_append_new(
			measurements, measurement_document(m, stack_of(result, m->target)));
	}
	for (size_t i = 0; i < result->checks; i++)
		json_array_append_new(checks, check_document(&result->check[i]));
	for (size_t i = 0; i < result->missings; i++)
		json_array_append_new(missing, missing_document(&result->missing[i]));
	set_run(document, result);
	json_set(document, "environment", environment_document(&result->environment));
	json_set(document, "targets", targets);
	json_set(document, "measurements", measurements);
	json_set(document, "missing", missing);
	json_set(document, "checks", checks);
	json_set(document, "comparisons", json_array());
	return document;
}

int document_write(json_t *document, FILE *stream)
{
	int r;

	errno = 0;
	r = json_dumpf(document, stream, JSON_INDENT(2));
	json_decref(document);
	if (r < 0 || fputc('\n', stream) == EOF || fflush(stream) == EOF || ferror(stream))
		return errno ? -errno : -EIO;
	return 0;
}
