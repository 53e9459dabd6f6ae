/* SPDX-License-Identifier: Apache-2.0 */
/* What may be imported by operators only, since it gives rights, or speaks for another agent. */
#include "write/write.h"

#include "store/edge.h"

static enum mem_status
deny_field(const struct mem_rec *rec, struct mem_json field, const char *why, struct mem_err *err)
{
	return mem_err_record(err, "rights_denied", (size_t)(field.raw.p - rec->text.p), "%s: only an operator may import it", why);
}

static enum mem_status
check_kind_rights(const struct mem_rec *rec, struct mem_err *err)
{
	struct mem_json kind = mem_rec_value(rec, "kind"), edge = mem_rec_value(rec, "edge");
	struct mem_arena a = { 0 };
	bool gives = mem_edge_kind_rights(mem_json_text(&a, edge));
	mem_arena_release(&a);
	if (gives)
		return deny_field(rec, edge, "an edge that gives rights", err);
	for (enum mem_kind k = MEM_KIND_NONE + 1; k < MEM_KIND_COUNT; k++)
		if (mem_kind_info(k)->rights && mem_json_is(kind, mem_kind_name(k)))
			return deny_field(rec, kind, "a kind that gives rights", err);
	return MEM_OK;
}

/* It may be missing, or name nobody; what is no object names somebody that we cannot read. */
static enum mem_status
check_origin_rights(const struct mem_store *s, const struct mem_rec *rec, struct mem_err *err)
{
	struct mem_json origin = mem_rec_value(rec, "origin"), agent = mem_json_member(origin, "agent");
	if (!mem_json_there(origin) || origin.type == MEM_JSON_NULL)
		return MEM_OK;
	if (origin.type == MEM_JSON_OBJECT && (!mem_json_there(agent) || agent.type == MEM_JSON_NULL ||
	    mem_json_is(agent, mem_store_principal(s)->agent)))
		return MEM_OK;
	return deny_field(rec, origin, "the origin of another agent", err);
}

/* One that no event may have, as system, gives a text weight where it is shown to a model. */
static enum mem_status
check_role_rights(const struct mem_rec *rec, struct mem_err *err)
{
	struct mem_json role = mem_rec_value(rec, "role");
	bool known = role.type != MEM_JSON_STRING || mem_json_is(role, "");
	for (enum mem_role r = MEM_ROLE_USER; !known && r <= MEM_ROLE_EVENT; r++)
		known = mem_json_is(role, mem_role_name(r));
	return known ? MEM_OK : deny_field(rec, role, "a role that no event may have", err);
}

enum mem_status
mem_write_import_rights(const struct mem_store *s, const struct mem_rec *rec, struct mem_err *err)
{
	double trust;
	struct mem_json v = mem_rec_value(rec, "trust");
	enum mem_status st = check_kind_rights(rec, err);
	if (st == MEM_OK)
		st = check_origin_rights(s, rec, err);
	if (st == MEM_OK)
		st = check_role_rights(rec, err);
	if (st == MEM_OK && mem_json_num(v, &trust) && trust > mem_conf_num(mem_store_conf(s), "capture.trust_max"))
		return deny_field(rec, v, "trust over capture.trust_max", err);
	return st;
}
