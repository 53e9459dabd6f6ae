/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps: all nodes are judged in snapshots; what goes is judged once more under the lock. */
#include "care/care_int.h"
#include "store/decay.h"
#include "store/job.h"
#include "words/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Attributes read in one snapshot, which takes some 5 ms; and how many nodes a transaction takes. */
enum { PIECE = 16384, COMMIT_MAX = 256 };

struct sweep {
	const struct care_sweep_kind *kind;
	struct care_rules rules;
	struct mem_store *store;
	struct mem_writer *writer;
	int64_t now;
	const struct mem_words *only; /* namespaces; NULL, none: all */
	bool list;
	bool all;                   /* of every namespace: the job of an operator, by the settings of the store */

	mem_emit_fn *emit;
	void *ctx;
	struct mem_write_total *total;
	uint64_t *number;           /* of the last receipt */

	uint32_t next;              /* ord to go on with */
	bool ended;
	uint8_t *may;               /* by number of namespace: 0 not looked up, 1 not the caller's, 2 to be swept */
	size_t may_n, may_cap;
	struct mem_id *goes;        /* of the piece in hand */
	size_t ngoes, goes_cap, went;
	struct mem_buf lines;
};

/* ---- values ------------------------------------------------------------ */

enum mem_status
care_importance(struct mem_txn *t, uint32_t ord, const struct mem_attr *a, double *out, struct mem_err *err)
{
	struct mem_str json;
	*out = round((double)a->importance * 1e6) / 1e6; /* attributes keep it as a float */
	if (a->importance > 0)
		return MEM_OK;
	enum mem_status st = mem_node_text_at(t, ord, &json, err);
	if (st != MEM_OK)
		return st;
	struct mem_json v = mem_json_member(mem_json_object(json), "importance");
	if (!mem_json_there(v) || v.type == MEM_JSON_NULL)
		*out = .5;
	return MEM_OK;
}

double
care_faded(const struct mem_attr *a, double importance, int64_t now)
{
	return round(importance * mem_decay_factor(a, now) * 1e6) / 1e6;
}

/* ---- whose ------------------------------------------------------------- */

static bool
is_wanted_ns(const struct mem_words *only, const char *name)
{
	if (only == NULL || only->n == 0)
		return true;
	for (size_t i = 0; i < only->n; i++)
		if (strcmp(only->v[i], name) == 0)
			return true;
	return false;
}

static bool
decide_sweep_of_ns(const struct sweep *s, struct mem_txn *t, uint32_t number)
{
	struct mem_ns ns;
	if (mem_ns_by_number(t, number, &ns, NULL) != MEM_OK)
		return false;
	const struct mem_access_request ask = { .access = MEM_WRITE, .ns = mem_str(ns.name), .compartment = mem_str(ns.compartment) };
	return is_wanted_ns(s->only, ns.name) && (s->all || mem_store_allows(s->store, &ask));
}

static bool
may_sweep_ns(struct sweep *s, struct mem_txn *t, uint32_t number)
{
	if (number >= s->may_n) {
		s->may = mem_grow(s->may, &s->may_cap, number + 1, 1);
		memset(s->may + s->may_n, 0, number + 1 - s->may_n);
		s->may_n = number + 1;
	}
	if (s->may[number] == 0)
		s->may[number] = decide_sweep_of_ns(s, t, number) ? 2 : 1;
	return s->may[number] == 2;
}

/* ---- judging ----------------------------------------------------------- */

