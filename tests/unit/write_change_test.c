/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ten thousand additions, changes and removals through the writer, with flushes, merges and compactions in between:
 * every hit of every query is, byte for byte, that of a store into which what is left was imported.
 */
#include "own_check.h"
#include "own_store.h"

#include "query/query.h"
#include "store/node.h"
#include "upkeep/upkeep.h"
#include "words/words.h"
#include "write/tidy.h"
#include "write/write.h"

#include <fcntl.h>

#define NOW INT64_C(1790000000000)
enum { STEPS = 10000, BATCH_MAX = 40, QUERIES = 50 };

/* ---- chance ------------------------------------------------------------ */

static uint64_t seed = 4;

static uint64_t
roll_number(uint64_t below)
{
	seed += 0x9e3779b97f4a7c15U;
	uint64_t x = seed;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return (x ^ x >> 31) % below;
}

static const char *
a_word(void)
{
	static const char *const words[] = { "tea", "milk", "boat", "harbour", "letter", "garden", "winter", "the", "of", "signal",
		"station", "river", "ladder", "copper", "window", "engine", "paper", "needle", "orchard", "candle", "bridge", "marble",
		"ring-file", "v2.1", "foo_bar", "Zürich", "naïve", "balcony", "key", "lantern", "thread", "valley" };
	uint64_t n = MEM_COUNT(words);
	return words[roll_number(roll_number(n) + 1)]; /* the first are in most texts */
}

static void
put_words(struct mem_buf *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		mem_buf_printf(out, "%s%s", i > 0 ? " " : "", a_word());
}

/* ---- the store and its writer ------------------------------------------ */

static struct mem_store_options where = MEM_STORE_OPTIONS_INIT;
static struct mem_index index_now;
static struct mem_writer *w;
static struct mem_write_total total;
static struct mem_rec values;     /* of the line that a node or edit is made from */
static struct mem_clean_rec clean;

static void
open_writer(void)
{
	static const struct mem_write_options plain = { .via = "test", .batch_max = 100 };
	assert_int_equal(mem_index_open(&index_now, &where, &err), MEM_OK);
	w = mem_writer_new(&index_now, &plain);
}

static void
close_writer(void)
{
	mem_writer_free(w);
	mem_index_close(&index_now);
}

/* A line whose values are cleaned as they stand, and live as long as the batch. */
static void
take_line(const struct mem_buf *line)
{
	struct mem_str kept = mem_arena_str(mem_writer_arena(w), mem_buf_span(line));
	assert_int_equal(mem_rec_scan(&values, kept, &err), MEM_OK);
	mem_clean_restored(&clean, &values);
}

/* All that a search may look at, each there or not. */
static size_t
make_fields(struct mem_clean_field *fields)
{
	static const char *const roles[] = { "user", "assistant", "tool" };
	static const char *const names[] = { "role", "speaker", "session_id", "captured_at", "content", "ref", "tags", "domain" };
	struct mem_buf line = { 0 };
	char time[MEM_ID_LEN];
	mem_time_format(NOW - (int64_t)roll_number(1000000) * 1000, time);
	mem_buf_printf(&line, "{\"role\":\"%s\",\"speaker\":\"%s %s\",\"session_id\":\"s%d\",\"captured_at\":\"%s\",\"content\":\"", roles[roll_number(3)],
	    a_word(), a_word(), (int)roll_number(20), time);
	put_words(&line, 1 + roll_number(30));
	mem_buf_printf(&line, "\",\"ref\":\"r%d\",\"tags\":[\"%s\",\"%s\"],\"domain\":\"d%d\"}", (int)roll_number(3000), a_word(), a_word(), (int)roll_number(3));
	take_line(&line);
	mem_buf_release(&line);
	for (size_t i = 0; i < MEM_COUNT(names); i++)
		fields[i] = (struct mem_clean_field){ names[i], mem_clean_value(&clean, names[i]) };
	return MEM_COUNT(names);
}

/* ---- what is there ------------------------------------------------------ */

static struct mem_id ids[STEPS];
static size_t nids;
static size_t removed, changed;

static const struct mem_write_input input = { .line = 1, .ns = MEM_STR_INIT("agent:ada") };
static const struct mem_write_input shared = { .line = 1, .ns = MEM_STR_INIT("team:boats") };

/* A fact lies in the compartment of its domain, and moves with it. */
static const enum mem_kind kinds[] = { MEM_KIND_EPISODE, MEM_KIND_EPISODE, MEM_KIND_NOTE, MEM_KIND_FACT };

