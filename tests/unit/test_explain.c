// SPDX-License-Identifier: GPL-2.0-or-later
// Each finding that a rule can emit is explained, and a mistyped one is recognised.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants the ones above first. */
#include <cmocka.h>
#include <glob.h>

#include "cmd/near.h"
#include "model/claim.h"
#include "model/finding.h"

#define EXPLAINED_MIN 40 /* characters; a word is no explanation */

static bool explained(const char *text)
{
	return text && strlen(text) >= EXPLAINED_MIN;
}

/* "Refuses device-read", "Flags every claim", "Refuses the number whose case says cold". */
static bool names_claims(const char *text)
{
	bool found = text && (strstr(text, "claim") || strstr(text, "case"));

	for (int claim = 0; text && claim < CLAIM_COUNT; claim++)
		found |= strstr(text, claim_name((enum claim)claim)) != NULL;
	return found;
}

static unsigned missing(const struct finding_kind *kind, const char *part, bool there)
{
	if (!there)
		print_error("%s: no %s\n", kind->head.id, part);
	return !there;
}

static void test_each_finding_has_meaning_proof_example_and_remedy(void **state)
{
	struct registry_view view;
	unsigned gaps = 0;

	assert_int_equal(registry_view(&registry_findings, &view), 0);
	registry_for_each(member, &view) {
		const struct finding_kind *kind = registry_entry(*member, struct finding_kind);

		gaps += missing(kind, "summary", kind->head.summary && *kind->head.summary);
		gaps += missing(kind, "meaning", explained(kind->meaning));
		gaps += missing(kind, "established", explained(kind->established));
		gaps += missing(kind, "example", explained(kind->example));
		gaps += missing(kind, "touches (claims)", names_claims(kind->touches));
		gaps += missing(kind, "remedy", kind->remedy && *kind->remedy);
	}
	registry_view_free(&view);
	assert_int_equal(gaps, 0);
}

static char *read_source(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	assert_non_null(file);
	if (getdelim(&text, &room, '\0', file) < 0)
		text[0] = '\0';
	fclose(file);
	return text;
}

/* A kind that no registry holds could be emitted and not explained. */
static unsigned check_registered(const char *path)
{
	static const char start[] = "static const struct finding_kind ";
	_cleanup_free_ char *text = read_source(path);
	unsigned kinds = 0;

	for (const char *at = text; (at = strstr(at, start)); kinds++) {
		_cleanup_free_ char *wanted = NULL;
		int length;

		at += strlen(start);
		length = (int)strcspn(at, " =;");
		wanted = xasprintf("FINDING_REGISTER(%.*s);", length, at);
		if (!strstr(text, wanted))
			fail_msg("%s: no %s", path, wanted);
	}
	return kinds;
}

static void test_each_kind_in_the_sources_is_registered(void **state)
{
	const char *source = getenv("IOPROOF_SOURCE");
	_cleanup_free_ char *pattern = NULL;
	glob_t found;
	unsigned kinds = 0;

	if (!source) {
		print_message("  IOPROOF_SOURCE is not set: run by `make unit`\n");
		skip();
	}
	pattern = xasprintf("%s/harness/*/*.c", source);
	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++)
		kinds += check_registered(found.gl_pathv[i]);
	globfree(&found);
	assert_true(kinds >= 30);
}

static void test_distance_counts_edits(void **state)
{
	assert_int_equal(near_distance("", ""), 0);
	assert_int_equal(near_distance("flush", "flush"), 0);
	assert_int_equal(near_distance("", "abc"), 3);
	assert_int_equal(near_distance("kitten", "sitting"), 3);
	assert_int_equal(near_distance("holes", "hole"), 1);
}

static void assert_near(const char *typed, const char *wanted)
{
	_cleanup_free_ char *near = near_members(&registry_findings, typed);

	if (!wanted)
		assert_null(near);
	else
		assert_non_null(near);
	if (wanted && strncmp(near, wanted, strlen(wanted)) != 0)
		fail_msg("%s: %s comes first, not %s", typed, near, wanted);
}

static void test_mistyped_ids_are_recognised(void **state)
{
	_cleanup_free_ char *long_text = xmalloc(100000);

	assert_near("flush_not_sent", "flush-not-sent");
	assert_near("loop-baking-cached", "loop-backing-cached");
	assert_near("hole", "holes");
	assert_near("fuse", "fuse-layer");
	assert_near("zzzzzz", NULL);
	assert_near("", NULL);
	memset(long_text, 'a', 99999);
	long_text[99999] = '\0';
	assert_near(long_text, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_finding_has_meaning_proof_example_and_remedy),
		cmocka_unit_test(test_each_kind_in_the_sources_is_registered),
		cmocka_unit_test(test_distance_counts_edits),
		cmocka_unit_test(test_mistyped_ids_are_recognised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
