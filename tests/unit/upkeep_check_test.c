/* SPDX-License-Identifier: Apache-2.0 */
/* Each invariant is broken behind the store's back, through LMDB alone, and mem_upkeep_check must
 * name that breach and no other; a repair must mend what is derived. */
#include "own_store.h"

#include <lmdb.h>
#include <sys/wait.h>

#include "capture/capture.h"
#include "segment/segment_write.h"
#include "store/checksum_int.h"
#include "store/store_int.h"
#include "vectors/vectors_int.h"
#include "words/words_int.h"
#include "write/entry.h"
#include "write/tidy.h"
#include "upkeep/upkeep.h"

/* ---- a store with something in every table ----------------------------- */

static const char events[] =
    "{\"content\":\"the first turn\",\"session_id\":\"s1\",\"ref\":\"r1\",\"speaker\":\"Ada\",\"tags\":[\"a\"]}\n"
    "{\"content\":\"the second turn\",\"session_id\":\"s1\",\"ref\":\"r2\"}\n"
    "{\"content\":\"this one goes\",\"expires_at\":\"2030-01-01T00:00:00Z\"}\n";
static const char nodes[] =
    "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\",\"kind\":\"page\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00Z\",\"name\":\"Tea\"}\n"
    "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000002\",\"kind\":\"page\",\"ns\":\"global\",\"created_at\":\"2026-11-28T09:00:00Z\",\"name\":\"Milk\"}\n"
    "{\"edge\":\"links_to\",\"weight\":0.5,\"from\":\"0198f3c2-7d4e-7b1a-9c3d-000000000001\",\"to\":\"0198f3c2-7d4e-7b1a-9c3d-000000000002\"}\n";

static bool
emit(void *ctx, struct mem_str lines)
{
	assert_null(memmem(lines.p, lines.n, "rejected", 8));
	(void)ctx;
	return true;
}

static FILE *
file_of(const char *text)
{
	FILE *f = tmpfile();
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	rewind(f);
	return f;
}

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

static void
fill(void)
{
	struct mem_store_options ask = ask_of();
	struct mem_capture_options capture = { .stop_fd = -1 };
	struct mem_write_total total;
	struct mem_index m;
	FILE *f = file_of(events);
	assert_int_equal(mem_capture_run(&ask, &capture, fileno(f), emit, NULL, &total, &err), MEM_OK);
	fclose(f);
	f = file_of(nodes);
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_upkeep_import(&m, fileno(f), -1, emit, NULL, &total, &err), MEM_OK);
	mem_index_close(&m);
	fclose(f);
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	fill();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	return own_store_remove();
}

/* The checks that fail, each followed by a space. */
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
	if (mem_upkeep_check(&m, told, NULL, NULL, NULL, &err) != MEM_OK)
		fail_msg("check: %s", err.msg);
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

/* ---- damage ------------------------------------------------------------ */

static MDB_env *env;
static MDB_txn *txn;
static MDB_dbi dbi;

static void
begin(const char *table)
{
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 32), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, at, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, table, MDB_CREATE, &dbi), 0); /* tomb comes with its first row */
}

