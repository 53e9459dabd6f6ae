/* SPDX-License-Identifier: Apache-2.0 */
/* Bits turned over in values of every table, through LMDB alone, so that its pages stay whole: whoever reads nodes, log or
 * audit gets what was there before, or is told. */
#include "own_store.h"

#include <lmdb.h>
#include <sys/random.h>

#include "capture/capture.h"
#include "query/query.h"
#include "store/checksum_int.h"
#include "store/log.h"
#include "store/store_int.h"
#include "upkeep/upkeep.h"
#include "vectors/vectors.h"

enum { EVENTS = 40, FLIPS = 500, OLD_ROWS = 2500 };
static const char nodes[] =
    "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\",\"kind\":\"page\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00Z\",\"name\":\"Tea\"}\n"
    "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000002\",\"kind\":\"page\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00Z\",\"name\":\"Milk\"}\n";

/* The system's random bytes are always the same: the same rows stand in the same places in every run. */
ssize_t
getrandom(void *p, size_t n, unsigned flags)
{
	(void)flags;
	memset(p, 'r', n);
	return (ssize_t)n;
}

static bool
skip_receipts(void *ctx, struct mem_str lines)
{
	(void)ctx;
	assert_null(memmem(lines.p, lines.n, "rejected", 8));
	return true;
}

static FILE *
file_of(struct mem_str text)
{
	FILE *f = tmpfile();
	assert_non_null(f);
	assert_int_equal(fwrite(text.p, 1, text.n, f), text.n);
	rewind(f);
	return f;
}

/* ---- readers --------------------------------------------------------------- */

static uint64_t told;             /* messages of damage */
static char last_message[600];

static void
count_message(void *ctx, const char *message)
{
	(void)ctx;
	told++;
	snprintf(last_message, sizeof last_message, "%s", message);
}

static struct mem_store_options
ask_of(const char *agent)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.agent = agent;
	ask.write = true;
	ask.now = 1790000000000;
	ask.damage = count_message;
	return ask;
}

static bool
append_lines(void *out, struct mem_str lines)
{
	mem_buf_str(out, lines);
	return true;
}

static enum mem_status
read_export(struct mem_index *m, struct mem_buf *out)
{
	return mem_upkeep_export(m, false, append_lines, out, &err);
}

static enum mem_status
read_listing(struct mem_index *m, struct mem_buf *out)
{
	struct mem_filter f = MEM_FILTER_INIT;
	struct mem_listing *l = NULL;
	size_t n;
	enum mem_status st = mem_listing_open(&l, m->store, &f, NULL, &err);
	while (st == MEM_OK)
		st = mem_listing_next(l, SIZE_MAX, out, &n, &err);
	mem_listing_free(l);
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
read_log(struct mem_index *m, struct mem_buf *out)
{
	static struct mem_log_row rows[1000];
	struct mem_txn *t = NULL;
	uint64_t after = 0;
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, m->store, &err);
	for (uint64_t from = UINT64_MAX; st == MEM_OK && after != from;) {
		from = after;
		st = mem_log_read(t, &after, rows, MEM_COUNT(rows), &n, &err);
		for (size_t i = 0; i < n && st == MEM_OK; i++)
			mem_log_row_json(out, &rows[i], "");
	}
	mem_txn_end(t);
	return st;
}

static enum mem_status
read_audit(struct mem_index *m, struct mem_buf *out)
{
	static struct mem_audit_row rows[1000];
	struct mem_arena arena = { 0 };
	struct mem_txn *t = NULL;
	uint64_t after = 0;
	size_t n = 0;
	enum mem_status st = mem_txn_read(&t, m->store, &err);
	for (uint64_t from = UINT64_MAX; st == MEM_OK && after != from;) {
		from = after;
		st = mem_audit_read(t, &after, &arena, rows, MEM_COUNT(rows), &n, &err);
		for (size_t i = 0; i < n && st == MEM_OK; i++)
			mem_audit_row_json(out, &rows[i]);
	}
	mem_txn_end(t);
	mem_arena_release(&arena);
	return st;
}

