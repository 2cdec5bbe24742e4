// SPDX-License-Identifier: GPL-2.0-or-later
// A remedy names this machine's things where they are known.
#include "rules_case.h"

static void still_resident(struct scene *s)
{
	s->ledger.before.resident = s->ledger.before.pages;
}

static const struct finding *judged(struct scene *s, const char *id, struct findings *findings)
{
	const struct finding *finding;

	scene_judge(s, RULE_ROUND, findings);
	finding = findings_find(findings, id);
	assert_non_null(finding);
	stack_free(&s->stack);
	return finding;
}

static void test_resident_file_is_named_as_the_shell_reads_it(void **state)
{
	static const struct {
		const char *file, *part;
	} files[] = {
		{ "/srv/a b", "`fuser -v '/srv/a b'`" },
		{ "/srv/it's", "`fincore '/srv/it'\\''s'`" },
		{ NULL, "`read-path:file=FILE`" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct findings findings = { 0 };
		struct scene s;
		const struct finding *finding;

		scene_honest(&s, scene_plain, SCENE_COLD);
		still_resident(&s);
		s.evidence.file = files[i].file;
		finding = judged(&s, "cache-not-cold", &findings);
		if (!strstr(finding->remedy, files[i].part))
			fail_msg("%s: no %s", finding->remedy, files[i].part);
		findings_free(&findings);
	}
}

static void test_journalled_data_is_cured_at_the_mount_only(void **state)
{
	struct findings findings = { 0 };
	struct scene s;
	const struct finding *finding;

	scene_honest(&s, scene_plain, SCENE_DIRECT);
	s.stack.layer[0].options = xstrdup("rw,relatime,data=journal");
	layer_set_trait(&s.stack.layer[0], TRAIT_HONOURS_DIRECT, ANSWER_NO, KNOWN_DECLARED,
		"option data=journal");
	finding = judged(&s, "direct-io-swallowed", &findings);
	assert_non_null(strstr(finding->remedy, "without `data=journal`"));
	assert_null(strstr(finding->remedy, "--on"));
	findings_free(&findings);
}

static void test_bindfs_is_told_its_own_option(void **state)
{
	struct findings findings = { 0 };
	struct scene s;
	const struct finding *finding;

	scene_honest(&s, scene_bindfs, SCENE_DIRECT);
	scene_all_read(&s, 0);
	finding = judged(&s, "direct-io-swallowed", &findings);
	assert_non_null(strstr(finding->remedy, "--forward-odirect"));
	assert_null(strstr(finding->remedy, "data=journal"));
	findings_free(&findings);
}

/* The kernel shows bindfs as plain "fuse": the process tells, and the mount's source. */
static void test_fuse_server_is_cured_by_what_it_stands_on(void **state)
{
	static const struct {
		const char *server, *source, *part;
	} servers[] = {
		{ "bindfs", "/srv/a b", "`ioproof run --on '/srv/a b'`" },
		{ "ntfs-3g", "/dev/sdb1", "`mount -t ntfs3 '/dev/sdb1' DIR`" },
		{ "ntfs-3g", "/srv/image", "`mount -t ntfs3 -o loop '/srv/image' DIR`" },
		{ "other", "/srv/data", "`ioproof run --on '/srv/data'`" },
		{ "other", "name", "`ioproof run --on DIR`" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
		struct findings findings = { 0 };
		struct scene s;
		const struct finding *finding;

		scene_honest(&s, scene_bindfs, SCENE_DIRECT);
		scene_all_read(&s, 0);
		free(s.stack.layer[0].name);
		s.stack.layer[0].name = xstrdup("fuse");
		s.stack.layer[0].server_name = xstrdup(servers[i].server);
		s.stack.layer[0].source = xstrdup(servers[i].source);
		finding = judged(&s, "direct-io-swallowed", &findings);
		if (!strstr(finding->remedy, servers[i].part))
			fail_msg("%s: no %s", finding->remedy, servers[i].part);
		findings_free(&findings);
	}
}

/* Its loop device and its mount are gone when the remedy is read; its spec is not. */
static void test_fixture_is_to_be_asked_for_otherwise(void **state)
{
	static const struct fixture_facts buffered = { .preparation = "written",
		.loop_buffered = true };
	const struct finding *finding;
	struct findings findings = { 0 };
	struct scene s;

	scene_honest(&s, scene_fixture, SCENE_DIRECT);
	scene_reads(&s, "vda1", 0);
	scene_reads(&s, "vda", 0);
	s.evidence.fixture = &buffered;
	scene_judge(&s, RULE_ROUND, &findings);
	finding = findings_find(&findings, "loop-backing-cached");
	assert_non_null(finding);
	assert_non_null(strstr(finding->remedy, "`LOOP=buffered`"));
	assert_null(strstr(finding->remedy, "losetup"));
	findings_free(&findings);
	stack_free(&s.stack);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixture_is_to_be_asked_for_otherwise),
		cmocka_unit_test(test_fuse_server_is_cured_by_what_it_stands_on),
		cmocka_unit_test(test_resident_file_is_named_as_the_shell_reads_it),
		cmocka_unit_test(test_journalled_data_is_cured_at_the_mount_only),
		cmocka_unit_test(test_bindfs_is_told_its_own_option),
	};

	return cmocka_run_group_tests_name("rules: remedies", tests, NULL, NULL);
}