static void
end(void)
{
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

enum where { FIRST, LAST };

/* The key and value of a row, copied. */
static void
row(enum where where, MDB_val *k, MDB_val *v)
{
	static char kbuf[512], vbuf[8192];
	MDB_cursor *c;
	assert_int_equal(mdb_cursor_open(txn, dbi, &c), 0);
	assert_int_equal(mdb_cursor_get(c, k, v, where == FIRST ? MDB_FIRST : MDB_LAST), 0);
	assert_true(k->mv_size <= sizeof kbuf && v->mv_size <= sizeof vbuf);
	memcpy(kbuf, k->mv_data, k->mv_size);
	memcpy(vbuf, v->mv_data, v->mv_size);
	k->mv_data = kbuf;
	v->mv_data = vbuf;
	mdb_cursor_close(c);
}

static void
put(MDB_val *k, MDB_val *v)
{
	assert_int_equal(mdb_put(txn, dbi, k, v, 0), 0);
}

static void
drop_row(const char *table, enum where where)
{
	MDB_val k, v;
	begin(table);
	row(where, &k, &v);
	assert_int_equal(mdb_del(txn, dbi, &k, NULL), 0);
	end();
}

/* MEM_T_COUNT: a table without checksums. */
static enum mem_table
sealed_table(const char *table)
{
	static const enum mem_table sealed[] = { MEM_T_META, MEM_T_NS, MEM_T_NODE, MEM_T_ATTR, MEM_T_OUT, MEM_T_IN, MEM_T_LOG,
		MEM_T_AUDIT, MEM_T_CODE };
	for (size_t i = 0; i < MEM_COUNT(sealed); i++)
		if (strcmp(table, store_table_names[sealed[i]]) == 0)
			return sealed[i];
	return MEM_T_COUNT;
}

/* Puts n bytes under k, with the checksum that fits. */
static void
put_sealed(const char *table, MDB_val *k, const void *p, size_t n)
{
	char value[8200];
	enum mem_table tab = sealed_table(table);
	MDB_val v = { n, value };
	assert_true(n + 8 <= sizeof value);
	memcpy(value, p, n);
	if (tab != MEM_T_COUNT) {
		uint64_t sum = store_value_sum(tab, (struct mem_str){ k->mv_data, k->mv_size }, (struct mem_str){ p, n });
		memcpy(value + n, &sum, sizeof sum);
		v.mv_size += sizeof sum;
	}
	put(k, &v);
}

/* Writes over one byte of a row's value, counted from its end when negative. */
static void
flip(const char *table, enum where where, int byte)
{
	MDB_val k, v;
	begin(table);
	row(where, &k, &v);
	size_t n = v.mv_size - (sealed_table(table) != MEM_T_COUNT ? 8 : 0);
	size_t i = byte >= 0 ? (size_t)byte : n - (size_t)-byte;
	((char *)v.mv_data)[i] = (char)(((char *)v.mv_data)[i] ^ 1);
	put_sealed(table, &k, v.mv_data, n);
	end();
}

/* The same, and the checksum is what it was. */
static void
damage_byte(const char *table, enum where where, size_t byte)
{
	MDB_val k, v;
	begin(table);
	row(where, &k, &v);
	assert_true(byte < v.mv_size);
	((char *)v.mv_data)[byte] = (char)(((char *)v.mv_data)[byte] ^ 1);
	put(&k, &v);
	end();
}

/* The value of a row that says all in its key; `sum` is its room.  False: it is of another table. */
static bool
seal_key(const char *table, MDB_val *k, MDB_val *v, uint32_t *sum)
{
	static const char *const tables[] = { "ref", "dup", "name", "pend", "tomb" };
	for (size_t i = 0; i < MEM_COUNT(tables); i++)
		if (strcmp(table, tables[i]) == 0) {
			*sum = mem_crc32c_lanes(k->mv_data, k->mv_size);
			*v = (MDB_val){ sizeof *sum, sum };
			return true;
		}
	return false;
}

/* Leaves three bytes of the first row's value, which is less than a checksum. */
static void
cut_row(void)
{
	MDB_val k, v;
	row(FIRST, &k, &v);
	v.mv_size = 3;
	put(&k, &v);
}

static void
set_value(const char *table, enum where where, const void *p, size_t n)
{
	MDB_val k, v;
	begin(table);
	row(where, &k, &v);
	put_sealed(table, &k, p, n);
	end();
}

/* A copy of the last row under a key whose byte is this one: no row has it yet. */
static void
add_copy(const char *table, size_t byte, char value)
{
	MDB_val k, v;
	uint32_t sum;
	begin(table);
	row(LAST, &k, &v);
	((char *)k.mv_data)[byte] = value;
	(void)seal_key(table, &k, &v, &sum);
	assert_int_equal(mdb_put(txn, dbi, &k, &v, MDB_NOOVERWRITE), 0);
	if (sealed_table(table) == MEM_T_OUT)
		put_sealed(table, &k, v.mv_data, v.mv_size - 8);
	end();
}

/* The same where the key is a keyed hash, whose bytes may be any: one bit is another. */
static void
add_near(const char *table, size_t byte)
{
	MDB_val k, v;
	uint32_t sum;
	begin(table);
	row(LAST, &k, &v);
	((char *)k.mv_data)[byte] = (char)(((char *)k.mv_data)[byte] ^ 1);
	(void)seal_key(table, &k, &v, &sum);
	assert_int_equal(mdb_put(txn, dbi, &k, &v, MDB_NOOVERWRITE), 0);
	end();
}

/* The last row's value under the first row's key. */
static void
exchange(const char *table)
{
	MDB_val k, v;
	char key[64];
	begin(table);
	row(FIRST, &k, &v);
	size_t n = k.mv_size;
	assert_true(n <= sizeof key);
	memcpy(key, k.mv_data, n);
	row(LAST, &k, &v);
	k.mv_data = key;
	k.mv_size = n;
	put(&k, &v);
	end();
}

static void
set_counter(size_t offset, uint32_t value)
{
	char name[] = "counters", copy[256];
	MDB_val k = { sizeof name - 1, name }, v;
	begin("meta");
	assert_int_equal(mdb_get(txn, dbi, &k, &v), 0);
	assert_true(v.mv_size <= sizeof copy);
	memcpy(copy, v.mv_data, v.mv_size);
	memcpy(copy + offset, &value, sizeof value);
	put_sealed("meta", &k, copy, v.mv_size - 8);
	end();
}

/* After one fault: exactly this breach, and `after` a repair what it cannot mend. */
static void
expect(const char *breach, const char *after)
{
	char want[64];
	snprintf(want, sizeof want, "%s ", breach);
	assert_string_equal(check_store(), want);
	repair_store();
	assert_string_equal(check_store(), after);
}

static void
test_clean_store(void **state)
{
	(void)state;
	assert_string_equal(check_store(), "");
	repair_store();
	assert_string_equal(check_store(), "");
}

#define TEST(name, damage, breach, after) \
	static void name(void **state) { (void)state; damage; expect(breach, after); }

/* A node's vector, whose last number is its length. */
static enum mem_status
put_vector(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct mem_vectors_model m = { .name = "eight", .dims = 8, .near = 0.9f, .weight = 0.5 };
	const float v[8] = { [7] = 1 };
	const uint32_t *ord = ctx;
	enum mem_status st = mem_vectors_model_put(t, &m, e);
	return st == MEM_OK ? mem_vectors_put(t, *ord, &(struct mem_vectors_passage){ .v = v }, 1, e) : st;
}

static void
embed_node(uint32_t ord)
{
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(m.store, put_vector, &ord, &err), MEM_OK);
	mem_index_close(&m);
	assert_string_equal(check_store(), "");
}

