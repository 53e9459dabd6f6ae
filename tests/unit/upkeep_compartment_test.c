/* SPDX-License-Identifier: Apache-2.0 */
/* Compartments of namespaces: what is in one is found, listed, counted and scored as if there were none; what is checked
 * and rebuilt of them; and a change that moves a node to another. */
#include "own_store.h"

#include <lmdb.h>

#include "clean/clean_text.h"
#include "query/query.h"
#include "store/checksum_int.h"
#include "store/log.h"
#include "store/store_int.h"
#include "upkeep/upkeep.h"
#include "vectors/vectors.h"
#include "words/words.h"
#include "write/write.h"

enum { FACTS = 60 };

static struct mem_store_options
ask_of(void)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.agent = "ada";
	ask.write = true;
	ask.now = 1790000000000;
	return ask;
}

static char receipts[64 << 10];

static bool
keep_receipts(void *ctx, struct mem_str lines)
{
	size_t n = strlen(receipts);
	(void)ctx;
	snprintf(receipts + n, sizeof receipts - n, "%.*s", (int)lines.n, lines.p);
	return true;
}

static enum mem_status
import_lines(struct mem_str lines)
{
	struct mem_store_options ask = ask_of();
	struct mem_write_total total;
	struct mem_index m;
	FILE *f = tmpfile();
	assert_non_null(f);
	assert_int_equal(fwrite(lines.p, 1, lines.n, f), lines.n);
	rewind(f);
	receipts[0] = '\0';
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	enum mem_status st = mem_upkeep_import(&m, fileno(f), -1, keep_receipts, NULL, &total, &err);
	mem_index_close(&m);
	fclose(f);
	return st;
}

/* Facts of agent:ada, each third of global; with `domains` most are in one of three. */
static void
put_facts(struct mem_buf *out, bool domains)
{
	static const char *const words[] = { "tea", "milk", "cup", "pot", "leaf" };
	for (int i = 0; i < FACTS; i++) {
		mem_buf_printf(out, "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-%012d\",\"kind\":\"fact\",\"ns\":\"%s\",\"created_at\":\"2026-11-28T09:00:00Z\","
		    "\"statement\":\"%s and %s of fact %d\",\"ref\":\"r%d\",\"session_id\":\"s\",\"name\":\"n%d\"", i + 1, i % 3 == 0 ? "global" : "agent:ada",
		    words[i % 5], words[i * i % 5], i, i % 7, i % 4);
		if (domains && i % 4 != 0)
			mem_buf_printf(out, ",\"domain\":\"d%d\"", i % 4);
		mem_buf_puts(out, "}\n");
	}
}

static int
setup_store(void **state)
{
	(void)state;
	return own_store_make("/tmp", "ada");
}

static int
setup_facts(void **state)
{
	struct mem_buf facts = { 0 };
	if (setup_store(state) != 0)
		return -1;
	put_facts(&facts, true);
	enum mem_status st = import_lines(mem_buf_span(&facts));
	mem_buf_release(&facts);
	return st == MEM_OK ? 0 : -1;
}

static int
teardown(void **state)
{
	(void)state;
	return own_store_remove();
}

/* ---- what a store answers ---------------------------------------------------- */

/* Ids and scores of a keyword search, a line each. */
static void
put_hits(struct mem_buf *out, struct mem_searcher *m, const char *query)
{
	struct mem_search_options o = MEM_SEARCH_OPTIONS_INIT;
	struct mem_hits *hits = NULL;
	struct mem_str hit;
	struct mem_rec rec = { 0 };
	o.query = mem_str(query);
	o.mode = MEM_MODE_KEYWORD;
	o.limit = 25;
	assert_int_equal(mem_search_query(&hits, m, &o, &err), MEM_OK);
	while (mem_hits_next(hits, &hit, &err) == MEM_OK) {
		assert_int_equal(mem_rec_scan(&rec, hit, &err), MEM_OK);
		mem_buf_str(out, mem_rec_value(&rec, "id").raw);
		mem_buf_str(out, mem_rec_value(&rec, "score").raw);
		mem_buf_putc(out, '\n');
	}
	mem_rec_release(&rec);
	mem_hits_free(hits);
}

