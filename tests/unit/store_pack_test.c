/* SPDX-License-Identifier: Apache-2.0 */
/* Log and audit whose old rows are packed into blocks: read as if they stood alone, damage told, each fault named. */
#include "own_store.h"

#include "record/record.h"
#include "store/log.h"
#include "store/row_pack.h"
#include "store/store_int.h"
#include "upkeep/upkeep.h"
#include "words/words.h"

enum { ROWS = 10000, BATCH = 100 };

static uint64_t seed;

static uint64_t
next_random(uint64_t below)
{
	seed += 0x9e3779b97f4a7c15U;
	uint64_t x = seed;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return (x ^ x >> 31) % below;
}

/* ---- rows --------------------------------------------------------------- */

static const char *const spaces[] = { "agent:ada", "agent:bob", "global", "system", "team:tea", "agent:eve" };
static const char *const ops[] = { "new", "new", "new", "removed", "edge", "superseded", "fifteen-letters" };
static const char *const reasons[] = { "", "", "too long", "not \"yours\"", "\xc3\xa9t\xc3\xa9" };
static const char *const details[] = { "", "{\"redactions\":0,\"injection_flags\":[]}", "{\"redactions\":0,\"injection_flags\":[]}", "{\"n\":1}" };

static struct mem_id known_ids[64];

/* Rising ones, random ones, none, and such as were there before. */
static struct mem_id
roll_id(int64_t now, uint64_t number)
{
	struct mem_id id = { { 0 } };
	uint64_t way = next_random(10);
	if (way < 4)
		id = mem_id_v7(now, (uint16_t)(number & 0xfff), number);
	else if (way < 7)
		for (size_t i = 0; i < sizeof id.b; i++)
			id.b[i] = (uint8_t)next_random(256);
	else if (way < 9)
		id = known_ids[next_random(MEM_COUNT(known_ids))];
	known_ids[next_random(MEM_COUNT(known_ids))] = id;
	return id;
}

struct batch {
	uint64_t seed, number;
	size_t n;
};

static enum mem_status
put_random_rows(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct batch *b = ctx;
	enum mem_status st = MEM_OK;
	seed = b->seed;
	memset(known_ids, 0, sizeof known_ids);
	for (size_t i = 0; i < b->n && st == MEM_OK; i++) {
		char odd[40], *long_reason = NULL;
		struct store_ns_entry *ns;
		const char *name = spaces[next_random(MEM_COUNT(spaces))];
		struct mem_id id = roll_id(mem_txn_now(t), b->number + i);
		st = store_ns_by_name(t, mem_str(name), true, &ns, e);
		if (st == MEM_OK)
			st = mem_log_put(t, ops[next_random(MEM_COUNT(ops))], &id, ns->ns.number, (enum mem_kind)next_random(MEM_KIND_COUNT), e);
		snprintf(odd, sizeof odd, "{\"n\":%llu}", (unsigned long long)next_random(1000000));
		struct mem_audit_row row = { .kind = mem_str(ops[next_random(MEM_COUNT(ops))]), .actor = mem_str(name + 5),
			.reason = mem_str(reasons[next_random(MEM_COUNT(reasons))]), .ns = mem_str(name), .subject = id,
			.detail = mem_str(next_random(3) == 0 ? odd : details[next_random(MEM_COUNT(details))]) };
		if (next_random(500) == 0) {
			long_reason = mem_xcalloc(1, 9001);
			memset(long_reason, 'r', 9000);
			row.reason = mem_str(long_reason);
		}
		if (st == MEM_OK)
			st = mem_audit_put(t, &row, e);
		free(long_reason);
	}
	return st;
}

static uint64_t messages;
static char last_message[400];

static void
count_message(void *ctx, const char *message)
{
	(void)ctx;
	messages++;
	snprintf(last_message, sizeof last_message, "%s", message);
}

static struct mem_store *
open_store(const char *path, const char *agent, int64_t now)
{
	struct mem_store *s = NULL;
	struct mem_store_options ask = { .dir = path, .agent = agent, .write = true, .now = now, .wait_ms = -1, .damage = count_message };
	if (mem_store_open(&s, &ask, &err) != MEM_OK)
		fail_msg("open: %s", err.msg);
	messages = 0;
	return s;
}

