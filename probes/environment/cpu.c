// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "probes/environment/cgroup_limits.h"
#include "probes/witnesses/named_numbers.h"

/* Linux' documentation: cgroup-v2 "cpu.max" ("$MAX $PERIOD"), v1 cpu.cfs_quota_us (-1: none). */
static bool parse_quota(const struct sysroot *root, const char *directory, int version,
	const char *text, uint64_t *ret)
{
	uint64_t quota, period = 0;
	int fields = sscanf(text, "%" SCNu64 " %" SCNu64, &quota, &period);

	if (text[0] == '-' || fields < 1)
		return false;
	if (version == 1)
		(void)sysroot_read_u64(root, &period, "%s/cpu.cfs_period_us", directory);
	if (!period || quota > UINT64_MAX / 1000)
		return false;
	*ret = quota * 1000 / period;
	return true;
}

static const struct cgroup_limit_kind quota = { "cpu", "cpu.cfs_quota_us", "cpu.max", parse_quota };

static void read_count(const char *text, const char *name, uint64_t scale, struct known_count *ret)
{
	uint64_t value;

	if (named_number(text, name, &value) == 0)
		*ret = (struct known_count){ true, value * scale };
}

static void probe_throttling(const struct environment_sources *sources, struct environment_cpu *cpu)
{
	int version = 0;
	_cleanup_free_ char *text =
		cgroup_file_read(sources, "cpu", "cpu.stat", "cpu.stat", &version);

	if (!text)
		return;
	read_count(text, "nr_periods", 1, &cpu->periods);
	read_count(text, "nr_throttled", 1, &cpu->throttled_periods);
	if (version == 1)
		read_count(text, "throttled_time", 1, &cpu->throttled_ns);
	else
		read_count(text, "throttled_usec", 1000, &cpu->throttled_ns);
}

/* proc_stat(5): user nice system idle iowait irq softirq steal; guest times are in user's. */
static void probe_steal(const struct sysroot *root, struct environment_cpu *cpu)
{
	_cleanup_free_ char *text = NULL;
	uint64_t time[8];
	double all = 0;

	if (sysroot_read(root, (size_t)(4 * MIB), &text, NULL, "proc/stat") < 0 ||
		sscanf(text,
			"cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			" %" SCNu64 " %" SCNu64,
			&time[0], &time[1], &time[2], &time[3], &time[4], &time[5], &time[6],
			&time[7]) != 8)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(time); i++)
		all += (double)time[i];
	if (all <= 0)
		return;
	cpu->steal_known = true;
	cpu->steal_share = (double)time[7] / all;
}

/* "0-3,8" of Cpus_allowed_list: what cpusets and affinity leave; 0: not such a list. */
static unsigned allowed(const char *status)
{
	_cleanup_free_ char *list = colon_value(status, "Cpus_allowed_list");
	unsigned count = 0;
	char *rest = list, *range;

	while ((range = strsep(&rest, ","))) {
		unsigned first, last;
		int fields = sscanf(range, "%u-%u", &first, &last);

		if (fields < 1 || (fields == 2 && (last < first || last - first >= CPU_SETSIZE)))
			return 0;
		count += fields == 2 ? last - first + 1 : 1;
	}
	return count;
}

/* Each processor has its paragraph in cpuinfo; s390 says how many there are. */
static unsigned processors(const char *cpuinfo)
{
	_cleanup_free_ char *total = colon_value(cpuinfo, "# processors");
	unsigned count = 0;

	if (total && sscanf(total, "%u", &count) == 1)
		return count;
	for (const char *line = cpuinfo; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		count += strncmp(line, "processor\t", 10) == 0 ||
			strncmp(line, "processor:", 10) == 0;
		if (!*line)
			break;
	}
	return count;
}

/* Each architecture names its processor in its own way: x86, POWER, ARM boards, RISC-V, s390. */
static char *model(const char *cpuinfo)
{
	static const char *const fields[] = { "model name", "cpu", "Model", "Hardware", "uarch",
		"vendor_id" };
	char *value = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(fields) && !value; i++)
		value = colon_value(cpuinfo, fields[i]);
	return value;
}

static unsigned count_processors(const struct environment_sources *sources)
{
	unsigned count;
	cpu_set_t set;

	if (sources->root->live)
		return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : 0;
	count = allowed(sources->status);
	return count ? count : processors(sources->cpuinfo);
}

static void probe(const struct environment_sources *sources, struct environment *environment)
{
	const struct sysroot *root = sources->root;
	struct environment_cpu *cpu = &environment->cpu;

	environment->cpus = count_processors(sources);
	cpu->model = model(sources->cpuinfo);
	(void)sysroot_read_line(
		root, &cpu->governor, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	cgroup_limit_read(sources, &quota, &cpu->quota);
	probe_throttling(sources, cpu);
	probe_steal(root, cpu);
}

static const struct environment_probe cpu_probe = {
	.head = { "cpu", 20, "processors, quota and throttling, steal, governor" },
	.probe = probe,
};
REGISTER(environment_probes, cpu_probe);
