#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `ioproof run` in fixtures: every filesystem side by side, what its spec asks for is what the
# document shows, wrong words are answered with the right ones, and others are left in peace.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command jq losetup mkfs.ext4 mkfs.xfs mkfs.btrfs findmnt strace

dir=$(tap_dir)
json=$dir/run.json
mkdir "$dir/scratch"

measure() { # OPTION... ; into $json
	rm -f "$json"
	capture timeout 120 "$IOPROOF" run --quick --rounds 1 --scratch "$dir/scratch" --json "$json" "$@" \
		read-path:size=8M
}
fact() { # TARGET-NUMBER JQ-FILTER
	jq -c ".targets[$1].fixture | $2" "$json"
}

# --- side by side
measure --fs ext4:noatime,SIZE=64M --fs btrfs:nodatacow,SIZE=256M --fs btrfs:+C,SIZE=256M --fs xfs:SIZE=320M
like "$status" '^[034]$' "four fixtures are built and measured in one run"
valid_document "four fixtures: the document is valid"
is "$(jq -c '[.targets[].fixture.filesystem]' "$json")" '["ext4","btrfs","btrfs","xfs"]' "all four are there"
is "$(jq '[.measurements[].target] | unique | length' "$json")" 4 "each has numbers of its own"
is "$(jq -c '[.targets[].fixture.image.unwritten_bytes] | unique' "$json")" "[0]" \
	"no block of the images is unwritten, whatever mkfs zeroed"
is "$(jq -c '[.targets[].fixture.devices[].direct_io] | unique' "$json")" "[true]" "all loops are direct"
is "$(jq -c '[.targets[].fixture.rest.still] | unique' "$json")" "[true]" "all came to rest"
is "$(fact 0 .proof.groups_to_initialise)" 0 "ext4 has nothing left to initialise"
is "$(fact 1 .proof.fresh_file_copied_on_write)$(fact 2 .proof.fresh_file_copied_on_write)" falsefalse \
	"nodatacow and +C hold for a fresh file"
like "$(fact 3 .options)" noatime "xfs is mounted noatime"

# --- sizes that nobody gave
measure --fs ext4:IMAGE=sparse --fs xfs:IMAGE=sparse
like "$status" '^[034]$' "xfs fits a quick run without SIZE=" "$err"
is "$(jq '[.targets[].fixture.size_bytes] | unique | length' "$json")" 1 "and its neighbour is as large"

# --- keys
measure --fs btrfs:DEVICES=2,SIZE=128M,LABEL=pair,'MKFS="-d raid1 -m raid1"' \
	--fs ext4:SECTOR=4096,IMAGE=sparse,SIZE=64M --fs ext4:LOOP=buffered,SIZE=64M
like "$status" '^[34]$' "keys: built and measured" "$err"
is "$(fact 0 '.devices | length')$(fact 0 .proof.label)" '2"pair"' "DEVICES=2 LABEL=pair"
is "$(jq '[.targets[0].stack[] | select(.layer == "loop")] | length' "$json")" 2 \
	"the stack of a filesystem on two devices shows both"
is "$(fact 1 '.devices[0].block_size_bytes')" 4096 "SECTOR=4096"
is "$(fact 1 '.image.preparation')" '"sparse"' "IMAGE=sparse"
is "$(jq -c '[.measurements[] | select(.target | test("sparse")) | .findings[].id] | index("image-not-written") != null' "$json")" \
	true "a sparse image is a finding"
is "$(fact 2 '.devices[0].direct_io')" false "LOOP=buffered"
is "$(jq -r '.measurements[] | select(.target | test("buffered")) | select(.case == "direct") | .verdict' "$json")" \
	refused "direct reads in a buffered loop are refused"
is "$(jq -c '[.measurements[] | select(.target | test("buffered")) | .findings[].id] | index("loop-backing-cached") != null' "$json")" \
	true "with the right finding"

# --- wrong words
wrong() { # SPEC REGEX NAME
	capture timeout 60 "$IOPROOF" run --scratch "$dir/scratch" --fs "$1" --json "$json"
	is "$status" 2 "$3: wrong usage"
	like "$err" "$2" "$3: says what to do"
}
wrong ext4:nodatacow 'btrfs:nodatacow' "ext4:nodatacow"
wrong xfs:SIZE=100M '300 MiB' "xfs:SIZE=100M"
wrong btrfs:SIZE=64M 'at least' "btrfs:SIZE=64M"
wrong ext4:offset=512 'offset' "an offset, which would lose direct I/O"
wrong xfs:DEVICES=2 'btrfs' "xfs:DEVICES=2"
wrong xfs:LABEL=much-longer-than-twelve '12 bytes' "a label that is too long"
wrong ext4:+C 'btrfs' "ext4:+C"
wrong 'ext4:MKFS="-J device=/dev/loop0"' 'its own only|another device' "MKFS with a device"
wrong 'btrfs:MKFS="--rootdir=x"' 'directory' "MKFS with a directory"
wrong ext4:IMAGE=holey 'written .default., fallocated or sparse' "an unknown preparation"
is "$(ls -A "$dir/scratch")" "" "nothing was left in the scratch directory"

capture "$IOPROOF" run --scratch "$dir/scratch" --fs ext4:SIZE=9000G
like "$err" 'are free' "an image that does not fit is refused with the figures"
is "$status" 1 "and the run fails"

