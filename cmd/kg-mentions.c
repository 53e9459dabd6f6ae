/* SPDX-License-Identifier: Apache-2.0 */
/* kg-mentions: pages named in the text of others, without a link. */
#include "cli/cli.h"
#include "graph_nodes.h"
#include "mention_links.h"
#include "mention_output.h"
#include "mention_pages.h"
#include "page_lines.h"

static struct mem_common c = MEM_COMMON_INIT;
static struct named_nodes wanted;
static bool *seen; /* of the nodes that are wanted: it is a page */
static struct mem_mention_finder *names;
static struct mention_links links;
static struct mentioning_pages pages;
static const char *vault;
static bool diff, write_files;

/* ---- names: the first reading ------------------------------------------------ */

static bool
is_wanted_page(const struct mem_id *id)
{
	bool found = wanted.n == 0;
	for (size_t i = 0; i < wanted.n; i++)
		if (mem_id_cmp(&wanted.ids[i], id) == 0)
			found = seen[i] = true;
	return found;
}

/* A page_record_fn. */
static void
take_page_names(void *ctx, struct page_record *p)
{
	bool named = is_wanted_page(&p->page.id);
	(void)ctx;
	if (named)
		mem_mention_finder_add(names, &p->page);
	if (diff)
		add_linked_page(&links, &p->page, named);
}

/* MEM_NOTFOUND: one that is wanted is no page. */
static enum mem_status
read_page_names(void)
{
	enum mem_status st = MEM_OK;
	seen = mem_xcalloc(wanted.n + 1, sizeof *seen);
	names = mem_mention_finder_new();
	mem_mention_finder_drop_shared(names, wanted.n == 0);
	read_pages(wanted.store, take_page_names, NULL);
	for (size_t i = 0; i < wanted.n; i++) {
		char id[MEM_ID_LEN + 1];
		mem_id_format(&wanted.ids[i], id);
		if (!seen[i])
			mem_warn("%s is no live page", id);
		st = seen[i] ? st : MEM_NOTFOUND;
	}
	return st;
}

/* ---- mentions: the second reading ----------------------------------------------- */

/* A page_record_fn. */
static void
take_page_mentions(void *ctx, struct page_record *p)
{
	const struct mem_mention *found;
	struct mem_err err;
	size_t n;
	(void)ctx;
	if (diff && !mem_str_eq(p->page.vault, links.vault))
		return;
	if (mem_mention_finder_find(names, &p->page.id, p->content, &found, &n, &err) != MEM_OK)
		mem_die_err(&err);
	if (n == 0)
		return;
	struct mentioning_page m = { .page = { .id = p->page.id }, .n = n };
	for (size_t i = 0; i < n && !diff; i++)
		put_mention_record(&m.lines, names, p, &found[i]);
	m.page.path = mem_arena_str(&links.arena, p->page.path);
	m.sha256 = mem_xstrdup(mem_arena_printf(&p->arena, "%.*s", (int)p->sha256.n, p->sha256.p));
	keep_mentioning_page(&pages, &m);
}

/* ---- what is printed ---------------------------------------------------------------- */

/* The newest page first; returns how many mentions. */
static uint64_t
print_mentions(uint64_t limit)
{
	uint64_t done = 0;
	for (size_t i = pages.n; i-- > pages.first && done < limit;) {
		struct mem_str rest = mem_buf_span(&pages.v[i].lines);
		if (diff)
			done += link_mentions(&links, names, &pages.v[i].page, mem_str(pages.v[i].sha256), limit - done);
		for (; rest.n > 0 && done < limit && mem_out_ok(); done++)
			(mem_text_wanted(c.format) ? print_page_place : mem_out_line)(cut_first_line(&rest));
	}
	for (size_t i = 0; i < links.changes.n; i++)
		print_diff(&links.changes.v[i]);
	return done;
}

static void
add_wanted_page(struct mem_str text)
{
	add_named_page(&wanted, text);
}

static void
pause_for_names(void)
{
	mem_store_pause(wanted.store);
}

int
main(int argc, char **argv)
{
	c.limit = 20;
	const struct mem_opt opts[] = {
		MEM_OPT_STORE(c), MEM_OPT_AGENT(c),
		{ 0, "diff", NULL, "print the diff that would link them", .flag = &diff },
		{ 0, "write", NULL, "link them in the files of the vault", .flag = &write_files },
		{ 0, "vault", "NAME", "the vault whose files these are", .str = &vault },
		MEM_OPT_LIMIT(c), MEM_OPT_ALL(c), MEM_OPT_NUL(c), MEM_OPT_FORMAT(c), MEM_OPT_NOW, MEM_OPT_END
	};
	mem_opts(&argc, &argv, opts, "kg-mentions [-0z] [OPTION...] [-n N | --all] [--diff | --write] [--vault NAME] [PAGE...]",
	    "print where pages are named without a link");
	const struct mem_store_options ask = { .dir = c.store, .agent = c.agent, .wait_ms = -1, .now = mem_now_given(), .damage = mem_warn_damage };
	struct mem_err err;
	diff = diff || write_files;
	pages.limit = c.limit > 0 ? (uint64_t)c.limit : UINT64_MAX;
	if (mem_store_open(&wanted.store, &ask, &err) != MEM_OK)
		mem_die_err(&err);
	enum mem_status st = take_operand_ids(argc, argv, add_wanted_page, c.nul, 0, pause_for_names);
	st = mem_status_worse(st, wanted.worst);
	if (argc > 0 && wanted.n == 0)
		return mem_finish(mem_status_worse(st, MEM_NOTFOUND));
	if (diff)
		open_mention_links(&links, wanted.store, vault);
	st = mem_status_worse(st, read_page_names());
	read_pages(wanted.store, take_page_mentions, NULL);
	mem_store_pause(wanted.store);
	if (print_mentions(pages.limit) == 0)
		st = mem_status_worse(st, MEM_NOTFOUND);
	if (write_files)
		st = mem_status_worse(st, write_changes(&links.changes));
	mem_store_close(wanted.store);
	mem_mention_finder_free(names);
	return mem_finish(mem_status_worse(st, links.worst));
}
