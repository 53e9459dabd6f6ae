/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in table name: lanes and what is in them. */
#include "store/fact_keys.h"
#include "store/row_owner_int.h"

#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "store/node.h"
#include "store/store_int.h"

/*
 * A name: the parts of the lane, a SEPARATOR behind each, and 16 hexadecimal digits of the time.  Cut parts keep it short
 * of MEM_NAME_PREFIX, behind which names are not in order.
 */
enum { SEPARATOR = 0x1f, PART_MAX = 64, TIME_DIGITS = 16 };
#define BEHIND_NAME (1 + sizeof(struct mem_hash) + 4) /* 0, H128, ord */

static const struct mem_str lane_types[] = {
	[MEM_FACT_SAYS] = MEM_STR_INIT("=says"), [MEM_FACT_CLAIM] = MEM_STR_INIT("=claim"), [MEM_FACT_TOPIC] = MEM_STR_INIT("=topic"),
};

/* ---- names -------------------------------------------------------------- */

static void
put_part(struct mem_buf *out, const struct mem_store *s, struct mem_str part)
{
	if (part.n <= PART_MAX) {
		mem_buf_str(out, part);
	} else {
		mem_buf_put(out, part.p, PART_MAX - 16);
		mem_buf_printf(out, "%016llx", (unsigned long long)mem_hash64(s->secret, part));
	}
	mem_buf_putc(out, SEPARATOR);
}

static void
put_folded_part(struct mem_buf *out, const struct mem_store *s, mem_fold_fn *fold, struct mem_str part)
{
	struct mem_buf folded = { 0 };
	fold(&folded, part);
	put_part(out, s, mem_buf_span(&folded));
	mem_buf_release(&folded);
}

static void
put_time(struct mem_buf *out, int64_t at)
{
	mem_buf_printf(out, "%016llx", (unsigned long long)((uint64_t)at ^ (uint64_t)1 << 63));
}

static int64_t
read_time(const char *p)
{
	char digits[TIME_DIGITS + 1] = { 0 };
	memcpy(digits, p, TIME_DIGITS);
	return (int64_t)((uint64_t)strtoull(digits, NULL, 16) ^ (uint64_t)1 << 63);
}

void
mem_fact_put_object(struct mem_buf *out, mem_fold_fn *fold, struct mem_str type, struct mem_str text)
{
	if (type.n == 0) {
		mem_buf_str(out, text);
		return;
	}
	mem_buf_str(out, type);
	mem_buf_putc(out, ':');
	fold(out, text);
}

void
mem_fact_put_lane(struct mem_buf *out, const struct mem_store *s, mem_fold_fn *fold, enum mem_fact_lane lane,
    const struct mem_fact_terms *terms)
{
	if (terms->subject.n > 0) {
		put_part(out, s, terms->subject);
		put_part(out, s, terms->predicate);
		if (lane == MEM_FACT_CLAIM) {
			put_part(out, s, terms->object);
			put_part(out, s, terms->negated ? MEM_STR("1") : MEM_STR("0"));
		}
		return;
	}
	mem_buf_putc(out, SEPARATOR); /* no id begins so */
	put_part(out, s, terms->domain);
	put_folded_part(out, s, fold, terms->topic);
	if (lane == MEM_FACT_CLAIM)
		put_folded_part(out, s, fold, terms->statement);
}

/* ---- names of a node ------------------------------------------------------ */

struct fact_reader {
	struct store_name_list *list;
	struct mem_arena arena;     /* of strings that had escapes */
	struct mem_buf name, object;
};

static struct mem_str
read_text(struct fact_reader *r, struct mem_json v)
{
	if (!mem_json_there(v) || v.type != MEM_JSON_STRING)
		return MEM_STR("");
	return v.escaped ? mem_json_text(&r->arena, v) : (struct mem_str){ v.raw.p + 1, v.raw.n - 2 };
}

/* An object as a fact has it; null is any. */
static struct mem_str
read_object(struct fact_reader *r, struct mem_json v)
{
	struct mem_str id = read_text(r, mem_json_member(v, "id")), type = read_text(r, mem_json_member(v, "type"));
	if (!mem_json_there(v) || v.type != MEM_JSON_OBJECT)
		return MEM_STR(MEM_FACT_ANY_OBJECT);
	mem_buf_reset(&r->object);
	if (id.n > 0)
		mem_fact_put_object(&r->object, r->list->fold, MEM_STR(""), id);
	else
		mem_fact_put_object(&r->object, r->list->fold, type.n > 0 ? type : MEM_STR("text"), read_text(r, mem_json_member(v, "value")));
	return mem_buf_span(&r->object);
}

static void
add_lane(struct fact_reader *r, enum mem_fact_lane lane, const struct mem_fact_terms *terms, int64_t at)
{
	mem_buf_reset(&r->name);
	mem_fact_put_lane(&r->name, r->list->s, r->list->fold, lane, terms);
	put_time(&r->name, at);
	store_name_add_folded(r->list, lane_types[lane], mem_buf_span(&r->name));
}

