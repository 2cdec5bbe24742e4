#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Without root: three numbers, flagged, with the remedy; exit status 3.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/layers.sh
. "$(dirname "$0")/../layers.sh"
need root
need command jq setpriv

dir=$(tap_dir)
chmod 711 "$dir"
mkdir "$dir/plain"
chown 65534:65534 "$dir/plain"
install -m 755 "$IOPROOF" "$dir/ioproof"
json=$dir/plain/document.json

capture setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
	env -C "$dir/plain" "$dir/ioproof" run --json document.json --rounds 6 read-path:size=32M
is "$status" 3 "exit status 3"
[ "$status" = 3 ] || echo "# $err"
is "$(jq -r '[.measurements[] | .case + "=" + .verdict] | sort | join(" ")' "$json")" \
	"cold=flagged direct=flagged warm=flagged" "three numbers, flagged"
is "$(jq '[.measurements[].median | numbers] | length' "$json")" 3 "all three are shown"
like "$out" 'sudo ioproof run' "the remedy for a shell is printed"
like "$out" '--privileged|--cap-add' "the remedy for a container is printed"
like "$(findings_of direct)" 'missing-privilege' "the finding is missing-privilege"
valid_document "the document is valid"
rm -f "$json"
is "$(ls -A "$dir/plain")" "" "nothing is left behind"
done_testing
