/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vaults in a store: after whatever came, went, moved or changed its names, the edges are those of a store that was made anew
 * from the same files.
 */
#include "own_store.h"

#include "link/page_int.h"
#include "link/vault.h"
#include "store/edge.h"
#include "store/node.h"
#include "text/text.h"

#define NOW INT64_C(1790000000000)
#define NS MEM_STR("global")
#define ASSERT_OK(call) do { \
	enum mem_status st_ = (call); \
	if (st_ != MEM_OK) \
		fail_msg("%s: status %d: %s", #call, (int)st_, err.msg); \
} while (0)

static struct mem_buf receipts;

static bool
keep_receipts(void *ctx, struct mem_str lines)
{
	(void)ctx;
	mem_buf_str(&receipts, lines);
	return true;
}

static int
make_store(void **state)
{
	(void)state;
	return own_store_make("/tmp", "tester");
}

static int
remove_store(void **state)
{
	(void)state;
	mem_buf_release(&receipts);
	return own_store_remove();
}

/* ---- runs ------------------------------------------------------------------------- */

static struct mem_vault_run *
open_run(const char *store, const char *vault)
{
	struct mem_vault_run *r = NULL;
	const struct mem_store_options ask = { .dir = store, .write = true, .wait_ms = -1, .now = NOW };
	const struct mem_vault_options o = { .via = "test", .vault = mem_str(vault), .ns = "global" };
	mem_buf_reset(&receipts);
	ASSERT_OK(mem_vault_open(&r, &ask, &o, keep_receipts, NULL, &err));
	return r;
}

static void
close_run(struct mem_vault_run *r)
{
	ASSERT_OK(mem_vault_commit(r, &err));
	mem_vault_free(r);
}

static void
put_text(struct mem_vault_run *r, const char *path, const char *text)
{
	ASSERT_OK(mem_vault_put(r, mem_str(path), mem_str(text), &err));
}

static void
put_one(const char *path, const char *text)
{
	struct mem_vault_run *r = open_run(at, "v");
	put_text(r, path, text);
	close_run(r);
}

static bool
receipts_have(const char *text)
{
	return receipts.len > 0 && strstr(receipts.data, text) != NULL;
}

/* ---- what a store has ----------------------------------------------------------------- */

struct edge_list {
	struct mem_txn *t;
	struct mem_str from;
	char **v;
	size_t n, cap;
};

static void
put_node_name(struct mem_buf *out, struct mem_txn *t, uint32_t ord)
{
	struct mem_node node;
	struct mem_arena a = { 0 };
	ASSERT_OK(mem_node_at(t, ord, &node, &err));
	struct mem_json whole = mem_json_object(node.json);
	struct mem_str ref = mem_json_text(&a, mem_json_member(whole, "ref")), name = mem_json_text(&a, mem_json_member(whole, "name"));
	mem_buf_printf(out, "%s ", mem_kind_name((enum mem_kind)node.attr->kind));
	mem_buf_str(out, ref.p != NULL ? ref : name);
	mem_arena_release(&a);
}

static bool
list_edge(void *ctx, const struct mem_edge *e)
{
	struct edge_list *l = ctx;
	struct mem_buf b = { 0 };
	struct mem_str kind;
	struct mem_json whole = mem_json_object(e->json), text = mem_json_member(whole, "link_text"), at_v = mem_json_member(whole, "occurrences");
	ASSERT_OK(mem_edge_kind_name(l->t, e->kind, &kind, &err));
	mem_buf_str(&b, l->from);
	mem_buf_printf(&b, " %.*s ", (int)kind.n, kind.p);
	put_node_name(&b, l->t, e->to);
	mem_buf_putc(&b, ' ');
	mem_buf_str(&b, text.raw);
	mem_buf_str(&b, at_v.raw);
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof *l->v);
	l->v[l->n++] = mem_xstrdup(b.data);
	mem_buf_release(&b);
	return true;
}

static int
compare_lines(const void *a, const void *b)
{
	const char *const *x = a, *const *y = b;
	return strcmp(*x, *y);
}

/* All edges that leave pages of a vault, a line each, sorted. */
static void
list_edges(struct mem_buf *out, const char *store, const char *vault)
{
	struct mem_vault_run *r = open_run(store, vault);
	struct edge_list l = { 0 };
	struct mem_arena a = { 0 };
	struct page_heads heads = { 0 };
	ASSERT_OK(mem_txn_read(&l.t, mem_vault_store(r), &err));
	ASSERT_OK(page_heads_read(l.t, NS, mem_str(vault), &a, &heads, &err));
	for (size_t i = 0; i < heads.n; i++) {
		l.from = heads.v[i].ref;
		ASSERT_OK(mem_edge_each(l.t, heads.v[i].ord, true, list_edge, &l, &err));
	}
	mem_txn_end(l.t);
	if (l.n > 1)
		qsort(l.v, l.n, sizeof *l.v, compare_lines);
	for (size_t i = 0; i < l.n; i++) {
		mem_buf_printf(out, "%s\n", l.v[i]);
		free(l.v[i]);
	}
	mem_buf_puts(out, "");
	free(l.v);
	free(heads.v);
	mem_arena_release(&a);
	mem_vault_free(r);
}

