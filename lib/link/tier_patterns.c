/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns: as they are read, and as they are written. */
#include "link/tier_int.h"

#include <stdlib.h>

#include "base/order.h"
#include "store/node.h"
#include "text/text.h"

enum { SNAPSHOT = 1000 };
const char *const tier_state_words[] = { "waiting", "approved", "shared", "held", NULL };

/* ---- identity ------------------------------------------------------------------- */

static int
compare_item_names(const void *a, const void *b)
{
	return mem_str_cmp(*(const struct mem_str *)a, *(const struct mem_str *)b);
}

struct mem_str
tier_pattern_identity(struct mem_arena *a, struct mem_str items)
{
	struct mem_str *names = NULL, out;
	size_t n = 0, cap = 0;
	struct mem_buf b = { 0 };
	for (struct mem_json_iter it = mem_json_each((struct mem_json){ items, MEM_JSON_ARRAY, false }); mem_json_next(&it);) {
		mem_buf_reset(&b);
		mem_text_fold_name(&b, mem_json_text(a, it.value));
		names = mem_grow(names, &cap, n + 1, sizeof *names);
		names[n++] = mem_arena_str(a, mem_buf_span(&b));
	}
	mem_sort(names, n, sizeof *names, compare_item_names);
	mem_buf_reset(&b);
	mem_buf_printf(&b, "pattern%c[", 31);
	for (size_t i = 0; i < n; i++) {
		mem_buf_puts(&b, i > 0 ? "," : "");
		mem_json_put_string(&b, names[i]);
	}
	mem_buf_putc(&b, ']');
	out = mem_arena_str(a, mem_buf_span(&b));
	mem_buf_release(&b);
	free(names);
	return out;
}

struct mem_id
tier_pattern_id(const char *ns, struct mem_str items)
{
	struct mem_arena a = { 0 };
	struct mem_id id = mem_id_v8(mem_str(ns), tier_pattern_identity(&a, items));
	mem_arena_release(&a);
	return id;
}

/* ---- reading -------------------------------------------------------------------- */

static int64_t
read_pattern_number(const struct mem_rec *rec, const char *name)
{
	int64_t n = 0;
	mem_json_int(mem_rec_value(rec, name), &n);
	return n;
}

bool
tier_pattern_read(struct tier_pattern *out, struct mem_arena *a, struct mem_str json)
{
	struct mem_rec rec = { 0 };
	*out = (struct tier_pattern){ .state = TIER_WAITING, .seen_at = MEM_TIME_NONE };
	bool is = mem_rec_scan(&rec, json, NULL) == MEM_OK && mem_json_is(mem_rec_value(&rec, "kind"), "tag") &&
	    mem_json_is(mem_rec_value(&rec, "type"), "pattern") && mem_rec_value(&rec, "items").type == MEM_JSON_ARRAY &&
	    mem_json_id(mem_rec_value(&rec, "id"), &out->id);
	if (is) {
		out->name = mem_arena_str(a, mem_rec_value(&rec, "name").raw);
		out->items = mem_arena_str(a, mem_rec_value(&rec, "items").raw);
		out->count = read_pattern_number(&rec, "count");
		out->owners = read_pattern_number(&rec, "owners");
		out->nights = read_pattern_number(&rec, "nights");
		if (!mem_time_parse(mem_json_text(a, mem_rec_value(&rec, "seen_at")), &out->seen_at))
			out->seen_at = MEM_TIME_NONE;
		for (int i = 0; i < TIER_STATES; i++)
			if (mem_json_is(mem_rec_value(&rec, "state"), tier_state_words[i]))
				out->state = (enum tier_state)i;
	}
	mem_rec_release(&rec);
	return is;
}

struct pattern_places {
	uint32_t *v;
	size_t n, cap;
	int64_t now;
};

/* A mem_attr_fn. */
static void
note_tag_place(void *ctx, uint32_t ord, const struct mem_attr *a)
{
	struct pattern_places *p = ctx;
	if (a->kind != MEM_KIND_TAG || !mem_attr_live(a, p->now))
		return;
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
	p->v[p->n++] = ord;
}

/* Those of namespace system are patterns whose id is made of their items there. */
static enum mem_status
read_tag_at(struct tier_patterns *out, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct mem_node node;
	struct mem_ns ns;
	struct tier_pattern p;
	enum mem_status st = mem_node_at(t, ord, &node, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st == MEM_DAMAGED || st == MEM_NOTFOUND)
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st != MEM_OK || !mem_str_is(MEM_STR("system"), ns.name) || !tier_pattern_read(&p, &out->arena, node.json))
		return st;
	out->v = mem_grow(out->v, &out->cap, out->n + 1, sizeof *out->v);
	out->v[out->n++] = p;
	return MEM_OK;
}

static int
compare_pattern_ids(const void *a, const void *b)
{
	return mem_id_cmp(&((const struct tier_pattern *)a)->id, &((const struct tier_pattern *)b)->id);
}

