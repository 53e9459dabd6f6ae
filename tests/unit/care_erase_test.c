/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Erasing: after compact no file of the store holds a byte of what was erased, whatever kind of node it was; what came of it
 * alone goes, what comes of something else as well stays; and too much is refused whole.
 *
 * `rows` is the table of kinds: a kind that kind.h has and this table has not fails the test.
 */
#include "own_check.h"
#include "own_store.h"

#include "care/care.h"
#include "store/job.h"
#include "store/log.h"
#include "store/node.h"
#include "upkeep/upkeep.h"
#include "words/words.h"
#include "write/write.h"

#include <dirent.h>
#include <fcntl.h>

static struct mem_store_options where = MEM_STORE_OPTIONS_INIT;
static struct mem_write_total total;
static struct mem_buf receipts;

/* ---- every kind ----------------------------------------------------------- */

/* What a node of the kind holds, `@` for a word that nothing else has.  Names of compartments stay, as namespaces do. */
static const char *const rows[MEM_KIND_COUNT] = {
	[MEM_KIND_EPISODE] = "\"role\":\"user\",\"speaker\":\"@ speaker\",\"session_id\":\"@-session\",\"content\":\"@ walked home\",\"ref\":\"@-ref\",\"tags\":[\"@tag\"],\"extra\":{\"mood\":\"@mood\"}",
	[MEM_KIND_FACT] = "\"statement\":\"@ works there\",\"subject\":{\"name\":\"@subject\"},\"predicate\":\"works_at\",\"object\":{\"value\":\"@object\"},\"topic\":\"@topic\"",
	[MEM_KIND_CORE] = "\"content\":\"@ is kind\",\"block_kind\":\"persona\"",
	[MEM_KIND_ENTITY] = "\"name\":\"@ name\",\"type\":\"person\",\"aliases\":[\"@alias\"],\"description\":\"@ described\",\"attributes\":{\"x\":\"@attribute\"}",
	[MEM_KIND_NOTE] = "\"content\":\"@ in short\",\"keywords\":[\"@key\"],\"context\":\"@context\"",
	[MEM_KIND_LEARNING] = "\"content\":\"@ helps\",\"category\":\"discovery\"",
	[MEM_KIND_SKILL] = "\"ref\":\"skill/@skill\",\"name\":\"@skill\",\"description\":\"@ does it\",\"category\":\"@_category\",\"tags\":[\"@tag\"],\"relations\":[{\"edge\":\"requires\",\"name\":\"@other\"}],\"missing\":[\"@other\"],\"path\":\"/@/SKILL.md\",\"front\":\"name: @\",\"content\":\"@ steps\",\"license\":\"@ license\",\"status_changes\":[{\"reason\":\"@ reason\"}]",
	[MEM_KIND_BAD_PATTERN] = "\"description\":\"@ fails\",\"observed_at\":null,\"times\":2",
	[MEM_KIND_PAGE] = "\"title\":\"@ title\",\"slug\":\"@-slug\",\"path\":\"@/path.md\",\"aliases\":[\"@alias\"]",
	[MEM_KIND_TAG] = "\"name\":\"@tag\",\"type\":\"tag\",\"items\":[\"@item\"]",
	[MEM_KIND_CONTEXT] = "\"name\":\"@ context\"", [MEM_KIND_ENTRY] = "\"content\":\"@ entry\",\"key\":\"@key\"",
	[MEM_KIND_POOL] = "\"name\":\"@ pool\"", [MEM_KIND_KB] = "\"name\":\"@ kb\"",
	[MEM_KIND_DOCUMENT] = "\"title\":\"@ document\",\"path\":\"@/document\"", [MEM_KIND_CHUNK] = "\"content\":\"@ chunk\"",
	[MEM_KIND_REVIEW] = "\"subject\":\"00000001-1111-7111-8111-111111111111\",\"asks\":\"escalation\",\"reason\":\"@ reason\",\"asked_by\":\"bob\",\"state\":\"open\",\"note\":\"@note\",\"payload\":{\"x\":\"@payload\"}",
	[MEM_KIND_CONFLICT] = "\"winner\":\"00000001-1111-7111-8111-111111111111\",\"loser\":\"00000002-1111-7111-8111-111111111111\",\"over\":\"@over\",\"state\":\"open\",\"reason\":\"@ reason\",\"missing\":\"@missing\",\"orders\":{\"does\":\"Do @.\",\"does_not\":\"Never do @!\"},\"repair\":{\"action\":\"edge_removed\",\"edge\":{\"edge\":\"requires\",\"note\":\"@note\"}}",
	[MEM_KIND_POLICY] = "\"name\":\"@policy\",\"content\":\"@ rules\"", [MEM_KIND_DOMAIN] = "\"name\":\"@domain\",\"description\":\"@ described\"",
	[MEM_KIND_GRANT] = "\"name\":\"@grant\"", [MEM_KIND_PROPOSAL] = "\"topic\":\"@topic\",\"title\":\"@ title\",\"content\":\"@ proposal\"",
	[MEM_KIND_WORK] = "\"title\":\"@ work\",\"description\":\"@ todo\"", [MEM_KIND_GOAL] = "\"title\":\"@ goal\"",
	[MEM_KIND_OBSERVATION] = "\"content\":\"@ seen\"", [MEM_KIND_ESCALATION] = "\"content\":\"@ asks\"",
	[MEM_KIND_AGENT] = "\"name\":\"@agent\"", [MEM_KIND_TEAM] = "\"name\":\"@team\"",
	[MEM_KIND_SESSION] = "\"title\":\"@ session\",\"session_id\":\"@-id\"", [MEM_KIND_PROMOTION] = "\"note\":\"@ promoted\"",
	[MEM_KIND_TASK] = "\"name\":\"@task\",\"description\":\"@ todo\"", [MEM_KIND_QUERY] = "\"query\":\"@ asked\",\"query_hash\":\"@hash\"",
	[MEM_KIND_SLOT] = "\"name\":\"@slot\",\"content\":\"@ value\"", [MEM_KIND_SNAPSHOT] = "\"name\":\"@snapshot\",\"data\":{\"x\":\"@data\"}",
	[MEM_KIND_SCRATCHPAD] = "\"content\":\"@ jotted\"", [MEM_KIND_INTERVENTION] = "\"content\":\"@ done\"",
};

