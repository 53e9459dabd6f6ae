/* SPDX-License-Identifier: Apache-2.0 */
/* A store: opening, transactions, nodes, edges, log and audit. */
#include "own_store.h"
#include "base/base.h"
#include "record/record.h"
#include "store/edge.h"
#include "store/log.h"
#include "store/node.h"
#include "store/store.h"

static int
setup(void **state)
{
	(void)state;
	return own_store_make("/tmp", "alice");
}

static struct mem_arena key_arena;

static int
teardown(void **state)
{
	(void)state;
	mem_arena_release(&key_arena);
	return own_store_remove();
}

static struct mem_store *
open_at(int64_t now, const char *agent)
{
	struct mem_store *s = NULL;
	struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
	ask.dir = at;
	ask.write = true;
	ask.now = now;
	ask.agent = agent;
	enum mem_status st = mem_store_open(&s, &ask, &err);
	if (st != MEM_OK)
		fail_msg("open: %s", err.msg);
	return s;
}

/* An episode's text as the memory room makes it: placeholders for id and created_at. */
#define ID0 "00000000-0000-0000-0000-000000000000"
#define T0  "0000-00-00T00:00:00.000Z"

static char *
episode(const char *ns, const char *more, const char *content)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "{\"id\":\"" ID0 "\",\"kind\":\"episode\",\"ns\":\"%s\",\"created_at\":\"" T0
	    "\",\"role\":\"user\"%s,\"content\":\"%s\"}", ns, more, content);
	return b.data;
}

/* ---- adding in one transaction ----------------------------------------- */

/* ASCII lower case, which is enough here; what people write is folded by mem_text_fold. */
static void
fold_ascii(struct mem_buf *out, struct mem_str text)
{
	for (size_t i = 0; i < text.n; i++)
		mem_buf_putc(out, (char)(text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] - 'A' + 'a' : text.p[i]));
}

static const struct mem_word_reader ascii_names = { .fold = fold_ascii };

struct add {
	const struct mem_store *s;
	char *json[64];
	size_t n;
	uint32_t ord[64];
	struct mem_id id[64];
	bool duplicate[64];
	enum mem_node_fill fill;   /* nothing: both */
	enum mem_status fail_with;
};

static enum mem_status
add_all(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct add *a = ctx;
	for (size_t i = 0; i < a->n; i++) {
		struct mem_rec rec = { 0 };
		struct mem_node_keys d;
		struct mem_node old;
		enum mem_status st = mem_rec_scan(&rec, mem_str(a->json[i]), e);
		if (st == MEM_OK)
			st = mem_node_keys_make(&d, a->s, &rec, a->fill != MEM_FILL_NOTHING ? a->fill : MEM_FILL_ID_AND_TIME, &ascii_names, &key_arena, e);
		mem_rec_release(&rec);
		if (st != MEM_OK)
			return st;
		st = mem_node_duplicate(t, &d, &old, e);
		a->duplicate[i] = st == MEM_OK;
		if (st == MEM_OK) {
			a->ord[i] = old.ord;
			a->id[i] = old.attr->id;
			continue;
		}
		if (st != MEM_NOTFOUND)
			return st;
		st = mem_node_add(t, &d, "new", &a->ord[i], e);
		if (st != MEM_OK)
			return st;
		a->id[i] = d.attr.id;
	}
	return a->fail_with;
}

static void
add_one(struct mem_store *s, struct add *a, char *json)
{
	*a = (struct add){ .s = s, .json = { json }, .n = 1 };
	if (mem_store_write(s, add_all, a, &err) != MEM_OK)
		fail_msg("write: %s", err.msg);
}

/* ---- tests ------------------------------------------------------------- */

static void
test_add_and_read(void **state)
{
	(void)state;
	struct mem_store *s = open_at(1000000, NULL);
	struct add a;
	struct mem_txn *t;
	struct mem_node n;
	char id[MEM_ID_LEN + 1];
	char *json = episode("agent:alice", ",\"ref\":\"m1\",\"session_id\":\"s\"", "hello");
	add_one(s, &a, json);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, &a.id[0], &n, &err), MEM_OK);
	assert_int_equal(n.ord, a.ord[0]);
	assert_true(mem_str_is(n.json, json));
	mem_id_format(&a.id[0], id);
	assert_memory_equal(json + 7, id, MEM_ID_LEN);
	assert_non_null(strstr(json, "\"created_at\":\"1970-01-01T00:16:40.000Z\""));
	assert_int_equal(n.attr->created_at, 1000000);
	assert_int_equal(n.attr->captured_at, 1000000);
	assert_int_equal(n.attr->role, MEM_ROLE_USER);
	assert_int_equal(n.attr->session, mem_session_number(s, MEM_STR("s")));
	assert_true(mem_attr_live(n.attr, 1000000));
	assert_true(mem_node_readable(t, n.attr));
	uint32_t ord = UINT32_MAX;
	assert_int_equal(mem_node_by_ref(t, MEM_STR("agent:alice"), MEM_STR("m1"), &ord, &err), MEM_OK);
	assert_int_equal(ord, a.ord[0]);
	assert_int_equal(mem_node_by_ref(t, MEM_STR("agent:alice"), MEM_STR("m1"), &ord, &err), MEM_END);
	ord = UINT32_MAX;
	assert_int_equal(mem_node_by_ref(t, MEM_STR("agent:alice"), MEM_STR("m"), &ord, &err), MEM_END);
	assert_int_equal(mem_node_by_ref(t, MEM_STR("agent:bob"), MEM_STR("m1"), &ord, &err), MEM_END);
	mem_txn_end(t);
	mem_store_close(s);
	free(json);
}

