// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recorded machines: every directory below tests/machines that has an about.json is one, and each
 * of its queries is a test, and so is what it expects of its environment. A new record needs no
 * code. IOPROOF_MACHINES names another directory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <jansson.h>
#include <string.h>

#include "core/text.h"
#include "probes/environment/environment_probe.h"
#include "probes/stack/stack_probe.h"

#ifndef MACHINES
#define MACHINES "tests/machines"
#endif

struct query {
	char *record; /* its directory */
	const char *path;
	const json_t *expect;
};

static const struct layer *first_mount(const struct stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		if (stack->layer[i].mount_id)
			return &stack->layer[i];
	return NULL;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What is free text in the records: an explanation, not a name. */
static bool only_kind_matters(const char *kind)
{
	static const char *const kinds[] = { "hidden", "cloud", "share", "remote", "memory" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	return false;
}

/* "kind:name+name" of one level, members sorted, filesystems of one type once. */
static char *describe_level(const struct stack *stack, unsigned level)
{
	char *names[STACK_LAYERS_MAX];
	size_t count = 0;
	const char *kind = NULL;
	char *text;

	for (size_t i = 0; i < stack->count; i++) {
		if (stack->layer[i].level != level)
			continue;
		if (kind && strcmp(kind, layer_kind_name(stack->layer[i].kind)) != 0)
			kind = "mixed";
		else
			kind = layer_kind_name(stack->layer[i].kind);
		names[count++] = stack->layer[i].name;
	}
	if (!kind || only_kind_matters(kind))
		return xstrdup(kind ? kind : "nothing");
	qsort(names, count, sizeof(*names), compare_text);
	text = xasprintf("%s:%s", kind, names[0]);
	for (size_t i = 1; i < count; i++) {
		char *longer;

		if (strcmp(kind, "fs") == 0 && strcmp(names[i], names[i - 1]) == 0)
			continue;
		longer = xasprintf("%s+%s", text, names[i]);
		free(text);
		text = longer;
	}
	return text;
}

/* The same form of what the record says; comments after the name are cut off. */
static char *describe_expected(const char *layer)
{
	static const char *const comments[] = { " (ntfs-3g", " on one of" };
	char *text = xstrdup(layer);
	size_t kind = strcspn(text, ":");
	char *word = xstrndup(text, kind);

	if (only_kind_matters(word))
		text[kind] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(comments); i++) {
		char *at = strstr(text, comments[i]);

		if (at)
			*at = '\0';
	}
	free(word);
	return text;
}

static bool compare_layers(const struct stack *stack, const json_t *layers)
{
	size_t levels = MAX((size_t)stack_levels(stack), json_array_size(layers));
	bool same = true;

	for (size_t level = 0; level < levels; level++) {
		const char *text = json_string_value(json_array_get(layers, level));
		_cleanup_free_ char *wanted = describe_expected(text ? text : "nothing");
		_cleanup_free_ char *seen = describe_level(stack, (unsigned)level);

		if (strcmp(wanted, seen) != 0) {
			print_message("level %zu: %s, the record says %s\n", level, seen, wanted);
			same = false;
		}
	}
	return same;
}

static bool compare_mount(const struct stack *stack, const json_t *expect)
{
	const struct layer *mount = first_mount(stack);
	const char *type = json_string_value(json_object_get(expect, "filesystem_type"));
	uint64_t id = (uint64_t)json_integer_value(json_object_get(expect, "mount_id"));

	if (mount && mount->mount_id == id && strcmp(mount->type, type) == 0)
		return true;
	print_message("mount %llu of type %s, the record says %llu of type %s\n",
		(unsigned long long)(mount ? mount->mount_id : 0), mount ? mount->type : "none",
		(unsigned long long)id, type);
	return false;
}

static bool check_query(const struct query *query)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	_cleanup_(stack_free) struct stack stack = { 0 };
	struct error error = { "" };

	if (sysroot_open(query->record, &root, &error) < 0 ||
		stack_probe_path(&root, query->path, &stack, &error) < 0) {
		print_message("%s\n", error.text);
		return false;
	}
	return compare_mount(&stack, query->expect) &
		compare_layers(&stack, json_object_get(query->expect, "layers")) &
		(stack.count < STACK_LAYERS_MAX);
}

static void test_stack_of_record(void **state)
{
	const struct query *query = *state;
	const char *not_yet = json_string_value(json_object_get(query->expect, "not_yet"));

	if (not_yet) {
		print_message("not yet: %s\n", not_yet);
		skip();
	}
	assert_true(check_query(query));
}

static char *names_of(const struct environment_list *list)
{
	char *text = xstrdup(list->known ? "" : "unknown");

	for (size_t i = 0; i < list->count; i++) {
		char *longer = xasprintf("%s%s ", text, list->item[i].name);

		free(text);
		text = longer;
	}
	return text;
}

