#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Lasting fixtures: up, down, list and gc; who holds one; what is not ours is not touched; two
# commands at once; and nothing left after kills at any moment and among processes that take loop
# devices. It runs in a mount namespace with a /run of its own, so that no fixture of others is met.
if [ "$(id -u)" = 0 ] && [ -z "${IOPROOF_TEST_NAMESPACE-}" ] &&
	unshare --mount --propagation unchanged true 2>/dev/null; then
	export IOPROOF_TEST_NAMESPACE=1
	# shellcheck disable=SC2016
	exec unshare --mount --propagation unchanged sh -c \
		'mount --make-rprivate / 2>/dev/null; mount -t tmpfs -o mode=755 ioproof-test /run && exec "$@"' \
		sh "$0" "$@"
fi
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
[ -n "${IOPROOF_TEST_NAMESPACE-}" ] || skip_all "no mount namespace of our own can be made here"
need command losetup mkfs.ext4 mkfs.btrfs jq python3

dir=$(tap_dir)
scratch=$dir/scratch
store=/run/ioproof
small=ext4:SIZE=16M,IMAGE=fallocated
mkdir "$scratch"

fixture() {
	timeout 120 "$IOPROOF" fixture "$@"
}

up() { # NAME SPEC...
	fixture up --scratch "$scratch" "$@"
}

listed() { # JQ-FILTER
	fixture list --json - | jq -r "$1"
}

# Whatever a fixture of this suite could have left.
left_behind() {
	local file
	for file in /sys/block/loop*/loop/backing_file; do
		[ ! -e "$file" ] || grep -H -F "$scratch" "$file" 2>/dev/null
	done
	grep -F " $store/" /proc/self/mountinfo
	ls -A "$scratch"
	ls -d "$store" 2>/dev/null
}

nothing_left() { # NAME
	settled
	is "$(left_behind)" "" "$1"
}

clear_away() {
	local mount
	while read -r mount; do
		umount "$mount"
	done < <(awk -v s="$store/" 'index($5, s) == 1 { print $5 }' /proc/self/mountinfo | tac)
	fixture gc >/dev/null 2>&1
}
at_exit clear_away

# One, and what list says of it.
capture up one "$small"
if [ "$status" != 0 ] && grep -qE 'not permitted|denied|loop-control is not there' <<<"$err"; then
	skip_all "no fixture can be built here: $err"
fi
is "$status $out" "0 $store/one/mount" "up ends with the mount point alone on stdout"
like "$(grep " $store/one/mount " /proc/self/mountinfo)" 'nosuid,nodev.* - ext4 ' "it is mounted, nosuid and nodev"
is "$(stat -c %a "$store")" 755 "the way to a fixture is open to all, and root's alone to change"
fixture list --json "$dir/list.json" >"$dir/table"
like "$(cat "$dir/table")" "^one +up +loop[0-9]+ +16 MiB +$small\$" "list shows it"
succeeds "the list is a valid document" python3 "$IOPROOF_SOURCE/tests/validate_document.py" "$dir/list.json"
is "$(jq -r '.fixtures[] | [.name, .state, .mount_point, .size_bytes] | join(" ")' "$dir/list.json")" \
	"one up $store/one/mount 16777216" "its document says the same"
loop=$(jq -r '.fixtures[0].loops[0]' "$dir/list.json")
is "$(cat "/sys/block/$loop/loop/autoclear" "/sys/block/$loop/loop/dio" | xargs)" "1 1" \
	"the loop device is direct and clears itself"
capture up one "$small"
is "$status" 1 "a name that is up is not given twice"
like "$err" "one is up .*fixture down one" "and says how to take it down"

# In use: who, and it stays.
(cd "$store/one/mount" && exec sleep 60) &
holder=$!
for ((i = 0; i < 100; i++)); do [ "$(readlink /proc/$holder/cwd)" != "$store/one/mount" ] || break; sleep 0.05; done
capture fixture down one
is "$status" 1 "a fixture in use is not taken down"
like "$err" "held by .*\(pid $holder\): working directory" "the holder is named: working directory"
kill $holder
wait $holder 2>/dev/null
sleep 60 <>"$(mktemp "$store/one/mount/XXXX")" &
holder=$!
sleep 0.1
capture fixture down one
like "$err" "\(pid $holder\): open file $store/one/mount/" "the holder is named: open file"
kill $holder
wait $holder 2>/dev/null
python3 - "$store/one/mount/mapped" <<'EOF' &
import mmap, sys, time
with open(sys.argv[1], "wb+") as file:
    file.truncate(4096)
    mapped = mmap.mmap(file.fileno(), 4096, access=mmap.ACCESS_WRITE)
    twin = mmap.mmap(-1, 4096)
