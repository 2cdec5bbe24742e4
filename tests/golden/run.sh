#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What the program says, word for word. Each tests/golden/*.txt is a transcript:
#
#   $ ioproof list claims        words only: no quotes, no shell
#   ...all that it prints, stdout and stderr...
#   [exit 2]                     where the status is not 0
#
# Paths are relative to the top of the sources. `tests/golden/run.sh --update` writes them anew.
. "$(dirname "$0")/../tap.sh"

cd "$IOPROOF_SOURCE" || exit 1
export LC_ALL=C.UTF-8 COLUMNS=80 TERM=dumb NO_COLOR=1
unset IOPROOF_LONG

replay() { # FILE
	local line words status
	grep '^\$ ioproof' "$1" | while IFS= read -r line; do
		read -ra words <<<"${line#\$ ioproof}"
		printf '%s\n' "$line"
		(exec -a ioproof "$IOPROOF" "${words[@]}") </dev/null 2>&1
		status=$?
		[ "$status" = 0 ] || printf '[exit %d]\n' "$status"
	done
}

now=$(tap_dir)/now
shopt -s nullglob
for file in tests/golden/*.txt; do
	replay "$file" >"$now"
	if [ "${1-}" = --update ]; then
		cat "$now" >"$file"
	elif difference=$(diff -u --label "$file" --label now "$file" "$now"); then
		ok "$file"
	else
		not_ok "$file" "$difference"
	fi
done
done_testing
