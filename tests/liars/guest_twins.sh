#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Liars and twins for `ioproof probe` on layers that a virtual machine can have to itself: arrays,
# encryption, volumes, an NVMe disk with FUA. All are built, probed and taken down in one boot, on
# disks that bypass this machine's cache, so that nothing below the guest lies.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
# shellcheck source=tests/score.sh
. "$(dirname "$0")/../score.sh"
need command jq python3 mkfs.ext4 mdadm dmsetup cryptsetup lvm

guest=$IOPROOF_SOURCE/tests/guest/guest.sh
dir=$(tap_dir)

said=$("$guest" --kernel-only 2>&1)
[ $? != 77 ] || skip_all "$(tail -n 1 <<<"$said")"

# What the guest's shell does. Each `probe` prints a document between two marks; a filesystem is
# made once per layer, and a liar is probed in less time than a twin. The busybox of some systems
# prefers its own dd, which knows less.
read -r -d '' script <<'GUEST'
export DM_DISABLE_UDEV=1 a=/dev/vdb b=/dev/vdc nvme=/dev/nvme0n1
mkdir -p /run/lock/lvm /x
probe() { # NAME DEVICE MOUNT-OPTIONS [PROBE-OPTION]
	mount -t ext4 -o "$3" "$2" /x || return
	echo "@@probe $1"
	ioproof probe --json - --require device-read,durable-write $4 /x 2>/tmp/err
	gate=$?
	echo
	echo "@@end $gate at $(cut -d ' ' -f 1 /proc/uptime) s $(tr '\n' ' ' </tmp/err)"
	umount /x
}
format() { # DEVICE
	mkfs.ext4 -q -F -F -E lazy_itable_init=0,lazy_journal_init=0 "$1"
}
array() { # LEVEL
	mdadm --create /dev/md0 --run --quiet --assume-clean --metadata=1.2 \
		--level="$1" --raid-devices=2 $a $b
	format /dev/md0
}
array_gone() {
	mdadm --stop --quiet /dev/md0
	mdadm --zero-superblock --quiet $a $b
}
switch() { # DISK MODE
	echo "write $2" >"/sys/block/${1#/dev/}/queue/write_cache"
}
mapping() {
	echo "0 $(blockdev --getsz $a) linear $a 0" | dmsetup create mapped
}

array 0
probe striped /dev/md0 rw
probe striped-nobarrier /dev/md0 nobarrier --quick
switch $b through
probe striped-switched /dev/md0 rw --quick
switch $b back
array_gone

array 1
probe mirrored /dev/md0 rw
array_gone

head -c 32 /dev/urandom >/tmp/key
cryptsetup open --type plain --cipher aes-xts-plain64 --key-size 256 --key-file /tmp/key $a secret
format /dev/mapper/secret
probe encrypted /dev/mapper/secret rw
cryptsetup close secret
cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
	--sector-size 512 --cipher aes-xts-plain64 --key-size 256 --key-file /tmp/key $a
cryptsetup open --type luks2 --key-file /tmp/key $a locked
format /dev/mapper/locked
probe locked /dev/mapper/locked rw
cryptsetup close locked
dd if=/dev/zero of=$a bs=1M count=16 2>/dev/null

lvm pvcreate -q -y $a $b
lvm vgcreate -q -y group $a $b
lvm lvcreate -q -y -W n -Z n -n volume -l 100%FREE group
format /dev/mapper/group-volume
probe volume /dev/mapper/group-volume rw
lvm vgchange -q -a n group

switch $a through
mapping
format /dev/mapper/mapped
probe mapped-switched /dev/mapper/mapped rw --quick
switch $a back
probe mapped-before /dev/mapper/mapped rw --quick
dmsetup remove mapped
mapping
probe mapped /dev/mapper/mapped rw
dmsetup remove mapped

rmmod brd
if insmod /modules/brd.ko rd_nr=1 rd_size=131072; then
	format /dev/ram0
	probe ram /dev/ram0 rw --quick
	rmmod brd
fi