static void
test_duplicates(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, NULL);
	struct add a = { .s = s, .n = 5 };
	a.json[0] = episode("agent:alice", ",\"session_id\":\"s\",\"ref\":\"1\"", "ok");
	a.json[1] = episode("agent:alice", ",\"session_id\":\"s\",\"ref\":\"2\"", "ok");
	a.json[2] = episode("agent:alice", ",\"session_id\":\"s\",\"ref\":\"1\"", "\\u006fk");
	a.json[3] = episode("team:t", ",\"session_id\":\"s\",\"ref\":\"1\"", "ok");
	a.json[4] = episode("agent:alice", ",\"session_id\":\"z\",\"ref\":\"1\"", "ok");
	assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_OK);
	const bool want[] = { false, false, true, false, false };
	for (size_t i = 0; i < a.n; i++) {
		assert_int_equal(a.duplicate[i], want[i]);
		free(a.json[i]);
	}
	assert_int_equal(a.ord[2], a.ord[0]);
	/* A forgotten one no longer stands in the way. */
	char *gone = episode("agent:alice", ",\"expired_at\":\"1970-01-01T00:00:01Z\"", "bye");
	char *again = episode("agent:alice", "", "bye");
	add_one(s, &a, gone);
	add_one(s, &a, again);
	assert_false(a.duplicate[0]);
	mem_store_close(s);
	free(gone);
	free(again);
}

static enum mem_status
one_of_two(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct add *a = ctx;
	enum mem_status st = add_all(t, a, e);
	return st == MEM_OK ? mem_err_set(e, MEM_DENIED, "changed my mind") : st;
}

static void
test_nothing_kept_on_failure(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, NULL);
	struct mem_txn *t;
	struct add a = { .s = s, .n = 1 };
	a.json[0] = episode("agent:alice", "", "x");
	assert_int_equal(mem_store_write(s, one_of_two, &a, &err), MEM_DENIED);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	for (int tab = MEM_T_NS; tab < MEM_T_COUNT; tab++)
		assert_int_equal(mem_tab_count(t, (enum mem_table)tab), 0);
	assert_int_equal(mem_txn_seq(t), 0);
	mem_txn_end(t);
	mem_store_close(s);
	free(a.json[0]);
}

static void
test_ids_rise(void **state)
{
	(void)state;
	struct mem_id last = { { 0 } };
	/* Three processes' worth of openings; the clock steps back by an hour; --now stands still. */
	const int64_t clock[] = { 7200000, 3600000, 3600000, 7200001 };
	for (size_t k = 0; k < MEM_COUNT(clock); k++) {
		struct mem_store *s = open_at(clock[k], NULL);
		for (int i = 0; i < 3; i++) {
			struct add a;
			char text[32];
			snprintf(text, sizeof text, "t%zu-%d", k, i);
			char *json = episode("agent:alice", "", text);
			add_one(s, &a, json);
			assert_true(mem_id_cmp(&last, &a.id[0]) < 0);
			last = a.id[0];
			free(json);
		}
		mem_store_close(s);
	}
}

static void
test_counter_overflows(void **state)
{
	(void)state;
	struct mem_store *s = open_at(1000, NULL);
	struct mem_id last = { { 0 } };
	for (int i = 0; i < 90; i++) {
		struct add a = { .s = s, .n = 50 };
		for (size_t k = 0; k < a.n; k++) {
			char text[32];
			snprintf(text, sizeof text, "%d-%zu", i, k);
			a.json[k] = episode("agent:alice", "", text);
		}
		assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_OK);
		for (size_t k = 0; k < a.n; k++) {
			assert_true(mem_id_cmp(&last, &a.id[k]) < 0);
			last = a.id[k];
			free(a.json[k]);
		}
	}
	/* 4,500 ids in one millisecond: the 4,097th and later borrow the next. */
	assert_int_equal(mem_be64_get(last.b) >> 16, 1001);
	mem_store_close(s);
}

/* Of an id that is known beforehand only the time is filled in. */
static void
test_time_alone_is_filled(void **state)
{
	(void)state;
	struct mem_store *s = open_at(1000000, NULL);
	char json[] = "{\"id\":\"0198f3c2-7d4e-8b1a-9c3d-000000000001\",\"kind\":\"fact\",\"ns\":\"agent:alice\",\"created_at\":\"" T0 "\"}";
	struct add a = { .s = s, .json = { json }, .n = 1, .fill = MEM_FILL_TIME };
	assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_OK);
	assert_string_equal(json, "{\"id\":\"0198f3c2-7d4e-8b1a-9c3d-000000000001\",\"kind\":\"fact\",\"ns\":\"agent:alice\","
	    "\"created_at\":\"1970-01-01T00:16:40.000Z\"}");
	assert_int_equal(mem_be64_get(a.id[0].b), UINT64_C(0x0198f3c27d4e8b1a));
	/* Again: the id is taken. */
	assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_EXISTS);
	mem_store_close(s);
}

static enum mem_status
replace(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct add *a = ctx;
	return mem_node_replace(t, a->ord[0], mem_str(a->json[0]), "changed", &ascii_names, e);
}

static enum mem_status
take_out(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct add *a = ctx;
	return mem_node_remove(t, a->ord[0], "removed", &ascii_names, e);
}

