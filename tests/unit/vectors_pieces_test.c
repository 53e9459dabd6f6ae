/* SPDX-License-Identifier: Apache-2.0 */
/* Codes of word pieces in a store: matched as a naive walk does it, gone with their vectors, damage never served. */
#include "index_world.h"

#include <lmdb.h>
#include <math.h>

#include "store/node.h"
#include "vectors/vectors_int.h"

enum { DIMS = 128, BYTES = DIMS / 8, NODES = 300, QUESTION = 4, PASSAGES_MAX = 3, PIECES_MAX = 9 };

/* What node `ord` holds follows from its number and from how often it was put. */
static uint8_t versions[NODES];
static bool without[NODES];           /* its vectors came without codes */

static size_t
count_passages(uint32_t ord)
{
	return ord % 5 == 4 ? PASSAGES_MAX : 1;
}

static size_t
count_pieces(uint32_t ord, size_t passage)
{
	return ord % 7 == 3 ? 0 : mix(ord * 8 + passage + 1) % PIECES_MAX + (passage == 0);
}

static void
make_codes(uint32_t ord, size_t passage, uint8_t *codes)
{
	for (size_t i = 0; i < count_pieces(ord, passage) * BYTES; i++)
		codes[i] = (uint8_t)(mix((uint64_t)versions[ord] << 48 | (uint64_t)ord << 24 | passage << 16 | i) >> 20);
}

static enum mem_status
put_node(struct mem_txn *t, uint32_t ord, struct mem_err *e)
{
	static float v[PASSAGES_MAX][DIMS];
	static uint8_t codes[PASSAGES_MAX][PIECES_MAX * BYTES];
	struct mem_vectors_passage p[PASSAGES_MAX];
	size_t n = count_passages(ord);
	for (size_t i = 0; i < n; i++) {
		memset(v[i], 0, sizeof v[i]);
		v[i][(ord + i) % DIMS] = 1;
		make_codes(ord, i, codes[i]);
		p[i] = (struct mem_vectors_passage){ .span = { (uint32_t)i, (uint32_t)i + 1, 0 }, .v = v[i] };
		if (!without[ord] || i + 1 < n) { /* where those of one passage are not known there are none */
			p[i].pieces = codes[i];
			p[i].npieces = count_pieces(ord, i);
		}
	}
	return mem_vectors_put(t, ord, p, n, e);
}

struct node_range {
	uint32_t from, to;
	enum mem_kind kind;
};

static enum mem_status
put_nodes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct node_range *r = ctx;
	enum mem_status st = MEM_OK;
	for (uint32_t ord = r->from; ord < r->to && st == MEM_OK; ord++) {
		struct mem_attr a = { .ns = 1, .kind = (uint16_t)r->kind, .role = 1, .captured_at = ord };
		uint8_t key[4];
		mem_be32(a.id.b, ord);
		mem_be32(key, ord);
		st = mem_tab_put(t, MEM_T_ATTR, mem_key(key, sizeof key), (struct mem_str){ (const char *)&a, sizeof a }, e);
		if (st == MEM_OK)
			st = put_node(t, ord, e);
	}
	return st;
}

static void
put_range(uint32_t from, uint32_t to, enum mem_kind kind)
{
	struct node_range r = { from, to, kind };
	ASSERT_OK(mem_store_write(store, put_nodes, &r, &err));
}

static enum mem_status
drop_node(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	return mem_vectors_drop(t, *(const uint32_t *)ctx, e);
}

static void
fill_store(void)
{
	memset(versions, 0, sizeof versions);
	memset(without, 0, sizeof without);
	ASSERT_OK(mem_store_write(store, world_start_vectors, &(uint32_t){ DIMS }, &err));
	put_range(0, NODES, MEM_KIND_EPISODE);
}

/* ---- matching ---------------------------------------------------------------- */

