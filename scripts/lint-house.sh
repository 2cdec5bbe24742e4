#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rules of this house that no linter knows:
#   - a function has at most 60 lines, a file at most 500;
#   - each file says its licence in its first lines;
#   - only main.c, cmd/ and report/ print or end the process;
#   - a comment of one line fits it;
#   - nothing runs a shell, and no number is parsed without looking for errors.
#
#   scripts/lint-house.sh FILE...
set -u

function_max=60 file_max=500
status=0

complain() {
	printf '%s\n' "$1"
	status=1
}

# "FILE FUNCTION START END" of every C function.
functions() {
	ctags --languages=C --map-C=+.h --kinds-C=f --fields=+ne -x --_xformat='%F %N %n %{end}' "$@"
}

check_functions() {
	local long
	if ! ctags --version 2>/dev/null | grep -q Universal; then
		echo "lint-house: no universal-ctags here: lengths of functions are not checked" >&2
		return
	fi
	long=$(functions "$@" | awk -v max="$function_max" '$4 - $3 + 1 > max {
		print $1 ":" $3 ": " $2 " has " $4 - $3 + 1 " lines; at most " max }')
	[ -z "$long" ] || complain "$long"
}

check_printing() {
	local calls='(^|[^a-z_>.])(printf|vprintf|puts|putchar|perror|exit)[ ]*\('
	local streams='(fprintf|vfprintf|fputs|fputc|fwrite)[ ]*\(.*(stdout|stderr)'
	local found
	found=$(grep -nE "$calls|$streams" "$@" /dev/null | grep -vE ':[0-9]+:[[:space:]]*(\*|//|/\*)')
	[ -z "$found" ] || complain "prints or exits below main.c, cmd/ and report/:
$found"
}

# clang-format leaves the end of a comment that is a little too long on a line of its own.
check_comments() {
	local torn
	torn=$(awk 'FNR > 1 && /^[[:space:]]*\*\/$/ && last ~ /\/\* / && last !~ /\*\// {
		print FILENAME ":" FNR - 1 ": this comment does not fit its line: shorten it" }
		{ last = $0 }' "$@")
	[ -z "$torn" ] || complain "$torn"
}

check_forbidden() {
	local found
	found=$(grep -nE '(^|[^a-z_>.])(system|popen|atoi|atol|atoll|atof|gets|getpw|mktemp|strcpy|strcat|rand|vfork)[ ]*\(' "$@" \
		/dev/null | grep -vE ':[0-9]+:[[:space:]]*(\*|//|/\*)')
	[ -z "$found" ] || complain "not used here (subprocess_run, text_parse_u64, snprintf, random_next instead):
$found"
}

code=() library=()
for file; do
	lines=$(wc -l <"$file")
	[ "$lines" -le "$file_max" ] || complain "$file: $lines lines; at most $file_max"
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: GPL-2.0-or-later' ||
		complain "$file:1: no SPDX-License-Identifier"
	case $file in
	*.c | *.h) code+=("$file") ;;
	esac
	case $file in
	harness/main.c | harness/cmd/* | harness/report/* | tests/*) ;;
	*.c) library+=("$file") ;;
	esac
done
if [ ${#code[@]} -gt 0 ]; then
	check_functions "${code[@]}"
	check_comments "${code[@]}"
fi
if [ ${#library[@]} -gt 0 ]; then
	check_printing "${library[@]}"
	check_forbidden "${library[@]}"
fi
exit $status