static void
put_counts(struct mem_buf *out, struct mem_store *s)
{
	struct mem_count *list = NULL;
	size_t n = 0;
	assert_int_equal(mem_node_counts(s, NULL, NULL, &list, &n, &err), MEM_OK);
	for (size_t i = 0; i < n; i++)
		mem_buf_printf(out, "%s %s %llu\n", mem_kind_name(list[i].kind), list[i].ns, (unsigned long long)list[i].nodes);
	free(list);
}

/* The ids of a listing. */
static void
put_listing(struct mem_buf *out, struct mem_store *s, const struct mem_filter *f)
{
	struct mem_listing *l = NULL;
	struct mem_buf lines = { 0 };
	size_t n;
	enum mem_status st = mem_listing_open(&l, s, f, NULL, &err);
	while (st == MEM_OK)
		st = mem_listing_next(l, SIZE_MAX, &lines, &n, &err);
	assert_int_equal(st, MEM_END);
	for (const char *p = lines.data; p != NULL && (p = strstr(p, "{\"id\":")) != NULL; p += 6)
		mem_buf_printf(out, "%.44s\n", p);
	mem_listing_free(l);
	mem_buf_release(&lines);
}

static void
put_log(struct mem_buf *out, struct mem_store *s)
{
	static struct mem_log_row rows[1000];
	struct mem_txn *t = NULL;
	uint64_t after = 0;
	size_t n = 0;
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_log_read(t, &after, rows, MEM_COUNT(rows), &n, &err), MEM_OK);
	for (size_t i = 0; i < n; i++) {
		struct mem_ns ns;
		assert_int_equal(mem_ns_by_number(t, rows[i].ns, &ns, &err), MEM_OK);
		mem_log_row_json(out, &rows[i], ns.name);
	}
	mem_txn_end(t);
}

/* All that must not show whether there are compartments. */
static char *
ask_all(void)
{
	static const char *const queries[] = { "tea", "milk cup", "pot of fact 7", "\"leaf and\"", "tea ref:r3", "cup ns:global" };
	struct mem_store_options ask = ask_of();
	struct mem_searcher m;
	struct mem_filter f = MEM_FILTER_INIT, own;
	struct mem_buf out = { 0 };
	assert_int_equal(mem_searcher_open(&m, &ask, &err), MEM_OK);
	for (size_t i = 0; i < MEM_COUNT(queries); i++)
		put_hits(&out, &m, queries[i]);
	put_counts(&out, m.index.store);
	put_log(&out, m.index.store);
	put_listing(&out, m.index.store, &f);
	f.session = MEM_STR("s");
	put_listing(&out, m.index.store, &f);
	const char *ns[] = { "agent:ada" };
	const struct mem_filter_options o = { .ns = { ns, 1 }, .since = MEM_TIME_MIN, .until = MEM_TIME_MAX + 1 };
	assert_int_equal(mem_filter_read(&own, &o, &err), MEM_OK);
	put_listing(&out, m.index.store, &own);
	mem_filter_release(&own);
	struct mem_found_nodes found = { 0 };
	assert_int_equal(mem_nodes_by_ref(m.index.store, MEM_STR("r3"), NULL, 0, &found, &err), MEM_OK);
	for (size_t i = 0; i < found.n; i++)
		mem_buf_printf(&out, "%.44s\n", found.json[i].p);
	mem_found_nodes_release(&found);
	mem_searcher_close(&m);
	char *text = mem_xstrdup(out.data);
	mem_buf_release(&out);
	return text;
}

static enum mem_status
flush_all(struct mem_index *m)
{
	enum mem_status st = mem_words_flush(m->store, &err);
	return st == MEM_END ? MEM_OK : st;
}

