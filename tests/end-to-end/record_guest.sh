#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recorder needs no more than busybox: it records a QEMU guest from inside, and the record
# answers as the guest does.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
need command jq base64 tar

guest=$IOPROOF_SOURCE/tests/guest/guest.sh
dir=$(tap_dir)
said=$("$guest" --kernel-only 2>&1)
[ $? != 77 ] || skip_all "$(tail -n 1 <<<"$said")"

put() { # FILE: a line for the guest that makes it
	printf 'echo %s | base64 -d >/rec/%s' "$(base64 -w 0 "$IOPROOF_SOURCE/scripts/$1")" "$1"
}

capture "$guest" --dir "$IOPROOF_SOURCE/build/guest" --with "$IOPROOF" --timeout 150 \
	'mkdir -p /rec /mnt/data' "$(put record-machine.sh)" "$(put record-redact.awk)" \
	'sh /rec/record-machine.sh /rec/record /mnt/data 2>/rec/said || cat /rec/said' \
	'ioproof probe --passive --json - /mnt/data >/rec/live.json' \
	'echo @@files; cd /rec && tar c record live.json | gzip | base64; echo @@end'
sed -n '/^@@files/,/^@@end/{/^@@/d;p}' <<<"$out" | base64 -d | tar -C "$dir" -xz
succeeds "the guest is recorded" jq -e .query_path "$dir/record/about.json"

question=$(jq -r .query_path "$dir/record/about.json")
"$IOPROOF" probe --passive --json "$dir/record.json" --sysroot "$dir/record" "$question" >/dev/null
ask() { # FILE JQ-FILTER
	jq -c "$2" "$1"
}
for what in '[.environment.virtualization[].name]' '[.environment.container[].name]' \
	'.environment.contradictions' '.environment.cpu.online' '[.targets[0].stack[].type]' \
	'.targets[0].horizon'; do
	is "$(ask "$dir/record.json" "$what")" "$(ask "$dir/live.json" "$what")" \
		"record and guest agree: $what"
done
is "$(ask "$dir/live.json" '[.environment.virtualization[].name]')" '["qemu"]' \
	"a guest without KVM is named so"
done_testing
