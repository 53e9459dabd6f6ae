/* SPDX-License-Identifier: Apache-2.0 */
/* Skills whose names stand in a text. */
#ifndef MEM_SKILL_NAMES_H
#define MEM_SKILL_NAMES_H

#include "base/base.h"
#include "store/store.h"

#define MEM_SKILL_NAME_WORDS 6         /* of a name that is found in a text */
#define MEM_SKILL_TASK_WORDS 128       /* of a text that are looked at: the first */

/*
 * A name of one ordinary word, of letters alone, is a word of the text unless that marks it: in quotation marks or backticks, behind a
 * '/' at the start of a word, behind "use" or "skill", before "skill".  All other names are marked by what they are.
 */
struct skill_name_found {
	struct mem_id id;
	bool marked;
};
struct skill_name_list {
	struct skill_name_found *v;     /* OWNS; each skill once, in the order of the text */
	size_t n, cap;
};
/*
 * Live skills of the namespaces that are visible, found as text/names.h finds names; a name with '-' or '_' in it is found with blanks
 * in their place, too ("code review").  What could be a name is looked up, so that the cost goes by the text, not by the skills.
 */
enum mem_status skill_names_find(struct skill_name_list *out, struct mem_txn *t, struct mem_str text, struct mem_err *err) MEM_CHECKED;

#endif
