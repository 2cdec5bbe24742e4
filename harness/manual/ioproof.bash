# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion for ioproof(1)

# What this ioproof has of one kind: the first word of each line.
_ioproof_list() {
	ioproof list "$1" 2>/dev/null | sed -n 's/^ *\([a-z0-9][a-z0-9_-]*\).*/\1/p'
}

_ioproof_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

_ioproof_files() { # -d: directories only
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen "$@" -- "$cur")
}

_ioproof_run() {
	case $prev in
	--on | --scratch) _ioproof_files -d ;;
	--fs) _ioproof_words "$(_ioproof_list filesystems)" ;;
	--json) _ioproof_files -f ;;
	--rounds | --seed) ;;
	*)
		case $cur in
		-*)
			_ioproof_words "--on --fs --scratch --rounds --quick --seed --json
				--show-refused --force --progress=plain --help"
			;;
		*) _ioproof_words "$(_ioproof_list workloads)" ;;
		esac
		;;
	esac
}

_ioproof_probe() {
	case $prev in
	--json) _ioproof_files -f ;;
	--sysroot) _ioproof_files -d ;;
	--require) _ioproof_words "$(_ioproof_list claims)" ;;
	*)
		case $cur in
		-*) _ioproof_words "--passive --quick --trace --require --json --sysroot --help" ;;
		*) _ioproof_files -f ;;
		esac
		;;
	esac
}

# Names of fixtures that stay; without root only the mount table's.
_ioproof_fixtures() {
	ioproof fixture list 2>/dev/null | sed -n '1d;s/^\([A-Za-z0-9_][A-Za-z0-9._-]*\) .*/\1/p'
}

_ioproof_fixture() {
	case $prev in
	--scratch)
		_ioproof_files -d
		return
		;;
	--json)
		_ioproof_files -f
		return
		;;
	esac
	case ${COMP_WORDS[2]}:$cur in
	"$cur":*) _ioproof_words "up down list gc --help" ;;
	up:-*) _ioproof_words "--scratch --force --progress=plain --help" ;;
	up:*) _ioproof_words "$(_ioproof_list filesystems)" ;;
	down:*) _ioproof_words "$(_ioproof_fixtures)" ;;
	list:*) _ioproof_words "--json --help" ;;
	esac
}

_ioproof() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}

	COMPREPLY=()
	if [ "$COMP_CWORD" = 1 ]; then
		_ioproof_words "run probe fixture explain list --help --version"
		return
	fi
	case ${COMP_WORDS[1]} in
	run) _ioproof_run ;;
	probe) _ioproof_probe ;;
	fixture) _ioproof_fixture ;;
	explain) [ "$COMP_CWORD" != 2 ] || _ioproof_words "$(_ioproof_list findings) --help" ;;
	list) _ioproof_words "workloads claims findings rules probes filesystems --help" ;;
	esac
}

complete -F _ioproof ioproof
