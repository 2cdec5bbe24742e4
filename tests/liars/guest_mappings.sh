#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Device-mapper targets, told by their tables, in one short boot: those that disturb I/O are
# flagged, those that only map it are not.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
# shellcheck source=tests/score.sh
. "$(dirname "$0")/../score.sh"
need command jq python3 mkfs.ext4 dmsetup

guest=$IOPROOF_SOURCE/tests/guest/guest.sh
dir=$(tap_dir)

said=$("$guest" --kernel-only 2>&1)
[ $? != 77 ] || skip_all "$(tail -n 1 <<<"$said")"

read -r -d '' script <<'GUEST'
export DM_DISABLE_UDEV=1 a=/dev/vdb b=/dev/vdc
size=$(blockdev --getsz $a)
mkdir -p /x
probe() { # NAME PATH [OPTION]
	echo "@@probe $1"
	ioproof probe $3 --json - "$2" 2>/tmp/err
	echo
	echo "@@end"
}
mapping() { # NAME TABLE; probed and removed
	echo "$2" | dmsetup create "$1" && probe "$1" "/dev/mapper/$1" --passive
	dmsetup remove "$1"
}
mapping linear "0 $size linear $a 0"
mapping striped "0 204800 striped 2 128 $a 0 $b 0"
mapping delay "0 $size delay $a 0 5"
mapping flakey "0 $size flakey $a 0 1 1"
mapping zero "0 204800 zero"
mapping error "0 1024 error"
dd if=/dev/zero of=$b bs=1M count=8 2>/dev/null
sync
mapping writecache "0 204800 writecache s $a $b 4096 0"
dd if=/dev/zero of=$b bs=1M count=8 2>/dev/null
sync
echo "0 32768 linear $b 0" | dmsetup create meta
echo "0 $size thin-pool /dev/mapper/meta $a 128 0" | dmsetup create pool
dmsetup message pool 0 "create_thin 0"
echo "0 204800 thin /dev/mapper/pool 0" | dmsetup create thin
mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/thin
mount -t ext4 /dev/mapper/thin /x
probe thin /x --quick
umount /x
GUEST

capture "$guest" --timeout 200 --extra virtio:160 --extra virtio:160 --with "$IOPROOF" \
	--with dmsetup --with mkfs.ext4 --module dm_mod --module dm-delay --module dm-flakey \
	--module dm-zero --module dm-writecache --module dm-thin-pool "$script"
tr -d '\r' <<<"$out" >"$dir/answer"
[ "$status" != 77 ] || skip_all "$err"
[ "$status" = 0 ] || not_ok "the guest answers" "status $status" "$err"

look() { # NAME TYPE; sets $json to what the guest said of this mapping
	json=$dir/$1.json
	awk -v name="$1" '$1 == "@@end" { show = 0 } show; $0 == "@@probe " name { show = 1 }' \
		"$dir/answer" >"$json"
	err=$(grep -v '^[ {}]' "$dir/answer")
	is "$(jq -r '.targets[0].stack[] | select(.layer == "dm") | .type' "$json" | head -n 1)" \
		"$1" "$1: the table names it"
}

for name in linear striped writecache thin; do
	look "$name"
	twin "$name" altered-io memory-backed unknown-layer flush-not-sent bytes-missing-below \
		data-elided
done
for name in delay flakey zero error; do
	look "$name"
	liar "$name" device-read flagged altered-io "^$name\(dm-"
done
score_is_perfect
done_testing
