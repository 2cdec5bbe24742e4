#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# `ioproof probe` on what is no good target, on machines that hide or garble what they are, and in
# places that vanish: the right exit status, a line that names the thing, a valid document, nothing
# for a terminal to obey, and findings for what is missing.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command jq losetup mkfs.ext4 python3 setpriv unshare

dir=$(tap_dir)
json=$dir/probe.json
stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups)
# The checkout may lie where only root may look.
chmod 755 "$dir"
install -m 755 "$IOPROOF" "$dir/ioproof"
mkdir "$dir/empty"

# Bytes that a terminal would obey; text in other alphabets is none.
obeyed() { # TEXT
	LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]' <<<"$1"
}

answers() { # NAME ARGUMENT...; $before: a command to run it by
	local name=$1
	shift
	rm -f "$json"
	capture timeout -k 5 60 "${before[@]}" "$dir/ioproof" probe --json "$json" "$@"
	is "$status" 0 "$name: it answers" "$err"
	is "$(obeyed "$out$err")" 0 "$name: nothing that a terminal obeys"
	valid_document "$name: the document is valid"
}
before=()

fails() { # NAME REGEX ARGUMENT...
	local name=$1 regex=$2
	shift 2
	rm -f "$json"
	capture timeout -k 5 60 "${before[@]}" "$dir/ioproof" probe --json "$json" "$@"
	is "$status" 1 "$name: exit status 1"
	like "$err" "$regex" "$name: the line names it"
	is "$(grep -c '^ioproof: ' <<<"$err") $(obeyed "$out$err")" "1 0" "$name: one line, safe"
	succeeds "$name: no document" test ! -e "$json"
}

# Nothing is trusted that was not tried, and the reason is given.
untried() { # NAME REGEX
	is "$(jq '[.claims[] | select(.verdict == "trusted")] | length' "$json")" 0 \
		"$1: nothing is trusted" "$out"
	like "$(jq -r '.claims[].findings[] | select(.id == "not-tested") | .message' "$json")" "$2" \
		"$1: says why"
}

# --- what is no file and no directory
mkfifo "$dir/fifo"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$dir/socket"
for target in fifo socket /dev/null /dev/tty; do
	[[ $target == /* ]] || target=$dir/$target
	answers "${target##*/}" "$target"
	untried "${target##*/}" 'neither a directory, a file nor a block device'
done
ln -s nowhere "$dir/dangling"
ln -s looping "$dir/looping"
touch "$dir/file"
fails "a dangling link" 'dangling: a link that leads nowhere: No such file' "$dir/dangling"
fails "a looping link" 'looping: a link that leads nowhere: Too many levels' "$dir/looping"
fails "a path through a file" 'file/x: Not a directory' "$dir/file/x"
fails "a path that is not there" 'none: No such file' "$dir/none"
fails "an empty path" 'an empty path leads nowhere: give a file or directory' ""
fails "a name too long" 'File name too long' "$dir/$(printf 'n%.0s' {1..300})"
fails "an escape in a name" 'x1b\[31mred: No such file' "$dir/"$'\e[31mred'

# --- directories of others
mkdir -m 755 "$dir/no-write"
mkdir -m 333 "$dir/no-read"
mkdir -m 700 "$dir/no-search" "$dir/no-search/in"
before=("${stranger[@]}")
json_of_root=$json
mkdir -m 777 "$dir/strangers"
json=$dir/strangers/probe.json
answers "a directory that we may not write to" --quick "$dir/no-write"
untried "a directory that we may not write to" 'can be made there: Permission denied'
answers "a directory that we may not search" --quick "$dir/no-search"
untried "a directory that we may not search" 'can be made there: Permission denied'
answers "a directory that we may write to and not read" --quick "$dir/no-read"
is "$(jq '[.claims[] | select(.verdict == "refused")] | length' "$json")" 0 \
	"a directory that we may write to and not read: nothing is refused"
fails "a directory behind one" 'no-search/in: Permission denied' "$dir/no-search/in"
before=()
json=$json_of_root

# --- filesystems without room, and read-only ones
layer_filesystem "$dir/full" ext4 on 24
dd if=/dev/zero of="$dir/full/ballast" bs=64k status=none 2>/dev/null
answers "a full filesystem" --quick "$dir/full"
untried "a full filesystem" 'No space left on device'
like "$(jq -r '.claims[].findings[] | select(.id == "not-tested") | .remedy' "$json")" \
	'128 MiB free' "a full filesystem: the remedy is room"
dd if=/dev/zero of="$dir/full/ballast" bs=1M count=$(($(stat -f -c '%b / 256' "$dir/full") - 5)) \
	status=none 2>/dev/null
answers "a filesystem with too little room" --quick "$dir/full"
is "$(jq -r '.claims[] | select(.claim == "device-write") | .verdict' "$json")" flagged \
	"a filesystem with too little room: what did not fit is flagged"
layer_mount_anew "$dir/full" "$device" -o ro
answers "a read-only filesystem" --quick "$dir/full"
untried "a read-only filesystem" 'can be made there: Read-only file system'
layer_mount_anew "$dir/full" "$device"

# --- a block device is only read
before=("${leaks_unseen[@]}" strace -f -qq -e 'trace=openat,open' -o "$dir/calls")
command -v strace >/dev/null || before=()
umount "$dir/full"
sum=$(sha256sum <"$dir/full.img")
answers "a block device" "$device"
before=()
untried "a block device" 'a block device is only read'
is "$(sha256sum <"$dir/full.img")" "$sum" "a block device: not a byte of it changes"
if [ -e "$dir/calls" ]; then
	is "$(grep -F "\"$device\"" "$dir/calls" | grep -cE 'O_RDWR|O_WRONLY')" 0 \
		"a block device: it is never opened for writing"