static void
embed(void)
{
	embed_node(0);
}

/* A row with its checksum. */
struct summed_row {
	float v[8];
	uint64_t sum;
};

static struct summed_row
make_row(uint32_t ord, const float *v)
{
	struct summed_row r;
	memcpy(r.v, v, sizeof r.v);
	r.sum = vectors_row_sum(r.v, sizeof r.v, vectors_place(ord, 0));
	return r;
}

/* The first node's vector, a little shorter or longer than one is. */
static void
stretch(float length)
{
	float v[8] = { [7] = length };
	struct summed_row r = make_row(0, v);
	embed();
	set_value("row", FIRST, &r, sizeof r);
}

/* One that cannot be read, for nodes 1 to 77. */
static void
add_unreadable_rows(void)
{
	char key[12] = { 0, 0, 0, 77, 0, 0, 0, 0, 0, 1, 0, 0 }, short_one[8] = { 0 };
	MDB_val k = { sizeof key, key }, v = { sizeof short_one, short_one };
	embed();
	begin("row");
	put(&k, &v);
	end();
}

/* A repair keeps vectors, since no text gives them back. */
static void
vectors_stay(void **state)
{
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	struct mem_txn *t = NULL;
	float v[8];
	(void)state;
	embed();
	repair_store();
	assert_string_equal(check_store(), "");
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(mem_vectors_get(t, 0, 0, v, &err), MEM_OK);
	assert_int_equal(mem_vectors_get(t, 1, 0, v, &err), MEM_NOTFOUND);
	mem_txn_end(t);
	mem_index_close(&m);
}

/* Who made the vectors cannot be read: they are worth nothing, and their nodes wait again. */
static void
model_damaged(void **state)
{
	char name[] = "model", value[] = "short";
	MDB_val k = { sizeof name - 1, name }, v = { sizeof value - 1, value };
	(void)state;
	embed();
	begin("meta");
	put(&k, &v);
	end();
	assert_true(strlen(check_store()) > 0);
	repair_store();
	assert_string_equal(check_store(), "");
	embed();
}

static enum mem_status
put_entry(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_entry_put(t, ctx, "new", e);
}