# --- an offset that loses direct I/O, which the kernel does not say: it is read back
layer_image "$dir/shifted.img" 65
shifted=$(losetup --find --show --direct-io=on --offset 1000 "$dir/shifted.img" 2>/dev/null ||
	losetup --find --show --offset 1000 "$dir/shifted.img")
at_exit layer_loop_detach "$shifted"
mkfs.ext4 -q -F "$shifted"
mkdir "$dir/shifted"
mount "$shifted" "$dir/shifted"
at_exit umount "$dir/shifted"
is "$(cat "/sys/block/${shifted#/dev/}/loop/dio")" 0 "at such an offset the loop device is a buffered one"
capture timeout 60 "$IOPROOF" run --quick --rounds 1 --on "$dir/shifted" --json "$json" read-path:size=8M
is "$(jq -r '.measurements[] | select(.case == "direct") | .verdict' "$json")" refused "and refused as such"
is "$(jq -c '[.measurements[] | select(.case == "direct") | .findings[].id] | index("loop-backing-cached") != null' "$json")" \
	true "with the right finding"

# --- poor ground
mkdir "$dir/tmpfs"
mount -t tmpfs -o size=128M ioproof-test "$dir/tmpfs"
at_exit umount "$dir/tmpfs"
capture timeout 60 "$IOPROOF" run --quick --rounds 1 --scratch "$dir/tmpfs" --fs ext4:SIZE=32M \
	--json "$json" read-path:size=8M
like "$out" 'poor-ground: the scratch directory .* lies in memory' "a scratch directory in memory is said"
is "$(jq -c '[.targets[0].findings[].id] | index("poor-ground") != null' "$json")" true "and in the document"
is "$(jq -r '.measurements[] | select(.case == "direct") | .verdict' "$json")" refused \
	"and no device claim is trusted there"
measure --fs ext4:SIZE=32M
is "$(jq -c '[.targets[0].findings[].id] | index("poor-ground")' "$json")" null "a disk is no poor ground"

# --- a neighbour unmounts while a run holds its private copy of the mounts
layer_filesystem "$dir/neighbour" ext4 on 48
"$IOPROOF" run --quick --rounds 1000 --scratch "$dir/scratch" --fs ext4:SIZE=64M --progress=plain \
	read-path:size=32M >/dev/null 2>"$dir/progress" &
run=$!
for ((i = 0; i < 300; i++)); do
	grep -qE 'experiments|preparing' "$dir/progress" && break
	sleep 0.05
done
umount "$dir/neighbour"
for ((i = 0; i < 20; i++)); do
	losetup -d "$device" 2>/dev/null
	[ -e "/sys/block/${device#/dev/}/loop/backing_file" ] || break
	sleep 0.1
done
succeeds "the run goes on" kill -0 "$run"
succeeds "what a neighbour unmounts meanwhile is free at once" \
	test ! -e "/sys/block/${device#/dev/}/loop/backing_file"
kill -INT "$run"
wait "$run"
is $? 1 "and is interrupted in good order"
mount "$dir/neighbour.img" "$dir/neighbour" -o loop

# --- nothing else is opened for writing
calls=open,openat,openat2,creat,mknod,mknodat,mkdir,mkdirat,rename,renameat,renameat2,truncate,unlink,unlinkat,rmdir
foreign() { # TRACE: what was changed by an absolute name that is neither ours nor the kernel's own
	grep -E 'O_WRONLY|O_RDWR|O_CREAT|creat\(|mknod|mkdir|rename|truncate|unlink|rmdir' "$1" | grep -v ' = -1 ' |
		grep -E '"/' | grep -vF -e "\"$dir/scratch" -e "\"$json\"" |
		grep -vE 'O_TMPFILE|"/run/|"/dev/(null|loop-control|loop[0-9]+|btrfs-control|fuse)"|"/proc/self/(fd/|task/|oom_score_adj)'
}
"${leaks_unseen[@]}" strace -f -qq -o "$dir/trace" -e trace=$calls "$IOPROOF" run --quick --rounds 1 --scratch "$dir/scratch" \
	--fs ext4:SIZE=32M --fs btrfs:SIZE=128M,IMAGE=sparse --json "$json" read-path:size=8M >/dev/null 2>&1
is "$(foreign "$dir/trace")" "" "run: nothing but the scratch directory, /run and our own devices is opened for writing"
succeeds "and the trace does show the images" grep -q 'O_TMPFILE.* = [0-9]' "$dir/trace"
name=test-$$
"${leaks_unseen[@]}" strace -f -qq -o "$dir/trace" -e trace=$calls "$IOPROOF" fixture up --scratch "$dir/scratch" \
	"$name" ext4:SIZE=32M,IMAGE=sparse >/dev/null 2>&1
is "$?" 0 "a lasting fixture is built"
is "$(foreign "$dir/trace")" "" "fixture up: nothing else is opened for writing"
"${leaks_unseen[@]}" strace -f -qq -o "$dir/trace" -e trace=$calls "$IOPROOF" fixture down "$name" >/dev/null 2>&1
is "$?" 0 "and taken down"
is "$(foreign "$dir/trace")" "" "fixture down: nothing else is opened for writing"
done_testing
