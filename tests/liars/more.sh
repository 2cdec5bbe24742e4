#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# More liars and twins for `ioproof probe` and `run`: memory and caches further down, images that
# cannot be written to, libraries that no variable shows, servers that keep what they were given.
# Runs alone: honest twins need a disk that nobody else keeps busy.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
# shellcheck source=tests/score.sh
. "$(dirname "$0")/../score.sh"
need root
need command jq losetup mkfs.ext4 mkfs.btrfs python3 unshare

dir=$(tap_dir)
json=$dir/probe.json
fuse_liar=$(dirname "$IOPROOF")/tests/liars/fuse_liar
before=()

look() { # PATH [OPTION...]
	rm -f "$json"
	capture timeout -k 5 60 "${before[@]}" "$IOPROOF" probe --quick --json "$json" "${@:2}" "$1"
	[ "$status" = 0 ] || not_ok "probe of $1 answers" "$err"
	valid_document "probe of ${1##*/}: the document is valid"
}

has() { # PROGRAM...
	local name
	for name; do
		PATH=$PATH:/usr/sbin:/sbin command -v "$name" >/dev/null || return 1
	done
}

# --- memory at the bottom, below a filesystem and a loop device that claims direct I/O
mkdir "$dir/tmpfs"
mount -t tmpfs -o size=300M ioproof-test "$dir/tmpfs"
at_exit umount "$dir/tmpfs"
layer_filesystem "$dir/tmpfs/on-loop" ext4 on 200
look "$dir/tmpfs/on-loop"
liar "ext4 on a loop over tmpfs" device-read refused memory-backed '^tmpfs$'
liar "ext4 on a loop over tmpfs" durable-write refused memory-backed '^tmpfs$'

# --- btrfs: no checksums, a buffered loop above it, and below it
layer_filesystem "$dir/btrfs" btrfs on 500 -o nodatasum
look "$dir/btrfs"
twin "btrfs nodatasum" direct-io-swallowed direct-io-fallback flush-not-sent data-elided \
	loop-backing-cached
layer_filesystem "$dir/btrfs/inner" ext4 off 150
look "$dir/btrfs/inner"
liar "ext4 on a buffered loop over btrfs" device-read refused loop-backing-cached '^loop'
layer_filesystem "$dir/btrfs-buffered" btrfs off 300
look "$dir/btrfs-buffered"
liar "btrfs on a buffered loop" device-read refused loop-backing-cached '^loop'

# --- the flag of the loop device is enough, where nothing can be tried
layer_filesystem "$dir/ext4" ext4 on 320
ext4_device=$device
look "$dir/ext4" --passive
twin "ext4 on a direct loop, passive" loop-backing-cached memory-backed
losetup --direct-io=off "$ext4_device"
look "$dir/ext4" --passive
liar "ext4 on a buffered loop, passive" device-read refused loop-backing-cached '^loop'
losetup --direct-io=on "$ext4_device"

read_only() { # TYPE IMAGE
	mkdir "$dir/$1"
	for mode in off on; do
		device=$(losetup --find --show --read-only --direct-io=$mode "$2")
		mount -t "$1" -o ro "$device" "$dir/$1"
		look "$dir/$1"
		if [ "$mode" = off ]; then
			liar "$1 on a buffered loop" device-read refused loop-backing-cached '^loop'
		else
			twin "$1 on a direct loop" loop-backing-cached
		fi
		umount "$dir/$1"
		layer_loop_detach "$device"
	done
}
mkdir "$dir/content"
layer_image "$dir/content/random" 16
if has mksquashfs && grep -qw squashfs /proc/filesystems; then
	mksquashfs "$dir/content" "$dir/squashfs.img" -quiet -no-progress >/dev/null
	read_only squashfs "$dir/squashfs.img"
else
	cannot_try squashfs "no mksquashfs, or a kernel without squashfs"
fi
if has mkfs.erofs && grep -qw erofs /proc/filesystems; then
	mkfs.erofs "$dir/erofs.img" "$dir/content" >/dev/null 2>&1
	read_only erofs "$dir/erofs.img"
else
	cannot_try erofs "no mkfs.erofs, or a kernel without erofs"
fi

