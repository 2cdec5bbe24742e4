#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Wrong words and poor ground: one line on stderr that names the thing, the right exit status,
# nothing left behind.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command losetup

dir=$(tap_dir)
mkdir "$dir/empty"
printf 'mine' >"$dir/file"

fails() { # NAME STATUS REGEX ARGUMENT...
	local name=$1 wanted=$2 regex=$3
	shift 3
	capture "$IOPROOF" "$@"
	is "$status" "$wanted" "$name: exit status $wanted"
	like "$err" "$regex" "$name: the line names it"
	is "$(grep -c '^ioproof: ' <<<"$err")" 1 "$name: one line"
}

fails "unknown command" 2 'ioproof: mesure: no such command' mesure
fails "unknown workload" 2 'read-pth: no such workload' run read-pth
fails "unknown parameter" 2 'no parameter "siz"' run read-path:siz=1M
fails "a size that does not parse" 2 'size=1Z: not a size' run read-path:size=1Z
fails "a size of nothing" 2 'size=0' run read-path:size=0
fails "a block of odd size" 2 'bs=1000' run read-path:bs=1000
fails "a size that fits nowhere" 2 'does not fit' run read-path:size=8000000T
fails "rounds of nothing" 2 '--rounds=0' run --rounds 0
fails "a seed that is none" 2 '--seed=x' run --seed x
fails "unknown filesystem" 2 'zzfs' run --fs zzfs
fails "an option of another filesystem" 2 'nodatacow.*btrfs' run --fs ext4:nodatacow
fails "an unknown key" 2 'SIZE' run --fs ext4:SIIZE=1G
fails "an image below the data" 2 'smaller than the data' run --fs ext4:SIZE=64M read-path:size=256M
fails "file= with --on" 2 'file=' run --on "$dir" "read-path:file=$dir/file"
fails "a missing directory" 1 "$dir/none: No such file" run --on "$dir/none"
fails "a file for a directory" 1 "$dir/file: not a directory" run --on "$dir/file"
fails "a file for a scratch" 1 "$dir/file: not a directory" run --scratch "$dir/file"
fails "a missing file" 1 "$dir/none: No such file" run "read-path:file=$dir/none"
fails "a file below one block" 1 'less than one block' run "read-path:file=$dir/file"
fails "a device for a file" 1 'not a regular file' run read-path:file=/dev/null
fails "a document that cannot be written" 1 "$dir/none/x: No such file" run --on "$dir/empty" \
	--json "$dir/none/x"
mkfifo "$dir/fifo"
fails "a FIFO for a file" 1 'not a regular file' run "read-path:file=$dir/fifo"
ln -s loop "$dir/loop"
fails "a looping link" 1 'Too many levels' run --on "$dir/loop"

mkdir "$dir/small" "$dir/ro"
mount -t tmpfs -o size=8M ioproof-test "$dir/small"
at_exit umount "$dir/small"
fails "a directory too small" 1 'do not fit, .* are free' run --on "$dir/small" read-path:size=64M
fails "a scratch too small" 1 'free' run --scratch "$dir/small"
mount -t tmpfs -o ro ioproof-test "$dir/ro"
at_exit umount "$dir/ro"
fails "a read-only directory" 1 'read-only' run --on "$dir/ro"
fails "a read-only scratch" 1 'ead-only' run --scratch "$dir/ro"

hostile=$dir/$'a\nb\e[31m\xff c'
mkdir "$hostile"
capture "$IOPROOF" run --quick --on "$hostile" --rounds 1 --json "$dir/hostile.json" read-path:size=1M,bs=4k
like "$status" '^[034]$' "a hostile directory name is measured"
is "$(printf '%s%s' "$out" "$err" | tr -d '[:print:]\n\t' | LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\xff]')" 0 \
	"a hostile name does not reach the terminal"
json=$dir/hostile.json
valid_document "a hostile name is valid JSON"

# In a mount namespace where something is missing below DIR.
without() { # NAME REGEX DIR COMMAND RUN-ARGUMENT...
	local name=$1 regex=$2 below=$3 command=$4
	shift 4
	json=$dir/without.json
	capture layer_isolated "$below" sh -c "$command"' && exec "$0" "$@"' "$IOPROOF" run \
		--rounds 1 --json "$json" "$@" read-path:size=4M,bs=64k
	is "$status" 3 "$name: measured and flagged"
	like "$out$err" "$regex" "$name: says what is missing"
	valid_document "$name: the document is valid"
}
without "no loop-control" 'loop-control' /dev 'mount --bind /dev/null /dev/loop-control' \
	--scratch "$dir/empty"
without "no /dev at all" 'loop' /dev 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3' \
	--scratch "$dir/empty"
without "/sys masked" 'witness-unavailable|unknown' /sys 'mount -t tmpfs none /sys' \
	--on "$dir/empty"

