// SPDX-License-Identifier: GPL-2.0-or-later
// Signals about the machine that cannot all be right.
#include "rules/rules.h"

static const struct finding_kind environment_contradiction_kind = {
	.head = { .id = "environment-contradiction",
		.summary = "signals about the machine disagree" },
	.meaning = "Two signs of what surrounds this process exclude each other: a file "
		   "that container engines leave behind, in a machine that is no "
		   "container, or a firmware that names another hypervisor than the "
		   "processor does. Neither is believed unseen; the message says which one "
		   "is followed. Tools that look at one sign only answer wrong here.",
	.established = "Markers, namespaces, the mount table, CPUID, firmware, devices and kernel "
		       "names, each against the others.",
	.example = "A microVM whose root filesystem was made from a container image: "
		   "/.dockerenv exists, and the pid namespace is pid:[4026531836], the "
		   "machine's first. systemd-detect-virt and virt-what answer docker "
		   "there; it is a virtual machine.",
	.touches = "A note for all claims: page-cache-read, device-read, "
		   "buffered-write, device-write, durable-write and metadata-op.",
	.remedy = "None is needed for the numbers. Where the marker is a leftover of the "
		  "image, `rm /.dockerenv` also puts other tools right.",
};
FINDING_REGISTER(environment_contradiction_kind);

static void say(const struct environment_conflict *conflict, struct findings *findings)
{
	/* The subject stands in the layer's place, so that two of them are not merged into one. */
	struct finding *finding = finding_add(
		findings, &environment_contradiction_kind, SEVERITY_NOTE, conflict->subject);

	finding_message(
		finding, "%s, but %s: %s", conflict->one, conflict->other, conflict->belief);
	finding_source(finding, "signs of the environment");
	finding_observe_text(finding, "one", conflict->one);
	finding_observe_text(finding, "other", conflict->other);
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	const struct environment *e = evidence->environment;

	for (size_t i = 0; e && i < e->conflicts; i++)
		say(&e->conflict[i], findings);
}

static const struct rule environment_contradiction_rule = {
	.head = { .id = "environment-contradiction",
		.order = 300,
		.summary = "what surrounds the run is told, and where signs of it disagree" },
	.scope = RULE_TARGET,
	.judge = judge,
};
RULE_REGISTER(environment_contradiction_rule);
