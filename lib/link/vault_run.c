/* SPDX-License-Identifier: Apache-2.0 */
/* A run over a vault: opening, committing, and up to where it was read. */
#include "link/vault_int.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/job.h"
#include "store/log.h"
#include "store/page_keys.h"

enum { PAGES_A_BATCH = 512 };

/*
 * What is kept of a vault: whether the edges are those of the pages; how far its history was read; behind a NUL the home of its files; and
 * behind another how far the log was read, as a number.  Rows of before they were kept lack the last one or both.
 */
#define MARK_DONE   '.'
#define MARK_BROKEN 'w'

struct vault_mark {
	bool broken;
	struct mem_str mark, home;
	uint64_t log_seen;
};

/* ---- marks ----------------------------------------------------------------------- */

static void
make_mark_name(char out[VAULT_MARK_NAME], struct mem_str ns, struct mem_str vault)
{
	struct mem_hash h = mem_hash128(NULL, (struct mem_str[]){ ns, vault }, 2);
	char hex[2 * sizeof h.b + 1];
	mem_hash_hex(h.b, sizeof h.b, hex);
	snprintf(out, VAULT_MARK_NAME, "vault:%s", hex);
}

/* What is behind the first NUL, which ends the rest. */
static struct mem_str
cut_at_nul(struct mem_str *s)
{
	const char *nul = s->n > 0 ? memchr(s->p, '\0', s->n) : NULL;
	struct mem_str behind = { 0 };
	if (nul != NULL) {
		behind = (struct mem_str){ nul + 1, s->n - (size_t)(nul + 1 - s->p) };
		s->n = (size_t)(nul - s->p);
	}
	return behind;
}

/* BORROWS from the row. */
static struct vault_mark
split_vault_mark(struct mem_str row)
{
	struct vault_mark m = { .broken = row.n > 0 && row.p[0] == MARK_BROKEN };
	if (row.n == 0)
		return m;
	m.mark = (struct mem_str){ row.p + 1, row.n - 1 };
	m.home = cut_at_nul(&m.mark);
	struct mem_str seen = cut_at_nul(&m.home);
	int64_t number;
	if (mem_number_parse(seen, 0, INT64_MAX, &number))
		m.log_seen = (uint64_t)number;
	return m;
}

/* A mem_write_fn, inside each transaction behind all else. */
static enum mem_status
put_vault_mark(struct mem_txn *t, void *ctx, struct mem_err *err)
{
	struct mem_vault_run *r = ctx;
	struct mem_buf b = { 0 };
	struct mem_str was;
	bool done = vault_links_done(r);
	enum mem_status st = mem_job_mark_get(t, r->mark_name, &was, err);
	if (st != MEM_OK)
		return st;
	mem_buf_putc(&b, done ? MARK_DONE : MARK_BROKEN);
	mem_buf_str(&b, done && r->has_mark ? r->mark : split_vault_mark(was).mark);
	mem_buf_putc(&b, '\0');
	mem_buf_str(&b, r->home);
	mem_buf_printf(&b, "%c%llu", '\0', (unsigned long long)(done && (r->gathered || r->has_log_seen) ? r->log_seen : split_vault_mark(was).log_seen));
	if (!mem_str_eq(was, mem_buf_span(&b)))
		st = mem_job_mark_put(t, r->mark_name, mem_buf_span(&b), err);
	mem_buf_release(&b);
	return st;
}

/* ARENA. */
static enum mem_status
read_vault_mark(struct mem_vault_run *r, struct mem_arena *a, struct vault_mark *out, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_str row = { 0 };
	enum mem_status st = mem_txn_read(&t, mem_vault_store(r), err);
	if (st == MEM_OK)
		st = mem_job_mark_get(t, r->mark_name, &row, err);
	if (st == MEM_OK)
		*out = split_vault_mark(mem_arena_str(a, row));
	if (st == MEM_OK && row.n == 0) /* all pages are yet to come */
		out->log_seen = mem_log_seq(t);
	mem_txn_end(t);
	return st;
}

void
mem_vault_mark(struct mem_vault_run *r, struct mem_str mark)
{
	r->mark = mem_arena_str(&r->arena, mark);
	r->has_mark = true;
}

enum mem_status
mem_vault_marked(struct mem_vault_run *r, struct mem_arena *a, struct mem_str *mark, struct mem_err *err)
{
	struct vault_mark m = { 0 };
	enum mem_status st = read_vault_mark(r, a, &m, err);
	*mark = m.mark;
	return st;
}

/* ---- a vault around a folder ------------------------------------------------------- */