static void
queue_addition(uint64_t number)
{
	struct mem_clean_field *fields = mem_arena_alloc(mem_writer_arena(w), 9 * sizeof *fields);
	const struct mem_write_input *in = roll_number(3) == 0 ? &shared : &input;
	struct mem_write_node n = { .kind = kinds[roll_number(MEM_COUNT(kinds))], .memory = { .importance = .5, .trust = .25 },
		.fields = fields, .nfields = make_fields(fields), .audit.word = "captured" };
	char *content = mem_arena_printf(mem_writer_arena(w), "%llu", (unsigned long long)number);
	n.id_of = mem_str(content);
	mem_write_add(w, in, &n);
	ids[nids++] = mem_id_v8(in->ns, n.id_of);
}

static void
queue_change(const struct mem_id *id)
{
	struct mem_clean_field *all = mem_arena_alloc(mem_writer_arena(w), 9 * sizeof *all);
	struct mem_clean_field *set = mem_arena_alloc(mem_writer_arena(w), 9 * sizeof *set);
	size_t n = make_fields(all), some = 0;
	for (size_t i = 0; i < n; i++)
		if (roll_number(3) == 0) {
			set[some] = all[i];
			if (roll_number(5) == 0)
				set[some].value = mem_clean_absent();
			some++;
		}
	const struct mem_write_edit edit = { .set = set, .n = some, .op = "changed" };
	assert_int_equal(mem_write_change(w, &input, id, 0, &edit, &err), MEM_OK);
	changed++;
}

static void
queue_removal(size_t i, size_t *there)
{
	static const struct mem_write_removal removal = { .op = "removed" };
	mem_write_remove(w, &input, &ids[i], 0, &removal);
	ids[i] = ids[--*there];
	ids[*there] = ids[--nids];
	removed++;
}

static void
run_batch(uint64_t first, size_t n, unsigned adds)
{
	size_t there = nids; /* what the batch itself adds is left alone, so that no change comes before it */
	for (size_t i = 0; i < n; i++) {
		uint64_t what = roll_number(100);
		if (what < adds || there == 0)
			queue_addition(first + i);
		else if (what % 2 == 0)
			queue_change(&ids[roll_number(there)]);
		else
			queue_removal(roll_number(there), &there);
	}
	if (mem_write_commit(w, mem_receipts_drop, NULL, &total, &err) != MEM_OK)
		fail_msg("commit: %s", err.msg);
}

/* ---- comparing ---------------------------------------------------------- */

static bool
write_lines(void *ctx, struct mem_str lines)
{
	return fwrite(lines.p, 1, lines.n, ctx) == lines.n;
}

/* A store of what is left, in the folder b. */
static void
import_what_is_left(const char *fresh)
{
	struct mem_buf path = { 0 };
	enum mem_init_result r;
	struct mem_index m;
	struct mem_store_options ask = where;
	struct mem_write_total all = { 0 };
	FILE *f = tmpfile();
	char cmd[120];
	assert_non_null(f);
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", fresh);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(mem_upkeep_export(&index_now, false, write_lines, f, &err), MEM_OK);
	assert_int_equal(fflush(f), 0);
	rewind(f);
	assert_int_equal(mem_store_init(&(struct mem_init_options){ .dir = fresh, .agent = "ada" }, &path, &r, &err), MEM_OK);
	mem_buf_release(&path);
	ask.dir = fresh;
	assert_int_equal(mem_index_open(&m, &ask, &err), MEM_OK);
	assert_int_equal(mem_upkeep_import(&m, fileno(f), -1, mem_receipts_drop, NULL, &all, &err), MEM_OK);
	assert_int_equal(all.stored, nids);
	mem_index_close(&m);
	fclose(f);
}

static void
make_query(struct mem_buf *q)
{
	uint64_t what = roll_number(10);
	put_words(q, 1 + roll_number(4));
	if (what < 3)
		mem_buf_printf(q, " \"%s %s\"", a_word(), a_word());
	else if (what == 3)
		mem_buf_printf(q, " -%s", a_word());
	else if (what == 4)
		mem_buf_printf(q, " tag:%s", a_word());
	else if (what == 5)
		mem_buf_printf(q, " speaker:\"%s %s\"", a_word(), a_word());
	else if (what == 6)
		mem_buf_printf(q, " session:s%d", (int)roll_number(20));
	else if (what == 7)
		mem_buf_printf(q, " role:user -tag:%s", a_word());
	else if (what == 8)
		mem_buf_printf(q, " kind:note");
	else
		mem_buf_printf(q, " ref:r%d", (int)roll_number(3000));
}

