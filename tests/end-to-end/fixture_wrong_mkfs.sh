#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A mkfs that does something else than it was told, found first in PATH: the fixture is refused, with
# the reason, and nothing stays. The wrappers run the real mkfs and add what a broken one would do.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
need root
need command losetup mkfs.ext4 mke2fs tune2fs debugfs

dir=$(tap_dir)
mkdir "$dir/scratch" "$dir/bin" "$dir/files"
echo hello >"$dir/files/hello"
real=$(command -v mkfs.ext4)

# The script's last argument is the device; $node is the one in /dev.
mkfs_does() { # SHELL-LINES, run after the real one
	cat >"$dir/bin/mkfs.ext4" <<-EOF
		#!/bin/bash
		device=\${*: -1}
		node=\$(readlink "\$device")
		$1
	EOF
	chmod +x "$dir/bin/mkfs.ext4"
}

build() { # [SPEC]
	capture env "PATH=$dir/bin:$PATH" timeout 60 "$IOPROOF" run --scratch "$dir/scratch" \
		--fs "${1:-ext4:SIZE=16M,IMAGE=fallocated}" --rounds 1 read-path:size=1M
}

refused() { # NAME SHELL-LINES REGEX [SPEC]
	mkfs_does "$2"
	build "${4-}"
	if [ "$status" = 1 ] && grep -qE 'not permitted|denied|loop-control is not there' <<<"$err"; then
		skip_all "no fixture can be built here: $err"
	fi
	is "$status" 1 "mkfs that $1: exit status 1"
	like "$err" "$3" "mkfs that $1: the line says why"
}

refused "does nothing" ":" "Bad magic"
refused "makes ext3" "mke2fs -q -F -t ext3 -L ioproof \"\$device\"" "holds .ext3."
refused "leaves inode tables to the kernel" \
	"$real \"\${@:1:\$#-1}\" -E lazy_itable_init=1 \"\$device\"" "would write after the mount"
refused "hides data=journal in the superblock" \
	"$real \"\$@\" && tune2fs -o journal_data \"\$device\" >/dev/null" "mount options into the superblock"
refused "hides an option's text in the superblock" \
	"$real \"\$@\" && tune2fs -E mount_opts=nodelalloc \"\$device\" >/dev/null" "nodelalloc"
refused "puts files into it" "$real -d $dir/files \"\$@\"" "is not empty"
refused "makes no UUID" "$real \"\$@\" && tune2fs -f -U clear \"\$device\" >/dev/null" "has no UUID"
refused "switches direct I/O off" \
	"$real \"\$@\" && losetup --direct-io=off \"\$node\"" "switched direct I/O of /dev/loop[0-9]+ off"
refused "switches the write cache off" \
	"$real \"\$@\" && echo write through >/sys/block/\${node##*/}/queue/write_cache" "write_cache"
refused "is told to make no UUID" "exec $real \"\$@\"" "has no UUID" \
	'ext4:SIZE=16M,IMAGE=fallocated,MKFS="-U clear"'

# What it leaves running would hold the device, and could write to it.
mkfs_does "sleep 4321 & echo \$! >$dir/pid; exec $real \"\$@\""
build
pid=$(cat "$dir/pid")
is "$(ps -o stat= -p "$pid" | grep -v Z)" "" "what mkfs left running is ended"
kill "$pid" 2>/dev/null

left_behind() {
	grep -lF "$dir/scratch" /sys/block/loop*/loop/backing_file 2>/dev/null
	ls -A "$dir/scratch"
}
settled
is "$(left_behind)" "" "nothing is left of any of them"
done_testing