# What is printed and does not arrive.
# shellcheck disable=SC2054
small=(--scratch "$dir/empty" --rounds 1 --fs ext4:SIZE=64M read-path:size=1M,bs=64k)
lost() { # NAME ARGUMENT...
	local name=$1
	shift
	capture bash -c '"$@" >/dev/full' - "$IOPROOF" "$@"
	is "$status" 1 "$name to a full disk: exit status 1"
	like "$err" '^ioproof: .*(No space left|not everything could be written)' "$name to a full disk: says so"
}
lost "a run" run --on "$dir/empty" --rounds 1 read-path:size=1M
lost "a document" run --on "$dir/empty" --rounds 1 --json - read-path:size=1M
lost "a probe" probe --passive "$dir/empty"
lost "a list" list findings
lost "the help" run --help
capture bash -c '"$0" list findings | true; exit "${PIPESTATUS[0]}"' "$IOPROOF"
is "$err" "" "a reader that left is no error to talk about"

fails "an option with an escape" 2 'no option --.x1b.31m' run $'--\e[31m'
is "$(grep -c $'\e' <<<"$err")" 0 "an option with an escape: it does not reach the terminal"
fails "an option without its value" 2 '--json needs a value' run --json
fails "a value too many" 2 'takes no value' run --quick=1

# A run that fails leaves no document, and one of the user's as it was.
fails "an option that the kernel refuses" 1 'no mount option' run --json "$dir/new.json" \
	--scratch "$dir/empty" --fs ext4:SIZE=64M,nonsense read-path:size=1M
succeeds "no empty document is left" test ! -e "$dir/new.json"
printf 'mine' >"$dir/old.json"
capture "$IOPROOF" run --json "$dir/old.json" --scratch "$dir/empty" --fs ext4:SIZE=64M,nonsense \
	read-path:size=1M
is "$(cat "$dir/old.json")" mine "a document that was there is left as it was"

# What a parent may have set for us.
inherits() { # NAME COMMAND: before our exec, in bash
	capture bash -c "$2"'; exec "$@"' - "$IOPROOF" run "${small[@]}"
	is "$status" 3 "$1: measured (flagged for its one round)" "$err"
}
inherits "SIGCHLD ignored" 'trap "" CHLD'
inherits "a umask of 777" 'umask 777'
inherits "a small file descriptor table" 'ulimit -n 32'
inherits "no PATH" 'export PATH='
inherits "variables of e2fsprogs" 'export MKE2FS_CONFIG=/dev/null MKE2FS_DEVICE_SECTSIZE=8192 \
	UNIX_IO_FORCE_BOUNCE=1 E2FSPROGS_FAKE_TIME=1'
capture bash -c 'ulimit -n 9; exec "$@"' - "$IOPROOF" run "${small[@]}"
is "$status" 1 "too few descriptors: exit status 1"
like "$err" 'Too many open files$' "too few descriptors: no other remedy is named"
capture bash -c 'ulimit -v 500000; exec "$@"' - "$IOPROOF" run --on "$dir/empty" --rounds 1 \
	read-path:size=1G,bs=1G
if [ "${ASAN_OPTIONS-}" ] && ldd "$IOPROOF" | grep -q asan; then
	skip "no memory for a block" "an address sanitizer needs more than the limit"
else
	is "$status" 1 "no memory for a block: exit status 1"
	like "$err" 'no memory for blocks.*lower bs=' "no memory for a block: says so"
fi

# A scratch directory that holds what the run needs.
for place in "$(dirname "$(command -v mkfs.ext4)")" /usr /dev; do
	capture "$IOPROOF" run --quick --scratch "$place" --rounds 1 --fs ext4:SIZE=64M read-path:size=1M
	like "$status" '^[34]$' "the scratch directory $place is measured"
done

# As a stranger, who may not look into the directory that the program was built in.
chmod 777 "$dir" "$dir/empty"
install -m 755 "$IOPROOF" "$dir/ioproof"
IOPROOF=$dir/ioproof
stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups)
# The checkout may lie where only root may look.
install -m 755 "$IOPROOF" "$dir/ioproof"
capture "${stranger[@]}" bash -c 'umask 777; exec "$@"' - "$dir/ioproof" run --on "$dir/empty" \
	--rounds 1 read-path:size=1M
is "$status" 3 "a stranger's umask of 777: nothing is refused"
dd if=/dev/urandom of="$dir/roots" bs=1M count=4 status=none
chmod 644 "$dir/roots"
if "${stranger[@]}" unshare --user --map-root-user true 2>/dev/null; then
	capture "${stranger[@]}" unshare --user --map-root-user --mount "$dir/ioproof" run --rounds 6 \
		"read-path:bs=64k,file=$dir/roots"
	is "$status" 3 "root's file in a user namespace: what cannot be asked is flagged, not refused"
	like "$out" 'whether the file was in the page cache' "root's file in a user namespace: says what"
else
	skip "root's file in a user namespace" "no user namespaces here"
fi

is "$(ls -A "$dir/empty")" "" "nothing is left in the directories"
is "$(cat "$dir/file")" "mine" "a user's file is untouched"
done_testing
