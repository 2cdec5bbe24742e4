# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# TAP for shell tests. A test sources this, says ok or not_ok, and ends in `done_testing`:
#
#   . "$(dirname "$0")/../tap.sh"
#   need root; need command losetup
#   dir=$(tap_dir)                       a directory of its own, removed at the end
#   at_exit umount "$dir/mnt"            undone in reverse order, however the test ends
#   is "$(cat "$dir/x")" "wanted" "what is shown when it differs"
#   done_testing
#
# The driver gives IOPROOF (the program) and IOPROOF_SOURCE (the top of the sources).
set -u

tap_count=0
tap_failed=0
tap_tmp=
tap_exits=()
TAP_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${IOPROOF_SOURCE:=$TAP_TOP}" "${IOPROOF:=$TAP_TOP/build/ioproof}"
# Before a command that mounts: it does so in a mount namespace of its own. In a chroot, whose root is
# no mount point, nothing can be said of propagation; whoever made it has seen to that.
# shellcheck disable=SC2034
own_mounts=(unshare --mount --propagation unchanged
	sh -c 'mount --make-rslave / 2>/dev/null; exec "$@"' sh)
# Before a command that is traced: a sanitizer cannot look for leaks there.
# shellcheck disable=SC2034
leaks_unseen=(env "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0")

tap_line() {
	tap_count=$((tap_count + 1))
	printf '%s %d - %s\n' "$1" "$tap_count" "$2"
}

ok() { # NAME
	tap_line ok "$1"
}

# Details are files or text; they appear as comments below.
not_ok() { # NAME [DETAIL...]
	tap_line "not ok" "$1"
	shift
	[ $# = 0 ] || printf '%s\n' "$@" | head -n 200 | sed 's/^/#   /'
	tap_failed=$((tap_failed + 1))
}

skip() { # NAME REASON
	tap_line ok "$1 # SKIP $2"
}

# The whole program cannot run.
skip_all() { # REASON
	printf '1..0 # SKIP %s\n' "$1"
	tap_planned=1
	exit 0
}

is() { # GOT WANTED NAME
	if [ "$1" = "$2" ]; then
		ok "$3"
	else
		not_ok "$3" "got:    $1" "wanted: $2"
	fi
}

like() { # TEXT EXTENDED-REGEX NAME
	if grep -qE -- "$2" <<<"$1"; then
		ok "$3"
	else
		not_ok "$3" "nothing matches: $2" "in:" "$1"
	fi
}

# Passes when the command does.
succeeds() { # NAME COMMAND...
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		ok "$name"
	else
		not_ok "$name" "exit status $? of: $*" "$said"
	fi
}

# Passes when the arithmetic expression is true.
holds() { # EXPRESSION NAME [DETAIL...]
	if (($1)); then
		ok "$2"
	else
		not_ok "${@:2}"
	fi
}

# Runs a command; its exit status is in $status, its output in $out and $err.
capture() { # COMMAND...
	local errors
	errors=$(mktemp "$tap_tmp/XXXXXX") || exit 1
	# shellcheck disable=SC2034
	out=$("$@" 2>"$errors") status=$? err=$(cat "$errors")
	rm -f "$errors"
}

# What the test cannot do without: otherwise all of it is skipped.
need() { # root | long | command NAME... | filesystem NAME
	case $1 in
	root)
		[ "$(id -u)" = 0 ] || skip_all "needs root"
		;;
	long)
		[ -n "${IOPROOF_LONG-}" ] || skip_all "takes long: only under make check-long"
		;;
	command)
		local name
		for name in "${@:2}"; do
			PATH=$PATH:/usr/sbin:/sbin command -v "$name" >/dev/null ||
				skip_all "no $name here: scripts/packages says which package has it"
		done
		;;
	filesystem)
		grep -qw "$2" /proc/filesystems || modprobe -q "$2" 2>/dev/null ||
			skip_all "this kernel has no $2"
		;;
	*)
		echo "need: $1 is not known" >&2
		exit 1
		;;
	esac
}

# Waits until left_behind, which the test defines, prints nothing: a killed process, its guardian and
# the kernel's last close of a device take a moment. Fails after 20 s.
settled() {
	local i
	for ((i = 0; i < 200; i++)); do
		[ -n "$(left_behind)" ] || return 0
		sleep 0.1
	done
	return 1
}

# A directory for this test on a disk: TMPDIR, or /tmp, or /var/tmp where /tmp is in memory.
tap_dir() {
	printf '%s\n' "$tap_tmp"
}

at_exit() { # COMMAND [ARG...]
	tap_exits+=("$(printf '%q ' "$@")")
}

done_testing() {
	printf '1..%d\n' "$tap_count"
	tap_planned=1
	[ "$tap_failed" = 0 ]
	exit
}

tap_make_dir() {
	local base=${TMPDIR:-/tmp}
	[ "$(stat -f -c %T "$base")" != tmpfs ] || [ -n "${TMPDIR-}" ] || base=/var/tmp
	tap_tmp=$(mktemp -d "$base/ioproof-test.XXXXXX") || exit 1
}

tap_end() {
	local status=$? i
	trap '' INT TERM HUP
	for ((i = ${#tap_exits[@]} - 1; i >= 0; i--)); do
		eval "${tap_exits[i]}" || printf '# at exit: failed: %s\n' "${tap_exits[i]}"
	done
	rm -rf --one-file-system "$tap_tmp"
	[ -n "${tap_planned-}" ] || echo "# it ended before done_testing (status $status)"
	exit "$status"
}

tap_make_dir
trap tap_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
