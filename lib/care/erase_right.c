/* SPDX-License-Identifier: Apache-2.0 */
/* Who may erase what. */
#include "care/erase_int.h"

#include <string.h>

/* Is it in the namespace that the principal alone writes? */
static bool
is_own_ns(const struct mem_store *s, const struct mem_ns *ns)
{
	return strncmp(ns->name, "agent:", 6) == 0 && strcmp(ns->name + 6, mem_store_principal(s)->agent) == 0;
}

/*
 * What gives rights, or what a team goes by, is made and retired by operators, elsewhere by its owner (belief/core.h): whoever may
 * write beside it may not take it away.  What is only about what goes, as a review, goes with it.
 */
const char *
erase_find_refusal(const struct erase_plan *p, const struct mem_attr *a, enum erase_why why)
{
	const struct mem_kind_info *info = mem_kind_info(a->kind);
	struct mem_ns ns;
	if (mem_ns_by_number(p->t, a->ns, &ns, NULL) != MEM_OK)
		return "namespace_denied";
	const struct mem_access_request ask = { .access = MEM_WRITE, .ns = mem_str(ns.name), .compartment = mem_str(ns.compartment) };
	if (!mem_store_allows(p->store, &ask))
		return "namespace_denied";
	bool guarded = info != NULL && info->rights && why != ERASE_ABOUT && why != ERASE_SPARED;
	return guarded && !is_own_ns(p->store, &ns) && !mem_store_principal(p->store)->is_operator ? "rights_denied" : NULL;
}