fi
mount "$device" "$dir/full"

# --- gone meanwhile
for delay in 0.05 0.4 1.5; do
	mkdir "$dir/gone"
	(sleep $delay && rm -rf "$dir/gone") &
	answers "a directory removed after $delay s" "$dir/gone"
	wait
done
for delay in 0.1 1; do
	layer_filesystem "$dir/leaving" ext4 on 200
	(sleep $delay && umount -l "$dir/leaving") &
	answers "a filesystem unmounted lazily after $delay s" "$dir/leaving"
	wait
	layer_loop_detach "$device"
	tap_exits=("${tap_exits[@]:0:${#tap_exits[@]}-2}") # both are undone
	is "$(losetup --noheadings -O NAME -j "$dir/leaving.img")" "" \
		"a filesystem unmounted lazily after $delay s: nothing holds it"
	rm -f "$dir/leaving.img"
done

# --- changed meanwhile
layer_filesystem "$dir/changing" ext4 on 200
# Neither before the first look nor after the last: how long a probe takes is the machine's affair.
for delay in 0.3 0.6 0.15 1; do
	losetup --direct-io=on "$device"
	(sleep $delay && losetup --direct-io=off "$device") &
	answers "a loop device switched to its file's cache after $delay s" "$dir/changing"
	wait
	! grep -q stack-changed "$json" || break
done
is "$(jq -r '[.claims[] | select(.verdict == "trusted")] | length' "$json")" 0 \
	"a loop device switched to its file's cache: nothing is trusted"
like "$(jq -r '.claims[].findings[] | select(.id == "stack-changed") | .layer' "$json")" '^loop' \
	"a loop device switched to its file's cache: the change is told"

# --- names of mount points
number=0
for name in 'with blank' $'new\nline' $'tab\there' 'back\slash' 'octal\040escape' \
	$'\e]0;title\a' $'\e[31mred' $'\xff\xfe invalid' $'\xc3(' $'del\x7f' 'a (deleted)' \
	$'bidi\xe2\x80\xaeoverride' '--option' 'quo"te' "apo'strophe" 'percent%s%n'; do
	number=$((number + 1))
	mkdir "$dir/$name"
	mount -t tmpfs -o size=16M "source $number" "$dir/$name"
	at_exit umount "$dir/$name"
	answers "mount point $number" --passive -- "$dir/$name"
	is "$(jq -r '[.targets[0].stack[0] | .type, .source] | join(" ")' "$json")" \
		"tmpfs source $number" "mount point $number, $(printf %q "$name"): its own mount is found"
	is "$(LC_ALL=C grep -c $'\xe2\x80\xae' <<<"$out")" 0 "mount point $number: the text keeps its direction"
	(cd "$dir/$name" && "$dir/ioproof" probe --passive --json "$json" . >/dev/null 2>&1)
	is "$(jq -r '.targets[0].stack[0].source' "$json")" "source $number" \
		"mount point $number: from inside as well"
done

# --- very many mounts
many() { # KIND; prints a table of 50,000 lines and more
	python3 - "$1" <<'END'
import sys
kind = sys.argv[1]
print("1 0 8:1 / / rw - ext4 /dev/sda1 rw")
for i in range(50000):
    n = 100 + i
    print({
        "side by side": f"{n} 1 0:{n} / /m/{i} rw - tmpfs t{i} rw",
        "one upon another": f"{n} {n - 1 if i else 1} 0:{n} / /m rw - tmpfs t{i} rw",
        "without parents": f"{n} {n + 900000} 0:{n} / / rw - tmpfs t{i} rw",
        "overlays": f"{n} 1 0:{n} / /m/{i} rw - overlay o rw,lowerdir=/m/{i + 1},"
                    f"upperdir=/m/{i + 2},workdir=/w",
        "branches": f"{n} 1 0:{n} / /b{i}/a rw - tmpfs t{i} rw",
    }[kind])
if kind == "branches":
    print("99 1 0:99 / /m/49999 rw - fuse.mergerfs a:a:b rw")
END
}
for kind in "side by side" "one upon another" "without parents" overlays branches; do
	mkdir -p "$dir/many/proc/self"
	many "$kind" >"$dir/many/proc/self/mountinfo"
	began=${EPOCHREALTIME/./}
	path=/m/49999
	[ "$kind" != "one upon another" ] || path=/m
	answers "50,000 mounts $kind" --sysroot "$dir/many" $path
	ms=$(((${EPOCHREALTIME/./} - began) / 1000))
	holds "$ms < 5000" "50,000 mounts $kind: in reasonable time" "$ms ms"