static void
put_rows(struct mem_store *s, uint64_t number, size_t n)
{
	struct batch b = { .seed = number * 77 + 5, .number = number, .n = n };
	if (mem_store_write(s, put_random_rows, &b, &err) != MEM_OK)
		fail_msg("write: %s", err.msg);
}

static void
fill_store(const char *path, size_t n)
{
	struct mem_store *s = open_store(path, "ada", 1790000000000);
	for (size_t i = 0; i < n; i += BATCH)
		put_rows(s, i, BATCH);
	mem_store_close(s);
}

static uint64_t
pack_store(const char *path, uint64_t keep)
{
	uint64_t done = 0;
	struct mem_store *s = open_store(path, "ada", MEM_TIME_NONE);
	if (mem_rows_pack(s, keep, &done, &err) != MEM_OK)
		fail_msg("pack: %s", err.msg);
	mem_store_close(s);
	return done;
}

/* ---- reading ------------------------------------------------------------- */

/* At most `max` rows behind `after`, which moves on as its readers see it. */
static void
read_piece(struct mem_txn *t, enum mem_table tab, uint64_t *after, size_t max, struct mem_buf *out)
{
	static struct mem_log_row log[1000];
	static struct mem_audit_row audit[1000];
	struct mem_arena arena = { 0 };
	size_t n = 0;
	enum mem_status st = tab == MEM_T_LOG ? mem_log_read(t, after, log, max, &n, &err) : mem_audit_read(t, after, &arena, audit, max, &n, &err);
	assert_int_equal(st, MEM_OK);
	for (size_t i = 0; i < n; i++)
		if (tab == MEM_T_LOG) {
			mem_log_row_json(out, &log[i], "");
			mem_buf_printf(out, " %u\n", log[i].ns);
		} else {
			mem_audit_row_json(out, &audit[i]);
			mem_buf_printf(out, " %u\n", audit[i].ns_number);
		}
	mem_buf_printf(out, "%llu\n", (unsigned long long)*after);
	mem_arena_release(&arena);
}

static void
read_all_rows(struct mem_store *s, enum mem_table tab, struct mem_buf *out)
{
	struct mem_txn *t = NULL;
	uint64_t after = 0, from;
	mem_buf_reset(out);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	do {
		from = after;
		read_piece(t, tab, &after, 1000, out);
	} while (after != from);
	mem_txn_end(t);
}

static const enum mem_table tables[] = { MEM_T_LOG, MEM_T_AUDIT };
static const char *const agents[] = { "ada", "bob", "nobody" };

static char twin[80];      /* a store with the same rows, never packed */

static void
assert_same_bytes(const struct mem_buf *a, const struct mem_buf *b)
{
	assert_true(mem_str_eq(mem_buf_span(a), mem_buf_span(b)));
}

static void
compare_stores(void)
{
	struct mem_buf a = { 0 }, b = { 0 };
	for (size_t i = 0; i < MEM_COUNT(agents); i++) {
		struct mem_store *packed = open_store(at, agents[i], MEM_TIME_NONE), *plain = open_store(twin, agents[i], MEM_TIME_NONE);
		for (size_t k = 0; k < MEM_COUNT(tables); k++) {
			read_all_rows(packed, tables[k], &a);
			read_all_rows(plain, tables[k], &b);
			assert_same_bytes(&a, &b);
		}
		mem_store_close(packed);
		mem_store_close(plain);
	}
	assert_int_equal(messages, 0);
	mem_buf_release(&a);
	mem_buf_release(&b);
}

/* From every position, and with limits that end in the middle of blocks. */
static void
compare_positions(void)
{
	struct mem_buf a = { 0 }, b = { 0 };
	for (size_t i = 0; i < MEM_COUNT(agents); i++) {
		struct mem_store *packed = open_store(at, agents[i], MEM_TIME_NONE), *plain = open_store(twin, agents[i], MEM_TIME_NONE);
		struct mem_txn *t = NULL, *u = NULL;
		assert_int_equal(mem_txn_read(&t, packed, &err), MEM_OK);
		assert_int_equal(mem_txn_read(&u, plain, &err), MEM_OK);
		for (uint64_t from = 0; from <= ROWS + 1; from++) {
			size_t max = 1 + (size_t)next_random(from % 97 == 0 ? 1000 : 4);
			for (size_t k = 0; k < MEM_COUNT(tables); k++) {
				uint64_t x = from, y = from;
				mem_buf_reset(&a);
				mem_buf_reset(&b);
				read_piece(t, tables[k], &x, max, &a);
				read_piece(u, tables[k], &y, max, &b);
				assert_same_bytes(&a, &b);
			}
		}
		mem_txn_end(t);
		mem_txn_end(u);
		mem_store_close(packed);
		mem_store_close(plain);
	}
	mem_buf_release(&a);
	mem_buf_release(&b);
}

