#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inside podman: an overlay root, whose upper directory cannot be seen from inside, and a plain one.
# Both hide /sys/dev/block. The probe says that it is in podman and why, on the same kind of machine
# as outside, and finds the disk; and every flag that ioproof names as a remedy is tried.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command podman crun busybox jq ldd mkfs.ext4 python3 timeout unshare

dir=$(tap_dir)
root=$dir/root
json=$dir/document.json
runs=0

# A program and the libraries that it loads.
put() { # FILE...
	local file
	for file; do
		install -D "$file" "$root$file"
		ldd "$file" 2>/dev/null | grep -o '/[^ ]*' | while read -r file; do
			install -D "$file" "$root$file"
		done
	done
}

make_root() {
	local name
	mkdir -p "$root"/{bin,usr/bin,dev,etc,proc,run,srv/data,sys,tmp}
	put "$(command -v busybox)" "$(PATH=$PATH:/usr/sbin:/sbin command -v mkfs.ext4)"
	install -D "$IOPROOF" "$root/usr/bin/ioproof"
	ldd "$IOPROOF" | grep -o '/[^ ]*' | while read -r name; do
		install -D "$name" "$root$name"
	done
	for name in sh ls test touch; do
		ln -s "$(command -v busybox)" "$root/bin/$name"
	done
}

# As capture does. Everything that podman keeps is in $state, and its locks in a /dev/shm that ends with it. crun does
# without version 1 control groups; the limits are ones that need no privilege to be set.
container() { # FLAG... --rootfs ROOT COMMAND...
	runs=$((runs + 1))
	state=$dir/state.$runs
	mkdir "$state"
	capture timeout -k 10 120 unshare --mount --propagation slave sh -c '
		if [ "$(stat -f -c %T /sys/fs/cgroup)" != cgroup2fs ]; then
			while mountpoint -q /sys/fs/cgroup; do
				umount --recursive --lazy /sys/fs/cgroup || exit 1
			done
			mount -t cgroup2 cgroup2 /sys/fs/cgroup || exit 1
		fi
		mount -t tmpfs tmpfs /dev/shm || exit 1
		state=$1 && shift
		exec podman --root "$state/root" --runroot "$state/run" --tmpdir "$state/tmp" \
			--runtime crun --runtime-flag "root=$state/crun" run --rm --network none \
			--cgroups=disabled --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 "$@"
	' sh "$state" "$@"
}

nothing_left() { # NAME
	local left
	left=$(find "$state/run/overlay-containers" -mindepth 1 2>&1
		grep -F "$dir" /proc/self/mountinfo
		pgrep -a conmon | grep -F "$dir"
		find "$root" -name '#*' -o -name '.ioproof*')
	is "$left" "" "$1: nothing is left behind"
	rm -rf --one-file-system "$state"
}

# A neighbour that never rests may hide the disk, which is then not named; that is tried again. A
# wrong disk is not forgiven.
inside() { # NAME FLAG... --rootfs ROOT COMMAND...; the document is in $json
	local name=$1 try
	shift
	for try in 1 2 3; do
		container "$@"
		printf '%s\n' "$out" >"$json"
		case $try$(look '.targets[0].horizon') in
		[12]overlay | [12]loop*) rm -rf --one-file-system "$state" ;;
		*) break ;;
		esac
		echo "# $name: no disk was found, try $try; load $(cat /proc/loadavg)"
	done
	valid_document "$name: the document is valid"
	nothing_left "$name"
}

look() { # JQ-FILTER
	jq -r "$1" "$json" 2>/dev/null
}

names_container() { # NAME
	like "$(look '.environment.container[] | select(.name == "podman") | .evidence[]')" . \
		"$1: podman is named, with evidence"
	is "$(look '[.environment.virtualization[].name] | join(" ")')" "$machine" \
		"$1: the machine is the one outside"
}

finds_disk() { # NAME
	is "$(look '.targets[0].horizon')" "$disk" "$1: the disk is found" "$(look .targets[0].stack)"
	is "$(look '[.targets[0].stack[] | select(.layer == "unknown")] | length')" 0 \
		"$1: no layer is unknown"
}

# What may be held against a read here: whose bytes they were, and a cache outside a virtual machine.
device_read() { # NAME
	local flags
	flags=$(look '[.claims[] | select(.claim == "device-read") | .findings[]
		| select(.severity != "note") | .id] | unique | join(" ")')
	case "$(look '.claims[] | select(.claim == "device-read") | .verdict') $flags" in
	"trusted " | "flagged missing-privilege" | "flagged foreign-io missing-privilege" | \
		"flagged "*"read-cache-below-horizon"*)
		ok "$1: device-read is not refused; flagged for: ${flags:-nothing}"
		;;
	*)
		not_ok "$1: device-read is not refused" "$flags" "$(look .claims)" "$err"
		;;
	esac
}

probe() { # NAME ROOT DIRECTORY
	inside "$1" --rootfs "$2" ioproof probe --json - "$3"
	is "$status" 0 "$1: the probe answers"
	names_container "$1"
	finds_disk "$1"
	device_read "$1"
}

# A measurement without privileges is flagged and says how to get them. Sets $remedy.
measure_without() { # NAME ROOT
	inside "$1" --rootfs "$2" ioproof run --quick --json -
	is "$status" 3 "$1: exit status"
	remedy=$(look '.targets[0].findings[] | select(.id == "missing-privilege") | .remedy')
	like "$remedy" '--privileged, or --cap-add' "$1: the remedy names flags"
	finds_disk "$1"
}

measure_with() { # NAME ROOT FLAG...
	local name=$1 where=$2
	shift 2
	inside "$name" "$@" --rootfs "$where" ioproof run --quick --json -
	like "$status" '^[03]$' "$name: exit status"
	is "$(look '.targets[0].fixture != null')" true "$name: the filesystem is built"
	finds_disk "$name"
}

"$IOPROOF" probe --json "$json" "$dir" >/dev/null 2>&1
machine=$(look '[.environment.virtualization[].name] | join(" ")')
disk=$(look '.targets[0].horizon')
case $disk in
*+*) skip_all "$dir lies on several disks: $disk" ;;
esac

make_root
container --rootfs "$root:O" test -c /dev/null
[ "$status" = 0 ] ||
	skip_all "podman cannot run here: $(tail -n 1 <<<"$err")"
container --rootfs "$root" sh -c 'ls /sys/dev/block; touch /proc/sys/vm/swappiness 2>&1'
like "$out" '^touch:.*Read-only' "podman hides /sys/dev/block and protects /proc/sys"

for where in / /srv/data; do
	probe "overlay root, $where" "$root:O" "$where"
	is "$(look '[.targets[0].stack[] | select(.by_bytes)][0].name')" "$disk" \
		"overlay root, $where: the disk is found by its bytes"
	probe "plain root, $where" "$root" "$where"
	is "$(look '[.targets[0].stack[] | select(.by_bytes)] | length')" 0 \
		"plain root, $where: the disk is found without experiment"
done

measure_without "overlay root, no privileges" "$root:O"
measure_without "plain root, no privileges" "$root"
if [ -e /dev/loop-control ]; then
	eval "flags=(${remedy##*--privileged, or })"
	measure_with "overlay root, --privileged" "$root:O" --privileged
	measure_with "plain root, --privileged" "$root" --privileged
	measure_with "overlay root, the flags of the remedy" "$root:O" "${flags[@]}"
	measure_with "plain root, the flags of the remedy" "$root" "${flags[@]}"
else
	skip "the remedies" "no loop devices here"
fi
done_testing