static void
put_sweep_line(struct sweep *s, struct mem_txn *t, const struct mem_attr *a, const struct care_judgement *j)
{
	const char *fate = j->fate == CARE_GOES ? s->kind->went : j->fate == CARE_REVIEW ? "review" : "spared";
	char id[MEM_ID_LEN + 1];
	struct mem_ns ns;
	mem_id_format(&a->id, id);
	mem_buf_putc(&s->lines, '{');
	mem_json_put_field(&s->lines, "id", mem_str(id));
	mem_json_put_field(&s->lines, "kind", mem_str(mem_kind_name((enum mem_kind)a->kind)));
	mem_json_put_field(&s->lines, "ns", mem_ns_by_number(t, a->ns, &ns, NULL) == MEM_OK ? mem_str(ns.name) : MEM_STR(""));
	mem_json_put_field(&s->lines, "fate", mem_str(fate));
	mem_json_put_text(&s->lines, "reason", mem_str(j->reason));
	s->kind->put(&s->lines, j);
	mem_buf_puts(&s->lines, "}\n");
}

/* One of a piece.  A damaged one is noted and passed over. */
static enum mem_status
sweep_node(struct sweep *s, struct mem_txn *t, uint32_t ord, struct mem_err *err)
{
	struct care_judgement j = { .fate = CARE_NOT_JUDGED };
	const struct mem_attr *a;
	enum mem_status st = mem_attr_at(t, ord, &a, err);
	if (st == MEM_OK && may_sweep_ns(s, t, a->ns))
		st = s->kind->judge(t, &s->rules, ord, a, s->now, &j, err);
	if (st == MEM_DAMAGED)
		mem_node_damage_note(t, ord);
	if (st != MEM_OK)
		return st == MEM_DAMAGED ? MEM_OK : st;
	if (s->list && j.fate != CARE_NOT_JUDGED)
		put_sweep_line(s, t, a, &j);
	if (!s->list && j.fate == CARE_GOES) {
		s->goes = mem_grow(s->goes, &s->goes_cap, s->ngoes + 1, sizeof *s->goes);
		s->goes[s->ngoes++] = a->id;
	}
	return MEM_OK;
}

static bool
is_batch_full(const struct sweep *s)
{
	return s->rules.batch > 0 && s->went + s->ngoes >= s->rules.batch;
}

/* A piece of the nodes, in a snapshot of its own. */
static enum mem_status
sweep_piece(struct sweep *s, struct mem_err *err)
{
	struct mem_txn *t = NULL;
	struct mem_cursor *c = NULL;
	uint8_t key[4];
	mem_be32(key, s->next);
	s->ngoes = 0;
	enum mem_status st = mem_txn_read(&t, s->store, err);
	if (st == MEM_OK)
		st = mem_cursor_open(&c, t, MEM_T_ATTR, err);
	if (st == MEM_OK)
		st = mem_cursor_seek(c, (struct mem_str){ (const char *)key, sizeof key }, err);
	for (size_t n = 0; st == MEM_OK && n < PIECE && s->ngoes < COMMIT_MAX && !is_batch_full(s); n++) {
		struct mem_str at = mem_cursor_key(c);
		uint32_t ord = at.n == 4 ? mem_be32_get((const uint8_t *)at.p) : 0;
		s->next = ord + 1;
		st = sweep_node(s, t, ord, err);
		if (st == MEM_OK)
			st = mem_cursor_next(c, err);
	}
	s->ended = st == MEM_END || is_batch_full(s);
	mem_cursor_close(c);
	mem_txn_end(t);
	return st == MEM_END ? MEM_OK : st;
}

/* ---- doing ------------------------------------------------------------- */

/* One that goes, in its turn in the batch. */
struct swept {
	const struct sweep *sweep;
	struct mem_id id;
};

