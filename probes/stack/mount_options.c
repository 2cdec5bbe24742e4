// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/stack/mount_options.h"

#include <fnmatch.h>
#include <string.h>

#include "probes/stack/mount_table.h"

struct option_trait {
	const char *type;   /* pattern of fnmatch(3); NULL: any filesystem */
	const char *option; /* of several rows for one option and trait the first match holds */
	const char *value;  /* pattern; NULL: the bare word */
	enum trait_id trait;
	enum answer answer;
};

/*
 * Every filesystem knows these, fs/proc_namespace.c of the kernel; the others stand in ext4(5),
 * xfs(5), btrfs(5), mount.cifs(8), nfs(5) and Documentation/filesystems.
 */
static const struct option_trait options[] = {
	{ NULL, "sync", NULL, TRAIT_SYNC_WRITES, ANSWER_YES },
	{ NULL, "dirsync", NULL, TRAIT_SYNC_NAMES, ANSWER_YES },
	{ "xfs", "wsync", NULL, TRAIT_SYNC_NAMES, ANSWER_YES },
	{ NULL, "lazytime", NULL, TRAIT_LAZY_TIMES, ANSWER_YES },
	/* flushes: fsync returns, and the device's cache was not emptied */
	{ NULL, "nobarrier", NULL, TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ NULL, "barrier", "0", TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ NULL, "barrier", "none", TRAIT_PASSES_FLUSH, ANSWER_NO }, /* ext3, reiserfs */
	{ "f2fs", "fsync_mode", "nobarrier", TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "bcachefs", "journal_flush_disabled", NULL, TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "cifs", "nostrictsync", NULL, TRAIT_PASSES_FLUSH, ANSWER_NO },
	{ "smb3", "nostrictsync", NULL, TRAIT_PASSES_FLUSH, ANSWER_NO },
	/* O_DIRECT opens and is then buffered; statx says dio_mem_align 0 */
	{ "ext[34]", "data", "journal", TRAIT_HONOURS_DIRECT, ANSWER_NO },
	{ "jfs", "nointegrity", NULL, TRAIT_NO_JOURNAL, ANSWER_YES },
	{ "reiserfs", "nolog", NULL, TRAIT_NO_JOURNAL, ANSWER_YES },
	{ NULL, "dax", NULL, TRAIT_DAX, ANSWER_YES },
	{ NULL, "dax", "always", TRAIT_DAX, ANSWER_YES },
	{ NULL, "dax", "never", TRAIT_DAX, ANSWER_NO },
	{ NULL, "discard", NULL, TRAIT_DISCARDS, ANSWER_YES },
	{ NULL, "discard", "*", TRAIT_DISCARDS, ANSWER_YES }, /* btrfs: async; jfs: a size */
	{ NULL, "nodiscard", NULL, TRAIT_DISCARDS, ANSWER_NO },
	/* btrfs; nodatacow implies nodatasum */
	{ "btrfs", "compress", "no*", TRAIT_ELIDES_DATA, ANSWER_NO },
	{ "btrfs", "compress", "*", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "btrfs", "compress-force", "no*", TRAIT_ELIDES_DATA, ANSWER_NO },
	{ "btrfs", "compress-force", "*", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "btrfs", "nodatacow", NULL, TRAIT_COPY_ON_WRITE, ANSWER_NO },
	{ "btrfs", "nodatacow", NULL, TRAIT_CHECKSUMS, ANSWER_NO },
	{ "btrfs", "nodatasum", NULL, TRAIT_CHECKSUMS, ANSWER_NO },
	{ "bcachefs", "compression", "none", TRAIT_ELIDES_DATA, ANSWER_NO },
	{ "bcachefs", "compression", "*", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "bcachefs", "background_compression", "none", TRAIT_ELIDES_DATA, ANSWER_NO },
	{ "bcachefs", "background_compression", "*", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "bcachefs", "nocow", NULL, TRAIT_COPY_ON_WRITE, ANSWER_NO },
	{ "bcachefs", "data_checksum", "none", TRAIT_CHECKSUMS, ANSWER_NO },
	{ "bcachefs", "promote_target", "*", TRAIT_CACHES_READS, ANSWER_YES },
	{ "ubifs", "compr", "none", TRAIT_ELIDES_DATA, ANSWER_NO },
	{ "ubifs", "compr", "*", TRAIT_ELIDES_DATA, ANSWER_YES },
	{ "jffs2", "compr", "none", TRAIT_ELIDES_DATA, ANSWER_NO },
	/* a second cache of a network filesystem, on a local disk (fscache) */
	{ NULL, "fsc", NULL, TRAIT_CACHES_READS, ANSWER_YES },
	{ "ceph", "fsc", "*", TRAIT_CACHES_READS, ANSWER_YES },
	{ "9p", "cache", "*fscache*", TRAIT_CACHES_READS, ANSWER_YES },
};

static bool is_told(const struct option_trait *row, const char *value)
{
	if (!value)
		return false;
	return row->value ? *value && fnmatch(row->value, value, 0) == 0 : !*value;
}

void mount_options_read(struct layer *layer, const char *raw_options)
{
	const struct option_trait *last = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		const struct option_trait *row = &options[i];
		_cleanup_free_ char *value = NULL;

		if ((row->type && fnmatch(row->type, layer->type, 0) != 0) ||
			(last && last->trait == row->trait &&
				strcmp(last->option, row->option) == 0))
			continue;
		value = mount_option(raw_options, row->option, 0);
		if (!is_told(row, value))
			continue;
		last = row;
		layer_set_trait(layer, row->trait, row->answer, KNOWN_DECLARED,
			"mount option %s%s%s", row->option, *value ? "=" : "", value);
	}
}
