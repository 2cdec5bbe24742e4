#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Somebody changes a fixture while it is measured: every number of it is flagged, and who did nothing
# is not.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
need root
need command losetup mkfs.ext4 nsenter jq

dir=$(tap_dir)
mkdir "$dir/scratch"

# Runs COMMAND with $loop and $pid once the second round has begun.
measured_while() { # COMMAND
	local child pid='' loop
	: >"$dir/err" # what the last one said must not be read
	"$IOPROOF" run --scratch "$dir/scratch" --fs ext4:SIZE=64M,IMAGE=fallocated --rounds 10 \
		--progress=plain --json "$dir/result.json" read-path:size=16M >/dev/null 2>"$dir/err" &
	child=$!
	for ((i = 0; i < 600; i++)); do
		grep -q 'round 2' "$dir/err" && pid=$child && break
		kill -0 $child 2>/dev/null || break
		sleep 0.05
	done
	loop=$(grep -lF "$dir/scratch" /sys/block/loop*/loop/backing_file 2>/dev/null | cut -d/ -f4)
	[ -z "$pid" ] || [ -z "$loop" ] || eval "$1"
	wait $child
}

flagged() {
	jq -r '[.measurements[] | any(.findings[]; .id == "stack-changed")] | unique | tostring' \
		"$dir/result.json"
}

measured_while :
[ -e "$dir/result.json" ] || skip_all "no fixture can be built here: $(tail -n 1 "$dir/err")"
is "$(flagged)" "[false]" "what nobody changed is not flagged"
# shellcheck disable=SC2016
{
	measured_while 'echo "write through" >"/sys/block/$loop/queue/write_cache"'
	is "$(flagged)" "[true]" "the write cache of its loop device is switched off"
	measured_while 'losetup --direct-io=off "/dev/$loop"'
	is "$(flagged)" "[true]" "direct I/O of its loop device is switched off"
	measured_while 'nsenter --mount --target "$pid" mount -o remount,strictatime "/dev/$loop"'
	is "$(flagged)" "[true]" "it is mounted anew with access times"
}

is "$(ls -A "$dir/scratch")" "" "nothing is left in the scratch directory"
done_testing