/* ---- checking ------------------------------------------------------------- */

static struct mem_buf breaches;

static void
note_breach(void *ctx, const struct mem_breach *b)
{
	(void)ctx;
	mem_buf_printf(&breaches, "%s %s", b->check, b->table);
	if (b->key.n == 8)
		mem_buf_printf(&breaches, " %llu", (unsigned long long)mem_be64_get((const uint8_t *)b->key.p));
	mem_buf_putc(&breaches, '\n');
}

static void
fold_nothing(struct mem_buf *out, struct mem_str text)
{
	mem_buf_str(out, text);
}

static const struct mem_word_reader no_names = { .fold = fold_nothing };

static const char *
check_store(const char *path)
{
	struct mem_txn *t = NULL;
	struct mem_store *s = open_store(path, "ada", MEM_TIME_NONE);
	mem_buf_reset(&breaches);
	mem_buf_puts(&breaches, "");
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_store_check(t, &no_names, note_breach, NULL, &err), MEM_OK);
	mem_txn_end(t);
	mem_store_close(s);
	return breaches.data;
}

/* ---- the tests ------------------------------------------------------------ */

static int
setup(void **state)
{
	char cmd[200];
	(void)state;
	if (own_store_make("/tmp", "ada") != 0)
		return -1;
	snprintf(twin, sizeof twin, "%s/twin", dir);
	snprintf(cmd, sizeof cmd, "cp -r '%s' '%s'", at, twin);
	return system(cmd);
}

static int
teardown(void **state)
{
	(void)state;
	mem_buf_release(&breaches);
	return own_store_remove();
}

static void
test_same_answers(void **state)
{
	uint64_t packed = 0;
	int64_t now = 1790000000000;
	(void)state;
	for (size_t i = 0; i < ROWS; i += BATCH) {
		struct mem_store *a = open_store(at, "ada", now), *b = open_store(twin, "ada", now);
		put_rows(a, i, BATCH);
		put_rows(b, i, BATCH);
		mem_store_close(a);
		mem_store_close(b);
		seed = i;
		now += (int64_t)next_random(2000000) - 500000;
		if (next_random(12) == 0) {
			packed += pack_store(at, next_random(2500));
			compare_stores();
		}
	}
	packed += pack_store(at, 100);
	assert_true(packed > 2 * (ROWS - 100 - STORE_BLOCK_ROWS_MAX));
	assert_int_equal(pack_store(at, 100), 0);
	compare_stores();
	compare_positions();
	assert_string_equal(check_store(at), "");
	assert_string_equal(check_store(twin), "");
}

static void
assert_same_row(const struct store_row *a, const struct store_row *b)
{
	assert_true(a->seq == b->seq && a->at == b->at);
	assert_int_equal(a->ns, b->ns);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(mem_id_cmp(&a->id, &b->id), 0);
	for (size_t k = 0; k < STORE_ROW_WORDS; k++)
		assert_true(mem_str_eq(a->words[k], b->words[k]));
}

/* With the ends of all ranges among them. */
static void
roll_rows(struct store_row *rows, size_t n)
{
	static const int64_t times[] = { INT64_MIN, INT64_MAX, 0, -1, 1790000000000 };
	uint64_t seq = 0;
	for (size_t i = 0; i < n; i++) {
		seq += 1 + (next_random(9) == 0 ? next_random(1000) : 0);
		rows[i] = (struct store_row){ .seq = i + 1 == n && next_random(2) == 0 ? UINT64_MAX - 1 : seq, .at = times[next_random(MEM_COUNT(times))],
			.ns = next_random(3) == 0 ? UINT32_MAX : 1, .kind = (uint16_t)next_random(70000), .id = roll_id(times[4], seq) };
		for (size_t k = 0; k < STORE_ROW_WORDS; k++)
			rows[i].words[k] = mem_str(next_random(2) == 0 ? reasons[next_random(MEM_COUNT(reasons))] : details[next_random(MEM_COUNT(details))]);
	}
}