/* ---- a life in small ------------------------------------------------------------------- */

static void
test_pending_and_moved(void **state)
{
	struct mem_buf edges = { 0 };
	(void)state;
	put_one("a.md", "# A\n\nTo [[b]] and ![[sub/c#h]] #tag\n");
	assert_true(receipts_have("\"verdict\":\"new\""));
	list_edges(&edges, at, "v");
	assert_string_equal(edges.data, "v/a.md tagged tag tag \"#tag\"[{\"line\":3,\"column\":27}]\n");
	put_one("a.md", "# A\n\nTo [[b]] and ![[sub/c#h]] #tag\n");
	assert_true(receipts_have("\"verdict\":\"unchanged\""));
	put_one("x/b.md", "nothing");
	mem_buf_reset(&edges);
	list_edges(&edges, at, "v");
	assert_non_null(strstr(edges.data, "v/a.md references page v/x/b.md \"[[b]]\"[{\"line\":3,\"column\":4}]\n"));
	/* Gone, and back. */
	struct mem_vault_run *r = open_run(at, "v");
	ASSERT_OK(mem_vault_gone(r, MEM_STR("x/b.md"), &err));
	close_run(r);
	assert_true(receipts_have("\"verdict\":\"removed\""));
	mem_buf_reset(&edges);
	list_edges(&edges, at, "v");
	assert_null(strstr(edges.data, "x/b.md"));
	put_one("x/b.md", "nothing");
	assert_true(receipts_have("\"verdict\":\"changed\""));
	mem_buf_reset(&edges);
	list_edges(&edges, at, "v");
	assert_non_null(strstr(edges.data, "page v/x/b.md"));
	/* Moved: the link asks for a name that is no more; another page comes to its old path. */
	r = open_run(at, "v");
	ASSERT_OK(mem_vault_move(r, MEM_STR("x/b.md"), MEM_STR("sub/c.md"), &err));
	put_text(r, "sub/c.md", "nothing");
	close_run(r);
	mem_buf_reset(&edges);
	list_edges(&edges, at, "v");
	assert_null(strstr(edges.data, "x/b.md"));
	assert_non_null(strstr(edges.data, "v/a.md embeds page v/sub/c.md \"![[sub/c#h]]\"[{\"line\":3,\"column\":14,\"heading\":\"h\"}]\n"));
	put_one("x/b.md", "another");
	assert_true(receipts_have("\"verdict\":\"new\""));
	mem_buf_release(&edges);
}

static void
test_refusals(void **state)
{
	(void)state;
	put_one("bad.md", "\xff");
	assert_true(receipts_have("\"reason\":\"bad_utf8\""));
	assert_true(receipts_have("\"path\":\"bad.md\""));
	put_one("../x.md", "x");
	assert_true(receipts_have("\"reason\":\"bad_value\""));
	put_one("front.md", "---\ntitle: [open\n---\nbody [[x]]\n");
	assert_true(receipts_have("\"faults\":[{\"line\":2,"));
	assert_true(receipts_have("\"verdict\":\"new\""));
}

/* A batch of pages is kept before the run is dropped: the next one makes all edges, whatever it is about. */
static void
test_broken_off(void **state)
{
	enum { PAGES = 600 };
	struct mem_vault_run *r = open_run(at, "v");
	struct mem_buf edges = { 0 };
	(void)state;
	char path[32], text[32];
	for (int i = 0; i < PAGES; i++) {
		snprintf(path, sizeof path, "p%d.md", i);
		snprintf(text, sizeof text, "[[p%d]]", i / 2);
		put_text(r, path, text);
	}
	mem_vault_free(r);
	list_edges(&edges, at, "v");
	assert_string_equal(edges.data, "");
	put_one("other.md", "[[p9]]");
	mem_buf_reset(&edges);
	list_edges(&edges, at, "v");
	assert_non_null(strstr(edges.data, "v/p11.md references page v/p5.md"));
	assert_non_null(strstr(edges.data, "v/other.md references page v/p9.md"));
	mem_buf_release(&edges);
}

/* ---- any order ---------------------------------------------------------------------------- */

enum { FILES = 14, STEPS = 60, VAULTS = 12 };
static const char *const file_names[FILES] = { "n.md", "a/n.md", "b/n.md", "a/N.md", "a/b/m.md", "o p.md", "b/o_p.md", "a/O P.md",
	"Zo\u00eb.md", "a/Zoe\u0308.md", "m.markdown", "b/index.md", "index.md", "a/index.md" };
static const char *const titles[] = { "", "n", "O P", "o-p", "Index", "M!", "Zo\u00eb", "b/n" };
static const char *const targets[] = { "n", "N", "a/n", "b/n", "m", "M", "o p", "o-p", "O_P", "zo\u00eb", "Zoe\u0308", "index", "/index", "./index",
	"../index", "b/m", "x", "p", "", "O P", "n.md", "a/b/m.md" };

struct random_file {
	bool there;
	char text[600];
};

static unsigned
draw(uint64_t *state, unsigned below)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return (unsigned)(*state >> 33) % below;
}