static void
match_naively(const uint8_t *question, uint32_t ord, uint16_t *bits)
{
	uint8_t codes[PIECES_MAX * BYTES];
	for (size_t q = 0; q < QUESTION; q++)
		bits[q] = MEM_PIECES_NONE;
	for (size_t p = 0; p < count_passages(ord) && !without[ord]; p++) {
		make_codes(ord, p, codes);
		for (size_t k = 0; k < count_pieces(ord, p); k++)
			for (size_t q = 0; q < QUESTION; q++) {
				uint16_t n = 0;
				for (size_t i = 0; i < BYTES; i++)
					n = (uint16_t)(n + __builtin_popcount((unsigned)question[q * BYTES + i] ^ codes[k * BYTES + i]));
				bits[q] = n < bits[q] ? n : bits[q];
			}
	}
}

/* Every `step`th node; `none`: one that is expected to have no codes. */
static void
check_matches(uint32_t step, uint32_t none)
{
	uint8_t question[QUESTION * BYTES];
	uint32_t ords[NODES + 2];
	uint16_t got[NODES + 2][QUESTION], want[QUESTION];
	struct mem_txn *t;
	size_t n = 0;
	for (size_t i = 0; i < sizeof question; i++)
		question[i] = (uint8_t)(mix(i + 1000003) >> 11);
	for (uint32_t ord = 0; ord < NODES; ord += step)
		ords[n++] = ord;
	ords[n++] = NODES + 50; /* there is no such node */
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_pieces_match(t, question, QUESTION, DIMS, ords, n, got[0], &err));
	uint16_t other[QUESTION];
	ASSERT_OK(mem_vectors_pieces_match(t, question, 2, 2 * DIMS, ords, 2, other, &err)); /* of another model */
	for (size_t i = 0; i < QUESTION; i++)
		assert_int_equal(other[i], MEM_PIECES_NONE);
	mem_txn_end(t);
	for (size_t i = 0; i < n; i++) {
		if (ords[i] < NODES && ords[i] != none)
			match_naively(question, ords[i], want);
		else
			memset(want, 0xff, sizeof want);
		assert_memory_equal(got[i], want, sizeof want);
	}
}

static unsigned breaches;
static char last_check[40];

static void
count_breach(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	breaches++;
	snprintf(last_check, sizeof last_check, "%s", b->check);
}

static unsigned
check_store(void)
{
	struct mem_txn *t;
	breaches = 0;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(vectors_pieces_check(t, DIMS, count_breach, NULL, &err));
	mem_txn_end(t);
	return breaches;
}

static struct vectors_pieces_record
read_record(void)
{
	struct vectors_pieces_record r;
	struct mem_txn *t;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(vectors_pieces_record_get(t, &r, &err));
	mem_txn_end(t);
	return r;
}

static void
nodes_match_as_a_walk_says(void **state)
{
	(void)state;
	fill_store();
	for (uint32_t step = 1; step < 40; step++)
		check_matches(step, NODES);
	assert_int_equal(check_store(), 0);
	assert_int_equal(read_record().missing, VECTORS_PIECES_WHOLE);
	/* others in place of these */
	for (uint32_t ord = 10; ord < 60; ord++)
		versions[ord]++;
	put_range(10, 60, MEM_KIND_EPISODE);
	check_matches(1, NODES);
	assert_int_equal(check_store(), 0);
}

static void
codes_go_with_vectors(void **state)
{
	(void)state;
	uint32_t ord = 44, all = 0;
	fill_store();
	uint64_t bytes = read_record().bytes;
	assert_true(count_passages(ord) == PASSAGES_MAX && count_pieces(ord, 0) > 0 && count_pieces(ord, 2) > 0);
	ASSERT_OK(mem_store_write(store, drop_node, &ord, &err));
	check_matches(1, ord);
	assert_true(read_record().bytes < bytes);
	assert_int_equal(check_store(), 0);
	put_range(ord, ord + 1, MEM_KIND_EPISODE);
	assert_true(read_record().bytes == bytes);
	for (ord = 0; ord < NODES; ord++, all++)
		ASSERT_OK(mem_store_write(store, drop_node, &ord, &err));
	assert_true(read_record().bytes == 0);
	fill_store();
	ASSERT_OK(mem_store_write(store, world_start_vectors, &(uint32_t){ DIMS }, &err));
	assert_true(read_record().bytes == 0);
}