static void
test_blocks(void **state)
{
	static struct store_row rows[STORE_BLOCK_ROWS_MAX];
	struct mem_buf value = { 0 };
	struct store_block b = { 0 };
	(void)state;
	seed = 4;
	for (int round = 0; round < 200; round++) {
		size_t n = round < 4 ? (size_t)round + 1 : round == 5 ? STORE_BLOCK_ROWS_MAX : 1 + (size_t)next_random(STORE_BLOCK_ROWS_MAX);
		roll_rows(rows, n);
		mem_buf_reset(&value);
		store_block_make(&value, rows, n);
		assert_true(store_block_read(&b, mem_buf_span(&value), rows[n - 1].seq));
		assert_int_equal(b.n, n);
		for (size_t i = 0; i < n; i++) {
			struct mem_id other = rows[i].id;
			assert_same_row(&b.rows[i], &rows[i]);
			assert_true(store_block_may_have(mem_buf_span(&value), &rows[i].id));
			memset(other.b + 8, 0xa5, 8); /* half of an id that no row has */
			assert_false(store_block_may_have(mem_buf_span(&value), &other));
		}
	}
	mem_buf_release(&value);
	store_block_release(&b);
}

/* Bytes that nobody wrote are read to no harm: cut off anywhere, with a byte more, with bits turned over. */
static void
test_bad_blocks(void **state)
{
	struct store_row rows[40];
	struct mem_buf value = { 0 };
	struct store_block b = { 0 };
	(void)state;
	seed = 8;
	roll_rows(rows, MEM_COUNT(rows));
	store_block_make(&value, rows, MEM_COUNT(rows));
	uint64_t last = rows[MEM_COUNT(rows) - 1].seq;
	for (size_t n = 0; n < value.len; n++) {
		char *cut = mem_xmalloc(n + 1); /* so that a sanitizer sees a read behind it */
		memcpy(cut, value.data, n);
		cut = realloc(cut, n > 0 ? n : 1);
		assert_false(store_block_read(&b, (struct mem_str){ cut, n }, last));
		assert_int_equal(b.n, 0);
		free(cut);
	}
	for (size_t bit = 0; bit < 8 * value.len; bit++) {
		value.data[bit / 8] = (char)(value.data[bit / 8] ^ 1 << bit % 8);
		if (store_block_read(&b, mem_buf_span(&value), last))
			assert_true(b.n > 0 && b.rows[b.n - 1].seq == last);
		value.data[bit / 8] = (char)(value.data[bit / 8] ^ 1 << bit % 8);
	}
	assert_false(store_block_read(&b, mem_buf_span(&value), last + 1));
	mem_buf_putc(&value, 0);
	assert_false(store_block_read(&b, mem_buf_span(&value), last));
	mem_buf_release(&value);
	store_block_release(&b);
}

/* What a row costs is its id's random bits. */
static void
test_size(void **state)
{
	static struct store_row rows[STORE_BLOCK_ROWS_MAX];
	(void)state;
	for (int by_time = 0; by_time < 2; by_time++) {
		struct mem_buf value = { 0 };
		for (size_t i = 0; i < MEM_COUNT(rows); i++) {
			uint64_t number = i + 1;
			struct mem_str text = { (const char *)&number, sizeof number };
			rows[i] = (struct store_row){ .seq = 500 + i, .at = 1790000000000 + (int64_t)i / 100, .ns = 3, .kind = 1,
				.id = by_time ? mem_id_v7(1790000000000 + (int64_t)i / 100, (uint16_t)(i % 100), number) : mem_id_v8(MEM_STR("x"), text),
				.words = { MEM_STR("captured"), MEM_STR("ada"), MEM_STR(""), MEM_STR("{\"redactions\":0,\"injection_flags\":[]}") } };
		}
		store_block_make(&value, rows, MEM_COUNT(rows));
		assert_true(value.len < MEM_COUNT(rows) * (by_time ? 8 : 16) + 256);
		mem_buf_release(&value);
	}
}

