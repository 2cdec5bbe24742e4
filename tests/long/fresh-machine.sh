#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The two commands of the README, on a machine with neither make nor compiler.
. "$(dirname "$0")/../tap.sh"

need root
need long
need command debootstrap git unshare

try() { # COMMAND
	local root status
	root=$(tap_dir)/${1##*/}
	"$IOPROOF_SOURCE/scripts/try-fresh.sh" "$root" "$1" >"$root.said" 2>&1
	status=$?
	rm -rf --one-file-system "$root"
	if [ "$status" = 0 ]; then
		ok "$1 passes in a fresh root"
	else
		not_ok "$1 passes in a fresh root" "$(tail -n 100 "$root.said")"
	fi
}

try scripts/demo.sh
try scripts/check.sh
done_testing