time.sleep(60)
EOF
holder=$!
for ((i = 0; i < 100; i++)); do ! grep -q "$store/one/mount/mapped" /proc/$holder/maps || break; sleep 0.05; done
capture fixture down one
like "$err" "\(pid $holder\): (open|mapped) file $store/one/mount/mapped" "the holder is named: mapped file"
kill $holder
wait $holder 2>/dev/null
truncate -s 1M "$store/one/mount/inner.img"
inner=$(losetup --find --show "$store/one/mount/inner.img")
capture fixture down one
like "$err" "loop device ${inner#/dev/} over $store/one/mount/inner.img" "a loop device over a file of it is named"
losetup --detach "$inner"
dd if=/dev/zero of="$store/one/mount/swap" bs=1M count=2 status=none
chmod 600 "$store/one/mount/swap"
if mkswap -q "$store/one/mount/swap" && swapon "$store/one/mount/swap" 2>/dev/null; then
	capture fixture down one
	swapoff "$store/one/mount/swap"
	like "$err" "swap file $store/one/mount/swap" "a swap file is named"
else
	skip "a swap file is named" "no swap on a file here"
fi
mkdir "$store/one/mount/below"
mount -t tmpfs ioproof-test "$store/one/mount/below"
capture fixture down one
like "$err" "a mount on it: tmpfs on $store/one/mount/below" "a mount below it is named"
umount "$store/one/mount/below"
is "$(listed '.fixtures[0].state')" up "and it is still up"

# What somebody else mounted there is not ours.
mount -t tmpfs ioproof-test "$store/one/mount"
is "$(listed '.fixtures[0] | .state + ": " + .reason')" \
	"foreign: tmpfs on ioproof-test is mounted there, not the fixture" "a foreign mount is seen"
capture fixture down one
is "$status" 1 "down refuses a foreign mount"
capture fixture gc
is "$(grep -c " $store/one/mount " /proc/self/mountinfo)" 2 "and neither down nor gc touched it"
umount "$store/one/mount"
# Nor is the same kind of filesystem from elsewhere.
truncate -s 16M "$dir/other.img"
mkfs.ext4 -q -L ioproof "$dir/other.img"
mount -o loop "$dir/other.img" "$store/one/mount"
capture fixture down one
is "$status" 1 "down refuses another ext4 of the same label"
umount "$store/one/mount"
succeeds "without them it goes" fixture down one
nothing_left "down leaves nothing"
capture fixture down one
is "$status" 1 "a name that is not there cannot go down"
like "$err" "no fixture" "and says so"

# Several at once, of every kind; the btrfs over two devices.
capture up a "$small" b btrfs:SIZE=128M,IMAGE=sparse,+C c btrfs:SIZE=128M,DEVICES=2,IMAGE=sparse
is "$status" 0 "three are built by one command"
is "$(listed '[.fixtures[] | .state] | join(" ")')" "up up up" "all are up"
is "$(listed '.fixtures[2].loops | length')" 2 "the last one has two devices"
like "$(lsattr -d "$store/b/mount")" '^-*C' "+C is on the work directory"
like "$(grep " $store/c/mount " /proc/self/mountinfo)" ' btrfs /dev/loop' "btrfs shows a device that leads somewhere"
capture up d "$small" a "$small"
is "$status" 1 "when one of several cannot be, none is"
is "$(listed '[.fixtures[].name] | join(" ")')" "a b c" "the other's name is given back"
succeeds "one command takes all down" fixture down a b c
nothing_left "three downs leave nothing"

# Unmounted by hand, or AUTOCLEAR taken away: gc.
up hand "$small" >/dev/null
umount "$store/hand/mount"
is "$(listed '.fixtures[0].state')" dead "unmounted by hand it is dead"
capture fixture gc
like "$out" "hand: removed what was left" "gc says what it removed"
nothing_left "gc leaves nothing"
take_autoclear() { # DEVICE
	python3 - "$1" <<'EOF'
import fcntl, sys
LOOP_SET_STATUS64, LOOP_GET_STATUS64, AUTOCLEAR = 0x4C04, 0x4C05, 4
with open(sys.argv[1], "rb") as device:
    info = bytearray(232)
    fcntl.ioctl(device, LOOP_GET_STATUS64, info)
    info[52] &= ~AUTOCLEAR
    fcntl.ioctl(device, LOOP_SET_STATUS64, bytes(info))
EOF
}
for way in gc down; do
	up stay "$small" >/dev/null
	loop=$(listed '.fixtures[0].loops[0]')
	take_autoclear "/dev/$loop"
	is "$(cat "/sys/block/$loop/loop/autoclear")" 0 "$way: the loop device has lost AUTOCLEAR"
	if [ $way = gc ]; then
		umount "$store/stay/mount"
		capture fixture gc
		like "$out" "detached /dev/$loop" "gc detaches it"
	else
		capture fixture down stay
	fi
	nothing_left "$way: a loop device that would have stayed is gone"
