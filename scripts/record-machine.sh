#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Records this machine, as this process sees it, for tests/machines:
#
#   scripts/record-machine.sh DIR [PATH]
#
# DIR is made; PATH (default: /) becomes the record's question. Only the files named below are read,
# and all that goes into the record passes scripts/record-redact.awk, which replaces host names,
# users, addresses, identifiers and names of people's own directories, each by the same word
# wherever it stands. Read the result before you publish it. Needs no root, sh and awk (busybox's
# will do).
set -eu
export LC_ALL=C

die() {
	printf 'record-machine: %s\n' "$1" >&2
	exit 1
}

[ $# = 1 ] || [ $# = 2 ] || die "usage: record-machine.sh DIR [PATH]"
out=$1 path=${2:-/}
[ ! -e "$out" ] || die "$out exists already"
redact=$(dirname "$0")/record-redact.awk
[ -r "$redact" ] || die "$redact is missing"
umask 077
raw=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
trap 'rm -rf "$raw"' EXIT
trap 'exit 1' HUP INT TERM

# One regular file, at most 1 MiB of it; what cannot be read is not there.
take() { # FILE...
	for file; do
		[ -f "/$file" ] || continue
		mkdir -p "$raw/$(dirname "$file")"
		head -c 1048576 "/$file" 2>/dev/null | tr '\000' '\n' >"$raw/$file" || true
	done
}

# An attribute that is there and empty is recorded as such, one that gives an error is not.
take_attributes() { # DIRECTORY NAME...
	directory=$1
	shift
	for name; do
		[ ! -r "/$directory/$name" ] || take "$directory/$name"
	done
}

link() { # TARGET LINK
	mkdir -p "$raw/$(dirname "$2")"
	ln -sf "$1" "$raw/$2"
}

take_link() { # LINK
	target=$(readlink "/$1") || return 0
	link "$target" "$1"
}

take_process() {
	take proc/self/mountinfo proc/self/cgroup proc/1/cgroup proc/self/status proc/self/uid_map
	for name in pid uts ipc; do
		take_link "proc/self/ns/$name"
	done
	tracer=$(sed -n 's/^TracerPid:[[:space:]]*\([1-9][0-9]*\)$/\1/p' /proc/self/status)
	[ -z "$tracer" ] || take "proc/$tracer/comm"
	# Of an environment only this one variable.
	if variable=$(tr '\000' '\n' 2>/dev/null </proc/1/environ | grep '^container='); then
		mkdir -p "$raw/proc/1"
		printf '%s\n' "$variable" >"$raw/proc/1/environ"
	fi
	take .dockerenv run/.containerenv run/.toolboxenv .flatpak-info proc/vz/version \
		proc/bc/resources
	take run/systemd/container run/host/container-manager
}

take_machine() {
	take proc/cpuinfo proc/version proc/cmdline proc/meminfo proc/stat proc/pressure/io \
		proc/pressure/memory proc/pressure/cpu proc/sysinfo proc/xen/capabilities \
		proc/sys/kernel/osrelease
	take_attributes proc/sys/vm dirty_ratio dirty_bytes dirty_background_ratio \
		dirty_background_bytes
	take_attributes sys/class/dmi/id sys_vendor product_name product_version board_vendor \
		board_name bios_vendor bios_version chassis_asset_tag
	take_attributes sys/hypervisor type uuid guest_type properties/features
	for tree in sys/firmware/devicetree/base proc/device-tree; do
		take_attributes "$tree" compatible model hypervisor/compatible ibm,partition-name \
			chosen/qemu,graphic-width
		for node in "/$tree"/fw-cfg@*; do
			take_attributes "${node#/}" compatible
		done
	done
	take_attributes sys/devices/system/clocksource/clocksource0 current_clocksource \
		available_clocksource
	take_attributes sys/devices/system/cpu/cpu0/cpufreq scaling_governor
	for device in /sys/bus/acpi/devices/*; do
		case ${device##*/} in
		ACPI0013:* | AMZN* | FCVMGID:* | QEMU* | VMBUS:* | VMGENCTR:*) ;;
		*) continue ;;
		esac
		take "${device#/}/hid"
	done
	for clock in /sys/class/ptp/*; do
		take_attributes "${clock#/}" clock_name
	done
	for function in /sys/bus/pci/devices/*; do
		case $(cat "$function/vendor" 2>/dev/null) in
		# Makers of virtual devices.
		0x106b | 0x1234 | 0x1414 | 0x15ad | 0x1ab8 | 0x1b36 | 0x5853 | 0x80ee)
			take_attributes "${function#/}" vendor device
			;;
		esac
	done
}

# The group that we are in and those above it, as far as they are mounted here.
take_groups() { # MOUNT-POINT PATH ATTRIBUTE...
	point=$1 group=$2
	shift 2
	[ -d "/$point$group" ] || group=
	while :; do
		take_attributes "$point$group" "$@"
		case $group in ?*/*) group=${group%/*} ;; *) break ;; esac
	done
	take_attributes "$point" "$@"
}

take_limits() {
	while IFS=: read -r _ controllers group; do
		[ "$group" != / ] || group=
		case ,$controllers, in
		,,)
			for point in sys/fs/cgroup sys/fs/cgroup/unified; do
				take_groups "$point" "$group" cgroup.controllers memory.max \
					memory.high memory.current cpu.max cpu.stat io.max
			done
			;;
		*,memory,*)
			take_groups sys/fs/cgroup/memory "$group" memory.limit_in_bytes \
				memory.usage_in_bytes
			;;
		*,cpu,*)
			for point in sys/fs/cgroup/cpu sys/fs/cgroup/cpu,cpuacct; do
				take_groups "$point" "$group" cpu.cfs_quota_us cpu.cfs_period_us \
					cpu.stat
			done
			;;
		*,blkio,*)
			take_groups sys/fs/cgroup/blkio "$group" blkio.throttle.read_bps_device \
				blkio.throttle.write_bps_device blkio.throttle.read_iops_device \
				blkio.throttle.write_iops_device
			;;
		esac
	done </proc/self/cgroup
}

# /sys/block/X is a link into /sys/devices; in a record it is a directory.
take_block() { # NAME
	block=sys/block/$1
	take_attributes "$block" dev size ro removable cache_type backing_dev_info
	take_attributes "$block/queue" rotational write_cache fua iostats scheduler zoned \
		logical_block_size physical_block_size read_ahead_kb max_sectors_kb nr_requests \
		discard_granularity discard_max_bytes wbt_lat_usec dax
	take_attributes "$block/device" model vendor type
	take_attributes "$block/loop" backing_file offset sizelimit autoclear partscan dio
	take_attributes "$block/dm" name uuid
	take_attributes "$block/md" level raid_disks array_state metadata_version
	if target=$(readlink "/$block/device/driver"); then
		link "$target" "$block/device/driver"
	fi
	for slave in "/$block"/slaves/*; do
		[ ! -e "$slave" ] || link "../../${slave##*/}" "$block/slaves/${slave##*/}"
	done
	for part in "/$block/$1"*; do
		[ -f "$part/partition" ] || continue
		take_attributes "${part#/}" dev partition size start ro
	done
}

