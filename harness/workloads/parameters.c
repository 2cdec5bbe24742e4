// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "core/text.h"
#include "workloads/workload.h"

REGISTRY_DEFINE(workloads, "workloads");

static size_t parameter_count(const struct workload *workload)
{
	size_t n = 0;

	while (workload->parameters[n].key)
		n++;
	return n;
}

static int value_parse(const struct parameter *p, const char *text, struct parameter_value *ret,
	struct error *error)
{
	struct parameter_value value = { 0 };
	int r = 0;

	if (p->type == PARAMETER_SIZE)
		r = text_parse_size(text, &value.number);
	else if (p->type == PARAMETER_NUMBER)
		r = text_parse_u64(text, &value.number);
	else if (!*text)
		r = -EINVAL;
	if (r < 0)
		return error_set(error, EINVAL, "%s=%s: not a %s", p->key, text,
			p->type == PARAMETER_SIZE           ? "size (try 256M or 4k)"
				: p->type == PARAMETER_PATH ? "path"
							    : "number");
	if (p->type == PARAMETER_PATH)
		value.text = xstrdup(text);
	free(ret->text);
	*ret = value;
	return 0;
}

static int values_default(const struct workload *workload, bool quick,
	struct parameter_value *values, struct error *error)
{
	for (size_t i = 0; workload->parameters[i].key; i++) {
		const struct parameter *p = &workload->parameters[i];
		const char *text = quick && p->quick_value ? p->quick_value : p->default_value;
		int r = text ? value_parse(p, text, &values[i], error) : 0;

		if (r < 0)
			return r;
	}
	return 0;
}

/* "size, bs, file": what could have been meant. */
static char *parameter_names(const struct workload *workload)
{
	char *names = xstrdup("");

	for (size_t i = 0; workload->parameters[i].key; i++)
		text_append(&names, ", ", "%s", workload->parameters[i].key);
	return names;
}

static const struct parameter *parameter_named(
	const struct workload *workload, const char *key, size_t length)
{
	for (const struct parameter *p = workload->parameters; p->key; p++)
		if (strlen(p->key) == length && strncmp(p->key, key, length) == 0)
			return p;
	return NULL;
}

const struct parameter_value *parameter_find(
	const struct workload *workload, const struct parameter_value *values, const char *key)
{
	return &values[parameter_named(workload, key, strlen(key)) - workload->parameters];
}

/* Takes one `key=value` off the front of *list; *list becomes NULL with the last one. */
static int assign_next(const struct workload *workload, char **list, struct parameter_value *values,
	struct error *error)
{
	size_t length = strcspn(*list, "=,");
	bool assigned = (*list)[length] == '=';
	const struct parameter *p = assigned ? parameter_named(workload, *list, length) : NULL;
	char *value = *list + length + 1;

	if (!p) {
		_cleanup_free_ char *names = parameter_names(workload);

		return error_set(error, EINVAL,
			"%s: no parameter \"%.*s\"; it takes key=value of: %s", workload->head.id,
			(int)MIN(length, 64), *list, names);
	}
	if (p->type == PARAMETER_PATH)
		*list = NULL;
	else {
		strsep(list, "=");
		strsep(list, ",");
	}
	return value_parse(p, value, &values[p - workload->parameters], error);
}

static int assign_all(const struct workload *workload, const char *text,
	struct parameter_value *values, struct error *error)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy;

	while (rest) {
		int r = assign_next(workload, &rest, values, error);

		if (r < 0)
			return r;
	}
	return 0;
}

int workload_parse(const char *text, bool quick, const struct workload **ret,
	struct parameter_value **values, struct error *error)
{
	const char *colon = strchr(text, ':');
	_cleanup_free_ char *name = xstrndup(text, colon ? (size_t)(colon - text) : strlen(text));
	const struct registered *head = registry_find(&registry_workloads, name);
	const struct workload *workload;
	struct parameter_value *v;
	int r;

	if (!head && (strcmp(name, ".") == 0 || strchr(name, '/')))
		return error_set(error, ENOENT,
			"%s: no such workload; to measure in a directory: --on %s", name, name);
	if (!head)
		return error_set(error, ENOENT,
			"%s: no such workload; `ioproof list workloads` shows them", name);
	workload = registry_entry(head, struct workload);
	v = xcalloc(parameter_count(workload) + 1, sizeof(*v));
	r = values_default(workload, quick, v, error);
	if (r == 0 && colon)
		r = assign_all(workload, colon + 1, v, error);
	if (r == 0 && workload->check)
		r = workload->check(v, error);
	if (r < 0) {
		parameter_values_free(workload, v);
		return r;
	}
	*ret = workload;
	*values = v;
	return 0;
}

json_t *parameters_describe(const struct workload *workload, const struct parameter_value *values)
{
	json_t *object = json_object();

	for (size_t i = 0; workload->parameters[i].key; i++) {
		const struct parameter *p = &workload->parameters[i];

		if (p->type != PARAMETER_PATH)
			json_object_set_new(
				object, p->key, json_integer((json_int_t)values[i].number));
		else if (values[i].text) {
			_cleanup_free_ char *text = text_utf8(values[i].text);

			json_object_set_new(object, p->key, json_string(text));
		}
	}
	return object;
}

void parameter_values_free(const struct workload *workload, struct parameter_value *values)
{
	if (!values)
		return;
	for (size_t i = 0; workload->parameters[i].key; i++)
		free(values[i].text);
	free(values);
}