/* The same nodes with and without domains: the same answers to the digit, in the tail and in segments. */
static void
test_same_answers(void **state)
{
	char *with[2], *without[2];
	for (int domains = 0; domains < 2; domains++) {
		struct mem_buf facts = { 0 };
		struct mem_store_options ask = ask_of();
		struct mem_index m;
		assert_int_equal(setup_store(state), 0);
		put_facts(&facts, domains == 1);
		assert_int_equal(import_lines(mem_buf_span(&facts)), MEM_OK);
		mem_buf_release(&facts);
		char **to = domains == 1 ? with : without;
		to[0] = ask_all();
		assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
		assert_int_equal(flush_all(&m), MEM_OK);
		mem_index_close(&m);
		to[1] = ask_all();
		assert_int_equal(teardown(state), 0);
	}
	for (int i = 0; i < 2; i++) {
		assert_true(strlen(with[i]) > 4000);
		assert_string_equal(with[i], without[i]);
		free(with[i]);
		free(without[i]);
	}
}

/* ---- numbers ----------------------------------------------------------------- */

static void
test_numbers(void **state)
{
	struct mem_store_options ask = ask_of();
	struct mem_store *s = NULL;
	struct mem_txn *t = NULL;
	struct mem_ns *ns = NULL;
	size_t n = 0, roots = 0;
	uint64_t nodes = 0;
	(void)state;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_ns_visible(t, &ns, &n, &err), MEM_OK);
	assert_int_equal(n, 8); /* agent:ada and global, each with three domains */
	for (size_t i = 0; i < n; i++) {
		assert_true(i == 0 || ns[i - 1].number < ns[i].number);
		assert_true(mem_ns_valid(mem_str(ns[i].name)));
		assert_int_equal(ns[i].root == ns[i].number, ns[i].compartment[0] == '\0');
		roots += ns[i].root == ns[i].number;
		nodes += ns[i].nodes;
		if (ns[i].root != ns[i].number)
			assert_int_equal(strncmp(ns[i].compartment, "domain:d", 8), 0);
	}
	assert_int_equal(roots, 2);
	assert_int_equal(nodes, FACTS);
	uint32_t some = ns[3].number;
	free(ns);
	assert_int_equal(mem_ns_family(t, some, &ns, &n, &err), MEM_OK);
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(ns[i].name, ns[0].name);
	free(ns);
	mem_txn_end(t);
	mem_store_close(s);
}

static void
test_values(void **state)
{
	static const struct { const char *fields; bool good; } rows[] = {
		{ "\"kind\":\"fact\",\"domain\":\"tea\"", true }, { "\"kind\":\"fact\",\"domain\":null", true },
		{ "\"kind\":\"fact\",\"domain\":\"\"", false }, { "\"kind\":\"fact\",\"domain\":\"two words\"", false },
		{ "\"kind\":\"fact\",\"domain\":7", false }, { "\"kind\":\"fact\",\"domain\":\"a\\u0062\"", false },
		{ "\"kind\":\"fact\",\"domain\":\"a\\u001fdomain:b\"", false },
		{ "\"kind\":\"fact\",\"domain\":\"x234567890123456789012345678901234567890123456789012345678901234567890123\"", true },
		{ "\"kind\":\"fact\",\"domain\":\"x2345678901234567890123456789012345678901234567890123456789012345678901234\"", false },
		{ "\"kind\":\"entry\",\"context\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\"", true }, { "\"kind\":\"entry\",\"to\":\"bob\"", true },
		{ "\"kind\":\"entry\",\"to\":\"bob\",\"context\":\"c\"", false }, { "\"kind\":\"snapshot\",\"pool\":\"p\",\"context\":\"c\"", false },
		/* A field that is no compartment of its kind may say anything. */
		{ "\"kind\":\"note\",\"domain\":\"two words\"", true },
	};
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(rows); i++) {
		char line[600];
		snprintf(line, sizeof line, "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-%012zu\",\"ns\":\"agent:ada\",\"created_at\":\"2026-11-28T09:00:00Z\",%s}\n",
		    i + 100, rows[i].fields);
		enum mem_status st = import_lines(mem_str(line));
		if ((st == MEM_OK) != rows[i].good || (!rows[i].good && strstr(receipts, "\"reason\":\"bad_value\"") == NULL))
			fail_msg("%s: %s", rows[i].fields, receipts);
	}
}

