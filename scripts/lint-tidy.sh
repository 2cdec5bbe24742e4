#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# clang-tidy on each file; silent where there is nothing to say.
#
#   scripts/lint-tidy.sh FLAG... -- FILE...
set -u

flags=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	flags+=("$1")
	shift
done
shift

status=0
for file; do
	if ! said=$(clang-tidy --quiet "$file" -- "${flags[@]}" 2>&1); then
		printf '%s\n' "$said"
		status=1
	fi
done
exit $status