# The numbers that lead to it, where this process can see them.
take_numbers() {
	for file in "$raw"/sys/block/*/dev "$raw"/sys/block/*/*/dev; do
		[ -f "$file" ] || continue
		directory=${file#"$raw/sys/block/"}
		directory=${directory%/dev}
		number=$(cat "$file")
		[ ! -e "/sys/dev/block/$number" ] ||
			link "../../block/$directory" "sys/dev/block/$number"
		[ ! -e "/sys/class/block/${directory##*/}" ] ||
			link "../../block/$directory" "sys/class/block/${directory##*/}"
	done
}

take_disks() {
	for block in /sys/block/*; do
		name=${block##*/}
		case $name in
		ram*) continue ;;
		loop*) [ -e "$block/loop/backing_file" ] || continue ;;
		esac
		[ ! -e "$block/dev" ] || take_block "$name"
	done
	take_numbers
	for uuid in /sys/fs/btrfs/*-*; do
		[ -d "$uuid/devices" ] || continue
		for device in "$uuid"/devices/*; do
			[ ! -e "$device" ] ||
				link "../../../../block/${device##*/}" "${device#/}"
		done
	done
}

take_process
take_machine
[ ! -r /proc/self/cgroup ] || take_limits
take_disks

mkdir -p "$out"
(
	cd "$raw"
	find . -type f | sed 's|^\./||; s|^|f |' | sort
	find . -type l | sed 's|^\./||' | sort | while IFS= read -r name; do
		printf 'l %s %s\n' "$name" "$(readlink "$name")"
	done
) | awk -f "$redact" -v raw="$raw" -v host="$(uname -n)" -v path="$path" >"$raw.list"
mv "$raw.list" "$raw/list"

# The redacted names come back: "f FROM TO", "l LINK TARGET", "q PATH".
question=/ files=
while read -r kind one two; do
	case $kind in
	f)
		mkdir -p "$out/$(dirname "$two")"
		cp "$raw/$one" "$out/$two"
		files="$files${files:+,}
  \"$two\""
		;;
	l)
		mkdir -p "$out/$(dirname "$one")"
		ln -s "$two" "$out/$one"
		;;
	q) question=$one ;;
	esac
done <"$raw/list"
chmod -R u=rwX,go=rX "$out"

cat >"$out/about.json" <<END
{
 "name": "$(basename "$out")",
 "source": "recorded by scripts/record-machine.sh, private details replaced",
 "real_files": [$files
 ],
 "partly_real_files": {},
 "composed_files": [],
 "query_path": "$question",
 "expect": {
  "filesystem_type": "",
  "mount_id": 0,
  "layers": [],
  "virtualization": [],
  "container": [],
  "contradictions": []
 }
}
END
printf 'record-machine: %s is written. Read it, then say in about.json what is expected.\n' "$out" >&2
printf 'record-machine: ask it: ioproof probe --sysroot %s %s (%s, by its name in the record)\n' \
	"$out" "$question" "$path" >&2