static enum mem_status
read_counts(struct mem_index *m, struct mem_buf *out)
{
	struct mem_count *list = NULL;
	size_t n = 0;
	enum mem_status st = mem_node_counts(m->store, NULL, NULL, &list, &n, &err);
	for (size_t i = 0; i < n && st == MEM_OK; i++)
		mem_buf_printf(out, "%s %s %llu %lld\n", mem_kind_name(list[i].kind), list[i].ns, (unsigned long long)list[i].nodes,
		    (long long)list[i].oldest);
	free(list);
	return st;
}

static char ids[EVENTS + 2][MEM_ID_LEN + 1];
static size_t nids;

/* One after the other, as mem-get does. */
static enum mem_status
read_ids(struct mem_index *m, struct mem_buf *out)
{
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < nids; i++) {
		struct mem_found_nodes found = { 0 };
		enum mem_status one = mem_nodes_by_id(m->store, mem_str(ids[i]), &found, &err);
		for (size_t k = 0; k < found.n; k++)
			mem_buf_str(out, found.json[k]);
		mem_found_nodes_release(&found);
		if (one == MEM_DAMAGED) {
			assert_non_null(strstr(err.msg, ids[i]));
		}
		st = mem_status_worse(st, one);
	}
	return st;
}

enum { DIMS = 64, CODES = 3, CODE_BYTES = DIMS / 8 };

static void
make_vector(uint32_t ord, float v[DIMS])
{
	memset(v, 0, DIMS * sizeof *v);
	v[ord % DIMS] = 1;
}

/* Each node's vector. */
static enum mem_status
read_vectors(struct mem_index *m, struct mem_buf *out)
{
	struct mem_txn *t = NULL;
	float v[DIMS];
	enum mem_status st = mem_txn_read(&t, m->store, &err);
	for (uint32_t ord = 0; ord < nids && st == MEM_OK; ord++) {
		st = mem_vectors_get(t, ord, 0, v, &err);
		mem_buf_put(out, v, st == MEM_OK ? sizeof v : 0);
	}
	mem_txn_end(t);
	return st;
}

static void
make_codes(uint32_t ord, uint8_t codes[CODES * CODE_BYTES])
{
	for (size_t i = 0; i < CODES * CODE_BYTES; i++)
		codes[i] = (uint8_t)((ord + 7) * (i + 3) * 41);
}

/* How near each node's word pieces are to a question's. */
static enum mem_status
read_pieces(struct mem_index *m, struct mem_buf *out)
{
	struct mem_txn *t = NULL;
	uint8_t question[CODES * CODE_BYTES];
	uint32_t ords[EVENTS + 2];
	uint16_t bits[(EVENTS + 2) * CODES];
	for (uint32_t i = 0; i < nids; i++)
		ords[i] = i;
	make_codes(99, question);
	enum mem_status st = mem_txn_read(&t, m->store, &err);
	if (st == MEM_OK)
		st = mem_vectors_pieces_match(t, question, CODES, DIMS, ords, nids, bits, &err);
	if (st == MEM_OK)
		mem_buf_put(out, bits, nids * CODES * sizeof *bits);
	mem_txn_end(t);
	return st;
}

typedef enum mem_status read_fn(struct mem_index *m, struct mem_buf *out);
static const struct {
	const char *name;
	read_fn *fn;
} readers[] = {
	{ "export", read_export }, { "list", read_listing }, { "log", read_log }, { "audit", read_audit }, { "counts", read_counts },
	{ "get", read_ids }, { "vectors", read_vectors }, { "pieces", read_pieces },
};
static struct mem_buf before[MEM_COUNT(readers)];

/* MEM_OK and nothing told: `out` is all that there is. */
static enum mem_status
read_all(size_t reader, const char *agent, struct mem_buf *out)
{
	struct mem_store_options ask = ask_of(agent);
	struct mem_index m;
	mem_buf_reset(out);
	told = 0;
	enum mem_status st = mem_index_open(&m, &ask, &err);
	if (st == MEM_OK)
		st = readers[reader].fn(&m, out);
	mem_index_close(&m);
	return st;
}

/* ---- the store ------------------------------------------------------------- */

