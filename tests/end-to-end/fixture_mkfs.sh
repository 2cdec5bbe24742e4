#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What mkfs may touch: under strace, each mkfs opens nothing for writing but the fixture's loop
# devices and changes no name, whatever MKFS= says. Without a mkfs, its package is named. (mkfs.btrfs
# tells the kernel of the devices it has made by /dev/btrfs-control, which holds no data.)
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
need root
need command strace
need command losetup

dir=$(tap_dir)
mkdir "$dir/scratch"
calls=execve,open,openat,openat2,creat,mkdir,mkdirat,unlink,unlinkat,rename,renameat,renameat2
calls+=,link,linkat,symlink,symlinkat,mknod,mknodat,truncate,mount,umount2

# Calls of the mkfs process that changed something or opened something for writing, and succeeded.
changes() { # PROGRAM TRACE
	awk -v program="$1" '
		/execve\(/ && index($0, "/" program "\"") && / = 0$/ { mine[$1] = 1; next }
		!($1 in mine) || / = -1 / { next }
		/(open|openat|openat2)\(/ && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/ { next }
		/execve\(/ || /^[0-9]+ +(\+\+\+|---)/ { next }
		{ print }
	' "$2"
}

touches_its_devices_only() { # PROGRAM SPEC
	local name="mkfs for $2 writes to its devices only" trace=$dir/trace foreign ours
	command -v "$1" >/dev/null || { skip "$name" "no $1"; return; }
	timeout 200 strace -f -y -qq -o "$trace" -e "trace=$calls" "$IOPROOF" run \
		--scratch "$dir/scratch" --fs "$2" --rounds 1 read-path:size=4M \
		>"$dir/out" 2>"$dir/err"
	ours=$(changes "$1" "$trace" | grep -cE ' = [0-9]+<.*/loop[0-9]+(<|>)')
	foreign=$(changes "$1" "$trace" | grep -vE ' = [0-9]+<.*/loop[0-9]+(<|>)|"/dev/(null|btrfs-control)"')
	if [ "$ours" = 0 ]; then
		not_ok "$name" "the trace shows no device opened for writing" "$(tail -n 3 "$dir/err")"
	elif [ -n "$foreign" ]; then
		not_ok "$name" "$foreign"
	else
		ok "$name"
	fi
}

touches_its_devices_only mkfs.ext4 'ext4:SIZE=64M,IMAGE=fallocated'
touches_its_devices_only mkfs.ext4 'ext4:SIZE=64M,IMAGE=fallocated,MKFS="-m 0 -J size=4 -T news"'
touches_its_devices_only mkfs.xfs 'xfs:SIZE=300M,IMAGE=fallocated,MKFS="-m rmapbt=1"'
touches_its_devices_only mkfs.btrfs 'btrfs:SIZE=128M,IMAGE=fallocated'
touches_its_devices_only mkfs.btrfs 'btrfs:SIZE=128M,IMAGE=fallocated,DEVICES=2,MKFS="-d raid0"'

# Refused before anything is run or written.
refused() { # SPEC REGEX
	capture "$IOPROOF" run --scratch "$dir/scratch" --fs "$1" read-path:size=4M
	is "$status" 2 "${1:0:60}: wrong usage"
	like "$err" "$2" "${1:0:60}: the line says why"
}

refused 'ext4:MKFS="-J device=UUID=0"' 'another device'
refused 'ext4:MKFS="-E assume_storage_prezeroed=1"' 'in the inode tables'
refused 'ext4:MKFS=-qn' 'makes no filesystem'
refused 'ext4:MKFS="-m 0 foo"' 'foo'
refused 'ext4:MKFS="-E x=/dev/null"' 'names a file'
refused 'xfs:MKFS="-dname=x"' 'another device'
refused 'btrfs:MKFS="--rootd x"' 'cut short'
refused 'btrfs:MKFS="--rootdir x"' 'from a directory'
refused 'xfs:SIZE=100M' 'at least 300'
refused "ext4:$(head -c 100000 /dev/zero | tr '\0' a)" 'longer than 4 KiB'
refused "ext4:noatime,\"quoted\"" 'KEY='
refused 'ext4:a,,b' 'empty item'

missing() { # FSTYPE PROGRAM PACKAGE
	local program
	program=$(command -v "$2") || { skip "without $2 its package is named" "no $2"; return; }
	# shellcheck disable=SC2016
	capture "${own_mounts[@]}" sh -c 'mount --bind /dev/null "$1" && shift && exec "$@"' sh "$program" \
		"$IOPROOF" run --scratch "$dir/scratch" --fs "$1" read-path:size=4M
	is "$status" 1 "without $2: exit status 1"
	like "$err" "$2 is not installed: apt-get install $3" "without $2 its package is named"
}

missing ext4 mkfs.ext4 e2fsprogs
missing xfs mkfs.xfs xfsprogs
missing btrfs mkfs.btrfs btrfs-progs

is "$(ls -A "$dir/scratch")" "" "nothing is left in the scratch directory"
done_testing