/* What is remembered while a row cannot be read waits for its vector. */
static void
damage_costs_no_node(void **state)
{
	static const char node[] = "{\"id\":\"0198f3c2-7d4e-7b1a-9c3d-000000000003\",\"kind\":\"page\",\"ns\":\"global\","
	    "\"created_at\":\"2026-11-28T09:00:00Z\",\"name\":\"Mud\"}";
	static const float v[8] = { 1 };
	const struct mem_encoder_info info = { .name = "eight", .dims = 8, .near = .9F, .weight = .5 };
	struct mem_store_options ask = ask_of();
	struct mem_arena arena = { 0 };
	struct mem_index m;
	struct mem_entry e;
	(void)state;
	add_unreadable_rows();
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_entry_make(&e, &m, &arena, mem_str(node), MEM_FILL_NOTHING, &err), MEM_OK);
	e.embedding.vector = v;
	e.passages = &(struct mem_vectors_passage){ .v = v };
	e.npassages = 1;
	e.encoder = &info;
	assert_int_equal(mem_store_write(m.store, put_entry, &e, &err), MEM_OK);
	mem_index_close(&m);
	mem_arena_release(&arena);
	assert_string_equal(check_store(), "row_bad ");
	repair_store();
	assert_string_equal(check_store(), "");
}

TEST(vector_missing, drop_row("pend", FIRST), "vector_missing", "")
TEST(row_bad, embed(); flip("row", LAST, -1), "row_bad", "")
TEST(row_flipped, embed(); flip("row", FIRST, 3), "row_bad", "")
TEST(code_missing, embed(); drop_row("code", FIRST), "code_missing", "")
TEST(code_differs, embed(); flip("code", FIRST, -1), "code_differs", "")
TEST(code_column, embed(); flip("code", FIRST, 0), "code_column", "")
TEST(code_bad, embed(); set_value("code", FIRST, "short", 5), "code_bad", "")
TEST(row_short, stretch(.995F), "row_bad", "")
TEST(row_long, stretch(1.00002F), "row_bad", "")
/* The vector that is there is looked for where the one that cannot be read lies. */
TEST(row_before, embed_node(1); add_copy("row", 9, 0), "row_bad", "")
TEST(row_unreadable, embed(); set_value("row", FIRST, "short", 5), "row_bad", "")
TEST(row_nobodys, add_unreadable_rows(), "row_bad", "")
TEST(pend_needless, embed(); add_copy("pend", 3, 0), "pend_needless", "")
TEST(pend_damaged, damage_byte("pend", FIRST, 0), "checksum", "")
TEST(code_damaged, embed(); damage_byte("code", FIRST, 41), "code_bad", "")
TEST(node_missing, drop_row("node", LAST), "node_missing", "")
TEST(node_bad, set_value("node", FIRST, "nonsense", 8), "node_bad", "node_bad ")
TEST(node_damaged, damage_byte("node", FIRST, 80), "checksum", "checksum ")
TEST(node_cut, begin("node"); cut_row(); end(), "checksum", "checksum ")
TEST(node_elsewhere, exchange("node"), "checksum", "checksum ")
TEST(attr_damaged, damage_byte("attr", FIRST, 60), "checksum", "")
TEST(log_damaged, damage_byte("log", LAST, 10), "checksum", "checksum ")
TEST(ns_damaged, damage_byte("ns", LAST, 0), "checksum", "")
TEST(ns_number_damaged, damage_byte("ns", FIRST, 0), "checksum", "")
TEST(audit_damaged, damage_byte("audit", LAST, 10), "checksum", "checksum ")
TEST(attr_missing, drop_row("attr", FIRST), "attr_missing", "")
TEST(attr_differs, flip("attr", FIRST, -1), "attr_differs", "")
TEST(attr_bad, set_value("attr", FIRST, "short", 5), "attr_bad", "")
TEST(id_missing, drop_row("id", FIRST), "id_missing", "")
TEST(id_differs, exchange("id"), "id_differs", "")
TEST(id_stray, add_near("id", 15), "id_stray", "")
TEST(ref_missing, drop_row("ref", FIRST), "ref_missing", "")
TEST(ref_differs, flip("ref", FIRST, 0), "ref_differs", "")
TEST(ref_stray, add_near("ref", 4), "ref_stray", "")
TEST(dup_missing, drop_row("dup", FIRST), "dup_missing", "")
TEST(dup_differs, flip("dup", FIRST, 0), "dup_differs", "")
TEST(dup_stray, add_near("dup", 12), "dup_stray", "")
TEST(name_missing, drop_row("name", FIRST), "name_missing", "")
TEST(name_differs, flip("name", FIRST, 0), "name_differs", "")
TEST(name_stray, add_near("name", 5), "name_stray", "")
TEST(sess_missing, drop_row("sess", FIRST), "sess_missing", "")
TEST(sess_stray, add_near("sess", 5), "sess_stray", "")
TEST(due_missing, drop_row("due", FIRST), "due_missing", "")
TEST(due_stray, add_near("due", 5), "due_stray", "")
TEST(ns_missing, drop_row("ns", LAST), "ns_missing", "")
TEST(ns_number, drop_row("ns", FIRST), "ns_number", "")
TEST(ns_count, flip("ns", LAST, 8), "ns_count", "")
TEST(ns_bad, set_value("ns", LAST, "short", 5), "ns_bad", "")
TEST(out_missing, drop_row("out", FIRST), "out_missing", "")
TEST(in_missing, drop_row("in", FIRST), "in_missing", "")
TEST(edge_differs, flip("out", FIRST, -4), "edge_differs", "edge_differs ")
/* Bytes 8 to 39 of a row of out and all 12 of one of in are read from the edge's text. */
TEST(out_weight, flip("out", FIRST, 11), "out_differs", "")
TEST(out_flags, flip("out", FIRST, 36), "out_differs", "")
TEST(in_weight, flip("in", FIRST, 3), "in_differs", "")
TEST(in_reinforced, flip("in", FIRST, 4), "in_differs", "")
TEST(in_bad, set_value("in", FIRST, "short", 5), "in_bad", "")
TEST(out_bad, set_value("out", FIRST, "short", 5), "out_bad", "")
TEST(log_gap, drop_row("log", FIRST), "log_gap", "log_gap ")
TEST(log_missing, flip("log", FIRST, -1), "log_missing", "log_missing ")
TEST(counter_seq, drop_row("log", LAST), "counter_seq", "")
TEST(audit_gap, drop_row("audit", FIRST), "audit_gap", "audit_gap ")
TEST(audit_missing, flip("audit", FIRST, 20), "audit_missing", "audit_missing ")
TEST(counter_audit, drop_row("audit", LAST), "counter_audit", "")
TEST(counter_ord, set_counter(24, 1), "counter_ord", "")
TEST(counter_ns, set_counter(28, 1), "counter_ns", "")
TEST(counter_repair, set_counter(36, 1), "counter_repair", "")