static void
draw_page(uint64_t *seed, struct random_file *f)
{
	char *to = f->text, *end = f->text + sizeof f->text;
	f->there = true;
	to += snprintf(to, (size_t)(end - to), "---\nid: i%u\naliases: [%s, p%u]\n---\n", draw(seed, 4), titles[1 + draw(seed, 6)], draw(seed, 3));
	to += snprintf(to, (size_t)(end - to), "# %s\n\n", titles[draw(seed, MEM_COUNT(titles))]);
	for (unsigned i = draw(seed, 6); i > 0; i--) {
		const char *target = targets[draw(seed, MEM_COUNT(targets))];
		unsigned form = draw(seed, 4);
		to += snprintf(to, (size_t)(end - to), "%s[[%s%s", form == 0 ? "!" : "", target, form == 1 ? "#h|l]]\n" : "]] ");
	}
	if (draw(seed, 3) == 0)
		snprintf(to, (size_t)(end - to), "[t](../n.md) [t](n.md#x) #t%u\n", draw(seed, 3));
}

static void
step_vault(uint64_t *seed, struct random_file *files, struct mem_vault_run *r)
{
	unsigned i = draw(seed, FILES), k = draw(seed, FILES);
	switch (draw(seed, 4)) {
	case 0:
		if (files[i].there)
			ASSERT_OK(mem_vault_gone(r, mem_str(file_names[i]), &err));
		files[i].there = false;
		break;
	case 1:
		if (!files[i].there || i == k)
			break;
		ASSERT_OK(mem_vault_move(r, mem_str(file_names[i]), mem_str(file_names[k]), &err));
		files[k] = files[i];
		files[i].there = false;
		if (draw(seed, 2) == 0)
			draw_page(seed, &files[k]);
		put_text(r, file_names[k], files[k].text);
		break;
	default:
		draw_page(seed, &files[i]);
		put_text(r, file_names[i], files[i].text);
	}
}

static void
compare_with_fresh(const struct random_file *files, const char *vault, uint64_t seed, const char *how)
{
	char fresh[100], cmd[120];
	struct mem_buf path = { 0 }, was = { 0 }, is = { 0 };
	enum mem_init_result result;
	snprintf(fresh, sizeof fresh, "%s/fresh", dir);
	const struct mem_init_options ask = { .dir = fresh, .agent = "tester" };
	ASSERT_OK(mem_store_init(&ask, &path, &result, &err));
	struct mem_vault_run *r = open_run(fresh, vault);
	for (size_t i = 0; i < FILES; i++)
		if (files[i].there)
			put_text(r, file_names[i], files[i].text);
	close_run(r);
	list_edges(&was, at, vault);
	list_edges(&is, fresh, vault);
	size_t same = 0;
	while (was.data[same] != '\0' && was.data[same] == is.data[same])
		same++;
	while (same > 0 && was.data[same - 1] != '\n')
		same--;
	if (strcmp(was.data, is.data) != 0)
		fail_msg("seed %llu, %s: %.160s --- made anew: %.160s", (unsigned long long)seed, how, was.data + same, is.data + same);
	mem_buf_release(&was);
	mem_buf_release(&is);
	mem_buf_release(&path);
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", fresh);
	assert_int_equal(system(cmd), 0);
}

static void
live_a_vault(uint64_t number)
{
	static struct random_file files[FILES];
	uint64_t seed = number;
	char vault[16];
	snprintf(vault, sizeof vault, "v%llu", (unsigned long long)number);
	memset(files, 0, sizeof files);
	for (unsigned step = 0; step < STEPS;) {
		struct mem_vault_run *r = open_run(at, vault);
		for (unsigned n = 1 + draw(&seed, 3); n > 0; n--, step++)
			step_vault(&seed, files, r);
		close_run(r);
		if (draw(&seed, 6) == 0)
			compare_with_fresh(files, vault, number, "on the way");
	}
	compare_with_fresh(files, vault, number, "at the end");
	/* What a whole vault has lost is gone. */
	struct mem_str there[FILES];
	size_t n = 0;
	for (size_t i = 0; i < FILES; i++)
		if (files[i].there && (files[i].there = i % 2 == 0))
			there[n++] = mem_str(file_names[i]);
	struct mem_vault_run *r = open_run(at, vault);
	ASSERT_OK(mem_vault_whole(r, &(struct mem_vault_listing){ .paths = there, .n = n }, &err));
	close_run(r);
	compare_with_fresh(files, vault, number, "half of it");
	/* Out of the way of the next one's links. */
	r = open_run(at, vault);
	ASSERT_OK(mem_vault_whole(r, &(struct mem_vault_listing){ 0 }, &err));
	close_run(r);
}

static void
test_any_order(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= VAULTS; i++)
		live_a_vault(i);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pending_and_moved, make_store, remove_store),
		cmocka_unit_test_setup_teardown(test_refusals, make_store, remove_store),
		cmocka_unit_test_setup_teardown(test_broken_off, make_store, remove_store),
		cmocka_unit_test_setup_teardown(test_any_order, make_store, remove_store),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
