#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The recipes of CONTRIBUTING.md are true: the code in them compiles. Under check-long, each is put
# into a copy of the sources as the one new file, and the program lists what it registers.
. "$(dirname "$0")/../tap.sh"

need command gcc pkg-config make

cd "$IOPROOF_SOURCE" || exit 1
recipe() { # HEADING-WORDS
	awk -v wanted="### $1" '/^###? / { on = index($0, wanted) == 1 } on && /^(    |$)/ {
		print substr($0, 5) }' CONTRIBUTING.md
}
recipe "A stack probe" >"$(tap_dir)/probe.c"
recipe "A rule" >"$(tap_dir)/rule.c"

flags=$(pkg-config --cflags mount jansson)
for file in probe rule; do
	# shellcheck disable=SC2086
	succeeds "the recipe compiles without a warning: $file" gcc -std=gnu17 -D_GNU_SOURCE -Wall \
		-Wextra -Werror -Iharness -I. $flags -fsyntax-only "$(tap_dir)/$file.c"
done

if [ -z "${IOPROOF_LONG-}" ]; then
	skip "one new file is enough" "takes long: only under make check-long"
else
	copy=$(tap_dir)/copy
	mkdir "$copy"
	cp -a Makefile harness probes fixtures scripts tests .ci "$copy"
	cp "$(tap_dir)/probe.c" "$copy/probes/stack/examplefs.c"
	cp "$(tap_dir)/rule.c" "$copy/harness/rules/example_lie.c"
	succeeds "it builds with the new files alone" make -s -C "$copy" B="$copy/build"
	like "$("$copy/build/ioproof" list probes)" examplefs "the new probe is listed"
	like "$("$copy/build/ioproof" list findings)" example-lie "the new finding is listed"
fi
done_testing