/* Judged once more: it may have changed since the snapshot.  A mem_write_act_fn. */
static enum mem_status
take_swept(struct mem_txn *t, struct mem_writer *w, void *ctx, struct mem_receipt *r, struct mem_err *err)
{
	const struct swept *g = ctx;
	const struct sweep *s = g->sweep;
	struct care_judgement j = { .fate = CARE_NOT_JUDGED };
	struct mem_write_edit edit = { 0 };
	struct mem_node node;
	struct mem_ns ns;
	enum mem_status st = mem_node_by_id(t, &g->id, &node, err);
	r->verdict = MEM_UNCHANGED;
	r->has_id = true;
	r->id = g->id;
	if (st == MEM_NOTFOUND)
		return MEM_OK;
	if (st == MEM_OK)
		st = mem_ns_by_number(t, node.attr->ns, &ns, err);
	if (st == MEM_OK)
		st = s->kind->judge(t, &s->rules, node.ord, node.attr, s->now, &j, err);
	if (st != MEM_OK || j.fate != CARE_GOES)
		return st;
	r->ns = mem_arena_str(mem_writer_arena(w), mem_str(ns.name));
	r->verdict = MEM_CHANGED;
	s->kind->edit(w, &s->rules, node.attr, &j, s->now, &edit);
	return mem_write_change_at(t, w, node.ord, &edit, NULL, err);
}

static enum mem_status
finish_piece(struct sweep *s, struct mem_err *err)
{
	if (s->list) {
		bool taken = s->lines.len == 0 || s->emit(s->ctx, mem_buf_span(&s->lines));
		mem_buf_reset(&s->lines);
		return taken ? MEM_OK : mem_err_set(err, MEM_FAIL, "cannot write the list");
	}
	enum mem_status st = MEM_OK;
	for (size_t i = 0; i < s->ngoes && st == MEM_OK; i++) {
		const struct mem_write_input in = { .line = ++*s->number };
		struct swept *g = mem_arena_alloc(mem_writer_arena(s->writer), sizeof *g);
		*g = (struct swept){ s, s->goes[i] };
		mem_write_act(s->writer, &in, take_swept, g);
		if (s->kind->judges)
			st = care_judge_behind(s->writer, &in, &g->id, err);
	}
	s->went += s->ngoes;
	return st == MEM_OK ? mem_write_commit(s->writer, s->emit, s->ctx, s->total, err) : st;
}

static enum mem_status
run_sweep(struct sweep *s, struct mem_err *err)
{
	enum mem_status st = MEM_OK;
	while (st == MEM_OK && !s->ended) {
		st = sweep_piece(s, err);
		if (st == MEM_OK)
			st = finish_piece(s, err);
	}
	free(s->may);
	free(s->goes);
	mem_buf_release(&s->lines);
	return st;
}

enum mem_status
mem_care_sweep(struct mem_care_run *r, enum mem_care_sweep which, const struct mem_care_sweep_options *o, struct mem_err *err)
{
	static const struct care_sweep_kind *const kinds[] = { [MEM_SWEEP_FORGET] = &care_forget_sweep, [MEM_SWEEP_DECAY] = &care_decay_sweep };
	struct sweep s = { .kind = kinds[which], .store = mem_writer_store(r->run.writer), .writer = r->run.writer, .only = &o->ns, .list = o->list,
		.emit = r->run.emit, .ctx = r->run.ctx, .total = &r->run.total, .number = &r->run.number };
	s.now = mem_job_now(s.store);
	s.kind->read(&s.rules, mem_store_conf(s.store));
	return s.rules.on || s.list ? run_sweep(&s, err) : mem_err_set(err, MEM_ABSENT, "the settings have it off");
}

/* ---- jobs -------------------------------------------------------------- */

enum mem_status
care_sweep_job(struct mem_index *m, const struct care_sweep_kind *kind, uint64_t *done, struct mem_err *err)
{
	struct mem_write_total total = { 0 };
	uint64_t number = 0;
	struct sweep s = { .kind = kind, .store = m->store, .now = mem_job_now(m->store), .emit = mem_receipts_drop, .total = &total,
		.number = &number };
	s.all = mem_store_principal(m->store)->is_operator;
	s.kind->read(&s.rules, mem_store_conf(s.store));
	if (!s.rules.on)
		return MEM_OK;
	s.writer = mem_writer_new(m, &(struct mem_write_options){ .via = "mem-maintain" });
	enum mem_status st = run_sweep(&s, err);
	*done += total.stored;
	mem_writer_free(s.writer);
	return st;
}
