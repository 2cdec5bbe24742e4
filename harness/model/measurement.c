// SPDX-License-Identifier: GPL-2.0-or-later
#include "model/measurement.h"

void measurement_free(struct measurement *measurement)
{
	for (size_t i = 0; i < measurement->samples; i++)
		findings_free(&measurement->sample[i].findings);
	free(measurement->sample);
	findings_free(&measurement->findings);
	free(measurement->latency);
	free(measurement->target);
	json_decref(measurement->parameters);
	*measurement = (struct measurement){ 0 };
}

static void check_free(struct check *check)
{
	free(check->target);
	free(check->answer);
	json_decref(check->observed);
}

void target_report_free(struct target_report *target)
{
	free(target->id);
	free(target->path);
	json_decref(target->fixture);
	stack_free(&target->stack);
	if (target->experiments)
		experiments_free(target->experiments);
	free(target->experiments);
	findings_free(&target->findings);
}

void result_add_check(struct result *result, const struct check *check)
{
	result->check = xreallocarray(result->check, result->checks + 1, sizeof(*result->check));
	result->check[result->checks++] = *check;
}

void result_add_missing(struct result *result, const struct missing *missing)
{
	result->missing =
		xreallocarray(result->missing, result->missings + 1, sizeof(*result->missing));
	result->missing[result->missings++] = *missing;
}

static void missing_free(struct missing *missing)
{
	free(missing->target);
	free(missing->reason);
}

void result_free(struct result *result)
{
	for (size_t i = 0; i < result->command_count; i++)
		free(result->command[i]);
	free(result->command);
	for (size_t i = 0; i < result->targets; i++)
		target_report_free(&result->target[i]);
	free(result->target);
	for (size_t i = 0; i < result->measurements; i++)
		measurement_free(&result->measurement[i]);
	free(result->measurement);
	for (size_t i = 0; i < result->checks; i++)
		check_free(&result->check[i]);
	free(result->check);
	for (size_t i = 0; i < result->missings; i++)
		missing_free(&result->missing[i]);
	free(result->missing);
	environment_free(&result->environment);
	*result = (struct result){ 0 };
}
