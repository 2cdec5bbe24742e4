# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Liars and twins judged by the probe's document in $json, and their score: after tap.sh.

caught=0 liars=0 accused=0 twins=0 untried=

# A liar or twin that this machine cannot be asked about: the score says so.
cannot_try() { # NAME REASON
	skip "$1" "$2"
	untried="$untried${untried:+, }$1"
}

# The findings of one claim, and its verdict first.
claim() { # CLAIM
	jq -r --arg claim "$1" '.claims[] | select(.claim == $claim)
		| [.verdict] + [.findings[].id] | join(" ")' "$json"
}

said() {
	jq -c '.claims[] | [.claim, .verdict, [.findings[] | [.id, .severity, .layer, .message]]]' "$json"
}

liar() { # NAME CLAIM VERDICT FINDING [LAYER-REGEX]; the probe was just made
	local name=$1 found layer=${5:-.}
	liars=$((liars + 1))
	found=$(claim "$2")
	if [[ " $found " == "$3 "* || " $found " == " $3 "* ]] && [[ " $found " == *" $4 "* ]] &&
		jq -e --arg claim "$2" --arg id "$4" --arg layer "$layer" '.claims[]
			| select(.claim == $claim) | .findings[] | select(.id == $id)
			| (.layer // "-") | test($layer)' "$json" >/dev/null; then
		ok "liar caught: $name: $2 is $3 for $4"
		caught=$((caught + 1))
	else
		not_ok "liar caught: $name: $2 should be $3 for $4 at $layer" "$(said)" "${err-}"
	fi
}

# Nothing refused, and none of the findings that its lying relatives earn.
twin() { # NAME FINDING...
	local name=$1 finding bad=
	shift
	twins=$((twins + 1))
	[ "$(jq '[.claims[] | select(.verdict == "refused")] | length' "$json")" = 0 ] || bad=refused
	for finding; do
		jq -e --arg id "$finding" '[.claims[].findings[] | select(.id == $id
			and .severity != "note")] | length == 0' "$json" >/dev/null || bad="$bad $finding"
	done
	if [ -z "$bad" ]; then
		ok "twin not accused: $name"
	else
		not_ok "twin not accused: $name: $bad" "$(said)" "${err-}"
		accused=$((accused + 1))
	fi
}

# Of no liar and no twin at all nothing is perfect, and what was not tried is no part of it.
score_is_perfect() {
	echo "# score: caught $caught / $liars liars, falsely accused $accused / $twins twins${untried:+; not tried here: $untried}"
	is "$caught/$liars $accused" "$liars/$liars 0" \
		"every liar ${untried:+that was tried }is caught and no twin accused"
	holds "$liars > 0 && twins > 0" "there were liars and twins"
	[ -z "$untried" ] || skip "every liar and twin is tried" "not here: $untried"
}