/* The namespace that is asked for; NULL: the caller's own. */
static const char *
find_asked_ns(const struct mem_conf *conf, const struct mem_vault_options *o)
{
	struct mem_str set = mem_conf_str(conf, "vault.ns");
	return o->ns != NULL ? o->ns : set.n > 0 ? set.p : NULL;
}

/* Has the vault that `folder` would be its files there? */
static enum mem_status
is_vault_home(struct mem_store *s, struct mem_txn *t, struct mem_str ns, const struct mem_vault_options *o, struct mem_str folder, bool *is,
    struct mem_err *err)
{
	char name[VAULT_MARK_NAME];
	struct mem_str vault, row = { 0 };
	*is = false;
	if (mem_vault_name_choose(&vault, mem_store_conf(s), o->vault, mem_page_file(folder), NULL) != MEM_OK)
		return MEM_OK;
	make_mark_name(name, ns, vault);
	enum mem_status st = mem_job_mark_get(t, name, &row, err);
	*is = st == MEM_OK && mem_str_eq(split_vault_mark(row).home, folder);
	return st;
}

enum mem_status
mem_vault_around(struct mem_str *home, struct mem_store *s, const struct mem_vault_options *o, struct mem_str folder, struct mem_err *err)
{
	const char *asked = find_asked_ns(mem_store_conf(s), o);
	struct mem_buf own = { 0 };
	struct mem_txn *t = NULL;
	bool is = false;
	mem_buf_printf(&own, "agent:%s", mem_store_principal(s)->agent);
	struct mem_str ns = asked != NULL ? mem_str(asked) : mem_buf_span(&own);
	*home = (struct mem_str){ 0 };
	enum mem_status st = mem_txn_read(&t, s, err);
	while (st == MEM_OK && folder.n > 1) {
		st = is_vault_home(s, t, ns, o, folder, &is, err);
		if (is)
			*home = folder; /* the widest */
		while (folder.n > 0 && folder.p[folder.n - 1] != '/')
			folder.n--;
		folder.n -= folder.n > 0;
	}
	mem_txn_end(t);
	mem_buf_release(&own);
	return st;
}

/* ---- runs ------------------------------------------------------------------------ */

static bool
is_vault_name(struct mem_str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] == '/' || (unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
			return false;
	return name.n > 0 && name.n <= MEM_VAULT_NAME_MAX && mem_utf8_valid(name.p, name.n) == name.n && !mem_str_is(name, ".") &&
	    !mem_str_is(name, "..");
}

enum mem_status
mem_vault_name_choose(struct mem_str *out, const struct mem_conf *conf, struct mem_str given, struct mem_str folder, struct mem_err *err)
{
	struct mem_str set = mem_conf_str(conf, "vault.name");
	*out = given.p != NULL ? given : set.n > 0 ? set : folder;
	if (!is_vault_name(*out))
		return mem_err_set(err, MEM_USAGE, "no name of a vault: '%.*s'", (int)out->n, out->n > 0 ? out->p : "");
	return MEM_OK;
}

static void
read_ignored_patterns(struct mem_vault_run *r, const struct mem_conf *conf)
{
	const struct mem_yaml *list = mem_conf_node(conf, "vault.ignore");
	r->ignore = mem_ignore_new();
	for (const struct mem_yaml *y = list != NULL ? list->child : NULL; y != NULL; y = y->next)
		mem_ignore_add(r->ignore, MEM_STR(""), y->scalar);
}

/* The files of one vault are not those of another that has its name: each would retire the pages of the other. */
static enum mem_status
settle_home(struct mem_vault_run *r, struct mem_str kept, struct mem_err *err)
{
	struct mem_str home = r->o.home;
	if (home.n > 0 && kept.n > 0 && !mem_str_eq(home, kept) && !r->o.moved)
		return mem_err_set(err, MEM_USAGE, "the vault '%.*s' has its files in '%.*s': give that of '%.*s' another name with --vault, or, "
		    "if its files are there now, say so once with kg-link --moved", (int)r->vault.n, r->vault.p, (int)kept.n, kept.p,
		    (int)home.n, home.p);
	r->home = home.n > 0 ? mem_arena_str(&r->arena, home) : kept;
	r->has_home = !mem_str_eq(r->home, kept);
	return MEM_OK;
}