/* ---- moving ------------------------------------------------------------------ */

static char found[2000];

static void
told(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	size_t n = strlen(found);
	snprintf(found + n, sizeof found - n, "%s ", b->check);
}

static const char *
check_store(void)
{
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	found[0] = '\0';
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_upkeep_check(&m, told, NULL, NULL, NULL, &err), MEM_OK);
	mem_index_close(&m);
	return found;
}

static void
repair_store(void)
{
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	assert_int_equal(mem_index_open_any(&m, &ask, &err), MEM_OK);
	if (mem_upkeep_repair(&m, NULL, NULL, &err) != MEM_OK)
		fail_msg("repair: %s", err.msg);
	mem_index_close(&m);
}

static enum mem_status
put_vector(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model m = { .name = "eight", .dims = 8, .near = 0.9f, .weight = 0.5 };
	const float v[8] = { [7] = 1 };
	(void)ctx;
	enum mem_status st = mem_vectors_model_put(t, &m, e);
	return st == MEM_OK ? mem_vectors_put(t, 1, &(struct mem_vectors_passage){ .v = v }, 1, e) : st;
}

static void
move_fact(struct mem_index *m, const char *id, const char *domain)
{
	struct mem_writer *w = mem_writer_new(m, &(struct mem_write_options){ .via = "test" });
	struct mem_write_total total = { 0 };
	struct mem_id which;
	assert_true(mem_id_parse(mem_str(id), &which));
	const struct mem_clean_field set = { "domain", domain != NULL ? mem_clean_word(mem_writer_arena(w), mem_str(domain)) : mem_clean_absent() };
	const struct mem_write_edit edit = { .set = &set, .n = 1, .op = "changed" };
	receipts[0] = '\0';
	assert_int_equal(mem_write_change(w, &(struct mem_write_input){ .line = 1 }, &which, 0, &edit, &err), MEM_OK);
	assert_int_equal(mem_write_commit(w, keep_receipts, NULL, &total, &err), MEM_OK);
	assert_non_null(strstr(receipts, "\"verdict\":\"changed\""));
	mem_writer_free(w);
}

/* The compartment that the attributes of node 1 name. */
static const char *
compartment_of(struct mem_store *s)
{
	static struct mem_ns ns;
	const struct mem_attr *a;
	struct mem_txn *t = NULL;
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_attr_at(t, 1, &a, &err), MEM_OK);
	assert_int_equal(mem_ns_by_number(t, a->ns, &ns, &err), MEM_OK);
	mem_txn_end(t);
	return ns.compartment;
}

static void
test_move(void **state)
{
	static const char id[] = "0198f3c2-7d4e-7b1a-9c3d-000000000002";
	static const struct { const char *domain, *compartment; bool flush; } moves[] = {
		{ "other", "domain:other", false }, { NULL, "", true }, { "d3", "domain:d3", true }, { "other", "domain:other", false },
	};
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	(void)state;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(m.store, put_vector, NULL, &err), MEM_OK);
	assert_string_equal(compartment_of(m.store), "domain:d1");
	mem_index_close(&m);
	char *before = ask_all(), *log = strstr(before, "fact agent:ada");
	for (size_t i = 0; i < MEM_COUNT(moves); i++) {
		assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
		move_fact(&m, id, moves[i].domain);
		assert_string_equal(compartment_of(m.store), moves[i].compartment);
		if (moves[i].flush)
			assert_int_equal(flush_all(&m), MEM_OK);
		mem_index_close(&m);
		assert_string_equal(check_store(), "");
		/* Hits and scores are those of before; the log, which comes behind, has grown. */
		char *now = ask_all();
		assert_int_equal(strncmp(before, now, (size_t)(log - before)), 0);
		free(now);
	}
	free(before);
	repair_store();
	assert_string_equal(check_store(), "");
}

/* ---- what is damaged --------------------------------------------------------- */

