#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Everything that must hold before a change is taken: lint, tests without and with root, and both
# again under AddressSanitizer and UBSan. As root, on a machine with neither make nor compiler, too:
# what is missing is installed first. Goes on after a failure, so that one run shows all of them.
#
#   scripts/check.sh
#
# The last line counts the tests of all steps: "N passed, N failed, N skipped".
set -u

if [ $# != 0 ]; then
	sed -n '3,9s/^#[ ]\{0,1\}//p' "$0"
	[ "$1" = --help ]
	exit
fi
cd "$(dirname "$(realpath "$0")")/.." || exit 1
if [ "$(id -u)" != 0 ]; then
	echo "check: tests on real layers need root. Run: sudo scripts/check.sh" >&2
	echo "check: without root there are: make lint, make check" >&2
	exit 1
fi

IOPROOF_TALLY=$(mktemp) || exit 1
export IOPROOF_TALLY
trap 'rm -f "$IOPROOF_TALLY"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
broken=()

step() { # NAME COMMAND...
	local name=$1 began=$SECONDS failed
	shift
	printf '\n== %s\n' "$name"
	if "$@"; then
		echo "== $name: $((SECONDS - began)) s"
		return
	fi
	broken+=("$name")
	echo "== $name: FAILED after $((SECONDS - began)) s"
	# A step that broke without a failed test (a linter, a compiler) counts as one.
	failed=$(awk '/^sum/ { n += $3 } /^step/ { n = 0 } END { print n + 0 }' "$IOPROOF_TALLY")
	[ "$failed" != 0 ] || echo "sum 0 1 0" >>"$IOPROOF_TALLY"
}

run() {
	echo step >>"$IOPROOF_TALLY"
	step "$@"
}

cores=$(nproc)
if ! scripts/install-deps.sh build demo check; then
	echo "0 passed, 1 failed, 0 skipped"
	exit 1
fi
run "lint" make -k -j "$cores" --output-sync=target lint JOBS="$cores"
run "tests without root" make -j "$cores" check
run "tests on real layers" make -j "$cores" check-root
run "sanitizers: tests without root" make -j "$cores" S=asan check
run "sanitizers: tests on real layers" make -j "$cores" S=asan check-root

printf '\n== all: %d s\n' "$SECONDS"
grep '^skipped: ' "$IOPROOF_TALLY" | sort | uniq -c
[ ${#broken[@]} = 0 ] || printf 'FAILED: %s\n' "${broken[@]}"
awk '/^sum/ { p += $2; f += $3; s += $4 }
	END { print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f > 0 }' "$IOPROOF_TALLY"