/* ---- damage ----------------------------------------------------------------- */

struct block_place {
	enum mem_table tab;
	uint64_t key;
	struct mem_str value;     /* NULL: the row goes */
	uint64_t first;           /* got: the block's first row */
};

static struct mem_str
put_key(uint8_t key[8], uint64_t seq)
{
	mem_be64(key, seq);
	return (struct mem_str){ (const char *)key, 8 };
}

static enum mem_status
put_block(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	const struct block_place *p = ctx;
	uint8_t key[8];
	return p->value.p != NULL ? mem_tab_put(t, p->tab, put_key(key, p->key), p->value, e) : mem_tab_del(t, p->tab, put_key(key, p->key), e);
}

static void
change_row(enum mem_table tab, uint64_t key, struct mem_str value)
{
	struct block_place p = { .tab = tab, .key = key, .value = value };
	struct mem_store *s = open_store(at, "ada", MEM_TIME_NONE);
	assert_int_equal(mem_store_write(s, put_block, &p, &err), MEM_OK);
	mem_store_close(s);
}

static struct { uint64_t first, last; struct mem_buf value; } blocks[2][32];
static size_t nblocks[2];

static void
gather_blocks(void)
{
	struct mem_store *s = open_store(at, "ada", MEM_TIME_NONE);
	struct mem_txn *t = NULL;
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	for (size_t k = 0; k < 2; k++) {
		struct mem_cursor *c = NULL;
		uint64_t first = 1;
		nblocks[k] = 0;
		assert_int_equal(mem_cursor_open(&c, t, store_block_table(tables[k]), &err), MEM_OK);
		for (enum mem_status st = mem_cursor_seek(c, MEM_STR(""), &err); st == MEM_OK; st = mem_cursor_next(c, &err)) {
			struct mem_str v;
			assert_int_equal(mem_cursor_read(c, &v, &err), MEM_OK);
			blocks[k][nblocks[k]].first = first;
			blocks[k][nblocks[k]].last = mem_be64_get((const uint8_t *)mem_cursor_key(c).p);
			mem_buf_reset(&blocks[k][nblocks[k]].value);
			mem_buf_str(&blocks[k][nblocks[k]].value, v);
			first = blocks[k][nblocks[k]++].last + 1;
		}
		mem_cursor_close(c);
		assert_true(nblocks[k] >= 3);
	}
	mem_txn_end(t);
	mem_store_close(s);
}

static void
release_blocks(void)
{
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < MEM_COUNT(blocks[k]); i++)
			mem_buf_release(&blocks[k][i].value);
}

/* A bit of the stored value, checksum and all. */
static void
flip_bit(const char *table, uint64_t seq, size_t bit)
{
	MDB_env *env;
	MDB_txn *txn;
	MDB_dbi dbi;
	uint8_t key[8];
	MDB_val k = { sizeof key, key }, v;
	mem_be64(key, seq);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 32), 0);
	assert_int_equal(mdb_env_set_mapsize(env, (size_t)1 << 30), 0);
	assert_int_equal(mdb_env_open(env, at, MDB_NOSYNC, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, table, 0, &dbi), 0);
	assert_int_equal(mdb_get(txn, dbi, &k, &v), 0);
	char *copy = mem_xmalloc(v.mv_size);
	memcpy(copy, v.mv_data, v.mv_size);
	copy[bit / 8 % v.mv_size] = (char)(copy[bit / 8 % v.mv_size] ^ 1 << bit % 8);
	v.mv_data = copy;
	assert_int_equal(mdb_put(txn, dbi, &k, &v, 0), 0);
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	free(copy);
}

