#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Does it work on a machine that has nothing? Makes a minimal Debian root with debootstrap, clones
# this checkout into it, and runs commands of the checkout there, by chroot with this machine's
# /proc, /sys and /dev. As root.
#
#   scripts/try-fresh.sh DIR [COMMAND...]     default: scripts/demo.sh, then scripts/check.sh
#
# DIR must not exist or be empty; the root stays there for a look, and goes with
# `rm -rf --one-file-system DIR`. SUITE=name takes another release than this machine's. Mirror and
# proxy are the ones apt uses here; the mounts are private and go with the script.
set -eu

die() {
	printf 'try-fresh: %s\n' "$1" >&2
	exit 1
}

[ $# -ge 1 ] || die "name the directory for the new root"
[ "$(id -u)" = 0 ] || die "run as root"
command -v debootstrap >/dev/null || die "no debootstrap here. Run: scripts/install-deps.sh long"
mkdir -p "$1"
root=$(realpath -e "$1")
shift
[ -z "$(ls -A "$root")" ] || die "$root is not empty"
[ $# -gt 0 ] || set -- scripts/demo.sh scripts/check.sh
top=$(dirname "$(realpath "$0")")/..

# shellcheck source=/dev/null
suite=${SUITE:-$(. /etc/os-release && echo "${VERSION_CODENAME-}")}
[ -n "$suite" ] || die "which release? SUITE=name"

# The mirror that apt here takes this release from; empty: debootstrap's own.
mirror() {
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 2>/dev/null |
		awk -v suite="$suite" '$2 == suite && $3 == "main" { print $1; exit }'
}

# What apt here is told of proxies, for the programs that do not ask apt.
proxy() { # http | https
	local value=
	eval "$(apt-config shell value "Acquire::$1::Proxy")"
	[ "$value" = DIRECT ] || printf '%s\n' "$value"
}

make_root() {
	local mirror
	mirror=$(mirror)
	http_proxy=${http_proxy-$(proxy http)} https_proxy=${https_proxy-$(proxy https)} \
		debootstrap --variant=minbase "$suite" "$root" ${mirror:+"$mirror"} >"$root.log" 2>&1 ||
		die "debootstrap failed: $(tail -n 3 "$root.log")"
	rm -f "$root.log"
	cp -a /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
	cp -L /etc/resolv.conf "$root/etc/resolv.conf"
}

bare_checkout() {
	git -c safe.directory='*' clone -q --no-hardlinks "$top" "$root/root/ioproof"
}

# Nothing of this environment goes along but proxies.
enter() { # COMMAND
	local keep=() name
	for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY CI; do
		[ -z "${!name-}" ] || keep+=("$name=${!name}")
	done
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
		TERM=dumb "${keep[@]}" unshare --mount sh -c '
		root=$1 command=$2
		for dir in proc sys dev; do
			mount --rbind "/$dir" "$root/$dir" || exit 1
		done
		exec chroot "$root" sh -c "cd / && exec /root/ioproof/$command" </dev/null' \
		sh "$root" "$1"
}

make_root
bare_checkout
echo "try-fresh: $suite in $root has $(chroot "$root" dpkg-query -f '.\n' -W | wc -l) packages"
for command; do
	printf '\ntry-fresh: %s\n' "$command"
	began=$SECONDS
	if enter "$command"; then
		echo "try-fresh: $command passed in $((SECONDS - began)) s"
	else
		die "$command failed with status $? after $((SECONDS - began)) s"
	fi
done