done
is "$(jq -r '.targets[0].stack[0].type' "$json")" fuse.mergerfs "50,000 mounts: the right one is found"

mkdir "$dir/binds"
before=("${own_mounts[@]}" sh -c '
	mount -t tmpfs none "$1/binds" && i=0
	while [ $i -lt 3000 ]; do
		mkdir "$1/binds/$i" || exit 1
		i=$((i + 1))
	done
	python3 - "$1" <<END
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for i in range(3000):
    if libc.mount(f"{sys.argv[1]}/empty".encode(), f"{sys.argv[1]}/binds/{i}".encode(), None, 4096, None):
        sys.exit(os.strerror(ctypes.get_errno()))
END
	shift && exec "$@"' sh "$dir")
began=${EPOCHREALTIME/./}
rm -f "$json"
capture "${before[@]}" timeout 60 "$dir/ioproof" probe --quick --json "$json" "$dir/binds/2999"
ms=$(((${EPOCHREALTIME/./} - began) / 1000))
before=()
is "$status" 0 "3,000 bind mounts: it answers" "$err"
valid_document "3,000 bind mounts: the document is valid"
is "$(jq '[.claims[] | select(.verdict == "refused")] | length' "$json")" 0 \
	"3,000 bind mounts: nothing is refused"
holds "$ms < 20000" "3,000 bind mounts: in reasonable time, making them included" "$ms ms"

# --- machines that hide what they are
without() { # NAME COMMAND FINDING
	rm -f "$json"
	capture "${own_mounts[@]}" sh -c 'eval "$1" && shift && exec "$@"' sh \
		"$2" timeout 60 "$dir/ioproof" probe --quick --json "$json" "$dir/empty"
	if [[ $err == *LeakSanitizer* ]]; then # which reads its options from /proc, too
		skip "$1: it answers" "a sanitizer that looks for leaks needs /proc"
	else
		is "$status" 0 "$1: it answers" "$err"
	fi
	valid_document "$1: the document is valid"
	like "$(jq -r '[.claims[] | select(.claim == "device-read") | .findings[]
		| select(.severity != "note") | .id] | join(" ")' "$json")" "$3" \
		"$1: a finding says what is missing" "$out"
	is "$(jq -r '.claims[] | select(.claim | IN("device-read", "device-write", "durable-write"))
		| .verdict' "$json" | sort -u)" flagged "$1: no device is vouched for"
}
without "no /proc" 'umount -l /proc' unknown-layer
without "no /sys" 'mount -t tmpfs none /sys' unknown-layer
without "no /proc, /sys and /run" \
	'mount -t tmpfs none /run; mount -t tmpfs none /sys; mount -t tmpfs none /proc' unknown-layer

fuse_record=$(dirname "$IOPROOF")/tests/liars/fuse_record
garbled() { # NAME MODE HONEST-PATH...
	local name=$1 mode=$2 server i
	shift 2
	"$fuse_record" "$mode" "$IOPROOF_SOURCE/tests/machines/github-actions-azure" "$dir/machine" \
		"$@" 2>/dev/null &
	server=$!
	for ((i = 0; i < 100; i++)); do
		mountpoint -q "$dir/machine" && break
		sleep 0.05
	done
	began=${EPOCHREALTIME/./}
	"$verb" "$name" "${expected[@]}" --sysroot "$dir/machine" /
	ms=$(((${EPOCHREALTIME/./} - began) / 1000))
	holds "$ms < 5000" "$name: in reasonable time" "$ms ms"
	umount "$dir/machine"
	wait "$server"
}
if [ -x "$fuse_record" ]; then
	mkdir "$dir/machine"
	at_exit sh -c "! mountpoint -q '$dir/machine' || umount '$dir/machine'"
	verb=answers expected=()
	garbled "an honest record" honest
	is "$(jq -r .targets[0].horizon "$json")" sda "an honest record: the disk is found"
	for mode in empty garbage eio closed endless nul long; do
		garbled "all but mountinfo: $mode" $mode mountinfo
		is "$(jq '[.claims[] | select(.claim == "device-read") | .findings[]
			| select(.id == "unknown-layer")] | length > 0' "$json")" true \
			"all but mountinfo: $mode: what lies below is an unknown layer"
		garbled "attributes of blocks: $mode" $mode mountinfo dev partition size
		is "$(jq '[.claims[] | select(.verdict == "trusted")] | length' "$json")" 0 \
			"attributes of blocks: $mode: nothing is trusted"
	done
	verb=fails
	for mode in empty garbage eio closed endless nul long; do
		expected=('mount table')
		garbled "a mountinfo that is $mode" $mode sys/
	done
else
	skip "a garbled machine" "it was not built: no libfuse3-dev"
fi

is "$(find "$dir" -xdev -name '.ioproof*')" "" "nothing is left in the directories"
is "$(ls -A "$dir/empty")" "" "nothing is left in the empty one"
done_testing
