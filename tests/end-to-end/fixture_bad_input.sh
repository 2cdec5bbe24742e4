#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Fixtures on machines that lack something, run out of something, or change under the work.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command losetup mkfs.ext4 unshare

dir=$(tap_dir)
mkdir "$dir/scratch"

build() { # COMMAND-PREFIX... -- OPTION...
	local prefix=()
	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	shift
	capture timeout 60 "${prefix[@]}" "$IOPROOF" run --quick --rounds 1 --scratch "$dir/scratch" "$@" \
		read-path:size=8M
}
fails() { # REGEX NAME
	is "$status" 1 "$2: the run fails"
	like "$err" "$1" "$2: the thing and the remedy are named"
	is "$(wc -l <<<"$err")" 1 "$2: in one line"
	is "$(ls -A "$dir/scratch")" "" "$2: nothing is left"
}
# A /dev of our own, in a namespace of our own: what is wanted in it, and then the command.
mkdir "$dir/dev"
# shellcheck disable=SC2016
in_dev=(env "NEW=$dir/dev" "${own_mounts[@]}" sh -c 'mount -t tmpfs -o mode=755 ioproof-test "$NEW" &&
	cd "$NEW" && mknod null c 1 3 && mknod urandom c 1 9 && mknod zero c 1 5 && eval "$DEVICES" &&
	cd / && mount --move "$NEW" /dev && exec "$@"' sh)

build env DEVICES=true "${in_dev[@]}" -- --fs ext4:SIZE=32M
fails 'loop-control.*(modprobe loop|--device)' "no loop-control"
build env DEVICES='touch loop-control' "${in_dev[@]}" -- --fs ext4:SIZE=32M
fails 'loop-control' "a loop-control that is an ordinary file"
build env DEVICES='mknod loop-control c 10 237' "${in_dev[@]}" -- --fs ext4:SIZE=32M
like "$status" '^[034]$' "no node of the loop device in /dev: one of our own is made" "$err"
build env DEVICES='mknod loop-control c 10 237; for i in 0 1 2 3 4 5 6 7 8 9; do touch loop$i; done' \
	"${in_dev[@]}" -- --fs ext4:SIZE=32M
like "$status" '^[034]$' "ordinary files where the nodes should be: one of our own is made" "$err"

mkdir "$dir/bin"
ln -s "$(command -v env)" "$dir/bin/env"
build "${own_mounts[@]}" sh -c "mount --bind $dir/bin /usr/sbin && mount --bind $dir/bin /sbin && exec \"\$@\"" sh \
	env "PATH=$dir/bin" -- --fs ext4:SIZE=32M
if [ -n "$(PATH=/usr/bin:/bin command -v mkfs.ext4)" ]; then
	skip "no mkfs.ext4" "this machine has it in /usr/bin"
else
	fails 'mkfs.ext4.*e2fsprogs' "no mkfs.ext4"
fi

# --- no room
layer_filesystem "$dir/small" ext4 on 64
build -- --scratch "$dir/small" --fs ext4:SIZE=60M
fails 'are free.*--force' "an image of more than its share of the free space"
build -- --scratch "$dir/small" --fs ext4:SIZE=16M --fs ext4:SIZE=16M,LABEL=b --fs ext4:SIZE=20M
fails 'are free' "three images that fit one by one only"
available=$(($(stat -f -c '%a * %S' "$dir/small") / 4096 * 4096))
build -- --force --scratch "$dir/small" --fs "ext4:SIZE=$available"
# Whether the last block can be had is the filesystem's affair; a signal or a hang is not.
if [ "$status" = 1 ]; then
	fails 'cannot be reserved|are free' "an image of all that is free, forced"
else
	like "$status" '^[034]$' "an image of all that is free, forced: it fits" "$err"
fi
is "$(ls -A "$dir/small")" "lost+found" "nothing is left on the full filesystem"

# --- the scratch directory changes
mkdir "$dir/real"
ln -s real "$dir/link"
build -- --scratch "$dir/link" --fs ext4:SIZE=32M
like "$status" '^[034]$' "a scratch directory behind a link" "$err"
"$IOPROOF" run --quick --rounds 1 --scratch "$dir/real" --fs ext4:SIZE=512M --progress=plain read-path:size=8M \
	>"$dir/out" 2>"$dir/err" &
run=$!
for ((i = 0; i < 200; i++)); do
	grep -q image "$dir/err" && break
	sleep 0.02
done
mv "$dir/real" "$dir/moved"
mkdir "$dir/real"
wait "$run"
like $? '^[034]$' "a scratch directory that is replaced meanwhile" "$(cat "$dir/err")"
is "$(find "$dir/real" "$dir/moved" -mindepth 1)" "" "the image went to neither name"

# --- eight others take and leave loop devices all the time
truncate -s 1M "$dir/others.img"
others=()
for ((i = 0; i < 8; i++)); do
	(
		while kill -0 $$ 2>/dev/null; do # no longer than this test
			d=$(losetup --find --show "$dir/others.img" 2>/dev/null) && losetup --detach "$d"
		done
	) &
	others+=("$!")
done
good=0
for ((i = 0; i < 4; i++)); do
	build -- --fs ext4:SIZE=32M,IMAGE=fallocated --fs ext4:SIZE=32M,IMAGE=sparse
	[[ $status =~ ^[034]$ ]] && good=$((good + 1))
done
kill "${others[@]}"
wait "${others[@]}" 2>/dev/null
is "$good" 4 "fixtures are built while eight others attach and detach loop devices" "$err"
layer_loops_detach "$dir/others.img"

done_testing
