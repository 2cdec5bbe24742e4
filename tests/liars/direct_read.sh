#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Layers that lie about direct reads are refused with the right finding; beside each stands an honest
# twin of the same filesystem type that is not accused.
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

liar() { # NAME FINDING ARGUMENT...
	local name=$1 finding=$2 found
	shift 2
	liars=$((liars + 1))
	prove "$name" --rounds 6 "$@"
	found=$(findings_of direct)
	is "$(measured direct '[.verdict, .median, has("samples")] | @csv')" '"refused",,false' \
		"$name: the direct number is refused and withheld"
	like " $found " " $finding " "$name: because of $finding"
	is "$status" 4 "$name: exit status 4"
	[[ " $found " == *" $finding "* ]] && [ "$status" = 4 ] && caught=$((caught + 1))
}

twin() { # NAME ARGUMENT...
	local name=$1 verdicts
	shift
	twins=$((twins + 1))
	prove "$name" --rounds 6 "$@"
	verdicts=$(jq -r '[.measurements[] | .case + "=" + .verdict] | join(" ")' "$json")
	if [[ $verdicts == *refused* || $verdicts != *direct=* ]]; then
		not_ok "$name: nothing is refused" "$verdicts" "$(jq -c \
			'.measurements[] | [.case, [.findings[] | [.id, .message]]]' "$json")" "$err"
		accused=$((accused + 1))
	else
		ok "$name: nothing is refused ($verdicts)"
	fi
}

read_path=read-path:size=32M,bs=256k

mkdir "$dir/tmpfs"
mount -t tmpfs -o size=128M ioproof-test "$dir/tmpfs"
at_exit umount "$dir/tmpfs"
liar tmpfs memory-backed --on "$dir/tmpfs" $read_path
is "$(measured warm .verdict)" trusted "tmpfs: the warm number is what it says"

if grep -qw overlay /proc/filesystems; then
	mkdir "$dir/lower" "$dir/tmpfs/upper" "$dir/tmpfs/work" "$dir/overlay"
	layer_image "$dir/lower/file" 64
	mount -t overlay ioproof-test "$dir/overlay" \
		-o "lowerdir=$dir/lower,upperdir=$dir/tmpfs/upper,workdir=$dir/tmpfs/work"
	at_exit umount "$dir/overlay"
	twin "a file on disk below an overlay that writes to memory" \
		"read-path:size=32M,bs=256k,file=$dir/overlay/file"
	liar "new files in the same overlay" memory-backed --on "$dir/overlay" $read_path
else
	cannot_try overlays "this kernel has no overlay"
fi

layer_filesystem "$dir/ntfs" ntfs on 256
liar ntfs-3g direct-io-swallowed --on "$dir/ntfs" $read_path

layer_filesystem "$dir/ext4-buffered" ext4 off 256
liar "ext4 on a buffered loop" loop-backing-cached --on "$dir/ext4-buffered" $read_path

layer_filesystem "$dir/ext4" ext4 on 256
twin "ext4 on a direct loop" --on "$dir/ext4" $read_path
layer_filesystem "$dir/xfs" xfs on 320
twin "xfs on a direct loop" --on "$dir/xfs" $read_path
layer_filesystem "$dir/btrfs" btrfs on 256
twin "btrfs on a direct loop" --on "$dir/btrfs" $read_path

mkdir "$dir/under" "$dir/bindfs"
bindfs "$dir/under" "$dir/bindfs"
at_exit umount "$dir/bindfs"
liar bindfs direct-io-swallowed --on "$dir/bindfs" $read_path

fallocate -l 64M "$dir/ext4/fallocated"
liar "a fallocated file" unwritten-extents read-path:size=32M,bs=256k,file="$dir/ext4/fallocated"
truncate -s 64M "$dir/ext4/sparse"
liar "a sparse file" holes read-path:size=32M,bs=256k,file="$dir/ext4/sparse"
layer_image "$dir/ext4/written" 64
twin "a written file" read-path:size=32M,bs=256k,file="$dir/ext4/written"

# One block, sixteen times in a file: the device reads it again and again, from its own cache.
dd if=/dev/urandom of="$dir/btrfs/block" bs=1M count=1 conv=fsync status=none
python3 - "$dir/btrfs/block" "$dir/btrfs/repeated" 32 <<'END'
import fcntl, os, struct, sys
FICLONERANGE = 0x4020940D
source = os.open(sys.argv[1], os.O_RDONLY)
target = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o600)
for i in range(int(sys.argv[3])):
    fcntl.ioctl(target, FICLONERANGE, struct.pack("qQQQ", source, 0, 1 << 20, i << 20))
os.fsync(target)
END
liar "one block reflinked to fill a file" data-elided \
	read-path:size=32M,bs=256k,file="$dir/btrfs/repeated"
cp --reflink=always "$dir/btrfs/block" "$dir/btrfs/clone"
twin "a file that shares its blocks with another" read-path:size=1M,bs=64k,file="$dir/btrfs/clone"

# The root of a mount whose st_dev mountinfo does not show, as the place of the image.
twin "an image in the root of a btrfs mount" --scratch "$dir/btrfs" --fs ext4:SIZE=64M \
	read-path:size=16M,bs=256k
# What lies below this machine's disk is not this test's affair.
is "$(measured direct '[.findings[] | select(.severity != "note") | .id
	| select(. != "read-cache-below-horizon" and . != "recently-written")] | join(" ")')" "" \
	"an image in the root of a btrfs mount: every layer beneath is seen"

# Switched to buffered after the stack was walked.
layer_filesystem "$dir/switched" ext4 on 256
(
	for ((i = 0; i < 600; i++)); do
		grep -qs "round 3 of" "$dir"/?????? && break
		sleep 0.02
	done
	losetup --direct-io=off "$device"
) &
liar "a loop switched to buffered meanwhile" loop-backing-cached --on "$dir/switched" \
	--rounds 40 --progress=plain $read_path
wait
like "$(jq -r '.targets[0].stack[] | select(.type == "loop") | .traits["honours-o-direct"].answer' "$json")" \
	yes "a loop switched to buffered meanwhile: was direct at first"

score_is_perfect
done_testing
