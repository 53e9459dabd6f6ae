/* SPDX-License-Identifier: Apache-2.0 */
/* A store with episodes, and a ledger whose claims are written by hand. */
#ifndef BELIEF_WORLD_H
#define BELIEF_WORLD_H

#include "own_check.h"
#include "own_store.h"

#include "belief/entity.h"
#include "belief/fact.h"
#include "belief/known.h"
#include "belief/rules.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/node.h"
#include "words/words.h"
#include "write/write.h"

#define NS MEM_STR("agent:ada")
#define NOW INT64_C(1790000000000)
#define DAY INT64_C(86400000)

static struct mem_index m;
static struct mem_writer *w;
static struct mem_entities *entities;
static struct mem_ledger *ledger;
static struct mem_write_total total;
static struct mem_txn *t;

/* The predicates of these tests; which the shipped rules have is another test's. */
const struct mem_predicate *
mem_predicate_find(const struct mem_belief_rules *r, struct mem_str name)
{
	static const struct mem_str states[] = { MEM_STR_INIT("blocked"), MEM_STR_INIT("done") };
	static const struct mem_predicate known[] = {
		{ .name = MEM_STR_INIT("works_at"), .functional = true },
		{ .name = MEM_STR_INIT("likes"), .opposite = MEM_STR_INIT("dislikes") },
		{ .name = MEM_STR_INIT("dislikes"), .opposite = MEM_STR_INIT("likes") },
		{ .name = MEM_STR_INIT("runs"), .detail = true },
		{ .name = MEM_STR_INIT("owns"), .detail = true, .additive = true },
		{ .name = MEM_STR_INIT("marked"), .exclusive = states, .nexclusive = MEM_COUNT(states), .object_is_value = true },
	};
	(void)r;
	for (size_t i = 0; i < MEM_COUNT(known); i++)
		if (mem_str_eq(known[i].name, name))
			return &known[i];
	return NULL;
}
#define RULES ((const struct mem_belief_rules *)&m) /* not looked into */

static inline int
world_setup(void **state)
{
	static const struct mem_write_options plain = { .via = "test", .batch_max = 1000000 };
	static const struct mem_entities_options exact = { .similar = false };
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	(void)state;
	total = (struct mem_write_total){ 0 };
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	ask.dir = at;
	ask.write = true;
	ask.now = NOW;
	if (mem_index_open(&m, &ask, &err) != MEM_OK)
		return -1;
	w = mem_writer_new(&m, &plain);
	if (mem_writer_sanitise(w, NULL, NULL, &err) != MEM_OK || mem_entities_new(&entities, w, &exact, &err) != MEM_OK)
		return -1;
	return mem_ledger_new(&ledger, w, entities, RULES, &err) == MEM_OK ? 0 : -1;
}

static inline int
world_teardown(void **state)
{
	(void)state;
	if (own_store_check(&m) != MEM_OK)
		return -1;
	mem_ledger_free(ledger);
	mem_entities_free(entities);
	mem_writer_free(w);
	mem_index_close(&m);
	return own_store_remove();
}

/* ---- episodes ------------------------------------------------------------- */

struct episode {
	struct mem_id id;
	uint32_t ord;
};

static inline struct episode
put_episode(const char *name)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_clean_text content;
	struct mem_finding_list found;
	assert_int_equal(mem_write_clean_text(w, &content, "content", mem_str(name), &found, &err), MEM_OK);
	const struct mem_clean_field f[] = { { "role", mem_clean_word(a, MEM_STR("user")) }, { "content", content } };
	const struct mem_write_node node = { .kind = MEM_KIND_EPISODE, .id_of = mem_str(mem_arena_printf(a, "%s", name)), .fields = f,
		.nfields = 2, .memory = { .importance = .5, .trust = .5 }, .audit.word = "capture" };
	const struct mem_write_input in = { .ns = NS };
	struct episode e = { .id = mem_id_v8(NS, mem_str(name)) };
	struct mem_node found_node;
	mem_write_add(w, &in, &node);
	assert_int_equal(mem_write_commit(w, mem_receipts_drop, NULL, &total, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, &e.id, &found_node, &err), MEM_OK);
	e.ord = found_node.ord;
	mem_txn_end(t);
	t = NULL;
	return e;
}

/* ---- claims ------------------------------------------------------------------ */

/* One claim with its source. */
struct said {
	struct mem_claim c;
	struct mem_fact_source s;
};

static inline void
begin_round(void)
{
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	mem_entities_snapshot(entities, t);
	assert_int_equal(mem_ledger_begin(ledger, t, &err), MEM_OK);
}

