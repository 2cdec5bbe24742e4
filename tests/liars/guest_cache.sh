#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inside a virtual machine the probe names what QEMU does below its disk, or says that it cannot
# tell; it never names another mode. A boot each of three modes; IOPROOF_LONG=1: ten of all five,
# and every mode right in eight of ten.
# Runs alone: what is below the guest shows itself by time.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
need command jq

guest=$IOPROOF_SOURCE/tests/guest/guest.sh
disk=${IOPROOF_GUEST_DISK:-virtio}
modes=(none writeback unsafe)
[ -z "${IOPROOF_LONG-}" ] || modes=(none directsync writeback writethrough unsafe)

said=$("$guest" --kernel-only 2>&1)
[ $? != 77 ] || skip_all "$(tail -n 1 <<<"$said")"

wanted() { # QEMU-MODE
	case $1 in
	none | directsync) echo bypassed ;;
	unsafe) echo "flush ignored" ;;
	*) echo "$1" ;;
	esac
}

# Sets $answer to the document and $named to the mode that it names.
boot() { # QEMU-MODE
	capture "$guest" --cache "$1" --disk "$disk" --timeout 100 --with "$IOPROOF" \
		'ioproof probe --json - /mnt'
	answer=$out
	named=$(jq -r '.targets[0].experiments.cache_mode_below' <<<"$answer" 2>/dev/null)
	: "${named:=no answer}"
}

details() {
	printf '%s\n' "named: $named" "status: $status" "$err"
	jq -c '.targets[0].experiments | .first_touch, .flush_scaling' <<<"$answer" 2>/dev/null
}

finding() { # CLAIM ID
	jq -r --arg claim "$1" --arg id "$2" '[.claims[] | select(.claim == $claim) | .findings[] |
		select(.id == $id) | .severity] | first // "absent"' <<<"$answer"
}

busy() {
	awk -v cores="$(nproc)" '{ exit !($1 > 1.5 * cores) }' /proc/loadavg
}

# A busy machine may hide everything: it is tried again, but a wrong answer is never forgiven.
short() { # QEMU-MODE
	local try right
	right=$(wanted "$1")
	for try in 1 2 3; do
		boot "$1"
		[ "$named" = "cannot tell" ] || break
		echo "# cache=$1: cannot tell, boot $try"
	done
	if [ "$named" = "$right" ]; then
		ok "cache=$1 is named $right"
		findings "$1"
	elif [ "$named" = "cannot tell" ] && busy; then
		skip "cache=$1 is named $right" "the machine is too busy: load $(cat /proc/loadavg)"
	else
		not_ok "cache=$1 is named $right" "$(details)"
	fi
}

findings() { # QEMU-MODE
	local reads=flag writes=absent flush=absent
	case $1 in
	none) reads=absent ;;
	writeback) writes=flag ;;
	unsafe) flush=flag ;;
	esac
	is "$(finding device-read read-cache-below-horizon)" $reads "cache=$1: read cache: $reads"
	is "$(finding device-write write-cache-below-horizon)" $writes "cache=$1: write cache: $writes"
	is "$(finding durable-write flush-ignored-below-horizon)" $flush "cache=$1: flush ignored: $flush"
	like "$(jq -r '.environment.virtualization[].name' <<<"$answer")" '^(qemu|QEMU)' \
		"cache=$1: the guest knows that it is one"
}

long() { # QEMU-MODE
	local i right good=0 wrong=0
	right=$(wanted "$1")
	for ((i = 0; i < 10; i++)); do
		boot "$1"
		if [ "$named" = "$right" ]; then
			good=$((good + 1))
			continue
		fi
		[ "$named" = "cannot tell" ] || wrong=$((wrong + 1))
		details | sed 's/^/#   /'
	done
	echo "# cache=$1: named right in $good of 10 boots, wrong in $wrong"
	is "$wrong" 0 "cache=$1 is never named anything but $right"
	if [ "$good" -ge 8 ]; then
		ok "cache=$1 is named $right in eight of ten boots"
	else
		not_ok "cache=$1 is named $right in eight of ten boots" "in $good"
	fi
}

for mode in "${modes[@]}"; do
	if [ -n "${IOPROOF_LONG-}" ]; then
		long "$mode"
	else
		short "$mode"
	fi
done
done_testing
