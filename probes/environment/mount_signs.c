// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/environment/mount_signs.h"

#include <string.h>

#include "probes/stack/mount_table.h"

/* More of them say nothing new; a hostile table could repeat them without end. */
#define SIGNS_MAX 256

/* Mount points that tell; with a final slash: everything below it. */
static const char *const telling[] = {
	"/",
	"/dev",
	"/dev/.lxd-mounts",
	"/dev/console",
	"/dev/incus",
	"/dev/lxd",
	"/dev/termination-log",
	"/etc/hostname",
	"/etc/hosts",
	"/etc/resolv.conf",
	"/opt/google/cros-containers",
	"/proc/",
	"/run/.containerenv",
	"/run/host/incoming",
	"/run/secrets/kubernetes.io/",
	"/run/systemd/nspawn/incoming",
	"/sys/firmware",
	"/sys/fs/cgroup",
	"/sys/fs/cgroup/",
	"/var/run/secrets/kubernetes.io/",
};

/* Shares that tell wherever they are mounted. */
static const char *const telling_sources[] = { "rosetta", "vz-rosetta" };

static bool source_tells(const char *source)
{
	for (size_t i = 0; i < ARRAY_SIZE(telling_sources); i++)
		if (strcmp(source, telling_sources[i]) == 0)
			return true;
	return false;
}

static bool point_tells(const char *point)
{
	for (size_t i = 0; i < ARRAY_SIZE(telling); i++) {
		size_t length = strlen(telling[i]);
		bool below = length > 1 && telling[i][length - 1] == '/';

		if (below ? strncmp(point, telling[i], length) == 0 : !strcmp(point, telling[i]))
			return true;
	}
	return false;
}

/* "36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda1 rw": cut up in place. */
static bool line_parse(char *line, struct mount_sign *ret)
{
	char *rest = strstr(line, " - "), *field[6], *type, *source;
	_cleanup_free_ char *point = NULL;

	if (!rest)
		return false;
	*rest = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(field); i++)
		field[i] = strsep(&line, " ");
	rest += strlen(" - ");
	type = strsep(&rest, " ");
	source = strsep(&rest, " ");
	if (!field[5] || !source)
		return false;
	point = mount_unescape(field[4], strlen(field[4]));
	if (!point_tells(point) && !source_tells(source))
		return false;
	*ret = (struct mount_sign){
		.root = mount_unescape(field[3], strlen(field[3])),
		.point = take_pointer(point),
		.type = xstrdup(type),
		.source = mount_unescape(source, strlen(source)),
		.options = xstrdup(rest ? rest : ""),
	};
	return true;
}

static void parse(char *text, struct mount_signs *ret)
{
	struct mount_signs signs = { .known = true };
	char *line;

	while ((line = strsep(&text, "\n")) && signs.count < SIGNS_MAX) {
		struct mount_sign sign;

		if (!line_parse(line, &sign))
			continue;
		signs.item = xreallocarray(signs.item, signs.count + 1, sizeof(*signs.item));
		signs.item[signs.count++] = sign;
	}
	*ret = signs;
}

int mount_signs_read(const struct sysroot *root, struct mount_signs *ret)
{
	_cleanup_free_ char *text = NULL;
	int r = sysroot_read(root, SYSROOT_FILE_MAX, &text, NULL, "proc/self/mountinfo");

	if (r < 0)
		return r;
	parse(text, ret);
	return 0;
}

void mount_signs_free(struct mount_signs *signs)
{
	for (size_t i = 0; i < signs->count; i++) {
		struct mount_sign *sign = &signs->item[i];

		free(sign->root);
		free(sign->point);
		free(sign->type);
		free(sign->source);
		free(sign->options);
	}
	free(signs->item);
	*signs = (struct mount_signs){ 0 };
}

const struct mount_sign *mount_sign_at(const struct mount_signs *signs, const char *point)
{
	const struct mount_sign *found = NULL;

	for (size_t i = 0; i < signs->count; i++)
		if (strcmp(signs->item[i].point, point) == 0)
			found = &signs->item[i];
	return found;
}
