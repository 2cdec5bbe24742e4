#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A record of this machine answers as the machine does, and carries no private name.
. "$(dirname "$0")/../tap.sh"
need root
need command jq

dir=$(tap_dir)
secret=$dir/private-name
mkdir -p "$secret" && mount -t tmpfs private-source "$secret" && at_exit umount "$secret"

succeeds "a machine is recorded" sh "$IOPROOF_SOURCE/scripts/record-machine.sh" "$dir/record" "$secret"
is "$(grep -rlE 'private-name|private-source' "$dir/record")" "" "no private name is in the record"
host=$(uname -n)
if [ ${#host} -gt 3 ] && [ "$host" != localhost ]; then
	is "$(grep -rlF -- "$host" "$dir/record")" "" "the host's name is not in the record"
else
	skip "the host's name is not in the record" "it has no name of its own"
fi
succeeds "about.json is JSON" jq -e . "$dir/record/about.json"
is "$(grep -rlP '\x00' "$dir/record")" "" "only text files are recorded"

question=$(jq -r .query_path "$dir/record/about.json")
names() { jq -r '.environment | [.virtualization, .container] | map((. // []) | map(.name)) | tostring'; }
is "$("$IOPROOF" probe --passive --json - --sysroot "$dir/record" "$question" | names)" \
	"$("$IOPROOF" probe --passive --json - "$secret" | names)" \
	"the record names the same surroundings"
is "$("$IOPROOF" probe --passive --json - --sysroot "$dir/record" "$question" |
	jq -r '.targets[0].stack[0].type')" tmpfs "the record finds the same filesystem"

capture sh "$IOPROOF_SOURCE/scripts/record-machine.sh" "$dir/record"
is "$status" 1 "an existing directory is not written over"
done_testing
