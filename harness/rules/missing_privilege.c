// SPDX-License-Identifier: GPL-2.0-or-later
// What could not be checked for want of a privilege.
#include "rules/attribution.h"

static const struct finding_kind missing_privilege_kind = {
	.head = { .id = "missing-privilege",
		.summary = "a check needs a privilege that this process does not have" },
	.meaning = "Without root ioproof makes no private cgroup and no fixture. What a device "
		   "counted is then everybody's, and nothing shows that it is this process's: the "
		   "number may well be right, and it is not proved.",
	.established = "This process's effective capabilities, and the attempt to make a cgroup.",
	.example = "As user nobody: 64 MiB read with O_DIRECT at 564 MB/s, all of them "
		   "counted at vda, on a machine where others moved up to 26 MiB meanwhile. "
		   "Nothing shows whose the 64 MiB were; as root a private cgroup does.",
	.touches = "Flags device-read, device-write and durable-write; a note for "
		   "page-cache-read.",
	.remedy =
		"Run it as root: `sudo ioproof run`, `sudo ioproof probe`; in a container (docker "
		"has the same flags): `podman run --privileged --cgroupns=host -v "
		"/sys/fs/cgroup:/sys/fs/cgroup:rw`.",
};
FINDING_REGISTER(missing_privilege_kind);

static void say_device(
	const struct evidence *e, const struct attribution *a, struct findings *findings)
{
	const char *why = attribution_missing(e->environment);
	struct finding *finding =
		finding_add(findings, &missing_privilege_kind, SEVERITY_FLAG, a->layer->name);

	if (a->state == ATTRIBUTION_UNKNOWN)
		finding_message(
			finding, "whose bytes %s counted is not known: %s", a->layer->name, why);
	else
		finding_message(finding,
			"whose bytes %s counted is not proved (%s); quiet intervals put others at "
			"%.1f %%",
			a->layer->name, why, 100 * a->share);
	finding_source(finding, "capabilities and cgroup of this process");
	finding_observe_text(finding, "private_cgroup", why);
	if (a->state != ATTRIBUTION_UNKNOWN)
		finding_observe_real(finding, "foreign_share", a->share);
}

/* Nothing that page-cache-read needs is missing; a second witness is. */
static void say_cached(const struct evidence *e, struct findings *findings)
{
	struct finding *finding =
		finding_add(findings, &missing_privilege_kind, SEVERITY_NOTE, NULL);

	finding_message(finding, "no device was read, by /proc/self/io alone: %s",
		attribution_missing(e->environment));
	finding_source(finding, "capabilities and cgroup of this process");
}

static void judge(const struct evidence *evidence, struct findings *findings)
{
	struct attribution a = attribution_judge(evidence);

	if (!attribution_lacks_privilege(evidence->environment))
		return;
	if (evidence->claim == CLAIM_PAGE_CACHE_READ)
		say_cached(evidence, findings);
	else if (a.state != ATTRIBUTION_NOT_ASKED && a.state != ATTRIBUTION_OURS)
		say_device(evidence, &a, findings);
}

static const struct rule missing_privilege_rule = {
	.head = { .id = "missing-privilege",
		.order = 150,
		.summary = "what could not be checked without privileges is said" },
	.scope = RULE_ROUND,
	.judge = judge,
};
RULE_REGISTER(missing_privilege_rule);