static enum mem_status
write_nothing(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)t;
	(void)ctx;
	(void)e;
	return MEM_OK;
}

/* As an older version left it, which repaired in place: an id that is not found would be given twice. */
static void
repair_broken_off(void **state)
{
	struct mem_store_options ask = ask_of();
	struct mem_store *s;
	struct mem_txn *t;
	(void)state;
	set_counter(36, 1);
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, write_nothing, NULL, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "a repair was broken off: run mem-check --repair"));
	mem_store_close(s);
	ask.write = false;
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	mem_txn_end(t);
	assert_int_equal(mem_store_damage_count(s), 1);
	mem_store_close(s);
	expect("counter_repair", "");
}
TEST(index_missing, drop_row("tail", FIRST), "index_missing", "")
#define TAIL_BYTE(field) (sizeof(struct words_tail_head) + offsetof(struct words_tail_doc, field))

/* Gives a value of the tail the checksum that fits its documents. */
static void
seal_tail(void *value)
{
	struct words_tail_head head;
	struct words_tail_doc doc;
	uint8_t *docs = (uint8_t *)value + sizeof head;
	size_t terms = 0;
	memcpy(&head, value, sizeof head);
	for (uint32_t i = 0; i < head.docs; i++) {
		memcpy(&doc, docs + i * sizeof doc, sizeof doc);
		terms += doc.terms;
	}
	head.sum = words_tail_sum(docs, head.docs, terms);
	memcpy(value, &head, sizeof head);
}

/* Another value in the first document of the tail, under checksums that fit. */
static void
flip_tail(size_t byte)
{
	MDB_val k, v;
	begin("tail");
	row(FIRST, &k, &v);
	assert_true(byte < v.mv_size);
	((char *)v.mv_data)[byte] ^= 1;
	seal_tail(v.mv_data);
	put(&k, &v);
	end();
}

