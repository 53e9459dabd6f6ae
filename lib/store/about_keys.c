/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records about others in table name: found when what they are about is erased.  Reviews and conflicts by the ids in their
 * fields, type "=node"; the query log by type "=log" and the name "query", so that it lies together in each namespace.
 */
#include "record/record.h"
#include "store/node.h"
#include "store/store_int.h"

static const struct {
	enum mem_kind kind;
	const char *field;          /* holds an id; NULL: the record is of a log */
} about_fields[] = {
	{ MEM_KIND_REVIEW, "subject" }, { MEM_KIND_CONFLICT, "winner" }, { MEM_KIND_CONFLICT, "loser" }, { MEM_KIND_QUERY, NULL },
};

void
store_about_names(struct store_name_list *l, const struct mem_rec *node, const struct mem_attr *a)
{
	for (size_t i = 0; i < MEM_COUNT(about_fields); i++) {
		struct mem_id id;
		if (a->kind != about_fields[i].kind)
			continue;
		if (about_fields[i].field == NULL) {
			store_name_add_folded(l, MEM_STR("=log"), MEM_STR("query"));
			continue;
		}
		char text[MEM_ID_LEN + 1];
		if (!mem_json_id(mem_rec_value(node, about_fields[i].field), &id))
			continue;
		mem_id_format(&id, text);
		store_name_add_folded(l, MEM_STR("=node"), (struct mem_str){ text, MEM_ID_LEN });
	}
}