/* So many that they are packed. */
static enum mem_status
put_old_rows(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	enum mem_status st = MEM_OK;
	(void)ctx;
	for (uint64_t i = 0; i < OLD_ROWS && st == MEM_OK; i++) {
		const struct mem_id id = mem_id_v7(1780000000000, (uint16_t)(i & 0xfff), i);
		const struct mem_audit_row row = { .kind = MEM_STR("captured"), .actor = MEM_STR("ada"), .ns = MEM_STR("agent:ada"), .subject = id };
		st = mem_audit_put(t, &row, e);
		if (st == MEM_OK)
			st = mem_log_put(t, "removed", &id, 1, MEM_KIND_EPISODE, e);
	}
	return st;
}

static void
pack_old_rows(void)
{
	struct mem_store_options ask = ask_of("ada");
	struct mem_index m;
	uint64_t done = 0;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(m.store, put_old_rows, NULL, &err), MEM_OK);
	assert_int_equal(mem_rows_pack(m.store, 0, &done, &err), MEM_OK);
	assert_true(done > OLD_ROWS);
	mem_index_close(&m);
}

static void
fill_store(void)
{
	struct mem_store_options ask = ask_of("ada");
	struct mem_capture_options capture = { .stop_fd = -1 };
	struct mem_write_total total;
	struct mem_buf events = { 0 };
	struct mem_index m;
	for (int i = 0; i < EVENTS; i++)
		mem_buf_printf(&events, "{\"content\":\"turn %d of a talk about tea\",\"session_id\":\"s%d\",\"ref\":\"r%d\",\"speaker\":\"Ada\"%s}\n",
		    i, i % 3, i, i % 5 == 0 ? ",\"ns\":\"global\"" : "");
	FILE *f = file_of(mem_buf_span(&events));
	assert_int_equal(mem_capture_run(&ask, &capture, fileno(f), skip_receipts, NULL, &total, &err), MEM_OK);
	fclose(f);
	mem_buf_release(&events);
	f = file_of(mem_str(nodes));
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_upkeep_import(&m, fileno(f), -1, skip_receipts, NULL, &total, &err), MEM_OK);
	mem_index_close(&m);
	fclose(f);
}

static enum mem_status
put_vectors(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model m = { .name = "eight", .dims = DIMS, .near = 0.9F, .weight = 0.5 };
	enum mem_status st = mem_vectors_model_put(t, &m, e);
	(void)ctx;
	for (uint32_t ord = 0; ord < nids && st == MEM_OK; ord++) {
		float v[DIMS];
		uint8_t codes[CODES * CODE_BYTES];
		make_vector(ord, v);
		make_codes(ord, codes);
		st = mem_vectors_put(t, ord, &(struct mem_vectors_passage){ .v = v, .pieces = codes, .npieces = CODES }, 1, e);
	}
	return st;
}

static void
embed_nodes(void)
{
	struct mem_store_options ask = ask_of("ada");
	struct mem_index m;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(m.store, put_vectors, NULL, &err), MEM_OK);
	mem_index_close(&m);
}

static void
note_ids(void)
{
	struct mem_buf all = { 0 };
	nids = 0;
	assert_int_equal(read_all(1, "ada", &all), MEM_OK);
	for (const char *p = all.data; (p = strstr(p, "{\"id\":\"")) != NULL; p++) {
		assert_true(nids < MEM_COUNT(ids));
		snprintf(ids[nids++], sizeof ids[0], "%.36s", p + 7);
	}
	assert_int_equal(nids, EVENTS + 2);
	mem_buf_release(&all);
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	pack_old_rows();
	fill_store();
	note_ids();
	embed_nodes();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	return own_store_remove();
}

/* ---- flips ----------------------------------------------------------------- */

static uint64_t
next_random(void)
{
	static uint64_t x = 20261128;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

struct flip {
	const char *table;
	size_t row, bit;
};

static MDB_env *
open_lmdb(void)
{
	MDB_env *env;
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 32), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, at, MDB_NOSYNC, 0600), 0);
	return env;
}