TEST(index_differs, flip_tail(TAIL_BYTE(length)), "index_differs", "")
TEST(tail_damaged, flip("tail", FIRST, TAIL_BYTE(length)), "index_bad", "")
TEST(tail_term_damaged, flip("tail", FIRST, -1), "index_bad", "")
TEST(index_twice, add_copy("tail", 0, 1), "index_twice", "")
TEST(tail_time, flip_tail(TAIL_BYTE(captured_at)), "index_column", "")
TEST(tail_session, flip_tail(TAIL_BYTE(session)), "index_column", "")
TEST(tail_kind, flip_tail(TAIL_BYTE(kind)), "index_column", "")
TEST(tail_role, flip_tail(TAIL_BYTE(role)), "index_column", "")

struct spoil {
	enum mem_col col;
	uint8_t flip;
	bool sealed; /* under a checksum that fits */
};

/* Another value for the first document in a segment's column. */
static enum mem_status
spoil_column(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct spoil *spoil = ctx;
	struct mem_segment_info *segs = NULL;
	struct mem_seg seg;
	struct mem_cols cols = { .zone = UINT32_MAX };
	struct mem_cursor *c = NULL;
	size_t n, room;
	assert_int_equal(mem_segment_list(t, false, &segs, &n, e), MEM_OK);
	assert_int_equal(n, 1);
	struct mem_str manifest = { (const char *)&segs[0].m, sizeof segs[0].m };
	assert_int_equal(mem_seg_open_table(&seg, t, segs[0].number, manifest, e), MEM_OK);
	assert_true(mem_cols_load(&cols, &seg, 0, MEM_COLS_ALL) && cols.z.width[spoil->col] > 0);
	const char *byte = (const char *)cols.col[spoil->col];
	assert_int_equal(mem_cursor_open(&c, t, MEM_T_SEG, e), MEM_OK);
	enum mem_status st = mem_cursor_seek(c, MEM_STR(""), e);
	while (st == MEM_OK && (byte < mem_cursor_value(c).p || byte >= mem_cursor_value(c).p + mem_cursor_value(c).n))
		st = mem_cursor_next(c, e);
	if (st == MEM_OK) {
		struct mem_buf key = { 0 }, part = { 0 }, sums = { 0 };
		mem_buf_str(&key, mem_cursor_key(c));
		mem_buf_str(&part, mem_cursor_value(c));
		part.data[byte - mem_cursor_value(c).p] ^= (char)spoil->flip;
		if (spoil->sealed)
			mem_buf_put(&sums, mem_seg_part(&seg, MEM_SEC_SUM, 0, &room), seg.m.sec[MEM_SEC_SUM].count * MEM_SEC_SUM_SIZE);
		if (spoil->sealed)
			mem_segw_unit_sums((uint32_t *)(void *)sums.data + seg.sums[MEM_SEC_ORD + spoil->col], (const uint8_t *)part.data, part.len);
		st = mem_tab_put(t, MEM_T_SEG, mem_buf_span(&key), mem_buf_span(&part), e);
		mem_be32((uint8_t *)key.data + 4, (uint32_t)MEM_SEC_SUM << 24);
		if (st == MEM_OK && spoil->sealed)
			st = mem_tab_put(t, MEM_T_SEG, mem_buf_span(&key), mem_buf_span(&sums), e);
		mem_buf_release(&key);
		mem_buf_release(&part);
		mem_buf_release(&sums);
	}
	mem_cursor_close(c);
	mem_seg_close(&seg);
	free(segs);
	return st;
}

static void
spoil_segment(enum mem_col col, uint8_t bits, bool sealed)
{
	struct spoil how = { col, bits, sealed };
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_words_flush(m.store, &err), MEM_OK);
	assert_int_equal(mem_store_write(m.store, spoil_column, &how, &err), MEM_OK);
	mem_index_close(&m);
}

TEST(segment_time, spoil_segment(MEM_COL_TIME, 1, true), "index_column", "")
TEST(segment_session, spoil_segment(MEM_COL_SESS, 1, true), "index_column", "")
TEST(segment_kind, spoil_segment(MEM_COL_KIND, 8, true), "index_column", "")
TEST(segment_role, spoil_segment(MEM_COL_KIND, 1, true), "index_column", "")
TEST(segment_damaged, spoil_segment(MEM_COL_TIME, 1, false), "index_bad", "")

