#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# What `make install` puts where, and that man page and completion know every option.
. "$(dirname "$0")/../tap.sh"

need command man make

dest=$(tap_dir)/dest
prefix=/opt/x
succeeds "make install works" \
	make -s -C "$IOPROOF_SOURCE" install DESTDIR="$dest" PREFIX=$prefix

man=$dest$prefix/share/man/man1/ioproof.1
completion=$dest$prefix/share/bash-completion/completions/ioproof
for file in "$dest$prefix/bin/ioproof" "$man" "$completion"; do
	succeeds "installed: ${file#"$dest"}" test -s "$file"
done
is "$(cd "$dest" && find . -type f | grep -cv "^./opt/x/")" 0 "nothing outside PREFIX"
for schema in "$IOPROOF_SOURCE"/harness/manual/*.json; do
	[ -e "$schema" ] || continue
	succeeds "installed: ${schema##*/}" cmp "$schema" "$dest$prefix/share/ioproof/${schema##*/}"
done

capture "$dest$prefix/bin/ioproof" --version
like "$out" '^ioproof [0-9]+\.[0-9]+\.[0-9]+' "the installed program tells its version"

capture man --warnings -E UTF-8 -l -Tutf8 -P cat "$man"
is "$status:$err" 0: "the man page renders without warnings"
page=$(sed 's/.\x08//g; s/\x1b\[[0-9;]*m//g' <<<"$out" | tr '‐−' '--')

words=$(cat "$completion")
knows() { # WORD OF-WHAT
	like "$page" "$1([^a-z-]|\$)" "man page knows: ioproof $2 $1"
	like "$words" "$1([^a-z-]|\$)" "completion knows: ioproof $2 $1"
}

for command in "" run probe; do
	# shellcheck disable=SC2086
	capture "$IOPROOF" $command --help
	options=$(grep -oE -- '(^|[^a-z-])--[a-z][a-z-]+' <<<"$out" | grep -oE -- '--.*' | sort -u)
	[ -n "$options" ] || not_ok "ioproof $command --help names its options" "$out" "$err"
	for option in $options; do
		knows "$option" "$command"
	done
done
capture "$IOPROOF" --help
while read -r command; do
	knows "$command" ""
done < <(sed -n 's/^  \([a-z]*\)  .*/\1/p' <<<"$out")
capture "$IOPROOF" list --help
kinds=$(sed -n '1s/.* list //p' <<<"$out" | tr -d '|')
like "$kinds" '^workloads ' "ioproof list --help names what can be listed"
for kind in $kinds; do
	knows "$kind" list
done

# Ask the completion as bash does.
complete_line() { # WORD...
	PATH=$dest$prefix/bin:$PATH bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
		_ioproof; echo "${COMPREPLY[*]}"' bash "$completion" "$@"
}
is "$(complete_line ioproof ru)" run "completes a command"
is "$(complete_line ioproof run --sc)" --scratch "completes an option"
is "$(complete_line ioproof explain ho)" holes "completes a finding"
is "$(complete_line ioproof list cl)" claims "completes what can be listed"

done_testing