/* The word of a kind: lower case, since the index has no other. */
static const char *
word_of(unsigned kind)
{
	static char word[40];
	snprintf(word, sizeof word, "zq%uvex", kind);
	return word;
}

static void
format_test_id(unsigned number, char out[MEM_ID_LEN + 1])
{
	snprintf(out, MEM_ID_LEN + 1, "%08u-1111-7111-8111-111111111111", number);
}

/* ---- the store --------------------------------------------------------------- */

static bool
keep_receipts(void *ctx, struct mem_str lines)
{
	(void)ctx;
	mem_buf_str(&receipts, lines);
	return true;
}

/* Lines come in as an operator imports them. */
static void
import_lines(const struct mem_buf *lines)
{
	static const struct mem_write_options plain = { .via = "test", .batch_max = 100000 };
	static const struct mem_write_input in = { .line = 1, .ns = MEM_STR_INIT("agent:ada") };
	struct mem_writer *w = NULL;
	assert_int_equal(mem_writer_open(&w, &where, &plain, &err), MEM_OK);
	for (const char *p = lines->data, *end; p < lines->data + lines->len; p = end + 1) {
		struct mem_arena *a = mem_writer_arena(w);
		struct mem_clean_rec *clean = mem_arena_alloc(a, sizeof *clean);
		struct mem_rec *rec = mem_arena_alloc(a, sizeof *rec);
		end = memchr(p, '\n', (size_t)(lines->data + lines->len - p));
		*rec = (struct mem_rec){ 0 };
		*clean = (struct mem_clean_rec){ 0 };
		assert_int_equal(mem_rec_scan(rec, mem_arena_str(a, (struct mem_str){ p, (size_t)(end - p) }), &err), MEM_OK);
		mem_clean_restored(clean, rec);
		mem_write_restore(w, &in, clean);
		mem_rec_release(rec);
	}
	mem_buf_reset(&receipts);
	if (mem_write_commit(w, keep_receipts, NULL, &total, &err) != MEM_OK)
		fail_msg("import: %s", err.msg);
	mem_writer_free(w);
	mem_buf_putc(&receipts, '\0');
	if (total.rejected > 0)
		fail_msg("%s", strstr(receipts.data, "rejected"));
}

