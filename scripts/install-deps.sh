#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what ioproof needs, from the list in scripts/packages. Nothing missing: nothing done.
#
#   scripts/install-deps.sh [--print] [SET...]      SET: build, demo, check, long; default: the first three
#
# Debian, Ubuntu and their kin: by apt. Elsewhere: prints the packages' names there and stops.
# --print: only prints the names. IOPROOF_OS_RELEASE names another file than /etc/os-release.
set -eu

die() {
	printf 'install-deps: %s\n' "$1" >&2
	exit 1
}

list=$(dirname "$0")/packages
print=no
if [ "${1-}" = --print ]; then
	print=yes
	shift
fi
[ $# -gt 0 ] || set -- build demo check
for set; do
	case $set in
	build | demo | check | long) ;;
	*)
		echo "install-deps: no such set: $set (there are build, demo, check, long)" >&2
		exit 2
		;;
	esac
done

# The first of ID and ID_LIKE that is known here.
manager() {
	local file=${IOPROOF_OS_RELEASE:-/etc/os-release} word
	[ -r "$file" ] || return 0
	for word in $(sed -n 's/^ID=//p; s/^ID_LIKE=//p' "$file" | tr -d "\"'"); do
		case $word in
		debian | ubuntu) echo apt ;;
		fedora | rhel | centos) echo dnf ;;
		arch) echo pacman ;;
		suse | opensuse*) echo zypper ;;
		alpine) echo apk ;;
		*) continue ;;
		esac
		return 0
	done
}

packages() { # MANAGER SET...
	local column=2
	case $1 in
	dnf) column=3 ;;
	pacman) column=4 ;;
	zypper) column=5 ;;
	apk) column=6 ;;
	esac
	shift
	awk -v column=$column -v sets=" $* " '!/^#/ && index(sets, " " $1 " ") && $column != "-" \
		&& !seen[$column]++ { print $column }' "$list"
}

elsewhere() { # MANAGER SET...
	local command
	case $1 in
	dnf) command="dnf install" ;;
	pacman) command="pacman -S --needed" ;;
	zypper) command="zypper install" ;;
	apk) command="apk add" ;;
	*)
		{
			echo "install-deps: this distribution is not known here. What is needed, by its Debian names:"
			packages apt "${@:2}" | tr '\n' ' '
			echo
		} >&2
		exit 1
		;;
	esac
	{
		echo "install-deps: only Debian and Ubuntu are installed to by this script. Here, as root:"
		echo "  $command $(packages "$@" | tr '\n' ' ')"
		echo "Then: make && make check"
	} >&2
	exit 1
}

installed() { # PACKAGE
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

by_apt() {
	local missing=() package
	for package in $(packages apt "$@"); do
		installed "$package" || missing+=("$package")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	[ "$(id -u)" = 0 ] ||
		die "these packages are missing, and only root may install them: ${missing[*]}
Run: sudo scripts/install-deps.sh $*"
	export DEBIAN_FRONTEND=noninteractive
	echo "install-deps: apt-get install ${missing[*]}"
	# The lock: a fresh cloud machine is often busy with its own upgrades.
	apt-get -qq -o DPkg::Lock::Timeout=300 update ||
		die "apt-get update failed: is there a network, and is /etc/apt right?"
	apt-get -qq -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install \
		--no-install-recommends "${missing[@]}" >/dev/null ||
		die "apt-get install failed; on Ubuntu, some packages are in 'universe'"
}

manager=$(manager)
if [ $print = yes ]; then
	packages "${manager:-apt}" "$@"
elif [ "$manager" = apt ]; then
	by_apt "$@"
else
	elsewhere "${manager:-unknown}" "$@"
fi