static enum mem_status
prepare_vault_run(struct mem_vault_run *r, const struct mem_store_options *store, struct mem_err *err)
{
	const struct mem_conf *conf = mem_store_conf(mem_vault_store(r));
	struct mem_str redact = mem_conf_str(conf, "vault.redact");
	struct vault_mark mark = { 0 };
	enum mem_status st = mem_vault_name_choose(&r->vault, conf, r->o.vault, r->o.folder, err);
	if (st == MEM_OK)
		st = mem_write_run_ns(r->run, find_asked_ns(conf, &r->o), &r->ns, err);
	if (st == MEM_OK)
		st = mem_writer_sanitise(r->run->writer, redact.p, NULL, err);
	if (st == MEM_OK)
		st = mem_store_lock(mem_vault_store(r), MEM_LOCK_LINKS, store->wait_ms, err);
	if (st != MEM_OK)
		return st;
	read_ignored_patterns(r, conf);
	r->ns = mem_arena_str(&r->arena, r->ns);
	r->vault = mem_arena_str(&r->arena, r->vault);
	r->table = (struct page_table){ .ns = r->ns, .vault = r->vault };
	make_mark_name(r->mark_name, r->ns, r->vault);
	st = read_vault_mark(r, &r->arena, &mark, err);
	r->all = mark.broken;
	r->log_seen = mark.log_seen;
	return st == MEM_OK ? settle_home(r, mark.home, err) : st;
}

enum mem_status
mem_vault_open(struct mem_vault_run **out, const struct mem_store_options *store, const struct mem_vault_options *o, mem_emit_fn *emit,
    void *ctx, struct mem_err *err)
{
	struct mem_vault_run *r = mem_xcalloc(1, sizeof *r);
	r->o = *o;
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run, .batch_max = PAGES_A_BATCH,
		.then = put_vault_mark, .ctx = r };
	enum mem_status st = mem_write_run_open(&r->run, store, &writing, emit, ctx, err);
	if (st == MEM_OK)
		st = prepare_vault_run(r, store, err);
	if (st == MEM_OK)
		*out = r;
	else
		mem_vault_free(r);
	return st;
}

void
mem_vault_free(struct mem_vault_run *r)
{
	if (r == NULL)
		return;
	mem_write_run_free(r->run);
	mem_ignore_free(r->ignore);
	mem_text_map_release(&r->moves);
	mem_text_map_release(&r->left);
	mem_text_map_release(&r->queued);
	vault_deferred_release(r);
	mem_text_map_release(&r->keys);
	mem_text_map_release(&r->tags);
	page_table_release(&r->table);
	page_tags_release(&r->left_tags);
	mem_buf_release(&r->record);
	mem_buf_release(&r->faults);
	mem_rec_release(&r->rec);
	mem_clean_rec_release(&r->cleaned);
	mem_arena_release(&r->arena);
	mem_arena_release(&r->file);
	free(r->moved);
	free(r->touched);
	free(r->entities);
	free(r->sources);
	free(r);
}

struct mem_store *
mem_vault_store(const struct mem_vault_run *r)
{
	return mem_writer_store(r->run->writer);
}

/* A mem_write_act_fn: a transaction for the mark alone. */
static enum mem_status
write_nothing(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *receipt, struct mem_err *err)
{
	(void)t, (void)w, (void)ctx, (void)receipt, (void)err;
	return MEM_OK;
}

/* What resolves the links goes with the last pages, if it is little. */
enum mem_status
mem_vault_commit(struct mem_vault_run *r, struct mem_err *err)
{
	static const struct mem_write_input quiet = { .quiet = true };
	enum mem_status st = vault_settle_deferred(r, err);
	if (st == MEM_OK && !r->o.dry_run)
		st = vault_read_entities(r, err);
	bool more = st == MEM_OK && !r->o.dry_run && vault_queue_links(r);
	if (st != MEM_OK)
		return st;
	if (!more && (r->has_mark || r->has_home || r->has_log_seen) && mem_write_queued(r->run->writer) == 0)
		mem_write_act(r->run->writer, &quiet, write_nothing, NULL);
	do {
		st = mem_write_run_commit(r->run, err);
		more = st == MEM_OK && !r->o.dry_run && vault_queue_links(r);
	} while (more);
	if (st == MEM_OK) {
		vault_links_reset(r);
		r->has_home = r->has_log_seen = false;
	}
	return st;
}

const struct mem_ignore *
mem_vault_ignore(const struct mem_vault_run *r)
{
	return r->ignore;
}

struct mem_vault_waiting
mem_vault_waiting(const struct mem_vault_run *r)
{
	return r->waiting;
}

enum mem_status
mem_vault_outcome(const struct mem_vault_run *r, struct mem_err *err)
{
	return mem_write_run_outcome(r->run, err);
}