static inline void
state_claim(const struct said *s)
{
	struct mem_entity_source *from = mem_arena_alloc(mem_writer_arena(w), sizeof *from); /* is read when the round is queued */
	*from = (struct mem_entity_source){ .episode = s->s.episode, .has_episode = s->s.has_episode, .ord = s->s.ord, .ns = s->s.ns,
		.created_at = s->s.created_at, .trust = s->s.trust, .importance = .5 };
	mem_entities_episode(entities, from, NULL);
	if (mem_ledger_state(ledger, &s->c, &s->s, &err) != MEM_OK)
		fail_msg("state: %s", err.msg);
}

static inline void
queue_round(void)
{
	if (mem_entities_queue(entities, &err) != MEM_OK || mem_ledger_queue(ledger, &err) != MEM_OK)
		fail_msg("queue: %s", err.msg);
	mem_txn_end(t);
	t = NULL;
}

static inline void
commit_round(void)
{
	if (mem_write_commit(w, mem_receipts_drop, NULL, &total, &err) != MEM_OK)
		fail_msg("commit: %s", err.msg);
}

/* All of them in one batch; how many items it took. */
static inline size_t
write_claims(const struct said *v, size_t n)
{
	begin_round();
	for (size_t i = 0; i < n; i++)
		state_claim(&v[i]);
	queue_round();
	size_t items = mem_write_queued(w);
	commit_round();
	return items;
}

/* "2024-06-01": days behind it count. */
static int64_t
day(int n)
{
	return INT64_C(1717200000000) + n * DAY;
}

/* By hand, on such a day. */
static inline struct said
say(const char *subject, const char *predicate, const char *object, int when)
{
	static char statements[64][100];
	static int next;
	char *text = statements[next++ % 64];
	snprintf(text, 100, "%s %s %s", subject, predicate, object);
	return (struct said){
		.c = { .statement = mem_str(text), .subject = { MEM_TERM_ENTITY, mem_str(subject), MEM_STR("person") },
		    .predicate = mem_str(predicate), .object = { MEM_TERM_VALUE, mem_str(object), MEM_STR("text") }, .type = MEM_STR("fact"),
		    .confidence = .6, .veracity = MEM_VERACITY_STATED, .valid_from = day(when), .valid_to = MEM_TIME_NONE, .due = MEM_TIME_NONE },
		.s = { .ns = NS, .created_at = NOW, .captured_at = day(when), .trust = .5, .importance = .5, .via = MEM_STR("test") },
	};
}

/* ---- looking -------------------------------------------------------------------- */

static inline struct mem_id
entity_id(const char *name)
{
	struct mem_arena a = { 0 };
	struct mem_id id = mem_id_v8(NS, mem_write_identity(&a, MEM_KIND_ENTITY, MEM_STR("person"), mem_str(name)));
	mem_arena_release(&a);
	return id;
}

static inline void
put_day(struct mem_buf *out, struct mem_json v)
{
	int64_t ms;
	struct mem_arena a = { 0 };
	struct mem_str s = mem_json_there(v) ? mem_json_text(&a, v) : (struct mem_str){ NULL, 0 };
	if (s.p != NULL && mem_time_parse(s, &ms))
		mem_buf_printf(out, "%lld", (long long)((ms - day(0)) / DAY));
	mem_arena_release(&a);
}

static inline int
compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Appends them in order, and frees them. */
static inline void
put_lines_sorted(struct mem_buf *out, char **lines, size_t n)
{
	qsort(lines, n, sizeof *lines, compare_lines);
	for (size_t i = 0; i < n; i++) {
		mem_buf_puts(out, lines[i]);
		free(lines[i]);
	}
}

/* Appends "[1,3)acme superseded .6 1 " for each fact that was ever true, in order of time; a negated one has "!". */
static inline void
put_timeline(struct mem_buf *out, const char *subject, const char *predicate)
{
	struct mem_id id = entity_id(subject);
	struct mem_rec r = { 0 };
	struct mem_node node;
	int64_t when = MEM_TIME_NONE;
	uint32_t ord = 0;
	enum mem_status st;
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	char *lines[64];
	size_t nlines = 0;
	while (nlines < 64 && (st = mem_fact_next(t, NS, &id, mem_str(predicate), false, &when, &ord, &err)) == MEM_OK) {
		struct mem_buf line = { 0 };
		assert_int_equal(mem_node_at(t, ord, &node, &err), MEM_OK);
		if (node.attr->valid_to != MEM_TIME_NONE && node.attr->valid_to <= when)
			continue;
		assert_int_equal(mem_rec_scan(&r, node.json, &err), MEM_OK);
		struct mem_str value = mem_json_member(mem_rec_value(&r, "object"), "value").raw, status = mem_rec_value(&r, "status").raw;
		struct mem_str detail = mem_rec_value(&r, "detail").raw;
		struct mem_str c = mem_rec_value(&r, "confidence").raw, n = mem_rec_value(&r, "mentions").raw;
		mem_buf_putc(&line, '[');
		put_day(&line, mem_rec_value(&r, "valid_from"));
		mem_buf_putc(&line, ',');
		put_day(&line, mem_rec_value(&r, "valid_to"));
		mem_buf_printf(&line, ")%s%.*s%s%.*s %.*s %.*s %.*s ", mem_rec_value(&r, "negated").type == MEM_JSON_TRUE ? "!" : "", (int)value.n - 2,
		    value.p + 1, detail.n > 2 ? "-" : "", detail.n > 2 ? (int)detail.n - 2 : 0, detail.n > 2 ? detail.p + 1 : "", (int)status.n - 2, status.p + 1, (int)c.n, c.p, (int)n.n, n.p);
		lines[nlines++] = line.data;
	}
	put_lines_sorted(out, lines, nlines);
	assert_int_equal(st, MEM_END);
	mem_txn_end(t);
	t = NULL;
	mem_rec_release(&r);
}

