#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A record of this machine answers as the machine does, and carries no private name.
. "$(dirname "$0")/../tap.sh"
need root
need command jq

dir=$(tap_dir)
secret=$dir/private-name
mkdir -p "$secret" && mount -t tmpfs private-source "$secret" && at_exit umount "$secret"

# In a group of its own, whose limit has to be found again under another name.
limit=
for point in /sys/fs/cgroup/memory /sys/fs/cgroup; do
	case $(stat -f -c %T "$point" 2>/dev/null) in
	cgroupfs) file=memory.limit_in_bytes ;;
	cgroup2fs) file=memory.max ;;
	*) continue ;;
	esac
	group=$point/private-name.$$
	mkdir "$group" 2>/dev/null || continue
	at_exit rmdir "$group"
	# shellcheck disable=SC2016
	at_exit sh -c 'while read -r pid; do echo "$pid" >"$1/cgroup.procs"; done <"$2/cgroup.procs"' \
		sh "$point" "$group"
	echo 268435456 2>/dev/null >"$group/$file" && echo $$ 2>/dev/null >"$group/cgroup.procs" &&
		limit=268435456 && break
done

succeeds "a machine is recorded" sh "$IOPROOF_SOURCE/scripts/record-machine.sh" "$dir/record" "$secret"
is "$(grep -rlE 'private-name|private-source' "$dir/record")" "" "no private name is in the record"
is "$(find "$dir/record" -name '*private-name*')" "" "and none is the name of a file"
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

if [ -n "$limit" ]; then
	is "$("$IOPROOF" probe --passive --json - --sysroot "$dir/record" "$question" |
		jq .environment.memory.limit.bytes)" "$limit" "the record knows the limit of the group"
else
	skip "the record knows the limit of the group" "no memory control group can be made here"
fi

capture sh "$IOPROOF_SOURCE/scripts/record-machine.sh" "$dir/record"
is "$status" 1 "an existing directory is not written over"
done_testing
