# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Real layers for shell tests: after tap.sh, which undoes them. Nothing here is ioproof's own.

# An image in a file that is really written, so that no hole answers a read.
layer_image() { # FILE MIB
	dd if=/dev/urandom of="$1" bs=1M count="$2" conv=fsync status=none
}

# Prints the loop device over a file, which is the caller's to detach. MODE: on (direct) or off
# (buffered).
layer_loop() { # FILE MODE
	losetup --find --show --direct-io="$2" "$1"
}

# All loop devices over a file, also those that a process which was just killed still attaches.
layer_loops_detach() { # FILE
	local i device quiet=0
	for ((i = 0; i < 100 && quiet < 5; i++)); do
		quiet=$((quiet + 1))
		for device in $(losetup --noheadings --output NAME --associated "$1"); do
			losetup --detach "$device" 2>/dev/null
			quiet=0
		done
		sleep 0.1
	done
}

layer_loop_detach() {
	losetup --detach "$1" 2>/dev/null
	udevadm settle 2>/dev/null || true
	local i
	for ((i = 0; i < 400; i++)); do
		[ -e "/sys/block/${1#/dev/}/loop" ] || return 0
		sleep 0.05
	done
	return 1
}

# Sets $device and mounts a new filesystem on DIR.
layer_filesystem() { # DIR TYPE MODE MIB [MOUNT-OPTION...]
	local dir=$1 type=$2 mode=$3 mib=$4
	shift 4
	mkdir -p "$dir"
	layer_image "$dir.img" "$mib"
	device=$(losetup --find --show --direct-io="$mode" "$dir.img") || return 1
	at_exit layer_loop_detach "$device"
	case $type in
	ext4) mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$device" ;;
	xfs) mkfs.xfs -q -f -K "$device" ;;
	btrfs) mkfs.btrfs -q -f -K "$device" ;;
	ntfs) mkfs.ntfs -q -Q -F "$device" >/dev/null 2>&1 ;;
	esac || return 1
	if [ "$type" = ntfs ]; then
		ntfs-3g "$device" "$dir" || return 1
	else
		mount -t "$type" "$@" "$device" "$dir" || return 1
	fi
	at_exit umount "$dir"
}

# Mounts a filesystem again with other options. A mount namespace that someone made meanwhile may
# still hold it, with the old ones.
layer_mount_anew() { # DIR DEVICE [MOUNT-OPTION...]
	local i
	umount "$1"
	for ((i = 0; i < 200; i++)); do
		python3 -c 'import os, sys; os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)' "$2" \
			2>/dev/null && break
		sleep 0.1
	done
	mount "${@:3}" "$2" "$1"
}

# Runs a command in a mount namespace of its own, where mounts below the mount point DIR stay. The
# root directory of a chroot is no mount point: unshare cannot make everything private there.
layer_isolated() { # DIR COMMAND...
	unshare --mount --propagation unchanged \
		sh -c 'mount --make-rprivate "$1" && shift && exec "$@"' sh "$@"
}

# Runs ioproof with a document in $json, which must be valid; $status, $out and $err as capture
# leaves them.
prove() { # NAME ARGUMENT...
	local name=$1
	shift
	json=$(tap_dir)/document.json
	rm -f "$json"
	capture "$IOPROOF" run --quick --json "$json" "$@"
	valid_document "$name: the document is valid"
}

# A field of one case's measurement: jq's words.
measured() { # CASE FILTER
	jq -r --arg case "$1" '.measurements[] | select(.case == $case) | '"$2" "$json"
}

findings_of() { # CASE
	measured "$1" '[.findings[].id] | unique | join(" ")'
}

valid_document() { # NAME
	succeeds "$1" python3 "$IOPROOF_SOURCE/tests/validate_document.py" "$json"
}