static void
test_replace_and_remove(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, NULL);
	struct add a;
	struct mem_txn *t;
	struct mem_node n;
	char *json = episode("agent:alice", ",\"ref\":\"a\",\"session_id\":\"s\",\"expires_at\":\"2030-01-01T00:00:00Z\"", "x");
	add_one(s, &a, json);
	struct mem_buf b = { 0 };
	char id[MEM_ID_LEN + 1];
	mem_id_format(&a.id[0], id);
	mem_buf_printf(&b, "{\"id\":\"%s\",\"kind\":\"episode\",\"ns\":\"agent:alice\",\"created_at\":\"1970-01-01T00:00:05.000Z\","
	    "\"role\":\"user\",\"ref\":\"b\",\"content\":\"x\",\"status\":\"archived\",\"importance\":0.5}", id);
	a.json[0] = b.data;
	assert_int_equal(mem_store_write(s, replace, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_node_at(t, a.ord[0], &n, &err), MEM_OK);
	assert_true(mem_str_is(n.json, b.data));
	assert_int_equal(n.attr->status, MEM_STATUS_ARCHIVED);
	assert_true(n.attr->importance == 0.5f);
	assert_int_equal(n.attr->session, 0);
	assert_int_equal(mem_tab_count(t, MEM_T_DUE), 0);
	assert_int_equal(mem_tab_count(t, MEM_T_SESS), 0);
	assert_int_equal(mem_tab_count(t, MEM_T_REF), 1);
	assert_int_equal(mem_tab_count(t, MEM_T_DUP), 1);
	uint32_t ord = UINT32_MAX;
	assert_int_equal(mem_node_by_ref(t, MEM_STR("agent:alice"), MEM_STR("a"), &ord, &err), MEM_END);
	assert_int_equal(mem_node_by_ref(t, MEM_STR("agent:alice"), MEM_STR("b"), &ord, &err), MEM_OK);
	mem_txn_end(t);
	/* Another node's id is refused, and nothing changes. */
	b.data[7] = b.data[7] == 'f' ? 'e' : 'f';
	assert_int_equal(mem_store_write(s, replace, &a, &err), MEM_FAIL);
	assert_int_equal(mem_store_write(s, take_out, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	const enum mem_table empty[] = { MEM_T_ID, MEM_T_NODE, MEM_T_ATTR, MEM_T_REF, MEM_T_DUP, MEM_T_SESS, MEM_T_DUE };
	for (size_t i = 0; i < MEM_COUNT(empty); i++)
		assert_int_equal(mem_tab_count(t, empty[i]), 0);
	uint64_t after = 0;
	struct mem_log_row rows[8];
	size_t got;
	assert_int_equal(mem_log_read(t, &after, rows, 8, &got, &err), MEM_OK);
	assert_int_equal(got, 3);
	assert_string_equal(rows[0].op, "new");
	assert_string_equal(rows[1].op, "changed");
	assert_string_equal(rows[2].op, "removed");
	assert_int_equal(rows[2].seq, 3);
	assert_int_equal(mem_id_cmp(&rows[2].id, &a.id[0]), 0);
	mem_txn_end(t);
	mem_store_close(s);
	mem_buf_release(&b);
	free(json);
}

static void
test_attributes_are_of_the_text(void **state)
{
	(void)state;
	static const struct { const char *more; int type, flags; int64_t superseded; } cases[] = {
		{ "", 0, 0, MEM_TIME_NONE },
		{ ",\"type\":null,\"injection_flags\":[],\"superseded_at\":null,\"importance\":null,\"trust\":0,\"confidence\":1,\"tags\":null,\"status\":null", 0, 0, MEM_TIME_NONE },
		{ ",\"type\":\"preference\",\"injection_flags\":[{\"marker\":\"x\"}]", MEM_TYPE_PREFERENCE, MEM_ATTR_FLAGGED, MEM_TIME_NONE },
		{ ",\"type\":\"person\",\"superseded_at\":\"1970-01-01T00:00:01Z\"", MEM_TYPE_OTHER, 0, 1000 },
	};
	struct mem_store *s = open_at(5000, NULL);
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_rec rec = { 0 };
		struct mem_node_keys d;
		char *json = episode("agent:alice", cases[i].more, "x");
		assert_int_equal(mem_rec_scan(&rec, mem_str(json), &err), MEM_OK);
		assert_int_equal(mem_node_keys_make(&d, s, &rec, MEM_FILL_ID_AND_TIME, &ascii_names, &key_arena, &err), MEM_OK);
		assert_int_equal(d.attr.kind, MEM_KIND_EPISODE);
		assert_int_equal(d.attr.type, cases[i].type);
		assert_int_equal(d.attr.flags, cases[i].flags);
		assert_true(d.attr.superseded_at == cases[i].superseded);
		for (size_t k = 0; k < MEM_ATTR_DAYS; k++)
			assert_true(d.attr.days[k].first > d.attr.days[k].last);
		mem_rec_release(&rec);
		free(json);
	}
	mem_store_close(s);
}

static void
test_bad_fields_are_refused(void **state)
{
	(void)state;
	static const struct { const char *more, *reason; } cases[] = {
		{ ",\"captured_at\":\"yesterday\"", "bad_time" },
		{ ",\"captured_at\":5", "bad_value" },
		{ ",\"importance\":\"high\"", "bad_value" },
		{ ",\"importance\":1.001", "bad_value" },
		{ ",\"trust\":-0.1", "bad_value" },
		{ ",\"confidence\":1e400", "bad_value" },
		{ ",\"confidence\":true", "bad_value" },
		{ ",\"status\":\"fine\"", "bad_value" },
		{ ",\"status\":\"\"", "bad_value" },
		{ ",\"status\":1", "bad_value" },
		{ ",\"tags\":\"tea\"", "bad_value" },
		{ ",\"tags\":[\"tea\",1]", "bad_value" },
		{ ",\"tags\":{}", "bad_value" },
		{ ",\"aliases\":\"Ally\"", "bad_value" },
		{ ",\"aliases\":[\"Ally\",null]", "bad_value" },
		{ ",\"name\":[]", "bad_value" },
		{ ",\"title\":1", "bad_value" },
		{ ",\"slug\":true", "bad_value" },
		{ ",\"path\":{}", "bad_value" },
		{ ",\"access_count\":-1", "bad_value" },
		{ ",\"pinned\":1", "bad_value" },
		{ ",\"ref\":[]", "bad_value" },
		{ ",\"type\":1", "bad_value" },
		{ ",\"superseded_at\":\"soon\"", "bad_time" },
	};
	struct mem_store *s = open_at(5000, NULL);
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_rec rec = { 0 };
		struct mem_node_keys d;
		char *json = episode("agent:alice", cases[i].more, "x");
		assert_int_equal(mem_rec_scan(&rec, mem_str(json), &err), MEM_OK);
		assert_int_equal(mem_node_keys_make(&d, s, &rec, MEM_FILL_ID_AND_TIME, &ascii_names, &key_arena, &err), MEM_REFUSED);
		assert_string_equal(err.reason, cases[i].reason);
		assert_memory_equal(json + err.offset, strchr(cases[i].more, ':') + 1, 1);
		mem_rec_release(&rec);
		free(json);
	}
	mem_store_close(s);
}

