// SPDX-License-Identifier: GPL-2.0-or-later
// Limits, privileges and counters of a machine, and the notes that rules make of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/environment/environment_probe.h"
#include "report/text.h"
#include "rules_case.h"
#include "synthetic.h"

static void probe(const struct synthetic *tree, struct environment *ret)
{
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	struct error error;

	assert_int_equal(sysroot_open(tree->directory, &root, &error), 0);
	environment_probe(&root, ret);
}

static void make_v2(struct synthetic *tree)
{
	synthetic_make(tree);
	synthetic_file(tree, "proc/self/cgroup", "0::/a/b\n");
	synthetic_file(tree, "proc/self/mountinfo",
		"1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
		"5 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	synthetic_file(tree, "sys/fs/cgroup/cgroup.controllers", "cpu io memory\n");
}

static void test_strictest_limit_above_counts(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;

	make_v2(&tree);
	synthetic_file(&tree, "sys/fs/cgroup/a/memory.max", "1073741824\n");
	synthetic_file(&tree, "sys/fs/cgroup/a/b/memory.max", "max\n");
	synthetic_file(&tree, "sys/fs/cgroup/a/b/memory.current", "4096\n");
	synthetic_file(&tree, "sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
	synthetic_file(&tree, "sys/fs/cgroup/a/b/cpu.stat",
		"usage_usec 1\nnr_periods 10\nnr_throttled 3\nthrottled_usec 7\n");
	synthetic_file(&tree, "sys/fs/cgroup/a/b/io.max", "8:0 rbps=1048576 wbps=max\n");
	probe(&tree, &e);
	synthetic_remove(&tree);
	assert_true(e.memory.limit.known && e.memory.limit.set);
	assert_int_equal(e.memory.limit.value, GIB);
	assert_string_equal(e.memory.limit.source, "sys/fs/cgroup/a/memory.max");
	assert_int_equal(e.memory.charged_bytes.value, 4096);
	assert_int_equal(e.cpu.quota.value, 1500);
	assert_int_equal(e.cpu.throttled_periods.value, 3);
	assert_int_equal(e.cpu.throttled_ns.value, 7000);
	assert_true(e.io.set);
	assert_int_equal(e.io.value, 1);
}

static void test_root_group_is_known_to_have_no_limit(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;

	make_v2(&tree);
	synthetic_file(&tree, "proc/self/cgroup", "0::/\n");
	probe(&tree, &e);
	synthetic_remove(&tree);
	assert_true(e.memory.limit.known && !e.memory.limit.set);
	assert_true(e.cpu.quota.known && !e.cpu.quota.set);
}

static void test_v1_limits_below_a_bound_root(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;

	synthetic_make(&tree);
	synthetic_file(
		&tree, "proc/self/cgroup", "5:memory:/docker/ab/x\n4:cpu,cpuacct:/docker/ab\n");
	synthetic_file(&tree, "proc/self/mountinfo",
		"5 1 0:26 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
		"6 1 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n");
	synthetic_file(&tree, "sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
	synthetic_file(
		&tree, "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
	synthetic_file(&tree, "sys/fs/cgroup/cpu,cpuacct/docker/ab/cpu.cfs_quota_us", "-1\n");
	probe(&tree, &e);
	synthetic_remove(&tree);
	assert_int_equal(e.memory.limit.value, 512 * MIB);
	assert_true(e.cpu.quota.known && !e.cpu.quota.set);
}

/* memory.high stops the page cache as well as memory.max does; above both it is not asked. */
static void test_memory_high_is_a_limit(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;

	make_v2(&tree);
	synthetic_file(&tree, "sys/fs/cgroup/a/b/memory.max", "1073741824\n");
	synthetic_file(&tree, "sys/fs/cgroup/a/memory.max", "max\n");
	synthetic_file(&tree, "sys/fs/cgroup/a/memory.high", "268435456\n");
	probe(&tree, &e);
	synthetic_remove(&tree);
	assert_int_equal(e.memory.limit.value, 256 * MIB);
	assert_string_equal(e.memory.limit.source, "sys/fs/cgroup/a/memory.high");
}

/* Hybrid: the process is in both hierarchies, a controller in one of them. */
static void test_hybrid_groups_are_read_where_the_controller_is(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;

	synthetic_make(&tree);
	synthetic_file(&tree, "proc/self/cgroup", "5:memory:/x\n1:name=systemd:/y\n0::/y\n");
	synthetic_file(&tree, "proc/self/mountinfo",
		"5 1 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		"6 1 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	synthetic_file(&tree, "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "536870912\n");
	synthetic_file(&tree, "sys/fs/cgroup/unified/cgroup.controllers", "cpu\n");
	synthetic_file(&tree, "sys/fs/cgroup/unified/y/cpu.max", "50000 100000\n");
	probe(&tree, &e);
	synthetic_remove(&tree);
	assert_int_equal(e.memory.limit.value, 512 * MIB);
	assert_int_equal(e.cpu.quota.value, 500);
}

static void test_processors_are_counted_in_every_dialect(void **state)
{
	static const struct {
		const char *cpuinfo, *status;
		unsigned count;
		const char *model;
	} machines[] = {
		{ "processor\t: 0\nmodel name\t: A\n\nprocessor\t: 1\nmodel name\t: A\n", NULL, 2,
			"A" },
		{ "processor\t: 0\nprocessor\t: 1\n", "Cpus_allowed:\t2\nCpus_allowed_list:\t1\n",
			1, NULL },
		{ "processor\t: 0\n", "Cpus_allowed_list:\t0-3,8-11,15\n", 9, NULL },
		{ "processor\t: 0\n", "Cpus_allowed_list:\t3-1,x\n", 1, NULL },
		{ "vendor_id       : IBM/S390\n# processors    : 4\n"
		  "processor 0: version = FF,  identification = 1,  machine = 8561\n",
			NULL, 4, "IBM/S390" },
		{ "processor\t: 0\ncpu\t\t: POWER9 (raw)\n", NULL, 1, "POWER9 (raw)" },
		{ "processor\t: 0\nBogoMIPS\t: 108.00\n\nModel\t\t: Raspberry Pi 4 Model B\n", NULL,
			1, "Raspberry Pi 4 Model B" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		_cleanup_(environment_free) struct environment e = { 0 };
		struct synthetic tree;

		synthetic_make(&tree);
		synthetic_file(&tree, "proc/cpuinfo", machines[i].cpuinfo);
		if (machines[i].status)
			synthetic_file(&tree, "proc/self/status", machines[i].status);
		probe(&tree, &e);
		synthetic_remove(&tree);
		assert_int_equal(e.cpus, machines[i].count);
		assert_int_equal(!e.cpu.model, !machines[i].model);
		if (machines[i].model)
			assert_string_equal(e.cpu.model, machines[i].model);
	}
}

static void test_nothing_readable_is_unknown(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;

	synthetic_make(&tree);
	probe(&tree, &e);
	synthetic_remove(&tree);
	assert_false(e.memory.limit.known);
	assert_false(e.cpu.quota.known);
	assert_false(e.cpu.steal_known);
	assert_false(e.clock.reading_ns.known);
	assert_false(e.cap_known);
	assert_false(e.io_pressure.known);
	assert_int_equal(e.privileges.user_namespace, YES_NO_UNKNOWN);
	assert_null(e.privileges.seccomp);
}

static void test_privileges_and_counters_are_decoded(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	struct synthetic tree;

	synthetic_make(&tree);
	synthetic_file(&tree, "proc/self/status",
		"Name:\tx\nCapEff:\t00000000a80425fb\nNoNewPrivs:\t1\nSeccomp:\t2\n");
	synthetic_file(&tree, "proc/self/uid_map", "         0       1000          1\n");
	synthetic_file(&tree, "proc/stat", "cpu  50 0 20 20 0 0 0 10 0 0\ncpu0 1\n");
	synthetic_file(&tree, "proc/pressure/io",
		"some avg10=1.50 avg60=0.00 avg300=0.00 total=1\n"
		"full avg10=0.50 avg60=0.00 avg300=0.00 total=1\n");
	synthetic_file(&tree, "proc/pressure/cpu", "some avg10=7.25 avg60=0.00 total=1\n");
	synthetic_file(&tree, "proc/pressure/memory", "garbage\n");
	synthetic_file(&tree, "proc/sys/vm/dirty_ratio", "20\n");
	probe(&tree, &e);
	synthetic_remove(&tree);
	assert_true(e.cap_known);
	assert_false(e.cap_sys_admin);
	assert_string_equal(e.privileges.seccomp, "filter");
	assert_int_equal(e.privileges.no_new_privileges, YES_NO_YES);
	assert_int_equal(e.privileges.user_namespace, YES_NO_YES);
	assert_float_equal(e.cpu.steal_share, 0.1, 1e-9);
	assert_float_equal(e.io_pressure.some_avg10, 1.5, 1e-9);
	assert_true(e.cpu_pressure.known);
	assert_float_equal(e.cpu_pressure.some_avg10, 7.25, 1e-9);
	assert_false(e.memory_pressure.known);
	assert_int_equal(e.memory.dirty_ratio.value, 20);
	assert_false(e.memory.dirty_bytes.known);
}

static void test_clock_of_this_machine_is_measured(void **state)
{
	_cleanup_(environment_free) struct environment e = { 0 };
	_cleanup_(sysroot_close) struct sysroot root = SYSROOT_CLOSED;
	struct error error;

	assert_int_equal(sysroot_open(NULL, &root, &error), 0);
	environment_probe(&root, &e);
	assert_true(e.clock.reading_ns.known);
	assert_in_range(e.clock.reading_ns.value, 1, 1000000);
	assert_true(e.virtualization.known);
	assert_true(e.container.known);
}

static void judge(struct environment *e, struct findings *findings)
{
	struct measurement m = { .samples = 6 };
	const struct measurement *self = &m;
	struct sample sample[6] = { 0 };
	struct scene s;

	scene_honest(&s, scene_plain, SCENE_DIRECT);
	m.claim = s.evidence.claim;
	m.sample = sample;
	s.evidence.environment = e;
	s.evidence.measurement = &m;
	s.evidence.sibling = &self;
	s.evidence.siblings = 1;
	scene_judge(&s, RULE_MEASUREMENT, findings);
	stack_free(&s.stack);
}

static const char *const noted[] = { "environment-contradiction", "memory-limit", "cpu-throttled",
	"cpu-steal", "clock-costly", "io-throttled" };

static void test_limits_are_notes(void **state)
{
	struct environment e = { .cpus = 4, .memory_bytes = 8 * GIB };
	struct findings findings = { 0 };

	e.memory.limit = (struct known_limit){ true, true, GIB, xstrdup("memory.max") };
	e.cpu.quota = (struct known_limit){ true, true, 1500, xstrdup("cpu.max") };
	e.io = (struct known_limit){ true, true, 1, xstrdup("io.max") };
	e.cpu.steal_known = true;
	e.cpu.steal_share = 0.05;
	e.clock.reading_ns = (struct known_count){ true, 900 };
	environment_conflict_add(&e, "container", "/.dockerenv exists", "pid:[1]", "no container");
	environment_conflict_add(&e, "virtualization", "a", "b", "c");
	judge(&e, &findings);
	for (size_t i = 0; i < ARRAY_SIZE(noted); i++) {
		const struct finding *finding = findings_find(&findings, noted[i]);

		assert_non_null(finding);
		assert_int_equal(finding->severity, SEVERITY_NOTE);
		assert_non_null(finding->source);
	}
	assert_non_null(strstr(findings_find(&findings, noted[0])->message, "/.dockerenv"));
	findings_free(&findings);
	environment_free(&e);
}

static void test_unknown_and_unlimited_say_nothing(void **state)
{
	struct environment e = { .cpus = 2, .memory_bytes = GIB };
	struct findings findings = { 0 };

	e.memory.limit = (struct known_limit){ true, true, 2 * GIB, xstrdup("memory.max") };
	e.cpu.quota = (struct known_limit){ true, true, 2000, xstrdup("cpu.max") };
	e.cpu.steal_known = true;
	e.clock.reading_ns = (struct known_count){ true, 26 };
	judge(&e, &findings);
	judge(NULL, &findings);
	for (size_t i = 0; i < ARRAY_SIZE(noted); i++)
		assert_null(findings_find(&findings, noted[i]));
	findings_free(&findings);
	environment_free(&e);
}

static void check_sentence(struct environment *e, const char *expected)
{
	_cleanup_free_ char *sentence = environment_sentence(e);

	assert_string_equal(sentence, expected);
}

static void test_sentence_never_says_none_unseen(void **state)
{
	struct environment e = { 0 };

	check_sentence(&e, "whether in a VM or a container cannot be told");
	e.container.known = e.virtualization.known = e.virtualization.decisive = true;
	check_sentence(&e, "no sign of a VM or a container");
	environment_list_add(&e.virtualization, "hypervisor", "kvm", "x");
	environment_list_add(&e.virtualization, "monitor", "firecracker", "x");
	check_sentence(&e, "in a VM (kvm, firecracker)");
	environment_list_add(&e.container, "container", "docker", "x");
	check_sentence(&e, "in a container (docker), in a VM (kvm, firecracker)");
	environment_free(&e);
	environment_list_add(&e.container, "container", "docker", "x");
	check_sentence(&e, "in a container (docker); whether in a VM cannot be told");
	environment_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strictest_limit_above_counts),
		cmocka_unit_test(test_root_group_is_known_to_have_no_limit),
		cmocka_unit_test(test_v1_limits_below_a_bound_root),
		cmocka_unit_test(test_memory_high_is_a_limit),
		cmocka_unit_test(test_hybrid_groups_are_read_where_the_controller_is),
		cmocka_unit_test(test_processors_are_counted_in_every_dialect),
		cmocka_unit_test(test_nothing_readable_is_unknown),
		cmocka_unit_test(test_privileges_and_counters_are_decoded),
		cmocka_unit_test(test_clock_of_this_machine_is_measured),
		cmocka_unit_test(test_limits_are_notes),
		cmocka_unit_test(test_unknown_and_unlimited_say_nothing),
		cmocka_unit_test(test_sentence_never_says_none_unseen),
	};

	return cmocka_run_group_tests_name("environment limits", tests, NULL, NULL);
}
