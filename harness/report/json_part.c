// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/json_part.h"

#include <sys/sysmacros.h>

#include "core/text.h"

json_t *json_text(const char *s)
{
	_cleanup_free_ char *clean = s ? text_utf8(s) : NULL;
	json_t *text = clean ? json_string(clean) : NULL;

	return text ? text : json_null();
}

json_t *json_count(uint64_t value)
{
	return json_integer((json_int_t)MIN(value, (uint64_t)INT64_MAX));
}

json_t *json_number(double value)
{
	json_t *number = json_real(value);

	return number ? number : json_null();
}

void json_set(json_t *object, const char *key, json_t *value)
{
	_cleanup_free_ char *clean = text_utf8(key);

	json_object_set_new(object, clean, value);
}

static json_t *trait_document(const struct trait *trait)
{
	json_t *object = json_object();

	json_set(object, "answer", json_text(answer_name(trait->answer)));
	json_set(object, "known_by", json_text(known_by_name(trait->known_by)));
	json_set(object, "source", json_text(trait->source));
	return object;
}

/* A trait that is not listed is unknown. */
static json_t *traits_document(const struct layer *layer)
{
	json_t *object = json_object();

	for (unsigned id = 0; id < TRAIT_COUNT; id++)
		if (layer->traits[id].answer != ANSWER_UNKNOWN || layer->traits[id].source)
			json_set(object, trait_name((enum trait_id)id),
				trait_document(&layer->traits[id]));
	return object;
}

static void set_if_known(json_t *object, const char *key, const char *value)
{
	if (value)
		json_set(object, key, json_text(value));
}

static json_t *server_document(const struct layer *layer)
{
	json_t *object = json_object();

	json_set(object, "pid",
		layer->server_pid ? json_count((uint64_t)layer->server_pid) : json_null());
	json_set(object, "name", json_text(layer->server_name));
	json_set(object, "source", json_text(layer->server_source));
	return object;
}

static json_t *layer_document(const struct layer *layer)
{
	json_t *object = json_object();

	json_set(object, "layer", json_text(layer_kind_name(layer->kind)));
	json_set(object, "type", json_text(layer->type));
	json_set(object, "name", json_text(layer->name));
	json_set(object, "level", json_count(layer->level));
	json_set(object, "inferred", json_boolean(layer->inferred));
	json_set(object, "by_bytes", json_boolean(layer->by_bytes));
	if (layer->mount_id)
		json_set(object, "mount_id", json_count(layer->mount_id));
	if (layer->device) {
		_cleanup_free_ char *number =
			xasprintf("%u:%u", major(layer->device), minor(layer->device));

		json_set(object, "device", json_text(number));
	}
	set_if_known(object, "mount_point", layer->mount_point);
	set_if_known(object, "source", layer->source);
	set_if_known(object, "options", layer->options);
	if (layer->server_source)
		json_set(object, "server", server_document(layer));
	set_if_known(object, "sysfs", layer->sysfs);
	set_if_known(object, "driver", layer->driver);
	set_if_known(object, "model", layer->model);
	set_if_known(object, "content", layer->content);
	if (layer->size)
		json_set(object, "size_bytes", json_count(layer->size));
	json_set(object, "traits", traits_document(layer));
	return object;
}

json_t *stack_document(const struct stack *stack)
{
	json_t *array = json_array();

	for (size_t i = 0; i < stack->count; i++)
		json_array_append_new(array, layer_document(&stack->layer[i]));
	return array;
}