/* The same alone; BORROWS, until the next. */
static inline const char *
timeline(const char *subject, const char *predicate)
{
	static char text[2000];
	struct mem_buf b = { 0 };
	put_timeline(&b, subject, predicate);
	snprintf(text, sizeof text, "%s", b.data != NULL ? b.data : "");
	mem_buf_release(&b);
	return text;
}

/* A field of a node as written; BORROWS, until the next. */
static inline const char *
field_of(const struct mem_id *id, const char *name)
{
	static char text[2000];
	struct mem_rec r = { 0 };
	struct mem_node node;
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, id, &node, &err), MEM_OK);
	assert_int_equal(mem_rec_scan(&r, node.json, &err), MEM_OK);
	struct mem_str v = mem_rec_value(&r, name).raw;
	snprintf(text, sizeof text, "%.*s", (int)v.n, v.p != NULL ? v.p : "");
	mem_rec_release(&r);
	mem_txn_end(t);
	t = NULL;
	return text;
}

/* ---- what was known ------------------------------------------------------------ */

static inline enum mem_status
read_by_ledger(void *ctx, struct mem_txn *txn, const struct mem_attr *a, int64_t known_at, struct mem_then *out, struct mem_err *e)
{
	return mem_ledger_known(ctx, txn, a, known_at, out, e);
}

/* "[1,3)works_at acme superseded;" of a fact of the subject, as it is or, with `known_at`, as it was held then; nothing of one never true. */
static inline void
put_held(struct mem_buf *out, const struct mem_node *node, const struct mem_id *subject, int64_t known_at)
{
	struct mem_rec r = { 0 };
	char id[MEM_ID_LEN + 1];
	struct mem_then then = { .held = true, .status = node->attr->status, .valid_from = node->attr->valid_from,
		.valid_to = node->attr->valid_to };
	mem_id_format(subject, id);
	assert_int_equal(mem_rec_scan(&r, node->json, &err), MEM_OK);
	bool of = mem_json_is(mem_json_member(mem_rec_value(&r, "subject"), "id"), id);
	if (of && known_at != MEM_TIME_NONE) {
		const struct mem_attr a = *node->attr;
		const struct mem_then_reader by_ledger = { read_by_ledger, ledger };
		assert_int_equal(mem_then_read(&then, &by_ledger, t, &a, known_at, &err), MEM_OK);
	}
	if (of && then.held && (then.valid_to == MEM_TIME_NONE || then.valid_to > then.valid_from)) {
		struct mem_str predicate = mem_rec_value(&r, "predicate").raw, detail = mem_rec_value(&r, "detail").raw;
		struct mem_str value = mem_json_member(mem_rec_value(&r, "object"), "value").raw;
		mem_buf_printf(out, "[%lld,", (long long)((then.valid_from - day(0)) / DAY));
		if (then.valid_to != MEM_TIME_NONE)
			mem_buf_printf(out, "%lld", (long long)((then.valid_to - day(0)) / DAY));
		mem_buf_printf(out, ")%s%.*s %.*s %.*s %s;", mem_rec_value(&r, "negated").type == MEM_JSON_TRUE ? "!" : "", (int)predicate.n,
		    predicate.p, (int)value.n, value.p, (int)detail.n, detail.n > 0 ? detail.p : "", mem_node_status_word(then.status));
	}
	mem_rec_release(&r);
}

/* All facts of the subject that are there from `first` on, in order. */
static inline void
put_all_held(struct mem_buf *out, const char *subject, uint32_t first, int64_t known_at)
{
	struct mem_id id = entity_id(subject);
	struct mem_node node;
	char *lines[256];
	size_t n = 0;
	mem_buf_reset(out);
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	for (uint32_t ord = first; mem_node_at(t, ord, &node, &err) == MEM_OK; ord++) {
		struct mem_buf line = { 0 };
		if (node.attr->kind == MEM_KIND_FACT)
			put_held(&line, &node, &id, known_at);
		if (line.len > 0 && n < MEM_COUNT(lines))
			lines[n++] = line.data;
	}
	mem_txn_end(t);
	t = NULL;
	put_lines_sorted(out, lines, n);
	mem_buf_puts(out, "\n");
}

#endif