static void
test_authority(void **state)
{
	(void)state;
	static const char *const ns[] = { "agent:alice", "agent:bob", "team:red", "team:blue", "task:one", "global", "system", "agent:", "nonsense" };
	static const struct { const char *agent, *read, *write; } cases[] = {
		{ "alice", "1011111..", "1011110.." }, /* mem-init's operator, with the environment's teams */
		{ "bob", "0111110..", "0111100.." },
		{ "carol", "0011110..", "0011100.." },
	};
	setenv("MEM_TEAMS", "red,blue", 1);
	setenv("MEM_TASKS", "one", 1);
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_store *s = open_at(5000, cases[i].agent);
		for (size_t k = 0; k < MEM_COUNT(ns); k++) {
			struct mem_access_request ask = { .access = MEM_READ, .ns = mem_str(ns[k]) };
			assert_int_equal(mem_store_allows(s, &ask), cases[i].read[k] == '1');
			ask.access = MEM_WRITE;
			assert_int_equal(mem_store_allows(s, &ask), cases[i].write[k] == '1');
			/* What was exported comes back to where it was: an operator alone could read it there.  So memkit's own work. */
			bool system = mem_str_is(ask.ns, "system") && cases[i].read[k] == '1';
			ask.access = MEM_RESTORE;
			assert_int_equal(mem_store_allows(s, &ask), system || cases[i].write[k] == '1');
			ask.access = MEM_KEEP;
			assert_int_equal(mem_store_allows(s, &ask), system || cases[i].write[k] == '1');
		}
		mem_store_close(s);
	}
	unsetenv("MEM_TEAMS");
	unsetenv("MEM_TASKS");
}