# --- a library that no variable names, in a mount namespace of its own
eatmydata=$(find /usr/lib -name 'libeatmydata.so*' 2>/dev/null | head -n 1)
if [ -n "$eatmydata" ]; then
	mkdir "$dir/etc" "$dir/etc-work"
	before=("${own_mounts[@]}" sh -c '
		mount -t overlay o -o "lowerdir=/etc,upperdir=$1/etc,workdir=$1/etc-work" /etc &&
		echo "$2" >/etc/ld.so.preload && shift 2 && exec "$@"' sh "$dir" "$eatmydata")
	look "$dir/ext4"
	before=()
	liar "eatmydata by /etc/ld.so.preload" durable-write refused sync-intercepted
	succeeds "the machine's own /etc/ld.so.preload is as it was" \
		sh -c '! grep -q eatmydata /etc/ld.so.preload 2>/dev/null'
else
	cannot_try "eatmydata by /etc/ld.so.preload" "no libeatmydata here"
fi
look "$dir/ext4"
twin "the same filesystem without it" sync-intercepted flush-not-sent

# --- a loop device that is switched to buffered while it is probed
(sleep 0.3 && losetup --direct-io=off "$ext4_device") &
rm -f "$json"
capture "$IOPROOF" probe --json "$json" "$dir/ext4"
wait
liar "a loop switched to buffered during the probe" device-read refused loop-backing-cached '^loop'
losetup --direct-io=on "$ext4_device"

# --- other people's servers: each caches what it serves
serve() { # NAME MOUNTPOINT CLAIM FINDING COMMAND...
	local name=$1 point=$2 claim=$3 finding=$4
	shift 4
	mkdir -p "$point"
	if ! has "$1"; then
		cannot_try "$name" "no $1 here"
		return
	fi
	if ! "$@" >"$dir/said" 2>&1 || ! mountpoint -q "$point"; then
		cannot_try "$name" "it does not serve here: $(tail -n 1 "$dir/said")"
		return
	fi
	at_exit umount "$point"
	look "$point"
	liar "$name" "$claim" refused "$finding" '^[^v]'
}
mkdir "$dir"/{branch,lower,upper,work}
serve fuse-overlayfs "$dir/fuse-overlay" device-write direct-io-swallowed fuse-overlayfs \
	-o "lowerdir=$dir/lower,upperdir=$dir/upper,workdir=$dir/work" "$dir/fuse-overlay"
layer_image "$dir/ext4-image" 150
mkfs.ext4 -q -F "$dir/ext4-image"
serve fuse2fs "$dir/fuse2fs" device-write direct-io-swallowed fuse2fs "$dir/ext4-image" \
	"$dir/fuse2fs" -o fakeroot
layer_image "$dir/exfat-image" 150
exfat=$(layer_loop "$dir/exfat-image" on)
at_exit layer_loop_detach "$exfat"
if has mkfs.exfat; then
	mkfs.exfat "$exfat" >/dev/null 2>&1
fi
serve exfat-fuse "$dir/exfat" device-read direct-io-swallowed mount.exfat-fuse "$exfat" "$dir/exfat"

# --- fallocated and sparse files, as a measurement reads them
# A measurement in the shape that the score looks at.
as_claims() {
	jq '{ claims: [ .measurements[] | select(.case == "direct") | { claim, verdict, findings } ] }' \
		"$json" >"$dir/as-claims.json"
	json=$dir/as-claims.json
}
reads() { # FILE
	prove "reading ${1##*/}" --rounds 6 "read-path:size=32M,bs=256k,file=$1"
	as_claims
}
fallocate -l 64M "$dir/ext4/fallocated"
reads "$dir/ext4/fallocated"
liar "a fallocated file" device-read refused unwritten-extents
truncate -s 64M "$dir/ext4/sparse"
reads "$dir/ext4/sparse"
liar "a sparse file" device-read refused holes
layer_image "$dir/ext4/written" 64
reads "$dir/ext4/written"
twin "a written file" unwritten-extents holes data-elided

# --- a server that keeps writes in memory, and says that they are safe: no device to count
if [ -x "$fuse_liar" ]; then
	mkdir "$dir/under" "$dir/forgets"
	"$fuse_liar" --keep-in-memory "$dir/under" "$dir/forgets" &
	at_exit umount "$dir/forgets"
	for ((i = 0; i < 100; i++)); do
		mountpoint -q "$dir/forgets" && break
		sleep 0.05
	done
	look "$dir/forgets"
	is "$(jq -r '.claims[] | select(.claim | IN("device-read", "device-write", "durable-write"))
		| .verdict' "$json" | sort -u)" flagged \
		"a FUSE that keeps all in memory: no device is vouched for"
	# Others' reads at the disks may hide that none were ours.
	for try in 1 2 3; do
		prove "a FUSE that keeps all in memory" --rounds 6 --on "$dir/forgets" \
			read-path:size=32M,bs=256k
		as_claims
		jq -e '.claims[0].verdict == "refused"' "$json" >/dev/null && break
		echo "# not refused, try $try; load $(cat /proc/loadavg)"
	done
	liar "direct reads as fast as cached ones, and no device to count" device-read refused \
		direct-not-slower-than-warm
else
	cannot_try "a FUSE that keeps all in memory" "it was not built: no libfuse3-dev"
fi

score_is_perfect
done_testing