done
# A loop device over the very inode that was noted, but with another filesystem, is not ours.
up stay "$small" >/dev/null
loop=$(listed '.fixtures[0].loops[0]')
take_autoclear "/dev/$loop"
umount "$store/stay/mount"
mkfs.ext4 -q -F -L ioproof "/dev/$loop"
timeout 60 "$IOPROOF" fixture gc >/dev/null 2>&1
is "$(grep -csF "$scratch" "/sys/block/$loop/loop/backing_file")" 1 \
	"a loop device with another filesystem on it is not detached"
losetup -d "/dev/$loop"
nothing_left "and goes by losetup"

# Nor is one that a forged note names in every detail: it does not carry our mark.
up forged "$small" >/dev/null
umount "$store/forged/mount"
truncate -s 16M "$dir/others-image"
mkfs.ext4 -q -L ioproof "$dir/others-image"
loop=$(losetup --find --show "$dir/others-image")
jq --arg uuid "$(blkid -p -s UUID -o value "$loop")" --arg name "${loop#/dev/}" \
	--argjson number "$((16#$(stat -c %t "$loop") * 256 + 16#$(stat -c %T "$loop")))" \
	--argjson device "$(stat -c %d "$dir/others-image")" \
	--argjson inode "$(stat -c %i "$dir/others-image")" \
	'.uuid = $uuid | .loops[0] = {name: $name, device: $number, image_device: $device, image_inode: $inode}' \
	"$store/forged/state.json" >"$dir/forged.json"
cat "$dir/forged.json" >"$store/forged/state.json"
timeout 60 "$IOPROOF" fixture gc >/dev/null 2>&1
is "$(losetup --noheadings --output BACK-FILE "$loop")" "$dir/others-image" \
	"a loop device of others that a forged note names is not detached"
losetup -d "$loop"
rm "$dir/others-image"
nothing_left "the forged note is gone"

# A directory of it bound to another place keeps the loop device, and is named.
up bound "$small" >/dev/null
mkdir "$dir/bound"
mount --bind "$store/bound/mount" "$dir/bound"
capture fixture down bound
like "$err" "goes when its last user does: it is mounted on $dir/bound too: umount $dir/bound" "a bind mount is named"
umount "$dir/bound"
nothing_left "with it the loop device goes as well"

# A copy of the mount in a namespace that somebody made meanwhile goes with the mount point.
up copy "$small" >/dev/null
"${own_mounts[@]}" sleep 60 &
holder=$!
sleep 0.2
capture fixture down copy
is "$status" 0 "a copy in another mount namespace does not keep it up"
nothing_left "nor its loop device"
kill $holder
wait $holder 2>/dev/null

# A process there that uses it keeps the loop device, and is named.
up copy "$small" >/dev/null
"${own_mounts[@]}" sh -c "cd $store/copy/mount && exec sleep 60" &
holder=$!
for ((i = 0; i < 100; i++)); do [ "$(cat /proc/$holder/comm)" != sleep ] || break; sleep 0.05; done
capture fixture down copy
is "$status" 0 "a process in another mount namespace does not keep the mount here"
like "$err" "/dev/loop[0-9]+ goes when its last user does: sleep \(pid $holder\): working directory" \
	"but the loop device, and is named"
kill $holder
wait $holder 2>/dev/null
nothing_left "with it the loop device goes"

# Two of the same name at once: one wins.
for i in 1 2 3; do
	up twin "$small" >"$dir/1" 2>"$dir/e1" &
	first=$!
	up twin "$small" >"$dir/2" 2>"$dir/e2" &
	second=$!
	wait $first
	one=$?
	wait $second
	two=$?
	is "$((one + two))" 1 "$i: of two that want one name exactly one gets it"
	like "$(cat "$dir/e1" "$dir/e2")" "twin(: another command works on it: .*pid| is up)" "$i: the other is told why"
	fixture down twin
done
nothing_left "nothing is left of them"

# Two btrfs of one UUID: the kernel refuses the second, or makes up another UUID for it.
spec='btrfs:SIZE=120M,IMAGE=sparse,MKFS="-U 6fb2d8a1-6c1d-4b6b-9a39-0123456789ab"'
capture up same "$spec" other "$spec"
is "$status" 1 "two btrfs of one UUID are not put up"
ls -A /run >"$dir/run"
capture up same "$spec"
is "$status" 0 "one of them is"
fixture down same
nothing_left "and goes"
is "$(ls -A /run)" "$(cat "$dir/run")" "mkfs.btrfs leaves no cache of devices in /run"

# What fails or is interrupted gives back what it had.
capture up big ext4:SIZE=1000T
is "$status" 1 "an image that cannot be is refused"
nothing_left "and leaves no note"
exec 3< <(exec "$IOPROOF" fixture up --progress=plain --scratch "$scratch" cut ext4:SIZE=256M 2>&1)
cut=$!
read -r -u 3
kill -INT $cut
wait $cut
is $? 1 "an interrupted up fails"
exec 3<&-
nothing_left "and leaves nothing"