static void
settings(const char *yaml)
{
	char path[100];
	snprintf(path, sizeof path, "%s/config.yaml", at);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(yaml, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool
may(const struct mem_store *s, enum mem_access access, const char *ns)
{
	struct mem_access_request ask = { .access = access, .ns = mem_str(ns) };
	return mem_store_allows(s, &ask);
}

/* The store's settings say what an agent belongs to; for those they list the environment says nothing. */
static void
test_listed_agents(void **state)
{
	(void)state;
	settings("agent: bob\noperators: [carol]\nagents:\n  bob: {teams: [red], tasks: [one], role: reviewer}\n  dora: {}\n");
	setenv("MEM_TEAMS", "blue", 1);
	setenv("MEM_TASKS", "two", 1);
	setenv("MEM_AGENT_ROLE", "boss", 1);
	struct mem_store *s = open_at(5000, NULL);
	assert_string_equal(mem_store_principal(s)->agent, "bob");
	assert_string_equal(mem_store_principal(s)->role, "reviewer");
	assert_false(mem_store_principal(s)->is_operator);
	assert_true(may(s, MEM_WRITE, "team:red") && may(s, MEM_WRITE, "task:one"));
	assert_false(may(s, MEM_READ, "team:blue") || may(s, MEM_READ, "task:two") || may(s, MEM_WRITE, "global"));
	mem_store_close(s);
	s = open_at(5000, "dora");
	assert_null(mem_store_principal(s)->role);
	assert_false(may(s, MEM_READ, "team:red") || may(s, MEM_READ, "team:blue"));
	mem_store_close(s);
	s = open_at(5000, "carol");
	assert_true(mem_store_principal(s)->is_operator);
	assert_string_equal(mem_store_principal(s)->role, "boss");
	assert_true(may(s, MEM_WRITE, "team:blue") && may(s, MEM_WRITE, "global") && may(s, MEM_READ, "system"));
	mem_store_close(s);
	setenv("MEM_AGENT", "dora", 1);
	s = open_at(5000, NULL);
	assert_string_equal(mem_store_principal(s)->agent, "dora");
	mem_store_close(s);
	unsetenv("MEM_AGENT");
	unsetenv("MEM_TEAMS");
	unsetenv("MEM_TASKS");
	unsetenv("MEM_AGENT_ROLE");
}

static void
test_bad_names_are_refused(void **state)
{
	(void)state;
	static const struct { const char *yaml, *var, *value; enum mem_status want; } cases[] = {
		{ "agent: a b\n", NULL, NULL, MEM_USAGE },
		{ "agents: {alice: {teams: red}}\nagent: alice\n", NULL, NULL, MEM_FAIL },
		{ "agents: {alice: {teams: [a b]}}\nagent: alice\n", NULL, NULL, MEM_FAIL },
		{ "agents: {alice: {team: [red]}}\nagent: alice\n", NULL, NULL, MEM_FAIL },
		{ "", "MEM_AGENT", "a/b", MEM_USAGE },
		{ "", "MEM_TEAMS", "good,b d", MEM_USAGE },
		{ "", "MEM_TASKS", "\xc3\xa9", MEM_USAGE },
	};
	for (size_t i = 0; i < MEM_COUNT(cases); i++) {
		struct mem_store *s = NULL;
		struct mem_store_options ask = MEM_STORE_OPTIONS_INIT;
		ask.dir = at;
		settings(cases[i].yaml);
		if (cases[i].var != NULL)
			setenv(cases[i].var, cases[i].value, 1);
		assert_int_equal(mem_store_open(&s, &ask, &err), cases[i].want);
		if (cases[i].var != NULL)
			unsetenv(cases[i].var);
	}
}

static void
test_visible(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct add a = { .s = s, .n = 3 };
	struct mem_txn *t;
	struct mem_ns *v;
	struct mem_node n;
	size_t nv, got;
	a.json[0] = episode("agent:alice", "", "mine");
	a.json[1] = episode("agent:bob", ",\"ref\":\"r\"", "his");
	a.json[2] = episode("global", "", "ours");
	assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_ns_visible(t, &v, &nv, &err), MEM_OK);
	assert_int_equal(nv, 2);
	assert_string_equal(v[0].name, "agent:alice");
	assert_string_equal(v[1].name, "global");
	free(v);
	assert_int_equal(mem_node_by_id(t, &a.id[1], &n, &err), MEM_OK);
	assert_false(mem_node_readable(t, n.attr));
	uint64_t after = 0;
	struct mem_log_row rows[8];
	assert_int_equal(mem_log_read(t, &after, rows, 8, &got, &err), MEM_OK);
	assert_int_equal(got, 2);
	assert_int_equal(after, 3);
	mem_txn_end(t);
	mem_store_close(s);
	for (size_t i = 0; i < a.n; i++)
		free(a.json[i]);
}

static enum mem_status
link_two(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct add *a = ctx;
	enum mem_status st = mem_edge_put(t, "supports", a->ord[0], a->ord[1], MEM_STR("{\"edge\":1}"), e);
	if (st == MEM_OK)
		st = mem_edge_put(t, "derived_from", a->ord[0], a->ord[0], MEM_STR("{\"edge\":2}"), e);
	if (st == MEM_OK)
		st = mem_edge_put(t, "supports", a->ord[0], a->ord[1], MEM_STR("{\"edge\":3}"), e);
	return st;
}

static bool
count_edge(void *ctx, const struct mem_edge *e)
{
	char *seen = ctx;
	strncat(seen, e->json.p + 8, 1);
	return true;
}

static void
test_edges(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct add a = { .s = s, .n = 2 };
	struct mem_txn *t;
	char out[8] = "", in[8] = "", self[8] = "";
	a.json[0] = episode("agent:alice", "", "x");
	a.json[1] = episode("agent:alice", "", "y");
	assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, link_two, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_edge_each(t, a.ord[0], true, count_edge, out, &err), MEM_OK);
	assert_int_equal(mem_edge_each(t, a.ord[1], false, count_edge, in, &err), MEM_OK);
	assert_int_equal(mem_edge_each(t, a.ord[0], false, count_edge, self, &err), MEM_OK);
	assert_string_equal(out, "32");
	assert_string_equal(in, "3");
	assert_string_equal(self, "2");
	struct mem_edge e;
	assert_int_equal(mem_edge_find(t, "supports", a.ord[0], a.ord[1], &e, &err), MEM_OK);
	assert_true(mem_str_is(e.json, "{\"edge\":3}") && e.from == a.ord[0] && e.to == a.ord[1]);
	assert_int_equal(mem_edge_find(t, "supports", a.ord[1], a.ord[0], &e, &err), MEM_NOTFOUND);
	assert_int_equal(mem_edge_find(t, "derived_from", a.ord[0], a.ord[1], &e, &err), MEM_NOTFOUND);
	assert_int_equal(mem_edge_find(t, "unheard_of", a.ord[0], a.ord[1], &e, &err), MEM_NOTFOUND);
	mem_txn_end(t);
	assert_int_equal(mem_store_write(s, take_out, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_tab_count(t, MEM_T_OUT), 0);
	assert_int_equal(mem_tab_count(t, MEM_T_IN), 0);
	mem_txn_end(t);
	mem_store_close(s);
	free(a.json[0]);
	free(a.json[1]);
}

static enum mem_status
audit_two(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	(void)ctx;
	struct mem_audit_row r = { .kind = MEM_STR("capture"), .actor = MEM_STR("alice"), .ns = MEM_STR("agent:alice"),
		.reason = MEM_STR(""), .detail = MEM_STR("{\"n\":1}"), .subject = { { 1, 2, 3 } } };
	enum mem_status st = mem_audit_put(t, &r, e);
	r.ns = MEM_STR("agent:bob");
	r.actor = MEM_STR("bob");
	r.reason = MEM_STR("not yours");
	return st == MEM_OK ? mem_audit_put(t, &r, e) : st;
}

static void
test_audit(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct mem_txn *t;
	struct mem_audit_row rows[4];
	struct mem_arena arena = { 0 };
	uint64_t after = 0;
	size_t n;
	assert_int_equal(mem_store_write(s, audit_two, NULL, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_audit_read(t, &after, &arena, rows, 4, &n, &err), MEM_OK);
	mem_txn_end(t);
	assert_int_equal(n, 1);
	assert_int_equal(after, 2);
	assert_true(mem_str_is(rows[0].kind, "capture"));
	assert_true(mem_str_is(rows[0].actor, "alice"));
	assert_true(mem_str_is(rows[0].detail, "{\"n\":1}"));
	assert_int_equal(rows[0].reason.n, 0);
	assert_int_equal(rows[0].at, 5000);
	assert_int_equal(rows[0].subject.b[2], 3);
	mem_arena_release(&arena);
	mem_store_close(s);
}

/* After the folder was looked at another one takes its place, with a link where LMDB writes. */
static void
test_exchanged_folder(void **state)
{
	char moved[100], victim[100], cmd[800], link[120], text[40] = "";
	struct mem_txn *t;
	struct add a;
	char *x = episode("agent:alice", "", "x");
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	add_one(s, &a, x);
	mem_store_pause(s);
	snprintf(moved, sizeof moved, "%s/moved", dir);
	snprintf(victim, sizeof victim, "%s/victim", dir);
	snprintf(link, sizeof link, "%s/lock.mdb", at);
	snprintf(cmd, sizeof cmd, "cp -r '%s' '%s' && rm '%s/lock.mdb' && printf precious >'%s'", at, moved, moved, victim);
	assert_int_equal(system(cmd), 0);
	snprintf(cmd, sizeof cmd, "mv '%s' '%s.first' && mv '%s' '%s'", at, at, moved, at);
	assert_int_equal(system(cmd), 0);
	assert_int_equal(symlink(victim, link), 0);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_tab_count(t, MEM_T_NODE), 1);
	mem_txn_end(t);
	add_one(s, &a, x);
	mem_store_close(s);
	FILE *f = fopen(victim, "r");
	assert_non_null(f);
	assert_int_equal(fread(text, 1, sizeof text, f), 8);
	fclose(f);
	assert_string_equal(text, "precious");
	/* By its name it is the other one, whose link is refused. */
	struct mem_store_options ask = { .dir = at, .agent = "alice", .wait_ms = -1, .now = MEM_TIME_NONE };
	assert_int_equal(mem_store_open(&s, &ask, &err), MEM_DENIED);
	free(x);
}

static void
test_pause_goes_on(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct add a;
	struct mem_txn *t;
	struct mem_node n;
	char *x = episode("agent:alice", "", "x"), *y = episode("agent:alice", "", "y");
	add_one(s, &a, x);
	mem_store_pause(s);
	mem_store_pause(s);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_node_by_id(t, &a.id[0], &n, &err), MEM_OK);
	mem_txn_end(t);
	mem_store_pause(s);
	add_one(s, &a, y);
	mem_store_close(s);
	free(x);
	free(y);
}