static void
who_lacks_codes_is_noted(void **state)
{
	(void)state;
	fill_store();
	without[70] = without[44] = true;
	put_range(70, 71, MEM_KIND_EPISODE);
	assert_int_equal(read_record().missing, 70);
	put_range(44, 45, MEM_KIND_EPISODE);
	put_range(100, 110, MEM_KIND_FACT); /* a kind that has none lacks none */
	for (uint32_t ord = 100; ord < 110; ord++)
		without[ord] = true;
	struct vectors_pieces_record r = read_record();
	assert_int_equal(r.missing, 44);
	assert_int_equal(r.marks, 2);
	check_matches(1, NODES);
	assert_int_equal(check_store(), 0);
}

static void
agreement_is_a_mean(void **state)
{
	(void)state;
	const uint16_t bits[] = { 0, 64, 128 }, none[] = { 0, MEM_PIECES_NONE, 1 };
	const double w[] = { 1, 2, 5 }, zero[] = { 0, 0, 0 };
	assert_true(fabs(mem_vectors_pieces_agreement(bits, w, 3, DIMS) - (1 + 2 * 0 - 5.) / 8) < 1e-12);
	assert_true(isnan(mem_vectors_pieces_agreement(none, w, 3, DIMS)));
	assert_true(isnan(mem_vectors_pieces_agreement(bits, zero, 3, DIMS)));
	assert_true(isnan(mem_vectors_pieces_agreement(bits, w, 0, DIMS)));
}

/* ---- the limit ------------------------------------------------------------------ */

static enum mem_status
limit_passages(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct mem_vectors_passage p[2] = { { .pieces = versions, .npieces = 1 }, { .pieces = versions, .npieces = 2 } };
	struct vectors_pieces_record r;
	const bool over = *(const bool *)ctx;
	enum mem_status st = vectors_pieces_record_get(t, &r, e);
	if (st == MEM_OK)
		st = mem_vectors_pieces_limit(t, p, 2, r.bytes + !over, e);
	assert_true((p[0].pieces == NULL) == over && (p[1].pieces == NULL) == over);
	return st;
}

static void
past_the_limit_none_are_kept(void **state)
{
	(void)state;
	bool over = false;
	fill_store();
	ASSERT_OK(mem_store_write(store, limit_passages, &over, &err));
	over = true;
	ASSERT_OK(mem_store_write(store, limit_passages, &over, &err));
}

/* ---- codes that come later -------------------------------------------------------- */

static struct mem_vectors_pieces_lack lack;

static enum mem_status
find_lacking(uint64_t limit)
{
	struct mem_txn *t;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	enum mem_status st = mem_vectors_pieces_lack_find(t, &lack, limit, &err);
	mem_txn_end(t);
	return st;
}

static enum mem_status
pend_lacking(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	return mem_vectors_pieces_lack_pend(t, &lack, e);
}

static size_t
list_waiting(uint32_t *ords, size_t max, uint32_t after)
{
	size_t n;
	struct mem_txn *t;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_pieces_pending(t, ords, max, after, &n, &err));
	mem_txn_end(t);
	return n;
}

static enum mem_status
add_codes(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	static uint8_t codes[PASSAGES_MAX][PIECES_MAX * BYTES];
	struct mem_vectors_passage p[PASSAGES_MAX];
	uint32_t ord = *(const uint32_t *)ctx;
	for (size_t i = 0; i < count_passages(ord); i++) {
		make_codes(ord, i, codes[i]);
		p[i] = (struct mem_vectors_passage){ .pieces = codes[i], .npieces = count_pieces(ord, i) };
	}
	without[ord] = false;
	return mem_vectors_pieces_add(t, ord, p, count_passages(ord), e);
}

static void
read_vector(uint32_t ord, float *v)
{
	struct mem_txn *t;
	ASSERT_OK(mem_txn_read(&t, store, &err));
	ASSERT_OK(mem_vectors_get(t, ord, 0, v, &err));
	mem_txn_end(t);
}

/* Of every ninth node but those that have no pieces at all, which lack none. */
static size_t
fill_with_gaps(uint32_t *gaps)
{
	size_t n = 0;
	fill_store();
	for (uint32_t ord = 3; ord < NODES; ord += 9) {
		if (count_pieces(ord, 0) == 0)
			continue;
		gaps[n++] = ord;
		without[ord] = true;
		put_range(ord, ord + 1, MEM_KIND_EPISODE);
	}
	return n;
}

