/* SPDX-License-Identifier: Apache-2.0 */
/* The query log: a query that was answered becomes a node. */
#include "stage/query_log.h"

#include "clean/clean_text.h"
#include "conf/conf.h"
#include "record/record.h"
#include "write/write.h"

/* Longer ones are kept by their hash alone. */
enum { TEXT_MAX = 8192, HASH_HEX = 32 };

struct query_log_line {
	struct mem_rec rec;
	struct mem_arena arena;
	const char *store, *agent, *via;
	struct mem_str query;
	int64_t now;
};

static enum mem_status
read_log_line(struct query_log_line *l, struct mem_str line, struct mem_err *err)
{
	enum mem_status st = mem_rec_scan(&l->rec, line, err);
	if (st != MEM_OK)
		return st;
	l->store = mem_json_text(&l->arena, mem_rec_value(&l->rec, "store")).p;
	l->agent = mem_json_text(&l->arena, mem_rec_value(&l->rec, "agent")).p;
	l->via = mem_json_text(&l->arena, mem_rec_value(&l->rec, "via")).p;
	l->query = mem_json_text(&l->arena, mem_rec_value(&l->rec, "query"));
	bool named = l->via != NULL && l->via[0] != '\0' && l->via[strspn(l->via, "abcdefghijklmnopqrstuvwxyz-")] == '\0';
	if (l->store == NULL || l->agent == NULL || !named || l->query.p == NULL || !mem_json_int(mem_rec_value(&l->rec, "now"), &l->now))
		return mem_err_record(err, "bad_value", 0, "store, agent, via, now and query are wanted");
	return MEM_OK;
}

/* A word of the sender's; null where it is none. */
static struct mem_clean_text
read_log_word(struct query_log_line *l, struct mem_arena *a, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	struct mem_json v = mem_rec_value(&l->rec, name);
	struct mem_str s = mem_json_text(&l->arena, v);
	for (size_t i = 0; i < s.n; i++)
		if (memchr(letters, s.p[i], sizeof letters - 1) == NULL)
			return mem_clean_null();
	return s.n > 0 ? mem_clean_word(a, s) : mem_clean_null();
}

static struct mem_clean_text
read_log_number(struct query_log_line *l, struct mem_arena *a, const char *name)
{
	double v;
	int64_t i;
	struct mem_json json = mem_rec_value(&l->rec, name);
	if (mem_json_int(json, &i))
		return mem_clean_int(a, i);
	return mem_json_num(json, &v) ? mem_clean_num(a, v) : mem_clean_null();
}

/* Cleaned like all that is kept; null where only the hash is. */
static enum mem_status
clean_log_text(struct mem_clean_text *out, struct mem_writer *w, struct mem_str query, struct mem_finding_list *found, struct mem_err *err)
{
	*out = mem_clean_null();
	bool wanted = mem_str_is(mem_conf_str(mem_store_conf(mem_writer_store(w)), "queries.log"), "text");
	if (!wanted || query.n == 0 || query.n > TEXT_MAX)
		return MEM_OK;
	enum mem_status st = mem_writer_sanitise(w, NULL, NULL, err);
	if (st == MEM_OK)
		st = mem_write_clean_text(w, out, "query", query, found, err);
	if (st == MEM_REFUSED)
		*out = mem_clean_null();
	return st == MEM_REFUSED ? MEM_OK : st;
}

/* Of the text under the store's secret: it tells which queries are the same, and nothing to who has not the store. */
static struct mem_clean_text
hash_log_text(struct mem_writer *w, struct mem_str query)
{
	char hex[HASH_HEX + 1];
	struct mem_hash h = mem_hash128(mem_store_secret(mem_writer_store(w)), &query, 1);
	mem_hash_hex(h.b, sizeof h.b, hex);
	return mem_clean_word(mem_writer_arena(w), (struct mem_str){ hex, HASH_HEX });
}

static struct mem_clean_text
compute_log_end(struct mem_writer *w)
{
	const struct mem_store *s = mem_writer_store(w);
	int64_t keep = mem_conf_duration(mem_store_conf(s), "queries.keep");
	if (keep < 0 || keep > MEM_TIME_MAX - mem_store_now(s))
		return mem_clean_absent();
	return mem_clean_time(mem_writer_arena(w), mem_store_now(s) + keep);
}

static enum mem_status
queue_log_node(struct mem_writer *w, struct query_log_line *l, struct mem_err *err)
{
	struct mem_arena *a = mem_writer_arena(w);
	struct mem_write_input in = { .line = 1, .bytes = l->rec.text.n, .ns = mem_writer_ns(w) };
	struct mem_clean_text text;
	enum mem_status st = clean_log_text(&text, w, l->query, &in.found, err);
	if (st != MEM_OK)
		return st;
	const struct mem_clean_field fields[] = {
		{ "query", text }, { "query_hash", hash_log_text(w, l->query) },
		{ "mode", read_log_word(l, a, "mode") }, { "class", read_log_word(l, a, "class") },
		{ "top_k", read_log_number(l, a, "top_k") }, { "threshold", read_log_number(l, a, "threshold") },
		{ "fusion", read_log_word(l, a, "fusion") }, { "results", read_log_number(l, a, "results") },
		{ "avg_score", read_log_number(l, a, "avg_score") }, { "ms", read_log_number(l, a, "ms") },
		{ "quality", mem_clean_null() }, { "outcome", read_log_word(l, a, "outcome") },
		{ "expires_at", compute_log_end(w) },
	};
	const struct mem_write_node node = { .kind = MEM_KIND_QUERY, .fields = fields, .nfields = MEM_COUNT(fields) };
	mem_write_add(w, &in, &node);
	return MEM_OK;
}

static enum mem_status
write_log_line(struct query_log_line *l, struct mem_err *err)
{
	const struct mem_store_options where = { .dir = l->store, .agent = l->agent, .write = true, .wait_ms = 0, .now = l->now };
	const struct mem_write_options writing = { .via = l->via };
	struct mem_write_total total = { 0 };
	struct mem_writer *w = NULL;
	enum mem_status st = mem_writer_open(&w, &where, &writing, err);
	if (st == MEM_OK && mem_query_log_wanted(mem_writer_store(w))) {
		st = queue_log_node(w, l, err);
		if (st == MEM_OK)
			st = mem_write_commit(w, mem_receipts_drop, NULL, &total, err);
	}
	mem_writer_free(w);
	return st;
}

enum mem_status
mem_query_log_write(struct mem_str line, struct mem_err *err)
{
	struct query_log_line l = { 0 };
	enum mem_status st = read_log_line(&l, line, err);
	if (st == MEM_OK)
		st = write_log_line(&l, err);
	mem_rec_release(&l.rec);
	mem_arena_release(&l.arena);
	return st;
}
