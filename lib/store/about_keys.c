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
	const char *field;          /* holds an id, or an object that has ids among its members; NULL: the record is of a log */
} about_fields[] = {
	{ MEM_KIND_REVIEW, "subject" }, { MEM_KIND_REVIEW, "payload" }, { MEM_KIND_CONFLICT, "winner" }, { MEM_KIND_CONFLICT, "loser" }, { MEM_KIND_QUERY, NULL },
};

static void
add_about_id(struct store_name_list *l, struct mem_json v)
{
	char text[MEM_ID_LEN + 1];
	struct mem_id id;
	if (!mem_json_id(v, &id))
		return;
	mem_id_format(&id, text);
	store_name_add_folded(l, MEM_STR("=node"), (struct mem_str){ text, MEM_ID_LEN });
}

void
store_about_names(struct store_name_list *l, const struct mem_rec *node, const struct mem_attr *a)
{
	for (size_t i = 0; i < MEM_COUNT(about_fields); i++) {
		if (a->kind != about_fields[i].kind)
			continue;
		if (about_fields[i].field == NULL) {
			store_name_add_folded(l, MEM_STR("=log"), MEM_STR("query"));
			continue;
		}
		struct mem_json v = mem_rec_value(node, about_fields[i].field);
		add_about_id(l, v);
		if (v.type == MEM_JSON_OBJECT)
			for (struct mem_json_iter it = mem_json_each(v); mem_json_next(&it);)
				add_about_id(l, it.value);
	}
}