/* A tomb of the first document of a segment. */
static void
add_tomb(uint32_t segment)
{
	uint8_t key[8] = { 0 };
	MDB_val k = { sizeof key, key }, v = { 0, key };
	mem_be32(key, segment);
	begin("tomb");
	put(&k, &v);
	end();
}

/* A document that counts no more, though its node is there. */
static void
bury_a_live_document(void)
{
	struct mem_segment_info *segs = NULL;
	struct mem_txn *t = NULL;
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	size_t n;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_words_flush(m.store, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(mem_segment_list(t, false, &segs, &n, &err), MEM_OK);
	mem_txn_end(t);
	mem_index_close(&m);
	assert_int_equal(n, 1);
	add_tomb(segs[0].number);
	free(segs);
}

/* The first node, of a segment, is removed or gets another text; and then its tomb is lost. */
static enum mem_status
change_first(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct mem_writer *w = ctx;
	const struct mem_clean_field tags = { "tags", mem_clean_absent() }, ref = { "ref", mem_clean_word(mem_writer_arena(w), MEM_STR("another")) };
	const struct mem_clean_field set[] = { tags, ref };
	const struct mem_write_edit edit = { .set = set, .n = MEM_COUNT(set), .op = "changed" };
	return mem_write_change_at(t, w, 0, &edit, NULL, e);
}

static enum mem_status
remove_first(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_write_remove_at(t, ctx, 0, &(struct mem_write_removal){ .op = "removed" }, e);
}

static void
bury_first(mem_write_fn *act)
{
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	struct mem_writer *w = mem_writer_new(&m, &(struct mem_write_options){ .via = "test" });
	assert_int_equal(mem_words_flush(m.store, &err), MEM_OK);
	if (mem_store_write(m.store, act, w, &err) != MEM_OK)
		fail_msg("%s", err.msg);
	mem_writer_free(w);
	mem_index_close(&m);
	assert_string_equal(check_store(), "");
}

TEST(tomb_of_a_removed_node_lost, bury_first(remove_first); drop_row("tomb", FIRST), "index_stray", "")
TEST(tomb_of_a_changed_node_lost, bury_first(change_first); drop_row("tomb", FIRST), "index_differs index_twice", "")
TEST(tomb_damaged, bury_first(remove_first); damage_byte("tomb", FIRST, 0), "checksum", "")
TEST(tomb_stray, add_tomb(99), "tomb_stray", "")
TEST(tomb_of_a_node, bury_a_live_document(), "index_missing", "")

/* A number of the sums that table meta holds of the tail. */
static void
flip_tail_sum(size_t byte)
{
	char name[] = "tail", copy[64];
	MDB_val k = { sizeof name - 1, name }, v;
	begin("meta");
	assert_int_equal(mdb_get(txn, dbi, &k, &v), 0);
	assert_true(byte < v.mv_size && v.mv_size <= sizeof copy);
	memcpy(copy, v.mv_data, v.mv_size);
	copy[byte] ^= 1;
	put_sealed("meta", &k, copy, v.mv_size - 8);
	end();
}

TEST(tail_docs, flip_tail_sum(offsetof(struct words_tail_sums, docs)), "tail_sums", "")
TEST(tail_bytes, flip_tail_sum(offsetof(struct words_tail_sums, bytes)), "tail_sums", "")
TEST(tail_loose, flip_tail_sum(offsetof(struct words_tail_sums, loose)), "tail_sums", "")

/* An index of another form is told apart from a damaged one, and built anew. */
static void
older_index(void **state)
{
	char name[] = "analyser";
	MDB_val k = { sizeof name - 1, name }, v;
	uint8_t mark[8];
	struct mem_store_options ask = ask_of();
	struct mem_index m;
	(void)state;
	begin("meta");
	assert_int_equal(mdb_get(txn, dbi, &k, &v), 0);
	assert_int_equal(v.mv_size, sizeof mark + 8);
	mem_be64(mark, mem_be64_get(v.mv_data) ^ MEM_INDEX_FORMAT ^ (MEM_INDEX_FORMAT - 1));
	put_sealed("meta", &k, mark, sizeof mark);
	end();
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_FAIL);
	assert_non_null(strstr(err.msg, "or an older memkit): run mem-maintain upgrade"));
	repair_store();
	assert_string_equal(check_store(), "");
}

