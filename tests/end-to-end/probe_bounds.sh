#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `ioproof probe` promises whatever it meets: a passive answer within 2 s although a server
# hangs, a bound on what it writes, an end within 5 s, and block devices that are only read.
# Runs alone: it watches the clock.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command jq losetup mkfs.ext4 unshare

dir=$(tap_dir)
json=$dir/probe.json

# --- the whole probe: bytes strictly, time by the best of three, since others use this machine too
layer_filesystem "$dir/ext4" ext4 on 300
queue=/sys/block/${device#/dev/}
written() { # KiB that this device has written
	echo $(($(awk '{print $7}' "$queue/stat") / 2))
}
best_ms=999999
for try in 1 2 3; do
	before=$(written) start=${EPOCHREALTIME/./}
	capture "$IOPROOF" probe --json "$json" "$dir/ext4"
	took_ms=$(((${EPOCHREALTIME/./} - start) / 1000))
	sync -f "$dir/ext4"
	moved=$(($(written) - before))
	is "$status" 0 "the whole probe answers (try $try: $took_ms ms, $((moved / 1024)) MiB at the loop device)"
	# 128 MiB of data, and the filesystem's own metadata and journal for some 60 syncs
	holds "moved <= 128 * 1024 + 4096" "it writes no more than its bound" "$moved KiB"
	best_ms=$((took_ms < best_ms ? took_ms : best_ms))
	[ "$best_ms" -ge 5000 ] || break
done
holds "best_ms < 5000" "it ends within 5 s" "$best_ms ms"
holds "moved > 64 * 1024" "and it did write: this counts what it should"
# A process's write_bytes count what it dirtied or wrote itself, on any device.
capture bash -c '"$1" probe "$2" >/dev/null; grep "^write_bytes" /proc/self/io' bash "$IOPROOF" "$dir/ext4"
own=$(sed -n 's/^write_bytes: //p' <<<"$out")
holds "own <= 132 * 1024 * 1024" "its own account says the same" "$own"
is "$(find "$dir/ext4" -mindepth 1 -not -name lost+found)" "" "nothing is left in the directory"

# --- a slow disk: less is tried, and the answer comes about as soon
slow=/sys/fs/cgroup/blkio/ioproof-test-$$
if mkdir "$slow" 2>/dev/null; then
	at_exit rmdir "$slow"
	for way in read write; do
		echo "$(cat "$queue/dev") 4194304" >"$slow/blkio.throttle.${way}_bps_device"
	done
	start=${EPOCHREALTIME/./}
	# shellcheck disable=SC2016
	capture bash -c 'echo $$ >"$1/cgroup.procs" && exec "$2" probe --json "$3" "$4"' bash "$slow" "$IOPROOF" \
		"$json" "$dir/ext4"
	took_ms=$(((${EPOCHREALTIME/./} - start) / 1000))
	is "$status" 0 "a disk of 4 MiB/s is probed" "$err"
	holds "took_ms < 10000" "within 10 s, where all of it would take 30 s" "$took_ms ms"
	echo "# $took_ms ms"
	like "$(jq '.targets[0].experiments.direct.write.asked.bytes' "$json")" '^[1-9][0-9]{6}$' "with less data"
	is "$(jq -r '[.claims[] | select(.verdict == "refused")] | length' "$json")" 0 "and is not accused" \
		"$(jq -c '.claims[] | [.claim, .verdict, [.findings[].id]]' "$json")"
else
	skip "a slow disk" "no cgroup v1 blkio to throttle with"
fi

# --- each part of the direct I/O matrix, reads and writes apart, and where the answer comes from
matrix='.targets[0].experiments.direct | [.open_error, .declared.memory_bytes > 0,
	.misaligned.address, .misaligned.length, .misaligned.offset,
	.misaligned_write.address, .misaligned_write.length, .misaligned_write.offset,
	.read.residency.after.resident, .write.residency.after.resident,
	.read.machine.pages_dirtied != null, .write.machine.pages_dirtied != null] | @csv'