/* Turns the bit over; done twice, all is as it was. */
static void
apply_flip(const struct flip *f)
{
	static char copy[1 << 17];
	MDB_env *env = open_lmdb();
	MDB_txn *txn;
	MDB_dbi dbi;
	MDB_cursor *c;
	MDB_val k, v;
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, f->table, 0, &dbi), 0);
	assert_int_equal(mdb_cursor_open(txn, dbi, &c), 0);
	assert_int_equal(mdb_cursor_get(c, &k, &v, MDB_FIRST), 0);
	for (size_t i = 0; i < f->row; i++)
		assert_int_equal(mdb_cursor_get(c, &k, &v, MDB_NEXT), 0);
	assert_true(v.mv_size <= sizeof copy);
	memcpy(copy, v.mv_data, v.mv_size);
	size_t bit = f->bit % (8 * v.mv_size);
	copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
	v.mv_data = copy;
	assert_int_equal(mdb_cursor_put(c, &k, &v, MDB_CURRENT), 0);
	mdb_cursor_close(c);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static const char *const tables[] = {
	"node", "attr", "log", "audit", "row", "node", "attr", "log", "audit", "row", "meta", "ns", "id", "due", "out", "tail", "row", "code", "seg", "segs", "piece",
	"piece",
};

/* A row of a table that has one with a value. */
static struct flip
choose_flip(void)
{
	for (;;) {
		struct flip f = { .table = tables[next_random() % MEM_COUNT(tables)], .bit = next_random() };
		MDB_env *env = open_lmdb();
		MDB_txn *txn;
		MDB_dbi dbi;
		MDB_cursor *c;
		MDB_val k, v = { 0 };
		MDB_stat stat;
		assert_int_equal(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn), 0);
		int rc = mdb_dbi_open(txn, f.table, 0, &dbi);
		if (rc == 0 && mdb_stat(txn, dbi, &stat) == 0 && stat.ms_entries > 0) {
			f.row = next_random() % stat.ms_entries;
			assert_int_equal(mdb_cursor_open(txn, dbi, &c), 0);
			assert_int_equal(mdb_cursor_get(c, &k, &v, MDB_FIRST), 0);
			for (size_t i = 0; i < f.row; i++)
				assert_int_equal(mdb_cursor_get(c, &k, &v, MDB_NEXT), 0);
			mdb_cursor_close(c);
		}
		mdb_txn_abort(txn);
		mdb_env_close(env);
		if (v.mv_size > 0)
			return f;
	}
}

static void
test_flips(void **state)
{
	struct mem_buf out = { 0 };
	size_t seen[MEM_COUNT(readers)] = { 0 };
	(void)state;
	for (size_t r = 0; r < MEM_COUNT(readers); r++)
		assert_int_equal(read_all(r, "ada", &before[r]), MEM_OK);
	for (int i = 0; i < FLIPS; i++) {
		struct flip f = choose_flip();
		apply_flip(&f);
		for (size_t r = 0; r < MEM_COUNT(readers); r++) {
			enum mem_status st = read_all(r, "ada", &out);
			bool said = told > 0 || st != MEM_OK;
			seen[r] += said;
			if (!said && !mem_str_eq(mem_buf_span(&out), mem_buf_span(&before[r])))
				fail_msg("table %s, row %zu, bit %zu: %s serves it", f.table, f.row, f.bit, readers[r].name);
			/* It is an error, and never the answer that something is not there. */
			if (st != MEM_OK && st != MEM_DAMAGED && st != MEM_FAIL)
				fail_msg("table %s, row %zu, bit %zu: %s ends with %d", f.table, f.row, f.bit, readers[r].name, (int)st);
		}
		apply_flip(&f);
	}
	for (size_t r = 0; r < MEM_COUNT(readers); r++) {
		assert_int_equal(read_all(r, "ada", &out), MEM_OK);
		assert_true(mem_str_eq(mem_buf_span(&out), mem_buf_span(&before[r])));
		assert_true(seen[r] > FLIPS / 20);
		mem_buf_release(&before[r]);
	}
	mem_buf_release(&out);
}

/* What is stored is as it was made: another sum would call every store damaged. */
static void
test_sum(void **state)
{
	static const uint8_t key[4] = { 0, 0, 1, 2 };
	const struct mem_str k = { (const char *)key, sizeof key }, v = MEM_STR("{\"id\":1}");
	(void)state;
	assert_true(store_value_sum(MEM_T_NODE, k, v) == UINT64_C(0x620F2C4308A72A6A));
	assert_true(store_value_sum(MEM_T_NODE, k, v) != store_value_sum(MEM_T_ATTR, k, v));
	assert_true(store_value_sum(MEM_T_NODE, k, v) != store_value_sum(MEM_T_NODE, MEM_STR("\0\0\2\2"), v));
}