/* A node of a kind, and where it comes from; from 0: nowhere. */
static void
put_node(struct mem_buf *out, unsigned number, unsigned kind, const char *fields, unsigned from)
{
	char id[MEM_ID_LEN + 1], source[MEM_ID_LEN + 1];
	format_test_id(number, id);
	mem_buf_printf(out, "{\"id\":\"%s\",\"kind\":\"%s\",\"ns\":\"agent:ada\",\"created_at\":\"2026-11-28T09:00:00.000Z\",", id, mem_kind_name((enum mem_kind)kind));
	for (const char *p = fields; *p != '\0'; p++)
		if (*p == '@')
			mem_buf_puts(out, word_of(kind));
		else
			mem_buf_putc(out, *p);
	mem_buf_puts(out, "}\n");
	if (from == 0)
		return;
	format_test_id(from, source);
	mem_buf_printf(out, "{\"edge\":\"derived_from\",\"from\":\"%s\",\"to\":\"%s\",\"note\":\"%s\"}\n", id, source, word_of(kind));
}

/* Erases; the receipt is in `receipts`. */
static enum mem_status
erase_number(unsigned number)
{
	static const struct mem_care_options plain = { .via = "test" };
	struct mem_care_run *r = NULL;
	char id[MEM_ID_LEN + 1];
	format_test_id(number, id);
	mem_buf_reset(&receipts);
	assert_int_equal(mem_care_run_open(&r, &where, &plain, keep_receipts, NULL, &err), MEM_OK);
	enum mem_status st = mem_care_erase(r, mem_str(id), false, &err);
	if (st == MEM_OK)
		st = mem_care_run_commit(r, &err);
	if (st != MEM_OK)
		fail_msg("erase: %s", err.msg);
	st = mem_care_run_outcome(r, &err);
	mem_care_run_free(r);
	mem_buf_putc(&receipts, '\0');
	return st;
}

static void
compact_store(void)
{
	struct mem_index m;
	uint64_t done = 0;
	assert_int_equal(mem_index_open(&m, &where, &err), MEM_OK);
	assert_int_equal(mem_rows_pack(m.store, 0, &done, &err), MEM_OK);
	for (size_t i = 0; mem_jobs[i] != NULL; i++)
		if (strcmp(mem_jobs[i]->name, "compact") == 0 && mem_jobs[i]->run(&m, &done, &err) != MEM_OK)
			fail_msg("compact: %s", err.msg);
	assert_int_equal(own_store_check(&m), MEM_OK);
	mem_index_close(&m);
}

/* Does a file of the store hold the word? */
static bool
is_word_there(const char *word)
{
	struct dirent *e;
	bool there = false;
	DIR *d = opendir(at);
	assert_non_null(d);
	while (!there && (e = readdir(d)) != NULL) {
		struct mem_buf bytes = { 0 };
		if (e->d_name[0] != '.' && mem_file_read(dirfd(d), e->d_name, SIZE_MAX / 2, &bytes, NULL) == MEM_OK && bytes.len > 0)
			there = memmem(bytes.data, bytes.len, word, strlen(word)) != NULL;
		mem_buf_release(&bytes);
	}
	closedir(d);
	return there;
}

static int64_t
read_count(const char *name)
{
	int64_t n = -1;
	struct mem_json whole = { { receipts.data, receipts.len - 2 }, MEM_JSON_OBJECT, false };
	assert_true(mem_json_int(mem_json_member(mem_json_member(whole, "erased"), name), &n));
	return n;
}

/* ---- tests --------------------------------------------------------------------- */

