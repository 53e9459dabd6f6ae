/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for repeats, and joining them. */
#include "belief/dedupe.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "belief/dedupe_int.h"
#include "belief/merge.h"
#include "embed/embed.h"
#include "store/log.h"
#include "store/node.h"
#include "store/store.h"
#include "words/words.h"
#include "write/write.h"

/* Nodes looked at in one snapshot, of those that may be repeats; a look into the index takes a fraction of a millisecond. */
enum { PIECE = 256, ROWS = 16384, NEAREST = 8 };

struct repeat {
	struct mem_id keep, other;
	double similarity;
};

struct dedupe {
	const struct mem_dedupe_options *o;
	struct mem_kind_set kinds;
	struct mem_store *store;
	struct mem_writer *writer;
	mem_emit_fn *emit;
	void *ctx;
	struct mem_write_total *total;
	struct dedupe_mark mark;     /* how far each namespace was looked at */
	uint32_t next;               /* ord to go on with */
	bool ended;
	uint64_t looked, joined;
	struct repeat found;
	bool has_found;
	struct mem_err *err;
};

/* ---- which nodes ----------------------------------------------------------------- */

static bool
is_dedupe_ns(const struct mem_dedupe_options *o, const char *name)
{
	bool wanted = o->nns == 0;
	for (size_t i = 0; i < o->nns; i++)
		wanted = wanted || strcmp(o->ns[i], name) == 0;
	return wanted;
}

/* Is it one that may be a repeat, and the caller's to change?  *ns gets its namespace. */
static bool
may_be_repeat(struct dedupe *d, struct mem_txn *t, const struct mem_attr *a, struct mem_ns *ns)
{
	if (!mem_kind_set_has(&d->kinds, a->kind) || a->pinned || !mem_node_shown(t, a) || mem_ns_by_number(t, a->ns, ns, NULL) != MEM_OK)
		return false;
	const struct mem_access_request to = { .access = MEM_WRITE, .ns = mem_str(ns->name), .compartment = mem_str(ns->compartment) };
	return is_dedupe_ns(d->o, ns->name) && mem_store_allows(d->store, &to);
}

/* ---- a pair ------------------------------------------------------------------------ */

/* The older one of two is kept. */
static struct repeat
order_pair(const struct mem_node *a, const struct mem_node *b, double similarity)
{
	bool a_first = a->attr->created_at != b->attr->created_at ? a->attr->created_at < b->attr->created_at : a->ord < b->ord;
	return (struct repeat){ a_first ? a->attr->id : b->attr->id, a_first ? b->attr->id : a->attr->id, similarity };
}

/* Was the node taken for a repeat of `keep`, and that taken back? */
struct parting {
	char keep[MEM_ID_LEN + 1];
	int64_t created_at;
	bool found;
};

/* A mem_audit_fn; what was written about the node when it was made is the oldest. */
static bool
look_for_parting(void *ctx, const struct mem_audit_row *row)
{
	struct parting *p = ctx;
	p->found = mem_str_is(row->kind, "dedupe") && mem_str_is(row->reason, "undo") &&
	    mem_json_is(mem_json_member(mem_json_object(row->detail), "keep"), p->keep);
	return !p->found && row->at > p->created_at;
}

static enum mem_status
is_parted(struct dedupe *d, struct mem_txn *t, const struct mem_node *node, bool *parted)
{
	struct parting p = { .created_at = node->attr->created_at };
	mem_id_format(&d->found.keep, p.keep);
	enum mem_status st = mem_audit_each_back(t, &node->attr->id, 0, look_for_parting, &p, d->err);
	*parted = p.found;
	return st;
}

static enum mem_status
judge_near_node(struct dedupe *d, struct mem_txn *t, const struct mem_node *node, const struct mem_near *near)
{
	struct mem_node other;
	struct mem_ns ns;
	enum mem_status st = mem_node_at(t, near->ord, &other, d->err);
	if (st != MEM_OK)
		return st;
	d->has_found = may_be_repeat(d, t, other.attr, &ns) && mem_dedupe_says_same(node->json, other.json);
	d->found = order_pair(node, &other, near->score);
	if (mem_id_cmp(&d->found.other, &node->attr->id) != 0)
		d->has_found = false; /* it is found once more from the younger one, whose turn comes later */
	bool parted = false;
	st = d->has_found ? is_parted(d, t, node, &parted) : MEM_OK;
	d->has_found = d->has_found && !parted;
	return st;
}

/* Is there a repeat of the node?  MEM_NOTFOUND: it waits for its vector. */
static enum mem_status
find_repeat(struct dedupe *d, struct mem_txn *t, uint32_t ord, const struct mem_ns *ns)
{
	struct mem_ns *family = NULL;
	struct mem_near *near = NULL;
	struct mem_node node;
	size_t nns = 0, n = 0;
	enum mem_status st = mem_node_at(t, ord, &node, d->err);
	if (st == MEM_OK)
		st = mem_ns_family(t, ns->number, &family, &nns, d->err);
	const struct mem_near_query q = { .ns = family, .nns = nns, .kinds = mem_kind_set_of((enum mem_kind)node.attr->kind), .ord = ord,
		.least = MEM_DEDUPE_SIMILAR, .limit = NEAREST, .by_index = true };
	if (st == MEM_OK)
		st = mem_near_search(t, &q, &near, &n, d->err);
	for (size_t i = 0; i < n && st == MEM_OK && !d->has_found; i++)
		st = judge_near_node(d, t, &node, &near[i]);
	free(near);
	free(family);
	return st;
}

/* ---- a piece ------------------------------------------------------------------------ */

