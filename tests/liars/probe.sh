#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Liars and twins for `ioproof probe`: real layers that lie, each caught with the right finding for
# the claim that it spoils, and beside it an honest twin of the same filesystem type that is free of
# that finding.
# Runs alone: honest twins need a disk that nobody else keeps busy.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
# shellcheck source=tests/score.sh
. "$(dirname "$0")/../score.sh"
need root
need command jq losetup mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.ntfs ntfs-3g bindfs python3

dir=$(tap_dir)
json=$dir/probe.json
fuse_liar=$(dirname "$IOPROOF")/tests/liars/fuse_liar
environment=()

look() { # PATH
	rm -f "$json"
	capture env "${environment[@]}" "$IOPROOF" probe --quick --json "$json" "$1"
	[ "$status" = 0 ] || not_ok "probe of $1 answers" "$err"
	valid_document "probe of ${1##*/}: the document is valid"
}

# --- plain disk, and memory
look "$dir"
twin "the disk itself" direct-io-swallowed flush-not-sent loop-backing-cached

mkdir "$dir/tmpfs"
mount -t tmpfs -o size=256M ioproof-test "$dir/tmpfs"
at_exit umount "$dir/tmpfs"
look "$dir/tmpfs"
liar tmpfs device-read refused memory-backed
liar tmpfs durable-write refused memory-backed

if zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null); then
	at_exit sh -c "echo $zram >/sys/class/zram-control/hot_remove"
	echo 512M >"/sys/block/zram$zram/disksize"
	[ -b "/dev/zram$zram" ] || mknod "/dev/zram$zram" b "$(cut -d: -f1 "/sys/block/zram$zram/dev")" \
		"$(cut -d: -f2 "/sys/block/zram$zram/dev")"
	at_exit sh -c "echo 1 >/sys/block/zram$zram/reset"
	mkfs.ext4 -q -F "/dev/zram$zram"
	mkdir "$dir/zram"
	mount "/dev/zram$zram" "$dir/zram"
	at_exit umount "$dir/zram"
	look "$dir/zram"
	liar "ext4 on zram" device-read refused memory-backed
else
	cannot_try "ext4 on zram" "this kernel has no zram"
fi

# --- loop devices
layer_filesystem "$dir/ext4" ext4 on 320
look "$dir/ext4"
twin "ext4 on a direct loop" loop-backing-cached direct-io-swallowed flush-not-sent \
	direct-io-fallback write-cache-overridden
ext4_device=$device

layer_filesystem "$dir/buffered" ext4 off 320
look "$dir/buffered"
liar "ext4 on a buffered loop" device-read refused loop-backing-cached '^loop'
liar "ext4 on a buffered loop" device-write refused loop-backing-cached '^loop'

layer_image "$dir/buffered/inner.img" 180
inner=$(layer_loop "$dir/buffered/inner.img" on)
at_exit layer_loop_detach "$inner"
mkfs.ext4 -q -F "$inner"
mkdir "$dir/nested"
mount "$inner" "$dir/nested"
at_exit umount "$dir/nested"
look "$dir/nested"
liar "a direct loop inside a buffered one" device-read refused loop-backing-cached

layer_filesystem "$dir/xfs" xfs on 400
look "$dir/xfs"
twin "xfs on a direct loop" direct-io-swallowed flush-not-sent direct-io-fallback

# --- ext4 options
layer_mount_anew "$dir/ext4" "$ext4_device" -o nobarrier
look "$dir/ext4"
liar "ext4 nobarrier" durable-write refused flush-not-sent
layer_mount_anew "$dir/ext4" "$ext4_device" -o data=journal
look "$dir/ext4"
liar "ext4 data=journal" device-read refused direct-io-swallowed
layer_mount_anew "$dir/ext4" "$ext4_device"

