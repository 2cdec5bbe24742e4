// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/fuse_remedy.h"

#include <string.h>

#include "core/text.h"

bool fuse_served_by(const struct layer *fuse, const char *name)
{
	return fuse->kind == LAYER_FUSE &&
		(strcmp(fuse->name, name) == 0 ||
			(fuse->server_name && strcmp(fuse->server_name, name) == 0));
}

/* "mount.ntfs-3g" is what mount(8) starts, cut to the 15 bytes of a process' name. */
static bool is_ntfs(const struct layer *fuse)
{
	return fuse_served_by(fuse, "ntfs-3g") || fuse_served_by(fuse, "mount.ntfs-3g") ||
		fuse_served_by(fuse, "mount.ntfs");
}

void fuse_remedy(const struct layer *fuse, struct finding *finding)
{
	_cleanup_free_ char *word = NULL;

	if (!fuse || !fuse->source || fuse->source[0] != '/')
		return;
	word = text_shell_word(fuse->source);
	if (is_ntfs(fuse))
		finding_remedy(finding,
			"Mount it with the kernel's own driver and measure there: `umount` it, "
			"then `mount -t ntfs3 %s%s DIR`.",
			strncmp(fuse->source, "/dev/", 5) == 0 ? "" : "-o loop ", word);
	else if (strncmp(fuse->source, "/dev/", 5) != 0)
		finding_remedy(finding,
			"Measure what the server stands on, by the mount's source: "
			"`ioproof run --on %s` (where that is a file, its directory).",
			word);
}