/* From d->next on, until a repeat is found or the piece is done. */
static enum mem_status
look_at_piece(struct dedupe *d, struct mem_txn *t)
{
	struct mem_cursor *c = NULL;
	uint8_t from[4];
	size_t looked = 0, rows = 0;
	mem_be32(from, d->next);
	enum mem_status st = mem_cursor_open(&c, t, MEM_T_ATTR, d->err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)from, 4 }, d->err);
	for (; st == MEM_OK && looked < PIECE && rows < ROWS && !d->has_found; st = mem_cursor_next(c, d->err), rows++) {
		const struct mem_attr *a;
		struct mem_ns ns;
		struct mem_str key = mem_cursor_key(c);
		uint32_t ord = key.n == 4 ? mem_be32_get((const uint8_t *)key.p) : UINT32_MAX;
		d->next = ord + 1;
		if (key.n != 4 || mem_attr_at(t, ord, &a, NULL) != MEM_OK || !may_be_repeat(d, t, a, &ns) ||
		    (!d->o->again && !dedupe_mark_wants(&d->mark, ns.root, ord)))
			continue;
		looked++;
		enum mem_status found = find_repeat(d, t, ord, &ns);
		dedupe_mark_set(&d->mark, ns.root, ord, found == MEM_NOTFOUND);
		if (found != MEM_OK && found != MEM_NOTFOUND && found != MEM_DAMAGED)
			st = found;
		if (found == MEM_DAMAGED)
			mem_store_damage_note(d->store, d->err);
		if (d->has_found)
			d->next = ord; /* it may have another one */
		if (st != MEM_OK || d->has_found)
			break;
	}
	mem_cursor_close(c);
	d->looked += looked;
	d->ended = st == MEM_END;
	return st == MEM_END ? MEM_OK : st;
}

static enum mem_status
join_found(struct dedupe *d)
{
	const struct mem_write_input in = { .line = ++d->joined };
	uint64_t rejected = d->total->rejected;
	d->has_found = false;
	enum mem_status st = mem_merge_queue(d->writer, &in, &d->found.keep, &d->found.other, MEM_MERGE_BY_DEDUPE, d->found.similarity, d->err);
	if (st == MEM_OK)
		st = mem_write_commit(d->writer, d->emit, d->ctx, d->total, d->err);
	if (d->o->dry_run || d->total->rejected > rejected)
		d->next++; /* nothing has changed: the same pair would be found again */
	return st;
}

static bool
is_dedupe_stopped(const struct mem_dedupe_options *o)
{
	struct pollfd p = { .fd = o->stop_fd, .events = POLLIN };
	return o->stop_fd >= 0 && poll(&p, 1, 0) > 0;
}

static enum mem_status
run_dedupe(struct dedupe *d)
{
	enum mem_status st = dedupe_mark_load(&d->mark, d->store, d->err);
	while (st == MEM_OK && !d->ended && !is_dedupe_stopped(d->o) && (d->o->max == 0 || (int64_t)d->joined < d->o->max)) {
		struct mem_txn *t = NULL;
		st = mem_txn_read(&t, d->store, d->err);
		if (st == MEM_OK)
			st = look_at_piece(d, t);
		mem_txn_end(t);
		if (st == MEM_OK && d->has_found)
			st = join_found(d);
		if (d->o->progress != NULL)
			d->o->progress(d->o->pctx, d->looked, 0);
	}
	if (st == MEM_OK && d->ended && !d->o->dry_run)
		st = dedupe_mark_save(&d->mark, d->store, d->err);
	return st;
}

enum mem_status
mem_dedupe_run(struct mem_index *m, const struct mem_dedupe_options *o, mem_emit_fn *emit, void *ctx, struct mem_write_total *total,
    struct mem_err *err)
{
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run };
	const struct mem_kind_set all = mem_dedupe_kinds();
	struct dedupe d = { .o = o, .store = m->store, .emit = emit, .ctx = ctx, .total = total, .err = err };
	d.kinds = mem_kind_set_empty(&o->kinds) ? all : mem_kind_set_common(o->kinds, all);
	d.writer = mem_writer_new(m, &writing);
	enum mem_status st = run_dedupe(&d);
	mem_writer_free(d.writer);
	dedupe_mark_release(&d.mark);
	return st;
}

/* ---- taking back ---------------------------------------------------------------------- */

static enum mem_status
refuse_undo(struct mem_writer *w, const struct mem_write_input *in, enum mem_status why)
{
	mem_write_refuse(w, in, why == MEM_REFUSED ? "ambiguous" : "not_found", 0);
	return MEM_OK;
}

enum mem_status
mem_dedupe_undo(struct mem_index *m, const struct mem_dedupe_options *o, const struct mem_str *ids, size_t n, mem_emit_fn *emit, void *ctx,
    struct mem_write_total *total, struct mem_err *err)
{
	const struct mem_write_options writing = { .via = o->via, .audit_refusals = true, .dry_run = o->dry_run };
	struct mem_writer *w = mem_writer_new(m, &writing);
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < n && st == MEM_OK; i++) {
		const struct mem_write_input in = { .line = i + 1, .bytes = ids[i].n };
		struct mem_id id;
		st = mem_id_find(m->store, ids[i], &id, err);
		if (st == MEM_OK)
			st = mem_unmerge_queue(w, &in, &id, MEM_MERGE_BY_DEDUPE, err);
		else if (st == MEM_USAGE || st == MEM_NOTFOUND || st == MEM_REFUSED)
			st = refuse_undo(w, &in, st);
		if (st == MEM_OK && mem_write_full(w))
			st = mem_write_commit(w, emit, ctx, total, err);
	}
	if (st == MEM_OK)
		st = mem_write_commit(w, emit, ctx, total, err);
	mem_writer_free(w);
	return st;
}