static void
no_kind_leaves_a_byte(void **state)
{
	struct mem_buf lines = { 0 };
	(void)state;
	put_node(&lines, 1, MEM_KIND_EPISODE, rows[MEM_KIND_EPISODE], 0);
	for (unsigned kind = MEM_KIND_NONE + 1; kind < MEM_KIND_COUNT; kind++) {
		if (rows[kind] == NULL)
			fail_msg("the table of this test has no row for the kind %s", mem_kind_name((enum mem_kind)kind));
		bool about = kind == MEM_KIND_REVIEW || kind == MEM_KIND_CONFLICT || kind == MEM_KIND_QUERY;
		if (kind != MEM_KIND_EPISODE)
			put_node(&lines, kind, kind, rows[kind], about ? 0 : 1);
	}
	import_lines(&lines);
	mem_buf_release(&lines);
	compact_store();
	for (unsigned kind = MEM_KIND_NONE + 1; kind < MEM_KIND_COUNT; kind++)
		assert_true(is_word_there(word_of(kind)));
	assert_int_equal(erase_number(1), MEM_OK);
	assert_int_equal(read_count("cascaded"), MEM_KIND_COUNT - 1 - 4);
	assert_int_equal(read_count("about"), 2);
	assert_int_equal(read_count("queries"), 1);
	compact_store();
	for (unsigned kind = MEM_KIND_NONE + 1; kind < MEM_KIND_COUNT; kind++)
		if (is_word_there(word_of(kind)))
			fail_msg("something of the %s is left", mem_kind_name((enum mem_kind)kind));
	assert_int_equal(erase_number(1), MEM_REFUSED);
	assert_non_null(strstr(receipts.data, "not_found"));
}

/* An episode with so many facts. */
static void
put_facts(struct mem_buf *lines, unsigned episode, unsigned n)
{
	put_node(lines, episode, MEM_KIND_EPISODE, "\"content\":\"x\"", 0);
	for (unsigned i = 1; i <= n; i++)
		put_node(lines, episode + i, MEM_KIND_FACT, "\"statement\":\"x\"", episode);
}

static void
too_many_are_refused_whole(void **state)
{
	struct mem_buf lines = { 0 };
	(void)state;
	put_facts(&lines, 10000, 5000);
	put_facts(&lines, 20000, 4999);
	import_lines(&lines);
	mem_buf_release(&lines);
	assert_int_equal(erase_number(10000), MEM_REFUSED);
	assert_non_null(strstr(receipts.data, "too_many"));
	assert_int_equal(erase_number(20000), MEM_OK);
	assert_int_equal(read_count("cascaded"), 4999);
	assert_int_equal(erase_number(15000), MEM_OK); /* one less: all that was refused is still there, and goes */
	assert_int_equal(erase_number(10000), MEM_OK);
	assert_int_equal(read_count("cascaded"), 4999);
}

static void
too_deep_is_refused_whole(void **state)
{
	struct mem_buf lines = { 0 };
	(void)state;
	for (unsigned i = 0; i < 34; i++)
		put_node(&lines, 30000 + i, MEM_KIND_FACT, "\"statement\":\"x\"", i == 0 ? 0 : 30000 + i - 1);
	import_lines(&lines);
	mem_buf_release(&lines);
	assert_int_equal(erase_number(30000), MEM_REFUSED);
	assert_non_null(strstr(receipts.data, "too_many"));
	assert_int_equal(erase_number(30001), MEM_OK);
	assert_int_equal(read_count("depth"), 32);
	assert_int_equal(read_count("cascaded"), 32);
}

static int
setup(void **state)
{
	(void)state;
	if (own_store_make(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", "ada") != 0)
		return -1;
	where.dir = at;
	where.agent = "ada";
	where.write = true;
	total = (struct mem_write_total){ 0 };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	mem_buf_release(&receipts);
	return own_store_remove();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(no_kind_leaves_a_byte, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_are_refused_whole, setup, teardown),
		cmocka_unit_test_setup_teardown(too_deep_is_refused_whole, setup, teardown),
	};
	return cmocka_run_group_tests_name("care_erase", tests, NULL, NULL);
}