/* Changes or removes the rows of table ns whose keys hold `word`. */
static void
spoil_rows(const char *word, void (*spoil)(MDB_txn *txn, MDB_dbi dbi, MDB_val *k, MDB_val *v))
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	MDB_val keys[64], values[64];
	struct mem_arena copies = { 0 };
	size_t n = 0;
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 32), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, at, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, "ns", 0, &dbi), 0);
	MDB_cursor *c;
	assert_int_equal(mdb_cursor_open(txn, dbi, &c), 0);
	for (int rc = mdb_cursor_get(c, &keys[n], &values[n], MDB_FIRST); rc == 0 && n < MEM_COUNT(keys) - 1;
	    rc = mdb_cursor_get(c, &keys[n], &values[n], MDB_NEXT))
		if (memmem(keys[n].mv_data, keys[n].mv_size, word, strlen(word)) != NULL) {
			keys[n].mv_data = mem_arena_dup(&copies, keys[n].mv_data, keys[n].mv_size);
			values[n].mv_data = mem_arena_dup(&copies, values[n].mv_data, values[n].mv_size);
			n++;
		}
	mdb_cursor_close(c);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++)
		spoil(txn, dbi, &keys[i], &values[i]);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	mem_arena_release(&copies);
}

static void
drop_row(MDB_txn *txn, MDB_dbi dbi, MDB_val *k, MDB_val *v)
{
	(void)v;
	assert_int_equal(mdb_del(txn, dbi, k, NULL), 0);
}

/* Another namespace's, under a checksum that fits. */
static void
give_away(MDB_txn *txn, MDB_dbi dbi, MDB_val *k, MDB_val *v)
{
	struct store_ns_row row;
	char value[sizeof row + 8];
	assert_int_equal(v->mv_size, sizeof value);
	memcpy(&row, v->mv_data, sizeof row);
	row.root += 100;
	memcpy(value, &row, sizeof row);
	uint64_t sum = store_value_sum(MEM_T_NS, (struct mem_str){ k->mv_data, k->mv_size }, (struct mem_str){ value, sizeof row });
	memcpy(value + sizeof row, &sum, sizeof sum);
	MDB_val changed = { sizeof value, value };
	assert_int_equal(mdb_put(txn, dbi, k, &changed, 0), 0);
}

static void
test_lost_rows(void **state)
{
	char *before = ask_all();
	(void)state;
	spoil_rows("domain:d2", drop_row);
	assert_non_null(strstr(check_store(), "ns_missing "));
	repair_store();
	assert_string_equal(check_store(), "");
	char *now = ask_all();
	assert_string_equal(now, before);
	free(now);
	spoil_rows("domain:d1", give_away);
	assert_non_null(strstr(check_store(), "ns_stray "));
	repair_store();
	assert_string_equal(check_store(), "");
	now = ask_all();
	assert_string_equal(now, before);
	free(now);
	free(before);
}

/* ---- many -------------------------------------------------------------------- */

static void
test_many(void **state)
{
	enum { MANY = 3000 };
	struct mem_buf facts = { 0 };
	struct mem_store_options ask = ask_of();
	struct mem_store *s = NULL;
	struct mem_txn *t = NULL;
	struct mem_ns *ns = NULL;
	size_t n = 0;
	(void)state;
	for (int i = 0; i < MANY; i++)
		mem_buf_printf(&facts, "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-%012d\",\"kind\":\"fact\",\"ns\":\"agent:ada\",\"created_at\":\"2026-11-28T09:00:00Z\","
		    "\"statement\":\"tea %d\",\"domain\":\"d%d\"}\n", i + 1, i, i);
	assert_int_equal(import_lines(mem_buf_span(&facts)), MEM_OK);
	mem_buf_release(&facts);
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_ns_visible(t, &ns, &n, &err), MEM_OK);
	assert_int_equal(n, MANY + 1);
	free(ns);
	mem_txn_end(t);
	mem_store_close(s);
	assert_string_equal(check_store(), "");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup_facts, teardown)
	const struct CMUnitTest all[] = {
		cmocka_unit_test(test_same_answers), T(test_numbers), T(test_values), T(test_move), T(test_lost_rows),
		cmocka_unit_test_setup_teardown(test_many, setup_store, teardown),
	};
	return cmocka_run_group_tests_name("compartments", all, NULL, NULL);
}
