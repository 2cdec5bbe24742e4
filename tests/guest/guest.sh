#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Boots a small virtual machine on QEMU and runs commands in it: what a probe says inside a guest
# whose disk is known. Needs neither root nor KVM; installs nothing, downloads a kernel package once.
#
#   guest.sh [OPTION]... COMMAND...      each COMMAND is a line of the guest's shell (busybox)
#
#   --cache MODE      none, directsync, writeback, writethrough or unsafe (QEMU's words; none)
#   --disk TYPE       virtio, nvme or scsi: the first disk, mounted at /mnt (virtio)
#   --extra TYPE:MIB  one more disk, blank; may be repeated
#   --with PROGRAM    takes a program of this machine along, with its libraries; may be repeated
#   --module NAME     loads one more kernel module; may be repeated
#   --accel NAME      tcg (the default: the same everywhere) or kvm
#   --dir DIR         where kernel and images lie: on a disk, not in memory (build/guest)
#   --timeout S       the machine is stopped after so long (120)
#   --kernel-only     fetches the kernel and ends
#
# /mnt is an ext4 whose directory /mnt/old holds random data written years ago. The image is
# rewritten before each boot, past this machine's page cache, so that nothing of it is cached here.
#
# Prints what the commands print; ends with the status of the last one. 77: cannot be done here, and
# says why. 125: the machine failed.
set -u

top=$(cd "$(dirname "$(realpath "$0")")/../.." && pwd)
cache=none disk=virtio accel=tcg limit=120 dir=$top/build/guest kernel_only=
extras=() programs=() modules=()
image_mib=448 old_mib=160

die() { # STATUS TEXT
	printf 'guest: %s\n' "$2" >&2
	exit "$1"
}

help() {
	sed -n '/^# Boots/,/^set -u/s/^# \{0,1\}//p' "$0"
}

usage() {
	help >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	--kernel-only) kernel_only=1 ;;
	--cache | --disk | --extra | --with | --module | --accel | --dir | --timeout)
		[ $# -ge 2 ] || usage
		case $1 in
		--cache) cache=$2 ;;
		--disk) disk=$2 ;;
		--extra) extras+=("$2") ;;
		--with) programs+=("$2") ;;
		--module) modules+=("$2") ;;
		--accel) accel=$2 ;;
		--dir) dir=$2 ;;
		--timeout) limit=$2 ;;
		esac
		shift
		;;
	-h | --help)
		help
		exit 0
		;;
	--) shift && break ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -gt 0 ] || [ -n "$kernel_only" ] || usage
[[ $limit =~ ^[1-9][0-9]*$ ]] || die 2 "--timeout $limit: not a number of seconds"
for extra in ${extras[@]+"${extras[@]}"}; do
	[[ $extra =~ ^(virtio|nvme|scsi):[1-9][0-9]*$ ]] || die 2 "--extra $extra: not TYPE:MIB"
done
case $cache in none | directsync | writeback | writethrough | unsafe) ;; *) usage ;; esac

PATH=$PATH:/usr/sbin:/sbin
[ "$(uname -m)" = x86_64 ] || die 77 "the guest is an x86-64 machine, this is $(uname -m)"
for name in qemu-system-x86_64 busybox cpio mke2fs debugfs modprobe depmod ldd; do
	command -v "$name" >/dev/null || die 77 "no $name here (scripts/packages says where from)"
done
mkdir -p "$dir" || exit 125
[ "$(stat -f -c %T "$dir")" != tmpfs ] || die 77 "$dir is in memory: say --dir on a disk"

# Debian's kernel for virtual machines, unpacked but never installed.
fetch_kernel() {
	local tmp package
	[ ! -e "$dir/kernel/complete" ] || return 0
	command -v apt-get >/dev/null || die 77 "no apt-get to download a kernel with"
	tmp=$(mktemp -d "$dir/kernel.XXXXXX") || exit 125
	package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9]\)/\1/p' | head -n 1)
	if [ -z "$package" ] || ! (cd "$tmp" && apt-get -q download "$package" >&2) ||
		! dpkg-deb -x "$tmp"/*.deb "$tmp"; then
		rm -rf "$tmp"
		die 77 "cannot download the package linux-image-cloud-amd64"
	fi
	rm -f "$tmp"/*.deb
	depmod -b "$tmp" "$(ls "$tmp/lib/modules")" 2>/dev/null || depmod -b "$tmp/usr" \
		"$(ls "$tmp/usr/lib/modules")" || die 125 "the kernel package has no modules"
	touch "$tmp/complete"
	rm -rf "$dir/kernel"
	mv -T "$tmp" "$dir/kernel" 2>/dev/null || rm -rf "$tmp" # another run was faster
}

fetch_kernel
[ -z "$kernel_only" ] || exit 0
kernel=$(echo "$dir"/kernel/boot/vmlinuz-*)
release=${kernel##*/vmlinuz-}

# What a script that was killed left behind: its machine went with it (see below), its disks stay.
for old in "$dir"/run.*/pid; do
	[ ! -e "$old" ] || [ -e "/proc/$(cat "$old")" ] || rm -rf "${old%/pid}"
done
work=$(mktemp -d "$dir/run.XXXXXX") || exit 125
echo $$ >"$work/pid"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

root=$work/root
mkdir -p "$root"/{bin,dev,proc,sys,run,tmp,mnt,modules,etc}
# A program at the same place as here, with the libraries it is linked with.
take_program() { # PROGRAM
	local path file
	path=$(command -v "$1") || die 125 "no program $1"
	install -D "$path" "$root/bin/$(basename "$path")"
	ldd "$path" 2>/dev/null | grep -o '/[^ ]*' | sort -u | while read -r file; do
		install -D "$file" "$root$file"
	done
}