/* The twin's answer without the rows first to last. */
static void
expect_without(enum mem_table tab, uint64_t first, uint64_t last, struct mem_buf *out)
{
	struct mem_store *s = open_store(twin, "ada", MEM_TIME_NONE);
	struct mem_buf all = { 0 };
	read_all_rows(s, tab, &all);
	mem_store_close(s);
	mem_buf_reset(out);
	for (char *line = strtok(all.data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		unsigned long long seq = 0;
		bool row = sscanf(line, "{\"seq\":%llu", &seq) == 1;
		if (row && !(seq >= first && seq <= last))
			mem_buf_printf(out, "%s\n", line);
	}
	mem_buf_release(&all);
}

static void
read_rows_only(enum mem_table tab, struct mem_buf *out)
{
	struct mem_store *s = open_store(at, "ada", MEM_TIME_NONE);
	struct mem_buf all = { 0 };
	read_all_rows(s, tab, &all);
	mem_store_close(s);
	mem_buf_reset(out);
	for (char *line = strtok(all.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
		if (line[0] == '{')
			mem_buf_printf(out, "%s\n", line);
	mem_buf_release(&all);
}

static void
assert_told(size_t k, size_t block)
{
	char want[100];
	snprintf(want, sizeof want, "rows %llu to %llu of table %s are damaged: run mem-check", (unsigned long long)blocks[k][block].first,
	    (unsigned long long)blocks[k][block].last, k == 0 ? "log" : "audit");
	assert_int_equal(messages, 1);
	assert_non_null(strstr(last_message, want));
}

/* Told with the numbers that are lost; what other blocks hold is served. */
static void
assert_lost(size_t k, size_t block)
{
	struct mem_buf want = { 0 }, got = { 0 };
	expect_without(tables[k], blocks[k][block].first, blocks[k][block].last, &want);
	read_rows_only(tables[k], &got);
	assert_told(k, block);
	assert_same_bytes(&got, &want);
	expect_without(tables[1 - k], 0, 0, &want);
	read_rows_only(tables[1 - k], &got);
	assert_int_equal(messages, 0);
	assert_same_bytes(&got, &want);
	mem_buf_release(&want);
	mem_buf_release(&got);
}

static int
setup_packed(void **state)
{
	if (setup(state) != 0)
		return -1;
	fill_store(at, ROWS / 2);
	fill_store(twin, ROWS / 2);
	assert_true(pack_store(at, 600) > 0);
	gather_blocks();
	return 0;
}

static int
teardown_packed(void **state)
{
	release_blocks();
	return teardown(state);
}

static void
test_flips(void **state)
{
	char want[100];
	(void)state;
	seed = 12;
	for (int i = 0; i < 40; i++) {
		size_t k = (size_t)next_random(2), block = (size_t)next_random(nblocks[k]);
		size_t bit = (size_t)next_random(8 * (blocks[k][block].value.len + 8));
		const char *table = k == 0 ? "logpack" : "auditpack";
		flip_bit(table, blocks[k][block].last, bit);
		assert_lost(k, block);
		snprintf(want, sizeof want, "checksum %s %llu\n", table, (unsigned long long)blocks[k][block].last);
		assert_string_equal(check_store(at), want);
		flip_bit(table, blocks[k][block].last, bit);
	}
	assert_string_equal(check_store(at), "");
}

/* Values with good checksums that no packer wrote. */
static void
test_bad_values(void **state)
{
	struct mem_buf v = { 0 };
	char want[100];
	(void)state;
	const struct mem_str block = mem_buf_span(&blocks[0][1].value), before = mem_buf_span(&blocks[0][0].value);
	struct mem_str bad[7] = { MEM_STR(""), MEM_STR("\1"), MEM_STR("\1\0"), { block.p, block.n - 1 }, before };
	mem_buf_str(&v, block);
	mem_buf_putc(&v, 0);
	bad[5] = mem_buf_span(&v);
	struct store_block rows = { 0 };
	struct mem_buf overlap = { 0 };
	assert_true(store_block_read(&rows, block, blocks[0][1].last));
	rows.rows[0].seq = blocks[0][0].last;
	store_block_make(&overlap, rows.rows, rows.n);
	bad[6] = mem_buf_span(&overlap);
	snprintf(want, sizeof want, "logpack_bad logpack %llu\n", (unsigned long long)blocks[0][1].last);
	for (size_t i = 0; i < MEM_COUNT(bad); i++) {
		change_row(MEM_T_LOGPACK, blocks[0][1].last, bad[i]);
		assert_lost(0, 1);
		assert_string_equal(check_store(at), want);
	}
	change_row(MEM_T_LOGPACK, blocks[0][1].last, block);
	assert_string_equal(check_store(at), "");
	store_block_release(&rows);
	mem_buf_release(&overlap);
	mem_buf_release(&v);
}

static void
test_gap_and_twice(void **state)
{
	char want[100];
	struct mem_buf got = { 0 }, all = { 0 };
	(void)state;
	change_row(MEM_T_AUDITPACK, blocks[1][1].last, (struct mem_str){ NULL, 0 });
	snprintf(want, sizeof want, "audit_gap audit %llu\n", (unsigned long long)blocks[1][1].last + 1);
	assert_string_equal(check_store(at), want);
	change_row(MEM_T_AUDITPACK, blocks[1][1].last, mem_buf_span(&blocks[1][1].value));
	/* A row that is in a block, too, is served once. */
	static const char row[] = "\0\0\0\0\0\0\0\1\0\0\0\1\0\1idididididididi" "!" "new";
	change_row(MEM_T_LOG, 7, (struct mem_str){ row, sizeof row - 1 });
	assert_string_equal(check_store(at), "log_twice log 7\n");
	read_rows_only(MEM_T_LOG, &got);
	expect_without(MEM_T_LOG, 0, 0, &all);
	assert_same_bytes(&got, &all);
	mem_buf_release(&got);
	mem_buf_release(&all);
}

/* A damaged row stays where it is, in the midst of blocks, and goes on being told. */
static void
test_damaged_row_stays(void **state)
{
	struct mem_buf got = { 0 }, want = { 0 };
	uint64_t row = ROWS / 2 - 300;
	(void)state;
	flip_bit("log", row, 30);
	fill_store(at, BATCH);
	fill_store(twin, BATCH);
	struct mem_store *s = open_store(at, "ada", 1790000000000);
	struct mem_store *u = open_store(twin, "ada", 1790000000000);
	for (uint64_t i = 0; i < 20; i++) {
		put_rows(s, 7000 + i * BATCH, BATCH);
		put_rows(u, 7000 + i * BATCH, BATCH);
	}
	mem_store_close(s);
	mem_store_close(u);
	assert_true(pack_store(at, 10) > 1000);
	read_rows_only(MEM_T_LOG, &got);
	assert_int_equal(messages, 1);
	assert_non_null(strstr(last_message, "row 4700 of table log is damaged"));
	expect_without(MEM_T_LOG, row, row, &want);
	assert_same_bytes(&got, &want);
	assert_string_equal(check_store(at), "checksum log 4700\n");
	mem_buf_release(&got);
	mem_buf_release(&want);
}

static enum mem_status
drop_single_rows(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	(void)e;
	assert_int_equal(mdb_drop(t->txn, t->dbi[MEM_T_LOG], 0), 0);
	assert_int_equal(mdb_drop(t->txn, t->dbi[MEM_T_AUDIT], 0), 0);
	return MEM_OK;
}

/* A repair sets the counters behind the last row, also where that is in a block. */
static void
test_repair_counts_blocks(void **state)
{
	struct mem_store_options ask = { .dir = at, .agent = "ada", .write = true, .now = MEM_TIME_NONE, .wait_ms = -1 };
	struct mem_index m;
	struct mem_txn *t = NULL;
	(void)state;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_store_write(m.store, drop_single_rows, NULL, &err), MEM_OK);
	assert_int_equal(mem_upkeep_repair(&m, NULL, NULL, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, m.store, &err), MEM_OK);
	assert_int_equal(t->c.seq, blocks[0][nblocks[0] - 1].last);
	assert_int_equal(t->c.audit_seq, blocks[1][nblocks[1] - 1].last);
	mem_txn_end(t);
	mem_index_close(&m);
	assert_string_equal(check_store(at), "");
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
#define P(f) cmocka_unit_test_setup_teardown(f, setup_packed, teardown_packed)
	const struct CMUnitTest all[] = {
		T(test_same_answers), cmocka_unit_test(test_blocks), cmocka_unit_test(test_bad_blocks), cmocka_unit_test(test_size),
		P(test_flips), P(test_bad_values), P(test_gap_and_twice), P(test_damaged_row_stays), P(test_repair_counts_blocks),
	};
	return cmocka_run_group_tests_name("packed rows", all, NULL, NULL);
}