refused='"EINVAL","EINVAL","EINVAL"'
is "$(jq -r "$matrix" "$json" | sed 's/,true,/,yes,/')" ",yes,$refused,$refused,0,0,true,true" \
	"ext4: each alignment is broken for reads and for writes, and residency and dirtying are read"
is "$(jq -r '[.direct_reads, .direct_reads_at, .direct_writes, .direct_writes_at] | @csv' "$json")" \
	'"honoured",,"honoured",' "ext4 on a direct loop: honoured, and nobody is blamed"
layer_filesystem "$dir/buffered" ext4 off 200
capture "$IOPROOF" probe --quick --json "$json" "$dir/buffered"
is "$(jq -r '[.direct_reads, .direct_reads_at] | @csv' "$json")" "\"cached-below\",\"${device#/dev/}\"" \
	"ext4 on a buffered loop: cached below, at the loop device"
like "$out" "reads answered by a cache at ${device#/dev/}" "and the text says where"

# --- a block device as target
layer_image "$dir/raw.img" 200
raw=$(layer_loop "$dir/raw.img" on)
at_exit layer_loop_detach "$raw"
sum=$(md5sum <"$dir/raw.img")
capture "$IOPROOF" probe --json "$json" "$raw"
is "$status" 0 "a block device as target answers"
valid_document "a block device as target: the document is valid"
like "$out" "reading $raw" "it says that it only reads"
is "$(jq -r '.targets[0].stack[0] | .layer, .name' "$json" | paste -sd' ')" "loop ${raw#/dev/}" \
	"the device is the top of its stack"
is "$(jq -r '.targets[0].experiments.first_touch.made' "$json")" true "its blocks are touched" \
	"$(jq -r '.targets[0].experiments.first_touch.why_not' "$json")"
is "$(jq -r '.targets[0].experiments.direct.why_not' "$json")" "a block device is only read" \
	"and nothing is written: it says so"
like "$(jq -r '.claims[].findings[] | select(.id == "not-tested") | .remedy' "$json")" \
	"directory of the filesystem" "the remedy is a directory on it"
is "$(md5sum <"$dir/raw.img")" "$sum" "it is as it was"
chmod 755 "$dir"
capture setpriv --reuid 65534 --regid 65534 --clear-groups "$IOPROOF" probe --json /dev/null "$raw"
is "$status" 0 "a device that may not be opened answers passively"
like "$out" "cannot be opened for reading: (Permission|Operation)" "and says why nothing was tried"

# --- a server that hangs: in a mount namespace of its own, so that nobody else waits for it
if command -v bindfs >/dev/null; then
	mkdir "$dir/under" "$dir/hung"
	mkdir "$dir/under/below"
	# shellcheck disable=SC2317
	hang() { # PATH OPTION...
		"${own_mounts[@]}" sh -c '
			cd "$1" && bindfs -f -o attr_timeout=0,entry_timeout=0 under hung & server=$!
			cd /
			for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
				mountpoint -q "$1/hung" && break
				sleep 0.1
			done
			kill -STOP $server
			path=$2
			shift 2
			timeout -s KILL 20 "$@" "$path"
			status=$?
			kill -CONT $server
			kill $server
			exit $status' sh "$dir" "$@"
	}
	for path in "$dir/hung" "$dir/hung/below"; do
		for option in --passive --quick; do
			start=${EPOCHREALTIME/./}
			capture hang "$path" "$IOPROOF" probe "$option"
			took_ms=$(((${EPOCHREALTIME/./} - start) / 1000))
			is "$status" 0 "probe $option of ${path#"$dir/"}, whose server hangs, answers ($took_ms ms)"
			like "$out" "did not answer within a second" "it says that the path did not"
			like "$out" "^  fuse" "and names the layer"
		done
	done
else
	skip "a server that hangs" "no bindfs here"
fi
done_testing