static void
who_lacks_codes_gets_them_later(void **state)
{
	(void)state;
	uint32_t gaps[NODES], got[NODES], known[NODES];
	float before[DIMS], after[DIMS];
	size_t n = fill_with_gaps(gaps), none = 0;
	assert_int_equal(find_lacking(UINT64_MAX), MEM_OK);
	/* and those without any, of which nothing tells that they lack none */
	for (uint32_t ord = 0; ord < NODES; ord++)
		if (ord >= gaps[0] && (without[ord] || count_pieces(ord, 0) + (count_passages(ord) > 1 ? count_pieces(ord, 1) + count_pieces(ord, 2) : 0) == 0))
			known[none++] = ord;
	assert_int_equal(lack.n, none);
	assert_memory_equal(lack.ords, known, none * sizeof *known);
	ASSERT_OK(mem_store_write(store, pend_lacking, NULL, &err));
	assert_int_equal(find_lacking(UINT64_MAX), MEM_END);
	assert_int_equal(read_record().waiting, none);
	assert_int_equal(check_store(), 0);
	/* in pieces */
	assert_int_equal(list_waiting(got, 5, UINT32_MAX), 5);
	assert_int_equal(list_waiting(got + 5, NODES, got[4]), none - 5);
	assert_memory_equal(got, known, none * sizeof *known);
	read_vector(gaps[1], before);
	for (size_t i = 0; i < none; i++)
		ASSERT_OK(mem_store_write(store, add_codes, &known[i], &err));
	read_vector(gaps[1], after);
	assert_memory_equal(before, after, sizeof before);
	assert_true(n > 10 && list_waiting(got, NODES, UINT32_MAX) == 0 && read_record().waiting == 0);
	check_matches(1, NODES);
	assert_int_equal(check_store(), 0);
}

static void
the_list_follows_what_happens(void **state)
{
	(void)state;
	uint32_t gaps[NODES], got[NODES];
	fill_with_gaps(gaps);
	uint64_t bytes = read_record().bytes;
	/* room for two */
	assert_int_equal(find_lacking(bytes), MEM_END);
	assert_int_equal(find_lacking(bytes + 2 * 768), MEM_OK);
	assert_int_equal(lack.n, 2);
	/* another one comes before it is written: the search begins again */
	without[gaps[0] - 1] = true;
	assert_true(count_pieces(gaps[0] - 1, 0) > 0);
	put_range(gaps[0] - 1, gaps[0], MEM_KIND_EPISODE);
	ASSERT_OK(mem_store_write(store, pend_lacking, NULL, &err));
	assert_int_equal(read_record().missing, gaps[0] - 1);
	assert_int_equal(find_lacking(UINT64_MAX), MEM_OK);
	assert_int_equal(lack.ords[0], gaps[0] - 1);
	ASSERT_OK(mem_store_write(store, pend_lacking, NULL, &err));
	size_t n = list_waiting(got, NODES, UINT32_MAX);
	/* who goes or is put anew waits no more */
	ASSERT_OK(mem_store_write(store, drop_node, &gaps[0], &err));
	without[gaps[1]] = false;
	put_range(gaps[1], gaps[1] + 1, MEM_KIND_EPISODE);
	assert_int_equal(list_waiting(got, NODES, UINT32_MAX), n - 2);
	assert_int_equal(read_record().waiting, n - 2);
	/* codes of vectors that are not there are none */
	ASSERT_OK(mem_store_write(store, add_codes, &gaps[0], &err));
	assert_int_equal(check_store(), 0);
	ASSERT_OK(mem_store_write(store, world_start_vectors, &(uint32_t){ DIMS }, &err));
	assert_int_equal(list_waiting(got, NODES, UINT32_MAX), 0);
	assert_int_equal(find_lacking(UINT64_MAX), MEM_END);
}

/* ---- damage --------------------------------------------------------------------- */

static unsigned told;

static void
count_message(void *ctx, const char *message)
{
	(void)ctx;
	(void)message;
	told++;
}

static void
open_with_messages(void)
{
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.write = true;
	ask.agent = "alice";
	ask.every_namespace = true;
	ask.damage = count_message;
	mem_store_close(store);
	ASSERT_OK(mem_store_open(&store, &ask, &err));
}

