// SPDX-License-Identifier: GPL-2.0-or-later
#include "rules/rules.h"

REGISTRY_DEFINE(rules, "rules");

int rules_judge(enum rule_scope scope, const struct evidence *evidence, struct findings *findings)
{
	_cleanup_(registry_view_free) struct registry_view view = { 0 };
	int r;

	r = registry_view(&registry_rules, &view);
	if (r < 0)
		return r;
	registry_for_each(member, &view) {
		const struct rule *rule = registry_entry(*member, struct rule);

		if (rule->scope == scope)
			rule->judge(evidence, findings);
	}
	return 0;
}