# --- a write cache that someone switched off on our own loop device
queue=/sys/block/${ext4_device#/dev/}/queue/write_cache
echo "write through" >"$queue"
at_exit sh -c "echo 'write back' >$queue"
look "$dir/ext4"
liar "write_cache of a loop switched to write through" durable-write refused write-cache-overridden '^loop'
echo "write back" >"$queue"
look "$dir/ext4"
twin "write_cache of the same loop switched back" write-cache-overridden flush-not-sent

# --- the C library's fsync
if eatmydata=$(find /usr/lib -name 'libeatmydata.so*' 2>/dev/null | head -n 1) && [ -n "$eatmydata" ]; then
	environment=("LD_PRELOAD=$eatmydata")
	look "$dir/ext4"
	environment=()
	liar eatmydata durable-write refused sync-intercepted
else
	cannot_try eatmydata "no libeatmydata here"
fi

# --- overlays
overlay() { # NAME UPPER-DIR OPTIONS
	mkdir -p "$dir/$1" "$dir/lower" "$2/upper" "$2/work"
	mount -t overlay ioproof-test -o "lowerdir=$dir/lower,upperdir=$2/upper,workdir=$2/work$3" "$dir/$1"
	at_exit umount "$dir/$1"
	look "$dir/$1"
}
if grep -qw overlay /proc/filesystems; then
	mkdir -p "$dir/ext4/o" "$dir/tmpfs/o" "$dir/ext4/v"
	overlay on-ext4 "$dir/ext4/o" ""
	twin "overlay on ext4" memory-backed flush-not-sent direct-io-swallowed
	overlay on-tmpfs "$dir/tmpfs/o" ""
	liar "overlay on tmpfs" device-read refused memory-backed
	overlay volatile "$dir/ext4/v" ",volatile"
	liar "overlay volatile" durable-write refused flush-not-sent
else
	cannot_try overlays "this kernel has no overlay"
fi

# --- btrfs
layer_filesystem "$dir/btrfs" btrfs on 400
look "$dir/btrfs"
twin "btrfs with checksums" direct-io-swallowed flush-not-sent data-elided
layer_mount_anew "$dir/btrfs" "$device" -o nodatacow
look "$dir/btrfs"
twin "btrfs nodatacow" direct-io-swallowed direct-io-fallback flush-not-sent data-elided
layer_mount_anew "$dir/btrfs" "$device" -o compress=zstd
look "$dir/btrfs"
is "$(jq '.targets[0].experiments.elision | .moved_zeros_bytes < .size_bytes / 4
	and .moved_random_bytes >= .size_bytes' "$json")" true \
	"btrfs compress=zstd: zeros weigh nothing, incompressible data all"
twin "btrfs compress=zstd with incompressible data" direct-io-swallowed flush-not-sent

# --- FUSE
layer_filesystem "$dir/ntfs" ntfs on 320
look "$dir/ntfs"
liar ntfs-3g device-read refused direct-io-swallowed

mkdir "$dir/under" "$dir/bindfs" "$dir/forwarding"
bindfs "$dir/under" "$dir/bindfs"
at_exit umount "$dir/bindfs"
look "$dir/bindfs"
liar bindfs device-read refused direct-io-swallowed
bindfs --forward-odirect=4096 "$dir/under" "$dir/forwarding"
at_exit umount "$dir/forwarding"
look "$dir/forwarding"
twin "bindfs that forwards O_DIRECT" direct-io-swallowed

fuse() { # NAME OPTION...
	local name=$1
	shift
	mkdir -p "$dir/$name"
	"$fuse_liar" "$@" "$dir/under" "$dir/$name" &
	at_exit umount "$dir/$name"
	for ((i = 0; i < 100; i++)); do
		mountpoint -q "$dir/$name" && break
		sleep 0.05
	done
	look "$dir/$name"
}
if [ -x "$fuse_liar" ]; then
	fuse swallows --swallow-direct
	liar "a FUSE that swallows O_DIRECT" device-read refused direct-io-swallowed
	fuse forgets --ignore-fsync
	liar "a FUSE that ignores fsync" durable-write refused flush-not-sent
	fuse passes
	twin "a FUSE that passes both on" direct-io-swallowed flush-not-sent
else
	cannot_try "a FUSE of our own" "it was not built: no libfuse3-dev"
fi

# --- a neighbour on the same disk
(
	while :; do
		dd if=/dev/urandom of="$dir/neighbour" bs=1M count=64 oflag=direct conv=notrunc status=none
	done
) &
neighbour=$!
look "$dir"
kill "$neighbour"
wait "$neighbour" 2>/dev/null
twin "a neighbour writing to the same disk" direct-io-swallowed flush-not-sent data-elided

score_is_perfect
done_testing