/* Bit `bit` of a node's first value is turned over, by LMDB alone; bit -1: the value is taken away, -2: that of another node is put for it. */
static void
damage_row(uint32_t ord, int bit)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	uint8_t key[VECTORS_TAIL_KEY], bytes[PIECES_MAX * BYTES + 8];
	MDB_val k = { sizeof key, key }, v;
	vectors_tail_key(key, ord, 0);
	mem_store_pause(store);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 40), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, at, 0, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, "piece", 0, &dbi), 0);
	assert_int_equal(mdb_get(txn, dbi, &k, &v), 0);
	memcpy(bytes, v.mv_data, v.mv_size);
	v.mv_data = bytes;
	if (bit >= 0)
		bytes[(size_t)bit / 8 % v.mv_size] ^= (uint8_t)(1U << bit % 8);
	if (bit == -1)
		v.mv_size -= 1;
	if (bit == -2)
		vectors_tail_key(key, ord + 1, 0);
	assert_int_equal(mdb_put(txn, dbi, &k, &v, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}

static enum mem_status
mend_pieces(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	return vectors_pieces_mend(t, DIMS, e);
}

static void
damage_is_told_and_not_served(void **state)
{
	(void)state;
	for (int bit = -2; bit < 200; bit += bit < 0 ? 1 : 13) {
		fill_store();
		open_with_messages();
		told = 0;
		uint32_t ord = bit % 2 == 0 ? 20 : 221; /* of which two threads may read one each */
		damage_row(ord, bit);
		open_with_messages();
		uint32_t hit = bit == -2 ? ord + 1 : ord;
		assert_true(count_passages(hit) == 1);
		check_matches(1, hit);
		assert_int_equal(told, 1);
		assert_int_equal(check_store(), 1);
		assert_string_equal(last_check, "piece_bad");
		ASSERT_OK(mem_store_write(store, mend_pieces, NULL, &err));
		assert_int_equal(check_store(), 0);
		assert_int_equal(read_record().missing, 0);
		told = 0;
		check_matches(1, hit);
		assert_int_equal(told, 0);
	}
}

static enum mem_status
put_stray(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	uint8_t key[VECTORS_TAIL_KEY], code[BYTES] = { 1 };
	(void)ctx;
	vectors_tail_key(key, NODES + 9, 0);
	return mem_tab_put(t, MEM_T_PIECE, mem_key(key, sizeof key), (struct mem_str){ (const char *)code, sizeof code }, e);
}

static enum mem_status
put_wrong_sum(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct vectors_pieces_record r;
	(void)ctx;
	enum mem_status st = vectors_pieces_record_get(t, &r, e);
	r.bytes++;
	return st == MEM_OK ? vectors_pieces_record_put(t, &r, e) : st;
}

static void
strays_and_sums_are_found(void **state)
{
	(void)state;
	fill_store();
	ASSERT_OK(mem_store_write(store, put_stray, NULL, &err));
	assert_int_equal(check_store(), 1);
	assert_string_equal(last_check, "piece_stray");
	ASSERT_OK(mem_store_write(store, mend_pieces, NULL, &err));
	assert_int_equal(check_store(), 0);
	ASSERT_OK(mem_store_write(store, put_wrong_sum, NULL, &err));
	assert_int_equal(check_store(), 1);
	assert_string_equal(last_check, "pieces_count");
	ASSERT_OK(mem_store_write(store, mend_pieces, NULL, &err));
	assert_int_equal(check_store(), 0);
	check_matches(1, NODES);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_match_as_a_walk_says),
		cmocka_unit_test(codes_go_with_vectors),
		cmocka_unit_test(who_lacks_codes_is_noted),
		cmocka_unit_test(agreement_is_a_mean),
		cmocka_unit_test(past_the_limit_none_are_kept),
		cmocka_unit_test(who_lacks_codes_gets_them_later),
		cmocka_unit_test(the_list_follows_what_happens),
		cmocka_unit_test(damage_is_told_and_not_served),
		cmocka_unit_test(strays_and_sums_are_found),
	};
	return cmocka_run_group_tests_name("vectors_pieces", tests, world_setup, world_teardown);
}
