#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The process behind a FUSE mount: found among two of one kind, and said to be outside where the PID
# namespace does not show it.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
need root
need command jq bindfs unshare
need filesystem fuse

dir=$(tap_dir)
mkdir "$dir/under" "$dir/one" "$dir/two"
pids=()
for name in one two; do
	bindfs -f "$dir/under" "$dir/$name" &
	pids+=($!)
	at_exit umount "$dir/$name"
done
for ((i = 0; i < 100; i++)); do
	mountpoint -q "$dir/one" && mountpoint -q "$dir/two" && break
	sleep 0.05
done

server() { # PATH [WRAPPER...]; "PID NAME SOURCE"
	"${@:2}" "$IOPROOF" probe --passive --json - "$1" |
		jq -r '.targets[0].stack[0].server | "\(.pid) \(.name) \(.source)"'
}

how="proc/[0-9]+/(fdinfo/[0-9]+: fuse_connection = [0-9]+|cmdline names)"
like "$(server "$dir/one")" "^${pids[0]} bindfs $how" "the first server is found"
like "$(server "$dir/two")" "^${pids[1]} bindfs $how" "the second server is found"
like "$(server "$dir/one" "${own_mounts[@]}" unshare --pid --fork \
	sh -c 'mount -t proc proc /proc && exec "$@"' sh)" "^null null .*outside this container" \
	"a PID namespace without the server says so"
like "$("$IOPROOF" probe --passive "$dir/one")" "server pid ${pids[0]} \(bindfs\)" \
	"the text names it"
done_testing
