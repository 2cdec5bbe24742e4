#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `ioproof run` on a plain disk directory: the ledger shows the bytes, and agrees with counters read
# from outside, alone and beside a neighbour.
# Runs alone: it reads counters that others move.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command jq losetup

dir=$(tap_dir)
disk_device=$(stat -c %Hd:%Ld "$dir")
disk=$(basename "$(readlink -f "/sys/dev/block/$disk_device")")
[ -e "/sys/block/$disk/stat" ] || disk=$(basename "$(dirname "$(readlink -f "/sys/dev/block/$disk_device")")")
[ -r "/sys/block/$disk/stat" ] || skip_all "$dir is not on a disk with counters"

sectors_read() {
	local sectors
	read -r _ _ sectors _ <"/sys/block/$disk/stat"
	echo "$sectors"
}

# Bytes read from the disk between the end of the experiments and the end of the rounds, as seen
# from outside; takes the progress of a run.
watch_disk() {
	local line before=0
	while read -r line; do
		case $line in
		"preparing data") before=$(sectors_read) ;;
		"taking down") echo $((($(sectors_read) - before) * 512)) ;;
		esac
	done
}

# Of every round of a case: bytes read at a layer whose name matches, as [all, ours] per cent of asked.
share() { # CASE LAYER-REGEX FIELD
	measured "$1" '[.samples[].ledger | (.asked.bytes) as $asked
		| (.layers | to_entries[] | select(.key | test("'"$2"'")) | .value.'"$3"') * 100 / $asked]
		| min, max' |
		tr '\n' ' '
}

check_bytes() { # NAME
	local c low high
	for c in cold direct; do
		for layer in '^loop[0-9]+$' "^$disk\$"; do
			read -r low high < <(share "$c" "$layer" ours.read_bytes)
			succeeds "$1: $c: $low-$high % of the bytes at $layer are ours" \
				awk -v l="$low" -v h="$high" 'BEGIN { exit !(l >= 100 && h <= 102) }'
		done
	done
	for layer in '^loop[0-9]+$' "^$disk\$"; do
		read -r low high < <(share warm "$layer" ours.read_bytes)
		is "$low $high" "0 0" "$1: warm: no byte of ours at $layer"
	done
}

# Bytes that others read from the disk in a second in which nothing is run.
others_read() {
	local before
	before=$(sectors_read)
	sleep 1
	echo $((($(sectors_read) - before) * 512))
}

# Neighbours only ever add to the outside reading, so the quietest of a few runs is compared.
for _ in 1 2 3 4 5; do
	json=$dir/document.json
	outside=$("$IOPROOF" run --progress=plain --json "$json" --scratch "$dir" --rounds 6 --seed 7 \
		read-path:size=64M 2>&1 >"$dir/text" | watch_disk
		exit "${PIPESTATUS[0]}")
	status=$?
	# What the ledgers saw, and what warming up must have read between them: the file, whenever
	# a warm visit came after a direct one, which had evicted it.
	inside=$(jq '([.measurements[].samples[].ledger.layers["'"$disk"'"].read_bytes] | add)
		+ 67108864 * ([.measurements[] | .case as $case | .samples[]
			| { at: [.round, .order], $case }] | sort_by(.at)
			| [.[:-1], .[1:]] | transpose
			| map(select(.[0].case == "direct" and .[1].case == "warm")) | length)' "$json")
	[ "$outside" -gt $((inside * 102 / 100 + 1048576)) ] || break
done
like "$status" '^[03]$' "nothing is refused"
# What the host of a virtual disk does is not known here; all else must be trusted.
is "$(jq -r '[.measurements[].findings[] | select(.severity != "note") | .id] | unique
	- ["read-cache-below-horizon", "recently-written"] | join(" ")' "$json")" "" \
	"down to the disk, every number is trusted"
valid_document "alone: the document is valid"
is "$(jq -r '[.measurements[].case] | sort | join(" ")' "$json")" "cold direct warm" \
	"three measurements"
check_bytes "alone"

agree="the ledger's sum at $disk ($inside) agrees with an outside reading ($outside)"
others=$(others_read)
if ((outside > inside * 102 / 100 + 1048576 && others > 1048576)); then
	skip "$agree" "others read $others bytes from $disk in a second"
else
	holds "inside <= outside && outside <= inside * 102 / 100 + 1048576" "$agree"
fi
first=$(jq -c '[.measurements[].samples[] | [.round, .order]] | sort' "$json")
prove "again" --scratch "$dir" --rounds 6 --seed 7 read-path:size=64M
is "$(jq -c '[.measurements[].samples[] | [.round, .order]] | sort' "$json")" "$first" \
	"the same seed gives the same order"

dd if=/dev/urandom of="$dir/neighbour" bs=1M count=256 status=none
(
	while :; do
		dd if="$dir/neighbour" of=/dev/null bs=1M iflag=direct status=none
		dd if=/dev/zero of="$dir/neighbour.out" bs=1M count=64 oflag=direct status=none
	done
) &
neighbour=$!
prove "beside a neighbour" --scratch "$dir" --rounds 6 read-path:size=64M
kill "$neighbour"
wait "$neighbour" 2>/dev/null
check_bytes "beside a neighbour"
like "$status" '^[03]$' "beside a neighbour: nothing is refused"
done_testing