# Names and directories that lead elsewhere.
for name in ../x .x -x 'a b' 'a/b' "$(printf '%65s' '' | tr ' ' x)" '' $'a\nb'; do
	capture up -- "$name" "$small"
	is "$status" 2 "the name $(printf %q "${name:0:20}") is refused"
done
mkdir "$dir/elsewhere"
ln -s "$dir/elsewhere" "$store"
capture up one "$small"
is "$status" 1 "a link in place of $store is refused"
like "$err" "is not a directory \(a link\?\)" "and says so"
capture fixture gc
is "$status" 1 "by gc as well"
is "$(ls -A "$dir/elsewhere")" "" "and nothing was made where it leads"
rm "$store"
mkdir -m 777 "$store"
capture up one "$small"
like "$err" "not ours" "a directory that others may write to is refused"
chmod 755 "$store"
ln -s "$dir/elsewhere" "$store/one"
capture up one "$small"
is "$status $(ls -A "$dir/elsewhere")" "1 " "a link in place of the fixture's directory is refused"
rm "$store/one"
mkdir "$store/one"
printf '{"schema": "ioproof.lasting/1", "spec": 5}' >"$store/one/state.json"
is "$(listed '.fixtures[0] | .state')" foreign "a note that we did not write is foreign"
capture fixture gc
is "$(cat "$store/one/state.json")" '{"schema": "ioproof.lasting/1", "spec": 5}' "and gc leaves it"
rm -r "$store"

# Kills: of up and of down, at random moments.
pause() { # MICROSECONDS
	local us=$(((RANDOM * 32768 + RANDOM) % $1))
	sleep "0.$(printf '%06d' "$us")"
}
kill_at_random() { # MICROSECONDS COMMAND...
	"${@:2}" >/dev/null 2>&1 &
	local pid=$!
	pause "$1"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	[ $? != 137 ] || killed=$((killed + 1))
}
kills=30
[ -z "${IOPROOF_LONG-}" ] || kills=300
killed=0 dirty=0 states=()
start=${EPOCHREALTIME/./}
"$IOPROOF" fixture up --scratch "$scratch" k1 "$small" k2 "$small" >/dev/null
length=$((${EPOCHREALTIME/./} - start))
fixture down k1 k2
for ((n = 0; killed < kills && n < 5 * kills; n++)); do
	kill_at_random "$((length * 9 / 8))" "$IOPROOF" fixture up --scratch "$scratch" k1 "$small" k2 "$small"
	[ $((n % 2)) = 0 ] || kill_at_random 40000 "$IOPROOF" fixture down k1 k2
	states+=("$(listed '[.fixtures[].state] | join(",")')")
	fixture gc >/dev/null 2>"$dir/gc" || { dirty=$((dirty + 1)); sed 's/^/# gc: /' "$dir/gc"; }
	mapfile -t still < <(listed '.fixtures[] | select(.state == "up") | .name')
	[ ${#still[@]} = 0 ] || fixture down "${still[@]}"
	settled && continue
	dirty=$((dirty + 1))
	echo "# after kill $killed:"
	left_behind | sed 's/^/#   /'
	clear_away
done
printf '%s\n' "${states[@]}" | sort | uniq -c | sed 's/^ */# states before gc: /'
is "$dirty" 0 "$killed kills and gc leave no loop device, mount, file or note"
holds "$killed >= kills" "as many kills as asked"

# Ups and downs by eight processes, beside one that takes loop devices and gives them back.
rounds=3
[ -z "${IOPROOF_LONG-}" ] || rounds=25
truncate -s 1M "$dir/others.img"
(
	while kill -0 $$ 2>/dev/null; do # no longer than this test
		taken=$(losetup --find --show "$dir/others.img" 2>/dev/null) || continue
		losetup --detach "$taken" 2>/dev/null
	done
) &
hostile=$!
ups_and_downs() { # NUMBER
	local n
	for ((n = 0; n < rounds; n++)); do
		up "p$1" "$small" >/dev/null && fixture down "p$1" || echo "process $1, round $n: failed"
		[ $((n % 4)) != 1 ] || fixture gc >/dev/null
	done
}
workers=()
for ((w = 0; w < 8; w++)); do
	ups_and_downs $w >"$dir/worker$w" 2>&1 &
	workers+=($!)
done
wait "${workers[@]}"
kill $hostile
wait $hostile 2>/dev/null
layer_loops_detach "$dir/others.img"
is "$(cat "$dir"/worker?)" "" "$((8 * rounds)) ups and downs by eight processes, beside others who take loop devices"
nothing_left "nothing is left of them all"
done_testing