for program in busybox ${programs[@]+"${programs[@]}"}; do
	take_program "$program"
done
ln -s busybox "$root/bin/sh"

# Modules with what they need, in the order of loading; what is built in is no file.
take_module() { # NAME
	modprobe -d "$dir/kernel" -S "$release" --show-depends "$1" 2>/dev/null |
		sed -n 's/^insmod \([^ ]*\).*/\1/p' | while read -r file; do
		grep -qxF "${file##*/}" "$root/modules/order" 2>/dev/null && continue
		cp "$file" "$root/modules/" && echo "${file##*/}" >>"$root/modules/order"
	done
}

for module in virtio_pci virtio_blk virtio_scsi sd_mod nvme ext4 loop \
	${modules[@]+"${modules[@]}"}; do
	take_module "$module"
done

printf '%s\n' "$@" >"$root/commands"
case $disk in
virtio) node=/dev/vda ;;
nvme) node=/dev/nvme0n1 ;;
scsi) node=/dev/sda ;;
*) usage ;;
esac
cat >"$root/init" <<INIT
#!/bin/sh
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/ DISK=$node
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmpfs /tmp
while read -r file; do insmod "/modules/\$file"; done </modules/order
i=0
while [ ! -b $node ] && [ \$i -lt 100 ]; do sleep 0.1; i=\$((i + 1)); done
stty -F /dev/ttyS1 raw -echo
mount -t ext4 $node /mnt
cd /mnt
sh /commands >/dev/ttyS1 2>&1
echo "@@status \$?" >/dev/ttyS1
sync
umount /mnt 2>/dev/null
poweroff -f
INIT
chmod +x "$root/init"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd" || exit 125

# The image to copy from: made once. Its old files are old by every time stamp.
make_template() {
	local tmp file stamp=20200101000000 size=$((old_mib / 4))
	[ ! -e "$dir/template-$image_mib-$old_mib" ] || return 0
	tmp=$(mktemp -d "$work/template.XXXXXX")
	mkdir -p "$tmp/files/old"
	for file in 1 2 3 4; do
		dd if=/dev/urandom of="$tmp/files/old/$file" bs=1M count=$size status=none
		touch -d 2020-01-01 "$tmp/files/old/$file"
	done
	truncate -s "${image_mib}M" "$tmp/image"
	mke2fs -q -F -t ext4 -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard \
		-d "$tmp/files" "$tmp/image" || return 1
	for file in 1 2 3 4; do
		for field in ctime mtime crtime; do
			echo "set_inode_field /old/$file $field $stamp"
		done
	done | debugfs -w -f - "$tmp/image" >/dev/null 2>&1 || return 1
	rm -rf "$tmp/files"
	mv "$tmp/image" "$dir/template-$image_mib-$old_mib" && rm -rf "$tmp"
}

# Really written, and round the page cache.
fresh_disk() { # FILE SOURCE MIB
	dd if="$2" of="$1" bs=1M count="$3" oflag=direct conv=fsync status=none ||
		die 77 "cannot write an image in $dir with direct I/O"
}

drives=() drive_count=0
add_drive() { # TYPE FILE
	local id=d$drive_count
	drive_count=$((drive_count + 1))
	drives+=(-drive "if=none,id=$id,file=$2,format=raw,cache=$cache")
	case $1 in
	virtio) drives+=(-device "virtio-blk-pci,drive=$id") ;;
	nvme) drives+=(-device "nvme,drive=$id,serial=$id") ;;
	scsi) drives+=(-device "virtio-scsi-pci,id=s$id" -device "scsi-hd,bus=s$id.0,drive=$id") ;;
	*) usage ;;
	esac
}

make_template || die 125 "cannot make the disk image"
fresh_disk "$work/disk" "$dir/template-$image_mib-$old_mib" "$image_mib"
add_drive "$disk" "$work/disk"
for extra in ${extras[@]+"${extras[@]}"}; do
	fresh_disk "$work/disk$drive_count" /dev/zero "${extra#*:}"
	add_drive "${extra%%:*}" "$work/disk$drive_count"
done

cpu=max
[ "$accel" = tcg ] || cpu=host
# Times are what it is about: where we may, the guest goes before the rest of a busy machine.
# And when this script is killed, the machine is told to go as well.
dies_with_us=(setpriv --pdeathsig TERM)
"${dies_with_us[@]}" true 2>/dev/null || dies_with_us=()
${dies_with_us[@]+"${dies_with_us[@]}"} nice -n -10 timeout -k 5 "$limit" qemu-system-x86_64 -machine "q35,accel=$accel" -cpu "$cpu" -m 512 \
	-nodefaults -display none -no-reboot -kernel "$kernel" -initrd "$work/initrd" \
	-append "console=ttyS0 quiet loglevel=4 panic=-1" \
	-serial "file:$work/console" -serial "file:$work/answer" "${drives[@]}" \
	</dev/null >"$work/qemu" 2>&1
grep -v '^nice: ' "$work/qemu" >"$work/said"
status=$(sed -n '$s/^@@status \([0-9]*\)\r*$/\1/p' "$work/answer" 2>/dev/null)
grep -v '^@@status ' "$work/answer" 2>/dev/null
if [ -z "$status" ]; then
	tail -n 20 "$work/said" "$work/console" >&2
	die 125 "the machine gave no answer within $limit s"
fi
exit "$status"