static void
add_corrections(struct fact_reader *r, const struct mem_rec *fact, const struct mem_fact_terms *terms)
{
	struct mem_fact_terms corrected = *terms;
	int64_t at;
	corrected.negated = false;
	for (struct mem_json_iter it = mem_json_each(mem_rec_value(fact, "corrects")); mem_json_next(&it);)
		if (mem_time_parse(read_text(r, mem_json_member(it.value, "at")), &at)) {
			corrected.object = read_object(r, mem_json_member(it.value, "object"));
			add_lane(r, MEM_FACT_CLAIM, &corrected, at);
		}
}

static void
add_triple(struct fact_reader *r, const struct mem_rec *fact, struct mem_fact_terms *terms, int64_t at)
{
	struct mem_json negated = mem_rec_value(fact, "negated");
	terms->object = read_object(r, mem_rec_value(fact, "object"));
	terms->negated = mem_json_there(negated) && negated.type == MEM_JSON_TRUE;
	add_lane(r, MEM_FACT_SAYS, terms, at);
	add_lane(r, MEM_FACT_CLAIM, terms, at);
	add_corrections(r, fact, terms);
}

static void
add_statement(struct fact_reader *r, const struct mem_rec *fact, struct mem_fact_terms *terms, int64_t at, bool listed)
{
	terms->domain = read_text(r, mem_rec_value(fact, "domain"));
	terms->topic = read_text(r, mem_rec_value(fact, "topic"));
	terms->statement = read_text(r, mem_rec_value(fact, "statement"));
	if (terms->domain.n > 0 || terms->topic.n > 0)
		add_lane(r, MEM_FACT_TOPIC, terms, at);
	if (listed)
		add_lane(r, MEM_FACT_CLAIM, terms, at);
}

void
store_fact_names(struct store_name_list *l, const struct mem_rec *fact, const struct mem_attr *a)
{
	struct fact_reader r = { .list = l };
	struct mem_fact_terms terms = {
		.subject = read_text(&r, mem_json_member(mem_rec_value(fact, "subject"), "id")),
		.predicate = read_text(&r, mem_rec_value(fact, "predicate")),
	};
	int64_t at = a->valid_from != MEM_TIME_NONE ? a->valid_from : MEM_TIME_MIN; /* since ever */
	struct mem_json reason = mem_rec_value(fact, "superseded_reason");
	bool listed = a->valid_to == MEM_TIME_NONE || a->valid_to > at || mem_json_is(reason, "less_trusted") || mem_json_is(reason, "tie");
	if (terms.subject.n == 0 || terms.predicate.n == 0) {
		terms.subject = MEM_STR("");
		add_statement(&r, fact, &terms, at, listed);
	} else if (listed) {
		add_triple(&r, fact, &terms, at);
	}
	mem_arena_release(&r.arena);
	mem_buf_release(&r.name);
	mem_buf_release(&r.object);
}

/* ---- finding ------------------------------------------------------------ */

/* A key of the lane into *at and *ord; false: the row is of another lane. */
static bool
read_lane_key(struct mem_str key, struct mem_str prefix, int64_t *at, uint32_t *ord)
{
	if (key.n != prefix.n + TIME_DIGITS + BEHIND_NAME || memcmp(key.p, prefix.p, prefix.n) != 0)
		return false;
	*at = read_time(key.p + prefix.n);
	*ord = mem_be32_get((const uint8_t *)key.p + key.n - 4);
	return true;
}

/* The key of a fact of this lane, time and number, and how much of it is the same for all. */
static size_t
make_lane_key(struct mem_txn *t, uint32_t ns, enum mem_fact_lane lane, struct mem_str name, int64_t at, uint32_t ord, uint8_t *key)
{
	struct mem_buf whole = { 0 };
	mem_buf_str(&whole, name);
	put_time(&whole, at);
	mem_be32(key, ns);
	size_t n = 4 + store_name_key(t->s, lane_types[lane], mem_buf_span(&whole), key + 4);
	mem_be32(key + n, ord);
	mem_buf_release(&whole);
	return n + 4;
}

enum mem_status
mem_fact_in_lane(struct mem_txn *t, struct mem_str ns, enum mem_fact_lane lane, struct mem_str name, bool backwards, int64_t *at,
    uint32_t *ord, struct mem_err *err)
{
	uint8_t key[4 + MEM_NAME_KEY_MAX + 4];
	struct store_ns_entry *e;
	struct mem_cursor *c = NULL;
	enum mem_status st = store_ns_by_name(t, ns, false, &e, err);
	if (st != MEM_OK)
		return st == MEM_NOTFOUND ? MEM_END : st;
	bool beginning = !backwards && *at == MEM_TIME_NONE;
	size_t n = make_lane_key(t, e->ns.root, lane, name, *at, *ord, key);
	struct mem_str prefix = { (const char *)key, n - TIME_DIGITS - BEHIND_NAME };
	st = mem_cursor_open(&c, t, MEM_T_NAME, err);
	if (st == MEM_OK)
		st = store_rows_seek(t, MEM_T_NAME, c, beginning ? prefix : (struct mem_str){ (const char *)key, n }, backwards, err);
	if (st == MEM_OK && !backwards && !beginning && mem_str_eq(mem_cursor_key(c), (struct mem_str){ (const char *)key, n }))
		st = store_rows_step(t, MEM_T_NAME, c, false, err);
	if (st == MEM_OK && !read_lane_key(mem_cursor_key(c), prefix, at, ord))
		st = MEM_END;
	mem_cursor_close(c);
	return st;
}
