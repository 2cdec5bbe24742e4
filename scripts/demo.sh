#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Shows what ioproof is for: a measurement on a real disk that carries its proof, and beside it the
# same measurement of memory that calls itself a disk, refused. As root; about two minutes.
#
#   scripts/demo.sh [DIR]       DIR: on the disk to measure; default: this checkout, or /var/tmp
#
# Installs what is missing (build and demo packages), builds, and leaves nothing in DIR. Ends with 0
# when the honest disk was measured and the liar refused.
set -eu

die() {
	printf 'demo: %s\n' "$1" >&2
	exit 1
}

case ${1-} in
-*)
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0"
	exit
	;;
esac
asked=${1-}
[ -z "$asked" ] || asked=$(realpath -e "$asked") || exit 1
cd "$(dirname "$(realpath "$0")")/.."
[ "$(id -u)" = 0 ] ||
	die "it builds a filesystem on a loop device, which only root may. Run: sudo scripts/demo.sh"

in_memory() { # DIR
	case $(stat -f -c %T "$1") in
	tmpfs | ramfs) return 0 ;;
	esac
	return 1
}

on_disk() {
	local dir
	for dir in "$PWD" /var/tmp "$HOME"; do
		if [ -d "$dir" ] && [ -w "$dir" ] && ! in_memory "$dir"; then
			printf '%s\n' "$dir"
			return
		fi
	done
	die "this checkout, /var/tmp and $HOME are all in memory; name a directory on a disk"
}

scripts/install-deps.sh build demo
make -s -j "$(nproc)"

base=${asked:-$(on_disk)}
scratch=$(mktemp -d "$base/ioproof-demo.XXXXXX")
memory=$(mktemp -d /dev/shm/ioproof-demo.XXXXXX 2>/dev/null) || memory=
trap 'rmdir "$scratch" ${memory:+"$memory"}' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

run=(build/ioproof run --quick --progress=plain)

# A tmpfs that nobody else sees and that goes with the process; where mounting is not allowed (many
# containers), the one at /dev/shm.
run_in_memory() {
	local tmpfs='mount -t tmpfs -o size=1g,mode=700 ioproof-demo "$1"'
	if unshare --mount sh -c "$tmpfs" sh "$scratch" 2>/dev/null; then
		unshare --mount sh -c "$tmpfs"' && shift && exec "$@"' sh "$scratch" "${run[@]}" \
			--on "$scratch"
	elif [ -n "$memory" ]; then
		"${run[@]}" --on "$memory"
	else
		die "no tmpfs can be mounted here, and /dev/shm cannot be written"
	fi
}

title() {
	printf '\n== %s\n\n' "$1"
}

title "1. A disk: ioproof run --quick --scratch $scratch"
disk=0
"${run[@]}" --scratch "$scratch" || disk=$?

title "2. Memory that looks like a disk: ioproof run --quick --on a directory on tmpfs"
liar=0
run_in_memory || liar=$?

title "What was seen"
case $disk in
0) echo "1. The disk: every number was proved, down to the layer that its verdict names." ;;
3) echo "1. The disk: measured. The flags under the numbers say what could not be checked here." ;;
4) echo "1. The disk: REFUSED. Something between $base and the disk answers for it; see above." ;;
*) echo "1. The disk: the run itself failed (status $disk); see above." ;;
esac
case $liar in
4)
	echo "2. Memory: the reads were fast, and for the direct ones no disk moved a byte."
	echo "   Most tools print such a number as the disk's. Here it was refused, with the reason and a remedy."
	;;
*) echo "2. Memory: NOT refused (status $liar). That is a mistake of ioproof: please report it." ;;
esac
[ "$liar" = 4 ] && { [ "$disk" = 0 ] || [ "$disk" = 3 ]; }