static void
find_hits(struct mem_searcher *s, struct mem_str query, int64_t limit, struct mem_buf *out)
{
	struct mem_search_options ask = MEM_SEARCH_OPTIONS_INIT;
	struct mem_hits *hits;
	struct mem_str line;
	enum mem_status st;
	ask.query = query;
	ask.mode = MEM_MODE_KEYWORD;
	ask.limit = limit;
	if (mem_search_query(&hits, s, &ask, &err) != MEM_OK)
		fail_msg("'%.*s': %s", (int)query.n, query.p, err.msg);
	while ((st = mem_hits_next(hits, &line, &err)) == MEM_OK) {
		mem_buf_str(out, line);
		mem_buf_putc(out, '\n');
	}
	assert_int_equal(st, MEM_END);
	mem_hits_free(hits);
}

static size_t
assert_like_imported(void)
{
	char fresh[80];
	struct mem_searcher a = { 0 }, b = { 0 };
	struct mem_store_options ask = where;
	size_t found = 0;
	snprintf(fresh, sizeof fresh, "%s/fresh", dir);
	assert_int_equal(own_store_check(&index_now), MEM_OK);
	import_what_is_left(fresh);
	close_writer(); /* a store is opened once in a process */
	ask.write = false;
	assert_int_equal(mem_searcher_open(&a, &ask, &err), MEM_OK);
	ask.dir = fresh;
	assert_int_equal(mem_searcher_open(&b, &ask, &err), MEM_OK);
	for (int i = 0; i < QUERIES; i++) {
		struct mem_buf query = { 0 }, here = { 0 }, there = { 0 };
		int64_t limit = roll_number(4) == 0 ? 0 : 10;
		make_query(&query);
		find_hits(&a, mem_buf_span(&query), limit, &here);
		find_hits(&b, mem_buf_span(&query), limit, &there);
		if (!mem_str_eq(mem_buf_span(&here), mem_buf_span(&there)))
			fail_msg("'%.*s' finds\n%.*snot\n%.*s", (int)query.len, query.data, (int)here.len, here.data, (int)there.len, there.data);
		found += here.len;
		mem_buf_release(&query);
		mem_buf_release(&here);
		mem_buf_release(&there);
	}
	mem_searcher_close(&a);
	mem_searcher_close(&b);
	open_writer();
	return found;
}

/* ---- the test ----------------------------------------------------------- */

static void
compact_store(void)
{
	uint64_t before, after;
	struct mem_txn *t = NULL;
	assert_int_equal(mem_index_drop_removed(index_now.store, &err), MEM_OK);
	assert_int_equal(mem_store_compact(index_now.store, &before, &after, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, index_now.store, &err), MEM_OK);
	assert_int_equal(mem_tab_count(t, MEM_T_TOMB), 0);
	mem_txn_end(t);
}

static void
something_in_between(void)
{
	uint64_t what = roll_number(12);
	bool did;
	if (what < 2) {
		enum mem_status st = mem_words_flush(index_now.store, &err);
		assert_true(st == MEM_OK || st == MEM_END);
	} else if (what == 2) {
		assert_int_equal(mem_index_tidy(index_now.store, UINT32_MAX, &did, &err), MEM_OK);
	} else if (what == 3 && roll_number(5) == 0) {
		compact_store();
	}
}

static void
every_hit_is_that_of_a_store_made_anew(void **state)
{
	uint64_t step = 0;
	size_t found = 0;
	(void)state;
	for (uint64_t round = 0; round < 10; round++) {
		while (step < (round + 1) * (STEPS / 10)) {
			size_t n = 1 + roll_number(BATCH_MAX);
			run_batch(step, n, round < 6 ? 60 : 15);
			step += n;
			something_in_between();
		}
		found += assert_like_imported();
		if (round % 3 == 2) {
			compact_store();
			found += assert_like_imported();
		}
	}
	assert_int_equal(total.rejected, 0);
	assert_true(found > 100000 && removed > 1000 && changed > 1000);
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", "ada") != 0 || setenv("MEM_TEAMS", "boats", 1) != 0)
		return -1;
	where.dir = at;
	where.agent = "ada";
	where.write = true;
	where.now = NOW;
	open_writer();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	close_writer();
	mem_rec_release(&values);
	return own_store_remove();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_hit_is_that_of_a_store_made_anew),
	};
	return cmocka_run_group_tests_name("write_change", tests, setup, teardown);
}