format $nvme
probe nvme $nvme rw
mount -t ext4 $nvme /x
head -c 409600 /dev/urandom >/x/f
sync
set -- $(cat /sys/block/nvme0n1/stat)
writes=$5 flushes=${16}
/bin/dd if=/dev/zero of=/x/f bs=4k count=100 oflag=direct,dsync conv=notrunc 2>/dev/null
set -- $(cat /sys/block/nvme0n1/stat)
echo "@@forced fua=$(cat /sys/block/nvme0n1/queue/fua) writes=$(($5 - writes))" \
	"flushes=$((${16} - flushes))"
umount /x
GUEST

capture "$guest" --timeout 300 --extra virtio:224 --extra virtio:224 --extra nvme:224 \
	--with "$IOPROOF" --with mkfs.ext4 --with mdadm --with dmsetup --with cryptsetup --with lvm \
	--with dd --module raid0 --module raid1 --module dm_mod --module dm_crypt --module xts \
	--module brd "$script"
tr -d '\r' <<<"$out" >"$dir/answer"
[ "$status" != 77 ] || skip_all "$err"
[ "$status" = 0 ] || not_ok "the guest answers" "status $status" "$err"

# Sets $json, $err and $gate (the probe's exit status) to what the guest said of this layer.
look() { # NAME
	json=$dir/$1.json
	awk -v name="$1" '$1 == "@@end" { show = 0 } show; $0 == "@@probe " name { show = 1 }' \
		"$dir/answer" >"$json"
	err=$(awk -v name="$1" '$0 == "@@probe " name { mine = 1 } mine && $1 == "@@end" { print; exit }' \
		"$dir/answer")
	read -r _ gate _ <<<"$err"
	[ -s "$json" ] || err=$(grep -v '^[ {}]' "$dir/answer")
	valid_document "$1: the document is valid"
}

stack_is() { # NAME LAYER...; each LEVEL:KIND:TYPE:NAME
	is "$(jq -r '[.targets[0].stack[] | select(.layer != "hidden")
		| "\(.level):\(.layer):\(.type):\(.name)"] | join(" ")' "$json")" "${*:2}" \
		"$1: every layer is named"
}

honest() { # NAME LAYER...
	look "$1"
	stack_is "$1" 0:fs:ext4:ext4 "${@:2}"
	twin "$1" flush-not-sent direct-io-swallowed direct-io-fallback loop-backing-cached \
		bytes-missing-below data-elided write-cache-overridden fua-unproved memory-backed
	# A busy machine may earn a flag, for a steal or a foreign write; that is no accusation.
	like "$gate" '^[03]$' "$1: a gate for scripts lets it pass"
}

lying() { # NAME CLAIM FINDING LAYER-REGEX
	look "$1"
	liar "$1" "$2" refused "$3" "$4"
	is "$gate" 4 "$1: a gate for scripts stops it"
}

disks=(2:disk:virtio_blk:vdb 2:disk:virtio_blk:vdc)
honest striped '1:md:raid0:md0(raid0)' "${disks[@]}"
lying striped-nobarrier durable-write flush-not-sent '^ext4$'
lying striped-switched durable-write write-cache-overridden '^vdc$'
honest mirrored '1:md:raid1:md0(raid1)' "${disks[@]}"
honest encrypted '1:crypt:crypt:secret(dm-0)' "${disks[0]}"
honest locked '1:crypt:crypt:locked(dm-0)' "${disks[0]}"
honest volume '1:lvm:lvm:group-volume(dm-0)' "${disks[@]}"
lying mapped-switched durable-write write-cache-overridden '^vdb$'
# A mapping keeps what it was told of its disk when it was made: switching back does not help it.
lying mapped-before durable-write flush-not-sent '^vdb$'
honest mapped '1:dm:linear:mapped(dm-0)' "${disks[0]}"
if grep -q '^@@probe ram$' "$dir/answer"; then
	lying ram device-read memory-backed '^ram0$'
else
	cannot_try "ext4 on a RAM disk" "the guest's kernel has no brd"
fi

honest nvme 1:disk:nvme:nvme0n1
is "$(sed -n 's/^@@forced //p' "$dir/answer")" "fua=1 writes=100 flushes=0" \
	"nvme: 100 direct O_DSYNC writes are forced, and no flush follows"

grep -o ' at [0-9.]* s' <<<"$err" | sed 's/^/# the guest was done/'
score_is_perfect
done_testing
