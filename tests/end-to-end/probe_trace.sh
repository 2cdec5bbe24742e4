#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `ioproof probe --trace`: what enters the page cache, by a tracing instance that is gone afterwards,
# also when it was killed; and without privilege or tracefs an answer that says so.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command jq losetup mkfs.ext4 mkfs.btrfs unshare python3
need filesystem tracefs

dir=$(tap_dir)
json=$dir/probe.json
kills=20
[ -z "${IOPROOF_LONG-}" ] || kills=200

# The instances of this machine; where nobody mounted tracefs, in a namespace of our own.
instances() {
	if [ -d /sys/kernel/tracing/instances ]; then
		ls /sys/kernel/tracing/instances
	else
		"${own_mounts[@]}" sh -c 'mount -t tracefs tracefs /sys/kernel/tracing &&
			ls /sys/kernel/tracing/instances'
	fi
}

look() { # PATH
	rm -f "$json"
	capture "$IOPROOF" probe --quick --trace --json "$json" "$1"
	is "$status" 0 "probe --trace of ${1##*/} answers"
	valid_document "probe --trace of ${1##*/}: the document is valid"
}

experiments() { # FILTER
	jq -r ".targets[0].experiments | $1" "$json"
}

seen() { # NAME: skips the rest where this machine lets nobody trace
	if [ "$(experiments .trace.made)" = true ]; then
		ok "$1: all of it was traced ($(experiments .trace.intervals) intervals)"
	else
		not_ok "$1: all of it was traced" "$(experiments .trace.why_not)"
	fi
}

mounts=$(grep -c tracefs /proc/self/mountinfo)
capture instances
[ "$status" = 0 ] || skip_all "tracefs cannot be mounted here: $err"

# Instances of runs that are over; others may be tracing on this machine at the same time.
left_behind() {
	local name pid
	for name in $(instances); do
		[[ $name =~ ^ioproof\.([0-9]+)\.[0-9]+$ ]] || continue
		pid=${BASH_REMATCH[1]}
		[ -e "/proc/$pid" ] || echo "$name"
	done
}

layer_filesystem "$dir/ext4" ext4 on 200
look "$dir/ext4"
seen ext4
is "$(experiments '[.direct.read, .direct.write | .page_cache_adds.pages] | @csv')" "0,0" \
	"direct on ext4: no page enters the cache, reads and writes apart"
holds "$(experiments '.cached.write.page_cache_adds.folios') > 0" "buffered writes are seen to enter it"
holds "$(experiments '.cached.cold_read.page_cache_adds.folios') > 0" "and cold reads"
is "$(experiments '.cached.warm_read.page_cache_adds.pages')" 0 "and warm reads enter nothing"
is "$(experiments '.flush.fsync.layers | to_entries | map(select(.key | test("^loop"))) | .[0].value.fua_writes')" \
	0 "a loop device takes no forced writes"
capture "$IOPROOF" probe --quick --trace "$dir/ext4"
like "$out" "traced +pages into the cache: direct reads 0, direct writes 0" "the text says it as well"

if command -v bindfs >/dev/null; then
	mkdir "$dir/under" "$dir/bindfs"
	bindfs "$dir/under" "$dir/bindfs"
	at_exit umount "$dir/bindfs"
		look "$dir/bindfs"
	seen bindfs
	holds "$(experiments '.direct.write.page_cache_adds | .pages + .pages_elsewhere') >= 4000" \
		"bindfs that does not forward O_DIRECT: what is written enters the cache beneath"
else
	skip bindfs "no bindfs here"
fi

# --- a liar that only the trace shows: a neighbour dirties pages, so that their count says nothing
neighbour_starts() {
	(
		while :; do
			dd if=/dev/zero of="$dir/neighbour" bs=64k count=480 conv=notrunc status=none
			sleep 0.00$((RANDOM % 9 + 1))
		done
	) &
	neighbour=$!
}
neighbour_stops() {
	kill "$neighbour" && wait "$neighbour" 2>/dev/null
}
writes() { # FINDING: is it said of device-write?
	jq --arg id "$1" '[.claims[] | select(.claim == "device-write") | .findings[]
		| select(.id == $id)] | length > 0' "$json"
}
layer_filesystem "$dir/btrfs" btrfs on 300
look "$dir/btrfs"
seen btrfs
buffers=$(experiments '.direct.write.page_cache_adds.pages >= 4000')
neighbour_starts
look "$dir/btrfs"
is "$(writes direct-io-fallback)" "$buffers" \
	"beside a neighbour btrfs with checksums is judged by its own pages (it buffers: $buffers)"
is "$(writes direct-io-undecided)" false "and not left undecided"
neighbour_stops
layer_mount_anew "$dir/btrfs" "$device" -o nodatacow
neighbour_starts
look "$dir/btrfs"
is "$(experiments '.direct.write.page_cache_adds.pages') $(writes direct-io-fallback) $(writes direct-io-undecided)" \
	"0 false false" "its twin without checksums is not accused beside the same neighbour"
neighbour_stops

is "$(grep -c tracefs /proc/self/mountinfo)" "$mounts" "no mount of tracefs is left"
settled
is "$(left_behind)" "" "no tracing instance is left"

# --- without what it needs
capture setpriv --reuid 65534 --regid 65534 --clear-groups "$IOPROOF" probe --quick --trace /
like "$status $out" "^0 .*" "without root it answers all the same"
chmod 755 "$dir"
mkdir -m 777 "$dir/open"
capture setpriv --reuid 65534 --regid 65534 --clear-groups "$IOPROOF" probe --quick --trace "$dir/open"
like "$out" "traced +nothing: tracing needs root" "and says what tracing needs"
capture "$IOPROOF" probe --trace --passive "$dir"
is "$status" 2 "with --passive there is nothing to trace"
capture "$IOPROOF" probe --quick --json "$json" "$dir/ext4"
is "$(experiments '.trace.made, .trace.why_not, .direct.read.page_cache_adds' | paste -sd' ')" \
	"false not asked for: --trace null" "without --trace nothing is traced"

# --- what a dead run left is collected by the next
leave_dead() {
	"${own_mounts[@]}" sh -c 'mountpoint -q /sys/kernel/tracing ||
		mount -t tracefs tracefs /sys/kernel/tracing
		mkdir /sys/kernel/tracing/instances/ioproof.4194303.1'
}
if [ ! -e /proc/4194303 ] && leave_dead; then
	look "$dir/ext4"
	is "$(instances | grep -cx ioproof.4194303.1)" 0 "the next run collects what a dead one left"
else
	skip "a dead run's instance" "it cannot be made here"
fi

# --- killed at random moments
dirty=0 killed=0 seen_alive=0
for ((n = 0; killed < kills && n < 3 * kills; n++)); do
	"$IOPROOF" probe --quick --trace "$dir/ext4" >/dev/null 2>&1 &
	pid=$!
	sleep "0.$(printf '%03d' $((RANDOM % 900)))"
	[ "$((n % 2))" = 1 ] || ! instances | grep -q "^ioproof\.$pid\." || seen_alive=$((seen_alive + 1))
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	[ $? = 137 ] || continue
	killed=$((killed + 1))
	settled || { dirty=$((dirty + 1)) && left_behind | sed 's/^/# left: /'; }
done
is "$dirty" 0 "$killed kills left no tracing instance"
holds "seen_alive > 0 && killed >= kills / 2" "some of them had one ($seen_alive seen alive)"
is "$(grep -c tracefs /proc/self/mountinfo)" "$mounts" "and no mount"
done_testing