static bool compare_names(
	const char *what, const struct environment_list *list, const json_t *expect)
{
	_cleanup_free_ char *seen = names_of(list), *wanted = xstrdup("");
	const json_t *name;
	size_t i;

	json_array_foreach(expect, i, name) {
		char *longer = xasprintf("%s%s ", wanted, json_string_value(name));

		free(wanted);
		wanted = longer;
	}
	for (i = 0; i < list->count; i++)
		assert_true(list->item[i].evidences > 0);
	if (strcmp(seen, wanted) == 0)
		return true;
	print_message("%s: %s, the record says %s\n", what, seen, wanted);
	return false;
}

/* "contradiction": the subjects that signs disagree on; none where the record does not say so. */
static bool compare_contradictions(const struct environment *environment, const json_t *expect)
{
	const json_t *subjects = json_object_get(expect, "contradictions");
	bool same = environment->conflicts == json_array_size(subjects);

	for (size_t i = 0; i < environment->conflicts; i++) {
		const struct environment_conflict *conflict = &environment->conflict[i];
		const char *subject = json_string_value(json_array_get(subjects, i));

		same &= subject && strcmp(subject, conflict->subject) == 0;
		if (!same)
			print_message("%s: %s, but %s\n", conflict->subject, conflict->one,
				conflict->other);
	}
	return same;
}

/* What surrounds the process: asked once a record. */
static void test_environment_of_record(void **state)
{
	const struct query *query = *state;
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	_cleanup_(environment_free) struct environment environment = { 0 };
	struct error error = { "" };
	bool same;

	assert_int_equal(sysroot_open(query->record, &root, &error), 0);
	environment_probe(&root, &environment);
	same = compare_names("virtualization", &environment.virtualization,
		json_object_get(query->expect, "virtualization"));
	same &= compare_names(
		"container", &environment.container, json_object_get(query->expect, "container"));
	same &= compare_contradictions(&environment, query->expect);
	assert_true(same);
}

struct queries {
	struct CMUnitTest *test;
	size_t count;
};

static void add_query(struct queries *queries, const char *directory, const char *record,
	const json_t *path, const json_t *expect)
{
	bool of_path = json_is_string(path);
	struct query *query = xcalloc(1, sizeof(*query));
	_cleanup_free_ char *shown =
		of_path ? text_terminal(json_string_value(path)) : xstrdup("(environment)");

	query->record = xasprintf("%s/%s", directory, record);
	query->path = json_string_value(path);
	query->expect = expect;
	queries->test = xreallocarray(queries->test, queries->count + 1, sizeof(*queries->test));
	queries->test[queries->count++] = (struct CMUnitTest){
		.name = xasprintf("%s %s", record, shown),
		.test_func = of_path ? test_stack_of_record : test_environment_of_record,
		.initial_state = query,
	};
}

/* The documents stay until the end: the queries point into them. */
static void add_record(
	struct queries *queries, const char *directory, const char *record, json_t *documents)
{
	_cleanup_free_ char *file = xasprintf("%s/%s/about.json", directory, record);
	json_t *about = json_load_file(file, 0, NULL);
	json_t *query;
	size_t i;

	if (!about)
		return;
	json_array_append_new(documents, about);
	add_query(queries, directory, record, json_object_get(about, "query_path"),
		json_object_get(about, "expect"));
	add_query(queries, directory, record, NULL, json_object_get(about, "expect"));
	json_array_foreach(json_object_get(about, "more_queries"), i, query)
		add_query(queries, directory, record, json_object_get(query, "query_path"), query);
}

static void add_records(struct queries *queries, const char *directory, json_t *documents)
{
	struct dirent **entry;
	int count = scandir(directory, &entry, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		add_record(queries, directory, entry[i]->d_name, documents);
		free(entry[i]);
	}
	if (count >= 0)
		free(entry);
}

static void free_queries(struct queries *queries)
{
	for (size_t i = 0; i < queries->count; i++) {
		struct query *query = queries->test[i].initial_state;

		free(query->record);
		free(query);
		free((char *)queries->test[i].name);
	}
	free(queries->test);
}

int main(void)
{
	const char *directory = getenv("IOPROOF_MACHINES");
	struct queries queries = { 0 };
	json_t *documents = json_array();
	int failed;

	add_records(&queries, directory ? directory : MACHINES, documents);
	if (!queries.count) {
		printf("no record found below %s\n", directory ? directory : MACHINES);
		return 1;
	}
	failed = _cmocka_run_group_tests(
		"recorded machines", queries.test, queries.count, NULL, NULL);
	free_queries(&queries);
	json_decref(documents);
	return failed != 0;
}