static enum mem_status
add_named(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct add *a = ctx;
	struct mem_rec rec = { 0 };
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < a->n && st == MEM_OK; i++) {
		struct mem_node_keys d;
		st = mem_rec_scan(&rec, mem_str(a->json[i]), e);
		if (st == MEM_OK)
			st = mem_node_keys_make(&d, a->s, &rec, MEM_FILL_ID_AND_TIME, &ascii_names, &key_arena, e);
		if (st == MEM_OK)
			st = mem_node_add(t, &d, "new", &a->ord[i], e);
	}
	mem_rec_release(&rec);
	return st;
}

static char *
entity(const char *more)
{
	struct mem_buf b = { 0 };
	mem_buf_printf(&b, "{\"id\":\"" ID0 "\",\"kind\":\"entity\",\"ns\":\"agent:alice\",\"created_at\":\"" T0 "\"%s}", more);
	return b.data;
}

static uint32_t
named(struct mem_txn *t, const char *type, const char *name, uint32_t before)
{
	uint32_t ord = before;
	enum mem_status st = mem_node_by_name(t, MEM_STR("agent:alice"), mem_str(type), mem_str(name), &ord, &err);
	return st == MEM_OK ? ord : UINT32_MAX;
}

static void
test_names(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct add a = { .s = s, .n = 4 };
	struct mem_txn *t;
	struct mem_buf lengthy = { 0 }, other = { 0 };
	mem_buf_puts(&lengthy, ",\"type\":\"person\",\"name\":\"");
	for (int i = 0; i < 1000; i++)
		mem_buf_puts(&lengthy, "Z");
	mem_buf_str(&other, mem_buf_span(&lengthy));
	mem_buf_puts(&lengthy, "1\"");
	mem_buf_puts(&other, "2\"");
	a.json[0] = entity(",\"type\":\"person\",\"name\":\"Ada\"");
	a.json[1] = entity(",\"type\":\"place\",\"name\":\"Str\\u0061sse\"");
	a.json[2] = entity(lengthy.data);
	a.json[3] = entity(other.data);
	assert_int_equal(mem_store_write(s, add_named, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(named(t, "person", "ada", UINT32_MAX), a.ord[0]);
	assert_int_equal(named(t, "person", "ada", a.ord[0]), UINT32_MAX);
	assert_int_equal(named(t, "person", "Ada", UINT32_MAX), UINT32_MAX);
	assert_int_equal(named(t, "place", "ada", UINT32_MAX), UINT32_MAX);
	assert_int_equal(named(t, "place", "strasse", UINT32_MAX), a.ord[1]);
	/* Names that differ only behind the part that the key holds. */
	char *z = mem_xmalloc(1002);
	memset(z, 'z', 1000);
	memcpy(z + 1000, "1", 2);
	assert_int_equal(named(t, "person", z, UINT32_MAX), a.ord[2]);
	z[1000] = '2';
	assert_int_equal(named(t, "person", z, UINT32_MAX), a.ord[3]);
	z[1000] = '3';
	assert_int_equal(named(t, "person", z, UINT32_MAX), UINT32_MAX);
	mem_txn_end(t);
	mem_store_close(s);
	free(z);
	mem_buf_release(&lengthy);
	mem_buf_release(&other);
	for (size_t i = 0; i < a.n; i++)
		free(a.json[i]);
}

static void
note_ord(void *ctx, uint32_t ord)
{
	*(uint32_t *)ctx |= 1U << ord;
}

/* The nodes of a name of whatever type, as bits 1 << ord. */
static uint32_t
all_named(struct mem_txn *t, uint32_t ns, const char *name)
{
	uint32_t ords = 0;
	assert_int_equal(mem_nodes_named(t, ns, mem_str(name), note_ord, &ords, &err), MEM_OK);
	return ords;
}

static void
test_each_name_has_a_row(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct add a = { .s = s, .n = 7 };
	struct mem_txn *t;
	struct mem_node n;
	char kind_of[80];
	memset(kind_of, 'k', sizeof kind_of);
	kind_of[sizeof kind_of - 1] = '\0';
	struct mem_buf lengthy = { 0 };
	mem_buf_printf(&lengthy, ",\"type\":\"%s\",\"name\":\"ally\"", kind_of);
	a.json[0] = entity(",\"type\":\"person\",\"name\":\"Alice Smith\",\"aliases\":[\"Ally\",\"ALLY\",\"alice smith\",\"\",\"A. S.\"]");
	a.json[1] = entity(",\"title\":\"Ally\",\"slug\":\"ally\",\"path\":\"people/Ally.md\"");
	a.json[2] = entity(",\"aliases\":[\"ally\"]");
	a.json[3] = entity(",\"type\":\"person\",\"name\":\"allyson\",\"aliases\":null");
	a.json[4] = entity(lengthy.data);
	a.json[5] = entity(",\"type\":\"perso\",\"name\":\"ally\"");
	a.json[6] = entity("");
	assert_int_equal(mem_store_write(s, add_named, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_node_at(t, a.ord[0], &n, &err), MEM_OK);
	uint32_t ns = n.attr->ns;
	assert_int_equal(mem_tab_count(t, MEM_T_NAME), 3 + 3 + 1 + 1 + 1 + 1);
	assert_int_equal(named(t, "person", "ally", UINT32_MAX), a.ord[0]);
	assert_int_equal(named(t, "person", "a. s.", UINT32_MAX), a.ord[0]);
	assert_int_equal(named(t, "", "ally", UINT32_MAX), a.ord[2]);
	assert_int_equal(named(t, "=title", "ally", UINT32_MAX), a.ord[1]);
	assert_int_equal(named(t, "=slug", "ally", UINT32_MAX), a.ord[1]);
	assert_int_equal(named(t, "=path", "people/ally.md", UINT32_MAX), a.ord[1]);
	assert_int_equal(named(t, kind_of, "ally", UINT32_MAX), a.ord[4]);
	kind_of[70] = 'x';
	assert_int_equal(named(t, kind_of, "ally", UINT32_MAX), UINT32_MAX);
	assert_int_equal(all_named(t, ns, "ally"), 1U << a.ord[0] | 1U << a.ord[1] | 1U << a.ord[2] | 1U << a.ord[4] | 1U << a.ord[5]);
	assert_int_equal(all_named(t, ns, "alice smith"), 1U << a.ord[0]);
	assert_int_equal(all_named(t, ns, "all"), 0);
	assert_int_equal(all_named(t, ns + 1, "ally"), 0);
	mem_txn_end(t);
	/* They go with the node. */
	for (size_t i = 0; i < 7; i++) {
		struct add one = { .s = s, .ord = { a.ord[i] } };
		assert_int_equal(mem_store_write(s, take_out, &one, &err), MEM_OK);
	}
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_tab_count(t, MEM_T_NAME), 0);
	mem_txn_end(t);
	mem_store_close(s);
	mem_buf_release(&lengthy);
	for (size_t i = 0; i < a.n; i++)
		free(a.json[i]);
}

static void
test_sessions(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct add a = { .s = s, .n = 5 };
	struct mem_txn *t;
	/* Order is by time, before 1970 too, then by commit. */
	static const char *const times[] = { "2026-01-02T00:00:00Z", "1960-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z" };
	for (size_t i = 0; i < 4; i++) {
		char more[100], text[8];
		snprintf(more, sizeof more, ",\"session_id\":\"s\",\"captured_at\":\"%s\"", times[i]);
		snprintf(text, sizeof text, "%zu", i);
		a.json[i] = episode("agent:alice", more, text);
	}
	a.json[4] = episode("agent:alice", ",\"session_id\":\"t\"", "x");
	assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	const size_t order[] = { 1, 2, 3, 0 };
	int64_t when = MEM_TIME_NONE;
	uint32_t ord = 0;
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(mem_node_in_session(t, MEM_STR("agent:alice"), MEM_STR("s"), false, &when, &ord, &err), MEM_OK);
		assert_int_equal(ord, a.ord[order[i]]);
	}
	assert_int_equal(mem_node_in_session(t, MEM_STR("agent:alice"), MEM_STR("s"), false, &when, &ord, &err), MEM_END);
	when = MEM_TIME_MAX;
	ord = UINT32_MAX;
	for (size_t i = 4; i-- > 0;) {
		assert_int_equal(mem_node_in_session(t, MEM_STR("agent:alice"), MEM_STR("s"), true, &when, &ord, &err), MEM_OK);
		assert_int_equal(ord, a.ord[order[i]]);
	}
	assert_int_equal(mem_node_in_session(t, MEM_STR("agent:alice"), MEM_STR("s"), true, &when, &ord, &err), MEM_END);
	mem_txn_end(t);
	mem_store_close(s);
	for (size_t i = 0; i < a.n; i++)
		free(a.json[i]);
}

/* Every slot of the reader table taken: busy, not broken; one ends, and it goes on. */
static void
test_all_reader_slots(void **state)
{
	(void)state;
	enum { SLOTS = 1022 };
	struct mem_store *s = open_at(5000, "alice");
	static struct mem_txn *t[SLOTS];
	struct mem_txn *one_more;
	for (size_t i = 0; i < SLOTS; i++)
		assert_int_equal(mem_txn_read(&t[i], s, &err), MEM_OK);
	assert_int_equal(mem_txn_read(&one_more, s, &err), MEM_BUSY);
	assert_non_null(strstr(err.msg, "1022"));
	mem_txn_end(t[7]);
	assert_int_equal(mem_txn_read(&t[7], s, &err), MEM_OK);
	for (size_t i = 0; i < SLOTS; i++)
		mem_txn_end(t[i]);
	mem_store_close(s);
}

static enum mem_status
unlink_one(struct mem_txn *t, void *ctx, struct mem_err *e)
{
	struct add *a = ctx;
	return mem_edge_remove(t, "supports", a->ord[0], a->ord[1], e);
}

static void
test_edge_removed(void **state)
{
	(void)state;
	struct mem_store *s = open_at(5000, "alice");
	struct add a = { .s = s, .n = 2 };
	struct mem_txn *t;
	struct mem_str kind;
	a.json[0] = episode("agent:alice", "", "x");
	a.json[1] = episode("agent:alice", "", "y");
	assert_int_equal(mem_store_write(s, add_all, &a, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, unlink_one, &a, &err), MEM_NOTFOUND);
	assert_int_equal(mem_store_write(s, link_two, &a, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, unlink_one, &a, &err), MEM_OK);
	assert_int_equal(mem_store_write(s, unlink_one, &a, &err), MEM_NOTFOUND);
	assert_int_equal(mem_txn_read(&t, s, &err), MEM_OK);
	assert_int_equal(mem_tab_count(t, MEM_T_OUT), 1);
	assert_int_equal(mem_tab_count(t, MEM_T_IN), 1);
	assert_int_equal(mem_edge_kind_name(t, 1, &kind, &err), MEM_OK);
	assert_true(mem_str_is(kind, "supports"));
	assert_int_equal(mem_edge_kind_name(t, 3, &kind, &err), MEM_NOTFOUND);
	mem_txn_end(t);
	mem_store_close(s);
	free(a.json[0]);
	free(a.json[1]);
}

/* Same input under the same --now, in two stores: the same ids. */
static void
test_ids_repeat(void **state)
{
	struct mem_id first[3];
	for (int round = 0; round < 2; round++) {
		struct mem_store *s = open_at(77000, "alice");
		for (int i = 0; i < 3; i++) {
			struct add a;
			char *json = episode("agent:alice", "", i == 0 ? "a" : i == 1 ? "b" : "c");
			add_one(s, &a, json);
			if (round == 0)
				first[i] = a.id[0];
			else
				assert_int_equal(mem_id_cmp(&first[i], &a.id[0]), 0);
			free(json);
		}
		mem_store_close(s);
		if (round == 0) {
			teardown(state);
			setup(state);
		}
	}
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_add_and_read), T(test_duplicates), T(test_nothing_kept_on_failure), T(test_ids_rise), T(test_time_alone_is_filled),
		T(test_counter_overflows), T(test_replace_and_remove), T(test_attributes_are_of_the_text), T(test_bad_fields_are_refused),
		T(test_authority), T(test_listed_agents), T(test_bad_names_are_refused), T(test_visible), T(test_edges), T(test_audit), T(test_exchanged_folder), T(test_pause_goes_on),
		T(test_ids_repeat), T(test_names), T(test_each_name_has_a_row), T(test_sessions), T(test_all_reader_slots), T(test_edge_removed),
	};
	return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
