#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Inside the Vagrant machine: puts ext4 on the second disk, mounts it, and proves a number there.
#
#   scripts/rig.sh GIB
#
# The disk is the one that has exactly this size, no partition and no signature: it formats no
# other, and two such disks are an error. Once formatted, it is known by its label.
set -eu

label=ioproof-rig
where=/mnt/rig

die() {
	printf 'rig: %s\n' "$1" >&2
	exit 1
}

[ $# = 1 ] || die "say the size of the second disk in GiB"
[ "$(id -u)" = 0 ] || die "run as root"
[ -d /vagrant ] || die "this formats a disk, and only belongs into the Vagrant machine"

blank_disk() { # BYTES
	local name type size found=
	while read -r name type size; do
		[ "$type $size" = "disk $1" ] || continue
		[ "$(lsblk -nro NAME "/dev/$name" | wc -l)" = 1 ] || continue
		[ -z "$(wipefs -n "/dev/$name")" ] || continue
		[ -z "$found" ] || die "two blank disks of this size: $found and $name"
		found=$name
	done < <(lsblk -bdnro NAME,TYPE,SIZE)
	[ -n "$found" ] || die "no blank disk of $1 bytes: is the second disk attached?"
	printf '/dev/%s\n' "$found"
}

if ! blkid -L "$label" >/dev/null; then
	disk=$(blank_disk $(($1 << 30)))
	echo "rig: making ext4 on $disk"
	mkfs.ext4 -q -L "$label" -E lazy_itable_init=0,lazy_journal_init=0 "$disk"
fi
mkdir -p "$where"
mountpoint -q "$where" || mount -o noatime,nosuid,nodev "LABEL=$label" "$where"

status=0
ioproof run --quick --progress=plain --scratch "$where" || status=$?
case $status in
0) echo "rig: every number above is proved, down to the second disk." ;;
3) echo "rig: the numbers above hold with the reservations that stand under them." ;;
*) die "no proved number on the second disk (ioproof run ended with status $status)" ;;
esac