static void
index_stray(void **state)
{
	MDB_val k, v;
	(void)state;
	begin("tail");
	row(LAST, &k, &v);
	((char *)k.mv_data)[0] = 1;
	((char *)v.mv_data)[TAIL_BYTE(ord) + 1] = 1;
	seal_tail(v.mv_data);
	put(&k, &v);
	end();
	expect("index_stray", "");
}

static void
pend_stray(void **state)
{
	char key[4] = { 1, 0, 0, 0 };
	MDB_val k = { sizeof key, key }, v = { 0, key };
	(void)state;
	begin("pend");
	put(&k, &v);
	end();
	expect("pend_stray", "");
}

/* A vector of no node, as readable as the others. */
static void
vector_stray(void **state)
{
	char key[12] = { 0, 0, 0, 77, 0, 0, 0, 0, 0, 77, 0, 0 };
	struct summed_row v = make_row(77, (const float[8]){ 1 });
	MDB_val k = { sizeof key, key }, value = { sizeof v, &v };
	(void)state;
	embed();
	begin("row");
	put(&k, &value);
	end();
	assert_string_equal(check_store(), "vector_stray ");
	repair_store();
	assert_string_equal(check_store(), "");
}

static void
edge_end(void **state)
{
	(void)state;
	add_copy("out", 9, 77);
	/* Its way back, so that only the end is at fault. */
	MDB_val k, v;
	begin("in");
	row(LAST, &k, &v);
	((char *)k.mv_data)[3] = 77;
	put_sealed("in", &k, v.mv_data, v.mv_size - 8);
	end();
	expect("edge_end", "");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_clean_store), CASE(node_missing), CASE(node_bad), CASE(node_damaged), CASE(node_cut), CASE(node_elsewhere),
		CASE(attr_damaged), CASE(ns_damaged), CASE(ns_number_damaged), CASE(log_damaged), CASE(audit_damaged), CASE(attr_missing), CASE(attr_differs), CASE(attr_bad),
		CASE(id_missing), CASE(id_differs), CASE(id_stray), CASE(ref_missing), CASE(ref_differs), CASE(ref_stray),
		CASE(dup_missing), CASE(dup_stray), CASE(name_missing), CASE(name_differs), CASE(name_stray), CASE(sess_missing),
		CASE(sess_stray), CASE(due_missing), CASE(due_stray), CASE(ns_missing), CASE(ns_number),
		CASE(ns_count), CASE(ns_bad), CASE(out_missing), CASE(in_missing), CASE(edge_differs), CASE(edge_end),
		CASE(out_weight), CASE(out_flags), CASE(in_weight), CASE(in_reinforced), CASE(in_bad), CASE(out_bad),
		CASE(log_gap), CASE(log_missing), CASE(counter_seq), CASE(audit_gap), CASE(audit_missing),
		CASE(counter_audit), CASE(counter_ord), CASE(counter_ns), CASE(counter_repair), CASE(repair_broken_off), CASE(index_missing), CASE(index_differs),
		CASE(index_twice), CASE(tail_time), CASE(tail_session), CASE(tail_kind), CASE(tail_role),
		CASE(segment_time), CASE(segment_session), CASE(segment_kind), CASE(segment_role), CASE(segment_damaged), CASE(tail_damaged), CASE(tail_term_damaged), CASE(older_index),
		CASE(index_stray), CASE(tomb_stray), CASE(tomb_damaged), CASE(tomb_of_a_removed_node_lost),
		CASE(tomb_of_a_changed_node_lost), CASE(tomb_of_a_node), CASE(tail_docs), CASE(tail_bytes),
		CASE(tail_loose), CASE(pend_stray),
		CASE(vectors_stay), CASE(damage_costs_no_node), CASE(model_damaged), CASE(vector_missing),
		CASE(row_bad), CASE(row_flipped), CASE(row_short), CASE(row_long), CASE(row_before),
		CASE(pend_needless), CASE(pend_damaged), CASE(code_damaged), CASE(dup_differs),
		CASE(code_missing), CASE(code_differs), CASE(code_column), CASE(code_bad), CASE(vector_stray),
		CASE(row_unreadable), CASE(row_nobodys),
	};
	return cmocka_run_group_tests_name("memory_check", tests, NULL, NULL);
}
