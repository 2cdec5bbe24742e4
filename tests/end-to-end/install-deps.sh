#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Which packages are asked for on which distribution. Installs nothing.
. "$(dirname "$0")/../tap.sh"

install_deps=$IOPROOF_SOURCE/scripts/install-deps.sh
release=$(tap_dir)/os-release
on() { # OS-RELEASE-TEXT ARG...
	printf '%b\n' "$1" >"$release"
	shift
	IOPROOF_OS_RELEASE=$release capture "$install_deps" "$@"
}

on 'ID=debian' --print build
is "$status" 0 "Debian is known"
like "$out" '^libmount-dev$' "Debian: its names"
on 'NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"' --print build
like "$out" '^libmount-dev$' "a child of Debian: Debian's names"

on 'ID=fedora' build
is "$status" 1 "Fedora: it stops"
like "$err" '^  dnf install .*libmount-devel' "Fedora: dnf and its names"
on 'ID="rocky"\nID_LIKE="rhel centos fedora"' build
like "$err" '^  dnf install ' "a child of Red Hat's: dnf"
on 'ID=arch' build
like "$err" '^  pacman -S .*util-linux-libs' "Arch: pacman and its names"
on 'ID="opensuse-leap"\nID_LIKE="suse opensuse"' build
like "$err" '^  zypper install .*libext2fs-devel' "openSUSE: zypper and its names"
on 'ID=alpine' build
like "$err" '^  apk add .*util-linux-dev' "Alpine: apk and its names"
on 'ID=nixos' build
like "$err" 'not known here.*' "an unknown one: it says so"
like "$err" 'libmount-dev' "an unknown one: names what is needed"
is "$status" 1 "an unknown one: it stops"

on 'ID=debian' --print nonsense
is "$status" 2 "an unknown set is wrong usage"
like "$err" 'nonsense.*build, demo, check' "and it names the sets"

uneven=$(awk '!/^#/ && NF < 7' "$IOPROOF_SOURCE/scripts/packages")
is "$uneven" "" "each line of scripts/packages has all columns and a reason"
done_testing