/* ---- what is said, and to whom --------------------------------------------- */

static size_t
count_lines(const struct mem_buf *b)
{
	size_t n = 0;
	for (size_t i = 0; i < b->len; i++)
		n += b->data[i] == '\n';
	return n;
}

/* One damaged text: a stream gives all the others and names it, once. */
static void
test_streams(void **state)
{
	static const struct { const char *table; size_t lost; } parts[] = { { "node", 1 }, { "attr", 0 } };
	struct mem_buf out = { 0 };
	(void)state;
	for (size_t i = 0; i < MEM_COUNT(parts); i++) {
		struct flip f = { parts[i].table, 7, 300 };
		apply_flip(&f);
		assert_int_equal(read_all(0, "ada", &out), MEM_OK);
		assert_int_equal(told, 1);
		assert_non_null(strstr(last_message, ids[7]));
		assert_int_equal(count_lines(&out), nids - parts[i].lost);
		assert_int_equal(read_all(1, "ada", &out), MEM_OK);
		assert_int_equal(told, 1);
		assert_int_equal(count_lines(&out), nids - 1);
		apply_flip(&f);
	}
	mem_buf_release(&out);
}

/* With text and attributes both damaged the id still comes from its table, and whose it is from the log. */
static void
test_both_damaged(void **state)
{
	const struct flip text = { "node", 6, 300 }, attr = { "attr", 6, 300 };
	struct mem_buf out = { 0 };
	(void)state;
	apply_flip(&text);
	apply_flip(&attr);
	assert_int_equal(read_all(1, "ada", &out), MEM_OK);
	assert_int_equal(told, 1);
	assert_non_null(strstr(last_message, ids[6]));
	/* It is in agent:ada, which is nobody else's to know. */
	assert_int_equal(read_all(1, "bob", &out), MEM_OK);
	assert_int_equal(told, 0);
	assert_int_equal(read_all(5, "bob", &out), MEM_NOTFOUND);
	assert_null(strstr(last_message, "bob"));
	apply_flip(&text);
	apply_flip(&attr);
	mem_buf_release(&out);
}

/* ---- writers --------------------------------------------------------------- */

static char receipts[4000];

static bool
keep_receipts(void *ctx, struct mem_str lines)
{
	(void)ctx;
	snprintf(receipts, sizeof receipts, "%.*s", (int)lines.n, lines.p);
	return true;
}

static void
capture_text(const char *text)
{
	struct mem_store_options ask = ask_of("ada");
	struct mem_capture_options capture = { .stop_fd = -1 };
	struct mem_write_total total;
	FILE *f = file_of(mem_str(text));
	told = 0;
	enum mem_status st = mem_capture_run(&ask, &capture, fileno(f), keep_receipts, NULL, &total, &err);
	assert_true(st == MEM_OK || st == MEM_REFUSED);
	fclose(f);
}

/* The one that would be its duplicate is stored, and what cannot be replaced is refused; the others go on. */
static void
test_writers(void **state)
{
	static const struct flip f = { "attr", 7, 300 };
	struct mem_buf lines = { 0 };
	(void)state;
	apply_flip(&f);
	capture_text("{\"content\":\"turn 7 of a talk about tea\",\"session_id\":\"s1\",\"ref\":\"r7\",\"speaker\":\"Ada\"}\n");
	assert_int_equal(told, 1);
	assert_non_null(strstr(last_message, ids[7]));
	assert_non_null(strstr(receipts, "\"verdict\":\"new\""));
	mem_buf_printf(&lines, "{\"content\":\"the new turn 7\",\"supersedes\":\"%s\"}\n{\"content\":\"quite another\"}\n", ids[7]);
	capture_text(lines.data);
	assert_int_equal(told, 1);
	assert_non_null(strstr(last_message, ids[7]));
	assert_non_null(strstr(receipts, "\"verdict\":\"rejected\",\"id\":null,\"reason\":\"supersedes_not_found\""));
	assert_non_null(strstr(receipts, "\"line\":2,\"verdict\":\"new\""));
	mem_buf_release(&lines);
	apply_flip(&f);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest all[] = { T(test_flips), T(test_streams), T(test_both_damaged), T(test_writers), cmocka_unit_test(test_sum) };
	return cmocka_run_group_tests_name("damage", all, NULL, NULL);
}
