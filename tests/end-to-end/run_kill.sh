#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A run killed by SIGKILL at any moment leaves no loop device, mount, file, directory, cgroup or
# process, however many fixtures it builds at once. Kills fall, in turn, at random moments and inside each phase, so that short ones are hit
# too; which phase it was is known from the last line of progress.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
need root

dir=$(tap_dir)
scratch=$dir/scratch
kills=20
[ -z "${IOPROOF_LONG-}" ] || kills=300
need command mkfs.ext4 mkfs.xfs mkfs.btrfs
mkdir "$scratch"

# Two fixtures at once, in turn of these kinds: written, over several devices, sparse.
sets=("--fs ext4:SIZE=128M --fs btrfs:+C,DEVICES=2,SIZE=128M,IMAGE=sparse"
	"--fs xfs:SIZE=300M,IMAGE=fallocated --fs ext4:SIZE=64M,LOOP=buffered")
choose() { # NUMBER
	# shellcheck disable=SC2206
	arguments=(run --quick --scratch "$scratch" ${sets[$1 % ${#sets[@]}]} --progress=plain
		--rounds 3 "read-path:size=16M,bs=64k")
}
choose 0

# Progress is read from descriptor 3. The mark is inherited by all that the run starts.
start_run() { # ARGUMENT...
	exec 3< <(IOPROOF_TEST_MARK=$scratch exec "$IOPROOF" "${arguments[@]}" "$@" 2>&1 >/dev/null)
	pid=$!
	phase=start
}

# One line of progress; $phase is what the run is in now. Fails at the end.
next_line() {
	local line
	read -r -t 60 line <&3 || return 1
	line=${line#ioproof: }
	phase=${line%%:*}
	phase=${phase%% on *}
	[[ $phase != "round "* ]] || phase=rounds
}

# What a dead run could have left.
left_behind() {
	local file
	for file in /sys/block/loop*/loop/backing_file; do
		[ ! -e "$file" ] || grep -H -F "$scratch" "$file" 2>/dev/null
	done
	grep -F "$scratch" /proc/self/mountinfo
	ls -A "$scratch"
	find /sys/fs/cgroup -maxdepth 4 -type d -name "ioproof.$pid.*" 2>/dev/null
	grep -lszxF "IOPROOF_TEST_MARK=$scratch" /proc/[0-9]*/environ
}

# The phases that a whole run goes through, and when each begins.
phases=(start)
start_run
declare -A at_us=([start]=${EPOCHREALTIME/./})
while next_line; do
	[ -z "${at_us[$phase]-}" ] || continue
	phases+=("$phase")
	at_us[$phase]=${EPOCHREALTIME/./}
done
at_us[end]=${EPOCHREALTIME/./}
wait "$pid"
like $? '^[034]$' "a run that nobody kills ends well"
length_us=$((at_us[end] - at_us[start]))
start_us=$((at_us[${phases[1]}] - at_us[start]))
echo "# phases: $(printf '%s; ' "${phases[@]}") ($((length_us / 1000)) ms)"
holds "${#phases[@]} >= 9" "progress names at least eight phases"
settled
is "$(left_behind)" "" "a run that nobody kills leaves nothing"

# A random time below so many microseconds.
pause() { # MICROSECONDS
	local us=$(((RANDOM * 32768 + RANDOM) % $1))
	sleep "$((us / 1000000)).$(printf '%06d' $((us % 1000000)))"
}

declare -A hit=()
dirty=0 killed=0
# AIM: the phase to be hit, or "anywhere". A run that was faster was not killed and does not count.
kill_one() { # AIM
	start_run
	case $1 in
	anywhere) pause "$length_us" ;;
	start) pause "$start_us" ;;
	*)
		while [ "$phase" != "$1" ] && next_line; do :; done
		# Many phases are shorter than a sleep: most kills come at once.
		((RANDOM % 3)) || pause 3000
		;;
	esac
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	local status=$?
	while next_line; do :; done
	if [ "$status" = 137 ]; then
		killed=$((killed + 1))
		hit[$phase]=$((${hit[$phase]-0} + 1))
	fi
	settled && return
	dirty=$((dirty + 1))
	echo "# after kill $killed, in $phase:"
	left_behind | sed 's/^/#   /'
}

for ((n = 0; killed < kills && n < 2 * kills; n++)); do
	choose $((n / 2))
	if ((n % 2)); then
		kill_one "${phases[n / 2 % ${#phases[@]}]}"
	else
		kill_one anywhere
	fi
done
# A phase of less than a millisecond may want more than one try.
for phase_wanted in "${phases[@]}"; do
	for ((n = 0; n < 30 && ${hit[$phase_wanted]-0} == 0; n++)); do
		choose "$n"
		kill_one "$phase_wanted"
	done
done
for phase in "${!hit[@]}"; do
	echo "# killed in \"$phase\": ${hit[$phase]}"
done
is "$dirty" 0 "$killed kills left nothing behind"
missed=()
for phase in "${phases[@]}"; do
	[ -n "${hit[$phase]-}" ] || missed+=("$phase")
done
is "${missed[*]-}" "" "every phase was hit"

choose 0
for signal in INT TERM; do
	start_run --json "$dir/cut.json"
	while [ "$phase" != rounds ] && next_line; do :; done
	kill -"$signal" "$pid"
	wait "$pid"
	is $? 1 "SIG$signal ends a run with status 1"
	settled
	is "$(left_behind)" "" "SIG$signal leaves nothing behind"
	succeeds "SIG$signal: what was measured is a valid document" \
		python3 "$IOPROOF_SOURCE/tests/validate_document.py" "$dir/cut.json"
	like "$(cat "$dir/cut.json")" '"complete": ?false' "SIG$signal: it says it is incomplete"
done
done_testing