enum mem_status
tier_patterns_read(struct tier_patterns *out, struct mem_store *s, struct mem_err *err)
{
	struct pattern_places places = { .now = mem_store_now(s) };
	*out = (struct tier_patterns){ 0 };
	enum mem_status st = mem_attrs_each(s, note_tag_place, &places, err);
	for (size_t i = 0; st == MEM_OK && i < places.n;) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, s, err);
		for (size_t k = 0; st == MEM_OK && k < SNAPSHOT && i < places.n; k++)
			st = read_tag_at(out, t, places.v[i++], err);
		mem_txn_end(t);
	}
	free(places.v);
	mem_sort(out->v, out->n, sizeof *out->v, compare_pattern_ids);
	return st;
}

void
tier_patterns_release(struct tier_patterns *p)
{
	free(p->v);
	mem_arena_release(&p->arena);
}

struct tier_pattern *
tier_patterns_find(const struct tier_patterns *p, const struct mem_id *id)
{
	const struct tier_pattern key = { .id = *id };
	return mem_sorted_find(&key, p->v, p->n, sizeof *p->v, compare_pattern_ids);
}

/* ---- writing -------------------------------------------------------------------- */

struct mem_write_input
tier_pattern_input(struct mem_write_run *r, const char *ns, const struct tier_pattern *p)
{
	struct mem_write_input in = mem_write_run_next(r, p->items.n);
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, ",\"name\":%.*s,\"items\":%.*s,\"count\":%lld,\"owners\":%lld,\"nights\":%lld,\"state\":\"%s\"", (int)p->name.n, p->name.p,
	    (int)p->items.n, p->items.p, (long long)p->count, (long long)p->owners, (long long)p->nights, tier_state_words[p->state]);
	in.ns = mem_str(ns);
	in.more = mem_arena_str(mem_writer_arena(r->writer), mem_buf_span(&b));
	mem_buf_release(&b);
	return in;
}

enum mem_status
tier_pattern_fields(struct mem_write_run *r, const struct tier_pattern *p, struct mem_clean_field **out, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	struct mem_str text = mem_str(mem_arena_printf(a, "{\"name\":%.*s,\"items\":%.*s}", (int)p->name.n, p->name.p, (int)p->items.n, p->items.p));
	struct mem_clean_field *v = mem_arena_alloc(a, TIER_FIELDS * sizeof *v);
	struct mem_finding_list found = { 0 };
	struct mem_clean_rec clean = { 0 };
	struct mem_rec rec = { 0 };
	enum mem_status st = mem_rec_scan(&rec, text, err);
	if (st == MEM_OK)
		st = mem_write_clean(r->writer, &clean, &rec, &found, err);
	if (st == MEM_OK) {
		v[0] = (struct mem_clean_field){ "name", mem_clean_value(&clean, "name") };
		v[1] = (struct mem_clean_field){ "type", mem_clean_word(a, MEM_STR("pattern")) };
		v[2] = (struct mem_clean_field){ "weight", mem_clean_int(a, 1) };
		v[3] = (struct mem_clean_field){ "reinforced_at", mem_clean_null() };
		v[4] = (struct mem_clean_field){ "items", mem_clean_value(&clean, "items") };
		v[5] = (struct mem_clean_field){ "count", mem_clean_int(a, p->count) };
		v[6] = (struct mem_clean_field){ "owners", mem_clean_int(a, p->owners) };
		v[7] = (struct mem_clean_field){ "nights", mem_clean_int(a, p->nights) };
		v[8] = (struct mem_clean_field){ "seen_at", mem_clean_time(a, p->seen_at) };
		v[9] = (struct mem_clean_field){ "state", mem_clean_word(a, mem_str(tier_state_words[p->state])) };
	}
	mem_clean_rec_release(&clean);
	mem_rec_release(&rec);
	*out = v;
	return st;
}

struct mem_write_audit
tier_pattern_audit(struct mem_arena *a, const struct tier_pattern *p, const char *reason)
{
	struct mem_clean_object o = { 0 };
	mem_clean_object_put(&o, "count", mem_clean_int(a, p->count));
	mem_clean_object_put(&o, "owners", mem_clean_int(a, p->owners));
	mem_clean_object_put(&o, "nights", mem_clean_int(a, p->nights));
	return (struct mem_write_audit){ "tier", reason, mem_clean_object_end(&o, a) };
}

enum mem_status
tier_state_queue(struct mem_write_run *r, const struct mem_id *id, enum tier_state state, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(r->writer);
	const struct mem_write_input in = { .ns = MEM_STR("system"), .quiet = true };
	struct mem_clean_field *set = mem_arena_alloc(a, sizeof *set);
	*set = (struct mem_clean_field){ "state", mem_clean_word(a, mem_str(tier_state_words[state])) };
	const struct mem_write_edit edit = { .set = set, .n = 1, .mark = true, .op = "changed" };
	return mem_write_change(r->writer, &in, id, 0, &edit, err);
}

enum mem_status
tier_check_rights(const struct mem_write_run *r, struct mem_err *err)
{
	const struct mem_principal *who = mem_store_principal(mem_writer_store(r->writer));
	return who->is_operator ? MEM_OK : mem_err_set(err, MEM_DENIED, "%s is no operator, and tiers are the operators'", who->agent);
}
